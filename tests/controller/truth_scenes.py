"""Scenes as a perfect eye would see a filmed game, made from its game.json; with doubt as asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from controller.lanes_to_points import lane_order
from vision.scene import CUBE_FACES, DIE_STATES, BoardReading, CubeSeen, DieSeen, Scene


def sure(index: int, size: int, doubt: float = 0.01) -> tuple[float, ...]:
    return tuple(1 - doubt if i == index else doubt / (size - 1) for i in range(size))


def die(row: dict[str, Any]) -> DieSeen:
    state = DIE_STATES.index(row["state"])
    return DieSeen(tuple(row["xy"]), sure((row["value"] or 1) - 1, 6, 0.001), sure(state, 4), row["where"], 18.0)


def scene(number: int, frame: dict[str, Any], home: str, doubt: float = 0.02) -> Scene:
    position = frame["position"]
    counts = np.zeros(24, int)
    counts[lane_order("right" if home == "right" else "left")] = position[:24]
    board = BoardReading.certain([int(n) for n in counts], (position[24], position[25]), doubt)
    cube = frame.get("cube")
    seen = CubeSeen(tuple(cube["xy"]), sure(CUBE_FACES.index(cube["value"]), 6), cube["where"], 25.0) if cube else None
    return Scene(number, float(number), board, tuple(die(d) for d in frame["dice"]), seen, frame["file"])


def game(path: Path, doubt: float = 0.02) -> tuple[dict[str, Any], Iterator[Scene]]:
    data = json.loads(path.read_text())
    return data, (scene(i, f, data["home"], doubt) for i, f in enumerate(data["frames"]) if not f["hand"])
