"""Calling an error: until when, by whom, and what becomes of it (clauses B5, E1 to E3).

Sources differ on nothing more than on this; each difference is a field of the rule set (research/rules-and-formats 4).

>>> settle(Since.ROLLED, called=True).clause
'E2'
>>> settle(Since.NOTHING, called=True).taken_back
True
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rules.position import Player
from rules.ruleset import DEFAULT, CallUntil, IllegalPlays, RuleSet


class Since(IntEnum):
    """What the opponent has done since the illegal play; each step comes after the one before it."""

    NOTHING = 0
    DOUBLED = 1
    """He offered the cube: a valid double, before his roll."""
    ROLLED = 2
    """He threw a roll that stands."""
    PLAYED = 3
    """He finished his own play."""


_CLOSED_BY = {
    CallUntil.OPPONENT_ROLLS: Since.ROLLED,
    CallUntil.OPPONENT_ROLLS_OR_DOUBLES: Since.DOUBLED,
    CallUntil.OPPONENT_PLAYED: Since.PLAYED,
}


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of an illegal play."""

    clause: str
    taken_back: bool
    """True: back to the position before, and the same roll is played again (E3). False: it stands as played (E2)."""
    roll_withdrawn: bool = False
    """The opponent had rolled already; his roll does not count and he rolls again (Bower/Horton/Simborg guide)."""


def in_time(since: Since, ruleset: RuleSet = DEFAULT) -> bool:
    """May an illegal play still be called (clause E1)? By default until the next roll."""
    return since < _CLOSED_BY[ruleset.call_until]


def settle(since: Since, *, called: bool, ruleset: RuleSet = DEFAULT) -> Settled:
    """The fate of an illegal play: taken back when it is called in time (E3), else it stands (E2)."""
    if called and in_time(since, ruleset):
        return Settled("E3", True, roll_withdrawn=since is Since.ROLLED)
    return Settled("E2", False)


def may_call(caller: Player, offender: Player, ruleset: RuleSet = DEFAULT) -> bool:
    """May this player point the play out? Either may, but under responsible moves only the opponent demands a legal play."""
    return ruleset.illegal_plays is not IllegalPlays.RESPONSIBLE_MOVES or caller is offender.other


def must_call(ruleset: RuleSet = DEFAULT) -> bool:
    """Must both players speak when they see one? Under legal moves they must; elsewhere silence is allowed."""
    return ruleset.illegal_plays is IllegalPlays.LEGAL_MOVES


def setup_stands(starters_turns: int, ruleset: RuleSet = DEFAULT) -> bool:
    """Is it too late to mend a wrong setup (clause B5), the starter having played so many turns? The game then goes on as it stands."""
    return starters_turns >= ruleset.setup_stands_after
