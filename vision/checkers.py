"""Reading the checkers: how many stand on each lane and half of the bar, and whose they are.

A glance tells which lanes are surely empty (benchmarks/training/train_glance.py). The others are looked at by a network that sees one lane
crop at a time and knows no board: it cannot make thirty of twenty-nine (train_checkers.py). Whose checkers they are is told by comparing
how they look within the same board: with the two sides as the profile learned them, or, in a picture without a profile, by splitting the
lanes in two groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry, Image
from calibration.opening import Seen
from calibration.pictures import Tone, normalise, tone
from vision import lanes, thresholds
from vision.network import load, outputs
from vision.scene import MOST, BoardReading

MODELS = Path(__file__).parent / "models"
NETWORK = "checkers-5"
"""Name of the network whose `looks` a profile holds: another network's are not comparable."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sides:
    """How a checker of A and one of B look: float32 (2, n). `apart`: squared distance of the two, 0 if only one side was found."""

    looks: Floats
    apart: float


class CheckerNetwork:
    """The networks, loaded once. Not safe to share between threads."""

    def __init__(self, models: Path = MODELS) -> None:
        self._glance = load(models / "glance.onnx")
        self._net = load(models / "checkers.onnx")
        self._crops = np.empty((lanes.CROPS, lanes.CROP_HEIGHT, lanes.CROP_WIDTH, 3), np.uint8)

    def see(self, image: Image, geometry: BoardGeometry) -> Seen:
        """What stands where, owners untold. `image`: uint8 BGR (h, w, 3) px of the size `geometry` was measured in."""
        small, scaled = lanes.prepare(image, geometry)
        homographies = lanes.crop_homographies(scaled)
        crops = lanes.cut(small, homographies, self._crops)
        common = tone(crops)
        there = self._at_a_glance(crops, common)
        some = worth_looking(there)
        self._net.setInput(normalise(crops[some], common), "crops")
        self._net.setInput(lanes.lean(scaled, homographies[some]), "lean")
        lane, bar, look, tops = outputs(self._net, "lane", "bar", "look", "tops")
        counts = np.zeros((lanes.CROPS, MOST + 1), np.float32)
        counts[:, 0], counts[:, 1:3] = 1 - there, there[:, None] / 2  # more than two are never passed over
        counts[some] = _softmax(np.where(some[:, None] < 24, lane, bar) / thresholds.COUNT_TEMPERATURE)
        looks = np.repeat(look.mean(axis=0, keepdims=True), lanes.CROPS, axis=0)
        looks[some] = look
        colours = np.zeros((lanes.CROPS, 3), np.float32)
        colours[some] = top_colours(crops[some], _sigmoid(tops))
        return Seen(counts, looks, colours)

    def _at_a_glance(self, crops: Image, common: Tone) -> Floats:
        """How likely anything stands on each lane: float32 (26,)."""
        self._glance.setInput(normalise(lanes.halved(crops), common), "crops")
        return _sigmoid(outputs(self._glance, "there")[0])[:, 0]


def worth_looking(there: Floats) -> NDArray[np.intp]:
    """The lanes that are not surely empty, and at least `LOOKED_AT`: what a checker of this board looks like is learned from them together."""
    likeliest = np.argsort(-there, kind="stable")
    count = max(thresholds.LOOKED_AT, int((there >= thresholds.GLANCE_EMPTY).sum()))
    return np.sort(likeliest[:count])


def top_colours(crops: Image, tops: Floats) -> Floats:
    """Mean BGR where the tops of checkers are seen. crops: uint8 (n, h, w, 3); tops: float32 (n, 2, h / 4, w / 4). Returns float32 (n, 3)."""
    n, _, height, width = tops.shape
    small = cv2.resize(crops.reshape(-1, crops.shape[2], 3), (width, n * height), interpolation=cv2.INTER_AREA).reshape(n, height, width, 3)
    weight = np.maximum(tops.max(axis=1) - 0.3, 0) + 1e-4
    return np.asarray(np.einsum("nhwc,nhw->nc", small, weight) / weight.sum(axis=(1, 2))[:, None], np.float32)


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


def without_profile(seen: Seen) -> BoardReading:
    """The reading of a picture of whose board nothing is known: the sides are told apart by how they look, the lighter is A."""
    return reading(seen, split(seen).looks)


def _softmax(x: NDArray[np.floating]) -> Floats:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True), np.float32)


def _sigmoid(x: NDArray[np.floating]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), np.float32)
