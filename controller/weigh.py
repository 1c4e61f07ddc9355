"""The verdict: what the camera saw, weighed under every legal result and against the literal reading.

Posterior weight of a board = likelihood of the scenes given the board x prior of the board. Snapping to the nearest legal
position would hide the illegal play we exist to find, so the literal reading is always among the explanations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from controller import thresholds as T
from controller.points import Floats, literal, score
from rules.judge import Illegal, judge
from rules.plays import Play, Roll, legal_plays
from rules.position import Board, Player, Position
from rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class LegalBoard:
    player: Player
    roll: Roll
    play: Play
    weight: float


@dataclass(frozen=True, slots=True)
class IllegalBoard:
    player: Player
    roll: Roll
    board: Board
    why: Illegal
    weight: float


@dataclass(frozen=True, slots=True)
class Unsure:
    question: str


Weighed = LegalBoard | IllegalBoard | Unsure


def likely_rolls(first: tuple[float, ...], second: tuple[float, ...]) -> dict[Roll, float]:
    """Rolls with their probabilities, from the log-probabilities of two dice, the likeliest first."""
    chances = {Roll(i + 1, j + 1): math.exp(a + b) for i, a in enumerate(first) for j, b in enumerate(second)}
    total = sum(chances.values())
    kept = {r: c / total for r, c in chances.items() if c / total >= T.ROLLS_WEIGHED}
    return dict(sorted(kept.items(), key=lambda item: -item[1]))


def weigh(
    before: Position,
    players: tuple[Player, ...],
    rolls: Mapping[Roll, float],
    points: Floats,
    bar: Floats,
    ruleset: RuleSet,
    names: tuple[str, str],
) -> Weighed:
    """`points` (24, 31) and `bar` (2, 16): summed log-likelihoods of the scenes of the committed board, by A's points."""
    legal: list[tuple[float, LegalBoard]] = []
    for player in players:
        for roll, chance in rolls.items():
            plays = legal_plays(before, player, roll)
            results = list(plays) or [before]
            prior = math.log(T.PRIOR_LEGAL * chance / len(results) / len(players))
            for result in results:
                play = plays[result] if len(plays) else Play((), before)
                legal.append((score(points, bar, result.board) + prior, LegalBoard(player, roll, play, 0.0)))
    seen = literal(points, bar)
    top = next(iter(rolls))
    best = max(legal, key=lambda item: item[0])
    allowed = any(b.play.result.board == seen for _, b in legal if b.roll == top)
    odd = -math.inf if allowed else score(points, bar, seen) + math.log(T.PRIOR_ILLEGAL / T.PLAUSIBLE_ILLEGAL)
    peak = max(best[0], odd)
    total = sum(math.exp(w - peak) for w, _ in legal) + math.exp(odd - peak)
    alike = sum(math.exp(w - peak) for w, b in legal if b.play.result == best[1].play.result) / total
    if alike >= T.SURE:
        return LegalBoard(best[1].player, best[1].roll, best[1].play, alike)
    share = math.exp(odd - peak) / total
    if share >= T.SURE and len(players) == 1:
        verdict = judge(before, players[0], top, seen, ruleset, names)
        if isinstance(verdict, Illegal):
            return IllegalBoard(players[0], top, seen, verdict, share)
    return Unsure(_question(best[1], names))


def _question(best: LegalBoard, names: tuple[str, str]) -> str:
    who = names[best.player.side]
    return f"was {who}'s play with {best.roll} legal? The board could not be read for sure"
