"""Train the glance: `train_glance.py --cache BOARDS --out vision/models/glance.onnx`.

A small network that tells of each lane crop, at half its size and by itself, whether anything may stand there: most lanes are empty, and the
checker network (train_checkers.py), which costs thirty times as much, need not look at those that surely are. It learns from the same
boards. With `--boards`, boards that nothing was trained on, it also prints for GLANCE_EMPTY how many lanes with checkers would be passed
over, and how many are left to look at. Seeded. Needs torch and twenty minutes on one core.
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
from blocks import export, layer
from boards import SPLIT, photos, renders
from lessons import Lessons, clock_options, seeded
from train_checkers import Supply, options

from calibration.pictures import normalise, tone
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
            x = normalise(lanes.halved(crops), tone(crops))
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
    clock_options(parser, minutes=20, rate=3e-3)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--boards", type=Path, help="folder of render_boards.py that nothing was trained on")
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    supply = Supply(args, seeded(args.seed))
    net = Glance()
    if args.resume:
        net.load_state_dict(torch.load(args.resume))
    lessons = Lessons(net, args, warm=50)
    for batch in lessons.batches(lambda: supply.draw(6), supply.now_and_then):
        logit = net(torch.cat([halved(b["x"]) for b in batch]).to(memory_format=torch.channels_last))[:, 0]
        there = torch.from_numpy(np.concatenate([b["counts"] > 0 for b in batch])).float()
        known = torch.from_numpy(np.concatenate([b["known"] for b in batch]))
        lessons.learn((F.binary_cross_entropy_with_logits(logit, there, reduction="none") * known).sum() / known.sum())
    lessons.save(args.out.with_suffix(".pt"))
    export(net, {"crops": torch.zeros(lanes.CROPS, 3, HEIGHT, WIDTH)}, args.out, ["there"])
    if args.boards:
        measure(net, args.boards)


if __name__ == "__main__":
    main()
