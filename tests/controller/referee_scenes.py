"""Scenes made from a rendered game's truth (or a real sequence's), with as much noise as asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from controller.lanes_to_points import Home, lane_order
from vision.scene import CUBE_FACES, DIE_STATES, BoardReading, CubeSeen, DieSeen, Scene

SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
GAMES = ("easy1", "oblique1", "dim1", "sharp1")


def load_game(name: str) -> dict[str, Any]:
    game: dict[str, Any] = json.loads((SHARED / "renders/games" / name / "game.json").read_text(encoding="utf-8"))
    return game


def peaked(n: int, at: int, sure: float) -> tuple[float, ...]:
    """`n` probabilities with `sure` at one place and the rest spread."""
    return tuple(sure if i == at else (1 - sure) / (n - 1) for i in range(n))


def reading(numbers: Sequence[int], home: Home, rng: np.random.Generator | None = None, noise: float = 0.0) -> BoardReading:
    """A sure reading of 28 integers; with `noise`, each lane doubts by that chance, and is then misread by one checker half the time."""
    counts = [0] * 24
    for point, lane in enumerate(lane_order(home)):
        counts[lane] = numbers[point]
    board = BoardReading.certain(counts, (numbers[24], numbers[25]))
    if rng is None or not noise:
        return board
    lanes = board.lanes.copy()
    for row in np.flatnonzero(rng.random(24) < noise):
        share = float(rng.uniform(0.1, 0.9))
        at = counts[row] + 15
        lanes[row] *= 1 - share
        lanes[row, min(max(at + int(rng.choice((-1, 1))), 0), 30)] += share
    return BoardReading(lanes / lanes.sum(axis=1, keepdims=True), board.bar)


def die(given: dict[str, Any], sure: float = 0.99) -> DieSeen:
    return DieSeen(
        tuple(given["xy"]), peaked(6, given["value"] - 1, sure), peaked(4, DIE_STATES.index(given["state"]), sure), given["where"], 20.0
    )


def cube(given: dict[str, Any] | None, sure: float = 0.95) -> CubeSeen | None:
    if not given:
        return None
    return CubeSeen(tuple(given["xy"]), peaked(6, CUBE_FACES.index(given["value"]), sure), given["where"], 20.0)


def scenes(game: dict[str, Any], seed: int = 0, noise: float = 0.0, dropped: float = 0.0, dice_missed: float = 0.0) -> Iterator[Scene]:
    """The settled scenes of a game: frames with a hand are left out, as the gate does. A share of the frames may be `dropped`
    (never the first), and a share of the dice not found."""
    rng = np.random.default_rng(seed)
    for index, frame in enumerate(game["frames"]):
        if frame["hand"] or (index and rng.random() < dropped):
            continue
        dice = tuple(die(d) for d in frame["dice"] if rng.random() >= dice_missed)
        board = reading(frame["position"], game["home"], rng, noise)
        yield Scene(index, float(index), board, dice, cube(frame["cube"]), frame["file"])


def sequence() -> tuple[list[Scene], list[int], list[list[int] | None]]:
    """The real sequence: its scenes with A = green, whose home is at the bottom left, the start, the dice of each frame."""
    rows = json.loads((SHARED / "photos/sequence/truth.json").read_text(encoding="utf-8"))["sequence"]
    found: list[Scene] = []
    last: tuple[Any, tuple[DieSeen, ...]] = (None, ())
    for index, row in enumerate(rows):
        counts = [0] * 24
        for half, edge in enumerate(("top", "bottom")):
            for column, text in row[edge].items():
                counts[12 * half + int(column) - 1] = int(text[1:]) * (1 if text[0] == "g" else -1)
        thrown = row["dice"]
        if thrown and thrown != last[0]:
            xy = (100.0 + 37 * index % 300, 200.0 + 53 * index % 200)
            dice = tuple(
                DieSeen((xy[0] + 40 * n, xy[1]), peaked(6, v - 1, 0.99), peaked(4, 0, 0.99), "left", 20.0) for n, v in enumerate(thrown)
            )
            last = (thrown, dice)
        elif not thrown:
            last = (None, ())
        found.append(Scene(index, float(index), BoardReading.certain(counts), last[1], None, row["frame"]))
    start = list(found[0].board.counts)
    return found, start, [row["dice"] for row in rows]
