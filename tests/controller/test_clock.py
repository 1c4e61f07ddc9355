"""The clock: delay, reserve, flags, and whose time runs, from invented times."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_referee_clauses import AFTER_31, B_65, LEFT65, SHORT, Table

from controller.clock import Clock, ClockError
from controller.referee import RefereeState, new_game
from rules.position import START, Player


def test_a_turn_costs_only_what_it_takes_beyond_the_delay() -> None:
    clock = Clock.for_match(5).started(Player.A, 0.0)
    assert clock.reserve == (600.0, 600.0)
    assert clock.left(Player.A, 12.0) == 600.0 and clock.left(Player.A, 13.0) == 599.0
    clock = clock.passed(Player.B, 32.0)
    assert clock.reserve == (580.0, 600.0)
    assert clock.left(Player.A, 1000.0) == 580.0
    assert clock.passed(Player.A, 40.0).reserve == (580.0, 600.0)


def test_a_turn_taken_up_again_is_charged_once() -> None:
    clock = Clock.for_match(1).started(Player.A, 0.0).passed(Player.B, 20.0).resumed()
    assert clock.running is Player.A and clock.passed(Player.B, 30.0).reserve == (102.0, 120.0)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(0, 500), min_size=1, max_size=30), st.floats(0, 60))
def test_no_time_is_lost_or_made(turns: list[float], delay: float) -> None:
    clock, now, who, spent = Clock.for_match(3, delay).started(Player.A, 0.0), 0.0, Player.A, [0.0, 0.0]
    for used in turns:
        spent[who.side] += max(used - delay, 0.0)
        now += used
        who = who.other
        clock = clock.passed(who, now)
    assert clock.reserve == pytest.approx((360 - spent[0], 360 - spent[1]), abs=1e-6)


@pytest.mark.parametrize(("length", "delay", "reserve"), [(0, 12.0, 120.0), (3, -1.0, 120.0), (3, 12.0, -5.0)])
def test_times_that_make_no_clock_are_refused(length: int, delay: float, reserve: float) -> None:
    with pytest.raises(ClockError, match=r"^an? "):
        Clock.for_match(length, delay, reserve)


@pytest.mark.parametrize("text", ["", "12", "+", "12+", "a+b", "12+120+3", "nan+1", "12+inf"])
def test_what_is_no_clock_is_refused(text: str) -> None:
    with pytest.raises(ClockError):
        Clock.parse(text, 3)


def test_a_clock_is_set_by_two_numbers() -> None:
    assert Clock.parse("12+120", 5) == Clock.for_match(5) and Clock.parse("8.5+90", 2).reserve == (180.0, 180.0)


def timed(length: int = 1, delay: float = 2.0, reserve: float = 10.0) -> Table:
    """A's opening 31 lies from scene 1 on; a scene a second."""
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    return Table(new_game(length=length, clock=Clock.for_match(length, delay, reserve))).look(START).look(START, dice)


def test_the_clock_passes_when_the_dice_are_lifted() -> None:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = timed().look(START, dice).look(AFTER_31, dice).look(AFTER_31, dice).look(AFTER_31)
    told = [e.data for e in table.events if e.event == "turn_time"]
    assert told == [{"player": "A", "seconds": 4.0, "reserve": [8.0, 10.0]}]
    assert table.state.clock is not None and table.state.clock.running is Player.B


def test_the_clock_passes_at_the_press_of_the_button_at_its_time() -> None:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = timed().look(AFTER_31, dice)
    table.press(2.5)
    assert [e.data["seconds"] for e in table.events if e.event == "turn_time"] == [1.5]
    assert table.kinds[-2:] == ["play", "turn_time"]


def test_dice_that_were_only_overlooked_pass_no_clock() -> None:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = timed().look(AFTER_31).look(AFTER_31, dice).look(AFTER_31, dice).look(AFTER_31)
    assert [e.data["seconds"] for e in table.events if e.event == "turn_time"][-1] == 4.0
    assert table.state.clock is not None and table.state.clock.reserve == (8.0, 10.0)


def test_a_fallen_flag_is_reported_once_and_the_game_goes_on() -> None:
    dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = timed(reserve=1.0).look(START, dice).look(START, dice).look(START, dice).look(START, dice).look(AFTER_31, dice).look(AFTER_31)
    assert [e.data["player"] for e in table.events if e.event == "flag_fall"] == ["A"]
    table.look(AFTER_31, LEFT65).look(B_65)
    assert [e.event for e in table.events if e.event in ("play", "flag_fall")] == ["flag_fall", "play", "play"]


def test_the_doubled_player_thinks_on_his_own_time() -> None:
    table = timed(length=3).look(AFTER_31).order("double")
    assert table.state.clock is not None and table.state.clock.running is Player.A
    table.order("take")
    assert table.state.clock.running is Player.B


def test_no_time_runs_before_the_opening_and_after_the_game() -> None:
    table = Table(new_game(length=3, clock=Clock.for_match(3))).look(START)
    assert table.state.clock is not None and table.state.clock.running is None
    table = timed(length=3).look(AFTER_31).order("double").order("pass")
    assert table.state.clock is not None and table.state.clock.running is None


def test_the_clock_survives_the_journal() -> None:
    state = timed().look(SHORT).state
    assert RefereeState.from_json(json.loads(json.dumps(state.to_json()))).clock == state.clock
