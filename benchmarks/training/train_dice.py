"""Train the reader of dice and cube: `train_dice.py find|cut|look --cache BOARDS --work DICE --out vision/models`.

find: the network that marks centres on the rectified canvas, from random patches; drawn dice and cubes are pasted in.
cut:  close-ups of every die, cube and wrongly marked place of the training pictures, into one cache file.
look: the network that tells from a close-up what it is, how it lies and how many pips are up; drawn dice and cubes are added.
find and look stop by the clock, so a rerun gives like, not equal, weights. fit_certainty.py weighs the two afterwards.
Only the training split (split.json) is read; about a sixth of its pictures validates (temperature, thresholds). Seeded.
Needs torch (not a dependency of gammonwatch).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import centre_loss, layer
from boards import Labelled, training
from drawn_dice import paste, solid
from weather import recolour

from calibration.camera import view
from calibration.geometry import transform
from vision import dice
from vision.scene import CUBE_FACES, DIE_STATES

PATCH = 96
BIG = 140
"""Side of a cached close-up, px: room to turn a crop by any angle."""


class Finder(nn.Module):
    """(1, 3, h, w) -> (1, 3, h/2, w/2): logits of die centre and cube centre, log of side / USUAL_SIDE."""

    def __init__(self) -> None:
        super().__init__()
        self.a = layer(3, 16, 2)
        self.b = nn.Sequential(layer(16, 32, 2), layer(32, 32, 1))
        self.c = nn.Sequential(layer(32, 56, 2), layer(56, 56, 1), layer(56, 56, 1), layer(56, 56, 1))
        self.c_up = nn.ConvTranspose2d(56, 32, 2, 2)
        self.b_after = layer(32, 32, 1)
        self.b_up = nn.ConvTranspose2d(32, 16, 2, 2)
        self.head = nn.Sequential(layer(16, 16, 1), nn.Conv2d(16, 3, 1))
        nn.init.constant_(self.head[1].bias, -3.0)
        with torch.no_grad():
            self.head[1].bias[2] = 0.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = self.b(a)
        b = self.b_after(b + self.c_up(self.c(b)))
        return self.head(a + self.b_up(b))


def rings(size: int, step: float, edges: list[float]) -> torch.Tensor:
    """Masks (len(edges) - 1, size * size) of rings about the middle, each summing to 1; `step`: close-up px a cell, `edges` in px."""
    y, x = torch.meshgrid(*(torch.arange(size) - (size - 1) / 2,) * 2, indexing="ij")
    far = torch.sqrt(x * x + y * y) * step
    masks = torch.stack([((far >= a) & (far < b)).float() for a, b in zip(edges, edges[1:], strict=False)]).flatten(1)
    return masks / masks.sum(dim=1, keepdim=True)


class Looker(nn.Module):
    """(n, 3, 96, 96) -> logits: kind (n, 3: neither, die, cube), value (n, 6), state (n, 4).

    A face is counted, not recognised from one side: what was found is averaged over rings about the middle, so that a die turned by
    any angle gives the same. (Flattened maps learned nothing about values in a thousand steps.) What it is and how it lies is seen
    also from the surroundings, at half the detail.
    """

    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Sequential(layer(3, 24, 1), layer(24, 32, 2), layer(32, 48, 1), layer(48, 48, 1))
        self.deep = nn.Sequential(layer(48, 64, 2), layer(64, 64, 1))
        self.register_buffer("near_rings", rings(24, 2.0, [0, 3, 5.5, 8, 10.5, 14, 20]), persistent=False)
        self.register_buffer("deep_rings", rings(12, 4.0, [0, 6, 11, 18]), persistent=False)
        self.wide = nn.Sequential(layer(3, 16, 2), layer(16, 24, 1), layer(24, 32, 2), layer(32, 32, 1), layer(32, 32, 2))
        self.face = nn.Sequential(nn.Linear(48 * 6 + 64 * 3, 128), nn.ReLU(), nn.Dropout(0.1))
        self.both = nn.Sequential(nn.Dropout(0.2), nn.Linear(128 + 32 * 36, 64), nn.ReLU())
        self.kind = nn.Linear(64, 3)
        self.state = nn.Linear(64, 4)
        self.value = nn.Sequential(nn.Linear(128, 48), nn.ReLU(), nn.Linear(48, 6))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        near = self.near(x[:, :, 24:72, 24:72])
        deep = self.deep(near)
        pooled = [(near.flatten(2) @ self.near_rings.T).flatten(1), (deep.flatten(2) @ self.deep_rings.T).flatten(1)]
        face = self.face(torch.cat(pooled, dim=1))
        both = self.both(torch.cat([face, self.wide(F.avg_pool2d(x, 2)).flatten(1)], dim=1))
        return self.kind(both), self.value(face), self.state(both)


# ---------------------------------------------------------------- truth in rectified coordinates


def things(board: Labelled) -> list[dict[str, Any]]:
    """Dice and cube of one picture: kind, value, state, xy (rectified), side (lane widths, 0 when not known), sure."""
    to_rectified = np.linalg.inv(view(board.geometry).plane)
    out: list[dict[str, Any]] = []

    def place(xy: list[float]) -> tuple[float, float]:
        x, y = transform(to_rectified, [xy])[0]
        return float(x), float(y)

    if board.rendered:
        truth = json.loads(board.path.with_suffix(".json").read_text())
        for d in truth["dice"]:
            if d["in_image"] < 0.5:
                continue
            side = 0.0
            face = transform(to_rectified, d["top_face_px"])
            side = float(np.mean([np.linalg.norm(face[i] - face[i - 1]) for i in range(4)]))
            state = {"cocked": 1, "on_checker": 2}.get(d["state"], 0)
            sure = d["in_image"] > 0.9 and d["visible"] > 0.5
            out.append({"kind": 1, "value": d["value"], "state": state, "xy": place(d["center_px"]), "side": side, "sure": sure, "tilt": d["tilt_deg"]})
        c = truth["cube"]
        if c and c["in_image"] > 0.5:
            outline = transform(to_rectified, c["polygon_px"]).astype(np.float32)
            side = float(np.sqrt(cv2.contourArea(cv2.convexHull(outline))))
            out.append({"kind": 2, "value": c["value"], "state": -1, "xy": place(c["center_px"]), "side": side, "sure": c["in_image"] > 0.9 and c["visible"] > 0.6})
        return out
    for d in board.row["dice"]:
        held = d["state"] == "held"
        state = -1 if held else DIE_STATES.index(d["state"])
        out.append({"kind": 1, "value": d["value"], "state": state, "xy": place(d["xy"]), "side": 0.0, "sure": not held, "tilt": 0.0})
    c = board.row["cube"]
    if c:
        out.append({"kind": 2, "value": c["value"], "state": -1, "xy": place(c["xy"]), "side": 0.0, "sure": True})
    return out


def validates(board: Labelled) -> bool:
    return board.rendered and zlib.crc32(board.path.name.encode()) % 6 == 0


# ---------------------------------------------------------------- find


def patch(entry: dict[str, Any], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One training patch: x (3, P, P), target (3, P/2, P/2), weights (2, P/2, P/2: of negatives, of size)."""
    picture, items = entry["canvas"], entry["items"]
    h, w = picture.shape[:2]
    if items and rng.random() < 0.6:
        at = np.array(items[int(rng.integers(len(items)))]["px"]) + rng.uniform(-30, 30, 2)
    else:
        at = np.array([rng.uniform(0, w), rng.uniform(0, h)])
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else rng.integers(4) * np.pi / 2
    zoom = np.exp(rng.normal(0, 0.15))
    a = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * zoom
    a = a @ np.diag([1 + rng.normal(0, 0.05), (1 + rng.normal(0, 0.07)) * rng.choice([-1, 1])])
    m = np.c_[a, np.array([PATCH / 2, PATCH / 2]) - a @ at]
    x = cv2.warpAffine(picture, m, (PATCH, PATCH), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE if rng.random() < 0.5 else cv2.BORDER_REFLECT)
    marks = []
    for t in items:
        q = a @ np.array(t["px"]) + m[:, 2]
        marks.append((q, t["side"] * dice.LANE_PX * zoom, t["kind"], t["sure"], t["side"] > 0))
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 4))):
            q = rng.uniform(6, PATCH - 6, 2)
            cube = rng.random() < 0.25
            side = float(rng.uniform(0.18, 0.62) if rng.random() < 0.5 else rng.uniform(0.2, 0.4) * (1.5 if cube else 1)) * dice.LANE_PX
            if marks and rng.random() < 0.25:
                turn = rng.uniform(0, 2 * np.pi)
                q = np.asarray(marks[-1][0]) + np.array([np.cos(turn), np.sin(turn)]) * 0.62 * (side + max(marks[-1][1], 6))
            if all(np.linalg.norm(q - o[0]) > 0.55 * (side + max(o[1], 6)) for o in marks) and (q > 4).all() and (q < PATCH - 4).all():
                sprite = solid(rng, int(rng.choice(CUBE_FACES)) if cube else int(rng.integers(1, 7)), cube)
                paste(x, sprite, (float(q[0]), float(q[1])), side)
                marks.append((q, side, 2 if cube else 1, True, True))
    n = PATCH // 2
    target = np.zeros((3, n, n), np.float32)
    weight = np.ones((2, n, n), np.float32)
    weight[1] = 0
    gy, gx = np.mgrid[0:n, 0:n].astype(np.float32)
    for q, side, kind, sure, sized in marks:
        cx, cy = (q + 0.5) / 2 - 0.5
        r2 = (gx - cx) ** 2 + (gy - cy) ** 2
        radius = max(side if sized else 9.0, 5.0) / 2
        if not sure:
            weight[0][r2 < (0.8 * radius) ** 2] = 0
            continue
        blob = np.exp(-r2 / (2 * (0.24 * radius + 0.25) ** 2))
        ix, iy = round(float(cx)), round(float(cy))
        if 0 <= ix < n and 0 <= iy < n:
            blob[iy, ix] = 1.0
        target[kind - 1] = np.maximum(target[kind - 1], blob)
        if sized:
            near = r2 < (0.45 * radius + 0.5) ** 2
            target[2][near] = np.log(side / dice.LANE_PX / dice.USUAL_SIDE)
            weight[1][near] = 1
    x = recolour(x, rng, 0.08).astype(np.float32)
    mean = entry["mean"] * rng.uniform(0.9, 1.1) if rng.random() < 0.5 else x.mean(axis=(0, 1))
    scale = max(entry["scale"], float(np.sqrt(x.reshape(-1, 3).var(axis=0).mean()))) * rng.uniform(0.8, 1.2) + 4.0
    return ((x - mean) / scale).transpose(2, 0, 1).astype(np.float32), target, weight


