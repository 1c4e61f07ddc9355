"""The judge's reasons: a wrong reason costs trust as a wrong verdict does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from some_positions import PLAYERS, ROLLS, boards, positions, stand

from rules.judge import Illegal, Legal, Shift, infer, judge, nearest, shifts
from rules.notation import short
from rules.plays import Roll, legal_plays, legal_results
from rules.position import START, Board, Player, Position

A, B = Player.A, Player.B
BLOTS = Position.from_28([-1, 0, 0, 0, -1, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""B has blots on A's 1-point and 5-point; A can hit on the 5 with a 1 or a 3."""


def board(before: Position, *changes: tuple[int, int], bar: tuple[int, int] | None = None) -> Board:
    """The board with signed changes on A's points."""
    points = list(before.points)
    for point, change in changes:
        points[point - 1] += change
    return Board(tuple((max(n, 0), max(-n, 0)) for n in points), bar or before.bar)


def why(before: Position, roll: Roll, after: Board) -> Illegal:
    verdict = judge(before, A, roll, after, ("Black", "White"))
    assert isinstance(verdict, Illegal), verdict
    return verdict


OWN = stand({25: 1, 13: 5, 8: 4, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
"""A has one on the bar; B holds his 8-point and 6-point."""
HOME = stand({6: 2, 5: 2, 4: 2, 2: 2}, {1: 2})
HELD = stand({25: 1, 6: 14}, {1: 2, 6: 13})
HITHER = stand({24: 2, 13: 5, 8: 3, 6: 5}, {25: 1, 24: 1, 13: 5, 8: 3, 6: 5})
"""White has one on the bar already."""
TWICE = stand({20: 1, 6: 14}, {25 - 17: 2})
"""Two threes from the 20-point would be stopped, but 3-1 has only one."""
LOW = stand({5: 1, 4: 1}, {1: 2})
DEAD = stand({24: 1, 8: 1, 6: 13}, {21: 2, 9: 2, 7: 3, 6: 4, 5: 4})
"""6-2: after 8/2 alone the 2 must be played 24/22."""
AROUND = stand({12: 1}, {25 - 9: 2, 25 - 8: 1})
"""3-1: the blot on the 8-point is hit by way of the 11-point alone."""
ONE = stand({12: 1}, {25 - 3: 2})
"""6-3: only one die can be played, and it must be the 6."""


@pytest.mark.parametrize(
    ("before", "roll", "after", "clause", "reason", "sentence"),
    [
        (START, Roll(3, 1), START.board, "M7", "nothing_played", "Black played nothing; 3-1 can be played: 24/20."),
        # The opponent's checkers
        (START, Roll(5, 1), Board(((0, 2), *START.board.points[1:18], (1, 5), *START.board.points[19:23], (1, 0))),
         "M2", "blocked", "Black landed on the 19-point, which White holds."),
        (BLOTS, Roll(3, 1), Board((*BLOTS.board.points[:4], (2, 1), (5, 0), (0, 0), (1, 0), *BLOTS.board.points[8:])),
         "M3", "hit_checker_missing", "Black hit on the 5-point; White's checker belongs on the bar."),
        (BLOTS, Roll(3, 1), board(BLOTS, (8, -1), (5, 2), (24, -1), (23, 1)),
         "M3", "hit_checker_missing", "The checker of White hit on the 5-point is not on the bar."),
        (BLOTS, Roll(6, 4), board(BLOTS, (1, 1), (24, -1), (18, 1), (13, -1), (9, 1)),
         "M9", "checker_count", "White has 1 checker too few on the board."),
        (START, Roll(3, 1), board(START, (12, 2)), "M9", "checker_count", "White has 2 checkers too few on the board."),
        (START, Roll(3, 1), board(START, (12, -1)), "M9", "checker_count", "White has 1 checker too many on the board."),
        (START, Roll(3, 1), board(START, bar=(0, 2)), "M9", "checker_count", "White has 2 checkers too many on the board."),
        (HELD, Roll(3, 1), Board((*HELD.board.points[:23], (1, 2)), (0, 0)), "M2", "blocked", "Black landed on the 24-point, which White holds."),
        (HITHER, Roll(3, 1), board(HITHER, (8, -1), (9, 1)), "B3", "moved_backwards", "Black moved a checker backwards to the 9-point."),
        (HITHER, Roll(3, 1), board(HITHER, bar=(0, 2)), "M9", "checker_count", "White has 1 checker too many on the board."),
        (HITHER, Roll(3, 1), board(HITHER, bar=(0, 0)), "M9", "checker_count", "White has 1 checker too few on the board."),
        (HOME, Roll(5, 3), board(HOME, (24, 1)), "M9", "checker_count", "White has 1 checker too few on the board."),
        (HOME, Roll(5, 3), board(HOME, (24, 1), (23, -1)), "D2", "wrong_player_moved", "White's checkers were moved, but it is Black's turn."),
        (HOME, Roll(5, 3), board(HOME, (24, -1)), "M9", "checker_count", "White has 1 checker too many on the board."),
        (AROUND, Roll(3, 1), board(AROUND, (12, -1), (8, 2)), "M3", "hit_checker_missing", "The checker of White hit on the 8-point is not on the bar."),
        (AROUND, Roll(1, 3), board(AROUND, (12, -1), (8, 2)), "M3", "hit_checker_missing", "The checker of White hit on the 8-point is not on the bar."),
        (START, Roll(3, 1), board(START, (12, 1), (14, -1)), "D2", "wrong_player_moved", "White's checkers were moved, but it is Black's turn."),
        (START, Roll(3, 1), board(START, (12, 1), bar=(0, 1)), "D2", "wrong_player_moved", "White's checkers were moved, but it is Black's turn."),
        # Own checkers counted
        (START, Roll(3, 1), board(START, (7, 1)), "M9", "checker_count", "Black has 1 checker too many on the board."),
        (START, Roll(3, 1), board(START, (13, -1), bar=(1, 0)), "M3", "checker_count", "Black has put a checker of his own on the bar."),
        # A play broken off
        (START, Roll(5, 2), board(START, (13, -1), (11, 1)), "M6", "one_die_unplayed", "Black played only the 2; the 5 could also be played: 13/8."),
        (START, Roll(6, 6), board(START, (13, -1), (7, 1)), "M6", "one_die_unplayed", "Black played 1 of the 4 6s that can be played: 24/18(2) 13/7(2)."),
        (DEAD, Roll(6, 2), board(DEAD, (8, -1), (2, 1)), "M6", "one_die_unplayed", "Black played only the 6; the 2 could also be played: 24/22."),
        (stand({10: 1, 7: 1}, {25 - 3: 2, 25 - 1: 2}), Roll(6, 1), board(stand({10: 1, 7: 1}, {25 - 3: 2, 25 - 1: 2}), (10, -1), (4, 1)),
         "M6", "one_die_unplayed", "Black played only the 6; the 1 could also be played: 7/6."),
        (stand({11: 1, 7: 1}, {25 - 6: 2, 25 - 4: 2, 25 - 10: 2, 25 - 3: 2}), Roll(5, 1), board(stand({11: 1, 7: 1}, {25 - 6: 2, 25 - 4: 2, 25 - 10: 2, 25 - 3: 2}), (7, -1), (2, 1)),
         "M6", "one_die_unplayed", "Black played only the 5; the 1 could also be played: 2/1."),
        (ONE, Roll(6, 3), board(ONE, (12, -1), (9, 1)), "M6", "higher_die", "Only one die can be played, and it must be the 6: 12/6."),
        (OWN, Roll(6, 1), board(OWN, (8, -1), (7, 1)), "M4", "left_on_bar", "Black moved with a checker still on the bar; it must enter first."),
        (stand({25: 2, 8: 1}, {1: 2}), Roll(4, 3), board(stand({25: 2, 8: 1}, {1: 2}), (21, 1), bar=(1, 0)),
         "M4", "left_on_bar", "Black still has a checker on the bar that can enter: bar/22 bar/21."),
        # A play of its own kind
        (START, Roll(3, 1), board(START, (8, -1), (9, 1)), "B3", "moved_backwards", "Black moved a checker backwards to the 9-point."),
        (START, Roll(6, 5), board(START, (13, -1), (3, 1), (6, -1), (5, 1)), "M1", "wrong_pips", "Black played 13/5 6/3, 11 pips; that is not a play of 6-5."),
        (TWICE, Roll(3, 1), board(TWICE, (20, -1), (14, 1)), "M1", "wrong_pips", "Black played 20/14, 6 pips; that is not a play of 3-1."),
        (START, Roll(3, 1), board(START, (8, -1), (6, 1)), "M1", "wrong_pips", "Black played 8/6, 2 pips; that is not a play of 3-1."),
        (START, Roll(5, 5), board(START, (24, -1), (14, 1)), "M1", "blocked", "Black played 24/14, but the points between are held by White."),
        (stand({20: 1, 6: 14}, {25 - 17: 2, 25 - 15: 2}), Roll(5, 3), board(stand({20: 1, 6: 14}, {25 - 17: 2, 25 - 15: 2}), (20, -1), (12, 1)),
         "M1", "blocked", "Black played 20/12, but the points between are held by White."),
        # Bearing off
        (stand({8: 1, 6: 2}, {1: 1}), Roll(6, 1), board(stand({8: 1, 6: 2}, {1: 1}), (6, -1)), "M8", "bore_off_early", "Black bore off a checker before all were home."),
        (HOME, Roll(5, 3), board(HOME, (2, -1), (5, -1)), "M8", "wrong_bear_off", "Black bore off from the 2-point with a higher point still occupied."),
        (LOW, Roll(6, 1), board(LOW, (4, -1)), "M8", "wrong_bear_off", "Black bore off from the 4-point with a higher point still occupied."),
        (HOME, Roll(4, 1), board(HOME, (5, -2)), "M1", "wrong_pips", "Black played 5/off(2), 10 pips; that is not a play of 4-1."),
        # A dance
        (stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2)), Roll(6, 1), board(stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2)), (6, -1), (5, 1)),
         "M4", "left_on_bar", "Black moved with a checker still on the bar; it must enter first."),
        (stand({7: 2}, {25 - 1: 2, 25 - 2: 2}), Roll(6, 5), board(stand({7: 2}, {25 - 1: 2, 25 - 2: 2}), (7, -1), (6, 1)),
         "M7", "no_play", "Black played 7/6, but 6-5 cannot be played at all."),
    ],
)  # fmt: skip
def test_every_reason_in_words(before: Position, roll: Roll, after: Board, clause: str, reason: str, sentence: str) -> None:
    verdict = why(before, roll, after)
    assert (verdict.clause, verdict.reason, verdict.sentence) == (clause, reason, sentence)
    # The other side, mirrored, hears the same with the names exchanged.
    turned = Board(tuple((b, a) for a, b in reversed(after.points)), (after.bar[1], after.bar[0]))
    other = judge(before.mirrored, B, roll, turned, ("White", "Black"))
    assert isinstance(other, Illegal) and (other.clause, other.reason, other.sentence) == (clause, reason, sentence)


