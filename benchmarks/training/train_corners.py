"""Train what sets the corners of a board that was found roughly (calibration/corners.py): `train_corners.py --cache BOARDS --out calibration/models/corners.onnx`.

A close-up of each corner of each half, as it looks when the corners are taken to be a little elsewhere, and where the true corner is in it.
Rendered, painted and photographed boards of the training split (split.json). Seeded. Needs torch (not a dependency of gammonwatch) and
half an hour on one core. With `--boards`, boards that nothing was trained on, it prints how far off the found corners are before and after.
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
from blocks import layer
from boards import renders, training
from lessons import Lessons, Stock, clock_options, seeded
from paint import paint
from weather import recolour, weather

from calibration import corners, locate
from calibration.camera import view
from calibration.geometry import BoardGeometry, GeometryError
from calibration.pictures import normalise, reduced

CELLS = corners.CROP // corners.STRIDE


class Corner(nn.Module):
    """(n, 3, 80, 80) -> (n, 2, 20, 20): logits of where the corner is, as one of the board and as an end of the bar."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Sequential(layer(3, 16, 2), layer(16, 32, 2), layer(32, 32, 1))
        self.b = nn.Sequential(layer(32, 48, 2), layer(48, 48, 1), layer(48, 64, 2), layer(64, 64, 1), layer(64, 64, 1))
        self.back = nn.Conv2d(64, 32, 1)
        self.mix = nn.Sequential(layer(32, 32, 1), layer(32, 32, 1))
        self.head = nn.Conv2d(32, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        back = F.interpolate(self.back(self.b(a)), scale_factor=4, mode="bilinear", align_corners=False)
        return self.head(self.mix(a + back))


def misplaced(geometry: BoardGeometry, rng: np.random.Generator) -> BoardGeometry:
    """The board as it may have been found: each corner off by up to some hundredths of the width, often two of one side alike."""
    width = float(np.linalg.norm(geometry.corners[1] - geometry.corners[0]))
    while True:
        amount = width * float(rng.choice([0.004, 0.012, 0.025]))
        c = geometry.corners + rng.normal(0, amount, (4, 2))
        if rng.random() < 0.5:
            side = int(rng.integers(4))
            c[[side, (side + 1) % 4]] += rng.normal(0, amount, 2)
        b = geometry.bar + rng.normal(0, 0.6 * amount, (4, 2))
        try:
            return BoardGeometry(c, b, geometry.size)
        except GeometryError:
            continue


def sample(image: np.ndarray, true: BoardGeometry, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Close-ups (8, 3, h, w) and where the corners are in them, px (8, 2)."""
    found = misplaced(true, rng)
    homographies = corners.close_up_homographies(found, view(found).height * float(np.exp(rng.normal(0, 0.05))))
    crops = corners.close_ups(weather(image, rng) if rng.random() < 0.5 else image, homographies)
    tall = recolour(crops.reshape(-1, corners.CROP, 3), rng, 0.05)
    truth = corners.points(true)
    at = []
    for h, xy in zip(homographies, truth, strict=True):
        q = np.linalg.inv(h) @ np.array([*xy, 1.0])
        at.append(q[:2] / q[2])
    return normalise(tall.reshape(crops.shape)), np.array(at, np.float32)


def wrong(out: torch.Tensor, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Loss: of the place that is expected (px), and of the map. out: (n, 20, 20) logits; at: (n, 2) px. Corners outside count for nothing."""
    n = len(out)
    cell = (at + 0.5) / corners.STRIDE - 0.5
    inside = ((cell > 0) & (cell < CELLS - 1)).all(dim=1).float()
    grid = torch.arange(CELLS, dtype=torch.float32)
    near = torch.exp(-((grid[None, None, :] - cell[:, 0, None, None]) ** 2 + (grid[None, :, None] - cell[:, 1, None, None]) ** 2) / (2 * 0.7**2))
    target = near / near.sum(dim=(1, 2), keepdim=True).clamp(min=1e-6)
    log_p = out.flatten(1).log_softmax(1)
    shape = -(target.flatten(1) * log_p).sum(1)
    p = log_p.exp().view(n, CELLS, CELLS)
    mean = torch.stack([(p.sum(1) * grid).sum(1), (p.sum(2) * grid).sum(1)], dim=1)
    far = F.smooth_l1_loss(mean, cell, reduction="none").sum(1)
    total = inside.sum().clamp(min=1)
    return (far * inside).sum() / total, (shape * inside).sum() / total


def measure(folder: Path) -> None:
    """How far off the best candidate's worst corner is, before and after, in shares of the board's width."""
    before, after = [], []
    for board in renders(folder, [(700000, 799999)]):
        image = cv2.imread(str(board.path))
        true = board.geometry.corners
        width = float(np.linalg.norm(true[1] - true[0]))
        found = locate.candidates(image, refine=False)
        if not found:
            continue
        for geometry, into in ((found[0][1], before), (corners.refined(image, found[0][1], view(found[0][1]).height), after)):
            into.append(min(float(np.linalg.norm(np.roll(geometry.corners, turn, axis=0) - true, axis=1).max()) / width for turn in (0, 2)))
    for name, off in (("found", before), ("refined", after)):
        some = np.array(off)
        print(name, len(some), "boards; within 1, 2, 3 %:", [(some < limit).mean().round(3) for limit in (0.01, 0.02, 0.03)], "median", np.median(some).round(4), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, action="append", default=[], help="folder of render_boards.py; may be given again")
    parser.add_argument("--out", type=Path, help="without it nothing is trained")
    parser.add_argument("--boards", type=Path, action="append", default=[], help="folder of render_boards.py that nothing was trained on; may be given again")
    clock_options(parser, minutes=30, rate=3e-3)
    parser.add_argument("--painted", type=float, default=0.25)
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    if args.out:
        train(args, seeded(args.seed))
        corners.MODEL = args.out
    for folder in args.boards:
        measure(folder)


def train(args: argparse.Namespace, rng: np.random.Generator) -> None:
    boards = training(*args.cache)
    pictures = [reduced(cv2.imread(str(b.path)), b.geometry, corners.FINEST_LANE_PX) for b in boards]
    share = np.array([1.0 if b.rendered else 5.0 for b in boards])
    share /= share.sum()
    print(len(pictures), "boards", flush=True)

    def painted() -> tuple[np.ndarray, BoardGeometry]:
        p = paint(rng)
        return p.image, p.geometry

    stock = Stock(painted, 100, rng)

    def draw() -> tuple[np.ndarray, np.ndarray]:
        some = rng.choice(len(pictures), 8, p=share)
        x, at = zip(*(sample(*(stock.draw() if rng.random() < args.painted else pictures[i]), rng) for i in some), strict=True)
        return np.concatenate(x), np.concatenate(at)

    net = Corner()
    if args.resume:
        net.load_state_dict(torch.load(args.resume))
    lessons = Lessons(net, args)
    bar = torch.from_numpy(corners.BAR)
    for batch in lessons.batches(draw):
        x, at = (torch.from_numpy(part) for part in batch)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x.to(memory_format=torch.channels_last)).float()
        ends = bar.repeat(len(x) // len(bar))[:, None, None]
        far, shape = wrong(torch.where(ends, out[:, 1], out[:, 0]), at)
        lessons.learn(far + 0.3 * shape, far=far, shape=shape)
        if lessons.step % 500 == 0:
            lessons.save(args.out.with_suffix(".pt"))
    lessons.save(args.out.with_suffix(".pt"))
    net.eval()
    torch.onnx.export(net, (torch.zeros(8, 3, corners.CROP, corners.CROP),), str(args.out), input_names=["crops"], output_names=["maps"], dynamo=False, opset_version=13)


if __name__ == "__main__":
    main()
