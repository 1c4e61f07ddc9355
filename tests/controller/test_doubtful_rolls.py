"""Rolls that may have been void, and plays that may have been misread: what comes next tells, and what does not fit is asked about."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from referee_scenes import peaked, reading
from test_referee_clauses import AFTER_31, B_65, LEFT65, Table, to_b

from controller.lanes_to_points import lane_order
from controller.missed import refine
from controller.referee import step
from controller.step import Step
from controller.throw import throw_of
from rules.position import Player, Position
from vision.scene import LANES, BoardReading, DieSeen, Scene

SHUT_BY_66 = Position.from_28([2, 2, 2, 0, 2, 5, 0, 2, 0, 0, 0, -5, 0, 0, 0, 0, -4, 0, -5, 0, 0, 0, 0, 0, 0, 1, 0, 0])
"""B, on the bar, enters with a 4 alone."""


def die(value: int, where: str, flat: float = 0.99, xy: tuple[float, float] | None = None, certainty: float = 0.99) -> DieSeen:
    at = xy or (100.0 + 40 * value + 400 * (where == "right"), 200.0)
    return DieSeen(at, peaked(6, value - 1, 0.995), (flat, 1 - flat - 0.002, 0.001, 0.001), where, 18.0, certainty)  # type: ignore[arg-type]


def look(table: Table, position: Position, *dice: DieSeen) -> Table:
    table.frame += 1
    table.state, said = step(table.state, Scene(table.frame, float(table.frame), reading(position.to_28(), "right"), dice))
    table.events += said
    return table


def at(position: Position, player: Player) -> Table:
    table = Table().look(position)
    table.order("set_position", position=[*position.to_28()], player=player.value)
    return table.look(position).look(position)


@pytest.mark.parametrize(("flat", "said"), [(0.77, "roll_void"), (0.995, "dance")])
def test_a_die_that_may_have_leaned_and_the_same_player_s_dice_again_are_no_dance(flat: float, said: str) -> None:
    """Else the other player would have thrown both dice into the wrong half, which is rarer."""
    table = at(SHUT_BY_66, Player.B)
    look(table, SHUT_BY_66, die(6, "left"), die(5, "left", flat))
    look(look(table, SHUT_BY_66), SHUT_BY_66)
    for _ in range(2):
        look(table, SHUT_BY_66, die(2, "left", xy=(330.0, 400.0)), die(1, "left", xy=(300.0, 300.0)))
    assert [k for k in table.kinds if k in ("roll_void", "dance", "unsure")][:1] == [said]


@pytest.mark.parametrize(
    ("flat", "then", "said"),
    [
        (0.7, "right", ["illegal", "stands"]),  # the other player rolls: it was a roll, and nothing was played
        (0.55, "left", ["roll_void"]),  # the same player rolls again: it was none
        (0.99, "left", ["roll_void"]),  # so it was, however it looked
        (0.2, "left", ["roll_void"]),
    ],
)
def test_dice_lifted_unplayed_that_may_have_been_void(flat: float, then: str, said: list[str]) -> None:
    """A die that may have leaned is neither called void nor a pass left unseen: whose dice come next tells."""
    table = to_b()
    look(table, AFTER_31, die(6, "left"), die(5, "left", flat))
    look(look(table, AFTER_31), AFTER_31)
    look(table, AFTER_31, die(2, then, xy=(330.0 + 400 * (then == "right"), 400.0)), die(1, then, xy=(300.0 + 400 * (then == "right"), 300.0)))
    told = [k for k in table.kinds if k in ("roll_void", "illegal", "stands", "unsure")]
    assert told == said


@pytest.mark.parametrize("flat", [0.99, 0.75, 0.5])
def test_a_dance_before_split_dice_is_not_called_void(flat: float) -> None:
    """Split dice may be anybody's: they do not say that the one who danced rolls again."""
    table = at(SHUT_BY_66, Player.B)
    look(table, SHUT_BY_66, die(6, "left"), die(5, "left", flat))
    look(look(table, SHUT_BY_66), SHUT_BY_66)
    look(table, SHUT_BY_66, die(2, "left", xy=(330.0, 400.0)), die(1, "right"))
    assert not [e for e in table.events if e.event == "roll_void" and e.data["player"] == "B"]
    assert "dance" in table.kinds or "unsure" in table.kinds


def test_a_play_is_not_illegal_by_dice_that_were_no_roll() -> None:
    """B's turn was missed; A's dice lie split, as a void roll of B's would, and are lifted."""
    table = to_b().look(AFTER_31)
    split = (die(6, "right"), die(6, "left"))
    look(look(table, B_65, *split), B_65, *split)
    look(table, B_65, die(2, "right"), die(4, "right"))
    assert "illegal" not in table.kinds and "stands" not in table.kinds


