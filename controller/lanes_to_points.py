"""From the lanes of the rectified board to A's points."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rules.dice import Half
from rules.position import Player
from vision.scene import LANES, BoardReading

Home = Literal["right", "left"]
"""The side of the rectified board on which A's points 1 to 6 lie (clause B4)."""


def lane_order(home: Home) -> list[int]:
    """For each of A's points 1..24, the index of its lane in `vision.scene.LANES`."""
    bottom, top = list(range(12, 24)), list(range(12))
    return [*bottom[::-1], *top] if home == "right" else [*bottom, *top[::-1]]


def right_half(player: Player) -> Half:
    """The half of the rectified board that is the player's right: A sits at its bottom edge, B at its top (clause D4)."""
    return "right" if player is Player.A else "left"


def point_rows(reading: BoardReading, home: Home) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Probabilities (24, 31) by A's points and (2, 16) for the bar; the rows of hidden lanes are flat, they carry nothing."""
    lanes = reading.lanes.astype(np.float64)
    bar = reading.bar.astype(np.float64)
    for lane in reading.hidden:
        if lane == "bar":
            bar[:] = 1 / bar.shape[1]
        elif lane in LANES:
            lanes[LANES.index(lane)] = 1 / lanes.shape[1]
    return lanes[lane_order(home)], bar
