"""Train the reader of dice and cube: `train_dice.py find|cut|look --cache BOARDS --work DICE --out vision/models`.

find: the network that marks centres on the rectified canvas, from random patches; drawn dice, cubes and things like them are pasted in.
cut:  close-ups of every die, cube and wrongly marked place of the training pictures, into one cache file.
look: the network that tells from a close-up what it is, how it lies and how many pips are up; drawn dice and cubes are added.
find and look stop by the clock, so a rerun gives like, not equal, weights. fit_certainty.py weighs the two afterwards.
Only the training split (split.json) is read; about a sixth of its pictures validates (temperature, thresholds). Seeded.
Needs torch (not a dependency of gammonwatch).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import centre_loss, export
from boards import SPLIT, Labelled, renders, training
from dice_networks import Finder, Looker, finer
from drawn_dice import UNIT, decoy, paste, solid, tumbled
from lessons import Lessons, clock_options, seeded
from pieces import things, validates
from weather import recolour, weather

from calibration.camera import view
from calibration.geometry import transform
from calibration.pictures import normalise
from vision import dice
from vision.scene import CUBE_FACES, DIE_STATES

PATCH = 96
CUBE_SHARE = 3.0
"""A patch is laid about a cube as often as about so many dice: there is one cube on a board, and up to eighteen dice."""
BIG = 140
"""Side of a cached close-up, px: room to turn a crop by any angle."""


# ---------------------------------------------------------------- drawn dice


class Tumbled:
    """A stock of drawn dice (drawing one takes as long as looking at ten), to be asked for by how far a thing leans there."""

    def __init__(self, leans: np.ndarray, rng: np.random.Generator, count: int = 4000) -> None:
        self.leans = np.sort(rng.choice(leans, count))
        self.values = rng.integers(1, 7, count)
        self.tilts = np.where(rng.random(count) < 0.5, np.abs(rng.normal(0, 1, count)), rng.uniform(6, 45, count))
        self.sprites = []
        for value, lean, tilt in zip(self.values, self.leans, self.tilts, strict=True):
            sprite = tumbled(rng, int(value), float(lean), float(np.radians(tilt)))
            self.sprites.append((sprite * (1, 1, 1, 255)).clip(0, 255).astype(np.uint8))

    def draw(self, lean: float, rng: np.random.Generator) -> tuple[np.ndarray, int, float]:
        """A sprite, the number that is up, degrees of tilt."""
        n = int(np.clip(np.searchsorted(self.leans, lean) + rng.integers(-100, 100), 0, len(self.leans) - 1))
        if abs(self.leans[n] - lean) > 0.05:
            n = int(np.clip(np.searchsorted(self.leans, lean), 0, len(self.leans) - 1))
        return self.sprites[n] / np.float32([1, 1, 1, 255]), int(self.values[n]), float(self.tilts[n])


# ---------------------------------------------------------------- find


def patch(entry: dict[str, Any], stock: Tumbled, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One training patch: x (3, P, P), target (3, P/2, P/2), weights (2, P/2, P/2: of negatives, of size)."""
    picture, items = entry["canvas"], entry["items"]
    h, w = picture.shape[:2]
    if items and rng.random() < 0.6:
        share = np.array([CUBE_SHARE if t["kind"] == 2 else 1.0 for t in items])
        at = np.array(items[int(rng.choice(len(items), p=share / share.sum()))]["px"]) + rng.uniform(-30, 30, 2)
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
                if cube or rng.random() < 0.4:
                    paste(x, solid(rng, int(rng.choice(CUBE_FACES)) if cube else int(rng.integers(1, 7)), cube), (float(q[0]), float(q[1])), side)
                else:
                    sprite = np.rot90(stock.draw(float(rng.uniform(0, 1.3)), rng)[0], int(rng.integers(4)))
                    paste(x, sprite, (float(q[0]), float(q[1])), side, UNIT)
                marks.append((q, side, 2 if cube else 1, True, True))
    if rng.random() < 0.2:
        q, side = rng.uniform(6, PATCH - 6, 2), float(rng.uniform(0.2, 0.4)) * dice.LANE_PX
        if all(np.linalg.norm(q - o[0]) > 1.2 * side + max(o[1], 6) for o in marks):
            paste(x, decoy(rng), (float(q[0]), float(q[1])), side)
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
    x = recolour(weather(x, rng) if rng.random() < 0.4 else x, rng, 0.08).astype(np.float32)
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
    net = Finder()
    path = args.work / "find.pt"
    if args.resume:
        net.load_state_dict(finer(torch.load(path)))
    stock = Tumbled(rng.uniform(0, 1.3, 2000), rng, 2000)

    def draw() -> list[np.ndarray]:
        batch = [patch(entries[i], stock, rng) for i in rng.choice(len(entries), 24, p=weights)]
        return [np.stack(part) for part in zip(*batch, strict=True)]

    lessons = Lessons(net, args, decay=1e-4, show=50)
    for batch in lessons.batches(draw):
        x, target, weight = (torch.from_numpy(part) for part in batch)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.to(memory_format=torch.channels_last)).float()
        heat = centre_loss(out[:, :2], target[:, :2], weight[:, 0:1])
        size = ((out[:, 2] - target[:, 2]).abs() * weight[:, 1]).sum() / weight[:, 1].sum().clamp(min=1)
        lessons.learn(heat + size, heat=heat, size=size)
        if lessons.step % 200 == 0:
            lessons.save(path)
    lessons.save(path)
    export(net, {"canvas": torch.zeros(1, 3, 400, 584)}, args.out / "find_dice.onnx", ["maps"])


