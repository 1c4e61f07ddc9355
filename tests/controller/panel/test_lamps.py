"""Every event to its lamps, its rhythm and its beeps: one row a kind, and no kind without a row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from controller.events import Event, Kind
from controller.evidence import Evidence, key_of
from controller.lanes_to_points import lane_order
from controller.panel.lamps import ATTENTION, LONG, MEANINGS, OFF, SHORT, Asks, Lamp, Notice, beeps, flashes, lamps, lit
from controller.panel.light_bar import BOTH_WRONG, DARK, PUT_ON, TAKE_FROM, chain_bits, differences, guidance
from controller.state import OpenTurn, RefereeState
from controller.throw import Throw
from rules.cube import Cube
from rules.plays import Roll
from rules.position import START, Board, Player, Position
from vision.scene import BoardReading

ROLL = Roll(3, 1)
SHORT_PLAY = Position.from_28([-2, 0, 0, 0, 1, 5, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""After 8/5: the 1 of 3-1 was not played."""


def seen(position: Position) -> Evidence:
    counts = [0] * 24
    for point, lane in enumerate(lane_order("right")):
        counts[lane] = position.points[point]
    return Evidence.of(BoardReading.certain(counts, position.bar), "right")


A_TO_ROLL = RefereeState(phase="roll", turn=Player.A)
LYING = replace(A_TO_ROLL, phase="lying", throw=Throw(()), said="valid", announced=ROLL)
VOID = replace(LYING, said="void", announced=None)
ILLEGAL = replace(
    A_TO_ROLL,
    turn=Player.B,
    open=OpenTurn(((START, Player.A, ROLL, 1.0),), ROLL, illegal=key_of(SHORT_PLAY)),
    evidence=seen(SHORT_PLAY),
)
OPENING = RefereeState(phase="opening")
OVER = RefereeState(phase="over")

A, B, WELL, RED, AMBER, ASK, MID = "turn_a", "turn_b", "all_well", "illegal", "void", "attention", "owner_middle"
CUBE_OFF = ["cube_1", MID]

