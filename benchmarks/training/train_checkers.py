"""Train the checker reader: `train_checkers.py --cache BOARDS --out vision/models/checkers.onnx`.

One small convolutional network looks at each lane crop (vision/lanes.py) by itself and gives: how many checkers stand there
(0 to 15), an 8-number description of how they look (which side they are is told by comparing descriptions within one board:
colours stay a matter of calibration), and where their tops are. Losses: cross-entropy of the count; two prototypes a board,
each lane told from the other side's (Snell et al., prototypical networks, 2017); the tops' masks where the renderer knows them.
Seeded. Needs torch (not a dependency of gammonwatch) and about an hour on two cores.
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
from boards import Labelled, training
from laid_out import LaidOut
from lessons import Lessons, clock_options, seeded
from paint import paint
from weather import behind_wall, cut_off, recolour, weather

from calibration.geometry import BoardGeometry
from calibration.pictures import normalise
from vision import lanes

STRIDE = 4
DESCRIPTION = 8


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.a = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.na = nn.BatchNorm2d(channels)
        self.b = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.nb = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.nb(self.b(F.relu(self.na(self.a(x))))))


CONTEXT = 32


class CheckerNet(nn.Module):
    """One board: crops (26, 3, 288, 48), lean (26, 4) -> counts (26, 16) logits for lanes, the same for bar halves,
    description (26, 8), tops (26, 2, 72, 12) logits. Several boards go through together when `boards` is given.

    What a checker of this board looks like is learned from the other lanes: features averaged over lanes scale and shift
    each lane's. In training the average is over a random part of the lanes, so that it cannot serve to count to thirty.
    """

    def __init__(self) -> None:
        super().__init__()
        self.near = nn.Sequential(layer(3, 16, 2), layer(16, 32, 2), Block(32), Block(32))
        self.tops = nn.Conv2d(32, 2, 1)
        self.far = nn.Sequential(layer(34, 64, 2), Block(64))
        self.give = nn.Linear(64 + 35, CONTEXT)
        self.take = nn.Linear(CONTEXT + lanes.LEANS, 128)
        self.after = nn.Sequential(Block(64), nn.Conv2d(64, 48, (3, lanes.CROP_WIDTH // 8), padding=(1, 0), bias=False), nn.BatchNorm2d(48), nn.ReLU())
        height = lanes.CROP_HEIGHT // 8
        self.lane = nn.Sequential(nn.Dropout(0.3), nn.Linear(48 * height, 96), nn.ReLU(), nn.Dropout(0.2), nn.Linear(96, 16))
        self.bar = nn.Sequential(nn.Dropout(0.3), nn.Linear(48 * height, 32), nn.ReLU(), nn.Linear(32, 16))
        self.look = nn.Conv2d(34, 32, 1)
        self.describe = nn.Linear(32 + 3, DESCRIPTION)

    def forward(self, x: torch.Tensor, lean: torch.Tensor, boards: int = 1, part: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        near = self.near(x)
        tops = self.tops(near)
        mask = torch.sigmoid(tops)
        joined = torch.cat([near, mask], dim=1)
        weight = torch.relu(mask[:, 0:1] + mask[:, 1:2] - 0.3) + 1e-4
        look = torch.relu(self.look(joined))
        seen = torch.cat([look, F.avg_pool2d(x, STRIDE)], dim=1)
        pooled = (seen * weight).mean(dim=(2, 3)) / weight.mean(dim=(2, 3))
        far = self.far(joined)
        given = torch.relu(self.give(torch.cat([far.mean(dim=(2, 3)), pooled], dim=1)))
        if part is None and boards == 1:
            context = given.mean(dim=0, keepdim=True).expand(len(x), CONTEXT)
        else:
            share = given.view(boards, lanes.CROPS, CONTEXT)
            kept = torch.ones(boards, lanes.CROPS) if part is None else part
            context = (share * kept[..., None]).sum(1, keepdim=True) / kept.sum(1)[:, None, None]
            context = context.expand(boards, lanes.CROPS, CONTEXT).reshape(-1, CONTEXT)
        scale, shift = self.take(torch.cat([context, lean], dim=1)).chunk(2, dim=1)
        flat = self.after(far * (1 + scale[:, :, None, None]) + shift[:, :, None, None]).flatten(1)
        return self.lane(flat), self.bar(flat), self.describe(pooled), tops


def jitter(rng: np.random.Generator, shape: tuple[int, int], amount: float) -> np.ndarray:
    """A homography (3, 3) of the picture near the identity: corners given by hand or found are never exact."""
    height, width = shape
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return cv2.getPerspectiveTransform(square, square + rng.normal(0, amount, (4, 2)).astype(np.float32))


def sample(board: Labelled, image: np.ndarray, geometry: BoardGeometry, factor: float, rng: np.random.Generator, train: bool) -> dict[str, np.ndarray]:
    homographies = lanes.crop_homographies(geometry)
    if train:
        image = weather(image, rng)
        if rng.random() < 0.3:
            image = behind_wall(image, geometry, rng)
        if rng.random() < 0.1:
            image = cut_off(image, geometry, rng)
    mirrored = train and rng.random() < 0.5
    if train:
        wobble = jitter(rng, image.shape[:2], 0.05 * geometry.lane_px)
        shift = np.eye(3)
        own = []
        for h in homographies:
            local = np.array([[rng.normal(1, 0.03), rng.normal(0, 0.01), 0], [rng.normal(0, 0.01), rng.normal(1, 0.03), 0], [0, 0, 1]])
            centre = np.array([lanes.CROP_WIDTH / 2, lanes.CROP_HEIGHT * 0.9])
            shift[:2, 2] = centre + rng.normal(0, 1.0, 2)
            back = np.eye(3)
            back[:2, 2] = -centre
            own.append(wobble @ h @ shift @ local @ back)
        homographies = np.array(own)
        if mirrored:
            flip = np.array([[-1, 0, lanes.CROP_WIDTH - 1], [0, 1, 0], [0, 0, 1]], np.float64)
            homographies = homographies @ flip
    crops = lanes.cut(image, homographies)
    lean = lanes.lean(geometry, homographies)
    if train:
        tall = recolour(crops.reshape(-1, lanes.CROP_WIDTH, 3), rng)
        if rng.random() < 0.25:
            slope = np.tile(np.linspace(rng.uniform(0.6, 1.0), rng.uniform(0.6, 1.0), lanes.CROP_HEIGHT, dtype=np.float32), lanes.CROPS)
            tall = cv2.multiply(tall, np.repeat(slope, lanes.CROP_WIDTH * 3).reshape(tall.shape), dtype=cv2.CV_8U)
        crops = tall.reshape(crops.shape)
    height, width = lanes.CROP_HEIGHT // STRIDE, lanes.CROP_WIDTH // STRIDE
    tops = np.zeros((lanes.CROPS, 2, height, width), np.uint8)
    if board.rendered:
        to_small = np.array([[1 / STRIDE, 0, 0.5 / STRIDE - 0.5], [0, 1 / STRIDE, 0.5 / STRIDE - 0.5], [0, 0, 1]])
        inverse = [to_small @ np.linalg.inv(h) for h in homographies]
        for c in board.checkers:
            x, y, a, b, angle = c["ellipse"]
            t = np.linspace(0, 2 * np.pi, 24, endpoint=False)
            turn = np.deg2rad(angle)
            px = np.stack([x + a * np.cos(t) * np.cos(turn) - b * np.sin(t) * np.sin(turn), y + a * np.cos(t) * np.sin(turn) + b * np.sin(t) * np.cos(turn)], 1)
            q = np.c_[px * factor, np.ones(len(px))] @ inverse[c["lane"]].T
            q = q[:, :2] / q[:, 2:]
            cv2.fillPoly(tops[c["lane"], min(c["layer"], 1)], [np.round(q * 16).astype(np.int32)], 1, shift=4)
    counts = np.zeros(lanes.CROPS, np.int64)
    known = np.ones(lanes.CROPS, np.float32)
    side = np.zeros(lanes.CROPS, np.float32)
    counts[:24], known[:24] = np.minimum(np.abs(board.counts), 15), board.known
    side[:24] = np.sign(board.counts)
    if board.bar is None:
        known[24:] = 0
    else:
        counts[24:] = np.minimum(board.bar.sum(axis=1), 15)
        for half in (0, 1):
            a, b = board.bar[half]
            side[24 + half] = 0 if a and b else np.sign(a - b)
    return {"x": normalise(crops), "lean": lean, "counts": counts, "known": known, "side": side * known, "tops": tops, "shapes": np.float32(board.rendered)}


def seen_part(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which lanes are averaged over, float32 (26,): any, or nearly all that hold checkers and few others, as the glance chooses them."""
    if rng.random() < 0.4:
        part = rng.random(lanes.CROPS) < rng.uniform(0.3, 1.0)
    else:
        part = np.where(counts > 0, rng.random(lanes.CROPS) < 0.9, rng.random(lanes.CROPS) < rng.uniform(0.0, 0.4))
    part[rng.integers(lanes.CROPS)] = True
    return part.astype(np.float32)


