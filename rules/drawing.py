"""A board as text for terminals and reports, and as SVG. A sits below, in his own numbering.

>>> from rules.position import START
>>> print(text_board(START, dice=(3, 1)).splitlines()[0].strip())
13 14 15 16 17 18     19 20 21 22 23 24
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import Literal

from rules.cube import Cube
from rules.position import Board, Player, Position

Home = Literal["right", "left"]
Names = tuple[str, str]
NAMES: Names = ("A", "B")

SIGNS = ("●", "○")
ROWS = 5


def _rows(home: Home) -> tuple[list[int], list[int]]:
    """The points from left to right: (upper row, lower row)."""
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    return (upper, lower) if home == "right" else (upper[::-1], lower[::-1])


def _off(board: Board | Position) -> tuple[int, int]:
    """A Board says nothing of those off."""
    return board.off if isinstance(board, Position) else (0, 0)


def _label(a: int, b: int) -> str:
    return f"{a}+{b}" if a and b else str(a + b)


def text_board(
    board: Position | Board,
    *,
    home: Home = "right",
    dice: Sequence[int] = (),
    roller: Player = Player.A,
    cube: Cube | None = None,
    names: Names = NAMES,
) -> str:
    """The board in monospace. A stack above five shows its number in place of the fifth checker; both colours on one point
    show as they are. The dice lie in the right half of the roller, the cube beside the board on its owner's side."""
    seen = board.board if isinstance(board, Position) else board
    upper, lower = _rows(home)

    def cell(a: int, b: int, row: int) -> str:
        stack = SIGNS[0] * a + SIGNS[1] * b
        if row == ROWS - 1 and len(stack) > ROWS:
            return f"{_label(a, b):^3}"
        return f" {stack[row]} " if row < len(stack) else "   "

    def line(points: list[int], row: int, owner: Player) -> str:
        cells = [cell(*seen.points[p - 1], row) for p in points]
        count = seen.bar[owner.side]
        bar = cell(count, 0, row) if owner is Player.A else cell(0, count, row)
        return f"│{''.join(cells[:6])}│{bar}│{''.join(cells[6:])}│"

    def numbers(points: list[int]) -> str:
        cells = [f"{p:>2} " for p in points]
        return f"     {''.join(cells[:6])}    {''.join(cells[6:])}".rstrip()

    def rule(left: str, middle: str, right: str) -> str:
        return f"{left}{'─' * 18}{middle}{'─' * 3}{middle}{'─' * 18}{right}"

    rolled = f"{' '.join(f'[{die}]' for die in dice):^18}"
    halves = (" " * 18, rolled) if roller is Player.A else (rolled, " " * 18)
    rows = [rule("┌", "┬", "┐")]
    rows += [line(upper, row, Player.B) for row in range(ROWS)] + [f"│{halves[0]}│BAR│{halves[1]}│"]
    rows += [line(lower, row, Player.A) for row in reversed(range(ROWS))] + [rule("└", "┴", "┘")]
    top, middle, bottom = 1, ROWS + 1, 2 * ROWS + 1
    margin = ["    "] * len(rows)
    if cube is not None:
        margin[{Player.B: top, None: middle, Player.A: bottom}[cube.owner]] = f"{f'[{cube.face}]':>4}"
    framed = [edge + row for edge, row in zip(margin, rows, strict=True)]
    for player, n in ((Player.B, top), (Player.A, bottom)):
        framed[n] += f"  {SIGNS[player.side]} {names[player.side]}{_tally(board, player)}"
    if cube is not None and cube.value > 64:
        framed[middle] += f"  cube {cube.value}"
    return "\n".join(row.rstrip() for row in (numbers(upper), *framed, numbers(lower)))


def _tally(board: Position | Board, player: Player) -> str:
    if isinstance(board, Board):
        return ""
    off = board.off[player.side]
    return f": {board.pips(player)} pips" + (f", {off} off" if off else "")


# Proportions of the drawing, in SVG units. A checker is as wide as a point; five of them fill a point.
_POINT = 40
_TALL = 5 * _POINT
_GAP = 64
_BAR = 48
_TRAY = 56
_RIM = 12
_NUMBERS = 22
_INNER = 6 * _POINT

_BOARD, _FIELD, _DARK, _LIGHT, _LINE = "#5b3a24", "#e9dcc3", "#a3552f", "#c9b184", "#2b1d14"
_FILL = ("#f6f1e7", "#2a2a2e")
_INK = ("#1d1d20", "#f4efe6")
_LIT = "#f2b100"
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}

WIDTH = 2 * _RIM + 2 * _TRAY + 2 * _INNER + _BAR
HEIGHT = 2 * _RIM + 2 * _NUMBERS + 2 * _TALL + _GAP
_TOP = _RIM + _NUMBERS
_BOTTOM = HEIGHT - _RIM - _NUMBERS
_MIDDLE = HEIGHT / 2
_LEFT = _RIM + _TRAY
_RIGHT = _LEFT + _INNER + _BAR


def _rect(x: float, y: float, w: float, h: float, fill: str, rx: float = 0, more: str = "") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{rx:g}" fill="{fill}"{more}/>'


def _text(x: float, y: float, text: str, size: float, fill: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y + size * 0.35:g}" font-size="{size:g}" fill="{fill}" text-anchor="middle"{more}>{escape(text)}</text>'


