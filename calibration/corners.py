"""Setting the corners of a board that was found roughly: each is looked at closely, as it lies in the board.

The network that finds boards (calibration/locate.py) sees the whole picture at 320 px and is now and then wrong by 3 % of the board's width: the
frame's corner, say, instead of the surface's. Here each half of the board has four corners, of which two are the bar's ends. A close-up of
each, turned and mirrored so that the half lies to the right and below, goes to a small network (benchmarks/training/train_corners.py), which says
where in it the corner is.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import thresholds
from calibration.geometry import LANES_A_HALF, BoardGeometry, GeometryError, Image, Points, transform
from calibration.pictures import normalise, reduced

MODEL = Path(__file__).parent / "models" / "corners.onnx"
CROP = 80
"""Side of a close-up, px."""
REACH = 1.25
"""Lane widths that it shows on each side of where the corner should be."""
STRIDE = 4
"""Px of a close-up a cell of the network's map."""
LOOKS = 2
"""A corner that was far off is seen whole only at the second look."""
FINEST_LANE_PX = 64.0
"""A picture with wider lanes is made smaller first: warping to 32 px a lane from more than this aliases."""


def close_up_homographies(geometry: BoardGeometry, height: float) -> Points:
    """Homographies (8, 3, 3): px of a close-up -> image px; the corners of the left half, then of the right one, clockwise from its top left.

    height: of the surface, lane widths.
    """
    step, middle = 2 * REACH / CROP, (CROP - 1) / 2
    out = []
    for to_image in (geometry.left_to_image, geometry.right_to_image):
        for x, y in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)):
            sx, sy = step * (1 - 2 * x), step * (1 - 2 * y)
            local = np.array([[sx, 0, LANES_A_HALF * x - middle * sx], [0, sy / height, y - middle * sy / height], [0, 0, 1]])
            out.append(to_image @ local)
    return np.array(out, np.float64)


def close_ups(image: Image, homographies: Points) -> Image:
    """uint8 (n, CROP, CROP, 3)."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.stack([np.asarray(cv2.warpPerspective(image, h, (CROP, CROP), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8) for h in homographies])


def points(geometry: BoardGeometry) -> Points:
    """The eight corners of the two halves, image px (8, 2), in the order of `close_up_homographies`."""
    c, b = geometry.corners, geometry.bar
    return np.array([c[0], b[0], b[3], c[3], b[1], c[1], c[2], b[2]])


def from_points(eight: Points, size: tuple[int, int]) -> BoardGeometry:
    """The board with these corners. Raises GeometryError when they are none."""
    return BoardGeometry(eight[[0, 5, 6, 3]], eight[[1, 4, 7, 2]], size)


LEAST_SEEN = 6
"""Corners: five leave the bar's width open."""
BARS_TRIED = np.linspace(0.0, 2.2, 45)
"""Widths of the bar, lane widths."""
BAR = np.array([False, True, True, False, True, False, False, True])
"""Which of the eight are the bar's ends."""


def expected(maps: NDArray[np.float32]) -> tuple[Points, NDArray[np.float64]]:
    """Mean place in each map of logits (n, cells, cells), px of the close-up (n, 2), and how much of the map agrees, 0..1 (n,)."""
    n, cells, _ = maps.shape
    p = np.exp(maps.reshape(n, -1).astype(np.float64) - maps.reshape(n, -1).max(axis=1, keepdims=True))
    p = (p / p.sum(axis=1, keepdims=True)).reshape(n, cells, cells)
    at = (np.arange(cells) + 0.5) * STRIDE - 0.5
    x, y = (p.sum(axis=1) * at).sum(axis=1), (p.sum(axis=2) * at).sum(axis=1)
    near = (at[None, None, :] - x[:, None, None]) ** 2 + (at[None, :, None] - y[:, None, None]) ** 2 < thresholds.CORNER_AGREES**2
    return np.stack([x, y], axis=1), (p * near).sum(axis=(1, 2))


def completed(eight: Points, seen: NDArray[np.bool_]) -> Points:
    """The corners with those that were not seen put where the others say they must be, image px (8, 2).

    Both halves are taken to lie in one plane; a homography and the width of the bar follow from six corners. With fewer nothing is changed.
    """
    if seen.all() or seen.sum() < LEAST_SEEN:
        return eight
    return np.where(seen[:, None], eight, _in_one_plane(eight, seen)[0])


def agreeing(eight: Points, width: float) -> Points:
    """The corners, image px (8, 2), with one that the seven others contradict put where they say it must be. width: of the board, px."""
    best, least = eight, thresholds.CORNERS_AGREE * width
    for k in range(8):
        others = np.arange(8) != k
        fitted, off = _in_one_plane(eight, others)
        if off < least and np.linalg.norm(fitted[k] - eight[k]) > thresholds.CORNER_CONTRADICTED * width:
            best, least = np.where(others[:, None], eight, fitted), off
    return best


def _in_one_plane(eight: Points, used: NDArray[np.bool_]) -> tuple[Points, float]:
    """All eight corners of the flat board that fits those used best, image px (8, 2), and how far those are from it in the mean, px."""
    best, least = eight, np.inf
    for bar in BARS_TRIED:
        right = LANES_A_HALF + bar
        x = np.array([0, LANES_A_HALF, LANES_A_HALF, 0, right, right + LANES_A_HALF, right + LANES_A_HALF, right])
        flat = np.stack([x, [0, 0, 1, 1, 0, 0, 1, 1]], axis=1).astype(np.float64)
        homography, _ = cv2.findHomography(flat[used], eight[used])
        if homography is None:
            continue
        fitted = transform(np.asarray(homography, np.float64), flat)
        off = float(np.linalg.norm(fitted[used] - eight[used], axis=1).mean())
        if off < least:
            best, least = fitted, off
    return best, least


@cache
def _network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(MODEL))


def refined(image: Image, geometry: BoardGeometry, height: float) -> BoardGeometry:
    """The same board with its corners where they are seen to be.

    image: uint8 BGR (h, w, 3) of the size `geometry` is in; height: of the surface, lane widths. A corner that is not seen, under a hand say,
    is put where the others say it must be; all are left where they were when they make no board.
    """
    small, there = reduced(image, geometry, FINEST_LANE_PX)
    net = _network()
    with suppress(GeometryError):
        for _ in range(LOOKS):
            homographies = close_up_homographies(there, height)
            net.setInput(normalise(close_ups(small, homographies)))
            maps = np.asarray(net.forward(), np.float32)
            places, agree = expected(np.where(BAR[:, None, None], maps[:, 1], maps[:, 0]))
            moved = np.array([transform(h, [xy])[0] for h, xy in zip(homographies, places, strict=True)])
            seen = (agree >= thresholds.CORNER_SEEN) & (np.linalg.norm(places - (CROP - 1) / 2, axis=1) <= thresholds.CORNER_MOVED)
            there = from_points(completed(np.where(seen[:, None], moved, points(there)), seen), there.size)
        width = float(np.linalg.norm(there.corners[1] - there.corners[0]))
        there = from_points(agreeing(points(there), width), there.size)
    return there.scaled(geometry.size)
