"""Painted boards: flat-shaded pictures of random boards, checkers and cameras, hundreds in the time of one rendered scene.

No attempt at looking real: colours, patterns, proportions, spacing, light and camera are drawn far beyond what any maker sells, so
that what stays common (discs in lanes, thickness, shadows, layers) is all there is to learn from. Shapes are projected by a true
camera, so that a checker's side, its shadow and a second layer are where they would be seen. `paint.py OUT.png` draws a few.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from drawn_dice import paste, solid

from calibration.geometry import BoardGeometry, GeometryError
from vision.scene import CUBE_FACES

SIZE = (880, 660)
Array = np.ndarray


@dataclass
class Painted:
    """One painted board: BGR picture, geometry, signed counts (24,), bar counts by half (2 halves, A and B), checkers as `boards.Labelled` has them."""

    image: Array
    geometry: BoardGeometry
    counts: Array
    bar: Array
    checkers: list[dict[str, Any]]


@dataclass
class View:
    """A camera: `matrix` (3, 4) from board units (lane widths; x right, y down the board, z up) to px."""

    matrix: Array
    position: Array

    def px(self, xyz: Array) -> Array:
        q = np.c_[xyz, np.ones(len(xyz))] @ self.matrix.T
        return q[:, :2] / q[:, 2:]


def random_view(rng: np.random.Generator, width: float, height: float) -> View:
    centre = np.array([width / 2, height / 2, 0.0])
    far = rng.uniform(14, 34)
    tilt = abs(rng.normal(0, 0.35)) if rng.random() < 0.8 else rng.uniform(0, 0.9)
    turn = rng.uniform(0, 2 * np.pi)
    eye = centre + far * np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    forward = (centre - eye) / far
    roll = rng.normal(0, 0.12) + rng.choice([0, np.pi / 2, np.pi, -np.pi / 2], p=[0.6, 0.15, 0.15, 0.1])
    hint = np.array([np.sin(roll), -np.cos(roll), 0.0])
    down = -(hint - forward * (hint @ forward))
    down /= np.linalg.norm(down)
    right = np.cross(forward, down)  # board units are left-handed (y down, z up)
    rotation = np.stack([right, down, forward])
    corners = np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]])
    seen = (corners - eye) @ rotation.T
    spread = np.abs(seen[:, :2] / seen[:, 2:]).max(axis=0)
    focal = min(SIZE[0] / 2 / spread[0], SIZE[1] / 2 / spread[1]) * rng.uniform(0.62, 0.97)
    k = np.array([[focal, 0, SIZE[0] / 2 - 0.5], [0, focal, SIZE[1] / 2 - 0.5], [0, 0, 1]])
    return View(k @ np.c_[rotation, -rotation @ eye], eye)


def colour(rng: np.random.Generator, value: tuple[float, float] = (0.05, 1.0)) -> Array:
    hsv = np.uint8([[[rng.integers(180), int(255 * rng.beta(1.0, 2.0)), int(255 * rng.uniform(*value))]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def apart(rng: np.random.Generator, others: list[Array], least: float, value: tuple[float, float] = (0.05, 1.0)) -> Array:
    for _ in range(40):
        c = colour(rng, value)
        if all(np.abs(c - o).sum() > least for o in others):
            return c
    return c


def texture(rng: np.random.Generator, strength: float) -> Array:
    """Multiplicative texture (h, w, 1) about 1: cloth, grain along one direction, blotches."""
    w, h = SIZE
    out = np.ones((h, w), np.float32)
    for scale in (1, 3, 12, 60):
        if rng.random() < 0.5:
            sx, sy = max(2, w // scale), max(2, h // scale)
            if rng.random() < 0.4:
                sx, sy = (max(2, sx // 12), sy) if rng.random() < 0.5 else (sx, max(2, sy // 12))
            noise = np.empty((sy, sx), np.float32)
            cv2.randn(noise, 0, float(rng.uniform(0, strength)))
            out += cv2.resize(noise, (w, h), interpolation=cv2.INTER_CUBIC)
    return out[..., None]


def disc(centre: Array, radius: float, z: float, n: int = 28) -> Array:
    t = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.c_[centre[0] + radius * np.cos(t), centre[1] + radius * np.sin(t), np.full(n, z)]


def fill(image: Array, px: Array, value: Any, smooth: bool = True) -> None:
    cv2.fillPoly(image, [np.round(px * 16).astype(np.int32)], value, cv2.LINE_AA if smooth and image.dtype == np.uint8 else cv2.LINE_8, shift=4)


def deal(rng: np.random.Generator) -> tuple[Array, Array]:
    """Signed counts (24,) and bar counts by half (2, 2)."""
    counts, bar = np.zeros(24, int), np.zeros((2, 2), int)
    free = list(rng.permutation(24))
    for side, sign in ((0, 1), (1, -1)):
        left = 15 if rng.random() < 0.75 else int(rng.integers(0, 15))
        if rng.random() < 0.25:
            on_bar = min(left, int(rng.choice([1, 2, 3, 4], p=[0.6, 0.25, 0.1, 0.05])))
            bar[int(rng.integers(2)), side] += on_bar
            left -= on_bar
        places = [free.pop() for _ in range(min(len(free), int(rng.integers(2, 10))))]
        share = rng.multinomial(left, rng.dirichlet(np.full(len(places), rng.choice([0.5, 1.5, 6.0]))))
        for p, n in zip(places, share, strict=True):
            counts[p] = sign * n
    return counts, bar


def crowd(rng: np.random.Generator) -> tuple[Array, Array]:
    """As `deal`, with tall stacks on most lanes, whatever a set holds."""
    counts = rng.choice(12, 24, p=[0.22, 0.02, 0.02, 0.03, 0.07, 0.16, 0.18, 0.12, 0.08, 0.05, 0.04, 0.01])
    return counts * rng.choice([-1, 1], 24), np.zeros((2, 2), int)


def paint(rng: np.random.Generator, crowded: bool = False) -> Painted:
    for _ in range(100):
        try:
            return _paint(rng, crowded)
        except GeometryError:
            continue
    raise RuntimeError("no camera in a hundred saw the board")


def _paint(rng: np.random.Generator, crowded: bool) -> Painted:
    height = rng.uniform(9.3, 12.8) if rng.random() < 0.6 else rng.uniform(7.3, 13.5)
    bar_width = 0.0 if rng.random() < 0.1 else rng.uniform(0.2, 1.6)
    width = 12 + bar_width
    view = random_view(rng, width, height)
    field = colour(rng)
    pale = rng.random() < 0.12
    points = [apart(rng, [field], 25 if pale else 90) for _ in range(2)]
    if rng.random() < 0.25:
        points[int(rng.integers(2))] = field.copy()
    close = rng.random() < 0.25
    a = apart(rng, [] if close else [field, *points], 120)
    b = apart(rng, [a] if close else [a, field], 170)
    image = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    image[:] = colour(rng)

    def area(xy: list[tuple[float, float]], value: Array) -> None:
        fill(image, view.px(np.c_[np.array(xy), np.zeros(len(xy))]), [float(v) for v in value])

    rim, frame = rng.uniform(0.1, 1.2), colour(rng)
    wall = 0.0 if rng.random() < 0.4 else rng.uniform(0.1, 0.9)
    area([(-rim, -rim), (width + rim, -rim), (width + rim, height + rim), (-rim, height + rim)], frame)
    area([(0, 0), (width, 0), (width, height), (0, height)], field)
    length, base = rng.uniform(0.34, 0.48) * height, rng.uniform(0.36, 0.5)
    outlined = apart(rng, [field], 60) if rng.random() < 0.3 else None
    dots = rng.uniform(0.08, 0.22) if rng.random() < 0.2 else None
    blunt = rng.uniform(0, 0.25) if rng.random() < 0.25 else 0.0
    for row in (0, 1):
        for k in range(12):
            x = k + 0.5 + (bar_width if k >= 6 else 0)
            y0, y1 = (0, length) if row == 0 else (height, height - length)
            shape = [(x - base, y0), (x + base, y0), (x + blunt * 0.5, y1), (x - blunt * 0.5, y1)]
            area(shape, points[(k + row) % 2])
            if dots is not None:
                fill(image, view.px(disc(np.array([x, y1]), dots, 0)), [float(v) for v in (points[0] if outlined is None else outlined)])
            if outlined is not None:
                px = view.px(np.c_[np.array(shape), np.zeros(4)])
                cv2.polylines(image, [np.round(px * 16).astype(np.int32)], True, [float(v) for v in outlined], int(rng.integers(1, 3)), cv2.LINE_AA, 4)
            if rng.random() < 0.03:
                at = np.array([x, rng.uniform(0.06, 0.45) * height])
                fill(image, view.px(disc(at, rng.uniform(0.1, 0.4), 0)), [float(v) for v in points[int(rng.integers(2))]])
    if rng.random() < 0.12:
        for left in (3.0, 9.0 + bar_width):
            for size in sorted(rng.uniform(0.2, 2.4, int(rng.integers(1, 4))), reverse=True):
                turned = np.array([[-size, -size], [size, -size], [size, size], [-size, size]]) @ (np.eye(2) if rng.random() < 0.5 else np.array([[0.7, -0.7], [0.7, 0.7]]))
                area([(left + float(x), height / 2 + float(y)) for x, y in turned], colour(rng))
    if rng.random() < 0.12:
        word = "".join(chr(int(c)) for c in rng.integers(65, 123, 9))
        for _ in range(int(rng.integers(1, 5))):
            at = view.px(np.array([[rng.uniform(0, width), rng.uniform(0, height), 0]]))[0]
            cv2.putText(image, word, (int(at[0]), int(at[1])), cv2.FONT_HERSHEY_SIMPLEX, rng.uniform(0.5, 1.6), [float(v) for v in colour(rng)], 2, cv2.LINE_AA)
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.5, 0.2, 0.2, 0.1]))):
        at, size = rng.uniform((1, 3.5), (11, height - 3.5)), rng.uniform(0.3, 1.3)
        px = view.px(disc(at, size, 0))
        if rng.random() < 0.5:
            fill(image, px, [float(v) for v in colour(rng)])
        else:
            cv2.polylines(image, [np.round(px * 16).astype(np.int32)], True, [float(v) for v in colour(rng)], 2, cv2.LINE_AA, 4)
    if bar_width:
        area([(6, 0), (6 + bar_width, 0), (6 + bar_width, height), (6, height)], field if rng.random() < 0.2 else colour(rng))
        if rng.random() < 0.4:
            area([(6 + bar_width / 2 - 0.02, -rim), (6 + bar_width / 2 + 0.02, -rim), (6 + bar_width / 2 + 0.02, height + rim), (6 + bar_width / 2 - 0.02, height + rim)], colour(rng))
    image = np.clip(image * texture(rng, 0.08 if rng.random() < 0.7 else 0.25), 0, 255).astype(np.uint8)
    edges = [((0, 0), (width, 0), (0, -1)), ((width, 0), (width, height), (1, 0)), ((width, height), (0, height), (0, 1)), ((0, height), (0, 0), (-1, 0))]
    for p, q, out in edges if wall else []:
        if (view.position[:2] - np.array(p)) @ np.array(out) < 0:
            tone = frame * rng.uniform(0.35, 1.0)
            fill(image, view.px(np.array([[*p, 0], [*q, 0], [*q, wall], [*p, wall]])), [float(v) for v in tone])
    bar_top = rng.uniform(0.1, 0.5) if bar_width and rng.random() < 0.5 else 0.0
    if bar_top:
        body = colour(rng)
        for x in (6, 6 + bar_width):
            fill(image, view.px(np.array([[x, 0, 0], [x, height, 0], [x, height, bar_top], [x, 0, bar_top]])), [float(v) for v in body * 0.6])
        fill(image, view.px(np.array([[6, 0, bar_top], [6 + bar_width, 0, bar_top], [6 + bar_width, height, bar_top], [6, height, bar_top]])), [float(v) for v in body])

    counts, bar = crowd(rng) if crowded else deal(rng)
    radius = rng.uniform(0.34, 0.5)
    pitch = min(2 * radius * rng.uniform(0.97, 1.12), 0.5 * height / (5 if rng.random() < 0.8 else 4))
    thick = rng.uniform(0.02, 0.34)
    per_row = int(min(5 if rng.random() < 0.85 else 6, (0.5 * height - 0.1) // pitch))
    loose, offset = rng.uniform(0.005, 0.09), rng.uniform(0.0, 0.15) if rng.random() < 0.85 else rng.uniform(0.1, 0.5)
    straddling = rng.random() < 0.4
    if rng.random() < 0.2:
        per_row = int(min(9, (0.72 * height - offset) // pitch))
        both = int((height - 2 * offset - 0.1) // pitch)
        for lane in range(12):
            if sum(min(abs(int(counts[n])), per_row) for n in (lane, lane + 12)) > both:
                counts[lane + 12 * int(rng.integers(2))] = 0
    placed: list[tuple[int, Array, int, int]] = []  # lane, centre, layer, side

    def column(lane: int, n: int, side: int, at: Array, step: Array, first: int = 0) -> None:
        for i in range(first, first + n):
            layer, place = divmod(i, per_row)
            shift = place + 0.5 * (layer % 2 if straddling and per_row > 1 else 0)
            centre = at + step * (offset + radius + shift * pitch) + rng.normal(0, loose, 2) * (1 if layer == 0 else 0.5)
            placed.append((lane, centre, layer, side))

    for lane in range(24):
        n = abs(int(counts[lane]))
        row, k = divmod(lane, 12)
        x = k + 0.5 + (bar_width if k >= 6 else 0)
        at, step = (np.array([x, 0.0]), np.array([0.0, 1.0])) if row == 0 else (np.array([x, height]), np.array([0.0, -1.0]))
        column(lane, n, 0 if counts[lane] > 0 else 1, at, step)
    from_edge = rng.random() < 0.3
    for half in (0, 1):
        toward = -1.0 if half == 0 else 1.0
        first = 0
        for side in (0, 1):
            at = np.array([6 + bar_width / 2, height / 2 + toward * rng.uniform(0, 1.0)])
            step = np.array([0.0, toward])
            if from_edge:
                at, step = np.array([6 + bar_width / 2, height * (0 if half == 0 else 1) - toward * 0.3]), -step
            column(24 + half, int(bar[half, side]), side, at, step, first)
            first += int(bar[half, side])
    for _ in range(int(rng.choice([0, 2, 8, 15]))):
        away = rng.choice([-rim - rng.uniform(0.6, 1.6), width + rim + rng.uniform(0.6, 1.6)])
        placed.append((-1, np.array([away, rng.uniform(0, height)]), int(rng.integers(2)), int(rng.integers(2))))

    light = rng.uniform(0, 1.6) * np.array([np.cos(t := rng.uniform(0, 2 * np.pi)), np.sin(t)])
    dark, soft = rng.uniform(0.15, 0.75), float(rng.uniform(0.6, 5))
    styles = [_style(rng, c) for c in (a, b)]
    checkers: list[dict[str, Any]] = []
    for layer in range(max((p[2] for p in placed), default=-1) + 1):
        here = [p for p in placed if p[2] == layer]
        here.sort(key=lambda p: -float(np.linalg.norm(np.array([*p[1], 0]) - view.position)))
        shade = np.zeros(image.shape[:2], np.uint8)
        for lane, centre, _, _ in here:
            ring = disc(centre, radius, layer * thick + (bar_top if lane >= 24 else 0))
            fill(shade, cv2.convexHull(np.r_[view.px(ring), view.px(ring + np.r_[light * thick, 0])].astype(np.float32))[:, 0], 255)
        small = cv2.resize(shade, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), soft / 2)
        image = cv2.multiply(image, cv2.merge([1 - cv2.resize(small, SIZE).astype(np.float32) * (dark / 255)] * 3), dtype=cv2.CV_8U)
        for lane, centre, _, side in here:
            ground = layer * thick + (bar_top if lane >= 24 else 0)
            _draw_checker(image, view, centre, radius, ground, thick, styles[side], rng)
            px = view.px(disc(centre, radius, ground + thick)).astype(np.float32)
            (x, y), (d1, d2), angle = cv2.fitEllipse(px)
            if lane >= 0:
                checkers.append({"lane": lane, "ellipse": (x, y, d1 / 2, d2 / 2, angle), "layer": layer, "side": "AB"[side], "visible": 1.0})
    if rng.random() < 0.6:
        _scatter_dice(image, view, rng, width, height, bar_width)
    for p, q, out in edges if wall else []:
        o = np.array(out) * rim
        fill(image, view.px(np.array([[*p, wall], [*q, wall], [q[0] + o[0], q[1] + o[1], wall], [p[0] + o[0], p[1] + o[1], wall]])), [float(v) for v in frame])
    corners = view.px(np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]]))
    bars = view.px(np.array([[6, 0, 0], [6 + bar_width, 0, 0], [6 + bar_width, height, 0], [6, height, 0]]))
    return Painted(image, BoardGeometry(corners, bars, SIZE), counts, bar, checkers)


def _style(rng: np.random.Generator, body: Array) -> dict[str, Any]:
    return {
        "body": body,
        "side": np.clip(body * rng.uniform(0.4, 1.05), 0, 255),
        "rings": [(rng.uniform(0.3, 0.93), np.clip(body * rng.uniform(0.6, 1.3) + rng.normal(0, 12, 3), 0, 255)) for _ in range(int(rng.integers(0, 4)))],
        "inlay": (rng.uniform(0.15, 0.7), colour(rng)) if rng.random() < 0.2 else None,
        "vary": rng.uniform(0, 0.1),
        "gloss": rng.uniform(0, 90) if rng.random() < 0.3 else 0.0,
        "gloss_at": rng.uniform(-0.6, 0.6, 2),
    }


def _draw_checker(image: Array, view: View, centre: Array, radius: float, ground: float, thick: float, style: dict[str, Any], rng: np.random.Generator) -> None:
    tone = 1 + rng.normal(0, style["vary"])
    top = view.px(disc(centre, radius, ground + thick))
    around = cv2.convexHull(np.r_[view.px(disc(centre, radius, ground)), top].astype(np.float32))[:, 0]
    fill(image, around, [float(v) for v in np.clip(style["side"] * tone, 0, 255)])
    fill(image, top, [float(v) for v in np.clip(style["body"] * tone, 0, 255)])
    for share, ring in style["rings"]:
        px = view.px(disc(centre, radius * share, ground + thick))
        cv2.polylines(image, [np.round(px * 16).astype(np.int32)], True, [float(v) for v in np.clip(ring * tone, 0, 255)], 1, cv2.LINE_AA, 4)
    if style["inlay"]:
        fill(image, view.px(disc(centre, radius * style["inlay"][0], ground + thick)), [float(v) for v in style["inlay"][1]])
    if style["gloss"]:
        at = centre + style["gloss_at"] * radius
        fill(image, view.px(disc(at, radius * 0.25, ground + thick)), [float(v) for v in np.clip(style["body"] * tone + style["gloss"], 0, 255)])


def _scatter_dice(image: Array, view: View, rng: np.random.Generator, width: float, height: float, bar_width: float) -> None:
    for _ in range(int(rng.integers(1, 5))):
        cube = rng.random() < 0.3
        at = rng.uniform((-1, 0), (width + 1, height))
        if cube and bar_width and rng.random() < 0.7:
            at[0] = 6 + bar_width / 2
        px, beside = view.px(np.array([[*at, 0.2], [at[0] + 1, at[1], 0.2]]))
        side = float(np.linalg.norm(beside - px)) * rng.uniform(0.2, 0.4) * (1.8 if cube else 1)
        paste(image, solid(rng, int(rng.choice(CUBE_FACES)) if cube else int(rng.integers(1, 7)), cube), (float(px[0]), float(px[1])), side)


if __name__ == "__main__":
    generator = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    rows = [np.hstack([paint(generator).image for _ in range(3)]) for _ in range(3)]
    cv2.imwrite(sys.argv[1], np.vstack(rows))
