"""The thread lost and found: turns that nobody saw, whole or in part, and boards with a misread stack. Never an invented play."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from referee_scenes import peaked, reading
from test_referee_clauses import AFTER_31, B_65, LEFT65, Dice, Table, opened, to_b

from controller.evidence import Evidence, key_of
from controller.lanes_to_points import lane_order
from controller.referee import new_game, step
from controller.weigh import is_board, whole_again
from rules.plays import Roll, legal_results
from rules.position import START, Player, Position
from rules.ruleset import preset
from vision.scene import BoardReading, DieSeen, Scene

A_61 = Position.from_28([-1, 0, 0, 0, 2, 4, 2, 1, 0, 0, 0, -6, 4, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""After B's 65 A made his bar point with 61."""
B_21 = Position.from_28([-1, 0, 0, 0, 2, 4, 2, 1, 0, 0, 0, -5, 4, -1, 0, 0, -3, 0, -4, -1, 0, 0, 0, 2, 0, 0, 0, 0])
"""And B played 13/11 6/5."""
LEFT21: Dice = ((2, "left", "flat"), (1, "left", "flat"))
RIGHT61: Dice = ((6, "right", "flat"), (1, "right", "flat"))


def plays(table: Table) -> list[tuple[str, list[int]]]:
    return [(e.data["player"], e.data["position"]) for e in table.events if e.event in ("play", "dance")]


def table_at(position: Position, turn: Player) -> Table:
    """The same game, but at this position."""
    table = Table().look(position)
    table.order("set_position", position=[*position.to_28()], player=turn.value)
    return table.look(position).look(position)


def test_a_whole_turn_missed_is_found_behind_the_play_before_it() -> None:
    """B's roll was seen; his play, A's dice and A's play were not; B rolls again."""
    table = to_b().look(AFTER_31, LEFT65).look(A_61, LEFT21).look(A_61, LEFT21).look(B_21).look(B_21).end()
    assert plays(table)[1] == ("B", [*B_65.to_28()])
    assert plays(table)[-1] == ("B", [*B_21.to_28()])
    assert "roll_void" not in table.kinds and "illegal" not in table.kinds


def test_a_turn_of_each_player_missed_is_asked_about_and_the_game_goes_on() -> None:
    """Neither B's 65 nor A's 61 was seen at all; B's next dice lie on the board that they left."""
    table = to_b().look(AFTER_31).look(A_61).look(A_61, LEFT21).look(A_61, LEFT21).look(B_21).look(B_21).end()
    assert "unsure" in table.kinds and "illegal" not in table.kinds and "roll_void" not in table.kinds
    assert plays(table)[1:] == [("B", [*B_21.to_28()])]


def test_where_dice_may_lie_in_either_half_no_half_tells_whose_turn_was_missed() -> None:
    """A's 61 was not seen; the dice on the board that he left are B's by the half, and by this rule set may be anybody's."""
    table = Table(new_game(ruleset=preset("either half")))
    table.look(START).order("set_position", position=[*B_65.to_28()], player="B")
    table.look(B_65).look(B_65).look(A_61).look(A_61).look(A_61, LEFT21).look(A_61, LEFT21)
    assert "a turn of each player" not in str([e.data for e in table.events])


def test_no_thread_is_lost_over_a_play_that_was_begun_before_its_dice_were_seen() -> None:
    table = to_b().look(B_65, LEFT65).look(B_65, LEFT65).look(B_65).look(B_65).end()
    assert "unsure" not in table.kinds and plays(table)[-1] == ("B", [*B_65.to_28()])


BEARING_OFF = Position.from_28([2, 2, 4, 0, 0, 0, *[0] * 15, -3, -4, -7, 0, 0, 7, 1])


@pytest.mark.parametrize("left", [(2, 2, 2), (1, 2, 4), (1, 1, 3)])
def test_checkers_borne_off_unseen_are_a_turn_missed_and_no_roll_in_the_wrong_half(left: tuple[int, int, int]) -> None:
    """However one stack alone was lowered: B's dice in B's half say that it is his turn."""
    after = Position.from_28([*left, 0, 0, 0, *[0] * 15, -3, -4, -7, 0, 0, 15 - sum(left), 1])
    table = table_at(BEARING_OFF, Player.A).look(after).look(after, LEFT65).look(after, LEFT65)
    assert "roll_void" not in table.kinds
    assert table.state.turn is Player.B and table.state.said == "valid"


def test_dice_in_the_wrong_half_are_void_while_the_board_stands() -> None:
    table = table_at(BEARING_OFF, Player.A).look(BEARING_OFF, LEFT65).look(BEARING_OFF, LEFT65)
    assert [e.data["reason"] for e in table.events if e.event == "roll_void"] == ["wrong_half"]


