"""Fit how surely a candidate is a die or the cube: `fit_certainty.py --cache BOARDS [--cache MORE]`; prints DIE_WEIGHTS and CUBE_WEIGHTS.
With `--lies`, how many dice are called cocked, rightly and wrongly, for STATE_WEIGHTS. With `--boards BOARDS`, a folder of
render_boards.py that nothing was trained on (seeds 730000 and up are kept for this), also how honest and how right the cube's number is,
for CUBE_TEMPERATURE and FACE_SURE.

Logistic regression on the log odds of the finder and of the close-up network, over the validation renders and the photographs of
the training split (split.json), and with `--painted N` over painted boards without dice: no picture that is reported on is seen. Needs no torch.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import dist
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import paint
from boards import Labelled, renders, training
from pieces import validates

from calibration.camera import view
from calibration.geometry import transform
from vision import dice, thresholds
from vision.scene import CUBE_FACES

NEAR = 0.3
"""Lane widths: a candidate this near a labelled piece is that piece (a die is about a third of a lane width)."""


TILTED = 12.0
"""Degrees from which a die is cocked beyond argument."""


def measured(board: Labelled) -> bool:
    """What was not learned from; and the few photographs, which were, and are still misread often."""
    return not board.rendered or validates(board)


def samples(caches: list[Path]) -> list[tuple[bool, float, float, bool]]:
    """(a cube candidate?, log odds of the finder, of the close-up, is it true?)."""
    pieces, out = dice.SmallPieces(), []
    for board in filter(measured, training(*caches)):
        image = cv2.imread(str(board.path))
        found, opinions = pieces.opinions(image, board.geometry)
        true_dice = [d["xy"] for d in board.row["dice"]]
        true_cube = [board.row["cube"]["xy"]] if board.row.get("cube") else []
        for k, kind in zip(found, opinions.kind, strict=True):
            cube = bool(kind[2] > kind[1])
            xy = transform(view(board.geometry).plane, [k.xy])[0]
            near = min((dist(xy, q) for q in (true_cube if cube else true_dice)), default=1e9) < NEAR * board.geometry.lane_px
            out.append((cube, dice.log_odds(k.heat), dice.log_odds(float(kind[2 if cube else 1])), near))
    return out


def odd_boards(count: int) -> list[tuple[bool, float, float, bool]]:
    """Candidates, none of them true, on painted boards without dice or cube: boards unlike any that is rendered."""
    paint._scatter_dice = lambda *_: None
    pieces, out = dice.SmallPieces(), []
    for seed in range(count):
        board = paint.paint(np.random.default_rng(9000 + seed))
        found, opinions = pieces.opinions(board.image, board.geometry)
        for k, kind in zip(found, opinions.kind, strict=True):
            cube = bool(kind[2] > kind[1])
            out.append((cube, dice.log_odds(k.heat), dice.log_odds(float(kind[2 if cube else 1])), False))
    return out


def lies(caches: list[Path]) -> None:
    """How the dice that are found lie, on the validation renders: recall of cocked ones against flat ones called otherwise."""
    pieces = dice.SmallPieces()
    dice.STATE_WEIGHTS = dice.SMALL_STATE_WEIGHTS = np.ones(4, np.float32)
    seen: list[tuple[str, float, float, np.ndarray]] = []
    for board in filter(measured, training(*caches)):
        if not board.rendered:
            continue
        left = list(pieces.read(cv2.imread(str(board.path)), board.geometry)[0])
        for true in json.loads(board.path.with_suffix(".json").read_text())["dice"]:
            near = min(left, key=lambda die: dist(die.xy, true["center_px"]), default=None)
            if true["visible"] < 0.5 or near is None or dist(near.xy, true["center_px"]) > NEAR * board.geometry.lane_px:
                continue
            left.remove(near)
            seen.append((true["state"], true["tilt_deg"], near.size, np.array(near.states)))
    for least in (0, 14):
        flat = [p for state, _, size, p in seen if state not in ("cocked", "on_checker") and size >= least]
        on_checker = [p for state, _, size, p in seen if state == "on_checker" and size >= least]
        cocked = [(tilt, p) for state, tilt, size, p in seen if state == "cocked" and size >= least]
        print(f"dice of {least} px and more: {len(flat)} flat, {len(on_checker)} on a checker, {sum(t >= TILTED for t, _ in cocked)} tilted")
        for weight in (0.5, 1, 2, 3, 4, 6, 8, 10, 15, 20):
            shares = np.array([1.0, weight, weight, 1.0])

            def otherwise(some: list[np.ndarray], shares: np.ndarray = shares) -> str:
                count = sum((p / shares).argmax() != 0 for p in some)
                return f"{count}/{len(some)} ({100 * count / max(len(some), 1):.1f} %)"

            tilts = "; ".join(f"{a} to {z} deg {otherwise([p for t, p in cocked if a <= t < z])}" for a, z in ((12, 90), (12, 20), (20, 30), (30, 90)))
            print(f"  weight {weight}: flat called otherwise {otherwise(flat)}; cocked not called flat: {tilts}; on a checker {otherwise(on_checker)}")


def fit(x: np.ndarray, y: np.ndarray, ridge: float = 0.5) -> np.ndarray:
    """Weights (k,) of a logistic regression, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        curvature = p * (1 - p) + 1e-6
        w += np.linalg.solve((x * curvature[:, None]).T @ x + ridge * np.eye(len(w)), x.T @ (y - p) - ridge * w)
    return w


