"""Which of the places found in a picture is the board: the one that reads like a board."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.geometry import BoardGeometry
from vision import finding
from vision.annotate import which_board
from vision.checkers import CheckerNetwork

SCENES = Path(__file__).resolve().parents[1] / "scenes"
ROWS = [row for row in (json.loads(line) for line in (SCENES / "dice.jsonl").read_text().splitlines()) if "hand" not in row["image"]]


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
@pytest.mark.parametrize("corner", range(4))
def test_a_place_with_one_corner_off_gives_way_to_the_board(row: dict, corner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its marks look better: a lane's width beside the board nothing reads well."""
    true, image = BoardGeometry.from_label(row), cv2.imread(str(SCENES / row["image"]))
    corners = true.corners.copy()
    corners[corner] += 1.5 * (corners.mean(axis=0) - corners[corner]) / 6
    askew = BoardGeometry(corners, true.bar, true.size)
    monkeypatch.setattr(finding, "candidates", lambda _: [(0.6, askew), (0.45, true)])
    found = finding.boards(image, CheckerNetwork())
    assert found[0][1] is true
    assert [chance for chance, _ in found] == sorted((chance for chance, _ in found), reverse=True)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 60), st.floats(0, 60))
def test_better_marks_and_less_doubt_never_make_it_less_likely(a: float, b: float, doubts: float, more: float) -> None:
    low, high = sorted((a, b))
    few, many = sorted((doubts, more))
    assert 0 <= finding.chance(low, many) <= finding.chance(high, few) <= 1


def test_every_place_is_drawn_with_a_number() -> None:
    image = np.zeros((240, 320, 3), np.uint8)
    places = [
        BoardGeometry([(x, 20), (x + 120, 20), (x + 120, 120), (x, 120)], [(x + 56, 20), (x + 64, 20), (x + 64, 120), (x + 56, 120)], (320, 240))
        for x in (10, 60, 110)
    ]
    drawn = which_board(image, places)
    assert not image.any()
    assert all(drawn[20, x + 30].any() for x in (10, 60, 110))
