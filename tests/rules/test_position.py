"""What a position, a board and a roll will be made of, and what each says when it will not (B1, B2, M10)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from some_positions import PLAYERS, ROLLS, positions, stand

from rules.check import Finding
from rules.chouette import BoxStays, ChouetteRules, Consultation
from rules.cube import Cube
from rules.formats.ids import GameState, MatchId, Xgid
from rules.formats.snowie import SnowiePosition
from rules.match import Ending, GameResult, MatchState, Win
from rules.notation import NotationError, apply_hops, hit_points, parse_hops, parse_play
from rules.plays import Move, Roll, is_shut_out, legal_plays, legal_results
from rules.position import START, Board, Player, Position, PositionError, Status, position_status
from rules.record import Beaver, Double, GameRecord, IllegalTurn, MatchRecord
from rules.ruleset import DEFAULT, preset

A, B = Player.A, Player.B
POINTS = START.points
EMPTY = (0,) * 24


@pytest.mark.parametrize(
    ("points", "bar", "off", "checkers", "status"),
    [
        (POINTS, (0, 0), (0, 0), 15, Status.VALID),
        (POINTS[:23], (0, 0), (0, 0), 15, Status.POINT_COUNT),
        (POINTS, (0,), (0, 0), 15, Status.POINT_COUNT),
        (POINTS, (0, 0), (0, 0, 0), 15, Status.POINT_COUNT),
        (POINTS, (1, 0), (-1, 0), 15, Status.NEGATIVE),
        (POINTS, (0, -1), (0, 1), 15, Status.NEGATIVE),
        (POINTS, (1, 0), (0, 0), 15, Status.TOO_MANY_A),
        (POINTS, (0, 0), (0, 1), 15, Status.TOO_MANY_B),
        (POINTS, (0, 1), (1, 0), 15, Status.TOO_MANY_A | Status.TOO_MANY_B),
        (EMPTY, (14, 0), (0, 14), 15, Status.TOO_FEW_A | Status.TOO_FEW_B),
        (EMPTY, (14, 1), (0, 14), 15, Status.TOO_FEW_A),
        (EMPTY, (0, 0), (15, 15), 15, Status.BOTH_OFF),
        (EMPTY, (0, 1), (15, 14), 15, Status.VALID),
        (EMPTY, (0, 1), (1, 0), 1, Status.VALID),
        (EMPTY, (0, 0), (0, 0), 0, Status.BAD_CHECKERS | Status.BOTH_OFF),
        (EMPTY, (16, 16), (0, 0), 16, Status.BAD_CHECKERS),
    ],
)
def test_B1_B2_everything_wrong_with_the_numbers_is_named(
    points: tuple[int, ...], bar: tuple[int, int], off: tuple[int, int], checkers: int, status: Status
) -> None:
    assert position_status(points, bar, off, checkers) == status
    if status is Status.VALID:
        assert Position(points, bar, off, checkers).to_28() == (*points, *bar, *off)
        return
    with pytest.raises(PositionError) as error:
        Position(points, bar, off, checkers)
    assert error.value.status == status and len(str(error.value).split("; ")) == len([flag for flag in Status if flag & status])


@pytest.mark.parametrize(
    ("points", "bar", "status"),
    [
        (START.board.points[:23], (0, 0), Status.POINT_COUNT),
        (((1,), *START.board.points[1:]), (0, 0), Status.POINT_COUNT),
        (START.board.points, (0, 0, 0), Status.POINT_COUNT),
        (START.board.points, (-1, 0), Status.NEGATIVE),
        (((0, -1), *START.board.points[1:]), (0, 0), Status.NEGATIVE),
    ],
)
def test_B1_a_board_has_24_points_and_no_fewer_than_none_on_any(
    points: tuple[tuple[int, int], ...], bar: tuple[int, int], status: Status
) -> None:
    with pytest.raises(PositionError) as error:
        Board(points, bar)
    assert error.value.status is status


def test_B1_counts_are_refused_that_are_no_whole_position() -> None:
    a, b = START.counts(A), START.counts(B)
    assert Position.from_counts(a, b) == START and Position.from_28(START.to_28()) == START
    for wrong, status in (((a[:25], b), Status.POINT_COUNT), ((a, (*b, 0)), Status.POINT_COUNT), ((a, b[:25]), Status.POINT_COUNT)):
        with pytest.raises(PositionError) as error:
            Position.from_counts(*wrong)
        assert error.value.status is status
    with pytest.raises(PositionError, match="24 points"):
        Position.from_28(START.to_28()[:27])
    # both on one point, whichever it is, the first and the last among them
    for point in (1, 12, 24):
        own, theirs = [14, *[0] * 25], [14, *[0] * 25]
        own[point] = theirs[25 - point] = 1
        with pytest.raises(PositionError) as error:
            Position.from_counts(own, theirs)
        assert error.value.status is Status.TOO_MANY_B


def test_B3_contact_is_over_when_the_last_two_have_passed() -> None:
    assert START.contact
    assert not stand({6: 1}, {18: 1}).contact  # B's is on A's 7-point, already past
    assert stand({8: 1}, {18: 1}).contact and stand({25: 1}, {1: 1}).contact
    assert stand({1: 1}, {25: 1}).contact and not stand({1: 1}, {20: 1}).contact
    assert not stand({}, {24: 1}).contact and not stand({24: 1}, {}).contact


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0), (7, 1), (1, 7)])
def test_D2_a_die_shows_1_to_6(first: int, second: int) -> None:
    with pytest.raises(ValueError, match=f"a die shows 1 to 6, not {first} and {second}"):
        Roll(first, second)


@pytest.mark.parametrize("text", ["", "3", "3--1", "311", "3 .1", "abc"])
def test_D2_a_roll_is_written_as_two_dice(text: str) -> None:
    with pytest.raises(ValueError, match="a roll is two dice such as 31, not"):
        Roll.parse(text)
    assert [Roll.parse(right) for right in ("31", "3-1", " 3 1 ")] == [Roll(3, 1)] * 3


@settings(max_examples=100, deadline=None)
@given(positions(), PLAYERS, ROLLS)
def test_M10_when_the_game_is_over_nobody_has_a_play(position: Position, player: Player, roll: Roll) -> None:
    """Nor can what is written of one make a position in which both have borne off everything."""
    own = position.counts(player)
    last = [0] * 26
    last[max((p for p in range(1, 25) if own[p]), default=1)] = 1
    last[0] = 14
    gone = [15, *[0] * 25]
    over = Position.from_counts(last, gone) if player is A else Position.from_counts(gone, last)
    assert len(legal_plays(over, player, roll)) == len(legal_plays(over, player.other, roll)) == 0
    assert legal_results(over, player, roll) == {over} and legal_plays(over, player, roll).dice_played == 0
    start = last.index(1)
    assert apply_hops(parse_hops(f"{start}/off"), over, player) is None
    moved = apply_hops(parse_hops(f"{start}/25"), over, player)
    assert moved is not None and moved.bar[player.side] == 1


def test_M2_no_written_play_puts_both_on_one_point() -> None:
    """On the first and on the last point too."""
    for point in (1, 24):
        held = stand({12: 1}, {25 - point: 2})
        assert apply_hops(parse_hops(f"12/{point}"), held, A) is None
        blot = apply_hops(parse_hops(f"12/{point}"), stand({12: 1}, {25 - point: 1}), A)
        assert blot is not None and blot.bar == (0, 1) and blot.at(A, point) == 1


@pytest.mark.parametrize("point", [1, 12, 24])
def test_M3_a_blot_is_hit_whether_or_not_the_hitter_stays(point: int) -> None:
    before = stand({25: 1, 13: 2}, {25 - point: 1})
    for stays in ({point: 1}, {}):
        after = stand({13: 2} | stays, {25: 1})
        assert hit_points(before, after, A) == {point} and hit_points(before.mirrored, after.mirrored, B) == {point}
    assert hit_points(before, stand({13: 3}, {25 - point: 1}), A) == frozenset()
    # a blot that stays where it is was not hit when another one was
    two = stand({25: 1}, {25 - point: 1, 7: 1})
    assert hit_points(two, stand({18: 1}, {25 - point: 1, 25: 1}), A) == {18}


@pytest.mark.parametrize("point", [24, 23, 20, 19])
def test_M3_a_point_on_the_way_that_is_written_was_landed_on(point: int) -> None:
    """Two ways lead there, one past a blot: it is hit when its point is named, else the play is the one with fewer hits."""
    first = 25 - point
    second = 5 if first == 4 else 4 if first != 2 else 3
    before = stand({25: 1}, {first: 1})
    end = 25 - first - second
    roll = Roll(first, second)
    assert parse_play(f"bar/{point}/{end}", before, A, roll).result.bar == (0, 1)
    assert parse_play(f"bar/{end}", before, A, roll).result.bar == (0, 0)


@pytest.mark.parametrize("gap", range(1, 7))
def test_M5_one_open_point_is_enough_to_roll_on(gap: int) -> None:
    closed = dict.fromkeys(range(1, 7), 2)
    assert is_shut_out(stand({25: 1}, closed), A) and is_shut_out(stand({25: 1}, closed).mirrored, B)
    assert not is_shut_out(stand({24 - 12: 1}, closed), A)
    for men in ({gap: 1}, {}):
        held = {point: 2 for point in closed if point != gap}
        assert not is_shut_out(stand({25: 1}, held | men), A)


@pytest.mark.parametrize("text", ["26/20", "13/26", "99/1"])
def test_B1_there_is_no_point_beyond_the_bar(text: str) -> None:
    with pytest.raises(NotationError, match=r"there is no \d+-point, in"):
        parse_hops(text)
    assert parse_hops("25/20")[0].points == (25, 20)
    assert parse_hops("BAR/20* 6/Off") == parse_hops("bar/20* 6/off")


def test_M3_the_points_with_a_star_are_known() -> None:
    hops = parse_hops("13/7*/5 8/5* 6/4 4/off(2) 6/3(2)*")
    assert [sorted(hop.hits) for hop in hops] == [[7], [5], [], [], [3]] and [hop.times for hop in hops] == [1, 1, 1, 2, 2]


def test_what_is_not_said_stands_for_the_usual() -> None:
    """A cube in the middle, money, nobody's score, the standard setup: what every reader and writer leaves out."""
    assert Cube() == Cube(1, None, None, False, None)
    assert Board(START.board.points) == Board(START.board.points, (0, 0))
    assert Position(POINTS) == Position(POINTS, (0, 0), (0, 0), 15)
    assert Move(6, 5) == Move(6, 5, False)
    assert MatchId(A) == MatchId(A, None, 1, None, (0, 0), 0, False, False, None, GameState.PLAYING, 0, False)
    assert Xgid(START, A) == Xgid(START, A, None, 1, None, "", (0, 0), 0, False, False, False, 10)
    assert SnowiePosition(START, A) == SnowiePosition(START, A, ("A", "B"), None, 1, None, (0, 0), 0, False, False)
    assert GameResult(A, 1) == GameResult(A, 1, Win.SINGLE, Ending.PLAYED)
    assert MatchState(5) == MatchState(5, DEFAULT, (), (0, 0), False)
    assert (Double(A), Beaver(A)) == (Double(A, 0), Beaver(A, 0))
    assert IllegalTurn(A, Roll(3, 1), None) == IllegalTurn(A, Roll(3, 1), None, True, "")
    assert GameRecord((0, 0), ()) == GameRecord((0, 0), (), None, START, Cube(), 0, (0, 0), None, None)
    assert MatchRecord(("a", "b"), 7, ()) == MatchRecord(("a", "b"), 7, (), (), DEFAULT, ())
    assert Finding(1, 0, "S2", "x") == Finding(1, 0, "S2", "x", None, None, None, ())
    money = preset("money without extras")
    assert ChouetteRules() == ChouetteRules(money, True, Consultation.ALWAYS, Fraction(0), False, BoxStays.BEATS_CAPTAIN, True)
    assert [int(state) for state in GameState] == [0, 1, 2, 3, 4]  # as gnubg numbers them in a Match ID


def test_what_is_worked_out_is_not_written_down_with_a_match() -> None:
    assert repr(MatchState(5)) == f"MatchState(length=5, ruleset={DEFAULT!r}, games=(), start_score=(0, 0), crawford_over=False)"
