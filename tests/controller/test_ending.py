"""What a person may order: resignations, the match's end, several turns back, the clock's button with the dice still lying."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from test_referee_clauses import AFTER_31, B_65, LEFT65, Table

from controller.referee import RefereeState, new_game
from rules.position import START, Player, Position

OPENING = ((3, "right", "flat"), (1, "left", "flat"))


def begun(length: int = 3) -> Table:
    """A has played his opening 31; B is to roll."""
    return Table(new_game(length=length)).look(START).look(START, OPENING).look(AFTER_31, OPENING).look(AFTER_31).look(AFTER_31)


def test_a_resignation_is_offered_and_accepted() -> None:
    table = begun().order("resign", player="B", how="gammon")
    assert table.state.waiting == "waiting for A to accept the resignation or play on"
    assert RefereeState.from_json(json.loads(json.dumps(table.state.to_json()))).resigning == table.state.resigning
    table.order("accept")
    assert table.events[-1].data == {"winner": "A", "how": "gammon", "points": 2, "resigned": True}
    assert table.state.phase == "over" and table.state.score == (2, 0) and table.state.resigning is None


def test_a_resignation_that_is_refused_or_played_over_is_gone() -> None:
    table = begun().order("resign", player="B").order("refuse")
    assert table.kinds[-2:] == ["resign", "resign_refused"] and table.state.resigning is None
    table.order("resign", player="B").look(AFTER_31, LEFT65).look(B_65)
    assert table.kinds[-1] == "play" and table.state.resigning is None
    assert table.order("accept").events[-1].data["sentence"] == "No resignation is offered."


def test_the_game_that_wins_the_match_ends_it() -> None:
    table = begun(2).order("resign", player="B", how="gammon").order("accept")
    assert table.kinds[-2:] == ["game_over", "match_over"] and table.events[-1].data == {"winner": "A", "score": [2, 0]}
    assert table.state.waiting == "the match is over"
    assert table.look(START).look(START, OPENING).kinds[-1] == "match_over", "no further game begins"


def test_money_play_never_ends_a_match_by_itself_but_the_players_may() -> None:
    table = begun(0).order("resign", player="A", how="single").order("accept")
    assert table.kinds[-1] == "game_over"
    table.look(START)
    assert table.state.phase == "opening"
    table.order("end_match")
    assert table.events[-1].data == {"winner": None, "score": [0, 1]}
    assert table.order("end_match").kinds[-1] == "refused"


@pytest.mark.parametrize("data", [{}, {"player": "C"}, {"player": "A", "how": "triple"}, {"player": None}])
def test_what_is_no_resignation_is_refused(data: dict[str, object]) -> None:
    table = begun().order("resign", **data)
    assert table.kinds[-1] == "refused" and table.state.resigning is None


def test_nothing_can_be_resigned_before_a_game_and_after_it() -> None:
    assert Table().order("resign", player="A").kinds == ["refused"]
    table = begun().order("resign", player="A").order("accept").order("resign", player="A")
    assert table.kinds[-1] == "refused"


def test_turns_are_taken_back_one_after_the_other() -> None:
    right = ((4, "right", "flat"), (2, "right", "flat"))
    table = begun().look(AFTER_31, LEFT65).look(B_65).look(B_65, right)
    assert table.kinds.count("play") == 2
    table.order("undo")
    assert table.state.position == AFTER_31 and table.state.turn is Player.B
    table.order("undo")
    assert table.state.position == START and table.state.phase == "opening"
    assert table.order("undo").kinds[-1] == "refused"


def test_a_turn_ended_by_the_clock_is_not_taken_back_by_its_dice_lying_on() -> None:
    table = Table(new_game()).look(START).look(START, OPENING).look(AFTER_31, OPENING).order("commit")
    assert table.kinds[-1] == "play" and table.state.turn is Player.B
    table.look(AFTER_31, OPENING).look(AFTER_31, OPENING).look(AFTER_31)
    assert table.kinds.count("play") == 1 and "taken_back" not in table.kinds
    table.look(AFTER_31, LEFT65).look(B_65)
    assert table.kinds[-2:] == ["roll", "play"]


def test_the_next_dice_may_come_before_those_of_a_pressed_turn_are_lifted() -> None:
    table = Table(new_game()).look(START).look(START, OPENING).look(AFTER_31, OPENING).order("commit")
    table.look(AFTER_31, (*OPENING, (6, "left", "flat"), (5, "left", "flat"))).look(AFTER_31, LEFT65).look(B_65)
    assert table.kinds == ["opening_roll", "play", "roll", "play"]


def test_a_double_said_when_the_play_is_on_the_board_ends_the_turn() -> None:
    """The dice were lifted while a hand was over the board: nobody saw them go."""
    table = Table(new_game(length=3)).look(START).look(START, OPENING).look(AFTER_31, OPENING).look(AFTER_31, OPENING).order("double")
    assert table.kinds == ["opening_roll", "play", "double"] and table.state.cube.offered_by is Player.B


def test_a_play_seen_once_before_a_double_may_only_have_been_tried_and_is_asked_about() -> None:
    table = Table(new_game(length=3)).look(START).look(START, OPENING).look(AFTER_31, OPENING).order("double")
    assert table.kinds == ["opening_roll", "unsure", "double"] and table.state.cube.offered_by is Player.B
    table.order("take").look(AFTER_31).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)
    assert table.kinds[3:] == ["take", "roll", "play"]


def test_a_double_after_the_roll_is_refused() -> None:
    table = begun().look(AFTER_31, LEFT65).order("double")
    assert table.events[-1].data["clause"] == "C4"


def test_a_double_with_the_dice_still_lying_is_not_taken_back_with_them() -> None:
    table = Table(new_game(length=3)).look(START).look(START, OPENING).look(AFTER_31, OPENING).look(AFTER_31, OPENING).order("double")
    table.look(AFTER_31, OPENING).order("take").look(AFTER_31, OPENING).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)
    assert table.kinds == ["opening_roll", "play", "double", "take", "roll", "play"]


ENDS = [
    ("double", "pass"),
    ("resign", "accept"),
    ("double", "resign", "accept"),
    ("double", "resign", "pass"),
    ("double", "end_match"),
    ("resign", "end_match"),
]


@pytest.mark.parametrize("way", ENDS, ids="-".join)
@pytest.mark.parametrize("late", ["take", "pass", "accept", "refuse", "undo", "double"])
def test_nothing_of_a_game_that_is_over_is_answered_or_taken_back(way: tuple[str, ...], late: str) -> None:
    table = begun(5)
    for word in way:
        table.order(word, **({"player": "A"} if word == "resign" else {}))
    assert table.state.phase == "over"
    before = table.state
    assert table.order(late).kinds[-1] == "refused"
    assert (table.state.games, table.state.cube, table.state.phase) == (before.games, before.cube, "over")


def test_a_game_won_on_the_board_cannot_be_taken_back() -> None:
    near = Position.from_28([1, 1, *[0] * 16, -5, -5, -5, 0, 0, 0, 0, 0, 13, 0])
    won = Position.from_28([*[0] * 18, -5, -5, -5, 0, 0, 0, 0, 0, 15, 0])
    right = ((6, "right", "flat"), (5, "right", "flat"))
    table = Table(replace(new_game(length=2), phase="roll", turn=Player.A, position=near)).look(near).look(near, right).look(won, right)
    table.look(won).look(won)
    assert table.kinds[-2:] == ["game_over", "match_over"] and table.state.score == (2, 0)
    assert table.order("undo").kinds[-1] == "refused" and table.state.score == (2, 0)


def test_a_wrong_final_score_or_position_put_right_lets_the_match_go_on() -> None:
    for order, data in (("set_score", {"score": [1, 0]}), ("set_position", {"position": [*AFTER_31.to_28()], "player": "B"})):
        table = begun(2).order("resign", player="B", how="gammon").order("accept")
        assert table.state.ended
        assert not table.order(order, **data).state.ended


def test_a_turn_taken_back_takes_back_the_double_that_followed_it() -> None:
    table = begun(5).order("double").order("take")
    assert table.state.cube.value == 2
    table.order("undo")
    assert table.state.cube.value == 1 and table.events[-1].data["cube"] == [1, None]


def test_the_opening_turn_taken_back_is_rolled_as_an_opening_again() -> None:
    table = begun().order("undo")
    assert table.state.phase == "opening" and table.state.turn is None
    table.look(START).look(START, OPENING).look(AFTER_31, OPENING).look(AFTER_31).look(AFTER_31)
    assert table.kinds[-2:] == ["opening_roll", "play"] and "roll_void" not in table.kinds


def test_pressed_dice_that_are_poorly_seen_hide_no_later_roll() -> None:
    table = Table(new_game()).look(START).look(START, OPENING).look(AFTER_31, OPENING).order("commit").look(AFTER_31, OPENING)
    assert not table.state.ghosts
