"""Train the reader of the cube's number: `train_cube.py --cache BOARDS [--cache MORE] --out vision/models/cube_face.onnx`.

A number is a shape that may be turned by any angle, which a die's pips, averaged over rings (train_dice.py), are not. Networks that
were shown every angle at once learned nothing in five hundred steps. So this one tells upright numbers from everything else, and the
close-up is turned to `FACE_TURNS` angles for it. It learns from drawn cubes, whose angle is known, in every typeface that the machine
has (fontconfig's `fc-list`; Debian's fonts-dejavu, -liberation, -freefont, -urw-base35, -lato, -roboto, -linuxlibertine and -cantarell
were there), and from the cubes of the training split, at the angle that suits their true number best. Boards whose name says that they
validate (train_dice.py) are only measured. Seeded. Needs torch and Pillow, and ten minutes on one core.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import export, layer
from boards import training
from drawn_dice import paste, solid
from lessons import Lessons, clock_options, seeded
from pieces import things, validates
from weather import recolour

from vision import dice
from vision.scene import CUBE_FACES

BIG = 2 * dice.FACE_CROP
"""Side of a cached close-up, px: room to turn a crop by any angle."""
SIZE = dice.FACE_CROP


class CubeFace(nn.Module):
    """(n, 3, 40, 40) -> (n, 7) logits: no upright number, then `CUBE_FACES`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(layer(3, 16, 1), layer(16, 32, 2), layer(32, 48, 2), layer(48, 64, 2))
        self.face = nn.Sequential(nn.Flatten(), nn.Linear(64 * (SIZE // 8) ** 2, 96), nn.ReLU(), nn.Linear(96, 1 + len(CUBE_FACES)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.face(self.body(x))


def typefaces() -> list[str]:
    listed = subprocess.run(["fc-list", ":", "file"], capture_output=True, text=True, check=True).stdout
    names = sorted(line.rstrip(": ") for line in listed.splitlines())
    usable = []
    for name in names:
        if name.endswith((".ttf", ".otf")) and not any(odd in name for odd in ("Symbol", "Math", "D050000L", "Mono", "LinBiolinum_K")):
            usable.append(name)
    return usable


def stamp(rng: np.random.Generator, text: str, faces: list[str]) -> np.ndarray:
    """The number as a mask, uint8 (h, w), sometimes in a frame or underlined."""
    font = ImageFont.truetype(faces[int(rng.integers(len(faces)))], 90)
    box = font.getbbox(text)
    pad = int(rng.integers(4, 40))
    w, h = box[2] - box[0] + 2 * pad, box[3] - box[1] + 2 * pad
    if rng.random() < 0.5:
        w = h = max(w, h)
    picture = Image.new("L", (int(w), int(h)))
    pen = ImageDraw.Draw(picture)
    pen.text((w / 2, h / 2), text, fill=255, font=font, anchor="mm", stroke_width=int(rng.choice([0, 0, 1, 3])))
    style = rng.random()
    if style < 0.15:
        pen.rectangle((2, 2, w - 3, h - 3), outline=255, width=int(rng.integers(2, 8)))
    elif style < 0.22:
        pen.ellipse((2, 2, w - 3, h - 3), outline=255, width=int(rng.integers(2, 8)))
    elif style < 0.27:
        pen.line((pad, h - pad / 2, w - pad, h - pad / 2), fill=255, width=int(rng.integers(2, 8)))
    mask = np.array(picture)
    if rng.random() < 0.2:
        mask = cv2.resize(mask, None, fx=rng.uniform(0.7, 1.2), fy=1.0)
    return mask


def drawn(background: np.ndarray, rng: np.random.Generator, value: int, faces: list[str]) -> np.ndarray:
    """An upright cube on a background."""
    picture = np.ascontiguousarray(np.rot90(np.roll(background, rng.integers(-25, 25, 2), axis=(0, 1)), int(rng.integers(4))))
    figure = stamp(rng, str(value), faces) if rng.random() < 0.9 else None
    paste(picture, solid(rng, value, True, figure, turn=0.0), (BIG / 2, BIG / 2), dice.FACE_SIDE_PX)
    return picture


def close_up(crop: np.ndarray, rng: np.random.Generator, angle: float) -> np.ndarray:
    """Turned by `angle` radians, a little off centre, of a size a little misjudged, sometimes coarse."""
    a = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag(np.exp(rng.normal(0, 0.06, 2))) * np.exp(rng.normal(0, 0.1))
    m = np.c_[a, np.array([SIZE / 2 - 0.5] * 2) + rng.normal(0, 1.3, 2) - a @ np.array([BIG / 2 - 0.5] * 2)]
    if rng.random() < 0.4:
        factor = rng.uniform(0.4, 1.0)
        crop = cv2.resize(cv2.resize(crop, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), (BIG, BIG), interpolation=cv2.INTER_LINEAR)
    return recolour(cv2.warpAffine(crop, m, (SIZE, SIZE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), rng, 0.15)


def amiss(rng: np.random.Generator, value: int) -> float:
    """An angle at which the number is not upright, nor looks like another (an 8 upside down is one)."""
    while True:
        angle = rng.uniform(-np.pi, np.pi)
        if abs(angle) > 0.6 and not (value == 8 and np.pi - abs(angle) < 0.6):
            return float(angle)


FIRST = 400
"""Steps on drawn cubes alone, before it is asked how the others are turned."""
UPRIGHT = np.pi / dice.FACE_TURNS
"""Half of the step between two turns."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, action="append", required=True, help="folder of render_boards.py; may be given more than once")
    parser.add_argument("--out", type=Path, required=True)
    clock_options(parser, minutes=15, rate=1.5e-3)
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    rng = seeded(args.seed)
    faces = typefaces()
    cubes: list[tuple[np.ndarray, int]] = []
    held: list[tuple[np.ndarray, int]] = []
    grounds: list[np.ndarray] = []
    for board in training(*args.cache):
        image = cv2.imread(str(board.path))
        if image is None:
            continue
        picture, geometry = dice.face_picture(image, board.geometry)
        for thing in things(board):
            if thing["kind"] == 2 and thing["sure"] and thing["value"] in CUBE_FACES:
                crop = dice.face(picture, geometry, thing["xy"], thing["side"] or 0.5, BIG)
                (held if validates(board) else cubes).append((crop, CUBE_FACES.index(thing["value"])))
        for _ in range(2):
            at = (float(rng.uniform(0, 12)), float(rng.uniform(0, 10)))
            grounds.append(dice.face(picture, geometry, at, float(rng.uniform(0.4, 0.8)), BIG))
    print(len(faces), "typefaces,", len(cubes), "cubes,", len(held), "to validate,", len(grounds), "backgrounds", flush=True)
    share = np.bincount([face for _, face in cubes], minlength=6)
    p = np.array([1 / share[face] for _, face in cubes])
    p /= p.sum()
    net = CubeFace()
    first = 0 if args.resume else FIRST
    if args.resume:
        net.load_state_dict(torch.load(args.resume))
    best = np.full(len(cubes), np.nan)

    def settle(some: np.ndarray) -> None:
        """The angle at which the true number of these cubes looks most upright."""
        net.eval()
        with torch.no_grad():
            for n in some:
                x = torch.from_numpy(dice.normalise_crops(dice.turned(cubes[n][0], SIZE)))
                turn = int(net(x).log_softmax(1)[:, 1 + cubes[n][1]].argmax())
                best[n] = -2 * np.pi * turn / dice.FACE_TURNS  # getRotationMatrix2D turns counterclockwise

    def between(step: int) -> None:
        if step >= first:
            settle(np.arange(len(cubes)) if step == first else rng.choice(len(cubes), 2, replace=False))

    def draw() -> tuple[np.ndarray, np.ndarray]:
        from_real = 0.0 if np.isnan(best).any() else 0.5
        x, t = np.empty((64, SIZE, SIZE, 3), np.uint8), np.empty(64, np.int64)
        for n in range(64):
            if rng.random() >= from_real:
                face = int(rng.integers(6))
                crop, start = drawn(grounds[int(rng.integers(len(grounds)))], rng, CUBE_FACES[face], faces), 0.0
            else:
                i = int(rng.choice(len(cubes), p=p))
                (crop, face), start = cubes[i], float(best[i])
            upright = rng.random() < 0.7
            x[n] = close_up(crop, rng, start + (rng.uniform(-1.5, 1.5) * UPRIGHT if upright else amiss(rng, CUBE_FACES[face])))
            t[n] = 1 + face if upright else 0
        return dice.normalise_crops(x), t

    def check() -> None:
        net.eval()
        with torch.no_grad():
            score = [dice.best_turn(net(torch.from_numpy(dice.normalise_crops(dice.turned(crop, SIZE)))).softmax(1).numpy()) for crop, _ in held]
        out, truth = torch.from_numpy(np.stack(score)), torch.tensor([face for _, face in held])
        loss = {k: F.cross_entropy(out / k, truth).item() for k in np.arange(0.2, 3.01, 0.1).round(1)}
        print(f"   validation: {int((out.argmax(1) == truth).sum())}/{len(truth)} T {min(loss, key=loss.__getitem__)} nll {min(loss.values()):.3f}", flush=True)

    lessons = Lessons(net, args)
    for x, t in lessons.batches(draw, between):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(torch.from_numpy(x).to(memory_format=torch.channels_last)).float()
        lessons.learn(F.cross_entropy(out, torch.from_numpy(t), label_smoothing=0.02))
        if lessons.step % 300 == 0:
            check()
    check()
    lessons.save(args.out.with_suffix(".pt"))
    export(net, {"crops": torch.zeros(dice.FACE_TURNS, 3, SIZE, SIZE)}, args.out, ["face"])


if __name__ == "__main__":
    main()
