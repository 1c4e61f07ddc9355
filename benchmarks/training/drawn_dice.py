"""Drawn dice and cubes: flat shapes with pips or figures, a lean and a shadow, laid on pictures that the networks learn from."""

from __future__ import annotations

import cv2
import numpy as np

PIPS = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)]}
FONTS = [cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX]


def colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Body and ink, BGR, far enough apart in lightness to be read."""
    while True:
        base = rng.uniform(0, 255)
        body = np.clip(base + rng.normal(0, 1, 3) * rng.choice([6, 60]), 0, 255)
        if rng.random() < 0.75:
            ink = np.clip((rng.uniform(200, 255) if body.mean() < 128 else rng.uniform(0, 60)) + rng.normal(0, 8, 3), 0, 255)
        else:
            ink = rng.uniform(0, 255, 3)
        if abs(body.mean() - ink.mean()) > 55:
            return body, ink


def written(rng: np.random.Generator, text: str) -> np.ndarray:
    """A number as a mask, uint8 (h, w)."""
    font = FONTS[int(rng.integers(len(FONTS)))]
    thick = int(rng.integers(3, 8))
    (w, h), _ = cv2.getTextSize(text, font, 2.2, thick)
    mask = np.zeros((h + 20, w + 20), np.uint8)
    cv2.putText(mask, text, (10, h + 10), font, 2.2, 255, thick, cv2.LINE_AA)
    return mask


def solid(rng: np.random.Generator, value: int, cube: bool, figure: np.ndarray | None = None, turn: float | None = None) -> np.ndarray:
    """A drawn die or cube from above: float32 (s, s, 4) BGR and alpha 0..1, 3 sides wide, 48 px a side, shadow included.

    figure: the cube's number as a mask, uint8 (h, w); without it the number is written in one of OpenCV's typefaces. turn: radians; 0 is
    upright, any angle when not given.
    """
    unit, size = 48, 144
    centre = np.array([size / 2, size / 2])
    turn = rng.uniform(0, 2 * np.pi) if turn is None else turn
    lean = rng.uniform(0, 2 * np.pi)
    rise = rng.uniform(0, 0.55) * np.array([np.cos(lean), np.sin(lean)])
    skew = np.array([[1 + rng.normal(0, 0.05), rng.normal(0, 0.03)], [0, 1 + rng.normal(0, 0.05)]]) * rng.uniform(0.93, 1.05)
    u = skew @ np.array([np.cos(turn), np.sin(turn)]) / 2
    v = skew @ np.array([-np.sin(turn), np.cos(turn)]) / 2
    if rng.random() < 0.5 and not cube:
        v = -v
    body, ink = colours(rng)
    out = np.zeros((size, size, 4), np.float32)
    middle = rise / 2
    corner = rng.uniform(0.08, 0.45)

    def face(centre_: np.ndarray, p: np.ndarray, q: np.ndarray, round_: float) -> np.ndarray:
        """Outline of a rounded face with half sides p and q, in sides."""
        steps = np.linspace(0, np.pi / 2, 5)
        pts = []
        for k, (sx, sy) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
            for t in steps:
                a = t + k * np.pi / 2
                pts.append(centre_ + p * (sx * (1 - round_) + round_ * np.cos(a)) + q * (sy * (1 - round_) + round_ * np.sin(a)))
        return np.array(pts)

    def fill(points: np.ndarray, colour: np.ndarray) -> None:
        px = np.round((centre + points * unit) * 16).astype(np.int32)
        cv2.fillPoly(out, [px], (*[float(c) for c in colour], 1.0), lineType=cv2.LINE_8, shift=4)

    def pip(at: np.ndarray, p: np.ndarray, q: np.ndarray, radius: float, colour: np.ndarray) -> None:
        t = np.linspace(0, 2 * np.pi, 14, endpoint=False)[:, None]
        fill(at + radius * 2 * (np.cos(t) * p + np.sin(t) * q), colour)

    top, bottom = face(middle, u, v, corner), face(-middle, u, v, corner)
    shadow = np.zeros((size, size), np.float32)
    drift = rng.uniform(0, 0.4) * np.array([np.cos(a := rng.uniform(0, 6.28)), np.sin(a)])
    hull = cv2.convexHull(np.round(centre + np.r_[bottom, bottom + drift] * unit).astype(np.int32))
    cv2.fillPoly(shadow, [hull], 1.0)
    shadow = cv2.GaussianBlur(shadow, (0, 0), rng.uniform(1, 7)) * rng.uniform(0, 0.75)
    hull = cv2.convexHull((np.r_[top, bottom]).astype(np.float32))[:, 0]
    light = rng.uniform(0.55, 1.05)
    fill(hull, body * light)
    sides = [(u, v), (v, u), (-u, v), (-v, u)]
    tall = -rise / 2
    reach, radius = rng.uniform(0.46, 0.62), rng.uniform(0.06, 0.115)
    others = [x for x in range(1, 7) if x not in (value, 7 - value)] if not cube else []
    for n, (out_, along) in enumerate(sides):
        if out_ @ rise >= -0.01:
            continue
        shade = float(np.clip(light + rng.uniform(-0.3, 0.3), 0.35, 1.15))
        fill(face(out_, along, tall, corner * 0.5), np.clip(body * shade, 0, 255))
        if not cube:
            for x, y in PIPS[others[n % len(others)]]:
                pip(out_ + reach * (x * along + y * tall), along, tall, radius, np.clip(ink * shade, 0, 255))
    fill(face(middle, u, v, min(0.9, corner * 1.2)), body)
    if not cube:
        red = np.array([30, 20, 190]) + rng.normal(0, 15, 3)
        for x, y in PIPS[value]:
            special = value == 1 and rng.random() < 0.2
            pip(middle + reach * (x * u + y * v), u, v, radius * (1.5 if special else 1.0), np.clip(red if special else ink, 0, 255))
    else:
        stamp = written(rng, str(value)) if figure is None else figure
        fit = rng.uniform(0.45, 0.85) / max(stamp.shape)
        ph, pw = stamp.shape
        a = np.array([[2 * u[0], 2 * v[0]], [2 * u[1], 2 * v[1]]]) * fit * unit
        offset = centre + middle * unit - a @ np.array([pw / 2, ph / 2])
        mask = cv2.warpAffine(stamp, np.c_[a, offset], (size, size), flags=cv2.INTER_LINEAR)[..., None].astype(np.float32) / 255
        out[..., :3] = out[..., :3] * (1 - mask) + ink.astype(np.float32) * mask
    ramp = np.linspace(-1, 1, size, dtype=np.float32)
    field = 1 + rng.uniform(-0.2, 0.2) * ramp[None, :] + rng.uniform(-0.2, 0.2) * ramp[:, None]
    out[..., :3] *= field[..., None]
    alpha = out[..., 3]
    total = alpha + (1 - alpha) * shadow
    out[..., :3] = out[..., :3] * alpha[..., None] / np.maximum(total, 1e-3)[..., None]
    out[..., 3] = total
    return out


def paste(picture: np.ndarray, sprite: np.ndarray, xy: tuple[float, float], side: float) -> None:
    """Lay a drawn die on a uint8 picture in place; `xy` px, `side` px."""
    scale = side / 48
    n = int(np.ceil(144 * scale))
    work = cv2.GaussianBlur(sprite, (0, 0), 0.4 / scale) if scale < 0.9 else sprite
    work = work.copy()
    work[..., :3] *= work[..., 3:]
    x0, y0 = int(np.floor(xy[0] - n / 2)), int(np.floor(xy[1] - n / 2))
    m = np.array([[scale, 0, xy[0] - x0 - 72 * scale + scale / 2 - 0.5], [0, scale, xy[1] - y0 - 72 * scale + scale / 2 - 0.5]])
    small = cv2.warpAffine(work, m, (n + 1, n + 1), flags=cv2.INTER_LINEAR)
    h, w = picture.shape[:2]
    a, b, c, d = max(y0, 0), min(y0 + n + 1, h), max(x0, 0), min(x0 + n + 1, w)
    if a >= b or c >= d:
        return
    piece = small[a - y0 : b - y0, c - x0 : d - x0]
    picture[a:b, c:d] = np.clip(picture[a:b, c:d] * (1 - piece[..., 3:]) + piece[..., :3], 0, 255).astype(np.uint8)
