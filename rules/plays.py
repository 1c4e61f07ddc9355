"""Rolls, moves and legal plays (clauses M1 to M10, D3).

>>> from rules.position import START, Player
>>> plays = legal_plays(START, Player.A, Roll(3, 1))
>>> len(plays)
16
>>> plays.dice_played
2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from rules import engine
from rules.position import BAR, OFF, Player, Position


@dataclass(frozen=True, slots=True)
class Roll:
    """Two dice in the order they were rolled or read."""

    first: int
    second: int

    def __post_init__(self) -> None:
        if not (1 <= self.first <= 6 and 1 <= self.second <= 6):
            raise ValueError(f"a die shows 1 to 6, not {self.first} and {self.second}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """From two digits, with or without something between them: "31", "3-1", "3 1"."""
        digits = [c for c in text if c.isdigit()]
        if len(digits) != 2 or len(text.strip()) > 3:
            raise ValueError(f"a roll is two dice such as 31, not {text!r}")
        return cls(int(digits[0]), int(digits[1]))

    @property
    def double(self) -> bool:
        return self.first == self.second

    @property
    def high(self) -> int:
        return max(self.first, self.second)

    @property
    def low(self) -> int:
        return min(self.first, self.second)

    @property
    def dice(self) -> tuple[int, ...]:
        """The numbers to play: two, or four of a double (clause D3)."""
        return (self.first,) * 4 if self.double else (self.first, self.second)

    def __str__(self) -> str:
        return f"{self.first}-{self.second}"


@dataclass(frozen=True, slots=True)
class Move:
    """One checker moved by one die, in the mover's own numbering: 25 is the bar, 0 is off."""

    start: int
    end: int
    hit: bool = False

    @property
    def pips(self) -> int:
        """Pips travelled; bearing off with too large a die counts what was travelled, not the die."""
        return self.start - self.end


@dataclass(frozen=True, slots=True)
class Play:
    """One whole turn: its moves, rearmost first, and the position they lead to."""

    moves: tuple[Move, ...]
    result: Position

    @property
    def dance(self) -> bool:
        return not self.moves


class LegalPlays(Mapping[Position, Play]):
    """Every legal play of one roll, by resulting position. Each result is there once, with one natural order of moves.

    Empty when the player dances. The set is found at once; positions and moves are made when somebody asks for them.
    """

    def __init__(self, before: Position, player: Player, roll: Roll) -> None:
        self.before = before
        self.player = player
        self.roll = roll
        self._state, self._opposing = engine.pack(before, player)
        lost = before.off[player.other.side] == before.checkers  # the game is over (clause M10)
        self._found, self.dice_played = ([], 0) if lost else engine.results(self._state, self._opposing, (roll.first, roll.second))
        self._moves: dict[int, tuple[Move, ...]] = {}

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    @cached_property
    def _states(self) -> dict[Position, int]:
        unpack, opposing, before, player = engine.unpack, self._opposing, self.before, self.player
        return {unpack(state, opposing, before, player): state for state in self._found}

    def __iter__(self) -> Iterator[Position]:
        return iter(self._states)

    def __contains__(self, result: object) -> bool:
        return isinstance(result, Position) and self._state_of(result) is not None

    @cached_property
    def _known(self) -> frozenset[int]:
        return frozenset(self._found)

    def _state_of(self, result: Position) -> int | None:
        """The state that stands for a result, found without building all the others; None when no play leads there."""
        state, opposing = engine.pack(result, self.player)
        side = self.player.other.side
        hits = [point for point in range(1, 25) if self._opposing[point] == 1 and not opposing[point]]
        for point in hits:
            state |= engine.HIT_BIT[point]
        same_set = result.checkers == self.before.checkers and result.off[side] == self.before.off[side]
        if state not in self._known or not same_set or result.bar[side] != self.before.bar[side] + len(hits):
            return None
        left = bytearray(self._opposing)
        for point in hits:
            left[point] = 0
        return state if left == opposing else None

    def __getitem__(self, result: Position) -> Play:
        state = self._state_of(result)
        if state is None:
            raise KeyError(result)
        if state not in self._moves:
            self._moves[state] = self._way(state)
        return Play(self._moves[state], result)

    def _way(self, state: int) -> tuple[Move, ...]:
        """The moves to one result: the first way found, high die and rearmost checker first."""
        roll = self.roll
        orders = [roll.dice] if roll.double else [(roll.high, roll.low), (roll.low, roll.high)]
        ways = (way(self._state, state, self._opposing, order[: self.dice_played]) for order in orders)
        return in_order(next(found for found in ways if found is not None), self._opposing)


