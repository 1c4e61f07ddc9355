"""Looking back over a roll: the next dice lie already, and the board has moved on with them before the last play was judged.

The board seen now is one of the last roll's legal results with some of the next roll played on it. Every result is weighed by all the
boards that the next player may have reached from it, and by what was seen of the board before.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from controller import thresholds as T
from controller.evidence import Evidence, Rows, key_of
from controller.slips import on_the_way
from controller.weigh import Answer, Turn, Weighed, attempted, ranked_of
from rules.plays import Roll, legal_results
from rules.position import Player, Position


def look_back(
    now: Evidence,
    turns: Mapping[Turn, float],
    following: Mapping[Roll, float],
    *,
    committed: Evidence | None = None,
    lay: Evidence | None = None,
    standing: Position | None = None,
) -> Weighed:
    """The last turn, weighed by a board that the next player has begun to play on.

    turns: probability of each way the last turn may have been. following: of each roll the next player may hold. committed: the board
    when the last turn's dice had been lifted; lay: while they still lay (a play that may have been changed). standing: an illegal play
    that was called and may stand. Answers legal, unsure, or illegal when that one stands.
    """
    weights: dict[Position, list[tuple[float, Turn]]] = {}
    for turn, chance in turns.items():
        if chance > 0:
            legal = legal_results(turn.before, turn.player, turn.roll)
            for result in legal:
                weights.setdefault(result, []).append((T.PRIOR_LEGAL * chance / len(legal), turn))
    player = next(iter(turns)).player
    if standing is not None:
        weights[standing] = [(T.STANDS, next(iter(turns)))]
    results = _fitting(now, list(weights), player)
    if not results:
        return Weighed(Answer.UNSURE, 0.0)
    keys = [key_of(r) for r in results]
    scores = np.log([sum(share for share, _ in weights[r]) for r in results])
    if committed is not None:
        scores = scores + committed.loglik(keys)
    if lay is not None:
        scores = scores + np.logaddexp(np.log(T.CHANGED_AFTER), np.log(1 - T.CHANGED_AFTER) + _normal(lay.loglik(keys)) + np.log(len(keys)))
    scores = scores + _seen_after(now, results, player.other, following)
    literal = now.literal(keys[int(scores.argmax())])[0]
    strange = float(now.loglik([literal])[0]) + np.log(T.PRIOR_STRANGE / T.PLAUSIBLE_STRANGE)
    for before in {t.before for t in turns}:
        if attempted(before, player, literal):
            strange = max(strange, float(now.loglik([literal])[0]) + np.log(T.PRIOR_ILLEGAL / T.PLAUSIBLE_ILLEGAL))
    left = committed.literal(keys[int(scores.argmax())])[0] if committed is not None else None
    if committed is not None and left is not None:
        strange += float(committed.loglik([left])[0])
    chances = np.exp(_normal(np.append(scores, strange)))
    ranked = ranked_of(results, chances[:-1])
    best, chance = ranked[0]
    share, turn = max(weights[best], key=lambda pair: pair[0])
    sure = Answer.UNSURE if chance < T.SURE else Answer.ILLEGAL if best == standing else Answer.LEGAL
    return Weighed(
        sure,
        chance,
        turn,
        share / sum(s for s, _ in weights[best]),
        best,
        key_of(best) if best == standing else None,
        ranked[: T.BELIEFS],
        float(chances[:-1].sum()),
        ((left, float(chances[-1])),) if left is not None else (),
    )


def explained(now: Evidence, position: Position, player: Player, rolls: Mapping[Roll, float]) -> float:
    """How much likelier the board is read literally than as this position with some of these rolls played on it (log-likelihood, 0 or more)."""
    keys = {key for roll in rolls for key in on_the_way(position, player, roll)}
    literal = now.literal(key_of(position))[0]
    return float(now.loglik([literal])[0] - now.loglik(list(keys)).max())


def _normal(scores: Rows) -> Rows:
    """Logs of chances that add up to one."""
    top = scores.max()
    return np.asarray(scores - top - np.log(np.exp(scores - top).sum()))


def _fitting(now: Evidence, results: list[Position], player: Player) -> list[Position]:
    """Without the results whose made points are surely not there now: the next player cannot have touched those."""
    side, sign = player.side, 1 if player is Player.A else -1
    counts = np.asarray([r.points for r in results])
    made = counts * sign >= 2
    scores = np.where(made, now.rows_at(counts), 0.0).sum(axis=1)
    best = np.where(made, now.best_rows(), 0.0).sum(axis=1)
    lost = best - scores
    keep = lost <= lost.min() + T.TOO_UNLIKELY
    return [r for r, k in zip(results, keep, strict=True) if k and r.off[side] < r.checkers]


def _seen_after(now: Evidence, results: list[Position], player: Player, following: Mapping[Roll, float]) -> Rows:
    """Log-likelihood of the board seen, for each result: half the weight on the board untouched, half on every board on the way."""
    found = np.empty(len(results))
    total = sum(following.values())
    for n, result in enumerate(results):
        terms = [np.log(0.5) + now.loglik([key_of(result)])]
        for roll, chance in following.items():
            keys = list(on_the_way(result, player, roll))
            terms.append(np.log(0.5 * chance / total / len(keys)) + now.loglik(keys))
        every = np.concatenate(terms)
        found[n] = every.max() + np.log(np.exp(every - every.max()).sum())
    return found
