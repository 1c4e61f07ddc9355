#!/usr/bin/env python3
"""How well four corners tell where an upright thing leans, on rendered boards: `lean_error.py BOARDS [BOARDS ...]` (folders of render_boards.py).

For each die that lies flat, the lean from foot to top that the true camera gives is compared with the one of `vision.dice.lean`, as they
show in its close-up. What is wrong there, a reader of cocked dice takes for a tilt.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "training")]

from boards import SPLIT, Labelled, renders

from calibration.camera import view
from calibration.geometry import transform
from vision.dice import SIDE_PX, close_up_homography


def errors(board: Labelled) -> list[tuple[float, float]]:
    """(lean in sides, error of it in sides: how far the foot lies from where it should) of each flat die."""
    truth = json.loads(board.path.with_suffix(".json").read_text())
    camera = {name: np.array(truth["camera"][name], float) for name in ("K", "dist_k1k2p1p2k3", "R_board_to_cam", "t_board_to_cam_mm")}
    turn, _ = cv2.Rodrigues(camera["R_board_to_cam"])
    to_rectified = np.linalg.inv(view(board.geometry).plane)
    out = []
    for die in truth["dice"]:
        if die["state"] == "cocked" or die["in_image"] < 0.9:
            continue
        body, half = np.array(die["xyz_mm"]), np.array([0, 0, die["size_mm"] / 2])
        points, _ = cv2.projectPoints(np.array([body - half, body, body + half]), turn, camera["t_board_to_cam_mm"], camera["K"], camera["dist_k1k2p1p2k3"])
        middle = transform(to_rectified, points[1])[0]
        face = transform(to_rectified, die["top_face_px"])
        side = float(np.mean([np.linalg.norm(face[i] - face[i - 1]) for i in range(4)]))
        homography, far = close_up_homography(board.geometry, (float(middle[0]), float(middle[1])), side)
        foot, top = transform(np.linalg.inv(homography), points[[0, 2], 0]) / SIDE_PX
        out.append((far, float(np.hypot(foot[0] - top[0], foot[1] - top[1] - far))))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", type=Path, nargs="+")
    args = parser.parse_args()
    own = [tuple(SPLIT["train"]["renders_own_seeds"])]
    rows = np.array([row for folder in args.boards for board in renders(folder, own) for row in errors(board)])
    for least, most in ((0, 9), (0, 0.15), (0.15, 0.3), (0.3, 0.5), (0.5, 0.8), (0.8, 9)):
        wrong = rows[(rows[:, 0] >= least) & (rows[:, 0] < most), 1]
        quantiles = ", ".join(f"{100 * share:.0f} % within {np.quantile(wrong, share):.2f}" for share in (0.5, 0.9, 0.97))
        print(f"lean of {least} to {most} sides, {len(wrong)} dice: {quantiles} sides (a tilt of {np.degrees(np.arcsin(np.quantile(wrong, 0.9))):.0f} degrees)")


if __name__ == "__main__":
    main()
