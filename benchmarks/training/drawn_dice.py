"""Drawn dice and cubes, laid on pictures that the networks learn from: flat shapes with pips or figures, a lean and a shadow (`solid`), and
dice as bodies turned in space, whose sides show as they do from where the camera is (`tumbled`)."""

from __future__ import annotations

from typing import Any

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
    return shaded(out, shadow, rng)


UNIT = 32
"""Px of a tumbled die's sprite for one side of it."""


ANGLES = np.add.outer(np.arange(4) * np.pi / 2, np.linspace(0, np.pi / 2, 5)).ravel()
CIRCLE = np.c_[np.cos(ANGLES), np.sin(ANGLES)]
SQUARE = np.repeat([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)], 5, axis=0)


def outline(centre: np.ndarray, p: np.ndarray, q: np.ndarray, round_: float) -> np.ndarray:
    """Points (20, k) around a rounded square with half sides p and q (k,)."""
    sx, sy = (SQUARE * (1 - round_) + round_ * CIRCLE).T
    return centre + sx[:, None] * p + sy[:, None] * q


def turned_in_space(yaw: float, tilt: float, towards: float) -> np.ndarray:
    """Rotation (3, 3): by `yaw` about the vertical, then tipped by `tilt` towards the direction `towards` (radians)."""
    c, s = np.cos(yaw), np.sin(yaw)
    about = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    axis = np.array([-np.sin(towards), np.cos(towards), 0])
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return (np.eye(3) + np.sin(tilt) * k + (1 - np.cos(tilt)) * (k @ k)) @ about


