"""Setting corners that were found roughly, on rendered boards that nothing was learned from (tests/scenes)."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import corners
from calibration.camera import view
from calibration.geometry import BoardGeometry, transform

SCENES = Path(__file__).resolve().parents[1] / "scenes"
ROWS = [json.loads(line) for line in (SCENES / "dice.jsonl").read_text().splitlines()]


def off(a: BoardGeometry, b: BoardGeometry) -> np.ndarray:
    """Distance (8,) of each corner of each half, in shares of the board's width."""
    width = float(np.linalg.norm(b.corners[1] - b.corners[0]))
    return np.linalg.norm(corners.points(a) - corners.points(b), axis=1) / width


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
def test_the_eight_corners_there_and_back(row: dict) -> None:
    geometry = BoardGeometry.from_label(row)
    again = corners.from_points(corners.points(geometry), geometry.size)
    assert again.corners == pytest.approx(geometry.corners)
    assert again.bar == pytest.approx(geometry.bar)


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
def test_in_each_close_up_the_corner_is_in_the_middle_and_its_half_to_the_right_and_below(row: dict) -> None:
    geometry = BoardGeometry.from_label(row)
    homographies = corners.close_up_homographies(geometry, view(geometry).height)
    middles = [geometry.to_image([[x, 0.5]])[0] for x in (3.0, 9.0 + geometry.bar_width)]
    for n, (homography, corner) in enumerate(zip(homographies, corners.points(geometry), strict=True)):
        back = np.linalg.inv(homography)
        assert transform(back, [corner])[0] == pytest.approx([(corners.CROP - 1) / 2] * 2, abs=0.2)
        inside = transform(back, [middles[n // 4]])[0]
        assert inside.min() > corners.CROP / 2


@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
def test_corners_that_are_a_fiftieth_of_the_width_off_are_set_right(row: dict) -> None:
    """Even one that lies under a hand in one of the pictures: the others tell where it must be."""
    true = BoardGeometry.from_label(row)
    image = cv2.imread(str(SCENES / row["image"]))
    width = float(np.linalg.norm(true.corners[1] - true.corners[0]))
    rng = np.random.default_rng(11)
    for _ in range(3):
        turns = rng.uniform(0, 2 * np.pi, 8)
        moved = corners.points(true) + 0.02 * width * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        rough = corners.from_points(moved, true.size)
        assert off(rough, true).max() == pytest.approx(0.02, abs=0.002)
        found = corners.refined(image, rough, view(rough).height)
        assert off(found, true).max() < 0.015
        assert off(found, true).mean() < 0.005


@pytest.mark.parametrize("hidden", [(6,), (0, 5), (1,), (3, 4)])
@pytest.mark.parametrize("row", ROWS, ids=[r["image"] for r in ROWS])
def test_a_hidden_corner_follows_from_the_others(row: dict, hidden: tuple[int, ...]) -> None:
    true = BoardGeometry.from_label(row)
    eight, seen = corners.points(true), np.ones(8, bool)
    seen[list(hidden)] = False
    wrong = np.where(seen[:, None], eight, eight + 60.0)
    assert off(corners.from_points(corners.completed(wrong, seen), true.size), true).max() < 0.012


def test_too_few_corners_tell_nothing_of_the_others() -> None:
    eight = corners.points(BoardGeometry.from_label(ROWS[0]))
    assert (corners.completed(eight, np.arange(8) < 5) == eight).all()


def test_the_place_that_a_map_expects() -> None:
    maps = np.full((2, 20, 20), -20.0, np.float32)
    maps[0, 4, 7] = maps[1, 3, 3] = maps[1, 15, 15] = 10.0
    places, agree = corners.expected(maps)
    assert places[0] == pytest.approx([7.5 * corners.STRIDE - 0.5, 4.5 * corners.STRIDE - 0.5], abs=0.01)
    assert agree == pytest.approx([1.0, 0.0], abs=0.01)
