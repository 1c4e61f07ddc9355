"""The weighing: what the boards seen say for every legal result, and for the literal reading, legal or not.

Bayes with stated priors (`thresholds`): the legal results of every roll in question share the legal prior; the boards read
literally (and their variations in doubtful lanes) each get a slice of the illegal or, when no play attempt explains them,
of the strange prior. Nothing is snapped: a confident illegal board outweighs the nearest legal one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from controller import thresholds as T
from controller.evidence import Evidence, Key, Rows, key_of
from controller.slips import slips
from rules.plays import Roll, legal_results
from rules.position import Player, Position


class Answer(StrEnum):
    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Turn:
    """One way the turn may have been: where it began, who played, what was rolled."""

    before: Position
    player: Player
    roll: Roll


@dataclass(frozen=True, slots=True)
class Weighed:
    """The answer with its posterior."""

    answer: Answer
    posterior: float
    turn: Turn | None = None
    """The likeliest way to the best legal result."""
    way: float = 0.0
    """How surely it was that way, the result given."""
    result: Position | None = None
    """The best legal result."""
    board: Key | None = None
    """The best board that no legal play gives."""
    results: tuple[tuple[Position, float], ...] = ()
    """The legal results by posterior, best first."""
    legal: float = 0.0
    """Posterior of all legal results together."""
    others: tuple[tuple[Key, float], ...] = ()
    """Boards that no legal play gives, by posterior, best first."""
    seen: Evidence | None = None
    """What was weighed, when that was the committed board itself."""
    fits: bool = True
    """No row is surely read otherwise than in `result`."""


def weigh(evidence: Evidence, turns: Mapping[Turn, float], *, keep: Key | None = None) -> Weighed:
    """Weigh the evidence. `turns`: probability of each way the turn may have been. `keep`: a board that may also simply have
    been left as it is (an illegal play that stands), with prior `thresholds.STANDS`.
    """
    ways: dict[Position, list[tuple[float, Turn]]] = {}
    results_of: dict[Turn, frozenset[Position]] = {}
    for turn, chance in turns.items():
        if chance <= 0:
            continue
        results = results_of[turn] = legal_results(turn.before, turn.player, turn.roll)
        share = T.PRIOR_LEGAL * chance / len(results)
        for result in results:
            ways.setdefault(result, []).append((share, turn))
    positions = list(ways)
    if not positions:
        return Weighed(Answer.UNSURE, 0.0)
    legal_keys = [key_of(p) for p in positions]
    legal_seen = evidence.loglik(legal_keys)
    legal_scores = legal_seen + np.log([sum(share for share, _ in ways[p]) for p in positions])
    fallback = legal_keys[int(legal_scores.argmax())]
    others = _others(evidence.literal(fallback), turns, {t: {key_of(r) for r in found} for t, found in results_of.items()}, keep)
    keys = [key for key, _, _ in others]
    seen = evidence.loglik(keys)
    chances = _posterior(np.concatenate([legal_scores, seen + np.log([prior for _, prior, _ in others])]))
    n = len(positions)
    ranked = ranked_of(positions, chances[:n])
    called = [(float(chances[n + i]), key) for i, (key, _, attempt) in enumerate(others) if attempt]
    wrong, board = max(called) if called else (0.0, keys[int(chances[n:].argmax())] if keys else None)
    best, chance = ranked[0]
    share, turn = max(ways[best], key=lambda pair: pair[0])
    fits = float(seen.max() - legal_seen[positions.index(best)]) < T.READ_OTHERWISE if len(seen) else True
    answer = Answer.LEGAL if chance >= T.SURE and fits else Answer.ILLEGAL if wrong >= T.SURE else Answer.UNSURE
    return Weighed(
        answer,
        wrong if answer is Answer.ILLEGAL else chance,
        turn,
        share / sum(s for s, _ in ways[best]),
        best,
        board,
        ranked[: T.BELIEFS],
        float(chances[:n].sum()),
        tuple(sorted(zip(keys, map(float, chances[n:]), strict=True), key=lambda pair: -pair[1])[: T.BELIEFS]),
        evidence,
        fits,
    )


def ranked_of(positions: Sequence[Position], chances: Rows) -> tuple[tuple[Position, float], ...]:
    """Likeliest first."""
    return tuple(sorted(((p, float(c)) for p, c in zip(positions, chances, strict=True)), key=lambda pair: -pair[1]))


MOST_OFF = 4
"""Checkers that one turn can bear off."""
_ILLEGAL = T.PRIOR_ILLEGAL / T.PLAUSIBLE_ILLEGAL
_STRANGE = T.PRIOR_STRANGE / T.PLAUSIBLE_STRANGE


def _attempt(key: Key, turns: Iterable[Turn]) -> bool:
    return any(attempted(before, player, key) for before, player in {(turn.before, turn.player) for turn in turns})


def _posterior(scores: Rows) -> Rows:
    chances = np.exp(scores - scores.max())
    return np.asarray(chances / chances.sum())


def _others(
    literal: Sequence[Key], turns: Mapping[Turn, float], results: Mapping[Turn, set[Key]], keep: Key | None
) -> list[tuple[Key, float, bool]]:
    """Boards taken as no legal play, with their priors, and whether a play may have been meant. The boards before are among them
    (nothing was played), and so is one that is legal only with dice that were hardly rolled: that is how one pip too many is told
    from a misread die."""
    ways = {(turn.before, turn.player) for turn in results}
    total = sum(turns[turn] for turn in results)
    reach: dict[tuple[Position, Player], int] = {}
    for turn, keys in sorted(results.items(), key=lambda item: -turns[item[0]]):
        way = (turn.before, turn.player)
        if way in reach and turns[turn] < T.HARDLY * total:
            continue
        fewest = min(_on_table(key, turn.player) for key in keys)
        reach[way] = min(reach.get(way, fewest), fewest)
    found: list[tuple[Key, float, bool]] = []
    for key in dict.fromkeys([*literal, *(key_of(before) for before, _ in ways)]):
        chance = sum(turns[turn] for turn, keys in results.items() if key not in keys) / total
        if key != keep and chance > 0:
            slipped = sum(turns[turn] * slips(turn.before, turn.player, turn.roll).get(key, 0.0) for turn in results) / total
            attempt = slipped > 0 or _attempt(key, results)
            gone = min(_vanished(before, player, key, fewest, early_only=attempt) for (before, player), fewest in reach.items())
            prior = (_ILLEGAL if attempt else _STRANGE) * chance * T.VANISHED ** min(gone, T.VANISHED_MOST)
            found.append((key, max(slipped, prior), attempt))
    if keep is not None:
        found.append((keep, T.STANDS, True))
    return found


def _on_table(key: Key, player: Player) -> int:
    sign = 1 if player is Player.A else -1
    return sum(max(sign * n, 0) for n in key[:24]) + key[24 + player.side]


def _vanished(before: Position, player: Player, key: Key, fewest: int, *, early_only: bool) -> int:
    """Checkers that no play can have taken off the table, or that came from nowhere: far sooner misread than lost. `early_only`:
    of a play that was attempted only the player's own count, borne off before they might be."""
    own = _on_table(key, player)
    gone = max(fewest - own, 0)
    if early_only:
        return gone
    came = max(own - before.checkers + before.off[player.side], 0)
    return gone + came + abs(_on_table(key, player.other) - before.checkers + before.off[player.other.side])