def tumbled(rng: np.random.Generator, value: int, lean: float, tilt: float) -> np.ndarray:
    """A die as a close-up shows it that is turned so that upright things lean up: float32 (s, s, 4) BGR and alpha 0..1, 4.5 sides wide, `UNIT` px a side.

    lean: how far its top is seen above its foot, in sides; tilt: radians from lying flat, to any direction. The middle of the sprite is
    the middle of its body. A point (x, y, z) of it, in sides from there, is seen at (x, y - lean z).
    """
    size = 9 * UNIT // 2
    turn = turned_in_space(rng.uniform(0, 2 * np.pi), tilt, rng.uniform(0, 2 * np.pi))
    if rng.random() < 0.5:
        turn = turn @ np.diag([1.0, -1.0, 1.0])
    camera = np.array([0, lean, 1.0])
    body, ink = colours(rng)
    corner = rng.uniform(0.06, 0.45)
    reach, radius = rng.uniform(0.46, 0.62), rng.uniform(0.065, 0.115)
    away = rng.uniform(0, 2 * np.pi)
    lamp = np.array([np.cos(away), np.sin(away), rng.uniform(0.5, 2.0)])
    lamp /= np.linalg.norm(lamp)
    dull = rng.uniform(0.35, 0.9)
    out = np.zeros((size, size, 4), np.float32)

    def seen(points: np.ndarray) -> np.ndarray:
        return size / 2 + UNIT * np.c_[points[:, 0], points[:, 1] - lean * points[:, 2]]

    def fill(points: np.ndarray, colour: np.ndarray) -> None:
        cv2.fillPoly(out, [np.round(seen(points) * 16).astype(np.int32)], (*[float(c) for c in np.clip(colour, 0, 255)], 1.0), lineType=cv2.LINE_8, shift=4)

    around = int(rng.choice([x for x in range(1, 7) if x not in (value, 7 - value)]))
    beside = int(rng.choice([x for x in range(1, 7) if x not in (value, 7 - value, around, 7 - around)]))
    faces = {2: (value, 7 - value), 0: (around, 7 - around), 1: (beside, 7 - beside)}
    every, shown = [], []
    for axis, shows in faces.items():
        p, q = turn[:, (axis + 1) % 3] / 2, turn[:, (axis + 2) % 3] / 2
        for sign, number in zip((1, -1), shows, strict=True):
            normal = sign * turn[:, axis]
            every.append(outline(normal / 2, p, q, corner))
            if normal @ camera > 0.02:
                shown.append((float(normal @ camera), number, normal, p, q))
    hull = np.concatenate(every)

    ground = hull[:, 2].min() - (rng.uniform(0, 0.25) if rng.random() < 0.2 else 0)
    shadow = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        bearing = rng.uniform(0, 2 * np.pi)
        drift = rng.uniform(0, 1.0) * np.array([np.cos(bearing), np.sin(bearing)])
        high = hull[:, 2] - ground
        fallen = np.c_[hull[:, :2] + high[:, None] * drift, np.full(len(hull), ground)]
        one = np.zeros_like(shadow)
        cv2.fillPoly(one, [cv2.convexHull(np.round(seen(fallen)).astype(np.int32))], 1.0)
        shadow = np.maximum(shadow, cv2.GaussianBlur(one, (0, 0), rng.uniform(1, 7)) * rng.uniform(0, 0.75))

    def shade(normal: np.ndarray) -> float:
        return float(dull + (1.15 - dull) * max(0.0, normal @ lamp)) * float(np.exp(rng.normal(0, 0.05)))

    pixels = np.round(seen(hull) * 16).astype(np.int32)
    rim = np.clip(body * np.mean([shade(normal) for _, _, normal, _, _ in shown]) * rng.uniform(0.9, 1.2), 0, 255)
    cv2.fillPoly(out, [cv2.convexHull(pixels)], (*[float(c) for c in rim], 1.0), lineType=cv2.LINE_8, shift=4)
    red = np.array([30, 20, 190]) + rng.normal(0, 15, 3)
    for _, number, normal, p, q in sorted(shown, key=lambda face: face[0]):
        light = shade(normal)
        fill(outline(normal / 2, p, q, min(0.9, corner * 1.2)), body * light)
        special = number == 1 and rng.random() < 0.2
        wide = radius * (1.5 if special else 1.0)
        for x, y in PIPS[number]:
            at = normal / 2 + reach * (x * p + y * q)
            fill(outline(at, wide * 2 * p, wide * 2 * q, 1.0), (red if special else ink) * light)
    if rng.random() < 0.25:
        at = size / 2 + UNIT * rng.uniform(-0.6, 0.6, 2)
        x, y = np.arange(size)[None, :] - at[0], np.arange(size)[:, None] - at[1]
        gloss = np.exp(-(x**2 + y**2) / (2 * (UNIT * rng.uniform(0.08, 0.3)) ** 2)).astype(np.float32)[..., None] * np.float32(rng.uniform(0.2, 0.9))
        out[..., :3] += gloss * (255 - out[..., :3])
    return shaded(out, shadow, rng)


