"""How long a reading takes, in calls of `cv2.warpPerspective` on the same frame, and how much memory the reader holds.

    speed.py [--count 40] [--json OUT]

One thread. The warps and the reading are timed in turns within one run, so that a busy machine slows both. The frames are rendered boards of
1280 by 960 px that nothing was learned from (benchmarks/training/split.json), the geometry is given; the first frames, which OpenCV needs to
lay out its networks, are read before the clock runs. Memory: resident size of this process with the reader loaded and all frames read, the
pictures themselves let go.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import time
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "training")]

from boards import reporting

from vision.reader import Reader

TILTED = np.array([[1.0, 0.05, 3], [0.02, 1, 2], [1e-5, 2e-5, 1]])
"""Some change of perspective; which one does not matter to the time."""
WARPS = 5


def resident_mb() -> float:
    """Resident size of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="frames")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    boards = [b for b in reporting()[0] if b.geometry.size == (1280, 960)][: args.count]
    reader = Reader()
    for board in boards[:3]:
        reader.read_once(cv2.imread(str(board.path)), board.geometry)
    ratios, seconds = [], []
    for board in boards:
        image = cv2.imread(str(board.path))
        warps = []
        for _ in range(WARPS):
            began = time.perf_counter()
            cv2.warpPerspective(image, TILTED, (image.shape[1], image.shape[0]))
            warps.append(time.perf_counter() - began)
        reads = []
        for _ in range(2):
            began = time.perf_counter()
            reader.read_once(image, board.geometry)
            reads.append(time.perf_counter() - began)
        ratios.append(float(np.median(reads) / np.median(warps)))
        seconds.append(float(np.median(reads)))
    del image
    gc.collect()
    figures = {
        "frames": len(boards), "warps": round(float(np.median(ratios)), 2), "warps_90_percent": round(float(np.quantile(ratios, 0.9)), 2),
        "ms": round(1000 * float(np.median(seconds)), 1), "resident_mb": round(resident_mb(), 1),
    }  # fmt: skip
    print(json.dumps(figures))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
