"""The dice that lie: the same two dice followed over scenes, their values and states growing surer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import dist, exp, log, prod

from controller import thresholds as T
from controller.lanes_to_points import right_half
from rules.dice import Die, Place, ValidRoll, VoidRoll, judge_roll
from rules.plays import Roll
from rules.position import Player
from rules.ruleset import RuleSet
from vision.scene import DIE_STATES, DieSeen

ROLLS = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))


@dataclass(frozen=True, slots=True)
class Lying:
    """One die at rest: log-probabilities (not normalised) of its values 1..6 and of `DIE_STATES`, summed over scenes."""

    xy: tuple[float, float]
    size: float
    where: Place
    values: tuple[float, ...]
    states: tuple[float, ...]
    certainty: float
    seen: int = 1

    @staticmethod
    def of(die: DieSeen) -> Lying:
        return Lying(die.xy, die.size, die.where, _logs(die.values, T.VALUE_FLOOR), _logs(die.states, T.STATE_FLOOR), die.certainty)

    def same(self, other: Lying) -> bool:
        """Whether this is the same die as `other`, lying still or nudged: near, and nearer still when it shows another number."""
        apart = dist(self.xy, other.xy) / max(self.size, other.size, 1.0)
        agree = sum(a * b for a, b in zip(self.value_chances, other.value_chances, strict=True))
        return apart < (T.SAME_PLACE if agree >= T.NUMBERS_AGREE else T.UNMOVED)

    def plus(self, other: Lying) -> Lying:
        """Seen again."""
        return Lying(
            self.xy,
            self.size,
            self.where,
            tuple(a + b for a, b in zip(self.values, other.values, strict=True)),
            tuple(a + b for a, b in zip(self.states, other.states, strict=True)),
            max(self.certainty, other.certainty),
            self.seen + other.seen,
        )

    @property
    def value_chances(self) -> tuple[float, ...]:
        return _chances(self.values, self.seen)

    @property
    def state_chances(self) -> tuple[float, ...]:
        return _chances(self.states, self.seen)


def _logs(chances: Sequence[float], floor: float) -> tuple[float, ...]:
    return tuple(log(max(c, floor)) for c in chances)


def _chances(logs: Sequence[float], seen: int) -> tuple[float, ...]:
    """Of summed logs: further looks at the same die in the same light count less (`thresholds.DICE_REPEAT`)."""
    weight = min(1 + T.DICE_REPEAT * (seen - 1), T.MOST_SCENES) / seen
    top = max(logs)
    raw = [exp((x - top) * weight) for x in logs]
    total = sum(raw)
    return tuple(x / total for x in raw)


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice that lie in play (at most the two that are surest), and those seen lying off the board with them."""

    dice: tuple[Lying, ...]

    @property
    def in_play(self) -> tuple[Lying, ...]:
        return tuple(d for d in self.dice if d.where != "off")

    def same(self, other: Throw) -> bool:
        """Some die of this throw still lies where it lay (the other may be overlooked); or each look found one of the two."""
        if any(a.same(b) for a in self.in_play for b in other.in_play):
            return True
        return len(self.in_play) == len(other.in_play) == 1 and self.halves == other.halves

    def plus(self, other: Throw) -> Throw:
        """The same throw seen again; a die seen for the first time joins while there are fewer than two."""
        dice = list(self.dice)
        for new in other.dice:
            for n, old in enumerate(dice):
                if old.same(new):
                    dice[n] = old.plus(new)
                    break
            else:
                dice.append(new)
        return _pick(dice)

    @property
    def certain(self) -> bool:
        """Some die of two is surely one, or two in one half together, or a lone one very surely: less begins no roll."""
        if len(self.in_play) == 1:
            return self.in_play[0].certainty >= T.LONE_SURE
        doubt = prod(1 - d.certainty for d in self.in_play)
        pair = len(self.in_play) == 2 and len(self.halves) == 1
        return any(d.certainty >= T.DIE_SURE for d in self.in_play) or (pair and doubt <= 1 - T.PAIR_SURE)

    @property
    def halves(self) -> frozenset[str]:
        return frozenset(d.where for d in self.in_play)

    def nudged(self, other: Throw) -> bool:
        """The same two numbers in the same half, a little further on: somebody's sleeve, not a new roll."""
        if len(self.in_play) != 2 or len(other.in_play) != 2 or self.halves != other.halves or len(self.halves) != 1:
            return False
        return self.rolls().get(high_first(other.best_roll()[0]), 0.0) > 0.5

    def rolls(self, misread: float = 0.0) -> dict[Roll, float]:
        """Probability of each of the 21 rolls (high die first) by the two dice; a missing die may show anything, and so may
        each other one with chance `misread`."""
        chances = [tuple((1 - misread) * p + misread / 6 for p in d.value_chances) for d in self.dice[:2]]
        while len(chances) < 2:
            chances.append((1 / 6,) * 6)
        found: dict[Roll, float] = {}
        for a, b in product(range(6), repeat=2):
            roll = Roll(max(a, b) + 1, min(a, b) + 1)
            found[roll] = found.get(roll, 0.0) + chances[0][a] * chances[1][b]
        return found

    def best_roll(self) -> tuple[Roll, float]:
        """The likeliest roll in the order the dice were read, and its probability."""
        rolls = self.rolls()
        values = [1 + max(range(6), key=d.values.__getitem__) for d in self.dice[:2]]
        best = Roll(*values) if len(values) == 2 else max(rolls, key=rolls.__getitem__)
        return best, rolls[high_first(best)]


