"""Fit how honest the checker network's probabilities are: `fit_counts.py --boards BOARDS`; prints what goes into vision/thresholds.py.

BOARDS: a folder of render_boards.py that nothing was trained on (seeds 730000 and up are kept for this). Temperatures by least
negative log likelihood (Guo et al., 2017); then, with the whole set weighed in as `read` does, how many lanes are wrong, and how many
marked unsure, at each threshold. Needs no torch.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from boards import Labelled, renders

from vision import thresholds
from vision.checkers import CheckerNetwork, without_profile
from vision.scene import MOST
from vision.whole_set import with_set

TEMPERATURES = np.arange(0.5, 2.55, 0.05).round(2)


def likelihood(boards: list[Labelled], seen: list, owners: bool) -> float:
    """Mean negative log likelihood of the true counts (or signed counts) of all lanes."""
    total, lanes = 0.0, 0
    for board, view in zip(boards, seen, strict=True):
        if owners:
            table = without_profile(view).lanes
            p = max(np.log(np.maximum(table[np.arange(24), sign * board.counts + MOST], 1e-6))[board.known].sum() for sign in (1, -1))
            total -= float(p)
        else:
            total -= float(np.log(np.maximum(view.counts[np.arange(24), np.abs(board.counts)], 1e-6))[board.known].sum())
        lanes += int(board.known.sum())
    return total / lanes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=Path, required=True)
    boards = list(renders(parser.parse_args().boards, [(730000, 799999)]))
    network = CheckerNetwork()
    images = [cv2.imread(str(b.path)) for b in boards]
    best = (np.inf, 1.0)
    for temperature in TEMPERATURES[::3]:
        thresholds.COUNT_TEMPERATURE = float(temperature)
        seen = [network.see(image, b.geometry) for image, b in zip(images, boards, strict=True)]
        best = min(best, (likelihood(boards, seen, owners=False), float(temperature)))
        print(f"COUNT_TEMPERATURE {temperature} negative log likelihood {likelihood(boards, seen, owners=False):.4f}", flush=True)
    thresholds.COUNT_TEMPERATURE = best[1]
    seen = [network.see(image, b.geometry) for image, b in zip(images, boards, strict=True)]
    scores = []
    for temperature in TEMPERATURES:
        thresholds.OWNER_TEMPERATURE = float(temperature)
        scores.append((likelihood(boards, seen, owners=True), float(temperature)))
        print(f"OWNER_TEMPERATURE {temperature} negative log likelihood {scores[-1][0]:.4f}", flush=True)
    thresholds.OWNER_TEMPERATURE = min(scores)[1]
    sure, right = [], []
    for board, view in zip(boards, seen, strict=True):
        read = with_set(without_profile(view))
        good = max((np.array(read.counts) == sign * board.counts for sign in (1, -1)), key=lambda g: int(g[board.known].sum()))
        sure += list(read.confidence()[board.known])
        right += list(good[board.known])
    confidence, correct = np.array(sure), np.array(right)
    print(f"{len(boards)} boards, {len(correct)} lanes, {100 * correct.mean():.2f} % right before any is marked unsure")
    for least in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        kept = confidence >= least
        print(f"LANE_UNSURE {least}: {100 * (kept & correct).mean():.2f} % right, {100 * (kept & ~correct).mean():.2f} % wrong, {100 * (~kept).mean():.2f} % unsure")


if __name__ == "__main__":
    main()
