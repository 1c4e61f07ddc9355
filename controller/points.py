"""From the lanes of the rectified board to A's points and back."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rules.position import Board, Player
from vision.scene import MOST, BoardReading

Home = Literal["right", "left"]
Floats = NDArray[np.float64]

RIGHT_HALF: dict[Player, Literal["right", "left"]] = {Player.A: "right", Player.B: "left"}
"""Which half of the rectified board is each player's right half: A sits at its bottom edge, B at its top (D4)."""


def lane_order(home: Home) -> list[int]:
    """For each of A's points 1 to 24 the index of its lane in `vision.scene.LANES`."""
    top, bottom = list(range(12)), list(range(12, 24))
    return [*bottom[::-1], *top] if home == "right" else [*bottom, *top[::-1]]


def log_likelihoods(board: BoardReading, home: Home, floor: float) -> tuple[Floats, Floats]:
    """Natural logs of the reading by points: (24, 31) over signed counts -15..15, and (2, 16) for the bar; none below log(floor)."""
    points = np.log(np.maximum(board.lanes[lane_order(home)].astype(np.float64), floor))
    return points, np.log(np.maximum(board.bar.astype(np.float64), floor))


def literal(points: Floats, bar: Floats) -> Board:
    """The likeliest board, lane by lane, however impossible."""
    counts = points.argmax(axis=1) - MOST
    on_bar = bar.argmax(axis=1)
    return Board(tuple((max(int(n), 0), max(-int(n), 0)) for n in counts), (int(on_bar[0]), int(on_bar[1])))


def score(points: Floats, bar: Floats, board: Board) -> float:
    """Log-likelihood of one board. A point that holds both sides' checkers is scored as the larger pile."""
    signed = np.array([a if a >= b else -b for a, b in board.points])
    rows = np.arange(24)
    total = points[rows, np.clip(signed, -MOST, MOST) + MOST].sum()
    return float(total + bar[0, min(board.bar[0], MOST)] + bar[1, min(board.bar[1], MOST)])