@pytest.mark.parametrize("on_bar", [0, 1, 2])
def test_checkers_hit_on_the_way_belong_on_the_bar_every_one(on_bar: int) -> None:
    """Of two blots hit in passing one lies nowhere: that is asked about or called, and never written down as the legal play."""
    before = Position.from_28([0, 3, 1, 2, 3, -1, -1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -4, 0, 0, -5, -2, 2, 1, 0, 0, 0])
    after = Position.from_28([0, 3, 1, 2, 4, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -4, 0, 0, -5, -2, 3, 0, 2, 0, 0])
    shown = BoardReading.certain(_lanes(after), (0, on_bar))
    dice: Dice = ((1, "right", "flat"), (1, "right", "flat"))
    table = table_at(before, Player.A)
    for _ in range(2):
        _throw(table, before, dice)
    for _ in range(4):
        table.look(after, board=shown)
    assert ("play" in table.kinds) is (on_bar == 2)


def _lanes(position: Position) -> list[int]:
    counts = [0] * 24
    for point, lane in enumerate(lane_order("right")):
        counts[lane] = position.points[point]
    return counts


def _throw(table: Table, position: Position, dice: Dice, values: tuple[tuple[float, ...], ...] = ()) -> None:
    """Dice of the same number side by side, or read with these chances."""
    table.frame += 1
    seen = tuple(
        DieSeen((640.0 + 90 * n if where == "right" else 140.0 + 90 * n, 300.0), values[n] if values else peaked(6, value - 1, 0.995), peaked(4, 0, 0.99), where, 18.0)  # type: ignore[arg-type]
        for n, (value, where, _) in enumerate(dice)
    )
    table.state, said = step(table.state, Scene(table.frame, float(table.frame), reading(position.to_28(), "right"), seen, None))
    table.events += said


def test_a_lone_die_was_void_when_the_same_player_throws_two() -> None:
    """And has begun to play them: the number of the lone die explains nothing."""
    table = to_b().look(AFTER_31, ((6, "left", "flat"),)).look(AFTER_31, ((6, "left", "flat"),))
    table.look(B_65, LEFT65, throw=1).look(B_65, LEFT65, throw=1).look(B_65).look(B_65).end()
    assert plays(table)[1:] == [("B", [*B_65.to_28()])]


def test_a_lone_die_that_lies_there_still_was_one_of_two() -> None:
    """The other was overlooked; then, under a hand that was not noticed, both were."""
    table = to_b().look(AFTER_31, ((6, "left", "flat"),)).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65, LEFT65).look(B_65).look(B_65).end()
    assert "roll_void" not in table.kinds
    assert plays(table)[1:] == [("B", [*B_65.to_28()])]


def test_lifting_poorly_read_dice_with_nothing_played_is_no_dance() -> None:
    """The second die is a 1 with 0.94, or else a 5; only 55 cannot be played. The dice are lifted and nothing is played."""
    before = Position.from_28([4, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, -2, 0, -3, -5, -4, 5, 0, 0, 0, 1])
    table = table_at(before, Player.B)
    one = (0.94, 0.0, 0.0, 0.0, 0.06, 0.0)
    for _ in range(2):
        _throw(table, before, ((5, "left", "flat"), (1, "left", "flat")), (peaked(6, 4, 0.998), one))
    for _ in range(4):
        table.look(before)
    assert "dance" not in table.kinds


def _seen(position: Position, doubt: dict[int, dict[int, float]]) -> Evidence:
    """A sure look at this position but for some lanes, by A's points: what is read there, with its chance."""
    board = BoardReading.certain(_lanes(position), position.bar)
    lanes = board.lanes.copy()
    for point, read in doubt.items():
        row = np.full(31, 1e-4)
        for count, chance in read.items():
            row[count + 15] = chance
        lanes[lane_order("right")[point]] = row / row.sum()
    return Evidence.of(BoardReading(lanes, board.bar), "right")


def test_a_misread_stack_is_filled_up_again() -> None:
    evidence = _seen(START, {5: {3: 0.9, 5: 0.05}})
    key = evidence.literal(key_of(START))[0]
    assert key[5] == 3 and whole_again(evidence, key, START) == key_of(START)


def test_a_checker_on_the_bar_that_is_not_seen_is_put_back_there() -> None:
    before = Position.from_28([-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 4, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 1, 0, 0, 0])
    bar = np.full((2, 16), 1e-4)
    bar[0, :2], bar[1, 0] = (0.7, 0.3), 1.0
    evidence = Evidence.of(BoardReading(BoardReading.certain(_lanes(before)).lanes, bar / bar.sum(axis=1, keepdims=True)), "right")
    key = evidence.literal(key_of(before))[0]
    assert key[24] == 0 and whole_again(evidence, key, before) == key_of(before)


def test_checkers_that_may_have_been_borne_off_stay_off() -> None:
    after = Position.from_28([2, 2, 2, 0, 0, 0, *[0] * 15, -3, -4, -7, 0, 0, 9, 1])
    look = _seen(after, {})
    evidence = look.plus(look).plus(look).plus(look)
    assert whole_again(evidence, key_of(after), BEARING_OFF) == key_of(after)
    assert is_board(evidence, BEARING_OFF, off=(Player.A,)) < 0.05 < is_board(evidence, BEARING_OFF)