def canvases(boards: list[Labelled]) -> list[dict[str, Any]]:
    out = []
    to_canvas = np.linalg.inv(dice.canvas_to_rectified())
    for board in boards:
        picture = dice.canvas(cv2.imread(str(board.path)), board.geometry)
        items = things(board)
        for t in items:
            t["px"] = transform(to_canvas, [t["xy"]])[0]
        mean, deviation = cv2.meanStdDev(picture)
        out.append({"canvas": picture, "items": items, "mean": mean.ravel().astype(np.float32), "scale": float(np.sqrt((deviation**2).mean())), "board": board})
    return out


def find(args: argparse.Namespace, rng: np.random.Generator) -> None:
    entries = canvases([b for b in training(*args.cache) if not validates(b)])
    weights = np.array([1.0 if e["board"].rendered else 6.0 for e in entries])
    weights /= weights.sum()
    print(len(entries), "canvases", flush=True)
    net = Finder().to(memory_format=torch.channels_last)
    path = args.work / "find.pt"
    if args.resume:
        net.load_state_dict(torch.load(path))
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-4)

    def draw() -> list[np.ndarray]:
        batch = [patch(entries[i], rng) for i in rng.choice(len(entries), 24, p=weights)]
        return [np.stack(part) for part in zip(*batch, strict=True)]

    ahead = ThreadPoolExecutor(1)
    coming = ahead.submit(draw)
    began, step, seen = time.time(), 0, np.zeros(2)
    while (spent := (time.time() - began) / 60 / args.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 30) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * spent)))
        x, target, weight = (torch.from_numpy(part) for part in coming.result())
        coming = ahead.submit(draw)
        net.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.to(memory_format=torch.channels_last)).float()
        heat = centre_loss(out[:, :2], target[:, :2], weight[:, 0:1])
        size = ((out[:, 2] - target[:, 2]).abs() * weight[:, 1]).sum() / weight[:, 1].sum().clamp(min=1)
        optimiser.zero_grad()
        (heat + 1.0 * size).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        seen = 0.97 * seen + 0.03 * np.array([heat.item(), size.item()])
        if step % 50 == 0:
            print(step, f"{spent:.2f}", (seen / (1 - 0.97**step)).round(4), flush=True)
        if step % 200 == 0:
            torch.save(net.state_dict(), path)
    torch.save(net.state_dict(), path)
    net.eval()
    torch.onnx.export(net, (torch.zeros(1, 3, 400, 584),), str(args.out / "find_dice.onnx"), input_names=["canvas"], output_names=["maps"],
                      dynamic_axes={"canvas": {2: "h", 3: "w"}, "maps": {2: "h2", 3: "w2"}}, dynamo=False, opset_version=13)


