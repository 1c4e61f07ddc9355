"""The settle gate: is this frame worth reading? No hand over the board, nothing moving.

Cheap enough for every frame of a video: it works on a thumbnail 320 px wide. A hand that reaches over the board must
cross one of the two long edges where the players sit, so it is looked for in a strip just outside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import LANES_A_HALF, Image
from calibration.profile import Profile
from vision import thresholds

THUMBNAIL_WIDTH = 320
Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a frame may be read, and in plain words why not."""

    ok: bool
    hand: bool = False
    reason: str = ""


def thumbnail(image: Image) -> Grey:
    """The picture in grey, uint8 (h, 320)."""
    height = round(image.shape[0] * THUMBNAIL_WIDTH / image.shape[1])
    small = cv2.resize(image, (THUMBNAIL_WIDTH, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


class SettleGate:
    """Looks at every frame in order. Give it the profile's own picture size."""

    def __init__(self, profile: Profile) -> None:
        self._reference = None if profile.outline is None else profile.outline.astype(np.float32)
        self._last: Grey | None = None
        self._quiet = 0
        geometry = profile.geometry
        along = np.arange(-0.3, 2 * LANES_A_HALF + geometry.bar_width + 0.3, 1 / thresholds.STRIP_STEPS)
        lanes_high = geometry.bar_width + 2 * LANES_A_HALF
        depth = thresholds.STRIP_DEPTH / lanes_high
        scale = THUMBNAIL_WIDTH / geometry.size[0]
        self._strips = []
        for edge, outward in ((0.0, -1.0), (1.0, 1.0)):
            rows = [geometry.to_image(np.c_[along, np.full_like(along, edge + outward * d)]) for d in depth]
            self._strips.append(np.round(np.stack(rows) * scale).astype(int))

    def look(self, image: Image, still: bool = False, small: Grey | None = None) -> Settled:
        """`still`: the source is a folder in which each picture is one moment; then only a hand is refused.

        small: the camera's own small grey stream. Motion is told by it, and the large picture is left alone until nothing moves.
        """
        if small is not None:
            height = round(image.shape[0] * THUMBNAIL_WIDTH / image.shape[1])
            little = np.asarray(cv2.resize(small, (THUMBNAIL_WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)
            moved, self._last = self._moved(little), little
            self._quiet = 0 if moved else self._quiet + 1
            if self._quiet < thresholds.QUIET_FRAMES:
                return Settled(False, False, "something is moving")
            if self._hand(thumbnail(image)):
                # It cannot leave without moving.
                return Settled(False, True, "a hand is over the board")
            return Settled(True)
        grey = thumbnail(image)
        moved = self._moved(grey)
        self._last = grey
        if self._hand(grey):
            self._quiet = 0
            return Settled(False, True, "a hand is over the board")
        if still:
            return Settled(True)
        self._quiet = 0 if moved else self._quiet + 1
        if self._quiet < thresholds.QUIET_FRAMES:
            return Settled(False, False, "something is moving")
        return Settled(True)

    def _moved(self, grey: Grey) -> bool:
        if self._last is None or self._last.shape != grey.shape:
            return True
        change = cv2.absdiff(grey, self._last)
        return bool((cv2.blur(change, (5, 5)) > thresholds.MOTION).any())

    def _hand(self, grey: Grey) -> bool:
        """Something as wide as a forearm lies across the strip outside one of the players' edges, that did not when we calibrated."""
        if self._reference is None or self._reference.shape != grey.shape:
            return False
        now = grey.astype(np.float32)
        gain = float(np.median(now / np.maximum(self._reference, 8)))
        change = np.abs(now / max(gain, 0.1) - self._reference)
        change = cv2.blur(change, (3, 3))
        height, width = grey.shape
        for strip in self._strips:
            x, y = strip[..., 0], strip[..., 1]
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            values = np.where(inside, change[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], 0)
            crossed = (values > thresholds.STRIP_CHANGE).mean(axis=0) >= thresholds.STRIP_SHARE
            if _longest(crossed) >= thresholds.ARM_WIDTH * thresholds.STRIP_STEPS:
                return True
        return False


def _longest(flags: NDArray[np.bool_]) -> int:
    best = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        best = max(best, run)
    return best