def test_the_other_players_whole_turn_after_a_dance_that_was_missed() -> None:
    """A's play, B's dance unseen, A's dice again and their play: told without a void roll."""
    closed = Position.from_28([2, 2, 2, 2, 2, 1, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, -4, 0, -5, -3, -2, 0, 0, 0, 0, 1, 0, 0])
    played = Position.from_28([2, 2, 2, 2, 2, 2, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, -4, 0, -5, -3, -2, 0, 0, 0, 0, 1, 0, 0])
    table = table_at(closed, Player.B).look(closed, RIGHT61).look(played, RIGHT61).look(played).look(played, LEFT65).look(played, LEFT65)
    assert "roll_void" not in table.kinds
    assert ("A", [*played.to_28()]) in plays(table)
    assert opened().state.turn is Player.A


def test_dice_again_in_the_half_of_the_player_who_danced() -> None:
    """That roll may have been void and no dance: nothing is called void until the board tells. He plays: it was his roll. Nothing moves: it
    was the other player's, in the wrong half."""
    before = Position.from_28([2, 2, 0, 0, 0, 4, 0, 3, 0, 0, 0, -5, 4, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 0, 0, 2, 0, 0])
    after = min(legal_results(before, Player.B, Roll(6, 5)), key=Position.to_28)
    table = table_at(before, Player.B).look(before, LEFT21).look(before).look(before)
    assert table.kinds[-1] == "dance"
    table.look(before, LEFT65, throw=1).look(before, LEFT65, throw=1)
    assert "roll_void" not in table.kinds
    his = Table(table.state).look(after, LEFT65, throw=1).look(after).look(after).end()
    assert ("B", [*after.to_28()]) in plays(his) and "roll_void" not in his.kinds
    other = Table(table.state).look(before).look(before).look(before, RIGHT61, throw=2).end()
    assert ("roll_void", "A", "wrong_half") in [(e.event, e.data.get("player"), e.data.get("reason")) for e in other.events]


def test_the_last_checkers_borne_off_unseen_end_the_game_when_the_next_is_set_up() -> None:
    last = Position.from_28([1, 1, *[0] * 20, -3, -4, 0, 0, 13, 8])
    table = table_at(last, Player.A).look(last, ((5, "right", "flat"), (2, "right", "flat")))
    for _ in range(3):
        table.look(START)
    assert ("A", [*[0] * 22, -3, -4, 0, 0, 15, 8]) in plays(table)
    assert table.kinds[-2:] == ["play", "game_over"] and table.state.score == (1, 0)
    assert "How did the last game end" not in str([e.data for e in table.events])


def test_a_roll_that_cannot_end_the_game_is_no_end_when_the_next_is_set_up() -> None:
    last = Position.from_28([1, 2, *[0] * 20, -3, -4, 0, 0, 12, 8])
    table = table_at(last, Player.A).look(last, ((5, "right", "flat"), (2, "right", "flat")))
    for _ in range(3):
        table.look(START)
    assert "game_over" not in table.kinds and "How did the last game end" in str([e.data for e in table.events])


def test_a_checker_that_is_missing_may_come_in_from_the_bar_after_all() -> None:
    """It was put there late, or had been there and was misread: the play is legal, and nothing is missing any more."""
    known = Position.from_28([-1, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 1])
    entered = Position.from_28([-1, 0, 0, -1, 2, 4, 0, 2, 0, 0, 0, -4, 5, -1, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
    table = table_at(known, Player.B)
    table.state = replace(table.state, missing=(0, 1))
    dice: Dice = ((4, "left", "flat"), (2, "left", "flat"))
    table.look(known, dice).look(known, dice).look(entered).look(entered)
    assert plays(table) == [("B", [*entered.to_28()])] and table.state.missing == (0, 0)


def test_a_missing_checker_takes_no_illegal_call_away() -> None:
    known = Position.from_28([-1, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 1])
    short = Position.from_28([-1, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -4, 5, -1, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 1])
    table = table_at(known, Player.B)
    table.state = replace(table.state, missing=(0, 1))
    dice: Dice = ((4, "left", "flat"), (2, "left", "flat"))
    table.look(known, dice).look(known, dice).look(short).look(short).look(short)
    assert [e.data["reason"] for e in table.events if e.event == "illegal"] == ["one_die_unplayed"] and table.state.missing == (0, 1)


def test_checkers_borne_off_unseen_stay_off_after_the_next_play() -> None:
    """One stack alone is lower, A's dice lie, and are played before it is clear that B's turn was missed: B's checkers are off for good."""
    before = Position.from_28([8, 5, 0, 0, 0, 0, 0, 0, 0, 2, *[0] * 12, -2, -3, 0, 0, 0, 10])
    missed = Position.from_28([8, 5, 0, 0, 0, 0, 0, 0, 0, 2, *[0] * 12, 0, -3, 0, 0, 0, 12])
    after = Position.from_28([8, 5, *[0] * 20, 0, -3, 0, 0, 2, 12])
    table = table_at(before, Player.B)
    table.look(missed)
    _throw(table, missed, ((5, "right", "flat"), (5, "right", "flat")))
    for _ in range(3):
        table.look(after)
    assert plays(table)[-1] == ("A", [*after.to_28()]) and table.state.position.off == (2, 12)
    assert "roll_void" not in table.kinds