def numbers(folder: Path) -> None:
    """The cube's number on boards that nothing was trained on, where the cube was found."""
    pieces, boards = dice.SmallPieces(), [b for b in renders(folder, [(730000, 799999)]) if b.row.get("cube")]
    for temperature in (0.1, 0.2, 0.3, 0.4, 0.6, 1.0):
        thresholds.CUBE_TEMPERATURE = temperature
        found = []
        for board in boards:
            _, cube = pieces.read(cv2.imread(str(board.path)), board.geometry)
            if cube and dist(cube.xy, board.row["cube"]["xy"]) < NEAR * board.geometry.lane_px:
                found.append((cube.values, CUBE_FACES.index(board.row["cube"]["value"])))
        p, truth = np.array([values for values, _ in found]), np.array([face for _, face in found])
        right, said = p.argmax(axis=1) == truth, p.max(axis=1) >= thresholds.FACE_SURE
        likelihood = -np.log(np.maximum(p[np.arange(len(truth)), truth], 1e-6)).mean()
        print(f"CUBE_TEMPERATURE {temperature}: negative log likelihood {likelihood:.3f}, {right.sum()} of {len(truth)} right; "
              f"at FACE_SURE {thresholds.FACE_SURE} {said.sum()} said, {(right & said).sum()} of them rightly", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, action="append", required=True, help="folder of render_boards.py; may be given more than once")
    parser.add_argument("--painted", type=int, default=0, help="so many painted boards without dice are looked at as well")
    parser.add_argument("--lies", action="store_true", help="how the dice lie, instead of what they are")
    parser.add_argument("--boards", type=Path, help="folder of render_boards.py that nothing was trained on")
    args = parser.parse_args()
    if args.boards:
        numbers(args.boards)
    if args.lies:
        lies(args.cache)
        return
    rows = samples(args.cache) + odd_boards(args.painted)
    for cube, name, least in ((False, "DIE_WEIGHTS", thresholds.DIE_CERTAINTY), (True, "CUBE_WEIGHTS", thresholds.CUBE_CERTAINTY)):
        chosen = [r for r in rows if r[0] == cube]
        x, y = np.array([[1, a, b] for _, a, b, _ in chosen]), np.array([t for *_, t in chosen], float)
        w = fit(x, y)
        said = 1 / (1 + np.exp(-x @ w)) >= least
        print(name, tuple(round(float(v), 2) for v in w), f"at {least}: right {int(y[said].sum())} of {int(y.sum())}, false {int((1 - y[said]).sum())}")


if __name__ == "__main__":
    main()