# ---------------------------------------------------------------- cut


def cut(args: argparse.Namespace, rng: np.random.Generator) -> None:
    net = Finder()
    net.load_state_dict(finer(torch.load(args.work / "find.pt")))
    net.eval()
    crops, rows = [], []
    own = [tuple(SPLIT["train"]["renders_own_seeds"])]
    boards = [board for cache in args.cache for board in renders(cache, own)] if args.add else training(*args.cache)
    for n, entry in enumerate(canvases(boards)):
        board = entry["board"]
        with torch.no_grad():
            maps = net(torch.from_numpy(normalise(entry["canvas"][None])))[0].numpy()
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
            xy, side = (seen.xy, seen.side) if seen else (t["xy"], t["side"])  # as it is going to be cut
            wanted.append((xy, side, t["kind"], t["value"] or 0, t["state"], t["heat"], t.get("tilt", 0.0)))
        false = [k for k in candidates if all(np.hypot(k.xy[0] - t["xy"][0], k.xy[1] - t["xy"][1]) > 0.25 for t in entry["items"])]
        wanted += [(k.xy, k.side, 0, 0, -1, k.heat, 0.0) for k in false[:12]]
        for _ in range(4):
            xy = (float(rng.uniform(-1, 13)), float(rng.uniform(-0.5, view(board.geometry).height + 0.5)))
            if all(np.hypot(xy[0] - t["xy"][0], xy[1] - t["xy"][1]) > 0.6 for t in entry["items"]):
                wanted.append((xy, float(rng.uniform(0.2, 0.4)), 0, 0, -1, 0.0, 0.0))
        for xy, side, kind, value, state, heat, tilt in wanted:
            crop, far = dice.close_up(picture, geometry, xy, side, BIG)
            crops.append(crop)
            native = side * geometry.lane_px
            rows.append((n, int(board.rendered), int(validates(board)), kind, value, state, heat, tilt, native, far))
    path = args.work / "crops.npz"
    if args.add:
        with np.load(path) as before:
            crops, rows = [*before["crops"], *crops], [*before["rows"], *rows]
    np.savez(path, crops=np.stack(crops), rows=np.array(rows, np.float32))
    table = np.array(rows)
    print(len(rows), "close-ups: neither, die, cube", np.bincount(table[:, 3].astype(int)))
    for rendered in (0, 1):
        part = table[(table[:, 1] == rendered) & (table[:, 3] > 0)]
        print("rendered" if rendered else "photographs", "true places with heat under 0.04, 0.1, 0.15, 0.3:", [int((part[:, 6] < h).sum()) for h in (0.04, 0.1, 0.15, 0.3)], "of", len(part))


# ---------------------------------------------------------------- look


NOT_LEANING = len(DIE_STATES)
"""State of a drawn die that lies flat on whatever is there: anything but cocked."""