# ---------------------------------------------------------------- cut


def cut(args: argparse.Namespace, rng: np.random.Generator) -> None:
    net = Finder()
    net.load_state_dict(torch.load(args.work / "find.pt"))
    net.eval()
    crops, rows = [], []
    for n, entry in enumerate(canvases(training(*args.cache))):
        board = entry["board"]
        with torch.no_grad():
            maps = net(torch.from_numpy(dice.normalise_canvas(entry["canvas"])))[0].numpy()
        candidates = dice.peaks(maps, 0.04, 40)
        picture, geometry = dice.close_up_picture(cv2.imread(str(board.path)), board.geometry)
        wanted = []
        for t in entry["items"]:
            near = min(candidates, key=lambda k: np.hypot(k.xy[0] - t["xy"][0], k.xy[1] - t["xy"][1]), default=None)
            seen = near if near and np.hypot(near.xy[0] - t["xy"][0], near.xy[1] - t["xy"][1]) < 0.2 else None
            t["heat"] = seen.heat if seen else 0.0
            if not t["sure"]:
                continue
            if not t["side"]:
                c, r = (int(round((v + 0.5) / 2 - 0.5)) for v in t["px"])
                inside = 0 <= r < maps.shape[1] and 0 <= c < maps.shape[2]
                t["side"] = seen.side if seen else dice.USUAL_SIDE * float(np.exp(np.clip(maps[2, r, c], -0.5, 1))) if inside else dice.USUAL_SIDE
            wanted.append((t["xy"], t["side"], t["kind"], t["value"] or 0, t["state"], t["heat"], t.get("tilt", 0.0)))
        false = [k for k in candidates if all(np.hypot(k.xy[0] - t["xy"][0], k.xy[1] - t["xy"][1]) > 0.25 for t in entry["items"])]
        wanted += [(k.xy, k.side, 0, 0, -1, k.heat, 0.0) for k in false[:12]]
        for _ in range(4):
            xy = (float(rng.uniform(-1, 13)), float(rng.uniform(-0.5, view(board.geometry).height + 0.5)))
            if all(np.hypot(xy[0] - t["xy"][0], xy[1] - t["xy"][1]) > 0.6 for t in entry["items"]):
                wanted.append((xy, float(rng.uniform(0.2, 0.4)), 0, 0, -1, 0.0, 0.0))
        for xy, side, kind, value, state, heat, tilt in wanted:
            crops.append(dice.cut(picture, geometry, xy, side, BIG))
            native = side * geometry.lane_px
            rows.append((n, int(board.rendered), int(validates(board)), kind, value, state, heat, tilt, native))
    np.savez(args.work / "crops.npz", crops=np.stack(crops), rows=np.array(rows, np.float32))
    table = np.array(rows)
    print(len(rows), "close-ups: neither, die, cube", np.bincount(table[:, 3].astype(int)))
    for rendered in (0, 1):
        part = table[(table[:, 1] == rendered) & (table[:, 3] > 0)]
        print("rendered" if rendered else "photographs", "true places with heat under 0.04, 0.1, 0.15, 0.3:", [int((part[:, 6] < h).sum()) for h in (0.04, 0.1, 0.15, 0.3)], "of", len(part))


