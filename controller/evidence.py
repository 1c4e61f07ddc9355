"""The evidence for one unchanged board: readings turned to points in A's numbering and added up over scenes."""

from __future__ import annotations

import base64
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


@with_config(ConfigDict(arbitrary_types_allowed=True))
@dataclass(frozen=True, eq=False)
class Evidence:
    """Log-likelihoods: `points` (24, 31) by A's points, `bar` (2, 16); `scenes` is how many were added."""

    points: StoredRows
    bar: StoredRows
    scenes: int = 1

    @staticmethod
    def of(reading: BoardReading, home: Home) -> Evidence:
        points, bar = point_rows(reading, home)
        return Evidence(_rounded(np.log(np.maximum(points, T.FLOOR))), _rounded(np.log(np.maximum(bar, T.FLOOR))))

    def _rows(self) -> list[Rows]:
        return [*self.points, *self.bar]

    def differs(self, other: Evidence) -> bool:
        """Both are sure, and of different things, somewhere."""
        least = np.log(T.CHANGED)
        for mine, theirs in zip(self.mean()._rows(), other.mean()._rows(), strict=True):
            i, j = int(mine.argmax()), int(theirs.argmax())
            if i != j and mine[i] > least and theirs[j] > least:
                return True
        return False

    def mean(self) -> Evidence:
        """As of one scene."""
        return Evidence(self.points / self.scenes, self.bar / self.scenes)

    def plus(self, other: Evidence) -> Evidence:
        """One board, seen again; a different board replaces what was known."""
        if self.differs(other):
            return other
        return Evidence(_rounded(self.points + other.points), _rounded(self.bar + other.bar), self.scenes + other.scenes)

    @property
    def weight(self) -> float:
        """What the mean is multiplied by."""
        return min(1 + T.REPEAT_WEIGHT * (self.scenes - 1), T.MOST_SCENES)

    def loglik(self, keys: list[Key]) -> Rows:
        """Log-likelihood of each board (n,)."""
        if not keys:
            return np.zeros(0)
        table = np.asarray(keys)
        at = np.clip(table[:, :24] + MOST, 0, 2 * MOST)
        total = self.points[np.arange(24), at].sum(axis=1)
        total += self.bar[np.arange(2), np.clip(table[:, 24:], 0, MOST)].sum(axis=1)
        return np.asarray(total * (self.weight / self.scenes))

    def literal(self, fallback: Key) -> list[Key]:
        """The most likely board read row by row, and its variations in the rows that are in doubt.

        Rows that say nothing (a covered lane) are read as `fallback` has them.
        """
        best, doubt = list(fallback), list[tuple[float, int, int]]()
        for n, row in enumerate(self.mean()._rows()):
            chance = np.exp(row - row.max())
            chance /= chance.sum()
            first, second = (int(i) - (MOST if n < 24 else 0) for i in np.argsort(row)[:-3:-1])
            if chance.max() < T.COVERED:
                continue
            best[n] = first
            if chance.max() < T.LITERAL_ROW:
                doubt.append((float(chance.max()), n, second))
        boards = [best]
        for _, n, second in sorted(doubt)[: T.LITERAL_ROWS]:
            boards += [[*b[:n], second, *b[n + 1 :]] for b in boards]
        return [tuple(b) for b in boards]

    @property
    def seen(self) -> Key:
        """The most likely board."""
        rows = self.points.argmax(axis=1)
        bar = self.bar.argmax(axis=1)
        return tuple(int(i) - MOST for i in rows) + tuple(int(i) for i in bar)