def way(state: int, target: int, opposing: bytes, dice: tuple[int, ...]) -> tuple[Move, ...] | None:
    """Moves with these dice, in this order, that lead from one state to another; None when there are none."""
    if not dice:
        return () if state == target else None
    wanted = engine.own_counts(target)
    for after, move in reversed(single_moves(state, opposing, dice[0])):
        if not _overshot(engine.own_counts(after), wanted):
            rest = way(after, target, opposing, dice[1:])
            if rest is not None:
                return (move, *rest)
    return None


def _overshot(own: bytes, wanted: bytes) -> bool:
    """Too many checkers have passed some point already; checkers only ever move down, so the way is lost."""
    behind = 0
    for point in range(BAR, OFF, -1):
        behind += own[point] - wanted[point]
        if behind < 0:
            return True
    return False


def single_moves(state: int, opposing: bytes, die: int) -> list[tuple[int, Move]]:
    """Every (state after, move) of one die."""
    moves = engine.landings(opposing, die, engine.POINT_BITS)
    found: list[tuple[int, Move]] = []
    for after in engine.step(state, die, moves, engine.entry(opposing, die)):
        counts, counts_after = engine.own_counts(state), engine.own_counts(after)
        start = next(p for p in range(BAR, OFF, -1) if counts_after[p] < counts[p])
        end = max(start - die, OFF)
        found.append((after, Move(start, end, after >> engine.HITS != state >> engine.HITS)))
    return found


def in_order(moves: tuple[Move, ...], opposing: bytes) -> tuple[Move, ...]:
    """The same moves from the rearmost forward, which is always a legal order; the first to land on a blot hits it."""
    ordered = sorted(moves, key=lambda move: (-move.start, move.end if move.end == OFF else -move.end))
    hit: set[int] = set()
    again: list[Move] = []
    for move in ordered:
        hits = move.end != OFF and opposing[move.end] == 1 and move.end not in hit
        if hits:
            hit.add(move.end)
        again.append(Move(move.start, move.end, hits))
    return tuple(again)


def legal_plays(position: Position, player: Player, roll: Roll) -> LegalPlays:
    """All the legal plays of `roll`; empty when the player dances (clauses M5, M7) or the game is over."""
    return LegalPlays(position, player, roll)


def legal_results(position: Position, player: Player, roll: Roll) -> frozenset[Position]:
    """The positions that a legal play of `roll` leads to; after a dance, the position as it is."""
    return frozenset(LegalPlays(position, player, roll)) or frozenset((position,))


def winner(position: Position) -> Player | None:
    """Who has borne off every checker (clause M10)."""
    for player in Player:
        if position.off[player.side] == position.checkers:
            return player
    return None


def is_shut_out(position: Position, player: Player) -> bool:
    """True when the player has a checker on the bar against six held points: he does not roll (clause M5)."""
    return position.bar[player.side] > 0 and all(position.at(player, point) <= -2 for point in range(19, 25))


def is_forced(position: Position, player: Player, roll: Roll) -> bool:
    """True when there is exactly one legal play, or none (clause D6)."""
    return len(LegalPlays(position, player, roll)) <= 1
