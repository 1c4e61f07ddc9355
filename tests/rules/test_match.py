"""Game results and matches (clauses S1 to S7)."""

from collections.abc import Callable

import pytest

from rules.cube import Cube, Refused
from rules.match import Ending, GameResult, MatchState, Win, dropped, finished, game_result, points_for, resigned
from rules.position import START, Player, Position
from rules.ruleset import AutomaticDouble, RuleSet

A, B = Player.A, Player.B
TURNED = Cube(2, A, None, True)
JACOBY = RuleSet(jacoby=True, automatic_doubles=1)
TIMES = {"single": 1, "gammon": 2, "backgammon": 3}


def lost_by_b(**places: int) -> Position:
    """A has borne off all; B's 15 on his own points (25 the bar, 0 off)."""
    counts = [0] * 26
    for place, n in places.items():
        counts[int(place[1:])] = n
    return Position.from_counts([15] + [0] * 25, counts)


@pytest.mark.parametrize(
    ("position", "win"),
    [
        (lost_by_b(p0=1, p6=14), Win.SINGLE),
        (lost_by_b(p0=1, p25=14), Win.SINGLE),
        (lost_by_b(p6=15), Win.GAMMON),
        (lost_by_b(p18=15), Win.GAMMON),
        (lost_by_b(p6=14, p19=1), Win.BACKGAMMON),
        (lost_by_b(p6=14, p24=1), Win.BACKGAMMON),
        (lost_by_b(p6=14, p25=1), Win.BACKGAMMON),
    ],
)
def test_S1_game_result(position: Position, win: Win) -> None:
    assert game_result(position, A) is win
    assert game_result(position.mirrored, B) is win
    points = 2 * TIMES[str(win)]
    assert finished(position, TURNED) == GameResult(A, points, win)
    assert finished(position.mirrored, TURNED) == GameResult(B, points, win)


def test_S1_unfinished_and_options() -> None:
    assert finished(START, Cube()) is None
    assert points_for(Win.BACKGAMMON, TURNED, RuleSet(backgammon_points=2)) == 4
    assert points_for(Win.GAMMON, TURNED, RuleSet(backgammon_points=2)) == 4
    with pytest.raises(ValueError, match="1 point or more"):
        GameResult(A, 0)


def test_S1_nobody_has_borne_off_what_the_set_lacked() -> None:
    """Unless it is said, it lacked nothing: one checker off saves the gammon, of either side."""
    for lost, won in ((lost_by_b(p0=1, p6=14), A), (lost_by_b(p0=1, p6=14).mirrored, B)):
        missing = (1, 0) if won is B else (0, 1)
        for one in (finished(lost, TURNED), MatchState(5).played_out(lost, TURNED)):
            assert one == GameResult(won, 2, Win.SINGLE)
        for one in (finished(lost, TURNED, missing=missing), MatchState(5).played_out(lost, TURNED, missing)):
            assert one == GameResult(won, 4, Win.GAMMON)
        assert game_result(lost, won) is Win.SINGLE and game_result(lost, won, missing) is Win.GAMMON


def test_S5_S7_a_gammon_counts_by_jacoby_only_where_it_is_money() -> None:
    lost = lost_by_b(p6=15)
    assert finished(lost, Cube(), JACOBY) == GameResult(A, 2, Win.GAMMON)
    assert finished(lost, Cube(), JACOBY, money=True) == GameResult(A, 1, Win.GAMMON)
    assert points_for(Win.GAMMON, Cube(), JACOBY) == 2 and points_for(Win.GAMMON, Cube(), JACOBY, money=True) == 1
    assert resigned(Cube(), B, Win.GAMMON, JACOBY).points == 2 and resigned(Cube(), B, Win.GAMMON, JACOBY, money=True).points == 1


def test_S1_dropped_and_resigned() -> None:
    assert dropped(TURNED.offer(A), B) == GameResult(A, 2, Win.SINGLE, Ending.DROPPED)
    assert resigned(TURNED, B, Win.BACKGAMMON) == GameResult(A, 6, Win.BACKGAMMON, Ending.RESIGNED)
    assert MatchState(0, JACOBY).resigned(Cube(), A, Win.GAMMON) == GameResult(B, 1, Win.GAMMON, Ending.RESIGNED)


def test_S2_first_to_reach_or_pass() -> None:
    match = MatchState(3)
    assert (match.score, match.winner, match.games_played, match.note) == ((0, 0), None, 0, "")
    match = match.after(GameResult(B, 2)).after(GameResult(A, 1))
    assert (match.score, match.winner) == ((1, 2), None)
    won = match.after(GameResult(A, 4))
    assert (won.score, won.winner, won.games_played) == ((5, 2), A, 3)
    assert match.after(GameResult(B, 1)).winner is B
    changes: list[Callable[[], object]] = [lambda: won.after(GameResult(A, 1)), lambda: won.may_double(A, Cube())]
    for change in changes:
        with pytest.raises(Refused, match="S2"):
            change()


