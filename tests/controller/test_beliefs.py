"""Which positions stay in mind when the board was not explained: never none, never too many, always summing to 1."""

import pytest

from controller import thresholds as T
from controller.doubt import likeliest_of
from rules.plays import Roll, legal_plays
from rules.position import START, Player

RESULTS = list({r for d in range(1, 7) for e in range(1, d + 1) for r in legal_plays(START, Player.A, Roll(d, e))})


@pytest.mark.parametrize("chance", [1.0, 1e-3, 1e-5, 1e-12, 0.0])
@pytest.mark.parametrize("count", [1, 5, len(RESULTS)])
def test_however_thinly_spread_some_are_kept(chance: float, count: int) -> None:
    kept = likeliest_of(dict.fromkeys(RESULTS[:count], chance))
    assert len(kept) == min(count, T.BELIEFS)
    assert sum(c for _, c in kept) == pytest.approx(1.0)


def test_the_unlikely_beside_the_likeliest_are_dropped() -> None:
    kept = likeliest_of({RESULTS[0]: 0.9, RESULTS[1]: 0.09, RESULTS[2]: T.BELIEF / 10})
    assert [p for p, _ in kept] == RESULTS[:2]