# ---------------------------------------------------------------- look


def close_up(crop: np.ndarray, rng: np.random.Generator, mirror: bool, drift: float) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi)
    zoom = float(np.exp(rng.normal(0, 0.1)))
    a = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * zoom
    a = a @ np.array([[1 + rng.normal(0, 0.04), rng.normal(0, 0.03)], [0, float(np.exp(rng.normal(0, 0.1)))]])
    if mirror:
        a = a @ np.diag([-1.0, 1.0])
    to = np.array([dice.CROP / 2 - 0.5, dice.CROP / 2 - 0.5]) + rng.normal(0, drift, 2)
    m = np.c_[a, to - a @ np.array([BIG / 2 - 0.5, BIG / 2 - 0.5])]
    return recolour(cv2.warpAffine(crop, m, (dice.CROP, dice.CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), rng, 0.08)


def drawn(background: np.ndarray, rng: np.random.Generator, cube: bool) -> tuple[np.ndarray, int]:
    value = int(rng.choice(CUBE_FACES)) if cube else int(rng.integers(1, 7))
    picture = np.roll(background, rng.integers(-20, 20, 2), axis=(0, 1)).copy()
    if rng.random() < 0.3:
        d = rng.uniform(0, 2 * np.pi)
        at = (BIG / 2 + 26 * np.cos(d), BIG / 2 + 26 * np.sin(d))
        paste(picture, solid(rng, int(rng.integers(1, 7)), False), at, dice.SIDE_PX * rng.uniform(0.9, 1.1))
    paste(picture, solid(rng, value, cube), (BIG / 2, BIG / 2), dice.SIDE_PX)
    soften = rng.uniform(0.3, 1.0)
    if soften < 0.85:
        small = cv2.resize(picture, None, fx=soften, fy=soften, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (BIG, BIG), interpolation=cv2.INTER_LINEAR)
    return picture, value


def look(args: argparse.Namespace, rng: np.random.Generator) -> None:
    with np.load(args.work / "crops.npz") as data:
        crops, rows = data["crops"], data["rows"]
    use = rows[:, 2] == 0
    kinds, values, states = rows[:, 3].astype(int), rows[:, 4].astype(int), rows[:, 5].astype(int)
    weight = np.where(kinds == 0, 0.25, 1.0) * np.where(rows[:, 1] == 0, 4.0, 1.0)
    weight = weight * np.where((states == 1) | (states == 2), 3.0, 1.0) * np.where(kinds == 2, 1.5, 1.0)
    plain = np.nonzero(use & (kinds == 0))[0]
    real = np.nonzero(use)[0]
    p = weight[real] / weight[real].sum()
    net = Looker().to(memory_format=torch.channels_last)
    path = args.work / "look.pt"
    if args.resume:
        net.load_state_dict(torch.load(path), strict=False)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-3)
    size = 64

    def draw() -> tuple[np.ndarray, list[np.ndarray]]:
        x = np.empty((size, dice.CROP, dice.CROP, 3), np.uint8)
        kind, value, state = (np.full(size, -1, np.int64) for _ in range(3))
        for n in range(size):
            share = rng.random()
            if share < 0.25:
                cube = share < 0.1
                picture, shown = drawn(crops[rng.choice(plain)], rng, cube)
                kind[n] = 2 if cube else 1
                value[n] = -1 if cube else shown - 1
                x[n] = close_up(picture, rng, not cube and rng.random() < 0.5, 1.2)
                continue
            i = rng.choice(real, p=p)
            kind[n] = kinds[i]
            if kinds[i] == 1:
                value[n] = values[i] - 1
                state[n] = states[i]
            x[n] = close_up(coarser(crops[i], float(rows[i, 8]), rng), rng, kinds[i] != 2 and rng.random() < 0.5, 1.2 if kinds[i] else 3.0)
        return dice.normalise_crops(x), [kind, value, state]

    ahead = ThreadPoolExecutor(1)
    coming = ahead.submit(draw)
    began, step, seen = time.time(), 0, np.zeros(3)
    while (spent := (time.time() - began) / 60 / args.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 30) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * spent)))
        x, targets = coming.result()
        coming = ahead.submit(draw)
        net.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outs = [o.float() for o in net(torch.from_numpy(x).to(memory_format=torch.channels_last))]
        parts = [F.cross_entropy(out, torch.from_numpy(t), ignore_index=-1, label_smoothing=0.02, reduction="sum") / max(1, int((t >= 0).sum()))
                 for out, t in zip(outs, targets, strict=True)]
        optimiser.zero_grad()
        (parts[0] + parts[1] + 0.7 * parts[2]).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        seen = 0.99 * seen + 0.01 * np.array([v.item() for v in parts])
        if step % 100 == 0:
            print(step, f"{spent:.2f}", (seen / (1 - 0.99**step)).round(4), flush=True)
        if step % 500 == 0:
            torch.save(net.state_dict(), path)
            check(net, crops, rows)
    torch.save(net.state_dict(), path)
    check(net, crops, rows)
    export_look(net, args.out)


