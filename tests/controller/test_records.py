"""`.mat` from events: what it cannot hold is refused with the reason, never left out."""

from __future__ import annotations

from typing import Any

import pytest

from controller.events import Event
from controller.records import to_mat, to_record
from rules.formats.mat import CannotHold, read_mat
from rules.position import Position

START28 = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0]


def event(kind: str, **data: Any) -> Event:
    return Event(kind, 1, 1.0, data)


BEGIN = [event("game_start", position=START28), event("opening_roll", player="A", dice=[3, 1])]
PLAY = event("play", player="A", dice=[3, 1], moves="8/5 6/5")
OTHER = event("play", player="A", dice=[3, 1], moves="13/10 6/5")
REPLY = event("play", player="B", dice=[6, 5], moves="24/18 18/13")


def plays(text: str) -> int:
    return sum(len(game.turns) for game in read_mat(text).games)


def test_plays_come_back() -> None:
    assert plays(to_mat([*BEGIN, PLAY, REPLY])) == 2


def test_a_turn_taken_back_is_gone_and_the_one_instead_of_it_is_held() -> None:
    text = to_mat([*BEGIN, PLAY, event("taken_back", reason="asked for", position=START28), OTHER, REPLY])
    assert "13/10" in text and "8/5" not in text and plays(text) == 2


def test_e3_a_call_that_was_put_right_leaves_no_trace() -> None:
    assert to_mat([*BEGIN, event("illegal", player="A", dice=[3, 1]), PLAY]) == to_mat([*BEGIN, PLAY])


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (event("illegal", player="A", dice=[3, 1]), "not put right"),
        (event("stands", player="A", dice=[3, 1]), "stood"),
        (event("unsure", question="What did A play?"), "What did A play"),
        (event("position_set", player="A", position=START28), "by hand"),
    ],
)
def test_e2_what_mat_cannot_hold_is_refused(last: Event, reason: str) -> None:
    with pytest.raises(CannotHold, match=reason):
        to_mat([*BEGIN, last])


def test_the_score_goes_from_game_to_game() -> None:
    passed = [event("double", player="B", value=2), event("pass", player="A", value=1), event("game_over", winner="B", how="pass", points=1)]
    text = to_mat([*BEGIN, PLAY, *passed, *BEGIN, PLAY], length=3)
    assert [game.scores for game in read_mat(text).games] == [(0, 0), (0, 1)]


def test_a_score_set_between_two_games_counts_no_game_twice() -> None:
    passed = [event("double", player="B", value=2), event("pass", player="A", value=1), event("game_over", winner="B", how="pass", points=1)]
    told = [*BEGIN, PLAY, *passed, event("score_set", score=[0, 1], crawford_over=False), *BEGIN, PLAY]
    assert [game.scores for game in read_mat(to_mat(told, length=5)).games] == [(0, 0), (0, 1)]
    told = [*BEGIN, PLAY, event("score_set", score=[2, 1], crawford_over=False), *passed, *BEGIN, PLAY]
    assert [game.scores for game in read_mat(to_mat(told, length=5)).games] == [(2, 1), (2, 2)]


CLOSED = Position.from_28([2, 2, 2, 2, 2, 2, 1, 2, *[0] * 9, -2, -6, -6, 0, 0, 0, 0, 0, 1, 0, 0])
AFTER_21 = Position.from_28([2, 2, 2, 2, 2, 3, 2, 0, *[0] * 9, -2, -6, -6, 0, 0, 0, 0, 0, 1, 0, 0])
A_21 = event("play", player="A", dice=[2, 1], moves="8/7 8/6")
A_61 = event("play", player="A", dice=[6, 1], moves="7/1 7/6")
DANCE = event("dance", player="B", dice=[6, 6])
BACK = event("taken_back", reason="asked for", position=[*AFTER_21.to_28()], player="A")


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ([A_21, DANCE, A_61, BACK], "play dance"),
        ([A_21, DANCE, event("illegal", player="A", dice=[6, 1]), BACK], "play dance"),
        ([A_21, DANCE, BACK], "play dance"),
        ([A_21, DANCE, event("taken_back", reason="asked for", position=[*AFTER_21.to_28()], player="B")], "play"),
        ([A_21, DANCE, event("taken_back", reason="the dice still lie", position=[*AFTER_21.to_28()])], "play"),
        ([A_21, event("double", player="B", value=2), event("take", player="A", value=2), event("taken_back", position=[*CLOSED.to_28()], player="A"), A_21], "play"),
    ],
)
def test_only_the_turn_that_was_taken_back_is_gone(told: list[Event], left: str) -> None:
    record = to_record([event("game_start"), *told], start=CLOSED)
    assert [type(turn).__name__.removesuffix("Turn").lower() for turn in record.games[0].turns] == left.split()
