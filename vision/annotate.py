"""A reading drawn over its picture: outlines, counts, dice, cube, doubts. One look tells why something was misread."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.geometry import BoardGeometry, Image
from vision import thresholds
from vision.scene import Scene, readable

OUTLINE, SURE, DOUBT, DIE = (80, 220, 80), (60, 255, 255), (60, 60, 255), (255, 160, 40)


def annotate(image: Image, geometry: BoardGeometry, scene: Scene) -> Image:
    """A copy of the BGR picture (h, w, 3) with the scene drawn on it."""
    out = image.copy()
    thick = max(1, round(geometry.lane_px / 30))
    for quad in (geometry.corners, geometry.bar):
        cv2.polylines(out, [np.round(quad).astype(np.int32)], True, OUTLINE, thick, cv2.LINE_AA)
    confidence = scene.board.confidence()
    for lane, count in enumerate(scene.board.counts):
        row, column = divmod(lane, 12)
        x = column + 0.5 + (geometry.bar_width if column >= 6 else 0)
        at = geometry.to_image([[x, 0.46 if row == 0 else 0.54]])[0]
        doubtful = confidence[lane] < thresholds.LANE_UNSURE
        if count or doubtful:
            _write(out, f"{count:+d}{'?' if doubtful else ''}", at, geometry.lane_px, DOUBT if doubtful else SURE)
    for die in scene.dice:
        cv2.circle(out, (round(die.xy[0]), round(die.xy[1])), round(die.size), DIE, thick, cv2.LINE_AA)
        note = "" if die.state == "flat" else f" {die.state}"
        _write(out, f"{readable(die) or '?'}{note}", (die.xy[0], die.xy[1] - 1.4 * die.size), geometry.lane_px, DIE)
    if scene.cube:
        cube = scene.cube
        cv2.circle(out, (round(cube.xy[0]), round(cube.xy[1])), round(cube.size), OUTLINE, thick, cv2.LINE_AA)
        _write(out, f"cube {readable(cube) or '?'}", (cube.xy[0], cube.xy[1] + 1.6 * cube.size), geometry.lane_px, OUTLINE)
    return out


def which_board(image: Image, candidates: Sequence[BoardGeometry]) -> Image:
    """A copy of the BGR picture (h, w, 3) with the places that may be the board, numbered from 1."""
    out = image.copy()
    for n, (geometry, colour) in enumerate(zip(candidates, (OUTLINE, SURE, DIE, DOUBT), strict=False), 1):
        thick = max(1, round(geometry.lane_px / 20))
        for quad in (geometry.corners, geometry.bar):
            cv2.polylines(out, [np.round(quad).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
        _write(out, str(n), geometry.to_image([[3.0 * n - 1.0, 0.5]])[0], 3 * geometry.lane_px, colour)
    return out


def _write(image: Image, text: str, at: tuple[float, float] | np.ndarray, lane: float, colour: tuple[int, int, int]) -> None:
    scale = lane / 75
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    origin = (round(float(at[0]) - width / 2), round(float(at[1]) + height / 2))
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), max(3, round(scale * 5)), cv2.LINE_AA)
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, max(1, round(scale * 2)), cv2.LINE_AA)
