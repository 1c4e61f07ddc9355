"""The opening roll and the validity of rolls (clauses D1 to D7).

>>> from rules.position import Player
>>> judge_roll([Die(3, "right"), Die(1, "right")], Player.A)
ValidRoll(roll=Roll(first=3, second=1))
>>> judge_roll([Die(3, "right"), Die(1, "left")], Player.A).reason
'split'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rules.plays import Roll, is_forced
from rules.position import Player, Position
from rules.ruleset import DEFAULT, RuleSet

Half = Literal["left", "right"]
Place = Literal["left", "right", "bar", "rail", "off"]
"""Where a die came to rest; the halves are named from one fixed side of the board, the rail is its frame."""
State = Literal["flat", "cocked", "on_checker", "stacked"]
"""How a die came to rest: stacked lies on the other die."""
VoidReason = Literal["cocked", "on_checker", "wrong_half", "split", "off_board", "one_die", "premature"]


@dataclass(frozen=True, slots=True)
class Die:
    """One die at rest; `value` is None when it cannot be read."""

    value: int | None
    place: Place
    state: State = "flat"

    def __post_init__(self) -> None:
        if self.value is not None and not 1 <= self.value <= 6:
            raise ValueError(f"a die shows 1 to 6, not {self.value}")

    @property
    def in_play(self) -> bool:
        """On the playing surface, in either half."""
        return self.place in ("left", "right")


@dataclass(frozen=True, slots=True)
class ValidRoll:
    """The roll stands."""

    roll: Roll


@dataclass(frozen=True, slots=True)
class VoidRoll:
    """Both dice are rolled again."""

    reason: VoidReason
    clause: str
    sentence: str


@dataclass(frozen=True, slots=True)
class UnsureRoll:
    """Somebody must answer `question` first."""

    question: str


RollVerdict = ValidRoll | VoidRoll | UnsureRoll


def judge_roll(
    dice: Sequence[Die],
    player: Player,
    ruleset: RuleSet = DEFAULT,
    *,
    roller_half: Half = "right",
    names: tuple[str, str] = ("A", "B"),
) -> RollVerdict:
    """Does `player`'s roll stand (clauses D4, D7)? `roller_half` is where his right half lies as the dice's places are named.

    What is wrong with a die in play is said before where the dice lie, since it is what the players see first.
    """
    name = names[player.side]

    def void(reason: VoidReason, what: str) -> VoidRoll:
        return VoidRoll(reason, "D4", f"{what}; {name} rolls both dice again.")

    if not dice:
        return UnsureRoll(f"I see no dice; what did {name} roll?")
    if len(dice) > 2:
        return UnsureRoll(f"I see {len(dice)} dice; which two did {name} roll?")
    in_play = [die for die in dice if die.in_play]
    if any(die.state == "cocked" for die in in_play):
        return void("cocked", "A die does not lie flat")
    if any(die.state == "stacked" for die in in_play):
        return void("cocked", "A die lies on the other die")
    if not ruleset.on_checker_stands and any(die.state == "on_checker" for die in in_play):
        return void("on_checker", "A die rests on a checker")
    for die in dice:
        if not die.in_play:
            where = {"bar": "lies on the bar", "rail": "lies on the frame"}.get(die.place, "left the board")
            return void("off_board", f"A die {where}")
    if len(dice) == 1:
        return void("one_die", "Only one die lies on the board")
    first, second = dice
    if first.place != second.place:
        if not ruleset.split_stands:
            return void("split", "The dice lie in different halves")
    elif first.place != roller_half and not ruleset.either_half:
        return void("wrong_half", f"The dice lie in the left half as {name} sits")
    if first.value is None or second.value is None:
        unread = "Neither die" if first.value == second.value else "One die"
        verb = "can be read" if unread == "Neither die" else "cannot be read"
        return UnsureRoll(f"{unread} {verb}; what did {name} roll?")
    return ValidRoll(Roll(first.value, second.value))


def premature(
    before: Position,
    opponent: Player,
    opponents_roll: Roll,
    ruleset: RuleSet = DEFAULT,
    *,
    names: tuple[str, str] = ("A", "B"),
) -> VoidRoll | None:
    """Is a roll void because the `opponent`, who plays `opponents_roll` from `before`, has not lifted his dice (clause D6)?

    None when it stands: by the rule set (clause D7), or since nothing can depend on it (both bear off, or his play is forced).
    """
    if ruleset.premature_stands or both_bearing_off(before) or is_forced(before, opponent, opponents_roll):
        return None
    name, other = names[opponent.other.side], names[opponent.side]
    return VoidRoll("premature", "D6", f"{name} rolled before {other} had lifted his dice; {name} rolls both dice again.")


def both_bearing_off(position: Position) -> bool:
    """Both sides have every checker home and none on the bar, so contact is broken too."""
    return not any(any(position.counts(player)[7:]) for player in Player)


def opening_winner(a: int, b: int) -> Player | None:
    """Who plays first, with both numbers; None for a tie, which is rolled again (clause D1)."""
    for die in (a, b):
        if not 1 <= die <= 6:
            raise ValueError(f"a die shows 1 to 6, not {die}")
    return None if a == b else Player.A if a > b else Player.B