# kind: (event's data, state after it, lamps that are lit, what the attention lamp asks, beeps)
TABLE: dict[str, tuple[dict[str, Any], RefereeState, list[str], Asks, tuple[bool, ...]]] = {
    "game_start": ({}, OPENING, [A, B, WELL, *CUBE_OFF], Asks.NOTHING, SHORT),
    "setup": ({"differences": []}, RefereeState(), [ASK, *CUBE_OFF], Asks.SETUP, SHORT + SHORT),
    "opening_tie": ({}, replace(OPENING, phase="lying", said="void"), [A, B, AMBER, *CUBE_OFF], Asks.NOTHING, ()),
    "opening_roll": ({"player": "A"}, LYING, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "roll": ({"player": "A"}, LYING, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "roll_void": ({"player": "A"}, VOID, [A, AMBER, *CUBE_OFF], Asks.NOTHING, LONG),
    "play": ({"player": "B"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "dance": ({"player": "A"}, replace(A_TO_ROLL, turn=Player.B), [B, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "illegal": ({"player": "A"}, ILLEGAL, [A, RED, *CUBE_OFF], Asks.NOTHING, LONG + LONG),
    "stands": ({"player": "A"}, replace(ILLEGAL, open=None), [B, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "double": ({"player": "A"}, replace(A_TO_ROLL, cube=Cube(offered_by=Player.A)), [B, WELL, ASK, "cube_2", MID], Asks.CUBE, SHORT),
    "take": ({"player": "B"}, replace(A_TO_ROLL, cube=Cube(2, Player.B)), [A, WELL, "cube_2", "owner_b"], Asks.NOTHING, ()),
    "pass": ({"player": "B"}, OVER, [WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "shut_out": ({"player": "B"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "game_over": ({"winner": "A"}, replace(OVER, cube=Cube(4, Player.A)), [WELL, "cube_4", "owner_a"], Asks.NOTHING, ()),
    "unsure": ({"question": "?"}, A_TO_ROLL, [A, ASK, *CUBE_OFF], Asks.QUESTION, SHORT + SHORT),
    "position_set": ({"player": "A"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "roll_stands": ({"player": "A"}, LYING, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "taken_back": ({"player": "A"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "called": ({"player": "A"}, ILLEGAL, [A, RED, *CUBE_OFF], Asks.NOTHING, LONG + LONG),
    "turn_time": ({"player": "A"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "flag_fall": ({"player": "A"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, SHORT),
    "cube_set": ({"value": 2, "owner": "B"}, replace(A_TO_ROLL, cube=Cube(2, Player.B)), [A, WELL, "cube_2", "owner_b"], Asks.NOTHING, ()),
    "score_set": ({"score": [1, 0]}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "broken_off": ({}, RefereeState(), CUBE_OFF, Asks.NOTHING, ()),
    "resign": ({"player": "A", "how": "single"}, A_TO_ROLL, [A, ASK, *CUBE_OFF], Asks.QUESTION, SHORT + SHORT),
    "resign_refused": ({"player": "B"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "match_over": ({"winner": "A", "score": [5, 2]}, OVER, [WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "ruling": ({"turn": 3, "ruling": "stands"}, A_TO_ROLL, [A, WELL, *CUBE_OFF], Asks.NOTHING, ()),
    "refused": ({"sentence": "no"}, A_TO_ROLL, [A, WELL, ASK, *CUBE_OFF], Asks.REFUSED, SHORT),
}


def test_no_kind_of_event_is_missing_from_the_table() -> None:
    assert set(TABLE) == set(get_args(Kind))


@pytest.mark.parametrize("kind", TABLE)
def test_an_event_and_its_lamps(kind: str) -> None:
    data, state, wanted, asks, sound = TABLE[kind]
    event = Event(kind, 1, data=data)
    notice = Notice(Asks.SETUP if kind == "game_start" else Asks.NOTHING).after(event)
    shown = lamps(state, notice)
    assert sorted(lit(shown)) == sorted(wanted)
    assert notice.asks is asks
    assert shown[Lamp.ATTENTION] == ATTENTION[asks]
    assert beeps(event) == sound


def test_the_side_that_must_put_a_play_right_blinks_and_the_other_is_dark() -> None:
    shown = lamps(ILLEGAL, Notice())
    assert len(shown[Lamp.TURN_A]) > 1 and shown[Lamp.TURN_B] == OFF


def test_a_premature_roll_lights_amber() -> None:
    assert "void" in lit(lamps(replace(LYING, early=Throw(())), Notice()))


def test_the_cube_past_64_shows_its_face_and_an_offer_blinks_the_next() -> None:
    faces = {value: [n for n in lit(lamps(replace(A_TO_ROLL, cube=Cube(value)), Notice())) if n.startswith("cube")] for value in (1, 2, 64, 128)}
    assert faces == {1: ["cube_1"], 2: ["cube_2"], 64: ["cube_64"], 128: ["cube_2"]}
    offered = lamps(replace(A_TO_ROLL, cube=Cube(32, Player.A, offered_by=Player.A)), Notice())
    assert len(offered[Lamp.CUBE_64]) > 1 and offered[Lamp.CUBE_32] == OFF and offered[Lamp.OWNER_A] != OFF


def test_a_question_outlives_the_roll_that_came_with_it_and_ends_with_ok_or_a_play() -> None:
    asked = Notice().after_all([Event("unsure", 1), Event("roll", 1)])
    assert asked.asks is Asks.QUESTION
    assert asked.acknowledged().asks is Asks.NOTHING
    assert asked.after(Event("play", 2)).asks is Asks.NOTHING
    assert asked.after(Event("refused", 2)).asks is Asks.QUESTION


def test_a_double_cannot_be_waved_away_with_ok() -> None:
    assert Notice().after(Event("double", 1)).acknowledged().asks is Asks.CUBE


def test_each_pattern_means_one_thing_and_has_a_sentence() -> None:
    assert len(set(ATTENTION.values())) == len(Asks) == len(MEANINGS)
    assert [flashes(n).count(True) for n in (1, 2, 3)] == [1, 2, 3]


@pytest.mark.parametrize(("state", "event"), [(ILLEGAL, "illegal"), (VOID, "roll_void"), (A_TO_ROLL, "unsure"), (ILLEGAL, "called")])
def test_a_silent_panel_keeps_plays_and_rolls_to_itself(state: RefereeState, event: str) -> None:
    happened = Event(event, 1)
    shown = lit(lamps(state, Notice().after(happened), silent=True))
    assert not {"illegal", "void", "attention"} & set(shown)
    assert "all_well" in shown
    assert beeps(happened, silent=True) == ()


def test_quiet_beeps_are_as_many_and_shorter_and_off_is_off() -> None:
    for kind, (*_, loud) in TABLE.items():
        quiet = beeps(Event(kind, 1), "quiet")
        assert len(quiet) == len(loud)
        assert quiet.count(True) == sum(1 for before, now in zip((False, *loud), loud, strict=False) if now and not before)
        assert beeps(Event(kind, 1), "off") == ()


def test_the_light_bar_shows_the_way_to_the_nearest_legal_result() -> None:
    colours = guidance(ILLEGAL)
    # The 1 of 3-1 is missing: of the plays one step away, 24/23 is the first, as in the verdict's nearest plays.
    assert [i + 1 for i, c in enumerate(colours) if c == TAKE_FROM] == [24]
    assert [i + 1 for i, c in enumerate(colours) if c == PUT_ON] == [23]
    assert guidance(A_TO_ROLL) == (DARK,) * 26


def test_a_point_with_the_wrong_side_is_orange_and_the_bars_have_their_places() -> None:
    points = [(0, 0)] * 24
    here = Board(((1, 0), *points[1:]), (0, 1))
    wanted = Board(((0, 1), *points[1:]), (1, 0))
    assert [(i, c) for i, c in enumerate(differences(here, wanted)) if c != DARK] == [(0, BOTH_WRONG), (24, PUT_ON), (25, TAKE_FROM)]


def test_the_bits_of_the_chain() -> None:
    bits = chain_bits([(1, 2, 3)], 1.0)
    words = ["".join("01"[b] for b in bits[i : i + 32]) for i in range(0, 64, 32)]
    assert words == ["0" * 32, f"{255:08b}{3:08b}{2:08b}{1:08b}"]
    assert all(bits[64:]) and len(bits) == 72
