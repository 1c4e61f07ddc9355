"""Guided correction: which checkers go from where to where, so that the board is as it should be. Pure; worked out anew at each look,
and empty as soon as the board is right.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.judge import checkers_to_move
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
    """The fewest checkers to move from the board as it is seen to `target`, from the rear forward; empty when it is right."""
    lifts: list[Lift] = []
    wanted = target.board
    for player in Player:
        have, want = seen.counts(player), wanted.counts(player)
        start = [p for p in range(BAR, 0, -1) for _ in range(have[p] - want[p])]
        end = [p for p in range(BAR, 0, -1) for _ in range(want[p] - have[p])]
        start += [OFF] * (len(end) - len(start))
        end += [OFF] * (len(start) - len(end))
        for a, b in zip(start, end, strict=True):
            if lifts and (lifts[-1].player, lifts[-1].start, lifts[-1].end) == (player, a, b):
                lifts[-1] = Lift(player, a, b, lifts[-1].checkers + 1)
            else:
                lifts.append(Lift(player, a, b))
    return tuple(lifts)


def easiest(seen: Board, targets: tuple[Position, ...]) -> Position:
    """Of several right boards the one that needs the fewest checkers moved; the first of equals."""
    return min(targets, key=lambda target: checkers_to_move(seen, target.board))
