"""How every network here is trained: by the clock, batches drawn ahead in a second thread, seeded."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import torch
from torch import nn

T = TypeVar("T")


def clock_options(parser: argparse.ArgumentParser, minutes: float, rate: float) -> None:
    """How long, how fast, from which seed. A training stops by the clock, so a rerun gives like, not equal, weights."""
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=1)


def seeded(seed: int) -> np.random.Generator:
    """One thread each for torch and OpenCV, everything seeded."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random.seed(seed)
    return np.random.default_rng(seed)


class Lessons:
    """The steps of one training. The rate rises for `warm` steps, then falls along a half cosine until the time is up."""

    def __init__(self, net: nn.Module, args: argparse.Namespace, *, decay: float = 1e-3, warm: int = 30, show: int = 100) -> None:
        self.net = net.to(memory_format=torch.channels_last)
        self.minutes, self.rate, self.warm, self.show = args.minutes, args.rate, warm, show
        self.optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=decay)
        self.step, self.spent = 0, 0.0
        self.seen: dict[str, float] = {}

    def batches(self, draw: Callable[[], T], between: Callable[[int], None] = lambda step: None) -> Iterator[T]:
        """What `draw` draws, until the time is up. between: called with the steps done while nothing is being drawn."""
        ahead = ThreadPoolExecutor(1)
        coming = ahead.submit(draw)
        began = time.time()
        while (spent := (time.time() - began) / 60 / self.minutes) < 1:
            self.spent = spent
            for group in self.optimiser.param_groups:
                group["lr"] = self.rate * min(1.0, (self.step + 1) / self.warm) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * spent)))
            batch = coming.result()
            between(self.step)
            coming = ahead.submit(draw)
            self.net.train()
            yield batch
        coming.result()

    def learn(self, loss: torch.Tensor, **parts: torch.Tensor) -> None:
        """One step down the loss; the running means of its parts are printed now and then."""
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        for name, part in (parts or {"loss": loss}).items():
            self.seen[name] = 0.98 * self.seen.get(name, part.item()) + 0.02 * part.item()
        if self.step % self.show == 0:
            print(self.step, f"{self.spent:.2f}", {name: round(value, 4) for name, value in self.seen.items()}, flush=True)

    def save(self, path: Path) -> None:
        torch.save(self.net.state_dict(), path)


class Stock:
    """Things that take long to make: `size` of them, one in three drawings made anew."""

    def __init__(self, make: Callable[[], T], size: int, rng: np.random.Generator) -> None:
        self.make, self.size, self.rng, self.kept = make, size, rng, []

    def draw(self) -> T:
        if len(self.kept) < self.size:
            self.kept.append(self.make())
        elif self.rng.random() < 0.3:
            self.kept[int(self.rng.integers(self.size))] = self.make()
        return self.kept[int(self.rng.integers(len(self.kept)))]
