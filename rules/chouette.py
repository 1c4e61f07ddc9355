"""Chouette (clauses H1 to H5): one player in the box against a team, each member with a cube and a settlement of his own.

A game and an evening are values; each thing that happens gives the next value. In the cubes the team is player A, the box B.

>>> table = Chouette(("Ann", "Bo", "Cy"))
>>> game = table.game().box_doubles().team_answers({"Bo"})
>>> game.captain, game.paid
('Bo', {'Cy': -1})
>>> table.after(game.over(TEAM, Win.GAMMON)).totals
{'Ann': -3, 'Bo': 4, 'Cy': -1}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from rules.cube import Cube, Refused
from rules.match import Win, points_for
from rules.position import Player
from rules.ruleset import RuleSet, preset

TEAM, BOX = Player.A, Player.B


class Consultation(StrEnum):
    """When a member may advise the captain (clause H2; houses differ)."""

    ALWAYS = "always"
    AFTER_OWN_CUBE = "after one's own cube is turned"
    NEVER = "never"


class BoxStays(StrEnum):
    """What the box has to do to stay (clause H4; houses differ)."""

    BEATS_CAPTAIN = "beats the captain"
    """The seeds' text, and most houses."""
    BEATS_ALL = "beats everybody"
    BREAKS_EVEN = "does not lose on the whole"


@dataclass(frozen=True, slots=True)
class ChouetteRules:
    """The switches that houses set differently; the defaults are the seeds' text."""

    ruleset: RuleSet = field(default_factory=lambda: preset("money without extras"))
    """Jacoby goes by each cube for itself."""
    unanimous: bool = True
    """H3: the team doubles only when all agree, and all cubes are turned together. Off: each turns his own."""
    consultation: Consultation = Consultation.ALWAYS
    least_takes: Fraction = Fraction(0)
    """Doubled by several, a box that takes at all takes at least this share of the cubes (half: Clinton Hill, eskgammon)."""
    lone_taker_beavers: bool = False
    """A member who alone takes the box's double must beaver it (backgammontips, Clinton Hill). Needs beavers in the rule set."""
    box_stays: BoxStays = BoxStays.BEATS_CAPTAIN
    settlements: bool = True
    """A member and the box may agree on points and end his part of the game."""

    def __post_init__(self) -> None:
        if not 0 <= self.least_takes <= 1:
            raise ValueError(f"least_takes: a share from 0 to 1, not {self.least_takes}")
        if self.lone_taker_beavers and not self.ruleset.beavers:
            raise ValueError("lone_taker_beavers: needs beavers in the rule set")


