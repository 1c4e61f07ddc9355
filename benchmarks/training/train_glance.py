"""Train the glance: `train_glance.py --cache BOARDS --out vision/models/glance.onnx`.

A small network that tells of each lane crop, at half its size and by itself, whether anything may stand there: most lanes are empty, and the
checker network (train_checkers.py), which costs thirty times as much, need not look at those that surely are. It learns from the same
boards. With `--boards`, boards that nothing was trained on, it also prints for GLANCE_EMPTY how many lanes with checkers would be passed
over, and how many are left to look at. Seeded. Needs torch and twenty minutes on one core.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import export, layer
from boards import SPLIT, photos, renders
from train_checkers import Supply, options

from vision import lanes

HEIGHT, WIDTH = lanes.CROP_HEIGHT // 2, lanes.CROP_WIDTH // 2


class Glance(nn.Module):
    """(n, 3, 144, 24) -> (n, 1): logit that checkers stand there."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(layer(3, 12, 2), layer(12, 24, 2), layer(24, 32, 1), layer(32, 24, (2, 1)))
        self.there = nn.Sequential(nn.Dropout(0.2), nn.Linear(24 * (HEIGHT // 8) * (WIDTH // 4), 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.there(self.body(x).flatten(1))


def halved(x: np.ndarray) -> torch.Tensor:
    """Normalised crops (n, 3, h, w) at half their size, as `lanes.halved` makes them."""
    return F.avg_pool2d(torch.from_numpy(x), 2)


def measure(net: Glance, folder: Path) -> None:
    """Of boards that nothing was trained on, and of the training photographs: what each threshold would pass over."""
    net.eval()
    for name, boards in (("boards", list(renders(folder, [(730000, 799999)]))), ("training photographs", list(photos(set(SPLIT["train"]["photos"]))))):
        p, stands = [], []
        for board in boards:
            small, geometry = lanes.prepare(cv2.imread(str(board.path)), board.geometry)
            crops = lanes.cut(small, lanes.crop_homographies(geometry))
            x = lanes.normalise(lanes.halved(crops), lanes.tone(crops))
            with torch.no_grad():
                p.append(torch.sigmoid(net(torch.from_numpy(x)))[:24, 0].numpy()[board.known])
            stands.append(board.counts[board.known] != 0)
        likely, there = np.concatenate(p), np.concatenate(stands)
        print(name, len(boards), "least likely of those that hold checkers:", np.sort(likely[there])[:8].round(4).tolist())
        for least in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05):
            passed = likely < least
            print(f"   GLANCE_EMPTY {least}: {(passed & there).sum()} of {there.sum()} with checkers passed over, {(~passed).sum() / len(boards):.1f} lanes a board left", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(parser)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--boards", type=Path, help="folder of render_boards.py that nothing was trained on")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random.seed(args.seed)
    rng = np.random.default_rng(args.seed)
    supply = Supply(args, rng)
    net = Glance().to(memory_format=torch.channels_last)
    if args.resume:
        net.load_state_dict(torch.load(args.resume))
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=1e-3)
    ahead = ThreadPoolExecutor(1)
    coming = ahead.submit(supply.draw, 6)
    began, step, seen = time.time(), 0, 0.0
    while (spent := (time.time() - began) / 60 / args.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 50) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * spent)))
        batch = coming.result()
        coming = ahead.submit(supply.draw, 6)
        net.train()
        logit = net(torch.cat([halved(b["x"]) for b in batch]).to(memory_format=torch.channels_last))[:, 0]
        there = torch.from_numpy(np.concatenate([b["counts"] > 0 for b in batch])).float()
        known = torch.from_numpy(np.concatenate([b["known"] for b in batch]))
        loss = (F.binary_cross_entropy_with_logits(logit, there, reduction="none") * known).sum() / known.sum()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        seen = 0.98 * seen + 0.02 * loss.item()
        if step % 100 == 0:
            print(step, f"{spent:.2f}", round(seen / (1 - 0.98**step), 4), flush=True)
        if step % 500 == 0:
            supply.gather()
    torch.save(net.state_dict(), args.out.with_suffix(".pt"))
    export(net, {"crops": torch.zeros(lanes.CROPS, 3, HEIGHT, WIDTH)}, args.out, ["there"])
    if args.boards:
        measure(net, args.boards)


if __name__ == "__main__":
    main()
