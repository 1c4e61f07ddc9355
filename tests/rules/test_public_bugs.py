"""Faults that others reported in public, each a test by its id in the shared public_bug_cases.json.

The table below says for each what we do about it; cases that carry a position are also checked against its results.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from some_positions import stand, written
from test_mat import FIRST, HEAD

from rules.cube import Cube
from rules.formats.ids import parse_position_id, parse_xgid
from rules.formats.mat import (
    Double,
    GameRecord,
    IllegalTurn,
    MatchRecord,
    PlayTurn,
    read_mat,
    write_mat,
)  # fmt: skip
from rules.judge import Illegal, Legal, judge
from rules.match import Ending, GameResult, MatchState, Win, finished
from rules.notation import apply_hops, parse_hops, parse_play, short
from rules.plays import Roll, legal_plays, legal_results, winner
from rules.position import START, Player, Position

A, B = Player.A, Player.B
FILE = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "rules/public_bug_cases.json"
needs_file = pytest.mark.skipif(not FILE.is_file(), reason="the shared cases are not here")
SIDE = {"W": A, "B": B}


def wildbg_29_both_dice() -> None:
    position = Position.from_28([0, 0, 0, -2, 0, 13, 0, 1, 0, 0, 0, 0, 0, 0, 0, -2, 0, -3, -4, -4, 0, 0, 0, 1, 0, 0, 0, 0])
    assert written(legal_plays(position, A, Roll(6, 2))) == {"24/22 8/2"}


def bsdgames_11_from_the_bar() -> None:
    position = Position.from_28([-2, 3, 2, 0, 2, 3, -1, 0, 0, 0, 0, -3, 0, 0, 0, 0, -3, 0, -6, 0, 0, 1, 0, 3, 1, 0, 0, 0])
    assert written(legal_plays(position, A, Roll(3, 5))) == {"bar/20 24/21", "bar/20 6/3", "bar/20 5/2"}
    literally = apply_hops(parse_hops("bar/22"), position, A)
    assert literally is not None and isinstance(judge(position, A, Roll(3, 5), literally), Illegal)


def open_spiel_514_three_aces() -> None:
    position = stand({1: 3}, {25 - 6: 1, 25 - 9: 2})
    (play,) = legal_plays(position, A, Roll(1, 1)).values()
    assert len(play.moves) == 3 and winner(play.result) is A


def t_games_193_mirror() -> None:
    position = stand({3: 1, 1: 1}, {2: 1})
    mine = legal_plays(position, A, Roll(6, 5))
    assert {p.mirrored for p in mine} == set(legal_plays(position.mirrored, B, Roll(6, 5))) and len(mine) == 1


def td_gammon_3_a_hop_of_equal_dice() -> None:
    position = Position.from_28([-2, 1, 0, 0, -2, 6, 0, 3, 0, -1, 0, -2, 2, 0, 0, 0, -3, -1, -4, 0, 0, 2, 0, 0, 1, 0, 0, 0])
    plays = legal_plays(position, A, Roll(5, 5))
    assert len(plays) == 8 and plays.dice_played == 4
    assert short(parse_play("bar/15 8/3(2)", position, A, Roll(5, 5)).moves) == "bar/15 8/3(2)"


def backgammon_js_1_no_phantom_on_the_bar() -> None:
    hit = parse_play("13/11* 6/5", stand({13: 5, 6: 5, 8: 5}, {25 - 11: 1, 1: 5}), A, Roll(2, 1))
    assert hit.result.bar == (0, 1) and hit.result.off == (0, 9) and sum(hit.result.counts(B)) == 15


def kristian_ekman_6_gammons_paid() -> None:
    for left, times in (({6: 14}, 1), ({6: 15}, 2), ({24: 1, 6: 14}, 3), ({25: 1, 6: 14}, 3)):
        result = finished(stand({}, left), Cube(2, A, turned=True))
        assert result is not None and result.points == 2 * times


def libgnubg_android_2_the_level_is_kept_as_agreed() -> None:
    for level in Win:
        assert MatchState(7).resigned(Cube(), A, level) == GameResult(B, level.times(), level, Ending.RESIGNED)


def gnubg_android_14_colours_and_numbering() -> None:
    position = parse_xgid("XGID=-aa---EBB---dDa--c-e----B-:0:0:1:31:0:0:0:0:10").position
    assert {p: n for p, n in enumerate(position.counts(A)) if n} == {6: 5, 7: 2, 8: 2, 13: 4, 24: 2}
    assert {25 - p: n for p, n in enumerate(position.counts(B)) if n} == {1: 1, 2: 1, 12: 4, 14: 1, 17: 3, 19: 5}
    theirs = parse_xgid("XGID=-aa---EBB---dDa--c-e----B-:0:0:-1:31:0:0:0:0:10")
    assert theirs.position == position and theirs.turn is B


def anki_gammon_48_owned_cube() -> None:
    xgid = parse_xgid("XGID=--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8")
    assert (xgid.cube, xgid.owner, xgid.turn, xgid.roll, xgid.length) == (2, A, A, Roll(2, 1), 0)


def pgx_207_two_dances_running() -> None:
    closed = dict.fromkeys(range(1, 7), 2)
    shut = stand({25: 1, **closed}, {25: 1, **closed})
    for player in Player:
        verdict = judge(shut, player, Roll(6, 5), shut)
        assert isinstance(verdict, Legal) and verdict.play.dance


def evals_573_a_held_point() -> None:
    position = parse_position_id("HC/wATDg8+AxAA", A)
    plays = legal_plays(position, A, Roll(5, 1))
    assert len(plays) == 11 and not any("13/12" in one for one in written(plays))


def kaggle_1190_stars_are_optional() -> None:
    position = stand({13: 2}, {25 - 11: 1})
    for text in ("13/11*/10", "13/11/10", "13/11 11/10", "13/11*, 11/10", "13-11-10"):
        assert short(parse_play(text, position, A, Roll(2, 1)).moves) == "13/11*/10", text
    shut = stand({25: 1}, dict.fromkeys(range(1, 7), 2))
    for text in ("", "no play", "Cannot Move", "dance", "pass", "(no move)", "-"):
        assert parse_play(text, shut, A, Roll(2, 1)).dance, text


REAL = [("65", "14/8 15/10 6/8"), ("33", "13/3 7/4"), ("61", "12/4"), ("62", "13/6"), ("61", "16/14 13/7")]


def gammonview_real_illegal_plays_keep_their_board() -> None:
    position = stand({16: 1, 15: 1, 14: 1, 13: 3, 12: 1, 7: 1, 6: 3}, {1: 2})
    for dice, text in REAL:
        result = apply_hops(parse_hops(text), position, A)
        assert result is not None and isinstance(judge(position, A, Roll.parse(dice), result), Illegal), text
    rows = "  1) 61: 24/16                    63: 24/18 13/10 \n"
    turn = read_mat(HEAD + rows).games[0].turns[0]
    assert isinstance(turn, IllegalTurn) and isinstance(turn.result, Position)
    assert turn.result.at(A, 16) == 1 and turn.result.at(A, 24) == 1


def savannah_35179_crawford_follows_from_the_score() -> None:
    match = MatchState(7, start_score=(6, 3))
    assert match.crawford and MatchState(7, start_score=(6, 3)).crawford
    assert not match.after(GameResult(B, 1)).crawford and match.crawford


def gnubg_importers() -> None:
    post = MatchState(5).after(GameResult(A, 4)).after(GameResult(B, 1))
    assert not post.crawford and post.double(Cube(), B).offered_by is B
    resigned = read_mat(HEAD + FIRST + "  2) 32: ????                    Wins 2 points\n").games[0].result
    assert resigned == GameResult(B, 2, Win.GAMMON, Ending.RESIGNED)
    doubled = read_mat(HEAD + FIRST + "  2)  Doubles => 2                Takes\n  3) 31: 8/5 6/5\n").games[0].turns
    assert doubled[2] == Double(A, 2)


def results_have_a_column_of_their_own() -> None:
    for player, column in ((A, 6), (B, 34)):
        record = MatchRecord(("a", "b"), 7, [GameRecord((0, 0), (PlayTurn(A, Roll(3, 1), "8/5 6/5"),), GameResult(player, 1, Win.SINGLE, Ending.RESIGNED))])
        last = write_mat(record).splitlines()[-1]
        assert last.index("Wins") == column and last.strip() == "Wins 1 point"


def moves_are_whole_past_the_first_bear_off() -> None:
    position = stand({2: 1, 3: 3}, {1: 1})
    assert {len(play.moves) for play in legal_plays(position, A, Roll(2, 2)).values()} == {4}
    assert written(legal_plays(position, A, Roll(2, 2))) == {"3/1(3) 2/off"}


def a_dance_has_no_plays() -> None:
    shut = stand({25: 1}, dict.fromkeys(range(1, 7), 2))
    assert len(legal_plays(shut, A, Roll(6, 5))) == 0 and legal_results(shut, A, Roll(6, 5)) == {shut}


def no_result_is_dropped_as_redundant() -> None:
    """Two ways to one position are one result; two positions are never one."""
    plays = legal_plays(START, A, Roll(6, 5))
    assert len(plays) == 7 and len({play.result for play in plays.values()}) == 7


def magmacrunch_higher_die() -> None:
    position = Position.from_28([5, -1, -2, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, -1, 0, 0, 0, -7, 0, 0, 9, 0])
    assert written(legal_plays(position, A, Roll(3, 6))) == {"12/6"}


CASES: dict[str, Callable[[], None]] = {
    "I01": wildbg_29_both_dice,
    "I02": bsdgames_11_from_the_bar,
    "I03": open_spiel_514_three_aces,
    "I06": t_games_193_mirror,
    "I09": td_gammon_3_a_hop_of_equal_dice,
    "I10": backgammon_js_1_no_phantom_on_the_bar,
    "I11": kristian_ekman_6_gammons_paid,
    "I13": libgnubg_android_2_the_level_is_kept_as_agreed,
    "I14": gnubg_android_14_colours_and_numbering,
    "I15": anki_gammon_48_owned_cube,
    "I17": pgx_207_two_dances_running,
    "I18": evals_573_a_held_point,
    "I19": kaggle_1190_stars_are_optional,
    "I21": gammonview_real_illegal_plays_keep_their_board,
    "I22": savannah_35179_crawford_follows_from_the_score,
    "I23": gnubg_importers,
    "L02": results_have_a_column_of_their_own,
    "L03": moves_are_whole_past_the_first_bear_off,
    "L04": a_dance_has_no_plays,
    "L07": no_result_is_dropped_as_redundant,
    "L08": magmacrunch_higher_die,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_public_bug(case: Callable[[], None]) -> None:
    case()


@needs_file
def test_every_case_is_here_and_its_results_are_ours() -> None:
    rows = json.loads(FILE.read_text())
    assert {row["id"] for row in rows} == set(CASES)
    placed = [row for row in rows if "pos" in row]
    assert len(placed) == 6
    for row in placed:
        plays = legal_plays(Position.from_28(row["pos"]), SIDE[row["turn"]], Roll(*row["dice"]))
        assert sorted(list(p.to_28()) for p in plays) == row["results"], row["id"]