def test_E1_fourteen_checkers_and_a_checker_on_a_held_point_are_judged_too() -> None:
    missing = why(START, Roll(3, 1), board(START, (8, -1), (5, 1), (6, -1)))
    assert (missing.clause, missing.reason) == ("M8", "bore_off_early")
    assert short(missing.nearest[0].moves) == "8/5 6/5"
    held = why(START, Roll(5, 1), Board(((0, 2), *START.board.points[1:18], (1, 5), *START.board.points[19:23], (1, 0))))
    assert len(held.nearest) == 3


def test_legal_plays_come_with_their_notation() -> None:
    verdict = judge(START, A, Roll(3, 1), board(START, (8, -1), (5, 2), (6, -1)))
    assert isinstance(verdict, Legal) and verdict.notation == "8/5 6/5"
    hit = judge(BLOTS, A, Roll(3, 1), board(BLOTS, (8, -1), (5, 2), (24, -1), (23, 1), bar=(0, 1)))
    assert isinstance(hit, Legal) and hit.notation == "24/23 8/5*"
    joined = judge(START, A, Roll(6, 6), board(START, (24, -2), (18, 2), (13, -2), (7, 2)))
    assert isinstance(joined, Legal) and joined.notation == "24/18(2) 13/7(2)"
    closed = stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2))
    dance = judge(closed, A, Roll(6, 1), closed)
    assert isinstance(dance, Legal) and dance.notation == "no play" and dance.play.dance


