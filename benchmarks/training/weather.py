"""What rooms, lamps and cameras do to a picture, at random. Pictures are uint8 (h, w, 3)."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import view
from calibration.geometry import LANES_A_HALF, BoardGeometry, transform
from vision import lanes

LEAST_LEAN = 0.15
"""Lane widths that the top of a thing one lane width tall is seen farther in: less, and a wall hides nothing."""


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


def behind_wall(image: np.ndarray, geometry: BoardGeometry, rng: np.random.Generator) -> np.ndarray:
    """A wall along the near edge, as high as the camera's lean lets it hide at most two thirds of a lane width."""
    seen = view(geometry)
    lean = lanes.lean(geometry, lanes.crop_homographies(geometry))[:24, 1].reshape(2, 12).mean(axis=1)
    row = int(lean.argmin())
    depth = min(0.66, -float(lean[row]) * rng.uniform(0.2, 1.2))
    if lean[row] > -LEAST_LEAN or depth < 0.1:
        return image
    width, edge, inward = 2 * LANES_A_HALF + geometry.bar_width, (0.0, seen.height)[row], (1, -1)[row]
    outside = np.c_[np.linspace(0, width, 12), np.full(12, edge - inward * rng.uniform(0.3, 0.8))]
    px = np.round(transform(seen.plane, outside)).astype(int)
    there = px[(px >= 0).all(axis=1) & (px[:, 0] < image.shape[1]) & (px[:, 1] < image.shape[0])]
    tone = image[there[:, 1], there[:, 0]].mean(axis=0) if len(there) and rng.random() < 0.7 else rng.uniform(10, 230, 3)
    quad = [(-0.5, edge + inward * depth), (width + 0.5, edge + inward * depth), (width + 0.5, edge - inward * 0.6), (-0.5, edge - inward * 0.6)]
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(transform(seen.plane, quad) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    grain = np.empty((max(2, image.shape[0] // int(rng.integers(3, 20))), max(2, image.shape[1] // int(rng.integers(3, 60)))), np.float32)
    cv2.randn(grain, 1.0, float(rng.uniform(0.02, 0.2)))
    wall = cv2.resize(grain, image.shape[1::-1])[..., None] * (tone * rng.uniform(0.5, 1.1))
    share = mask[..., None].astype(np.float32) / 255
    return np.clip(image * (1 - share) + wall * share, 0, 255).astype(np.uint8)


def cut_off(image: np.ndarray, geometry: BoardGeometry, rng: np.random.Generator) -> np.ndarray:
    """The picture ends within the outermost lane width of the board, on one side; what follows is its last row or column again, as `lanes.cut` has it."""
    out, inside = image.copy(), rng.uniform(0.1, 0.7) * geometry.lane_px
    (left, top), (right, bottom) = geometry.corners.min(axis=0), geometry.corners.max(axis=0)
    height, width = image.shape[:2]
    side = int(rng.integers(4))
    if side == 0 and (x := int(left + inside)) > 0:
        out[:, :x] = image[:, x : x + 1]
    if side == 1 and (x := int(right - inside)) < width - 1:
        out[:, x:] = image[:, x : x + 1]
    if side == 2 and (y := int(top + inside)) > 0:
        out[:y] = image[y]
    if side == 3 and (y := int(bottom - inside)) < height - 1:
        out[y:] = image[y]
    return out
