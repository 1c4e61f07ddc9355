"""What the rule set decides at the table: whether a double accepts an illegal play (E1, E2), and who may double when (C1, C2, S4, S6, S7)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_referee_clauses import AFTER_31, LEFT65, SHORT, Table

from controller import cube_watch
from controller.referee import new_game
from rules.calling import Since, in_time
from rules.plays import Roll, legal_plays
from rules.position import START, Player, Position
from rules.ruleset import DEFAULT, PRESETS, CallUntil, RuleSet, preset

OPENING = ((3, "right", "flat"), (1, "left", "flat"))
DOUBLE_ACCEPTS = {"usbgf legal moves", "ukbgf", "us 2008"}


def opened(ruleset: RuleSet, length: int = 5) -> Table:
    return Table(new_game(ruleset=ruleset, length=length)).look(START).look(START, OPENING).look(START, OPENING)


def by(table: Table, player: Player, first: int, second: int) -> Table:
    """The player rolls in his own half and plays the first legal play there is."""
    before = table.state.position
    after = next(iter(legal_plays(before, player, Roll(first, second))))
    half = "right" if player is Player.A else "left"
    throw = table.frame % 7
    dice = ((first, half, "flat"), (second, half, "flat"))
    return table.look(before, dice, throw).look(after, dice, throw).look(after)


@pytest.mark.parametrize("name", [name for name in PRESETS if not preset(name).either_half])
def test_e1_e2_a_double_accepts_an_illegal_play_where_the_rule_set_says_so(name: str) -> None:
    """Elsewhere it may be called until the next roll: it is put right, or let stand, first."""
    ruleset = preset(name)
    table = opened(ruleset).look(SHORT).look(SHORT)
    assert table.kinds == ["opening_roll", "illegal"]
    assert in_time(Since.DOUBLED, ruleset) is (name not in DOUBLE_ACCEPTS)
    table.order("double")
    if name in DOUBLE_ACCEPTS:
        assert table.kinds[2:] == ["stands", "double"] and table.state.position == SHORT
        return
    assert table.kinds[2:] == ["refused"] and table.state.cube.offered_by is None
    assert table.events[-1].data == {"clause": "E1", "sentence": "The illegal play comes first: put it right or let it stand, then double."}
    for table_now in (opened(ruleset).look(SHORT).look(SHORT).order("stand"), table.look(AFTER_31)):
        table_now.order("double")
        assert table_now.kinds[-2:] in (["stands", "double"], ["play", "double"]) and table_now.state.cube.offered_by is Player.B


@pytest.mark.parametrize("until", CallUntil)
def test_e2_at_the_latest_the_next_roll_lets_it_stand(until: CallUntil) -> None:
    table = opened(replace(DEFAULT, call_until=until)).look(SHORT).look(SHORT).look(SHORT, LEFT65)
    assert table.kinds == ["opening_roll", "illegal", "stands", "roll"]


def post_crawford(ruleset: RuleSet) -> Table:
    """A leads 4-0 to 5 and the Crawford game is over; he has played his opening 31."""
    table = Table(new_game(ruleset=ruleset, length=5)).order("set_score", score=[4, 0], crawford_over=True)
    return table.look(START).look(START, OPENING).look(AFTER_31, OPENING).look(AFTER_31)


def test_s4_after_crawford_both_roll_twice_before_a_double() -> None:
    holland = RuleSet(holland=True)
    table = post_crawford(holland)
    for _ in range(2):  # A has rolled once, then twice, and B not at all, then once
        refused = table.order("double").events[-1]
        assert refused.event == "refused" and refused.data["clause"] == "S4"
        by(by(table, Player.B, 6, 5), Player.A, 2, 1)
        assert table.events[-1].event == "play" and table.state.turn is Player.B
    turns = table.state.turns
    assert [turn.turn for turn in turns] == [Player.A, Player.B, Player.A, Player.B, Player.A]
    # An opening roll that was not read leaves open whose it was; the next turn tells.
    for kept in (1, 2, 5):
        state = replace(table.state, turns=(replace(turns[0], turn=None), *turns[1:kept]), turn=turns[kept - 1].turn.other)
        assert cube_watch._rolls(state) == ((kept + 1) // 2, kept // 2)
    missed = replace(table.state, turns=(turns[0], turns[2]))
    assert cube_watch._rolls(missed) == (2, 2)
    assert table.order("double").events[-1].event == "double"
    assert post_crawford(DEFAULT).order("double").events[-1].event == "double"


def test_s4_a_game_whose_beginning_is_not_known_is_given_the_benefit() -> None:
    table = post_crawford(RuleSet(holland=True)).order("set_position", position=[*AFTER_31.to_28()], player="B").look(AFTER_31)
    assert table.order("double").events[-1].event == "double"


def test_c1_c2_limit_and_a_player_shut_out() -> None:
    limited = post_crawford(RuleSet(cube_limit=2)).order("double").order("take")
    assert limited.state.cube.value == 2
    again = by(by(limited, Player.B, 6, 5), Player.A, 2, 1).order("set_cube", value=2, owner="B").order("double")
    assert again.events[-1].event == "refused" and again.events[-1].data["clause"] == "C1"
    shut = Position.from_28([2, 2, 2, 2, 2, 2, 0, 3, 0, 0, 0, -5, 0, 0, 0, 0, -3, 0, -6, 0, 0, 0, 0, 0, 0, 1, 0, 0])
    for allowed in (True, False):
        table = Table(new_game(ruleset=RuleSet(double_when_shut_out=allowed))).look(START)
        table.order("set_position", position=[*shut.to_28()], player="B").look(shut).order("double")
        assert table.events[-1].event == ("double" if allowed else "refused")


@pytest.mark.parametrize(("length", "limit", "ties", "value"), [(0, 1, 3, 2), (0, 2, 1, 2), (0, 2, 3, 4), (0, 0, 2, 1), (5, 1, 2, 1)])
def test_s6_s7_ties_turn_the_cube_up_to_the_limit_and_only_for_money(length: int, limit: int, ties: int, value: int) -> None:
    table = Table(new_game(ruleset=RuleSet(automatic_doubles=limit), length=length)).look(START)
    for tie in range(ties):
        table.look(START, ((3, "right", "flat"), (3, "left", "flat")), throw=tie).look(START)
    assert table.kinds == ["opening_tie"] * ties and table.state.cube.value == value


def test_s1_what_an_illegal_play_took_off_saves_no_gammon() -> None:
    """B has 14 on the board; the fifteenth vanished in a play that stood, and nobody has borne it off."""
    before = Position.from_28([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 1])
    after = Position.from_28([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 1])
    for missing, how in (((0, 0), "single"), ((0, 1), "gammon")):
        table = Table(new_game(length=7)).look(START).order("set_position", position=[*before.to_28()], player="A")
        table.state = replace(table.state, missing=missing)
        table.look(before, ((2, "right", "flat"), (1, "right", "flat"))).look(after).look(after)
        assert table.events[-1].event == "game_over" and table.events[-1].data["how"] == how
