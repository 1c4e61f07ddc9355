"""Agreement with the shared positions (clauses M1 to M10, D3, B2, B4)."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.cube import Cube, Refused
from rules.dice import Die, ValidRoll, VoidRoll, judge_roll, opening_winner, premature
from rules.judge import Illegal, Legal, judge
from rules.match import GameResult, MatchState, Win, game_result
from rules.plays import Roll, is_shut_out, legal_plays
from rules.position import START, Player, Position, setup_differences
from rules.ruleset import RuleSet

SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "rules"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared positions are not here")
SIDE = {"W": Player.A, "B": Player.B}


def rows(name: str) -> Iterator[dict]:
    path = SHARED / name
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


@needs_shared
@pytest.mark.parametrize("name", ["perft_sample.jsonl.gz", "named_cases.jsonl"])
def test_M1_to_M9_every_result(name: str) -> None:
    for row in rows(name):
        before, player, roll = Position.from_28(row["pos"]), SIDE[row["turn"]], Roll(*row["dice"])
        plays = legal_plays(before, player, roll)
        assert sorted(list(p.to_28()) for p in plays) == row["results"], row
        assert plays.dice_played == row["dice_played"]
        # B4: the other side, mirrored, has the mirrored results
        assert {p.mirrored for p in plays} == set(legal_plays(before.mirrored, player.other, roll))


@needs_shared
def test_M7_no_real_play_is_called_illegal() -> None:
    for row in rows("real_plays.jsonl.gz"):
        after = Position.from_28(row["played"])
        verdict = judge(Position.from_28(row["pos"]), SIDE[row["turn"]], Roll(*row["dice"]), after.board)
        assert isinstance(verdict, Legal), (row, verdict)


def test_M6_one_die_unplayed() -> None:
    after = Position.from_28([*START.points[:3], 0, *START.points[4:10], 1, START.points[11], 4, *START.points[13:], 0, 0, 0, 0])
    verdict = judge(START, Player.A, Roll(5, 2), after, names=("Black", "White"))
    assert isinstance(verdict, Illegal) and (verdict.clause, verdict.reason) == ("M6", "one_die_unplayed")
    assert verdict.sentence == "Black played only the 2; the 5 could also be played: 13/8."


def test_B5_setup() -> None:
    assert setup_differences(START.board) == []
    assert len(setup_differences(Position.from_28([*START.points[:23], 1, 1, 0, 0, 0]).board)) == 2


def test_D1_opening() -> None:
    assert opening_winner(3, 3) is None and opening_winner(2, 5) is Player.B and opening_winner(5, 2) is Player.A


R, L = Die(3, "right"), Die(1, "left")


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        ([R, L], "split"),
        ([L, L], "wrong_half"),
        ([R], "one_die"),
        ([R, Die(2, "right", "cocked")], "cocked"),
        ([R, Die(2, "right", "stacked")], "cocked"),
        ([R, Die(2, "left", "on_checker")], "on_checker"),
        ([Die(2, "left", "on_checker"), Die(1, "off")], "on_checker"),
        *[([R, Die(2, place, "cocked")], "off_board") for place in ("bar", "rail", "off")],
    ],
)
def test_D4_void_rolls(dice: list[Die], reason: str) -> None:
    verdict = judge_roll(dice, Player.A)
    assert isinstance(verdict, VoidRoll) and (verdict.reason, verdict.clause) == (reason, "D4")


def test_D4_valid_and_unsure_rolls() -> None:
    assert judge_roll([R, R], Player.A) == ValidRoll(Roll(3, 3))
    assert judge_roll([L, L], Player.B, roller_half="left") == ValidRoll(Roll(1, 1))
    for dice in ([], [R, R, R], [R, Die(None, "right")]):
        assert hasattr(judge_roll(dice, Player.A), "question")


def test_D6_premature() -> None:
    verdict = premature(START, Player.A, Roll(3, 1))
    assert isinstance(verdict, VoidRoll) and verdict.clause == "D6"
    race = Position.from_28([5, 5, 5, *[0] * 18, -5, -5, -5, 0, 0, 0, 0])
    closed = Position.from_28([0] * 18 + [-2] * 6 + [1, 0, 14, 3])
    assert premature(race, Player.A, Roll(2, 1)) is None and premature(closed, Player.A, Roll(6, 5)) is None


def test_D7_options() -> None:
    assert judge_roll([L, L], Player.A, RuleSet(either_half=True)) == ValidRoll(Roll(1, 1))
    assert judge_roll([R, L], Player.A, RuleSet(either_half=True, split_stands=True)) == ValidRoll(Roll(3, 1))
    assert judge_roll([R, Die(2, "right", "on_checker")], Player.A, RuleSet(on_checker_stands=True)) == ValidRoll(Roll(3, 2))
    assert premature(START, Player.A, Roll(3, 1), RuleSet(premature_stands=True)) is None


def test_C2_C3_cube() -> None:
    cube = Cube().offer(Player.A)
    assert cube.drop(Player.B) == 1 and cube.take(Player.B) == Cube(2, Player.B, None, True)
    with pytest.raises(Refused, match="C2"):
        cube.take(Player.B).offer(Player.A)


def test_S1_S3_match() -> None:
    bar = Position.from_28([0] * 23 + [-14, 0, 1, 15, 0])
    assert game_result(bar, Player.A) is Win.BACKGAMMON
    state = MatchState(3).after(GameResult(Player.A, 2))
    assert state.crawford and not state.after(GameResult(Player.B, 1)).crawford


def test_M5_shut_out() -> None:
    closed = Position.from_28([0] * 18 + [-2] * 6 + [1, 0, 14, 3])
    assert is_shut_out(closed, Player.A) and not legal_plays(closed, Player.A, Roll(6, 6))