def test_E3_nearest_plays_are_those_with_the_least_to_carry() -> None:
    """The 2 of 5-2 was played 13/11 and nothing else: of the plays that need one checker more the shortest way comes first."""
    after = board(START, (13, -1), (11, 1))
    verdict = why(START, Roll(5, 2), after)
    assert [short(play.moves) for play in verdict.nearest] == ["13/11 13/8", "13/6", "13/11 8/3"]
    assert [len(shifts(after, play.result)) for play in verdict.nearest] == [1, 1, 1]
    dance = stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2))
    (back,) = nearest(board(dance, (6, -1), (5, 1)), legal_plays(dance, A, Roll(6, 1)))
    assert back.dance and back.result == dance


def test_E3_what_to_carry_from_where_to_where() -> None:
    assert shifts(START.board, START) == ()
    after = board(START, (13, -1), (10, 1), (12, 1), bar=(0, 1))
    assert shifts(after, START) == (Shift(A, 10, 13), Shift(B, 25, 13))
    assert shifts(board(START, (6, -1)), START) == (Shift(A, 0, 6),)
    assert shifts(board(START, (6, 1), (19, -1)), START) == (Shift(A, 6, 0), Shift(B, 6, 0))


def test_infer_takes_missing_checkers_as_borne_off() -> None:
    assert infer(START.board, 15) == START
    assert infer(board(START, (6, -1)), 15) == Position((*START.points[:5], 4, *START.points[6:]), (0, 0), (1, 0))
    assert infer(board(START, (6, 1)), 15) is None
    assert infer(Board(((1, 1), *START.board.points[1:])), 15) is None


