"""The doubling cube (clauses C1 to C4), with the money options beaver and raccoon.

>>> cube = Cube().offer(Player.A).take(Player.B)
>>> cube.value, cube.owner
(2, <Player.B: 'B'>)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.position import Player
from rules.ruleset import DEFAULT, RuleSet


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
    kept_by: Player | None = None
    """Who keeps the cube when the double on offer is a beaver or a raccoon."""

    def __post_init__(self) -> None:
        if self.value < 1 or self.value & self.value - 1:
            raise ValueError(f"a cube's value is 1, 2, 4, 8 and so on, not {self.value}")

    @property
    def face(self) -> int:
        """The face up: 64 stands for 1, and past 64 for value/64 the same way round (clause C1)."""
        value = self.value
        while value > 64:
            value //= 64
        return 64 if value == 1 else value

    @property
    def stake(self) -> int:
        """The value if the double on offer is taken; without an offer, the value."""
        return self.value if self.offered_by is None else self.value * 2

    def offer(
        self, player: Player, *, on_turn: bool = True, rolled: bool = False, shut_out: bool = False, ruleset: RuleSet = DEFAULT
    ) -> Cube:
        """`player` doubles (clauses C2, C4). What a match forbids is in `match.MatchState.double`."""
        if self.offered_by is not None:
            raise Refused("C3", "A double is already offered; it must be taken or passed.")
        if not on_turn:
            raise Refused("C4", "Only the player whose turn it is may double.")
        if rolled:
            raise Refused("C4", "The dice are thrown; a double comes before the roll.")
        if self.owner is player.other:
            raise Refused("C2", "The other player owns the cube.")
        if shut_out and not ruleset.double_when_shut_out:
            raise Refused("C2", "By this rule set a player shut out on the bar may not double.")
        self._within(self.value * 2, ruleset)
        return replace(self, offered_by=player, turned=True)

    def take(self, player: Player) -> Cube:
        """`player` takes: he owns the cube at twice the value (clause C3). After a beaver or raccoon the beaverer keeps it."""
        self._answered_by(player)
        return replace(self, value=self.value * 2, owner=self.kept_by or player, offered_by=None, kept_by=None)

    def drop(self, player: Player) -> int:
        """`player` passes; the points he loses: the value before the double (clause C3)."""
        self._answered_by(player)
        return self.value

    def beaver(self, player: Player, ruleset: RuleSet = DEFAULT) -> Cube:
        """`player` takes, redoubles at once and keeps the cube; his opponent takes, passes or raccoons
        (money only; bkgm.com, backgammontips)."""
        self._answered_by(player)
        word, allowed = ("beaver", ruleset.beavers) if self.kept_by is None else ("raccoon", ruleset.raccoons)
        if not allowed or self.kept_by is player:
            raise Refused("C3", f"This double cannot be answered with a {word}.")
        self._within(self.value * 4, ruleset)
        return replace(self, value=self.value * 2, offered_by=player, kept_by=self.kept_by or player)

    def automatic(self, limit: int, done: int) -> Cube:
        """A tie on the opening roll doubles the middle cube, `limit` times a game at most (clause S6)."""
        return replace(self, value=self.value * 2) if done < limit and self.owner is None else self

    def _answered_by(self, player: Player) -> None:
        if self.offered_by is None:
            raise Refused("C3", "No double is offered.")
        if self.offered_by is player:
            raise Refused("C3", "The doubler cannot answer his own double.")

    def _within(self, value: int, ruleset: RuleSet) -> None:
        if ruleset.cube_limit and value > ruleset.cube_limit:
            raise Refused("C1", f"By this rule set the cube may not go beyond {ruleset.cube_limit}.")
