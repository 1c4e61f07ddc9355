"""Whether a picture of a board is good enough to be read, and what to do about it: too dark, glare, too small, the camera too low. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration import thresholds as T
from calibration.geometry import BoardGeometry, Image


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong. `lanes`: indices 0..23 of the lanes it lies on, in the order of `vision.scene.LANES`; none where it is of the whole."""

    what: str
    """dark, glare, small, low or edge."""
    sentence: str
    lanes: tuple[int, ...] = ()


def complaints(image: Image, geometry: BoardGeometry) -> list[Complaint]:
    """What is wrong with the BGR picture (h, w, 3) of the board, the worst first; empty when nothing is."""
    lanes = [_lane(image, geometry, lane) for lane in range(24)]
    found: list[Complaint] = []
    light = float(np.median([lane.max(axis=2).mean() for lane in lanes]))
    if light < T.DARK:
        found.append(Complaint("dark", "The board is too dark: put a lamp on, best one that lights it from above."))
    glare = tuple(n for n, lane in enumerate(lanes) if float((lane.min(axis=2) >= T.BURNT).mean()) > T.GLARE_SHARE)
    if len(glare) > T.GLARE_LANES:
        found.append(Complaint("glare", "Most of the board is burnt out white: take light away, or turn the camera's exposure down.", glare))
    elif glare:
        found.append(Complaint("glare", "A lamp is mirrored here: move the lamp, or turn the board a little.", glare))
    if geometry.lane_px < T.LANE_PX:
        found.append(Complaint("small", "The board is too small in the picture: bring the camera nearer, or use its higher resolution."))
    low = _flatness(geometry)
    if low < T.LOW:
        found.append(Complaint("low", "The camera looks from too low: hang it higher, more above the middle of the board."))
    width, height = geometry.size
    x, y = geometry.corners[:, 0], geometry.corners[:, 1]
    if x.min() < 0 or y.min() < 0 or x.max() > width - 1 or y.max() > height - 1:
        found.append(Complaint("edge", "Part of the board lies outside the picture: turn the camera until all of it is seen."))
    return found


def _lane(image: Image, geometry: BoardGeometry, lane: int) -> Image:
    """The lane, rectified to 12 x 60 px."""
    scale = np.array([[1 / 12, 0, -0.5], [0, 0.5 / 60, 0], [0, 0, 1]], np.float64)
    to_image = geometry.lane_homography(lane) @ scale
    return np.asarray(cv2.warpPerspective(image, np.linalg.inv(to_image), (12, 60), flags=cv2.INTER_LINEAR), np.uint8)


def _flatness(geometry: BoardGeometry) -> float:
    """How high the board stands in the picture for its width, next to one seen from straight above (1); less from lower."""
    c = geometry.corners
    width = float(np.linalg.norm(c[1] - c[0]) + np.linalg.norm(c[2] - c[3])) / 2
    height = float(np.linalg.norm(c[3] - c[0]) + np.linalg.norm(c[2] - c[1])) / 2
    return height / width * (12 + geometry.bar_width) / T.USUAL_HEIGHT