@settings(max_examples=200, deadline=None)
@given(positions(), PLAYERS, ROLLS, boards())
def test_any_board_at_all_is_judged(before: Position, player: Player, roll: Roll, after: Board) -> None:
    verdict = judge(before, player, roll, after)
    result = infer(after, before.checkers)
    legal = legal_results(before, player, roll)
    if isinstance(verdict, Legal):
        assert result is not None and result in legal and verdict.play.result == result
        return
    assert result is None or result not in legal
    assert verdict.sentence.endswith(".") and "\n" not in verdict.sentence and verdict.clause[0] in "BDM"
    assert 1 <= len(verdict.nearest) <= 3 and all(play.result in legal for play in verdict.nearest)
    efforts = [len(shifts(after, play.result)) for play in verdict.nearest]
    assert efforts == sorted(efforts) and efforts[0] == min(len(shifts(after, one)) for one in legal)


@settings(max_examples=200, deadline=None)
@given(boards(), positions())
def test_carrying_the_checkers_makes_the_board_right(after: Board, target: Position) -> None:
    counts = {player: list(after.counts(player)) for player in Player}
    for shift in shifts(after, target):
        counts[shift.player][shift.start] -= 1
        counts[shift.player][shift.end] += 1
    for player in Player:
        assert counts[player][1:] == list(target.board.counts(player))[1:]