def losses(net: CheckerNet, batch: list[dict[str, np.ndarray]], rng: np.random.Generator) -> dict[str, torch.Tensor]:
    x = torch.from_numpy(np.concatenate([b["x"] for b in batch])).to(memory_format=torch.channels_last)
    n = len(batch)
    lean = torch.from_numpy(np.concatenate([b["lean"] for b in batch]))
    part = torch.from_numpy(np.stack([seen_part(b["counts"], rng) for b in batch]))
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=net.training):
        lane, bar, look, tops = (o.float() for o in net(x, lean, n, part))
    lane, bar, look = lane.view(n, 26, 16)[:, :24], bar.view(n, 26, 16)[:, 24:], look.view(n, 26, DESCRIPTION)
    counts = torch.from_numpy(np.stack([b["counts"] for b in batch]))
    known = torch.from_numpy(np.stack([b["known"] for b in batch]))
    side = torch.from_numpy(np.stack([b["side"] for b in batch]))
    per_lane = F.cross_entropy(lane.flatten(0, 1), counts[:, :24].flatten(), reduction="none", label_smoothing=0.01).view(n, 24)
    per_bar = F.cross_entropy(bar.flatten(0, 1), counts[:, 24:].flatten(), reduction="none", label_smoothing=0.01).view(n, 2)
    out = {"count": (per_lane * known[:, :24]).sum() / known[:, :24].sum(), "bar": (per_bar * known[:, 24:]).sum() / known[:, 24:].sum().clamp(min=1)}
    owner = torch.zeros(())
    told = 0
    for i in range(n):
        a, b = side[i] > 0, side[i] < 0
        if a.sum() < 2 or b.sum() < 2:
            continue
        z = look[i]
        for mine, theirs in ((a, b), (b, a)):
            m, k = z[mine], int(mine.sum())
            others = z[theirs].mean(0)
            rest = (m.sum(0, keepdim=True) - m) / (k - 1)
            logit = ((m - others) ** 2).sum(1) - ((m - rest) ** 2).sum(1)
            owner = owner + F.softplus(-logit).sum()
            told += k
    out["owner"] = owner / max(told, 1)
    shapes = torch.from_numpy(np.stack([b["shapes"] for b in batch]))
    truth = torch.from_numpy(np.stack([b["tops"] for b in batch])).float()
    mask = F.binary_cross_entropy_with_logits(tops.view(n, 26, 2, *tops.shape[2:]), truth, reduction="none", pos_weight=torch.tensor([1.0, 3.0]).view(2, 1, 1))
    out["tops"] = (mask.mean(dim=(1, 2, 3, 4)) * shapes).sum() / shapes.sum().clamp(min=1)
    return out