def close_up(crop: np.ndarray, rng: np.random.Generator, mirror: bool, drift: float, far: float | None) -> np.ndarray:
    """As the finder and the corners might have it a little otherwise. far: the lean, in sides, that stays up; None: turned by any angle."""
    angle = rng.uniform(0, 2 * np.pi) if far is None else rng.normal(0, min(2.0, 0.03 + 0.03 / max(far, 1e-3)))
    blur = 1.0 if far is None else 0.5
    zoom = float(np.exp(rng.normal(0, 0.1 * blur)))
    a = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * zoom
    a = a @ np.array([[1 + rng.normal(0, 0.04 * blur), rng.normal(0, 0.03 * blur)], [0, float(np.exp(rng.normal(0, 0.1 * blur)))]])
    if mirror:
        a = a @ np.diag([-1.0, 1.0])
    to = np.array([dice.CROP / 2 - 0.5, dice.CROP / 2 - 0.5]) + rng.normal(0, drift, 2)
    m = np.c_[a, to - a @ np.array([BIG / 2 - 0.5, BIG / 2 - 0.5])]
    x = cv2.warpAffine(crop, m, (dice.CROP, dice.CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return recolour(weather(x, rng) if rng.random() < 0.25 else x, rng, 0.08)


def drawn(background: np.ndarray, far: float, stock: Tumbled, rng: np.random.Generator) -> tuple[np.ndarray, int, int, int]:
    """A die or cube drawn where a close-up shows none: picture, kind, value, state."""
    picture = np.roll(background, rng.integers(-20, 20, 2), axis=(0, 1)).copy()
    middle = np.array([BIG / 2, BIG / 2 + far * dice.SIDE_PX / 2])  # of the body, whose upper face is in the middle
    if rng.random() < 0.3:
        d = rng.uniform(0, 2 * np.pi)
        at = middle + rng.uniform(24, 34) * np.array([np.cos(d), np.sin(d)])
        paste(picture, stock.draw(far, rng)[0], (float(at[0]), float(at[1])), dice.SIDE_PX * rng.uniform(0.9, 1.1), UNIT)
    if rng.random() < 0.3:
        kind, value, state = 2, int(rng.choice(CUBE_FACES)), -1
        paste(picture, solid(rng, value, True), (BIG / 2, BIG / 2), dice.SIDE_PX)
    else:
        sprite, value, tilt = stock.draw(far, rng)
        kind, state = 1, NOT_LEANING if tilt < 4 else 1 if tilt > 10 else -1
        paste(picture, sprite, (float(middle[0]), float(middle[1])), dice.SIDE_PX, UNIT)
    soften = rng.uniform(0.3, 1.0)
    if soften < 0.85:
        small = cv2.resize(picture, None, fx=soften, fy=soften, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (BIG, BIG), interpolation=cv2.INTER_LINEAR)
    return picture, kind, value, state


def lies_wrong(out: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
    """Loss of how the dice lie, mean over those that say anything."""
    log_p = F.log_softmax(out, dim=1)
    plain = F.nll_loss(log_p, torch.where(state == NOT_LEANING, -1, state), ignore_index=-1, reduction="sum")
    leaning = log_p[:, 1].exp()[state == NOT_LEANING]
    return (plain - torch.log1p(-leaning.clamp(max=0.9999)).sum()) / (state >= 0).sum().clamp(min=1)


def look(args: argparse.Namespace, rng: np.random.Generator) -> None:
    with np.load(args.work / "crops.npz") as data:
        crops, rows = data["crops"], data["rows"]
    use = rows[:, 2] == 0
    kinds, values, states = rows[:, 3].astype(int), rows[:, 4].astype(int), rows[:, 5].astype(int)
    weight = np.where(kinds == 0, 0.25, 1.0) * np.where(rows[:, 1] == 0, 4.0, 1.0)
    weight = weight * np.where(states == 1, 1.5, np.where(states == 2, 2.5, 1.0)) * np.where(kinds == 2, 1.5, 1.0)
    plain = np.nonzero(use & (kinds == 0))[0]
    real = np.nonzero(use)[0]
    p = weight[real] / weight[real].sum()
    net = Looker()
    path = args.work / "look.pt"
    if args.resume:
        taken = net.load_state_dict(torch.load(path), strict=False)
        print("new:", taken.missing_keys, "left:", taken.unexpected_keys, flush=True)
    stock = Tumbled(rows[plain, 9], rng)
    size = 64

    def draw() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        x, leans = np.empty((size, dice.CROP, dice.CROP, 3), np.uint8), np.empty((size, 1), np.float32)
        kind, value, state = (np.full(size, -1, np.int64) for _ in range(3))
        for n in range(size):
            any_angle, share = rng.random() < 0.3, rng.random()
            if share < 0.05:
                i = rng.choice(plain)
                picture, kind[n], shown, lies = crops[i].copy(), 0, 0, -1
                paste(picture, decoy(rng), (BIG / 2, BIG / 2), dice.SIDE_PX)
            elif share < 0.3:
                i = rng.choice(plain)
                picture, kind[n], shown, lies = drawn(crops[i], float(rows[i, 9]), stock, rng)
            else:
                i = rng.choice(real, p=p)
                kind[n], shown, lies = kinds[i], values[i], states[i]
                picture = coarser(crops[i], float(rows[i, 8]), rng)
            if kind[n] == 1:
                value[n] = shown - 1
                state[n] = -1 if any_angle else lies
            far = float(rows[i, 9])
            leans[n] = far * float(np.exp(rng.normal(0, 0.05)))
            x[n] = close_up(picture, rng, kind[n] != 2 and rng.random() < 0.5, 0.8 if kind[n] else 3.0, None if any_angle else far)
        return dice.normalise_crops(x), leans, [kind, value, state]

    lessons = Lessons(net, args)
    for x, leans, targets in lessons.batches(draw):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outs = [o.float() for o in net(torch.from_numpy(x).to(memory_format=torch.channels_last), torch.from_numpy(leans))]
        kind, value = (
            F.cross_entropy(out, torch.from_numpy(t), ignore_index=-1, label_smoothing=0.02, reduction="sum") / max(1, int((t >= 0).sum()))
            for out, t in zip(outs[:2], targets[:2], strict=True)
        )
        lies = lies_wrong(outs[2], torch.from_numpy(targets[2]))
        lessons.learn(kind + value + lies, kind=kind, value=value, lies=lies)
        if lessons.step % 500 == 0:
            lessons.save(path)
            check(net, crops, rows)
    lessons.save(path)
    check(net, crops, rows)
    export(net, {"crops": torch.zeros(4, 3, dice.CROP, dice.CROP), "lean": torch.zeros(4, 1)}, args.out / "look_dice.onnx", ["kind", "value", "state"])


def coarser(crop: np.ndarray, native: float, rng: np.random.Generator) -> np.ndarray:
    """Now and then as a camera farther away would show it: down to 9 px a side. `native`: px a side as it was taken."""
    least = 9.0 / native
    if rng.random() < 0.6 or least > 0.9:
        return crop
    scale = min(native, dice.SIDE_PX) / dice.SIDE_PX * rng.uniform(least, 1.0)
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (BIG, BIG), interpolation=cv2.INTER_LINEAR)


def check(net: Looker, crops: np.ndarray, rows: np.ndarray) -> None:
    """Figures on the validation pictures of the training split, and the temperature that makes each head's probabilities honest."""
    net.eval()
    held = np.nonzero(rows[:, 2] == 1)[0]
    low = (BIG - dice.CROP) // 2
    x = dice.normalise_crops(crops[held][:, low : low + dice.CROP, low : low + dice.CROP])
    r = rows[held]
    lean = np.ascontiguousarray(r[:, 9:10])
    with torch.no_grad():
        batches = (net(torch.from_numpy(x[i : i + 64]), torch.from_numpy(lean[i : i + 64])) for i in range(0, len(x), 64))
        heads = [torch.cat(part) for part in zip(*batches, strict=True)]
    targets = [r[:, 3], np.where(r[:, 3] == 1, r[:, 4] - 1, -1), np.where(r[:, 3] == 1, r[:, 5], -1)]
    said = []
    for name, out, target in zip(("kind", "value", "state"), heads, targets, strict=True):
        t = torch.from_numpy(target.astype(np.int64))
        sure = t >= 0
        right = (out.argmax(1) == t)[sure].float()
        loss = {k: F.cross_entropy(out[sure] / k, t[sure]).item() for k in np.arange(0.3, 3.01, 0.1).round(1)}
        said.append(f"{name} {int(right.sum())}/{len(right)} T {min(loss, key=lambda k: loss[k])} nll {min(loss.values()):.3f}")
    print("   validation:", "; ".join(said), flush=True)
    flat = (r[:, 3] == 1) & (r[:, 5] == 0)
    right = heads[1].argmax(1).numpy() == r[:, 4] - 1
    for least, most in ((18, 1e9), (14, 18), (0, 14)):
        big = flat & (r[:, 8] >= least) & (r[:, 8] < most)
        print(f"   flat, {least} px and more: value {right[big].sum()}/{big.sum()}", end=";")
    p = heads[2].softmax(1).numpy()
    tilted = (r[:, 3] == 1) & (r[:, 5] == 1) & (r[:, 7] >= 12)
    for share in (0.01, 0.02, 0.05):
        line = np.quantile(p[flat, 1], 1 - share)
        print(f" cocked found with {100 * share:.0f} % of {flat.sum()} flat: {(p[tilted, 1] > line).sum()}/{tilted.sum()}", end=",")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["find", "cut", "look"])
    parser.add_argument("--cache", type=Path, action="append", required=True, help="folder of render_boards.py; may be given more than once")
    parser.add_argument("--work", type=Path, required=True, help="folder for what one stage leaves to the next")
    parser.add_argument("--out", type=Path, default=Path("vision/models"))
    clock_options(parser, minutes=10, rate=4e-3)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--add", action="store_true", help="cut: only the boards of the folders, added to the close-ups that are there")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    rng = seeded(args.seed)
    stages = {"find": find, "cut": cut, "look": look}
    stages[args.stage](args, rng)


if __name__ == "__main__":
    main()
