"""Reading the checkers: how many stand on each lane and half of the bar, and whose they are.

A small network (trained by benchmarks/training/train_checkers.py) sees one lane crop at a time and knows no board: it
cannot make thirty of twenty-nine. Whose checkers they are is told by comparing how they look within the same board:
with the two sides as the profile learned them, or, in a picture without a profile, by splitting the lanes in two groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry, Image
from calibration.opening import Seen
from vision import lanes, thresholds
from vision.scene import MOST, BoardReading

MODEL = Path(__file__).parent / "models" / "checkers.onnx"
NETWORK = "checkers-3"
"""Name of the network whose `looks` a profile holds: another network's are not comparable."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sides:
    """How a checker of A and one of B look: float32 (2, n). `apart`: squared distance of the two, 0 if only one side was found."""

    looks: Floats
    apart: float


class CheckerNetwork:
    """The network, loaded once. Not safe to share between threads."""

    def __init__(self, model: Path = MODEL) -> None:
        self._net = cv2.dnn.readNetFromONNX(str(model))
        self._crops = np.empty((lanes.CROPS, lanes.CROP_HEIGHT, lanes.CROP_WIDTH, 3), np.uint8)

    def see(self, image: Image, geometry: BoardGeometry) -> Seen:
        """What stands where, owners untold. `image`: uint8 BGR (h, w, 3) px of the size `geometry` was measured in."""
        small, scaled = lanes.prepare(image, geometry)
        homographies = lanes.crop_homographies(scaled)
        crops = lanes.cut(small, homographies, self._crops)
        self._net.setInput(lanes.normalise(crops), "crops")
        self._net.setInput(lanes.lean(scaled, homographies), "lean")
        lane, bar, look, tops = self._net.forward(["lane", "bar", "look", "tops"])
        logits = np.concatenate([lane[:24], bar[24:]]) / thresholds.COUNT_TEMPERATURE
        mask = _sigmoid(np.asarray(tops, np.float32)).max(axis=1)
        weight = np.maximum(mask - 0.3, 0) + 1e-4
        small_crops = crops.reshape(lanes.CROPS, mask.shape[1], 4, mask.shape[2], 4, 3).mean(axis=(2, 4))
        colours = (small_crops * weight[..., None]).sum(axis=(1, 2)) / weight.sum(axis=(1, 2))[:, None]
        return Seen(_softmax(logits), np.asarray(look, np.float32), colours.astype(np.float32))


def split(seen: Seen) -> Sides:
    """The two sides of a picture without a profile, the lighter first, by 2-means over the lanes that hold checkers."""
    there = np.flatnonzero(seen.counts[:, 0] < 0.5)
    if len(there) == 0:
        return Sides(np.zeros((2, seen.looks.shape[1]), np.float32), 0.0)
    looks = seen.looks[there]
    apart = ((looks[:, None] - looks[None]) ** 2).sum(axis=2)
    first, second = np.unravel_index(apart.argmax(), apart.shape)
    centres = looks[[first, second]]
    for _ in range(10):
        near = ((looks[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.stack([looks[near == k].mean(axis=0) if (near == k).any() else centres[k] for k in (0, 1)])
    distance = float(((centres[0] - centres[1]) ** 2).sum())
    brightness = [float(seen.colours[there][near == k].mean()) if (near == k).any() else 0.0 for k in (0, 1)]
    if distance < thresholds.SIDES_APART:
        mean = looks.mean(axis=0)
        return Sides(np.stack([mean, mean + 1e3]).astype(np.float32), 0.0)
    if brightness[1] > brightness[0]:
        centres = centres[::-1]
    return Sides(centres.astype(np.float32), distance)


def reading(seen: Seen, looks: Floats) -> BoardReading:
    """Counts and looks together: probabilities over signed counts. `looks`: float32 (2, n), A's and B's."""
    gap = ((seen.looks - looks[1]) ** 2).sum(axis=1) - ((seen.looks - looks[0]) ** 2).sum(axis=1)
    of_a = _sigmoid(gap / thresholds.OWNER_TEMPERATURE)
    table = np.zeros((24, 2 * MOST + 1), np.float32)
    table[:, MOST] = seen.counts[:24, 0]
    table[:, MOST + 1 :] = seen.counts[:24, 1:] * of_a[:24, None]
    table[:, MOST - 1 :: -1] = seen.counts[:24, 1:] * (1 - of_a[:24, None])
    bar = np.zeros((2, MOST + 1), np.float32)
    for side, share in ((0, of_a), (1, 1 - of_a)):
        halves = []
        for half in (24, 25):
            own = seen.counts[half] * share[half]
            own[0] = 1 - own[1:].sum()
            halves.append(own)
        bar[side] = np.convolve(halves[0], halves[1])[: MOST + 1]
    return BoardReading(table / table.sum(axis=1, keepdims=True), bar / bar.sum(axis=1, keepdims=True))


def _softmax(x: NDArray[np.floating]) -> Floats:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)


def _sigmoid(x: NDArray[np.floating]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), np.float32)
