"""Rolls that stand and rolls that do not, word for word (D1, D4, D6, D7)."""

import pytest
from some_positions import stand

from rules.dice import Die, UnsureRoll, ValidRoll, VoidRoll, both_bearing_off, judge_roll, opening_winner, premature
from rules.plays import Roll
from rules.position import START, Player
from rules.ruleset import RuleSet

A, B = Player.A, Player.B
NAMES = ("Ann", "Bo")


@pytest.mark.parametrize("value", [0, 7, -1])
def test_D1_a_die_shows_1_to_6(value: int) -> None:
    with pytest.raises(ValueError, match=f"a die shows 1 to 6, not {value}"):
        Die(value, "right")
    for pair in ((value, 1), (6, value)):
        with pytest.raises(ValueError, match=f"a die shows 1 to 6, not {value}"):
            opening_winner(*pair)
    assert Die(1, "right").in_play and Die(6, "left").in_play and not Die(None, "bar").in_play
    assert opening_winner(6, 1) is A and opening_winner(1, 6) is B


@pytest.mark.parametrize(
    ("dice", "reason", "sentence"),
    [
        ([Die(3, "right"), Die(1, "right", "cocked")], "cocked", "A die does not lie flat; Bo rolls both dice again."),
        ([Die(3, "right"), Die(1, "right", "stacked")], "cocked", "A die lies on the other die; Bo rolls both dice again."),
        ([Die(3, "right"), Die(1, "right", "on_checker")], "on_checker", "A die rests on a checker; Bo rolls both dice again."),
        ([Die(3, "right"), Die(1, "bar")], "off_board", "A die lies on the bar; Bo rolls both dice again."),
        ([Die(3, "rail"), Die(1, "right")], "off_board", "A die lies on the frame; Bo rolls both dice again."),
        ([Die(3, "right"), Die(1, "off")], "off_board", "A die left the board; Bo rolls both dice again."),
        ([Die(3, "off", "cocked")], "off_board", "A die left the board; Bo rolls both dice again."),
        ([Die(3, "right")], "one_die", "Only one die lies on the board; Bo rolls both dice again."),
        ([Die(3, "right"), Die(1, "left")], "split", "The dice lie in different halves; Bo rolls both dice again."),
        ([Die(3, "left"), Die(1, "left")], "wrong_half", "The dice lie in the left half as Bo sits; Bo rolls both dice again."),
    ],
)
def test_D4_why_a_roll_is_void(dice: list[Die], reason: str, sentence: str) -> None:
    assert judge_roll(dice, B, names=NAMES) == VoidRoll(reason, "D4", sentence)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dice", "question"),
    [
        ([], "I see no dice; what did Ann roll?"),
        ([Die(1, "right")] * 3, "I see 3 dice; which two did Ann roll?"),
        ([Die(None, "right"), Die(1, "right")], "One die cannot be read; what did Ann roll?"),
        ([Die(1, "right"), Die(None, "right")], "One die cannot be read; what did Ann roll?"),
        ([Die(None, "right"), Die(None, "right")], "Neither die can be read; what did Ann roll?"),
    ],
)
def test_D4_what_has_to_be_asked(dice: list[Die], question: str) -> None:
    assert judge_roll(dice, A, names=NAMES) == UnsureRoll(question)


def test_D4_D7_halves_as_the_roller_sits() -> None:
    left, right = [Die(2, "left"), Die(5, "left")], [Die(2, "right"), Die(5, "right")]
    assert judge_roll(right, A) == ValidRoll(Roll(2, 5)) == judge_roll(left, A, roller_half="left")
    assert isinstance(judge_roll(right, A, roller_half="left"), VoidRoll)
    either = RuleSet(either_half=True)
    assert judge_roll(left, A, either) == judge_roll(right, A, either, roller_half="left") == ValidRoll(Roll(2, 5))
    split = [Die(2, "left"), Die(5, "right")]
    assert isinstance(judge_roll(split, A, either), VoidRoll)
    assert judge_roll(split, A, RuleSet(either_half=True, split_stands=True)) == ValidRoll(Roll(2, 5))
    on_checker = [Die(2, "right", "on_checker"), Die(5, "right")]
    assert judge_roll(on_checker, A, RuleSet(on_checker_stands=True)) == ValidRoll(Roll(2, 5))


def test_D6_a_premature_roll() -> None:
    void = premature(START, A, Roll(3, 1), names=NAMES)
    assert void == VoidRoll("premature", "D6", "Bo rolled before Ann had lifted his dice; Bo rolls both dice again.")
    assert premature(START, A, Roll(3, 1), RuleSet(premature_stands=True)) is None
    forced = stand({20: 1, 3: 1}, {25 - 19: 2, 25 - 15: 2, 25 - 14: 2, 25 - 2: 2, 24: 2})
    assert premature(forced, A, Roll(6, 5)) is None


def test_D6_both_bearing_off_means_every_checker_home() -> None:
    home = stand({6: 5, 1: 5}, {6: 3, 2: 4})
    assert both_bearing_off(home) and both_bearing_off(home.mirrored)
    assert premature(home, A, Roll(2, 1)) is None
    assert not both_bearing_off(stand({7: 1, 6: 4}, {6: 3})) and not both_bearing_off(stand({6: 4}, {7: 1, 6: 3}))
    assert not both_bearing_off(stand({25: 1, 6: 4}, {6: 3}))
