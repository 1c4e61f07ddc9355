"""Train the finder of the board: `train_locate.py --cache BOARDS --out calibration/models/locate.onnx`.

A small network sees the whole picture at 320 by 240 px and marks the four corners of the playing surface, where the bar's edges meet
its long edges, and the surface itself. Learned from painted boards (paint.py), rendered boards and photographs of the training split,
all turned, scaled, moved and tilted at random. Losses: focal loss on the marks (blocks.py), cross-entropy on the surface. Seeded. Needs torch (not a dependency of gammonwatch).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import centre_loss, layer
from boards import training
from lessons import Lessons, Stock, clock_options, seeded
from paint import paint
from weather import recolour

from calibration import locate
from calibration.pictures import normalise

WIDTH, HEIGHT = locate.INPUT
STRIDE = locate.STRIDE


class Locator(nn.Module):
    """(n, 3, 240, 320) -> (n, 3, 120, 160): logits of corner, bar corner, surface."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [16, 24, 40, 56, 72]
        self.down = nn.ModuleList([layer(3, sizes[0], 2)])
        for a, b in zip(sizes, sizes[1:], strict=False):
            self.down.append(nn.Sequential(layer(a, b, 2), layer(b, b, 1)))
        self.deep = nn.Sequential(layer(sizes[-1], sizes[-1], 1), layer(sizes[-1], sizes[-1], 1), layer(sizes[-1], sizes[-1], 1))
        self.up = nn.ModuleList([nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(sizes, sizes[1:], strict=False)])
        self.mix = nn.ModuleList([layer(a, a, 1) for a in sizes[:-1]])
        self.head = nn.Sequential(layer(sizes[0], sizes[0], 1), nn.Conv2d(sizes[0], 3, 1))
        nn.init.constant_(self.head[1].bias, -3.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skips = []
        for down in self.down:
            x = down(x)
            skips.append(x)
        x = self.deep(x)
        for n in reversed(range(len(self.up))):
            x = self.mix[n](self.up[n](x)[:, :, : skips[n].shape[2], : skips[n].shape[3]] + skips[n])
        return self.head(x)


def view(image: np.ndarray, corners: np.ndarray, bar: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One picture as another camera might have shown it: x (3, h, w) float32, target (3, h/2, w/2) float32."""
    turn = rng.normal(0, 0.15) + rng.choice([0, np.pi / 2, np.pi, -np.pi / 2], p=[0.55, 0.15, 0.15, 0.15])
    a = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if rng.random() < 0.5:
        a = a @ np.diag([-1.0, 1.0])
    a = a @ np.diag([1.0, float(np.exp(rng.normal(0, 0.08)))])
    spread = corners @ a.T
    low, high = spread.min(axis=0), spread.max(axis=0)
    fit = float(min(WIDTH / (high[0] - low[0]), HEIGHT / (high[1] - low[1])))
    scale = fit * rng.uniform(0.45, 0.98)
    room = np.array([WIDTH, HEIGHT]) - (high - low) * scale
    shift = -low * scale + room * rng.uniform(0.05, 0.95, 2)
    m = np.eye(3)
    m[:2, :2], m[:2, 2] = a * scale, shift
    square = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    tilt = cv2.getPerspectiveTransform(square, square + rng.normal(0, 12, (4, 2)).astype(np.float32))
    m = tilt @ m
    size = float(np.sqrt(abs(np.linalg.det(m[:2, :2]))))
    if size < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / size)
    border = int(rng.choice([cv2.BORDER_REPLICATE, cv2.BORDER_CONSTANT]))
    x = cv2.warpPerspective(image, m, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=[float(v) for v in rng.uniform(0, 255, 3)])
    x = recolour(x, rng, 0.08)
    h, w = HEIGHT // STRIDE, WIDTH // STRIDE
    target = np.zeros((3, h, w), np.float32)
    gy, gx = np.mgrid[0:h, 0:w].astype(np.float32)
    surface = np.zeros((h, w), np.uint8)
    for channel, points in ((0, corners), (1, bar)):
        q = cv2.perspectiveTransform(points.reshape(1, -1, 2).astype(np.float64), m)[0]
        q = (q + 0.5) / STRIDE - 0.5
        if channel == 0:
            cv2.fillPoly(surface, [np.round(q * 16).astype(np.int32)], 1, shift=4)
        for cx, cy in q:
            ix, iy = round(float(cx)), round(float(cy))
            if 0 <= ix < w and 0 <= iy < h:
                blob = np.exp(-((gx - cx) ** 2 + (gy - cy) ** 2) / (2 * 1.6**2))
                blob[iy, ix] = 1.0
                target[channel] = np.maximum(target[channel], blob)
    target[2] = surface
    return normalise(x[None])[0], target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, action="append", help="folder of render_boards.py; may be given again")
    parser.add_argument("--out", type=Path, required=True)
    clock_options(parser, minutes=20, rate=3e-3)
    parser.add_argument("--painted", type=float, default=0.3)
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    rng = seeded(args.seed)
    pictures = []
    weights = []
    for board in training(*args.cache):
        image = cv2.imread(str(board.path))
        factor = min(1.0, 640 / max(image.shape[:2]))
        image = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        pictures.append((image, board.geometry.corners * factor, board.geometry.bar * factor))
        weights.append(1.0 if board.rendered else 6.0)
    share = np.array(weights) / sum(weights)
    print(len(pictures), "boards", flush=True)

    def painted() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p = paint(rng)
        return cv2.resize(p.image, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA), p.geometry.corners * 0.6, p.geometry.bar * 0.6

    stock = Stock(painted, 150, rng)

    def draw() -> tuple[np.ndarray, np.ndarray]:
        some = rng.choice(len(pictures), 12, p=share)
        x, target = zip(*(view(*(stock.draw() if rng.random() < args.painted else pictures[i]), rng) for i in some), strict=True)
        return np.stack(x), np.stack(target)

    net = Locator()
    if args.resume:
        net.load_state_dict(torch.load(args.resume))
    lessons = Lessons(net, args, decay=1e-4)
    for batch in lessons.batches(draw):
        x, target = (torch.from_numpy(part) for part in batch)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.to(memory_format=torch.channels_last)).float()
        heat = centre_loss(out[:, :2], target[:, :2])
        surface = F.binary_cross_entropy_with_logits(out[:, 2], target[:, 2])
        lessons.learn(heat + surface, heat=heat, surface=surface)
        if lessons.step % 400 == 0:
            lessons.save(args.out.with_suffix(".pt"))
    lessons.save(args.out.with_suffix(".pt"))
    net.eval()
    torch.onnx.export(net, (torch.zeros(1, 3, HEIGHT, WIDTH),), str(args.out), input_names=["picture"], output_names=["maps"], dynamo=False, opset_version=13)


if __name__ == "__main__":
    main()
