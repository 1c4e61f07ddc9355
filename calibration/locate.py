"""Finding the board in a picture: quadrilaterals that could be the playing surface, told apart by the pattern of the points.

Twelve points of two colours in turn stand along each long edge, six on each side of the bar: a rectified candidate must show
that rhythm along both edges. The rhythm ranks candidates, it does not prove one: measured on 84 pictures (benchmarks/accuracy.py,
`located`), the best ranked is seldom within 2 % of the true corners. So a candidate is only ever used when something else
confirms it: the opening position, read exactly through it.
"""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry, GeometryError, Image

WORKING_WIDTH = 480
"""px: wide enough to see a point (about 20 px), small enough to be quick."""
SMALLEST_SHARE = 0.12
"""Of the picture: a smaller board could not be read anyway."""
SHRINKS = (0.0, 0.03, 0.06, 0.09, 0.12)
"""How far inside a found outline the playing surface may begin, as a share of its size: frames differ."""
BARS = (0.0, 0.05, 0.09)
"""Bar widths tried, as shares of the board's width."""
NEAR = 0.015
"""Of the picture's width: candidates closer than this are one."""
MOST = 8
"""Candidates handed on: each costs a full reading to confirm."""


class BoardNotFound(ValueError):
    """No board was found for sure; the message says what to do."""


def quadrilaterals(image: Image) -> list[NDArray[np.float64]]:
    """Convex outlines of four corners in the picture, clockwise, largest first; px of `image`."""
    scale = WORKING_WIDTH / image.shape[1]
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found: list[tuple[float, NDArray[np.float64]]] = []
    channels = [*cv2.split(cv2.cvtColor(small, cv2.COLOR_BGR2LAB))]
    for channel, low in product(channels, (20, 50)):
        edges = cv2.Canny(cv2.GaussianBlur(channel, (5, 5), 0), low, 3 * low)
        edges = cv2.dilate(edges, np.ones((3, 3), np.uint8))
        contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            hull = cv2.convexHull(contour)
            area = cv2.contourArea(hull)
            if area < SMALLEST_SHARE * small.shape[0] * small.shape[1]:
                continue
            quad = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
            if len(quad) == 4 and cv2.contourArea(quad.astype(np.float32)) > 0.85 * area:
                if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0:
                    quad = quad[::-1]
                quad = np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0)
                if all(np.abs(quad - other).max() > 5 for _, other in found):
                    found.append((area, quad))
    return [quad / scale for _, quad in sorted(found, key=lambda item: -item[0])[:12]]


def rhythm(grey: NDArray[np.uint8], geometry: BoardGeometry) -> float:
    """How well both long edges show twelve points in two colours in turn: about 0 for none, 1 for a clear pattern."""
    scores = []
    for edge in (0.06, 0.10, 0.90, 0.94):
        for to_image in (geometry.left_to_image, geometry.right_to_image):
            x = np.linspace(0, 6, 96, endpoint=False) + 6 / 192
            line = np.c_[x, np.full_like(x, edge), np.ones_like(x)] @ to_image.T
            px = (line[:, :2] / line[:, 2:]).astype(np.float32)
            values = cv2.remap(grey, px[:, 0].reshape(1, -1), px[:, 1].reshape(1, -1), cv2.INTER_LINEAR)[0].astype(np.float64)
            values -= values.mean()
            wave = np.where(np.floor(x).astype(int) % 2 == 0, 1.0, -1.0)
            spread = float(np.linalg.norm(values) * np.linalg.norm(wave))
            scores.append(abs(float(values @ wave)) / spread if spread > 1e-6 else 0.0)
    return float(np.mean(sorted(scores)[2:]))


def candidates(image: Image) -> list[tuple[float, BoardGeometry]]:
    """Boards that could be in the picture, with how clearly the points show, best first."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    size = (image.shape[1], image.shape[0])
    out: list[tuple[float, BoardGeometry]] = []
    for quad in quadrilaterals(image):
        for turn in (0, 1):
            corners = np.roll(quad, -turn, axis=0)
            for across, along, bar in product(SHRINKS, SHRINKS[:4], BARS):
                geometry = _inside(corners, across, along, bar, size)
                if geometry is not None:
                    out.append((rhythm(np.asarray(grey, np.uint8), geometry), geometry))
    return _apart(sorted(out, key=lambda item: -item[0]), NEAR * size[0])


def _apart(ranked: list[tuple[float, BoardGeometry]], least: float) -> list[tuple[float, BoardGeometry]]:
    kept: list[tuple[float, BoardGeometry]] = []
    for score, geometry in ranked:
        if all(np.abs(geometry.corners - other.corners).max() > least for _, other in kept):
            kept.append((score, geometry))
        if len(kept) == MOST:
            break
    return kept


def _inside(corners: NDArray[np.float64], across: float, along: float, bar: float, size: tuple[int, int]) -> BoardGeometry | None:
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_image = cv2.getPerspectiveTransform(unit, corners.astype(np.float32))
    low, high = 0.5 - bar / 2, 0.5 + bar / 2
    points = np.array(
        [[[across, along], [1 - across, along], [1 - across, 1 - along], [across, 1 - along], [low, along], [high, along], [high, 1 - along], [low, 1 - along]]],
        np.float32,
    )
    px = cv2.perspectiveTransform(points, to_image)[0].astype(np.float64)
    try:
        return BoardGeometry(px[:4], px[4:], size)
    except GeometryError:
        return None