def high_first(roll: Roll) -> Roll:
    return Roll(roll.high, roll.low)


def _pick(dice: Sequence[Lying]) -> Throw:
    """At most two dice: those in play first, the surest of them; a die off the board only completes one in play."""
    playing = sorted((d for d in dice if d.where != "off"), key=lambda d: (-d.seen, -d.certainty))[:2]
    off = sorted((d for d in dice if d.where == "off"), key=lambda d: -d.certainty)
    # Two dice off the board with one in play are the other player's, waiting; which was thrown cannot be told.
    return Throw(tuple(playing + (off[:1] if len(playing) == 1 and len(off) % 2 else [])))


Places = tuple[tuple[float, float], ...]


def throw_of(dice: Sequence[DieSeen], resting: Places = (), ghosts: Places = (), known: Throw | None = None, pressed: Places = ()) -> Throw | None:
    """The throw that one scene shows; None when no die lies in play. `resting`: where dice lay beside the board before it;
    `ghosts`: where something in play only looks like a die; `pressed`: where the dice of the turn before still lie. `known`: the throw
    that lay before it; while both its dice still lie, whatever else comes to lie is not part of it."""
    lying: list[Lying] = []
    hidden: list[Lying] = []
    for seen in dice:
        off = seen.where == "off"
        none = (seen.certainty < T.DIE_SURE or at(seen, resting)) if off else at(seen, pressed)
        if seen.certainty >= T.DIE_CERTAIN and not none:
            ghost = not off and at(seen, ghosts)
            (hidden if ghost else lying).append(Lying.of(seen))
    # A die that came to rest where something was once taken for one: it is the other die of a lone one, if it surely is a die.
    beside = [d for d in hidden if d.certainty >= T.LONE_SURE and lying and d.where == lying[0].where]
    if len(lying) == 1 and len(beside) == 1:
        lying += beside
    still = [d for d in lying if known is not None and any(d.same(old) for old in known.dice)]
    throw = _pick(still if len(still) == 2 else lying)
    return throw if throw.in_play else None


def at(die: DieSeen, places: Places) -> bool:
    return any(dist(die.xy, xy) < T.SAME_PLACE * max(die.size, 1.0) for xy in places)


def beside_board(dice: Sequence[DieSeen]) -> Places:
    """Where dice lie off the board."""
    return tuple(d.xy for d in dice if d.where == "off")


def ghosts_of(dice: Sequence[DieSeen], known: Places, *, before_game: bool = False) -> Places:
    """The ghosts known and those of this scene, in which no throw lies: what is never surely a die, and, before the game,
    whatever looks like one."""
    new = [d.xy for d in dice if d.where != "off" and (before_game or d.certainty < T.DIE_SURE) and not at(d, known)]
    return (*known, *new)[-T.GHOSTS :]


@dataclass(frozen=True, slots=True)
class RollWeighed:
    """Probability that the roll is valid, and of each reason why it is void."""

    valid: float
    void: dict[VoidRoll, float]

    @property
    def why(self) -> VoidRoll | None:
        """The likeliest reason."""
        return max(self.void, key=self.void.__getitem__) if self.void else None


def weigh_roll(throw: Throw, player: Player, ruleset: RuleSet, names: tuple[str, str]) -> RollWeighed:
    """Clauses D4 and D7 over what the dice may be: every state of each die, weighed."""
    valid, void = 0.0, dict[VoidRoll, float]()
    options = [[(state, p) for state, p in zip(DIE_STATES, d.state_chances, strict=True) if p > 1e-3] for d in throw.dice]
    for combination in product(*options):
        chance = prod(p for _, p in combination)
        dice = [Die(1, d.where, state) for d, (state, _) in zip(throw.dice, combination, strict=True)]
        verdict = judge_roll(dice, player, ruleset, roller_half=right_half(player), names=names)
        if isinstance(verdict, ValidRoll):
            valid += chance
        elif isinstance(verdict, VoidRoll):
            void[verdict] = void.get(verdict, 0.0) + chance
    return RollWeighed(valid, void)


def opening_numbers(throw: Throw) -> tuple[Lying, Lying] | None:
    """(A's die, B's die) when one lies in each half, flat as far as seen (clause D1)."""
    if len(throw.in_play) != 2 or throw.halves != {"left", "right"}:
        return None
    first, second = throw.in_play
    return (first, second) if first.where == "right" else (second, first)
