"""Pictures with truth, as the training scripts take them. The split is `split.json`; nothing else decides what is learned from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from calibration.geometry import BoardGeometry

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", HERE.parents[2] / "shared"))
SPLIT = json.loads((HERE / "split.json").read_text())


@dataclass
class Labelled:
    """One picture's truth: signed lane counts (24,), bar counts by half (2 halves, A and B) or None, and shapes when rendered."""

    path: Path
    geometry: BoardGeometry
    counts: np.ndarray
    known: np.ndarray
    bar: np.ndarray | None
    checkers: list[dict[str, Any]] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)

    @property
    def rendered(self) -> bool:
        """Drawn, so that every checker's shape is known; a photograph otherwise."""
        return bool(self.checkers)


def lanes_of(row: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    counts = np.array(list(row["top"]) + list(row["bottom"]))
    names = [f"top{i}" for i in range(1, 13)] + [f"bottom{i}" for i in range(1, 13)]
    known = np.array([name not in set(row.get("hidden") or []) for name in names])
    return counts, known


def render(path: Path, truth: dict[str, Any], convert: Any) -> Labelled:
    row = convert(truth)
    counts, known = lanes_of(row)
    geometry = BoardGeometry(row["corners"], row["bar"], tuple(row["size"]))
    checkers = []
    slots = {p["n"]: (p["slot"] + 12 if p["slot"] < 12 else p["slot"] - 12) for p in truth["points"]}
    bar = np.zeros((2, 2), int)
    for c in truth["checkers"]:
        loc = str(c["loc"])
        if loc.startswith("p"):
            checkers.append({"lane": slots[int(loc[1:])], "ellipse": c["ellipse_px"], "layer": c["layer"], "side": c["color"], "visible": c["visible"]})
        elif loc.startswith("bar"):
            half = int(geometry.to_board([c["center_px"]])[0, 1] > 0.5)
            bar[half, "AB".index(c["color"])] += 1
            checkers.append({"lane": 24 + half, "ellipse": c["ellipse_px"], "layer": c["layer"], "side": c["color"], "visible": c["visible"]})
    return Labelled(path, geometry, counts, known, None if "bar" in row["hidden"] else bar, checkers, row)


def renders(folder: Path, seeds: list[tuple[int, int]]) -> Iterator[Labelled]:
    import importlib.util

    spec = importlib.util.spec_from_file_location("render_truth", SHARED / "tools" / "render_truth.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path in sorted(folder.glob("*.json")):
        number = path.name.split("_")[0]
        if number.isdigit() and any(a <= int(number) <= b for a, b in seeds) and path.with_suffix(".jpg").exists():
            truth = json.loads(path.read_text())
            if "points" in truth:
                yield render(path.with_suffix(".jpg"), truth, module.convert)


def photos(names: set[str] | None = None, without: set[str] = frozenset()) -> Iterator[Labelled]:  # type: ignore[assignment]
    for line in (SHARED / "photos" / "truth.jsonl").read_text().splitlines():
        row = json.loads(line)
        if (names is None or row["image"] in names) and row["image"] not in without:
            counts, known = lanes_of(row)
            on_bar = row["on_bar"]
            empty = on_bar["light"] == on_bar["dark"] == 0 and "bar" not in row["hidden"]
            yield Labelled(SHARED / "photos" / row["image"], BoardGeometry.from_label(row), counts, known, np.zeros((2, 2), int) if empty else None, [], row)


def training(*caches: Path) -> list[Labelled]:
    """The training split, with the own renders that lie in these folders."""
    out = [board for cache in caches for board in renders(cache, [tuple(SPLIT["train"]["renders_own_seeds"])])]
    out += renders(SHARED / "renders" / "singles", [tuple(s) for s in SPLIT["train"]["renders_singles_seeds"]])
    return out + list(photos(set(SPLIT["train"]["photos"])))


def reporting() -> tuple[list[Labelled], list[Labelled]]:
    """The rendered boards and the photographs that nothing was learned from."""
    boards = list(renders(SHARED / "renders" / "singles", [tuple(s) for s in SPLIT["report"]["renders_singles_seeds"]]))
    return boards, list(photos(None, set(SPLIT["train"]["photos"])))
