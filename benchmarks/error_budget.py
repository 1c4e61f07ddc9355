#!/usr/bin/env python3
"""What the reader gets wrong on the boards that nothing was learned from, by kind, and each wrong picture to look at.

    error_budget.py [--out FOLDER] [--json FILE]

Read as `gammonwatch read` does (geometry given, no profile). Printed: lanes by how many checkers truly stand there, boards by style of
the rendered pictures, dice by state, tilt and size, the cube, and a line for each picture that is not exactly right. With --out each of
these is written there with the reading drawn on it, wrong lanes ringed. docs/reading.md says what was seen on them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from math import dist
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "training")]

from boards import Labelled, reporting

from vision import thresholds
from vision.annotate import annotate
from vision.reader import Reader
from vision.scene import Scene, readable

NEAR = 0.04
"""Of the picture's longer side, between a die seen and the true one, as the shared scoring tool has it."""
TILTED = 12.0
"""Degrees from which a die is cocked beyond argument."""


def signs(board: Labelled, scene: Scene) -> tuple[int, np.ndarray]:
    """Which of the two sides is the first (the picture does not say), and the lanes read wrong then."""
    ways = [(sign, (sign * np.array(scene.board.counts) != board.counts) & board.known) for sign in (1, -1)]
    return min(ways, key=lambda way: int(way[1].sum()))


def bar_wrong(board: Labelled, scene: Scene, sign: int) -> bool:
    if "bar" in (board.row.get("hidden") or []):
        return False
    return tuple(scene.board.on_bar[::sign]) != (board.row["on_bar"]["light"], board.row["on_bar"]["dark"])


def match_dice(board: Labelled, scene: Scene) -> list[tuple[dict[str, Any], Any]]:
    """Each true die in play with the one seen there, or None; paired as the shared scoring tool does it."""
    left, pairs = list(scene.dice), []
    reach = NEAR * max(board.row.get("size") or (1000, 1000))
    for true in board.row.get("dice") or []:
        if true.get("where") == "off" or true.get("state") == "held":
            continue
        near = min(left, key=lambda die: dist(die.xy, true["xy"]), default=None)
        if near is not None and dist(near.xy, true["xy"]) <= reach:
            left.remove(near)
            pairs.append((true, near))
        else:
            pairs.append((true, None))
    return pairs


def picture_of(board: Labelled, scene: Scene, wrong: np.ndarray, sign: int) -> np.ndarray:
    """The reading drawn on the picture, the lanes that are wrong ringed, with the true count beside them."""
    image = cv2.imread(str(board.path))
    image = annotate(image, board.geometry, scene)
    for lane in np.flatnonzero(wrong):
        row, column = divmod(int(lane), 12)
        x = column + 0.5 + (board.geometry.bar_width if column >= 6 else 0)
        at = board.geometry.to_image([[x, 0.25 if row == 0 else 0.75]])[0]
        centre = (round(float(at[0])), round(float(at[1])))
        cv2.circle(image, centre, round(board.geometry.lane_px * 0.7), (0, 0, 255), 2, cv2.LINE_AA)
        cv2.putText(image, f"{sign * int(board.counts[lane]):+d}", centre, cv2.FONT_HERSHEY_SIMPLEX, board.geometry.lane_px / 60, (0, 0, 255), 2, cv2.LINE_AA)
    return np.asarray(image)


def calibration_error(sure: np.ndarray, bins: int = 10) -> float:
    """Mean difference of how sure and how often right, over bins of equal width (Naeini et al., 2015). sure: (n, 2) of probability and whether right."""
    at = np.minimum((sure[:, 0] * bins).astype(int), bins - 1)
    return float(sum(abs((sure[at == k, 0] - sure[at == k, 1]).sum()) for k in range(bins)) / len(sure))