def test_S2_lengths() -> None:
    assert "odd" in MatchState(4).note
    assert MatchState(0).note == MatchState(1).note == ""
    with pytest.raises(ValueError, match="not -1"):
        MatchState(-1)
    with pytest.raises(ValueError, match="score"):
        MatchState(3, start_score=(0, -1))


def crawford_games(match: MatchState, *results: GameResult) -> list[bool]:
    flags = [match.crawford]
    for result in results:
        match = match.after(result)
        flags.append(match.crawford)
    return flags


def test_S3_crawford_once() -> None:
    a1, b1, b2 = GameResult(A, 1), GameResult(B, 1), GameResult(B, 2)
    assert crawford_games(MatchState(3), a1, a1, b1, b1) == [False, False, True, False, False]
    assert crawford_games(MatchState(3), b2, a1) == [False, True, False]
    assert crawford_games(MatchState(2), a1, b1) == [False, True, False]
    assert crawford_games(MatchState(1)) == [False]
    assert crawford_games(MatchState(5), GameResult(A, 3), GameResult(A, 2)) == [False, False, False]
    assert crawford_games(MatchState(3, RuleSet(crawford=False)), b2) == [False, False]
    assert crawford_games(MatchState(0), a1, b2) == [False, False, False]


def test_S3_post_crawford_doubling_is_free() -> None:
    match = MatchState(3).after(GameResult(A, 2))
    assert match.crawford and not match.post_crawford
    with pytest.raises(Refused, match="Crawford"):
        match.double(Cube(), B)
    match = match.after(GameResult(B, 1))
    assert match.post_crawford and not match.crawford
    assert match.double(Cube(), B).offered_by is B
    with pytest.raises(Refused, match="C4"):
        match.double(Cube(), A)


def test_S3_match_taken_up_midway() -> None:
    assert MatchState(5, start_score=(4, 2)).crawford
    later = MatchState(5, start_score=(4, 2), crawford_over=True)
    assert later.post_crawford and not later.crawford
    assert later.after(GameResult(B, 1)).post_crawford and later.after(GameResult(B, 1)).score == (4, 3)


def test_S4_holland() -> None:
    match = MatchState(3, RuleSet(holland=True)).after(GameResult(A, 2)).after(GameResult(B, 1))
    for rolls in ((0, 0), (1, 2), (2, 1)):
        with pytest.raises(Refused) as refused:
            match.double(Cube(), B, rolls=rolls)
        assert refused.value.clause == "S4"
    assert match.double(Cube(), B, rolls=(2, 2)).offered_by is B
    assert MatchState(3, RuleSet(holland=True)).double(Cube(), B, rolls=(0, 0)).offered_by is B
    assert MatchState(3).after(GameResult(A, 2)).after(GameResult(B, 1)).double(Cube(), B, rolls=(0, 0)).offered_by is B


def test_S5_jacoby() -> None:
    gammon = lost_by_b(p6=15)
    money = MatchState(0, JACOBY)
    assert money.jacoby
    assert money.played_out(gammon, Cube()) == GameResult(A, 1, Win.GAMMON)
    assert money.played_out(gammon, TURNED) == GameResult(A, 4, Win.GAMMON)
    automatic = Cube(2)
    assert money.played_out(gammon, automatic) == GameResult(A, 2, Win.GAMMON)
    yes = RuleSet(jacoby=True, automatic_double_turns_cube=AutomaticDouble.YES)
    assert points_for(Win.GAMMON, automatic, yes, money=True) == 4
    assert points_for(Win.GAMMON, Cube(), yes, money=True) == 1
    assert points_for(Win.GAMMON, Cube(), money=True) == 2


def test_S6_automatic_doubles() -> None:
    money = MatchState(0, JACOBY)
    once = money.automatic(Cube(), 0)
    assert once == Cube(2) and not once.turned
    assert money.automatic(once, 1) == once
    assert Cube(2, A).automatic(3, 0) == Cube(2, A)


def test_S7_off_in_matches() -> None:
    match = MatchState(7, JACOBY)
    assert not match.jacoby and match.automatic_doubles == 0
    assert match.automatic(Cube(), 0) == Cube()
    assert match.played_out(lost_by_b(p6=15), Cube()) == GameResult(A, 2, Win.GAMMON)


def test_S7_money_play_has_no_crawford_or_dead_cube() -> None:
    money = MatchState(0).after(GameResult(A, 40))
    assert money.winner is None and not money.post_crawford and not MatchState(7).money
    assert money.double(Cube(64, A), A).stake == 128
    with pytest.raises(Refused, match="thrown"):
        money.double(Cube(), A, rolled=True)
