"""The set of fifteen a side settles what lanes alone leave open, and nothing else."""

import itertools

import numpy as np
import pytest

from calibration.opening import OPENING, lanes_from_points
from vision import thresholds
from vision.scene import MOST, BoardReading
from vision.whole_set import counts_at_most, totals_weight, with_set

START = list(lanes_from_points(OPENING, "right"))


def doubtful(counts: list[int], lane: int, chances: dict[int, float]) -> BoardReading:
    reading = BoardReading.certain(counts, doubt=0.0001)
    reading.lanes[lane] = 0
    for count, chance in chances.items():
        reading.lanes[lane, count + MOST] = chance
    return reading


def test_the_sixth_checker_is_found_by_the_sum() -> None:
    counts = list(START)
    five = counts.index(5)
    counts[five], counts[counts.index(3)] = 6, 2
    got = with_set(doubtful(counts, five, {5: 0.8, 6: 0.2}))
    assert got.counts == tuple(counts)
    assert got.lanes[five, MOST + 6] > 0.6


def test_fewer_than_the_set_stays_possible_when_the_picture_is_sure() -> None:
    counts = [0] * 24
    counts[3], counts[20] = 2, -1
    assert with_set(BoardReading.certain(counts)).counts == tuple(counts)


def test_a_thing_taken_for_a_sixteenth_checker_is_dropped() -> None:
    got = with_set(doubtful(START, 1, {0: 0.3, 1: 0.7}))
    assert got.counts[1] == 0


def test_sure_readings_of_too_many_are_left_to_stand() -> None:
    counts = list(START)
    counts[1] = 1
    got = with_set(BoardReading.certain(counts, doubt=1e-7))
    assert got.counts == tuple(counts)


def test_a_missing_checker_of_the_opening_is_still_missed() -> None:
    counts = np.zeros((26, 16), np.float32)
    for lane, n in enumerate([abs(n) for n in START] + [0, 0]):
        counts[lane, n] = 0.97
        counts[lane, n + 1] = 0.03
    five = START.index(5)
    counts[five] = 0
    counts[five, 4:6] = 0.7, 0.3
    assert counts_at_most(counts, 30)[five].argmax() == 4


def test_a_cube_on_the_bar_is_not_the_thirty_first_checker() -> None:
    counts = np.full((26, 16), 1e-4, np.float32)
    for lane, n in enumerate([abs(n) for n in START] + [0, 0]):
        counts[lane, n] = 0.99
    counts[24, :2] = 0.1, 0.9
    assert counts_at_most(counts, 30)[24].argmax() == 0


@pytest.mark.parametrize("seed", range(4))
def test_marginals_equal_those_of_every_combination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.zeros((3, 16), np.float32)
    counts[:, :5] = rng.dirichlet(np.ones(5), 3)
    weight = totals_weight(7, 1 / 8)
    joint = np.zeros((5, 5, 5))
    for states in itertools.product(range(5), repeat=3):
        total = sum(states)
        joint[states] = np.prod([counts[i, s] for i, s in enumerate(states)]) * (weight[total] if total < len(weight) else 0)
    got = counts_at_most(counts, 7)
    for lane, axes in enumerate([(1, 2), (0, 2), (0, 1)]):
        want = joint.sum(axis=axes)
        assert np.allclose(got[lane, :5], want / want.sum(), atol=1e-5)


def test_weights_are_a_distribution_but_for_the_excess() -> None:
    weight = totals_weight(15)
    assert weight[:16].sum() == pytest.approx(1.0)
    assert (weight[16:] == thresholds.SET_EXCEEDED).all()
