"""The judge's reasons: a wrong reason costs trust as a wrong verdict does."""

from __future__ import annotations

import pytest

from rules.judge import Illegal, judge
from rules.plays import Roll
from rules.position import START, Board, Player, Position

BLOTS = Position.from_28([-1, 0, 0, 0, -1, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""B has blots on A's 1-point and 5-point; A can hit on the 5 with a 1 or a 3."""


def board(before: Position, *changes: tuple[int, int]) -> Board:
    """The board with signed changes on A's points."""
    points = list(before.points)
    for point, change in changes:
        points[point - 1] += change
    return Board(tuple((max(n, 0), max(-n, 0)) for n in points), before.bar)


def why(before: Position, roll: Roll, after: Board) -> Illegal:
    verdict = judge(before, Player.A, roll, after)
    assert isinstance(verdict, Illegal)
    return verdict


def test_m3_a_hit_checker_that_is_not_on_the_bar() -> None:
    verdict = why(BLOTS, Roll(3, 1), board(BLOTS, (8, -1), (5, 2), (24, -1), (23, 1)))
    assert (verdict.clause, verdict.reason) == ("M3", "hit_checker_missing")
    assert "5-point" in verdict.sentence


def test_m9_a_blot_that_vanished_where_nobody_could_hit_is_no_hit() -> None:
    verdict = why(BLOTS, Roll(6, 4), board(BLOTS, (1, 1), (24, -1), (18, 1), (13, -1), (9, 1)))
    assert (verdict.clause, verdict.reason) == ("M9", "checker_count")
    assert verdict.sentence == "B has 1 checker too few on the board."


def test_m9_one_checker_too_many_is_said_in_the_singular() -> None:
    assert why(START, Roll(3, 1), board(START, (7, 1))).sentence == "A has 1 checker too many on the board."


def test_m7_nothing_played() -> None:
    assert why(START, Roll(3, 1), START.board).reason == "nothing_played"


@pytest.mark.parametrize(
    ("changes", "clause", "reason"),
    [
        (((8, -1), (5, 1)), "M6", "one_die_unplayed"),
        (((8, -1), (9, 1)), "B3", "moved_backwards"),
        (((8, -1), (6, 1)), "M1", "wrong_pips"),
    ],
)
def test_an_own_checker_moved_wrongly(changes: tuple[tuple[int, int], ...], clause: str, reason: str) -> None:
    verdict = why(START, Roll(3, 1), board(START, *changes))
    assert (verdict.clause, verdict.reason) == (clause, reason)
