"""Slips: the boards that plays are left at when something is forgotten, and how likely each is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import thresholds as T
from controller.evidence import key_of
from controller.slips import slips
from rules.plays import Roll, legal_results
from rules.position import START, Player, Position

ALL = T.PRIOR_UNTOUCHED + T.PRIOR_HALF + T.PRIOR_LEFT_ON_BAR + T.PRIOR_UNHIT
ON_BAR = Position((-2, 0, 0, 0, 0, 4, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2), (1, 0), (0, 0))
"""A has one checker on the bar, and may enter it anywhere but on 19 (with a six)."""
rolls = st.builds(Roll, st.integers(1, 6), st.integers(1, 6))


def moved(position: Position, *changes: tuple[int, int]) -> tuple[int, ...]:
    """The board with so many checkers (A's count up) more on each point (1..24; 25 and 26 are the bars)."""
    key = list(key_of(position))
    for point, more in changes:
        key[point - 1] += more
    return tuple(key)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(rolls, st.integers(0, 10**6)), max_size=8), rolls, st.sampled_from(Player))
def test_no_slip_is_a_legal_play_and_each_is_unlikely(game: list[tuple[Roll, int]], roll: Roll, player: Player) -> None:
    position, turn = START, Player.A
    for played, choice in game:
        ranked = sorted(legal_results(position, turn, played), key=Position.to_28)
        position, turn = ranked[choice % len(ranked)], turn.other
    legal = {key_of(result) for result in legal_results(position, player, roll)}
    found = slips(position, player, roll)
    assert not legal & set(found)
    assert all(prior > 0 for prior in found.values())
    assert sum(found.values()) <= ALL + 3 * T.PRIOR_UNHIT


@pytest.mark.parametrize(
    ("before", "roll", "board", "least"),
    [
        (START, Roll(3, 1), moved(START), T.PRIOR_UNTOUCHED),
        (START, Roll(3, 1), moved(START, (8, -1), (5, 1)), T.PRIOR_HALF / 10),
        (START, Roll(3, 1), moved(START, (6, -1), (5, 1)), T.PRIOR_HALF / 10),
        (START, Roll(2, 2), moved(START, (13, -2), (11, 2)), T.PRIOR_HALF / 60),
        (ON_BAR, Roll(3, 1), moved(ON_BAR, (8, -1), (5, 1), (6, -1), (5, 1)), T.PRIOR_LEFT_ON_BAR / 20),
        (ON_BAR, Roll(3, 1), moved(ON_BAR, (25, -1), (24, 1)), T.PRIOR_HALF / 10),
    ],
)
def test_what_is_forgotten_at_a_table(before: Position, roll: Roll, board: tuple[int, ...], least: float) -> None:
    assert slips(before, Player.A, roll)[board] >= least > T.PRIOR_ILLEGAL / T.PLAUSIBLE_ILLEGAL


def test_a_hit_checker_is_forgotten_on_the_way_to_the_bar() -> None:
    before = Position((-1, -1, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2), (0, 0), (0, 0))
    hit = moved(before, (6, -1), (2, 2), (8, -1), (6, 1), (26, 0))
    assert slips(before, Player.A, Roll(4, 2))[hit] > 0


def test_a_dance_is_no_slip_but_moving_another_checker_is() -> None:
    closed = Position((-2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, -2, -2, -2, -2, -2, -2), (2, 1), (0, 0))
    found = slips(closed, Player.A, Roll(6, 5))
    assert found and all(key[24] == 2 for key in found)
    assert key_of(closed) not in found
