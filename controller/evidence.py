"""The evidence for one unchanged board: readings turned to points in A's numbering and added up over scenes."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, PlainSerializer, PlainValidator, with_config

from controller import thresholds as T
from controller.lanes_to_points import Home, point_rows
from rules.position import Position
from vision.scene import MOST, BoardReading

Rows = NDArray[np.float64]


def _pack(rows: Rows) -> str:
    return f"{rows.shape[1]}:" + base64.b64encode(rows.astype("<f4").tobytes()).decode("ascii")


def _unpack(given: object) -> Rows:
    if isinstance(given, np.ndarray):
        return np.asarray(given, np.float64)
    columns, _, text = str(given).partition(":")
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float64).reshape(-1, int(columns))


def _rounded(rows: Rows) -> Rows:
    """To what the journal can hold, so that a referee resumed from it decides exactly alike."""
    return rows.astype(np.float32).astype(np.float64)


StoredRows = Annotated[Rows, PlainSerializer(_pack, return_type=str), PlainValidator(_unpack)]
"""In the journal: columns, a colon, then 32-bit numbers in base64."""
Key = tuple[int, ...]
"""What stands on a board: 24 signed counts in A's numbering, then A's and B's checkers on the bar."""


def key_of(position: Position) -> Key:
    return position.points + position.bar


Looks = tuple[int, ...]
"""How many scenes showed each row: 24 points, then A's and B's bar."""


@with_config(ConfigDict(arbitrary_types_allowed=True))
@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-likelihoods, added up row by row: `points` (24, 31) by A's points, `bar` (2, 16). A row that a scene does not show
    (a covered lane) is left as it was: what was seen there before still holds, as long as the board does not change elsewhere."""

    points: StoredRows
    bar: StoredRows
    looks: Looks = (1,) * 26

    @staticmethod
    def of(reading: BoardReading, home: Home) -> Evidence:
        rows = [np.log(np.maximum(part, T.FLOOR)) for part in point_rows(reading, home)]
        shown = [part.max(axis=1) - part.min(axis=1) > 1e-6 for part in rows]
        points, bar = (_rounded(np.where(seen[:, None], part, 0.0)) for part, seen in zip(rows, shown, strict=True))
        return Evidence(points, bar, tuple(int(n) for n in np.concatenate(shown)))

    def _chances(self) -> tuple[Rows, Rows]:
        """Probabilities of points and bar as one typical scene gives them; a row never shown is flat."""
        looks = np.maximum(np.asarray(self.looks, np.float64), 1)[:, None]
        found = []
        for part, times in ((self.points, looks[:24]), (self.bar, looks[24:])):
            chance = np.exp((part - part.max(axis=1, keepdims=True)) / times)
            found.append(chance / chance.sum(axis=1, keepdims=True))
        return found[0], found[1]

    def chances(self) -> list[NDArray[np.float64]]:
        """Probabilities as one typical scene gives them: 24 rows over counts -15 to 15, then A's and B's bar over 0 to 15."""
        points, bar = self._chances()
        return [*points, *bar]

    def differs(self, other: Evidence) -> bool:
        """Somewhere they can hardly be the same: what one of them sees there the other does not."""
        rows = zip(self._chances(), other._chances(), (self.looks[:24], self.looks[24:]), (other.looks[:24], other.looks[24:]), strict=True)
        for mine, theirs, looks, others in rows:
            shown = (np.asarray(looks) > 0) & (np.asarray(others) > 0)
            if (shown & ((mine * theirs).sum(axis=1) < T.CHANGED)).any():
                return True
        return False

    @property
    def whole(self) -> bool:
        """Every point and the bar have been shown."""
        return all(self.looks)

    def plus(self, other: Evidence) -> Evidence:
        """One board, seen again; a different board replaces what was known."""
        if self.differs(other):
            return other
        looks = tuple(a + b for a, b in zip(self.looks, other.looks, strict=True))
        return Evidence(_rounded(self.points + other.points), _rounded(self.bar + other.bar), looks)

    @property
    def covered(self) -> tuple[int, ...]:
        """Rows that were never shown: points 0 to 23, then A's and B's bar."""
        return tuple(n for n, looks in enumerate(self.looks) if not looks)

    def without(self, rows: Sequence[int]) -> Evidence:
        """The same, but nothing is known of these rows."""
        points, bar, looks = self.points.copy(), self.bar.copy(), list(self.looks)
        for n in rows:
            looks[n] = 0
            if n < 24:
                points[n] = 0.0
            else:
                bar[n - 24] = 0.0
        return Evidence(points, bar, tuple(looks))

    def _weights(self) -> Rows:
        """What each row's sum is multiplied by: further looks count less."""
        looks = np.asarray(self.looks, np.float64)
        return np.asarray(np.minimum(1 + T.REPEAT_WEIGHT * (looks - 1), T.MOST_SCENES) / np.maximum(looks, 1))

    def loglik(self, keys: list[Key]) -> Rows:
        """Log-likelihood of each board (n,)."""
        if not keys:
            return np.zeros(0)
        table = np.asarray(keys)
        weights = self._weights()
        at = np.clip(table[:, :24] + MOST, 0, 2 * MOST)
        total = (self.points[np.arange(24), at] * weights[:24]).sum(axis=1)
        total += (self.bar[np.arange(2), np.clip(table[:, 24:], 0, MOST)] * weights[24:]).sum(axis=1)
        return np.asarray(total)

    def rows_at(self, counts: NDArray[np.int64]) -> Rows:
        """Log-likelihood of each point's count: (n, 24) counts of A's points, the same shape back."""
        weights = self._weights()[:24]
        return np.asarray(self.points[np.arange(24), np.clip(counts + MOST, 0, 2 * MOST)] * weights)

    def best_rows(self) -> Rows:
        """Log-likelihood of the likeliest count of each point (24,)."""
        return np.asarray(self.points.max(axis=1) * self._weights()[:24])

    def literal(self, fallback: Key) -> list[Key]:
        """The most likely board read row by row, and its variations in the rows that are in doubt.

        Rows that say nothing (a covered lane) are read as `fallback` has them.
        """
        best, doubt = list(fallback), list[tuple[float, int, int]]()
        points, bar = self._chances()
        for n, chance in enumerate([*points, *bar]):
            first, second = (int(i) - (MOST if n < 24 else 0) for i in np.argsort(chance)[:-3:-1])
            if chance.max() < T.COVERED:
                continue
            best[n] = first
            if chance.max() < T.LITERAL_ROW:
                doubt.append((float(chance.max()), n, second))
        boards = [best]
        for _, n, second in sorted(doubt)[: T.LITERAL_ROWS]:
            boards += [[*b[:n], second, *b[n + 1 :]] for b in boards]
        return [tuple(b) for b in boards]

    def seen(self, fallback: Key) -> Key:
        """The most likely board; what no scene showed is as `fallback` has it."""
        rows = [*(int(i) - MOST for i in self.points.argmax(axis=1)), *(int(i) for i in self.bar.argmax(axis=1))]
        return tuple(row if looks else known for row, known, looks in zip(rows, fallback, self.looks, strict=True))
