"""Dice and cube on three rendered boards that nothing was learned from (tests/scenes/dice.jsonl, schema of labels.md)."""

from __future__ import annotations

import json
from math import dist
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import view
from calibration.geometry import BoardGeometry
from vision.dice import SmallPieces

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