def coarser(crop: np.ndarray, native: float, rng: np.random.Generator) -> np.ndarray:
    """Now and then as a camera farther away would show it: down to 9 px a side. `native`: px a side as it was taken."""
    least = 9.0 / native
    if rng.random() < 0.6 or least > 0.9:
        return crop
    scale = min(native, dice.SIDE_PX) / dice.SIDE_PX * rng.uniform(least, 1.0)
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (BIG, BIG), interpolation=cv2.INTER_LINEAR)


def export_look(net: Looker, out: Path) -> None:
    net.eval()
    torch.onnx.export(net, (torch.zeros(4, 3, dice.CROP, dice.CROP),), str(out / "look_dice.onnx"), input_names=["crops"], output_names=["kind", "value", "state"],
                      dynamic_axes={"crops": {0: "n"}, "kind": {0: "n"}, "value": {0: "n"}, "state": {0: "n"}}, dynamo=False, opset_version=13)


def check(net: Looker, crops: np.ndarray, rows: np.ndarray) -> None:
    """Figures on the validation pictures of the training split, and the temperature that makes each head's probabilities honest."""
    net.eval()
    held = np.nonzero(rows[:, 2] == 1)[0]
    low = (BIG - dice.CROP) // 2
    x = dice.normalise_crops(crops[held][:, low : low + dice.CROP, low : low + dice.CROP])
    with torch.no_grad():
        heads = [torch.cat(part) for part in zip(*(net(torch.from_numpy(x[i : i + 64])) for i in range(0, len(x), 64)), strict=True)]
    r = rows[held]
    targets = [r[:, 3], np.where(r[:, 3] == 1, r[:, 4] - 1, -1), np.where(r[:, 3] == 1, r[:, 5], -1)]
    said = []
    for name, out, target in zip(("kind", "value", "state"), heads, targets, strict=True):
        t = torch.from_numpy(target.astype(np.int64))
        sure = t >= 0
        right = (out.argmax(1) == t)[sure].float()
        loss = {k: F.cross_entropy(out[sure] / k, t[sure]).item() for k in np.arange(0.3, 3.01, 0.1).round(1)}
        said.append(f"{name} {int(right.sum())}/{len(right)} T {min(loss, key=lambda k: loss[k])} nll {min(loss.values()):.3f}")
    big = (r[:, 3] == 1) & (r[:, 8] >= 14) & (r[:, 5] == 0)
    right = heads[1].argmax(1).numpy()[big] == r[big, 4] - 1
    print("   validation:", "; ".join(said), f"; flat >= 14 px {right.sum()}/{len(right)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["find", "cut", "look"])
    parser.add_argument("--cache", type=Path, action="append", required=True, help="folder of render_boards.py; may be given more than once")
    parser.add_argument("--work", type=Path, required=True, help="folder for what one stage leaves to the next")
    parser.add_argument("--out", type=Path, default=Path("vision/models"))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(args.seed)
    stages = {"find": find, "cut": cut, "look": look}
    stages[args.stage](args, rng)


if __name__ == "__main__":
    main()
