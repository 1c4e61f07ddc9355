"""Drawings of a board (B2, B4: either direction; C1: the face of the cube)."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from rules.cube import Cube
from rules.drawing import HEIGHT, WIDTH, svg_board, text_board
from rules.position import START, Board, Player, Position

SVG = "{http://www.w3.org/2000/svg}"
TALL = Position.from_28([0, -2, 0, 0, 0, 7, 0, 3, 0, 0, 0, -5, 2, 0, 0, 0, -3, 0, -4, 0, 0, 0, 0, 1, 1, 1, 1, 0])

START_TEXT = """\
     13 14 15 16 17 18     19 20 21 22 23 24
    ┌──────────────────┬───┬──────────────────┐
    │ ●           ○    │   │ ○              ● │  ○ Bo: 167 pips
    │ ●           ○    │   │ ○              ● │
    │ ●           ○    │   │ ○                │
    │ ●                │   │ ○                │
    │ ●                │   │ ○                │
[64]│                  │BAR│     [3] [1]      │
    │ ○                │   │ ●                │
    │ ○                │   │ ●                │
    │ ○           ●    │   │ ●                │
    │ ○           ●    │   │ ●              ○ │
    │ ○           ●    │   │ ●              ○ │  ● Ann: 167 pips
    └──────────────────┴───┴──────────────────┘
     12 11 10  9  8  7      6  5  4  3  2  1"""


def test_B2_C1_start() -> None:
    assert text_board(START, dice=(3, 1), cube=Cube(), names=("Ann", "Bo")) == START_TEXT


def test_B4_home_on_the_left() -> None:
    lines = text_board(START, home="left", dice=(6, 6), roller=Player.B).splitlines()
    assert lines[0].split() == [str(p) for p in range(24, 12, -1)]
    assert lines[-1].split() == [str(p) for p in range(1, 13)]
    assert lines[2].startswith("    │ ●              ○ │   │    ○           ● │")
    assert lines[7] == "    │     [6] [6]      │BAR│                  │"


def test_stacks_above_five_bar_and_off() -> None:
    lines = text_board(TALL, cube=Cube(128, Player.A)).splitlines()
    assert lines[8].rstrip(" │").endswith("7") and "cube 128" in lines[7]
    assert lines[2].startswith("    │ ●           ○    │ ○ │") and lines[12].startswith(" [2]│ ○           ●    │ ● │")
    assert lines[12].endswith("● A: 141 pips, 1 off")


def test_a_board_with_both_colours_on_a_point() -> None:
    board = Board(((2, 5), *((0, 0),) * 23), (7, 0))
    lines = text_board(board).splitlines()
    assert lines[8] == "    │                  │ 7 │               2+5│"
    assert lines[12].endswith("│ ● │                ● │  ● A")
    assert "2+5" in svg_board(board)


@pytest.mark.parametrize("home", ["right", "left"])
def test_svg_is_whole(home: str) -> None:
    text = svg_board(TALL, home=home, dice=(3, 6), cube=Cube(2, Player.B), names=("<Ann>", "B&B"), lit=(0, 6, 25))  # type: ignore[arg-type]
    root = ET.fromstring(text)
    assert root.findtext(f"{SVG}title") == "<Ann> (below) against B&B (above)"
    words = [t.text for t in root.iter(f"{SVG}text")]
    assert sorted(int(w) for w in words[:24] if w) == list(range(1, 25))
    assert words[24:] == ["7", "1 off", "2"]
    assert len(list(root.iter(f"{SVG}polygon"))) == 24
    # 29 checkers on points and bar, 2 of the 7 not drawn, two circles each; nine pips
    assert len(list(root.iter(f"{SVG}circle"))) == 2 * (29 - 2) + 9
    for shape in root.iter(f"{SVG}circle"):
        assert 0 < float(shape.get("cx", "")) < WIDTH and 0 < float(shape.get("cy", "")) < HEIGHT
    assert text.count("#f2b100") == 3


def test_svg_of_the_start_places_A_below() -> None:
    root = ET.fromstring(svg_board(START))
    discs = [c for c in root.iter(f"{SVG}circle") if c.get("fill") == "#f6f1e7"]
    assert len(discs) == 15
    assert sum(float(c.get("cy", "")) > HEIGHT / 2 for c in discs) == 8
    assert sum(float(c.get("cx", "")) > WIDTH / 2 for c in discs) == 7


def test_C2_the_cube_lies_on_its_owner_s_side() -> None:
    def middle(owner: Player | None) -> float:
        root = ET.fromstring(svg_board(START, cube=Cube(4, owner)))
        (square,) = [r for r in root.iter(f"{SVG}rect") if r.get("width") == r.get("height") == "40"]
        (number,) = [t for t in root.iter(f"{SVG}text") if t.get("font-size") == "20"]
        assert number.text == "4" and float(number.get("y", "")) == float(square.get("y", "")) + 20 + 7
        return float(square.get("y", "")) + 20

    assert (middle(Player.B), middle(None), middle(Player.A)) == (58, HEIGHT / 2, HEIGHT - 58)


@pytest.mark.parametrize("home", ["right", "left"])
def test_svg_is_drawn_as_it_was_approved(home: str) -> None:
    """Every measure counts in a drawing; the two approved ones (in `golden/`) are compared letter by letter."""
    approved = (Path(__file__).parent / f"golden/{home}.svg").read_text()
    if home == "right":
        drawn = svg_board(TALL, home="right", dice=(3, 6), cube=Cube(2, Player.B), names=("<Ann>", "B&B"), lit=(0, 6, 25))
    else:
        drawn = svg_board(TALL.mirrored, home="left", dice=(5, 4, 2, 1), roller=Player.B, cube=Cube(), lit=(1, 24))
    assert drawn == approved
