"""Dice and cube on three rendered boards that nothing was learned from (tests/scenes/dice.jsonl, schema of labels.md)."""

from __future__ import annotations

import json
from math import dist
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import view
from calibration.geometry import BoardGeometry, transform
from vision.dice import (
    CROP,
    FACE_CROP,
    FACE_TURNS,
    MOST_LEAN,
    SIDE_PX,
    SmallPieces,
    best_turn,
    close_up_homography,
    face_homography,
    lean,
    lies_told,
    state_weights,
    turned,
)
from vision.scene import CUBE_FACES

SCENES = Path(__file__).resolve().parents[1] / "scenes"
ROWS = [json.loads(line) for line in (SCENES / "dice.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def reader() -> SmallPieces:
    return SmallPieces()


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
def test_dice_of_a_board(reader: SmallPieces, row: dict) -> None:
    image = cv2.imread(str(SCENES / row["image"]))
    dice, _ = reader.read(image, BoardGeometry.from_label(row))
    on_board = [d for d in dice if d.where != "off"]
    assert len(on_board) == len(row["dice"])
    for true in row["dice"]:
        near = min(on_board, key=lambda d: dist(d.xy, true["xy"]))
        assert dist(near.xy, true["xy"]) < true["size_px"]
        assert near.where == true["where"]
        assert near.size == pytest.approx(true["size_px"], rel=0.4)
        assert sum(near.values) == pytest.approx(1, abs=1e-4)
        assert sum(near.states) == pytest.approx(1, abs=1e-4)


def test_an_even_picture_holds_nothing(reader: SmallPieces) -> None:
    row = ROWS[0]
    image = np.full((row["size"][1], row["size"][0], 3), 90, np.uint8)
    assert reader.read(image, BoardGeometry.from_label(row)) == ((), None)


def test_the_footprint_of_a_raised_point_lies_towards_the_camera() -> None:
    row = ROWS[0]
    seen = view(BoardGeometry.from_label(row))
    for xy in ((3.0, 2.0), (9.0, 9.0)):
        assert dist(seen.footprint(xy, 0.0), xy) < 1e-6
        assert 0 < dist(seen.footprint(xy, 0.2), xy) < 0.4


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
@pytest.mark.parametrize("xy", [(1.0, 1.0), (6.5, 5.0), (11.0, 9.0)])
def test_in_a_close_up_an_upright_edge_leans_up_and_the_upper_face_is_in_the_middle(row: dict, xy: tuple[float, float]) -> None:
    geometry, side = BoardGeometry.from_label(row), 0.3
    seen = view(geometry)
    heights = np.array([0.0, side / 2, side])
    edge = np.array([xy[0], xy[1], 1.0]) @ seen.plane.T + heights[:, None] * seen.up
    foot, middle, top = edge[:, :2] / edge[:, 2:]
    body = transform(np.linalg.inv(seen.plane), [middle])[0]
    homography, far = close_up_homography(geometry, (float(body[0]), float(body[1])), side)
    (foot_x, foot_y), (top_x, top_y) = transform(np.linalg.inv(homography), [foot, top])
    centre = (CROP - 1) / 2
    assert (top_x, top_y) == pytest.approx((centre, centre), abs=0.5)
    assert foot_x == pytest.approx(top_x, abs=0.5)
    assert foot_y - top_y == pytest.approx(far * SIDE_PX, abs=0.5)
    face_top = transform(np.linalg.inv(face_homography(geometry, (float(body[0]), float(body[1])), side, FACE_CROP)), [top])[0]
    assert face_top == pytest.approx([(FACE_CROP - 1) / 2] * 2, abs=0.5)


def test_a_lean_is_never_longer_than_a_close_up_is_cut_for() -> None:
    corners = [[500, 300], [780, 300], [1200, 400], [80, 400]]  # from so low that no camera should hang there
    low = BoardGeometry(corners, [[632, 300], [648, 300], [672, 400], [608, 400]], (1280, 960))
    far = [float(np.hypot(*lean(low, (x, 5.0), 0.3))) for x in (0.5, 6.5, 12.5)]
    assert max(far) == pytest.approx(MOST_LEAN)


def test_a_close_up_is_turned_to_every_angle_about_its_middle() -> None:
    around = np.zeros((80, 80, 3), np.uint8)
    cv2.rectangle(around, (38, 26), (41, 38), (255, 255, 255), -1)  # a hand of a clock that points up
    turns = turned(around, 40)
    assert turns.shape == (FACE_TURNS, 40, 40, 3)
    for n, crop in enumerate(turns):
        y, x = np.argwhere(crop[..., 0] > 128).mean(axis=0) - 19.5
        assert np.hypot(x, y) == pytest.approx(7.5, abs=0.7)
        assert (np.degrees(np.arctan2(-x, -y)) - 360 * n / FACE_TURNS + 180) % 360 - 180 == pytest.approx(0, abs=5)


def test_the_number_is_the_one_that_stands_upright_at_some_angle() -> None:
    upright = np.full((FACE_TURNS, 7), 0.02, np.float32)
    upright[:, 0] = 0.88
    upright[5] = (0.05, 0.02, 0.02, 0.02, 0.85, 0.02, 0.02)
    assert int(best_turn(upright).argmax()) == 3


@pytest.mark.parametrize("quarter", range(4))
def test_the_cube_is_read_whichever_way_it_lies(reader: SmallPieces, quarter: int) -> None:
    row = next(r for r in ROWS if r.get("cube"))
    geometry = BoardGeometry.from_label(row)
    _, cube = reader.read(cv2.imread(str(SCENES / row["image"])), geometry)
    assert cube is not None
    image, size = cv2.imread(str(SCENES / row["image"])), 2 * round(cube.size)
    x, y = (round(v) for v in cube.xy)
    window = image[y - size : y + size + 1, x - size : x + size + 1]
    window[:] = np.rot90(window, quarter).copy()
    _, again = reader.read(image, geometry)
    assert again is not None
    assert CUBE_FACES[int(np.argmax(again.values))] == row["cube"]["value"]


def test_a_small_die_has_to_look_leaning_more_surely() -> None:
    usual, small = state_weights(0.3, 60.0), state_weights(0.2, 40.0)
    assert usual[1] < small[1] and usual[0] == small[0] == 1.0


@pytest.mark.parametrize(
    ("side", "size", "told"),
    [(0.3, (1280, 960), True), (0.3, (1080, 1920), True), (0.3, (640, 640), False), (0.3, (1403, 1289), False), (0.6, (1280, 960), False)],
)
def test_how_a_die_lies_is_not_told_of_large_dice_and_in_pictures_that_no_camera_takes(side: float, size: tuple[int, int], told: bool) -> None:
    assert lies_told(side, size) is told


def test_in_a_squeezed_picture_a_die_lies_as_usual_however_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces, row = SmallPieces(), next(r for r in ROWS if r["dice"])
    see = pieces._see

    def leaning(*looked_at: np.ndarray) -> list[np.ndarray]:
        kind, value, state = see(*looked_at)
        return [kind, value, state + np.array([0.0, 50.0, 0.0, 0.0], np.float32)]

    monkeypatch.setattr(pieces, "_see", leaning)
    image, geometry = cv2.imread(str(SCENES / row["image"])), BoardGeometry.from_label(row)
    states = []
    for size in (geometry.size, (960, 960)):
        dice, _ = pieces.read(cv2.resize(image, size, interpolation=cv2.INTER_AREA), geometry.scaled(size))
        states.append({d.state for d in dice})
    assert states == [{"cocked"}, {"flat"}]