def grown(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of a network for shorter or wider crops, or with a wider first kernel: the far end, whose rows come first, counts for nothing at the start; what lay outside is left out."""
    height, width = lanes.CROP_HEIGHT // 8, lanes.CROP_WIDTH // 8
    across = state["after.1.weight"]
    spare = (across.shape[3] - width) // 2
    state["after.1.weight"] = across[..., spare : spare + width]
    if state["near.0.0.weight"].shape[2] == 5:
        state["near.0.0.weight"] = state["near.0.0.weight"][..., 1:4, 1:4]
    for name in ("lane.1.weight", "bar.1.weight"):
        rows = state[name].view(len(state[name]), 48, -1)
        state[name] = F.pad(rows, (height - rows.shape[2], 0)).flatten(1)
    return state


def options(parser: argparse.ArgumentParser) -> None:
    """What decides which boards are learned from."""
    parser.add_argument("--cache", type=Path, required=True, action="append", help="folder of render_boards.py; may be given again")
    parser.add_argument("--photo-weight", type=float, default=6.0, help="a photograph is drawn as often as this many plain renders")
    parser.add_argument("--painted", type=float, default=0.3, help="share of painted boards (paint.py)")
    parser.add_argument("--painted-crowded", type=float, default=0.25, help="share of those with tall stacks on most lanes")
    parser.add_argument("--crowded", type=float, default=0.3, help="share of the others that are boards rendered with more checkers than a set has")


class Supply:
    """Boards to learn from, drawn at random: rendered, photographed, painted."""

    def __init__(self, args: argparse.Namespace, rng: np.random.Generator) -> None:
        self.args, self.rng = args, rng
        self.boards: list[Labelled] = []
        self.pictures: list[tuple[np.ndarray, BoardGeometry, float]] = []
        self.gather()

    def gather(self) -> None:
        """Take in what the renderer has finished since the last time."""
        known = {b.path for b in self.boards}
        for board in training(*self.args.cache):
            image = cv2.imread(str(board.path)) if board.path not in known else None
            if image is not None:
                small, geometry = lanes.prepare(image, board.geometry)
                self.boards.append(board)
                self.pictures.append((small, geometry, small.shape[1] / image.shape[1]))
        stacks = [int((np.abs(b.counts) > 5).sum()) for b in self.boards]
        weights = np.array([1.0 + 0.5 * min(4, n) if b.rendered else self.args.photo_weight for b, n in zip(self.boards, stacks, strict=True)])
        crowded = np.array([np.abs(b.counts).sum() > 30 for b in self.boards])
        if crowded.any():
            weights[crowded] = self.args.crowded / (1 - self.args.crowded) * weights[~crowded].sum() / crowded.sum()
        self.share = weights / weights.sum()
        print(len(self.boards), "boards, of them photographs:", sum(not b.rendered for b in self.boards), flush=True)

    def now_and_then(self, step: int) -> None:
        if step and step % 500 == 0:
            self.gather()

    def draw(self, size: int) -> list[dict[str, np.ndarray]]:
        out = []
        for i in self.rng.choice(len(self.share), size, replace=False, p=self.share):
            if self.rng.random() < self.args.painted:
                p = paint(self.rng, bool(self.rng.random() < self.args.painted_crowded))
                board = Labelled(Path("painted"), p.geometry, p.counts, np.ones(24, bool), p.bar, p.checkers)
                small, geometry = lanes.prepare(p.image, p.geometry)
                out.append(sample(board, small, geometry, small.shape[1] / p.image.shape[1], self.rng, True))
            else:
                out.append(sample(self.boards[i], *self.pictures[i], self.rng, True))
        return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(parser)
    clock_options(parser, minutes=45, rate=2e-3)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path)
    args = parser.parse_args()
    rng = seeded(args.seed)
    supply = Supply(args, rng)
    net = CheckerNet()
    if args.resume:
        net.load_state_dict(grown(torch.load(args.resume)))
    lessons = Lessons(net, args, warm=50, show=50)
    for batch in lessons.batches(lambda: supply.draw(4), supply.now_and_then):
        parts = losses(net, batch, rng)
        lessons.learn(parts["count"] + 0.5 * parts["bar"] + 0.4 * parts["owner"] + 1.0 * parts["tops"], **parts)
        if lessons.step % 500 == 0:
            lessons.save(args.out.with_suffix(".pt"))
    lessons.save(args.out.with_suffix(".pt"))
    crops = torch.zeros(lanes.CROPS, 3, lanes.CROP_HEIGHT, lanes.CROP_WIDTH)
    export(LaidOut(net), {"crops": crops, "lean": torch.zeros(lanes.CROPS, lanes.LEANS)}, args.out, ["lane", "bar", "look", "tops"], like=net)


if __name__ == "__main__":
    main()
