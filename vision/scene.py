"""What vision hands on: one settled frame as probabilities, however impossible the position may be.

Lanes are named on the rectified board (its bar vertical): `top1` to `top12` along the far edge, left to right, then
`bottom1` to `bottom12` along the near edge, left to right. Side A is the one the profile says (the player who sits at
the bottom edge); in a picture read without a profile A is the lighter side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vision import thresholds

LANES: tuple[str, ...] = tuple(f"top{i}" for i in range(1, 13)) + tuple(f"bottom{i}" for i in range(1, 13))
"""The 24 lane names in the order of every per-lane array."""
MOST = 15
"""The largest number of checkers counted on one lane or on the bar."""
COUNTS: tuple[int, ...] = tuple(range(-MOST, MOST + 1))
"""Signed counts in the order of the last axis of `BoardReading.lanes`: -15 (15 of side B) .. 0 .. +15 (15 of side A)."""
CUBE_FACES: tuple[int, ...] = (2, 4, 8, 16, 32, 64)

Half = Literal["left", "right", "bar", "off"]
DieState = Literal["flat", "cocked", "on_checker", "stacked"]
CubePlace = Literal["top", "bottom", "middle", "left", "right", "other"]
DIE_STATES: tuple[DieState, ...] = ("flat", "cocked", "on_checker", "stacked")

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BoardReading:
    """Probabilities over what stands on each lane and on the bar.

    lanes: float32 (24, 31), rows in the order of `LANES`, columns in the order of `COUNTS`, each row sums to 1.
    bar: float32 (2, 16), row 0 side A, row 1 side B, columns 0..15 checkers, each row sums to 1.
    hidden: lanes (or "bar") that something covers, so that the row says little.
    """

    lanes: Floats
    bar: Floats
    hidden: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.lanes.shape != (24, 31) or self.bar.shape != (2, 16):
            raise ValueError(f"expected lanes (24, 31) and bar (2, 16), got {self.lanes.shape} and {self.bar.shape}")

    @property
    def counts(self) -> tuple[int, ...]:
        """The most likely signed count of each lane, in the order of `LANES`."""
        return tuple(int(i) - MOST for i in self.lanes.argmax(axis=1))

    @property
    def on_bar(self) -> tuple[int, int]:
        """The most likely numbers of checkers of A and of B on the bar."""
        a, b = (int(i) for i in self.bar.argmax(axis=1))
        return a, b

    def confidence(self) -> Floats:
        """Probability of the most likely count of each lane: float32 (24,)."""
        return np.asarray(self.lanes.max(axis=1), np.float32)

    @staticmethod
    def certain(counts: Sequence[int], on_bar: tuple[int, int] = (0, 0), doubt: float = 0.001) -> BoardReading:
        """A reading that is sure of these counts, `doubt` spread evenly over the others (for tests and simulations)."""
        lanes = np.full((24, 31), doubt / 30, np.float32)
        lanes[np.arange(24), np.asarray(counts) + MOST] = 1 - doubt
        bar = np.full((2, 16), doubt / 15, np.float32)
        bar[(0, 1), on_bar] = 1 - doubt
        return BoardReading(lanes, bar)


@dataclass(frozen=True, slots=True)
class DieSeen:
    """One die. `values` are the probabilities of 1..6; `states` those of `DIE_STATES`; both sum to 1."""

    xy: tuple[float, float]
    """Image px of the centre of its body."""
    values: tuple[float, ...]
    states: tuple[float, ...]
    where: Half
    """Half of the rectified board, the bar, or off (outside the playing surface)."""
    size: float
    """Side of its upper face, px."""
    certainty: float = 1.0
    """Probability that this is a die at all."""

    @property
    def value(self) -> int:
        return 1 + max(range(6), key=self.values.__getitem__)

    @property
    def state(self) -> DieState:
        return DIE_STATES[max(range(4), key=self.states.__getitem__)]


@dataclass(frozen=True, slots=True)
class CubeSeen:
    """The doubling cube. `values` are the probabilities of `CUBE_FACES`."""

    xy: tuple[float, float]
    values: tuple[float, ...]
    where: CubePlace
    size: float
    certainty: float = 1.0

    @property
    def value(self) -> int:
        return CUBE_FACES[max(range(6), key=self.values.__getitem__)]


def readable(piece: DieSeen | CubeSeen) -> int | None:
    """The number that a die or the cube shows; None where it cannot be read."""
    return piece.value if max(piece.values) >= thresholds.FACE_SURE else None


@dataclass(frozen=True, slots=True)
class Scene:
    """One settled frame, read. `time` in s since the source began (a folder of frames counts one second a picture)."""

    frame: int
    time: float
    board: BoardReading
    dice: tuple[DieSeen, ...] = ()
    cube: CubeSeen | None = None
    name: str = ""
    """File name or other label of the frame."""
    notes: tuple[str, ...] = field(default=())
    """Plain words on what was amiss (too dark, glare, covered)."""
