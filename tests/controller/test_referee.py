"""The referee on scenes as a good eye would see them: every clause that a filmed game can show."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from controller.events import Event
from controller.lanes_to_points import lane_order
from controller.referee import RefereeState, finish, new_game, step
from rules.position import START, Position
from vision.scene import DIE_STATES, BoardReading, CubeSeen, DieSeen, Scene

sys.path.insert(0, str(Path(__file__).parent))
from referee_scenes import peaked


def scene(number: int, position: Position, *dice: tuple[int, str, str], cube: CubeSeen | None = None, bar: tuple[int, int] | None = None) -> Scene:
    counts = np.zeros(24, int)
    counts[lane_order("right")] = position.points
    board = BoardReading.certain([int(n) for n in counts], bar or position.bar, 0.02)
    seen = tuple(
        DieSeen((100.0 + 40 * i + 300 * (where == "right"), 200.0 + 30 * (number // 3)), peaked(6, value - 1, 0.999), peaked(4, DIE_STATES.index(state), 0.99), where, 18.0)  # type: ignore[arg-type]
        for i, (value, where, state) in enumerate(dice)
    )
    return Scene(number, float(number), board, seen, cube)


def play(scenes: list[Scene], start: Position = START) -> tuple[RefereeState, list[Event]]:
    state, events = new_game(start), []
    for one in scenes:
        state, happened = step(state, one)
        events += happened
        assert RefereeState.from_json(json.loads(json.dumps(state.to_json()))).to_json() == state.to_json()
    return state, events


AFTER_31 = Position.from_28([-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
SHORT = Position.from_28([-2, 0, 0, 0, 1, 5, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])


def opening() -> list[Scene]:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    return [scene(0, START), scene(1, START, *dice), scene(2, START, *dice)]


def kinds(events: list[Event]) -> list[str]:
    return [e.event for e in events]


def test_d1_the_higher_die_plays_first_with_both_numbers() -> None:
    state, events = play(opening())
    assert kinds(events) == ["game_start", "opening_roll"]
    assert events[1].data == {"player": "A", "dice": [3, 1], "a": 3, "b": 1}
    assert state.waiting == "waiting for A to play 3-1 and lift the dice"


def test_d1_a_tie_is_rolled_again() -> None:
    _, events = play([scene(0, START), scene(1, START, (3, "right", "flat"), (3, "left", "flat")), scene(9, START, (2, "right", "flat"), (5, "left", "flat"))])
    assert kinds(events) == ["game_start", "opening_tie", "opening_roll"]
    assert events[2].data["player"] == "B"


def test_d5_the_play_may_change_until_the_dice_are_lifted() -> None:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    _, events = play([*opening(), scene(2, SHORT, *dice), scene(3, AFTER_31)])
    assert kinds(events) == ["game_start", "opening_roll", "play"]
    assert events[2].data["position"] == list(AFTER_31.to_28())


def test_m6_e3_an_illegal_play_is_called_and_corrected() -> None:
    _, events = play([*opening(), scene(2, SHORT), scene(3, AFTER_31)])
    assert kinds(events) == ["game_start", "opening_roll", "illegal", "play"]
    assert events[2].data["clause"].startswith("M")
    assert events[2].data["position"] == list(SHORT.to_28())
    assert events[3].data["corrected"] is True


def test_e2_an_illegal_play_stands_when_the_next_roll_comes_first() -> None:
    state, events = play([*opening(), scene(2, SHORT), scene(9, SHORT, (6, "left", "flat"), (5, "left", "flat"))])
    assert kinds(events) == ["game_start", "opening_roll", "illegal", "stands", "roll"]
    assert state.position == SHORT


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        ([(6, "left", "flat"), (5, "left", "cocked")], "cocked"),
        ([(6, "left", "flat"), (5, "left", "on_checker")], "on_checker"),
        ([(6, "right", "flat"), (5, "right", "flat")], "wrong_half"),
        ([(6, "left", "flat"), (5, "right", "flat")], "split"),
        ([(6, "left", "flat"), (5, "off", "flat")], "off_board"),
    ],
)
def test_d4_a_void_roll_is_reported_with_its_reason(dice: list[tuple[int, str, str]], reason: str) -> None:
    _, events = play([*opening(), scene(3, AFTER_31), scene(9, AFTER_31, *dice), scene(12, AFTER_31), scene(15, AFTER_31, (2, "left", "flat"), (1, "left", "flat"))])
    assert kinds(events) == ["game_start", "opening_roll", "play", "roll_void", "roll"]
    assert events[3].data["reason"] == reason
    assert events[3].data["clause"] == "D4" and events[3].data["sentence"].endswith(".")


def test_a_board_nobody_can_read_is_unsure_not_invented() -> None:
    blank = Scene(4, 4.0, BoardReading(np.full((24, 31), 1 / 31, np.float32), np.full((2, 16), 1 / 16, np.float32)))
    state, events = play([*opening(), blank])
    assert kinds(events) == ["game_start", "opening_roll"]
    decided, events = finish(state)[0], list(finish(state)[1])
    assert kinds(events) == ["unsure"]
    assert finish(decided)[1] == ()
