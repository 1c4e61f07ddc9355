"""A set holds a known number of checkers: what each lane may hold, given what all the others hold.

This is no rule of the game but what is in the box. A lane read alone cannot tell a sixth checker that lies on the others
from five; the other lanes can, when they add up to nine. Checkers that were borne off, or lie beside the board, are
missing from the sum, so fewer than the whole set stays possible; only more is all but ruled out.

The referee is given readings without this: it must still see a checker that appeared from nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision import thresholds
from vision.scene import MOST, BoardReading

Floats = NDArray[np.float32]
EXTRA = 3
"""More checkers than the set holds are followed up to this many (a reading may be forced to it)."""
NEGLIGIBLE = 1e-4
"""A state less likely than this is not followed. On 100 rendered boards that nothing was trained on 24 of 2,391 lanes are wrong with it, 26 with 1e-6,
and it takes three quarters of the time."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One lane or bar: probabilities (k,) of its states, and what each state adds to either side's total."""

    p: Floats
    a: NDArray[np.int_]
    b: NDArray[np.int_]


def totals_weight(a_set: int, whole: float = thresholds.SET_WHOLE) -> NDArray[np.float64]:
    """Weight of each total 0 .. `a_set` + EXTRA of one side on the board; `whole` is that of all of them."""
    weight = np.full(a_set + EXTRA + 1, (1 - whole) / a_set)
    weight[a_set] = whole
    weight[a_set + 1 :] = thresholds.SET_EXCEEDED
    return weight


def with_set(reading: BoardReading, a_set: int = 15) -> BoardReading:
    """The reading's lanes and bar given that each side owns `a_set` checkers, by passing messages along the lanes.

    Checkers are borne off from home alone: a side that stands all over the board has all of its set on it more likely than one that
    stands in a single quarter. Each side's total so far is carried from lane to lane in both directions (the forward-backward algorithm of hidden
    Markov models; Rabiner, 1989), so that the result is the exact marginal of every lane.
    """
    signed = np.arange(-MOST, MOST + 1)
    counts, none = np.arange(MOST + 1), np.zeros(MOST + 1, int)
    parts = [_Part(row, np.maximum(signed, 0), np.maximum(-signed, 0)) for row in reading.lanes]
    parts += [_Part(reading.bar[0], counts, none), _Part(reading.bar[1], none, counts)]
    sides = []
    for side, lanes in enumerate((reading.lanes[:, MOST + 1 :], reading.lanes[:, :MOST])):
        home = _at_home(lanes.sum(axis=1), float(reading.bar[side, 0]))
        sides.append(home * totals_weight(a_set, thresholds.SET_WHOLE_HOME) + (1 - home) * totals_weight(a_set))
    found = _marginals(parts, np.outer(*sides))
    return BoardReading(np.stack(found[:24]), np.stack(found[24:]), reading.hidden)


def _at_home(there: Floats, bar_empty: float) -> float:
    """Chance that a side stands in one quarter of the board only. `there`: chance (24,) that a lane holds its checkers."""
    empty = np.prod(1 - np.asarray(there, np.float64).reshape(4, 6), axis=1)
    one_or_none = sum(float(np.prod(np.delete(empty, quarter))) for quarter in range(4)) - 3 * float(np.prod(empty))
    return min(max(one_or_none, 0.0), 1.0) * bar_empty


def counts_at_most(counts: Floats, both_sets: int) -> Floats:
    """Counts (n, 16), owners untold, given only that there are not more than `both_sets` checkers in the box.

    What the opening is checked with: a missing checker must be noticed, so no total up to the whole is preferred.
    """
    states, none = np.arange(counts.shape[1]), np.zeros(counts.shape[1], int)
    parts = [_Part(row, states, none) for row in counts]
    return np.stack(_marginals(parts, totals_weight(both_sets, 1 / (both_sets + 1))[:, None]))


def _marginals(parts: list[_Part], weight: NDArray[np.float64]) -> list[Floats]:
    shape = weight.shape
    before = [np.zeros(shape)]
    before[0][0, 0] = 1.0
    for part in parts:
        after = np.zeros(shape)
        for k in _possible(part, shape):
            a, b = part.a[k], part.b[k]
            after[a:, b:] += part.p[k] * before[-1][: shape[0] - a, : shape[1] - b]
        before.append(after / max(float(after.sum()), 1e-300))
    out: list[Floats] = []
    later = weight
    for part, so_far in zip(reversed(parts), reversed(before[:-1]), strict=True):
        marginal = np.zeros(len(part.p))
        earlier = np.zeros(shape)
        for k in _possible(part, shape):
            a, b = part.a[k], part.b[k]
            reached = later[a:, b:]
            marginal[k] = part.p[k] * float((so_far[: shape[0] - a, : shape[1] - b] * reached).sum())
            earlier[: shape[0] - a, : shape[1] - b] += part.p[k] * reached
        total = float(marginal.sum())
        out.append(np.asarray(marginal / total if total > 0 else part.p, np.float32))
        later = earlier / max(float(earlier.max()), 1e-300)
    return out[::-1]


def _possible(part: _Part, shape: tuple[int, ...]) -> list[int]:
    return [k for k in np.flatnonzero(part.p > NEGLIGIBLE).tolist() if part.a[k] < shape[0] and part.b[k] < shape[1]]
