"""Guided correction: which checkers go from where to where, so that the board is as it should be. Pure; worked out anew at each look,
and empty as soon as the board is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.judge import shifts
from rules.position import BAR, OFF, Board, Player, Position


@dataclass(frozen=True, slots=True)
class Lift:
    """One player's checkers to be taken from one place and put on another, in his own numbering: 25 the bar, 0 beside the board."""

    player: Player
    start: int
    end: int
    checkers: int = 1

    def sentence(self, names: tuple[str, str]) -> str:
        many = f"{self.checkers} checkers" if self.checkers > 1 else "a checker"
        return f"{names[self.player.side]}: {many} from {_place(self.start)} to {_place(self.end)}"


def _place(point: int) -> str:
    return "the bar" if point == BAR else "beside the board" if point == OFF else f"the {point}-point"


def correction(seen: Board, target: Position) -> tuple[Lift, ...]:
    """The fewest checkers to move from the board as it is seen to `target`, those that go the same way together; empty when it is right."""
    lifts: list[Lift] = []
    for shift in shifts(seen, target):
        last = lifts[-1] if lifts else None
        if last and (last.player, last.start, last.end) == (shift.player, shift.start, shift.end):
            lifts[-1] = replace(last, checkers=last.checkers + 1)
        else:
            lifts.append(Lift(shift.player, shift.start, shift.end))
    return tuple(lifts)
