"""Truth of dice and cube in rectified coordinates, and which boards only validate what is learned of them. Needs no torch."""

from __future__ import annotations

import json
import zlib
from typing import Any

import cv2
import numpy as np
from boards import Labelled

from calibration.camera import view
from calibration.geometry import transform
from vision.scene import DIE_STATES


def things(board: Labelled) -> list[dict[str, Any]]:
    """Dice and cube of one picture: kind, value, state, xy (rectified), side (lane widths, 0 when not known), sure."""
    to_rectified = np.linalg.inv(view(board.geometry).plane)
    out: list[dict[str, Any]] = []

    def place(xy: list[float]) -> tuple[float, float]:
        x, y = transform(to_rectified, [xy])[0]
        return float(x), float(y)

    if board.rendered:
        truth = json.loads(board.path.with_suffix(".json").read_text())
        for d in truth["dice"]:
            if d["in_image"] < 0.5:
                continue
            side = 0.0
            face = transform(to_rectified, d["top_face_px"])
            side = float(np.mean([np.linalg.norm(face[i] - face[i - 1]) for i in range(4)]))
            state = {"cocked": 1, "on_checker": 2}.get(d["state"], 0)
            sure = d["in_image"] > 0.9 and d["visible"] > 0.5
            out.append({"kind": 1, "value": d["value"], "state": state, "xy": place(d["center_px"]), "side": side, "sure": sure, "tilt": d["tilt_deg"]})
        c = truth["cube"]
        if c and c["in_image"] > 0.5:
            outline = transform(to_rectified, c["polygon_px"]).astype(np.float32)
            side = float(np.sqrt(cv2.contourArea(cv2.convexHull(outline))))
            out.append({"kind": 2, "value": c["value"], "state": -1, "xy": place(c["center_px"]), "side": side, "sure": c["in_image"] > 0.9 and c["visible"] > 0.6})
        return out
    for d in board.row["dice"]:
        held = d["state"] == "held"
        state = -1 if held else DIE_STATES.index(d["state"])
        out.append({"kind": 1, "value": d["value"], "state": state, "xy": place(d["xy"]), "side": 0.0, "sure": not held, "tilt": 0.0})
    c = board.row["cube"]
    if c:
        out.append({"kind": 2, "value": c["value"], "state": -1, "xy": place(c["xy"]), "side": 0.0, "sure": True})
    return out


def validates(board: Labelled) -> bool:
    """Only measured, never learned from: seeds 730000 to 739999, and a sixth of the others."""
    name = board.path.name
    return board.rendered and ("730000" <= name.split("_")[0] <= "739999" or zlib.crc32(name.encode()) % 6 == 0)
