"""The doubling cube (clauses C1 to C4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.position import Player


class Refused(ValueError):
    """Not allowed now; names the clause."""

    def __init__(self, clause: str, sentence: str) -> None:
        super().__init__(f"{sentence} ({clause})")
        self.clause = clause
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Cube:
    """Value, owner (None: in the middle) and who has a double on offer. Every change is a new value."""

    value: int = 1
    owner: Player | None = None
    offered_by: Player | None = None
    turned: bool = False
    """Some double has been offered in this game; automatic ones do not count (clause S5)."""

    @property
    def face(self) -> int:
        """The face up: 64 stands for 1, and past 64 for value/64 the same way round (clause C1)."""
        value = self.value
        while value > 64:
            value //= 64
        return 64 if value == 1 else value

    def offer(self, player: Player, *, on_turn: bool = True, rolled: bool = False, limit: int = 0) -> Cube:
        """`player` doubles (clause C2)."""
        if self.offered_by is not None:
            raise Refused("C3", "a double is already offered; it must be taken or dropped")
        if not on_turn:
            raise Refused("C4", "only the player whose turn it is may double")
        if rolled:
            raise Refused("C4", "the dice are thrown; a double comes before the roll")
        if self.owner is player.other:
            raise Refused("C2", "the other player owns the cube")
        if limit and self.value * 2 > limit:
            raise Refused("C4", f"the cube may not go beyond {limit}")
        return replace(self, offered_by=player, turned=True)

    def _taker(self, player: Player) -> None:
        if self.offered_by is None:
            raise Refused("C3", "no double is offered")
        if self.offered_by is player:
            raise Refused("C3", "the doubler cannot answer his own double")

    def take(self, player: Player) -> Cube:
        """`player` takes: he owns the cube at twice the value (clause C3)."""
        self._taker(player)
        return replace(self, value=self.value * 2, owner=player, offered_by=None)

    def drop(self, player: Player) -> int:
        """`player` drops; the points he loses: the value before the double (clause C3)."""
        self._taker(player)
        return self.value

    def automatic(self, limit: int, done: int) -> Cube:
        """A tie on the opening roll doubles the middle cube, `limit` times a game at most (clause S6)."""
        return replace(self, value=self.value * 2) if done < limit and self.owner is None else self
