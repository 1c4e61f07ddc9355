"""What the checker networks are given: which lanes, how large the picture, how the crops are normalised."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calibration.geometry import BoardGeometry
from calibration.pictures import normalise, reduced, tone
from vision import lanes, thresholds
from vision.checkers import top_colours, worth_looking


@given(arrays(np.float32, 26, elements=st.floats(0, 1, width=32)))
def test_every_lane_that_is_not_surely_empty_is_looked_at_and_eight_in_any_case(there: np.ndarray) -> None:
    some = worth_looking(there)
    assert set(np.flatnonzero(there >= thresholds.GLANCE_EMPTY)) <= set(some)
    assert len(some) == max(thresholds.LOOKED_AT, (there >= thresholds.GLANCE_EMPTY).sum())
    assert sorted(set(some)) == list(some)
    left = np.setdiff1d(np.arange(26), some)
    assert len(left) == 0 or there[left].max() <= there[some].min()


@pytest.mark.parametrize(("width", "by"), [(1280, 1), (2560, 2), (4200, 3)])
def test_a_fine_picture_is_made_smaller_by_a_whole_number(width: int, by: int) -> None:
    """A straight board across the whole width: its lanes are a fourteenth of it."""
    size = (width, width * 3 // 4)
    edge = width / 14
    corners = np.array([[edge, edge], [width - edge, edge], [width - edge, size[1] - edge], [edge, size[1] - edge]])
    x = np.array([6.5 * edge, 7.5 * edge])
    bar = np.array([[x[0], edge], [x[1], edge], [x[1], size[1] - edge], [x[0], size[1] - edge]])
    geometry = BoardGeometry(corners, bar, size)
    image = np.zeros((size[1], size[0], 3), np.uint8)
    cv2.circle(image, (width // 2, size[1] // 2), width // 20, (255, 255, 255), -1)
    small, scaled = reduced(image, geometry, 110.0)
    assert small.shape[:2] == (round(size[1] / by), round(size[0] / by))
    assert scaled.size == small.shape[1::-1]
    assert scaled.lane_px <= 110.0
    where = np.argwhere(small[..., 0] > 127).mean(axis=0)[::-1]
    assert scaled.to_board([where])[0] == pytest.approx(geometry.to_board([[width / 2, size[1] / 2]])[0], abs=0.02)


@given(st.floats(0.3, 1.0), st.integers(0, 40))
def test_exposure_drops_out(gain: float, lift: int) -> None:
    """The same crops, darker or lifted, come out alike."""
    rng = np.random.default_rng(3)
    crops = rng.integers(0, 200, (26, lanes.CROP_HEIGHT, lanes.CROP_WIDTH, 3), dtype=np.uint8)
    other = np.round(crops * gain + lift).astype(np.uint8)
    a, b = (normalise(c[:3], tone(c)) for c in (crops, other))
    assert np.abs(a - b).max() < 0.25


def test_halving_keeps_the_mean_of_each_crop() -> None:
    rng = np.random.default_rng(5)
    crops = rng.integers(0, 256, (4, lanes.CROP_HEIGHT, lanes.CROP_WIDTH, 3), dtype=np.uint8)
    half = lanes.halved(crops)
    assert half.shape == (4, lanes.CROP_HEIGHT // 2, lanes.CROP_WIDTH // 2, 3)
    assert half.mean(axis=(1, 2)) == pytest.approx(crops.mean(axis=(1, 2)), abs=0.6)


def test_the_colour_of_a_lane_is_that_of_its_tops() -> None:
    crops = np.zeros((2, lanes.CROP_HEIGHT, lanes.CROP_WIDTH, 3), np.uint8)
    crops[:, :144] = (10, 20, 30)
    crops[:, 144:] = (200, 150, 100)
    tops = np.zeros((2, 2, lanes.CROP_HEIGHT // 4, lanes.CROP_WIDTH // 4), np.float32)
    tops[0, 0, :36] = 1.0
    tops[1, 1, 36:] = 1.0
    assert top_colours(crops, tops) == pytest.approx(np.array([[10, 20, 30], [200, 150, 100]]), abs=1.0)
