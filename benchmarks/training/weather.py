"""What rooms, lamps and cameras do to a picture, at random. Pictures are uint8 (h, w, 3)."""

from __future__ import annotations

import cv2
import numpy as np


def weather(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What rooms and cameras do to a whole picture: shadows with soft edges, lamps' pools of light, coarse and compressed files."""
    height, width = image.shape[:2]
    small = np.ones((height // 8, width // 8), np.float32)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.55, 0.3, 0.15]))):
        shape = (rng.random((int(rng.integers(3, 6)), 2)) * 1.6 - 0.3) * (width // 8, height // 8)
        shade = np.ones_like(small)
        cv2.fillConvexPoly(shade, cv2.convexHull(np.round(shape).astype(np.int32)), float(rng.uniform(0.35, 0.85) if rng.random() < 0.75 else rng.uniform(1.15, 1.7)))
        small *= cv2.GaussianBlur(shade, (0, 0), rng.uniform(0.4, 8))
    if small.min() < 1 or small.max() > 1:
        image = cv2.multiply(image, cv2.merge([cv2.resize(small, (width, height))] * 3), dtype=cv2.CV_8U)
    if rng.random() < 0.3:
        factor = rng.uniform(0.5, 0.95)
        image = cv2.resize(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), (width, height), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.3:
        image = cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 90))])[1], cv2.IMREAD_COLOR)
    return image


def recolour(picture: np.ndarray, rng: np.random.Generator, inverted: float = 0.0) -> np.ndarray:
    """Other lamps, cameras and paints: channels exchanged, saturation, gamma, white balance, blur, noise; light for dark in a share `inverted`."""
    x = picture
    if rng.random() < 0.2:
        x = x[..., rng.permutation(3)]
    if rng.random() < 0.2:
        keep = rng.uniform(0.0, 1.6)
        x = cv2.transform(np.ascontiguousarray(x), np.float32(keep * np.eye(3) + (1 - keep) / 3))
    gamma = rng.uniform(0.6, 1.6) if rng.random() < 0.5 else 1.0
    tables = np.clip(255 * (np.arange(256)[:, None] / 255) ** gamma * rng.uniform(0.8, 1.2, 3), 0, 255)
    if rng.random() < inverted:
        tables = 255 - tables
    x = cv2.LUT(np.ascontiguousarray(x), tables.astype(np.uint8)[None])
    if rng.random() < 0.3:
        x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.4, 1.1))
    if rng.random() < 0.5:
        noise = np.empty(x.shape, np.int16)
        cv2.randn(noise, 0, float(rng.uniform(1, 12)))
        x = cv2.add(x, noise, dtype=cv2.CV_8U)
    return x