class Budget:
    def __init__(self) -> None:
        self.lanes: Counter[tuple[int, str]] = Counter()
        self.styles: Counter[tuple[str, str]] = Counter()
        self.dice: Counter[tuple[str, str]] = Counter()
        self.cube: Counter[str] = Counter()
        self.sure: list[tuple[float, bool]] = []
        self.rows: list[str] = []

    def add(self, board: Labelled, scene: Scene) -> np.ndarray | None:
        sign, wrong = signs(board, scene)
        unsure = scene.board.confidence() < thresholds.LANE_UNSURE
        confidence = scene.board.confidence()
        for lane in np.flatnonzero(board.known):
            self.sure.append((float(confidence[lane]), not wrong[lane]))
            there = min(abs(int(board.counts[lane])), 6)
            self.lanes[there, "all"] += 1
            if wrong[lane]:
                owner = abs(scene.board.counts[lane]) == abs(int(board.counts[lane]))
                self.lanes[there, "owner" if owner else "count"] += 1
            self.lanes[there, "unsure"] += bool(unsure[lane])
        bar = bar_wrong(board, scene, sign)
        style = board.path.stem.split("_", 1)[1] if board.rendered else "photograph"
        self.styles[style, "all"] += 1
        self.styles[style, "exact"] += not wrong.any() and not bar
        self._pieces(board, scene)
        if not wrong.any() and not bar:
            return None
        lanes = ", ".join(f"{sign * int(board.counts[n]):+d} read {scene.board.counts[n]:+d}{'?' if unsure[n] else ''}" for n in np.flatnonzero(wrong))
        self.rows.append(f"{board.path.stem}: {lanes}{'; the bar' if bar else ''}")
        return picture_of(board, scene, wrong, sign)

    def _pieces(self, board: Labelled, scene: Scene) -> None:
        for true, seen in match_dice(board, scene):
            state, tilt, size = true.get("state", "flat"), true.get("tilt_deg") or 0.0, true.get("size_px") or 0.0
            kind = state if state != "cocked" or tilt < TILTED else f"cocked, {TILTED:.0f} degrees and more"
            self.dice[kind, "all"] += 1
            if seen is None:
                self.dice[kind, "not found"] += 1
            else:
                self.dice[kind, "called not flat"] += seen.state != "flat"
            if state == "flat" and true.get("value"):
                big = "18 px and more" if size >= 18 else "14 to 18 px" if size >= 14 else "under 14 px"
                value = None if seen is None else readable(seen)
                self.dice[f"flat, {big}", "all"] += 1
                self.dice[f"flat, {big}", "value right"] += value == true["value"]
                self.dice[f"flat, {big}", "value wrong"] += value is not None and value != true["value"]
        cube = board.row.get("cube")
        if cube and cube["value"] is not None:
            self.cube["all"] += 1
            found = scene.cube is not None and dist(scene.cube.xy, cube["xy"]) < board.geometry.lane_px
            self.cube["found"] += found
            if found and scene.cube is not None:
                value = readable(scene.cube)
                self.cube["number right"] += value == cube["value"]
                self.cube["number wrong"] += value is not None and value != cube["value"]
                self.cube["number not said"] += value is None

    def show(self) -> None:
        print("checkers on the lane   lanes   count wrong   owner wrong   marked unsure")
        for there in range(7):
            c = {k: self.lanes[there, k] for k in ("all", "count", "owner", "unsure")}
            if c["all"]:
                print(f"{there if there < 6 else '6 and more':>20} {c['all']:>7} {c['count']:>13} {c['owner']:>13} {c['unsure']:>15}")
        for style in sorted({style for style, _ in self.styles}):
            print(f"{style}: {self.styles[style, 'exact']} of {self.styles[style, 'all']} boards exact")
        for kind in sorted({kind for kind, _ in self.dice}):
            row = {what: n for (k, what), n in self.dice.items() if k == kind and what != "all"}
            print(f"dice, {kind}: {self.dice[kind, 'all']}", "".join(f"; {what} {n}" for what, n in row.items()))
        print("cube:", dict(self.cube))
        print(f"expected calibration error of the lanes: {100 * calibration_error(np.array(self.sure)):.2f} %")
        for row in self.rows:
            print(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for the wrong pictures")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    reader = Reader()
    told = {}
    for name, boards in zip(("rendered boards", "photographs"), reporting(), strict=True):
        budget = Budget()
        for board in boards:
            picture = budget.add(board, reader.read_once(cv2.imread(str(board.path)), board.geometry))
            if picture is not None and args.out:
                args.out.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(args.out / f"{board.path.stem}.jpg"), picture)
        print(f"== {len(boards)} {name}, held out")
        budget.show()
        told[name] = budget.rows
    if args.json:
        args.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
