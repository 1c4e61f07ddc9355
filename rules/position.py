"""Players, positions and observed boards.

A `Position` always adds up; a `Board` is whatever a camera (or a child) says is on the table.
Point numbers inside a `Position` are player A's: A travels 24 -> 1 and bears off below 1, B travels 1 -> 24 (clause B3).
One player's n-point is the other's 25-n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import Self

POINTS = 24
CHECKERS = 15
"""Checkers a side (clause B2)."""
BAR = 25
"""The bar in a player's own numbering: one pip behind the 24-point for entering."""
OFF = 0
"""Borne off, in a player's own numbering."""


class Player(StrEnum):
    """The two sides. A's numbering is the one a `Position` is written in."""

    A = "A"
    B = "B"

    @property
    def other(self) -> Player:
        return Player.B if self is Player.A else Player.A

    @property
    def side(self) -> int:
        """Place in (A, B) pairs: 0 or 1."""
        return 0 if self is Player.A else 1


class Status(IntFlag):
    """What is wrong with a position; zero when nothing is."""

    VALID = 0
    POINT_COUNT = 1
    """Not 24 points, or bar or off is not a pair."""
    NEGATIVE = 2
    """A count on the bar or off is below zero."""
    TOO_MANY_A = 4
    TOO_FEW_A = 8
    TOO_MANY_B = 16
    TOO_FEW_B = 32
    BOTH_OFF = 64
    """Both sides have borne everything off."""
    BAD_CHECKERS = 128
    """The number of checkers a side is not 1 to 15."""


_SENTENCES = {
    Status.POINT_COUNT: "a position has 24 points, and a pair each for bar and off",
    Status.NEGATIVE: "a count on the bar or off cannot be below zero",
    Status.TOO_MANY_A: "A has too many checkers",
    Status.TOO_FEW_A: "A has too few checkers",
    Status.TOO_MANY_B: "B has too many checkers",
    Status.TOO_FEW_B: "B has too few checkers",
    Status.BOTH_OFF: "both sides cannot have borne off all their checkers",
    Status.BAD_CHECKERS: "the number of checkers a side is 1 to 15",
}


class PositionError(ValueError):
    """The numbers do not make a position; `status` says in which ways."""

    def __init__(self, status: Status) -> None:
        super().__init__("; ".join(_SENTENCES[flag] for flag in status))
        self.status = status


def own_point(point: int, player: Player) -> int:
    """A's point number seen by `player`, and back: the mapping is its own inverse."""
    return point if player is Player.A else 25 - point


@dataclass(frozen=True, slots=True)
class Board:
    """What stands on the table, unconstrained: any count, even both colours on one point. It has no off count."""

    points: tuple[tuple[int, int], ...]
    """24 pairs (A count, B count), A's numbering."""
    bar: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if len(self.points) != POINTS or any(len(pair) != 2 for pair in self.points) or len(self.bar) != 2:
            raise PositionError(Status.POINT_COUNT)
        if min(self.bar) < 0 or any(min(pair) < 0 for pair in self.points):
            raise PositionError(Status.NEGATIVE)

    def counts(self, player: Player) -> tuple[int, ...]:
        """26 numbers in the player's own numbering; [0] is 0 (nothing is known of those off), [25] the bar."""
        side = player.side
        own = [pair[side] for pair in self.points]
        if player is Player.B:
            own.reverse()
        return (0, *own, self.bar[side])

    def on_table(self, player: Player) -> int:
        """Checkers of this side on points and bar."""
        return sum(pair[player.side] for pair in self.points) + self.bar[player.side]


