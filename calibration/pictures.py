"""What is done to a picture before a network sees it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry, Image


def reduced(image: Image, geometry: BoardGeometry, finest: float) -> tuple[Image, BoardGeometry]:
    """The picture made smaller by a whole number, so that its lanes are at most `finest` px wide; most are returned as they are.

    Warping from much finer pictures aliases. A whole number, because averaging over whole pixels is quick.
    """
    by = max(1, int(np.ceil(geometry.lane_px / finest)))
    if by == 1:
        return image, geometry
    size = (max(1, round(image.shape[1] / by)), max(1, round(image.shape[0] / by)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), geometry.scaled(size)


@dataclass(frozen=True, slots=True)
class Tone:
    """Mean of each channel, and one scale: with them exposure and white balance drop out."""

    mean: tuple[float, ...]
    scale: float


def tone(pictures: Image) -> Tone:
    """Of all the pictures together: uint8 (n, h, w, 3)."""
    mean, deviation = cv2.meanStdDev(pictures.reshape(-1, pictures.shape[2], 3))
    return Tone(tuple(float(m) for m in mean.ravel()), 1.0 / (float(np.sqrt((deviation**2).mean())) + 4.0))


def normalise(pictures: Image, common: Tone | None = None) -> NDArray[np.float32]:
    """Pictures as the networks take them: uint8 (n, h, w, 3) -> float32 (n, 3, h, w). common: instead of their own tone."""
    by = common or tone(pictures)
    return np.asarray(cv2.dnn.blobFromImages(list(pictures), by.scale, mean=by.mean), np.float32)