def attempted(before: Position, player: Player, board: Key) -> bool:
    """Could a (careless) play have led here? Own checkers only forward, off only when nearly all are home; the opponent's
    moved only by hits, of which the bar may have been forgotten once."""
    side, other = player.side, player.other.side
    now, theirs = _halves(board, player)
    own, standing = before.counts(player), before.counts(player.other)
    # From the rear forward, no more checkers may be behind any point than before.
    behind_now, behind = board[24 + side], own[25]
    if behind_now > behind:
        return False
    for point in range(24, 0, -1):
        behind_now, behind = behind_now + now[point - 1], behind + own[point]
        if behind_now > behind:
            return False
    gone = behind - behind_now
    if gone and (gone > MOST_OFF or sum(own[7:]) > 2):
        return False
    hits = stood_on = 0
    for point in range(1, 25):
        change = standing[25 - point] - theirs[point - 1]
        if change and (change != 1 or standing[25 - point] != 1):
            return False
        hits += change
        stood_on += change and now[point - 1] > 0
    on_bar = board[24 + other] - before.bar[other]
    # A blot gone from the point and the bar, with nobody on its point, is a misread lane far sooner than a hit on the way.
    return 0 <= on_bar <= hits and hits - on_bar <= min(stood_on, 1)


def _halves(board: Key, player: Player) -> tuple[list[int], list[int]]:
    """Checkers of the player and of his opponent on points 1..24, both in the player's numbering."""
    sign = 1 if player is Player.A else -1
    signed = [sign * n for n in board[:24]][::sign]
    return [max(n, 0) for n in signed], [max(-n, 0) for n in signed]


def is_board(evidence: Evidence, position: Position, *, in_play: bool = True, off: Sequence[Player] = ()) -> float:
    """Posterior that this very position is seen, against the literal reading and its variations. `in_play`: the checkers of this position
    were there before, so that one too few is sooner misread than gone; but for those of the players in `off`, who may have borne them off."""
    key = key_of(position)
    others = [k for k in evidence.literal(key) if k != key]
    scores = evidence.loglik([key, *others])
    scores[1:] -= np.log(T.PLAUSIBLE_ILLEGAL)
    if in_play:
        gone = [sum(_changed(_on_table(key, p) - _on_table(k, p), p in off) for p in Player) for k in others]
        scores[1:] += np.log(T.VANISHED) * np.minimum(gone, T.VANISHED_MOST)
    return float(_posterior(scores)[0])


def _changed(gone: int, may_be_off: bool) -> int:
    """Checkers too few or too many on the table, without those that may have been borne off."""
    return 0 if may_be_off and 0 <= gone <= MOST_OFF else abs(gone)


def whole_again(evidence: Evidence, key: Key, before: Position) -> Key:
    """The board with as many checkers as there can be: where some are too few or too many, and cannot have been borne off, the row that
    is likeliest misread has them."""
    for player in Player:
        gone = before.checkers - before.off[player.side] - _on_table(key, player)
        home = not any(_halves(key, player)[0][6:]) and not key[24 + player.side]
        if gone == 0 or (home and 0 < gone <= MOST_OFF):
            continue
        sign = 1 if player is Player.A else -1
        rows = [n for n in range(24) if key[n] * sign >= 0 and key[n] * sign + gone >= 0]
        mended = [(*key[:n], key[n] + sign * gone, *key[n + 1 :]) for n in rows]
        bar = 24 + player.side
        if key[bar] + gone >= 0:
            mended.append((*key[:bar], key[bar] + gone, *key[bar + 1 :]))
        if mended:
            key = mended[int(evidence.loglik(mended).argmax())]
    return key