@dataclass(frozen=True, slots=True)
class Position:
    """A consistent position: each side has exactly `checkers` on points, bar and off together."""

    points: tuple[int, ...]
    """24 counts in A's numbering: above zero A's checkers, below zero B's."""
    bar: tuple[int, int] = (0, 0)
    """(A, B)."""
    off: tuple[int, int] = (0, 0)
    """(A, B)."""
    checkers: int = CHECKERS

    def __post_init__(self) -> None:
        status = position_status(self.points, self.bar, self.off, self.checkers)
        if status:
            raise PositionError(status)

    @classmethod
    def from_28(cls, numbers: Sequence[int], checkers: int = CHECKERS) -> Self:
        """From 28 integers: 24 points, A bar, B bar, A off, B off."""
        if len(numbers) != 28:
            raise PositionError(Status.POINT_COUNT)
        return cls(tuple(numbers[:24]), (numbers[24], numbers[25]), (numbers[26], numbers[27]), checkers)

    @classmethod
    def from_counts(cls, a: Sequence[int], b: Sequence[int], checkers: int = CHECKERS) -> Self:
        """From 26 counts a side, each in its own numbering ([0] off, [25] bar)."""
        if len(a) != 26 or len(b) != 26:
            raise PositionError(Status.POINT_COUNT)
        if any(a[p] and b[25 - p] for p in range(1, 25)):
            raise PositionError(Status.TOO_MANY_B)
        return cls(tuple(a[p] - b[25 - p] for p in range(1, 25)), (a[25], b[25]), (a[0], b[0]), checkers)

    def to_28(self) -> tuple[int, ...]:
        return self.points + self.bar + self.off

    @property
    def board(self) -> Board:
        """The position as it would be observed."""
        return Board(tuple((max(n, 0), max(-n, 0)) for n in self.points), self.bar)

    def counts(self, player: Player) -> tuple[int, ...]:
        """26 numbers in the player's own numbering: [0] off, [1..24] own checkers, [25] bar."""
        side = player.side
        own = [max(n, 0) for n in self.points] if player is Player.A else [max(-n, 0) for n in reversed(self.points)]
        return (self.off[side], *own, self.bar[side])

    def at(self, player: Player, point: int) -> int:
        """Checkers on the player's own `point` (1..24): above zero his, below zero his opponent's."""
        return self.points[point - 1] if player is Player.A else -self.points[24 - point]

    def pips(self, player: Player) -> int:
        """Pips left to bear everything off; a checker on the bar has 25."""
        return sum(point * n for point, n in enumerate(self.counts(player)))

    @property
    def mirrored(self) -> Position:
        """The same position with the sides exchanged: A stands where B stood, in his own numbering."""
        return _trusted(tuple(-n for n in reversed(self.points)), self.bar[::-1], self.off[::-1], self.checkers)

    @property
    def contact(self) -> bool:
        """True while some checker of one side must still pass one of the other's."""
        a, b = self.counts(Player.A), self.counts(Player.B)
        back_a = max((p for p in range(1, 26) if a[p]), default=0)
        back_b = max((p for p in range(1, 26) if b[p]), default=0)
        return back_a + back_b > 25


def position_status(points: Sequence[int], bar: Sequence[int], off: Sequence[int], checkers: int = CHECKERS) -> Status:
    """All that is wrong with these numbers as a position."""
    if len(points) != POINTS or len(bar) != 2 or len(off) != 2:
        return Status.POINT_COUNT
    status = Status.VALID
    if not 1 <= checkers <= CHECKERS:
        status |= Status.BAD_CHECKERS
    if min(bar) < 0 or min(off) < 0:
        status |= Status.NEGATIVE
    a = sum(n for n in points if n > 0) + bar[0] + off[0]
    b = -sum(n for n in points if n < 0) + bar[1] + off[1]
    if a != checkers:
        status |= Status.TOO_MANY_A if a > checkers else Status.TOO_FEW_A
    if b != checkers:
        status |= Status.TOO_MANY_B if b > checkers else Status.TOO_FEW_B
    if off[0] == checkers and off[1] == checkers:
        status |= Status.BOTH_OFF
    return status


_set = object.__setattr__


def _trusted(points: tuple[int, ...], bar: tuple[int, int], off: tuple[int, int], checkers: int) -> Position:
    """A position from numbers that are known to add up: the generator makes dozens a roll, so they are not checked again."""
    position = object.__new__(Position)
    _set(position, "points", points)
    _set(position, "bar", bar)
    _set(position, "off", off)
    _set(position, "checkers", checkers)
    return position


START = Position((-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2))
"""The standard setup (clause B2): two on the 24-point, five on the 13, three on the 8, five on the 6."""


def _count(n: int, name: str) -> str:
    return f"no {name} checker" if n == 0 else f"{n} {name} checker" if n == 1 else f"{n} {name} checkers"


def setup_differences(board: Board, start: Position = START, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """What must change before play, one sentence a point (clause B5). Point numbers are the owner's; empty when all is right."""
    wanted = start.board
    sentences: list[str] = []
    for point in range(24, 0, -1):
        seen, want = board.points[point - 1], wanted.points[point - 1]
        for player in Player:
            have, need = seen[player.side], want[player.side]
            if have != need:
                name = names[player.side]
                sentences.append(f"{name}'s {own_point(point, player)}-point has {_count(have, name)}; it should have {need}.")
    for player in Player:
        have, need = board.bar[player.side], wanted.bar[player.side]
        if have != need:
            name = names[player.side]
            sentences.append(f"The bar has {_count(have, name)}; it should have {need}.")
    return sentences