def test_a_surely_illegal_board_stays_so_when_dice_lie_in_that_players_half() -> None:
    """A hit in passing and left the checker beside the board; B's next dice lie in the wrong half. No turn of B's was missed."""
    before = Position.from_28([1, 4, 4, 0, -1, 2, 0, 0, 0, 0, 0, 0, 2, -2, 0, 0, 0, 0, 0, 0, -1, -5, -4, 2, 0, 2, 0, 0])
    unhit = Position.from_28([1, 4, 4, 0, -1, 2, 0, 0, 0, 0, 0, 0, 2, -2, 1, 0, 0, 0, 0, 0, 0, -5, -4, 1, 0, 2, 0, 1])
    table = at(before, Player.A)
    dice = (die(6, "right"), die(3, "right"))
    look(table, before, *dice)
    look(look(table, unhit), unhit)
    look(table, unhit, die(3, "right", xy=(700.0, 400.0)), die(2, "right", xy=(800.0, 400.0)))
    assert "play" not in table.kinds and table.kinds[-2:] != ["roll", "play"]
    assert "illegal" in table.kinds


def test_a_row_surely_read_otherwise_is_asked_about_however_unlikely_all_else_is() -> None:
    """B bears off two; A has one checker fewer than the position known: some hand took it, and no play of B's explains that."""
    before = Position.from_28([5, 3, 5, 2, *[0] * 16, -2, -8, -3, -2, 0, 0, 0, 0])
    after = Position.from_28([4, 3, 5, 2, *[0] * 16, -1, -7, -3, -2, 0, 0, 1, 2])
    table = at(before, Player.B)
    look(table, before, die(3, "left"), die(4, "left"))
    for _ in range(4):
        look(table, after)
    look(table, after, die(6, "right"), die(5, "right"))
    assert "play" not in table.kinds and "unsure" in table.kinds


def test_looks_alone_make_no_board_sure_that_no_play_leads_to() -> None:
    """A blot read as the other colour is read so again: that is no second witness."""
    table = to_b().look(AFTER_31, LEFT65).look(B_65).look(B_65)
    strange = Position.from_28([1, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -7, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    for wanted, settled in ((strange, False), (B_65, True)):
        for _ in range(3):
            look(table, wanted)
        both = ((strange, 0.5), (B_65, 0.5))
        change = Step(replace(table.state, beliefs=both, open=None, phase="roll"))
        refine(change)
        assert (change.state.beliefs == ()) is settled


def test_a_die_that_comes_to_rest_where_something_was_once_taken_for_one_is_the_lone_dies_other() -> None:
    ghost = (300.0, 300.0)
    sure, lone = die(4, "left", xy=ghost), die(6, "left", xy=(200.0, 200.0))
    throw = throw_of((lone, sure), ghosts=(ghost,))
    assert throw is not None and len(throw.dice) == 2
    doubtful = die(4, "left", xy=ghost, certainty=0.9)
    for dice in ((lone, doubtful), (lone, die(4, "right", xy=ghost))):
        throw = throw_of(dice, ghosts=(ghost,))
        assert throw is not None and len(throw.dice) == 1
    assert throw_of((sure,), ghosts=(ghost,)) is None
    pressed = throw_of((lone, sure), pressed=(ghost,))
    assert pressed is not None and len(pressed.dice) == 1


@pytest.mark.parametrize("pressed", [False, True])
def test_what_was_covered_when_the_turn_was_ended_is_not_taken_for_untouched(pressed: bool) -> None:
    """A sleeve lies over all that B played, from before he lifts his dice (or presses the clock) until A's next dice are seen."""
    table, dice = to_b(), (die(6, "left"), die(5, "left"))
    look(table, AFTER_31, *dice)
    moved = [n for n in range(24) if AFTER_31.points[n] != B_65.points[n]]
    sleeve = frozenset(LANES[lane_order("right")[n]] for n in moved)
    read = reading(B_65.to_28(), "right")
    for lie in (dice if pressed else (), (), ()):
        table.frame += 1
        table.state, said = step(table.state, Scene(table.frame, float(table.frame), BoardReading(read.lanes, read.bar, sleeve), lie))
        table.events += said
        if lie:
            table.order("commit")
    look(table, B_65, die(2, "right"), die(1, "right"))
    assert "illegal" not in table.kinds
    assert [e.data["position"] for e in table.events if e.event == "play"][-1:] == [[*B_65.to_28()]]


def test_a_called_pass_of_an_announced_roll_stands_when_dice_come_into_the_same_half() -> None:
    """The roll was valid and told so: these dice are the other player's, in the wrong half."""
    table = to_b()
    look(table, AFTER_31, die(6, "left"), die(5, "left"))
    for _ in range(6):
        look(table, AFTER_31)
    assert table.kinds[-1] == "illegal"
    for _ in range(2):
        look(table, AFTER_31, die(2, "left", xy=(330.0, 400.0)), die(1, "left", xy=(300.0, 300.0)))
    look(look(table, AFTER_31), AFTER_31, die(4, "right"), die(2, "right"))
    told = [(e.event, e.data.get("player")) for e in table.events if e.event in ("stands", "roll_void")]
    assert told == [("stands", "B"), ("roll_void", "A")]
