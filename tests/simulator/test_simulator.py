"""Simulated matches: seen surely the referee is never wrong, spoilt it is unsure; and the simulator itself plays by the rules.

How often it is wrong over many matches is measured (`benchmarks/simulate.py`), not tested."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from simulated_eye import SimulatedEye, load_table
from simulated_match import QUIET, Habits, Look, SimulatedMatch, thinned
from simulated_score import Score, one_match, pairs, what

from controller.events import Command
from controller.lanes_to_points import lane_order
from rules.judge import Illegal, judge
from rules.plays import Roll, legal_results
from rules.position import START, Board, Player, Position
from vision.scene import MOST

TABLE = load_table()


def score(seeds: range, *, noise: float = 0.0, dropped: float = 0.0, habits: Habits | None = None, length: int = 1) -> Score:
    total = Score()
    for seed in seeds:
        happened = SimulatedMatch(seed, length, habits).play()
        eye = SimulatedEye(TABLE, seed, noise, "right" if seed % 2 else "left")
        total.plus(one_match(happened, list(thinned(happened.given, dropped, seed)), eye, length, f"match {seed}"))
    return total


def test_a_quiet_match_seen_surely_is_all_right() -> None:
    found = score(range(3), habits=QUIET)
    assert found.counts["matches_right"] == 3 and found.counts["unsure"] == 0 and found.counts["plies"] > 100


def test_incidents_seen_surely_are_told_and_nothing_else() -> None:
    found = score(range(100, 106))
    assert found.wrong == [] and found.counts["illegal_true"] > 3 and found.counts["roll_void_true"] > 5
    assert found.counts["missed"] + found.counts["unsure"] <= 0.02 * found.counts["plies"], found.silent


@pytest.mark.parametrize(
    ("noise", "dropped", "wrong", "unsure"), [(1.0, 0.0, 0.01, 0.05), (2.0, 0.0, 0.01, 0.06), (0.5, 0.3, 0.015, 0.12), (0.0, 0.6, 0.045, 0.3)]
)
def test_spoilt_scenes_make_the_referee_unsure_but_seldom_wrong(noise: float, dropped: float, wrong: float, unsure: float) -> None:
    """At most these shares of the plies; what is reached on far more matches stands in the README."""
    found = score(range(200, 208), noise=noise, dropped=dropped)
    plies = found.counts["plies"]
    assert plies > 500
    assert found.counts["wrong_verdicts"] <= wrong * plies, found.wrong
    assert found.counts["unsure"] <= unsure * plies


def test_a_true_match_keeps_the_rules_of_plays() -> None:
    """Every play told is a legal result, every illegal one is not."""
    for seed in range(4):
        before, player = START, Player.A
        for event in SimulatedMatch(seed, 1).play().events:
            kind = event["event"]
            if kind in ("play", "dance", "illegal"):
                player, roll = Player(event["player"]), Roll(*event["dice"])
                numbers = event["position"]
                if kind == "illegal":
                    board = Board(tuple((max(n, 0), max(-n, 0)) for n in numbers[:24]), (numbers[24], numbers[25]))
                    assert isinstance(judge(before, player, roll, board), Illegal)
                    stood = board
                else:
                    assert tuple(numbers[:26]) in {r.points + r.bar for r in legal_results(before, player, roll)}
                    off = (15 - sum(n for n in numbers[:24] if n > 0) - numbers[24], 15 + sum(n for n in numbers[:24] if n < 0) - numbers[25])
                    before = Position(tuple(numbers[:24]), (numbers[24], numbers[25]), off)
            elif kind == "stands":
                off = (15 - stood.on_table(Player.A), 15 - stood.on_table(Player.B))
                before = Position(tuple(a - b for a, b in stood.points), stood.bar, off)
            elif kind == "game_start":
                before = START


def test_every_kind_of_incident_comes_up() -> None:
    events = [e for seed in range(30) for e in SimulatedMatch(seed, 3).play().events]
    assert {e["event"] for e in events} >= {"opening_tie", "roll_void", "illegal", "stands", "dance", "double", "take", "pass", "game_over"}
    reasons = {e["reason"] for e in events if e["event"] == "roll_void"}
    assert reasons == {"cocked", "on_checker", "wrong_half", "split", "off_board", "one_die", "premature"}


def test_doubt_comes_as_often_as_the_table_says_and_about_twice_as_much_when_asked_to() -> None:
    look = Look(START.points + START.bar)
    shares, doubt = [], []
    for noise in (1.0, 2.0):
        lanes = np.array([SimulatedEye(TABLE, seed, noise, "right").see(look, 0).board.lanes for seed in range(150)])
        true = np.zeros(24, int)
        true[lane_order("right")] = START.points
        right = lanes[:, np.arange(24), true + MOST]
        shares.append(float((right < 0.99).mean()))
        doubt.append(float((1 - right).mean()))
    counts = [str(min(abs(n), 6)) for n in START.points]
    wanted = sum(TABLE["lanes"][c]["doubtful_share"] for c in counts) / 24
    assert shares[0] == pytest.approx(wanted, rel=0.35)
    assert 1.2 < doubt[1] / doubt[0] < 2.5, "tall stacks are always in doubt: theirs only grows worse"


def test_a_turned_cube_is_never_read_as_one_in_the_tray_where_nobody_turned_one() -> None:
    places = set()
    for seed in range(40):
        eye = SimulatedEye(TABLE, seed, 1.0)
        for frame in range(5):
            seen = eye.see(Look(START.points + START.bar, (), (2, "top")), frame).cube
            places |= {seen.where} if seen else set()
    assert places == {"top"}


def test_frames_are_dropped_in_order_and_commands_never() -> None:
    given = [*(Look(START.points + START.bar, (), None, (n,)) for n in range(200)), Command("double")]
    left = list(thinned(given, 0.3, 1))  # type: ignore[arg-type]
    assert left[0] is given[0] and left[-1] is given[-1] and 110 < len(left) < 170
    assert [given.index(one) for one in left] == sorted(given.index(one) for one in left)


def test_scoring_counts_what_is_false_and_what_is_missed() -> None:
    true = [{"event": "play", "player": "A", "position": [n], "look": n} for n in range(5)]
    said = [{**true[n], "frame": n} for n in (0, 1, 4)] + [{**true[0], "position": [9], "frame": 9}]
    found = Score()
    found.add(true, [said[0], said[3], said[1], said[2]])
    assert (found.counts["plies"], found.counts["wrong_verdicts"], found.counts["missed"]) == (5, 1, 2)
    assert pairs([what(e) for e in true], [what(e) for e in true]) == [(n, n) for n in range(5)]