def decoy(rng: np.random.Generator) -> np.ndarray:
    """What is taken for a die and is none: rings and glints of a checker, a screw, a hinge. As `solid`, as large as a die, or larger."""
    size = 144
    out = np.zeros((size, size, 4), np.float32)
    body, ink = (np.clip(c, 0, 255).tolist() for c in colours(rng))
    middle, wide = (size // 2, size // 2), int(rng.uniform(12, 60))

    def part(colour: list[float], draw: Any) -> None:
        draw((*colour, 1.0))

    if rng.random() < 0.6:
        part(body, lambda c: cv2.circle(out, middle, wide, c, -1, cv2.LINE_AA))
        for _ in range(int(rng.integers(0, 4))):
            shade = (np.array(body) * rng.uniform(0.5, 1.4)).clip(0, 255).tolist() if rng.random() < 0.7 else ink
            inner, thick = int(wide * rng.uniform(0.15, 0.9)), int(rng.choice([-1, 2, 3, 6]))
            part(shade, lambda c, inner=inner, thick=thick: cv2.circle(out, middle, inner, c, thick, cv2.LINE_AA))
    else:
        screw = rng.random() < 0.5  # a square with a dot in its middle would be a one
        for _ in range(int(rng.integers(1, 3))):
            half = wide * (np.array([rng.uniform(0.2, 0.4), rng.uniform(0.7, 0.9)]) if screw else rng.uniform(0.25, 0.9, 2))
            box = cv2.boxPoints((tuple(np.array(middle) + rng.uniform(-6, 6, 2)), tuple(2 * half), float(rng.choice([0, 90]) + rng.normal(0, 4))))
            shade = (np.array(body) * rng.uniform(0.6, 1.3)).clip(0, 255).tolist()
            part(shade, lambda c, box=box: cv2.fillPoly(out, [box.astype(np.int32)], c, cv2.LINE_AA))
        if screw:
            part(ink, lambda c: cv2.circle(out, middle, int(rng.uniform(3, 8)), c, -1, cv2.LINE_AA))
    for _ in range(int(rng.integers(0, 3))):
        at = np.array(middle) + rng.uniform(-0.5, 0.5, 2) * wide
        box = cv2.boxPoints((tuple(at), tuple(rng.uniform(4, 26, 2)), float(rng.uniform(0, 180))))
        bright = np.full(3, rng.uniform(180, 255)).tolist()
        part(bright, lambda c, box=box: cv2.fillPoly(out, [box.astype(np.int32)], c, cv2.LINE_AA))
    shadow = cv2.GaussianBlur(np.roll(out[..., 3], rng.integers(-8, 8, 2), axis=(0, 1)), (0, 0), rng.uniform(1, 6)) * np.float32(rng.uniform(0, 0.7))
    if rng.random() < 0.5:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.5, 4))
        out[..., :3] /= np.maximum(out[..., 3:], 1e-3)
    return shaded(out, shadow, rng)


def shaded(out: np.ndarray, shadow: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The sprite in uneven light, its shadow beneath it."""
    size = len(out)
    ramp = np.linspace(-1, 1, size, dtype=np.float32)
    across, down = rng.uniform(-0.2, 0.2, 2).astype(np.float32)
    field = 1 + across * ramp[None, :] + down * ramp[:, None]
    out[..., :3] *= field[..., None]
    alpha = out[..., 3]
    total = alpha + (1 - alpha) * shadow
    out[..., :3] = out[..., :3] * alpha[..., None] / np.maximum(total, 1e-3)[..., None]
    out[..., 3] = total
    return out


def paste(picture: np.ndarray, sprite: np.ndarray, xy: tuple[float, float], side: float, unit: int = 48) -> None:
    """Lay a drawn die on a uint8 picture in place; `xy` px, `side` px, `unit` px of the sprite for one side."""
    scale, half = side / unit, len(sprite) / 2
    n = int(np.ceil(2 * half * scale))
    work = cv2.GaussianBlur(sprite, (0, 0), 0.4 / scale) if scale < 0.9 else sprite
    work = work.copy()
    work[..., :3] *= work[..., 3:]
    x0, y0 = int(np.floor(xy[0] - n / 2)), int(np.floor(xy[1] - n / 2))
    m = np.array([[scale, 0, xy[0] - x0 - half * scale + scale / 2 - 0.5], [0, scale, xy[1] - y0 - half * scale + scale / 2 - 0.5]])
    small = cv2.warpAffine(work, m, (n + 1, n + 1), flags=cv2.INTER_LINEAR)
    h, w = picture.shape[:2]
    a, b, c, d = max(y0, 0), min(y0 + n + 1, h), max(x0, 0), min(x0 + n + 1, w)
    if a >= b or c >= d:
        return
    piece = small[a - y0 : b - y0, c - x0 : d - x0]
    picture[a:b, c:d] = np.clip(picture[a:b, c:d] * (1 - piece[..., 3:]) + piece[..., :3], 0, 255).astype(np.uint8)