# --- the order at the table ---


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits where (clause H1): each rolls one die, those who tie roll again among themselves."""

    groups: tuple[tuple[str, ...], ...]
    """From the highest down; a group of several is still tied."""

    @classmethod
    def of(cls, players: Sequence[str]) -> Seating:
        _enough(players)
        return cls((tuple(players),))

    @property
    def to_roll(self) -> frozenset[str]:
        """Who rolls now; nobody when the order is settled."""
        return frozenset(player for group in self.groups if len(group) > 1 for player in group)

    def rolled(self, dice: Mapping[str, int]) -> Seating:
        """After one die from each who has to roll."""
        if set(dice) != self.to_roll:
            raise Refused("H1", f"One die from each of {', '.join(sorted(self.to_roll)) or 'nobody'} is wanted.")
        if not all(1 <= die <= 6 for die in dice.values()):
            raise Refused("H1", "A die shows 1 to 6.")
        groups: list[tuple[str, ...]] = []
        for group in self.groups:
            if len(group) == 1:
                groups.append(group)
                continue
            for number in sorted({dice[player] for player in group}, reverse=True):
                groups.append(tuple(player for player in group if dice[player] == number))
        return Seating(tuple(groups))

    @property
    def order(self) -> tuple[str, ...]:
        """The box, the captain, and the rest in line."""
        if self.to_roll:
            raise Refused("H1", f"Still tied: {', '.join(sorted(self.to_roll))}.")
        return tuple(group[0] for group in self.groups)


def _enough(players: Sequence[str]) -> None:
    if not 3 <= len(players) <= 8:
        raise Refused("H1", f"A chouette has 3 to 8 players, not {len(players)}.")
    if len(set(players)) != len(players):
        raise Refused("H1", "Two players of a chouette cannot have one name.")


# --- one game ---


@dataclass(frozen=True, slots=True)
class ChouetteGame:
    """One game. `cubes` are those still in play, the captain's first; `settled` holds what members who left it have won."""

    box: str
    team: tuple[str, ...]
    """All members in the order of the line, those who left included."""
    rules: ChouetteRules = field(default_factory=ChouetteRules)
    cubes: tuple[tuple[str, Cube], ...] = ()
    settled: tuple[tuple[str, int], ...] = ()
    captain: str = ""
    """Who moves for the team and decides after consultation (clause H2); the last one when nobody is left."""
    winner: Player | None = None
    automatic: int = 0
    """Automatic doubles made (clause S6)."""

    @property
    def members(self) -> tuple[str, ...]:
        """Who is still in."""
        return tuple(name for name, _ in self.cubes)

    @property
    def paid(self) -> dict[str, int]:
        """Points of members who have left the game, theirs against the box."""
        return dict(self.settled)

    @property
    def ended(self) -> bool:
        return not self.cubes

    def cube(self, member: str) -> Cube:
        for name, cube in self.cubes:
            if name == member:
                return cube
        raise Refused("H3", f"{member} is not in this game.")

    def may_consult(self, member: str) -> bool:
        """May this member advise the captain now (clause H2)? The captain always speaks for the team."""
        if member == self.captain:
            return True
        match self.rules.consultation:
            case Consultation.ALWAYS:
                return True
            case Consultation.NEVER:
                return False
        return dict(self.cubes)[member].turned if member in self.members else True

    # --- events ---

    def opening_tie(self) -> ChouetteGame:
        """A tie of the opening roll: every cube doubles, as often as the rule set allows (clause S6)."""
        limit = self.rules.ruleset.automatic_doubles
        cubes = tuple((name, cube.automatic(limit, self.automatic)) for name, cube in self.cubes)
        return replace(self, cubes=cubes, automatic=min(self.automatic + 1, limit))

    def team_doubles(self, willing: Collection[str]) -> ChouetteGame:
        """The team doubles the box: by the seeds all together or nobody (clause H3)."""
        self._still(willing)
        able = [name for name, cube in self.cubes if cube.owner is not BOX]
        against = ", ".join(name for name in able if name not in willing)
        if self.rules.unanimous and against:
            raise Refused("H3", f"The team doubles only unanimously; {against} is against it.")
        if not willing:
            raise Refused("H3", "Nobody doubles.")
        return self._turned(willing, TEAM)

    def box_doubles(self, members: Collection[str] | None = None) -> ChouetteGame:
        """The box doubles these members; without a word, all (clause H3)."""
        chosen = self.members if members is None else members
        self._still(chosen)
        if not chosen:
            raise Refused("H3", "Nobody is doubled.")
        return self._turned(chosen, BOX)

    def _turned(self, who: Collection[str], side: Player) -> ChouetteGame:
        self._nothing_open()
        ruleset = self.rules.ruleset
        return replace(self, cubes=tuple((name, cube.offer(side, ruleset=ruleset) if name in who else cube) for name, cube in self.cubes))

    def offered(self, side: Player) -> tuple[str, ...]:
        """Whose cube waits for an answer to a double by `side`."""
        return tuple(name for name, cube in self.cubes if cube.offered_by is side)

    def team_answers(self, takers: Collection[str], beavers: Collection[str] = ()) -> ChouetteGame:
        """Each doubled member takes (perhaps with a beaver) or drops for himself; droppers pay and leave (clause H3)."""
        doubled = self._answering(BOX, takers)
        if not set(beavers) <= set(takers):
            raise Refused("H3", "Only who takes can beaver.")
        lone = len(takers) == 1 and len(doubled) > 1
        if self.rules.lone_taker_beavers and lone and set(takers) != set(beavers) and self.cube(next(iter(takers))).kept_by is None:
            raise Refused("H3", f"{next(iter(takers))} takes alone and must beaver.")
        return self._answered(doubled, takers, beavers, TEAM)

    def box_answers(self, takes: Collection[str], beavers: Collection[str] = ()) -> ChouetteGame:
        """The box takes these members' doubles and passes the others'."""
        doubled = self._answering(TEAM, takes)
        if not set(beavers) <= set(takes):
            raise Refused("H3", "Only a cube that is taken can be beavered.")
        # Beavers are answered one by one.
        together = [name for name in doubled if self.cube(name).kept_by is None]
        taken = [name for name in together if name in takes]
        if self.rules.unanimous and taken and taken != together:
            raise Refused("H3", "The team doubled as one; the box takes or passes as one.")
        if taken and Fraction(len(taken), len(together)) < self.rules.least_takes:
            raise Refused("H3", f"By this house's rules a box that takes at all takes {self.rules.least_takes} of the cubes or more.")
        return self._answered(doubled, takes, beavers, BOX)

    def _answering(self, doubler: Player, takers: Collection[str]) -> tuple[str, ...]:
        doubled = self.offered(doubler)
        if not doubled:
            raise Refused("C3", "No double is offered.")
        strangers = set(takers) - set(doubled)
        if strangers:
            raise Refused("H3", f"{', '.join(sorted(strangers))} was not doubled.")
        return doubled

    def _answered(self, doubled: Sequence[str], takers: Collection[str], beavers: Collection[str], side: Player) -> ChouetteGame:
        kept: list[tuple[str, Cube]] = []
        settled = list(self.settled)
        for name, cube in self.cubes:
            if name not in doubled:
                kept.append((name, cube))
            elif name in beavers:
                kept.append((name, cube.beaver(side, self.rules.ruleset)))
            elif name in takers:
                kept.append((name, cube.take(side)))
            else:
                points = cube.drop(side)
                settled.append((name, -points if side is TEAM else points))
        return self._left(tuple(kept), tuple(settled), side.other)

    def _left(self, kept: tuple[tuple[str, Cube], ...], settled: tuple[tuple[str, int], ...], winner: Player) -> ChouetteGame:
        captain = self.captain
        if kept and captain not in dict(kept):
            captain = kept[0][0]
        return replace(self, cubes=kept, settled=settled, captain=captain, winner=self.winner if kept else winner)

    def settle(self, member: str, points: int) -> ChouetteGame:
        """`member` and the box agree on `points` for the member (below zero he pays), and his part ends."""
        if not self.rules.settlements:
            raise Refused("H5", "This house makes no settlements.")
        self.cube(member)
        self._nothing_open()
        kept = tuple((name, cube) for name, cube in self.cubes if name != member)
        return self._left(kept, (*self.settled, (member, points)), TEAM if points > 0 else BOX)

    def over(self, winner: Player, win: Win) -> ChouetteGame:
        """The game is played out, or resigned at this level: every cube still in pays (clause H5)."""
        if self.ended:
            raise Refused("H3", "The game is over.")
        self._nothing_open()
        sign = 1 if winner is TEAM else -1
        last = tuple((name, sign * points_for(win, cube, self.rules.ruleset, money=True)) for name, cube in self.cubes)
        return replace(self, cubes=(), settled=(*self.settled, *last), winner=winner)

    def _still(self, names: Collection[str]) -> None:
        for name in names:
            self.cube(name)

    def _nothing_open(self) -> None:
        for name, cube in self.cubes:
            if cube.offered_by is not None:
                raise Refused("C3", f"{name}'s cube is offered; it must be taken or passed first.")

    # --- what it comes to ---

    @property
    def settlement(self) -> dict[str, int]:
        """Points of everybody; they sum to zero (clause H5)."""
        if not self.ended:
            raise Refused("H5", "The game is not over.")
        points = self.paid
        return {self.box: -sum(points.values()), **{name: points[name] for name in self.team}}

    @property
    def box_stays(self) -> bool:
        """Does the box stay (clause H4)?"""
        points = self.settlement
        match self.rules.box_stays:
            case BoxStays.BEATS_CAPTAIN:
                return points[self.captain] < 0
            case BoxStays.BEATS_ALL:
                return all(points[name] < 0 for name in self.team)
        return points[self.box] >= 0

    @property
    def next_order(self) -> tuple[str, ...]:
        """Box, captain and line of the next game (clause H4)."""
        line = [name for name in self.team if name != self.captain]
        if self.box_stays:
            return (self.box, *line, self.captain)
        return (self.captain, *line, self.box)


@dataclass(frozen=True, slots=True)
class Chouette:
    """An evening: who sits where, and what everybody has won so far."""

    order: tuple[str, ...]
    """The box, the captain, the rest in line."""
    rules: ChouetteRules = field(default_factory=ChouetteRules)
    points: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        _enough(self.order)

    @property
    def totals(self) -> dict[str, int]:
        """Points of everybody who has played; they sum to zero (clause H5)."""
        return {**dict.fromkeys(sorted(self.order), 0), **dict(self.points)}

    def game(self) -> ChouetteGame:
        """A new game with the present order."""
        box, *team = self.order
        return ChouetteGame(box, tuple(team), self.rules, tuple((name, Cube()) for name in team), captain=team[0])

    def after(self, game: ChouetteGame) -> Chouette:
        """The evening with this game counted, and the order of the next (clauses H4, H5)."""
        if (game.box, *game.team) != self.order:
            raise Refused("H4", "That game was played in another order.")
        totals = self.totals
        for name, points in game.settlement.items():
            totals[name] += points
        return replace(self, order=game.next_order, points=tuple(totals.items()))