def _disc(x: float, y: float, side: int, label: str = "") -> str:
    radius = _POINT / 2 - 1
    shape = (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{_FILL[side]}" stroke="{_LINE}"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius * 0.68:g}" fill="none" stroke="{_INK[side]}" stroke-opacity="0.25"/>'
    )
    return shape + (_text(x, y, label, 17, _INK[side], ' font-weight="bold"') if label else "")


def _stack(x: float, edge: float, step: float, counts: tuple[int, int]) -> list[str]:
    """Checkers from the edge inward; the fifth carries the number when there are more."""
    sides = [0] * counts[0] + [1] * counts[1]
    shown = sides[: ROWS - 1] + sides[-1:] if len(sides) > ROWS else sides
    label = _label(*counts) if len(sides) > ROWS else ""
    return [_disc(x, edge + step * (n + 0.5), side, label if n == ROWS - 1 else "") for n, side in enumerate(shown)]


def _die(x: float, y: float, value: int, side: int) -> str:
    size, spread = 34.0, 9.5
    pips = "".join(f'<circle cx="{x + dx * spread:g}" cy="{y + dy * spread:g}" r="3.4" fill="{_INK[side]}"/>' for dx, dy in _PIPS[value])
    return _rect(x - size / 2, y - size / 2, size, size, _FILL[side], 6, f' stroke="{_LINE}"') + pips


def svg_board(
    board: Position | Board,
    *,
    home: Home = "right",
    dice: Sequence[int] = (),
    roller: Player = Player.A,
    cube: Cube | None = None,
    names: Names = NAMES,
    lit: Collection[int] = (),
) -> str:
    """The board as one SVG picture: points with their numbers, checkers, bar, off trays, dice and cube.

    `lit`: points (A's numbering; 0 and 25 are A's off tray and bar) to be marked.
    """
    seen = board.board if isinstance(board, Position) else board
    upper, lower = _rows(home)
    off = _off(board)
    tray = _RIGHT + _INNER if home == "right" else _RIM
    cube_x = (_RIM if home == "right" else _RIGHT + _INNER) + _TRAY / 2
    bar_x = _LEFT + _INNER + _BAR / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        ' font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(names[0])} (below) against {escape(names[1])} (above)</title>",
        _rect(0, 0, WIDTH, HEIGHT, _BOARD, 10),
        *(_rect(x, _TOP, _INNER, _BOTTOM - _TOP, _FIELD) for x in (_LEFT, _RIGHT)),
        *(_rect(tray + 8, y, _TRAY - 16, _TALL, _LINE, 4, ' fill-opacity="0.55"') for y in (_TOP, _BOTTOM - _TALL)),
    ]
    checkers: list[str] = []
    for row, edge, inward, number_y in (
        (upper, _TOP, 1, _TOP - _NUMBERS / 2),
        (lower, _BOTTOM, -1, _BOTTOM + _NUMBERS / 2),
    ):
        for place, point in enumerate(row):
            left = (_LEFT if place < 6 else _RIGHT) + (place % 6) * _POINT
            x, tip = left + _POINT / 2, edge + inward * (_TALL - 8)
            fill = _LIT if point in lit else _DARK if point % 2 else _LIGHT
            parts.append(f'<polygon points="{left:g},{edge:g} {left + _POINT:g},{edge:g} {x:g},{tip:g}" fill="{fill}"/>')
            parts.append(_text(x, number_y, str(point), 13, _FIELD))
            checkers += _stack(x, edge, inward * _POINT, seen.points[point - 1])
    if 25 in lit:
        parts.append(_rect(bar_x - _BAR / 2 + 2, _MIDDLE, _BAR - 4, _BOTTOM - _MIDDLE, _LIT, 4))
    if 0 in lit:
        parts.append(_rect(tray + 8, _BOTTOM - _TALL, _TRAY - 16, _TALL, _LIT, 4))
    # On the bar a checker waits in its owner's half, next to the middle, as gnubg and XG draw it.
    checkers += _stack(bar_x, _MIDDLE + 8, _POINT, (seen.bar[0], 0)) + _stack(bar_x, _MIDDLE - 8, -_POINT, (0, seen.bar[1]))
    for player, edge, inward in ((Player.B, _TOP, 1), (Player.A, _BOTTOM, -1)):
        slot = _TALL / 15
        for n in range(off[player.side]):
            y = edge + slot * n if inward > 0 else edge - slot * (n + 1)
            checkers.append(_rect(tray + 10, y + 1, _TRAY - 20, slot - 2, _FILL[player.side], 3, f' stroke="{_LINE}"'))
        if off[player.side]:
            checkers.append(_text(tray + _TRAY / 2, edge - inward * _NUMBERS / 2, f"{off[player.side]} off", 13, _FIELD))
    half = _RIGHT if roller is Player.A else _LEFT
    for n, die in enumerate(dice):
        checkers.append(_die(half + _INNER / 2 + (n - (len(dice) - 1) / 2) * 48, _MIDDLE, die, roller.side))
    if cube is not None:
        y = {None: _MIDDLE, Player.A: _BOTTOM - 24, Player.B: _TOP + 24}[cube.owner]
        checkers.append(_rect(cube_x - 20, y - 20, 40, 40, _FILL[0], 7, f' stroke="{_LINE}"'))
        checkers.append(_text(cube_x, y, str(cube.face), 20, _INK[0], ' font-weight="bold"'))
    return "\n".join([*parts, *checkers, "</svg>", ""])
