"""Finding the board in a picture: where its corners and its bar may lie, by a small network, and which of them make a board.

The network (trained by benchmarks/training/train_locate.py) sees the picture at 320 by 240 px and marks corners of the playing
surface, where the bar's edges meet it, and the surface itself. Marks are joined to boards here; how well a board's marks and surface
agree is its certainty. A board turned by half a turn has the same marks: which way it lies is told by the opening, or by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import thresholds
from calibration.camera import view
from calibration.corners import refined
from calibration.geometry import BoardGeometry, GeometryError, Image, Points, transform
from calibration.pictures import normalise

MODEL = Path(__file__).parent / "models" / "locate.onnx"
INPUT = (320, 240)
"""Width and height, px, of what the network sees; other shapes of picture are padded."""
STRIDE = 2
"""Px of the input a cell of the maps."""
CORNERS_TRIED, BARS_TRIED = 7, 8
"""The strongest marks that are joined: four corners and four of the bar, and a few to spare."""
MOST = 4
"""Candidates handed on."""

Maps = NDArray[np.float32]


class BoardNotFound(ValueError):
    """No board was found for sure; the message says what to do."""


@dataclass(frozen=True, slots=True)
class _Mark:
    xy: tuple[float, float]
    heat: float


def fitted(image: Image) -> tuple[Image, Points]:
    """The picture inside `INPUT`, its edges repeated where its shape is another, and the map (3, 3): px of it -> px of `image`."""
    factor = min(INPUT[0] / image.shape[1], INPUT[1] / image.shape[0])
    width, height = round(image.shape[1] * factor), round(image.shape[0] * factor)
    small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
    left, top = (INPUT[0] - width) // 2, (INPUT[1] - height) // 2
    padded = cv2.copyMakeBorder(small, top, INPUT[1] - height - top, left, INPUT[0] - width - left, cv2.BORDER_REPLICATE)
    sx, sy = image.shape[1] / width, image.shape[0] / height
    back = np.array([[sx, 0, (0.5 - left) * sx - 0.5], [0, sy, (0.5 - top) * sy - 0.5], [0, 0, 1]], np.float64)
    return np.asarray(padded, np.uint8), back


@cache
def _network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(MODEL))


def candidates(image: Image, *, refine: bool = True) -> list[tuple[float, BoardGeometry]]:
    """Boards that could be in the BGR picture (h, w, 3) uint8, with their certainty 0..1, best first; px of the picture.

    refine: look closely at each corner (calibration/corners.py).
    """
    small, back = fitted(image)
    net = _network()
    net.setInput(normalise(small[None]))
    maps = np.asarray(1 / (1 + np.exp(-net.forward()[0])), np.float32)
    found = boards(maps, back, (image.shape[1], image.shape[0]))
    return [(sure, refined(image, geometry, view(geometry).height)) for sure, geometry in found] if refine else found


def boards(maps: Maps, back: Points, size: tuple[int, int]) -> list[tuple[float, BoardGeometry]]:
    """Join marks to boards. `maps`: (3, h, w) probabilities of corner, bar corner, surface; `back`: network px -> image px."""
    corners = _marks(maps[0], CORNERS_TRIED)
    ends = _marks(maps[1], BARS_TRIED)
    surface = maps[2] > 0.5
    out: list[tuple[float, BoardGeometry]] = []
    for four in combinations(corners, 4):
        quad = _clockwise(np.array([mark.xy for mark in four]))
        if quad is None:
            continue
        agreement = _overlap(quad, surface)
        if agreement < thresholds.SURFACE_AGREES:
            continue
        heat = float(np.prod([mark.heat for mark in four]) ** 0.25)
        for turn in (0, 1):
            bar, bar_heat = _bar(np.roll(quad, -turn, axis=0), ends)
            points = transform(back, np.r_[np.roll(quad, -turn, axis=0), bar])
            try:
                geometry = BoardGeometry(points[:4], points[4:], size)
            except GeometryError:
                continue
            out.append((heat * agreement * bar_heat, geometry))
    return sorted(out, key=lambda item: -item[0])[:MOST]


def _marks(heat: Maps, most: int) -> list[_Mark]:
    """Peaks of one map, the strongest first; px of the network's input."""
    rows, columns = np.nonzero((heat >= thresholds.MARK_HEAT) & (heat >= cv2.dilate(heat, np.ones((5, 5), np.uint8))))
    found = []
    for r, c in zip(rows.tolist(), columns.tolist(), strict=True):
        r0, c0 = max(r - 2, 0), max(c - 2, 0)
        around = heat[r0 : r + 3, c0 : c + 3] ** 2
        total = float(around.sum())
        y = float((around * (np.arange(around.shape[0])[:, None] + r0)).sum()) / total
        x = float((around * (np.arange(around.shape[1])[None, :] + c0)).sum()) / total
        found.append(_Mark(((x + 0.5) * STRIDE - 0.5, (y + 0.5) * STRIDE - 0.5), float(heat[r, c])))
    return sorted(found, key=lambda mark: -mark.heat)[:most]


def _clockwise(points: Points) -> Points | None:
    """Four points as a clockwise quadrilateral that begins at the top left, or None when they form none."""
    middle = points.mean(axis=0)
    quad = points[np.argsort(np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0]))]
    if not cv2.isContourConvex(quad.astype(np.float32).reshape(-1, 1, 2)):
        return None
    return np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0)


def _overlap(quad: Points, surface: NDArray[np.bool_]) -> float:
    """Intersection over union of a quadrilateral (network px) and the surface map."""
    drawn = np.zeros(surface.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(((quad + 0.5) / STRIDE - 0.5) * 16).astype(np.int32)], 1, shift=4)
    inside = drawn > 0
    union = float((inside | surface).sum())
    return float((inside & surface).sum()) / union if union else 0.0


def _bar(quad: Points, ends: list[_Mark]) -> tuple[Points, float]:
    """The bar (4, 2) of a board whose first edge is its top, and how sure its marks are (a board without any gets a middle line)."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_unit = cv2.getPerspectiveTransform(quad.astype(np.float32), unit).astype(np.float64)
    rows: list[list[tuple[float, float]]] = [[], []]
    for mark in ends:
        x, y = transform(to_unit, [mark.xy])[0]
        for row, edge in enumerate((0.0, 1.0)):
            if abs(y - edge) < thresholds.BAR_NEAR_EDGE and 0.35 < x < 0.65:
                rows[row].append((float(x), mark.heat))
    spans = [sorted(x for x, _ in row[:2]) for row in rows]
    heats = [max((h for _, h in row), default=0.02) for row in rows]
    if not spans[0] and not spans[1]:
        spans = [[0.5], [0.5]]
    spans = [span or spans[1 - row] for row, span in enumerate(spans)]
    (a, b), (c, d) = [(span[0], span[-1]) for span in spans]
    bar = transform(np.linalg.inv(to_unit), [(a, 0), (b, 0), (d, 1), (c, 1)])
    return bar, float(np.sqrt(heats[0] * heats[1]))
