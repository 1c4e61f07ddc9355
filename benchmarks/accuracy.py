"""Accuracy on the shared sets, printed and compared with what was reached before.

    accuracy.py [--check benchmarks/ratchet.json] [--write benchmarks/ratchet.json] [--sets photos,renders,games,sequence,located]

Readings go through the command line program and are scored by the shared tools. Figures are given for what nothing was learned from
(`report` in benchmarks/training/split.json); `photos_all` includes the boards that were trained on and is marked so.
With --check the exit status is 1 when a figure is worse than the ratchet by more than its slack.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", ROOT.parent / "shared"))
SPLIT = json.loads((ROOT / "benchmarks" / "training" / "split.json").read_text())
GAMES = ("easy1", "oblique1", "dim1", "sharp1")
SLACK = 0.005
"""Of a share: readings are the same on one machine; another processor's rounding may turn a point or two."""

COUNTED = ("wrong_verdicts", "voids", "unsure", "slowest_verdict", "verdicts_under_a_hand")
"""Of games: lower is better, and not one more is let pass."""


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, cwd=ROOT, check=False)


def seed_of(name: str) -> int:
    head = name.split("_", maxsplit=1)[0]
    return int(head) if head.isdigit() else -1


def score(folder: Path, truth: Path, keep: set[str], scratch: Path, *, alone: bool = False) -> dict[str, float]:
    """alone: without the geometry, so that the board may be read turned by half a turn. A picture whose board is not found for sure has no reading, and every figure counts it as not right."""
    rows = [r for r in map(json.loads, truth.read_text().splitlines()) if r["image"] in keep]
    (scratch / "truth.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    done = run("-m", "controller.cli", "read", *sorted(folder / n for n in keep), *(() if alone else ("--geometry", truth)), "--json")
    (scratch / "read.jsonl").write_text(done.stdout)
    way_up = ("--either-way-up",) if alone else ()
    t = json.loads(run(SHARED / "tools" / "score_read.py", scratch / "truth.jsonl", scratch / "read.jsonl", "--json", *way_up).stdout)
    return {
        "images": t["images"],
        **({"read": (t["images"] - t["missing"]) / t["images"]} if alone else {}),
        "points_right": t["right"] / t["points"],
        "points_wrong_not_unsure": t["wrong"] / t["points"],
        "boards_exact": t["exact"] / t["images"],
        "bar_right": t["bar_right"] / t["images"],
        "dice_found": t["dice_found"] / max(t["dice_true"], 1),
        "dice_false": t["dice_false"],
        "dice_value_right": t["dice_value_right"] / max(t["dice_value_true"], 1),
        **({"dice_18px_right": t["dice_big_right"] / t["dice_big_true"]} if t["dice_big_true"] else {}),
        "cube_found": t["cube_found"] / max(t["cubes"], 1),
        "cube_value_right": t["cube_value_right"] / max(t["cubes"], 1),
    }


def located() -> dict[str, float]:
    """Finding the board without help: best candidate, and any candidate, with every corner within 2 % of the board's width (either
    way up), on the held-out photographs and every second held-out render."""
    import cv2
    import numpy as np

    sys.path[:0] = [str(ROOT / "benchmarks" / "training"), str(ROOT)]
    from boards import reporting

    from vision.checkers import CheckerNetwork
    from vision.finding import boards as found_in

    network = CheckerNetwork()

    best = some = 0
    rendered, photographs = reporting()
    boards = [*photographs, *rendered[::2]]
    for board in boards:
        true = board.geometry.corners
        least = 0.02 * np.linalg.norm(true[1] - true[0])
        found = [
            any(np.linalg.norm(np.roll(g.corners, turn, axis=0) - true, axis=1).max() < least for turn in (0, 2))
            for _, g in found_in(cv2.imread(str(board.path)), network)
        ]
        best += bool(found and found[0])
        some += any(found)
    return {"images": len(boards), "best_candidate_right": best / len(boards), "some_candidate_right": some / len(boards)}


def games(scratch: Path) -> dict[str, dict[str, float]]:
    out = {}
    for name in GAMES:
        folder = SHARED / "renders" / "games" / name
        events = scratch / f"{name}.jsonl"
        done = run("-m", "controller.cli", "transcribe", folder, "--geometry", folder / "geometry.jsonl", "--events", events)
        if not events.exists():
            print(f"{name}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no events'}")
            out[name] = {"all_right": 0.0, "verdicts_right": 0.0}
            continue
        s = json.loads(run(SHARED / "tools" / "score_game.py", folder / "game.json", events, "--json").stdout)
        slowest, under_a_hand = patience(json.loads((folder / "game.json").read_text())["frames"], events)
        out[name] = {
            "all_right": float(s["all_right"]),
            "verdicts_right": 1 - s["missed_verdicts"] / s["plies"],
            "wrong_verdicts": s["wrong_verdicts"],
            "unsure": s["unsure"],
            "slowest_verdict": slowest,
            "verdicts_under_a_hand": under_a_hand,
        }
    return out


def patience(frames: list[dict[str, Any]], events: Path) -> tuple[int, int]:
    """(most settled frames without dice up to a verdict, verdicts on a frame with a hand in it), over a game's first verdicts: a
    correction comes when the players put it right."""
    slowest = under_a_hand = 0
    for event in map(json.loads, events.read_text().splitlines()):
        if event["event"] not in ("play", "dance", "illegal") or event.get("corrected"):
            continue
        at = event["frame"]
        under_a_hand += frames[at]["hand"]
        since = at
        while since > 0 and not frames[since]["dice"]:
            since -= 1
        slowest = max(slowest, sum(not frame["hand"] for frame in frames[since + 1 : at + 1]))
    return slowest, under_a_hand


def sequence(scratch: Path) -> dict[str, float]:
    """The real sequence of a home-made board: how many of its five completed plays come out with the right dice and position."""
    sys.path[:0] = [str(ROOT)]
    from controller.lanes_to_points import lane_order

    folder = SHARED / "photos" / "sequence"
    wanted: list[tuple[list[int], list[int]]] = []
    thrown: list[int] | None = None
    for row in json.loads((folder / "truth.json").read_text())["sequence"]:
        lanes = [0] * 24
        for half, edge in enumerate(("top", "bottom")):
            for column, text in row[edge].items():
                lanes[12 * half + int(column) - 1] = int(text[1:]) * (1 if text[0] == "g" else -1)
        if thrown and row["dice"] != thrown:
            wanted.append((sorted(thrown), [lanes[lane] for lane in lane_order("left")]))
        thrown = row["dice"]
    start, events = ROOT / "benchmarks" / "sequence_start.json", scratch / "sequence.jsonl"
    options = ["--start", start, "--rules", "either half", "--geometry", folder / "geometry.jsonl", "--events", events]
    done = run("-m", "controller.cli", "transcribe", folder, *options)
    if not events.exists():
        print(f"sequence: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no events'}")
        return {"plays_right": 0.0, "plays": float(len(wanted))}
    said = [json.loads(line) for line in events.read_text().splitlines()]
    plays = [(sorted(e["dice"]), e["position"][:24]) for e in said if e["event"] == "play"]
    return {
        "plays": float(len(wanted)),
        "plays_right": float(sum(w == p for w, p in zip(wanted, plays, strict=False))),
        "wrong_verdicts": float(sum(e["event"] in ("play", "illegal", "dance") for e in said) - sum(p in wanted for p in plays)),
        "voids": float(sum(e["event"] == "roll_void" for e in said)),
        "unsure": float(sum(e["event"] == "unsure" for e in said)),
    }


def measure(sets: set[str]) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        if "photos" in sets:
            truth = SHARED / "photos" / "truth.jsonl"
            every = {json.loads(line)["image"] for line in truth.read_text().splitlines()}
            out["photos_held_out"] = score(SHARED / "photos", truth, every - set(SPLIT["train"]["photos"]), scratch)
            out["photos_alone"] = score(SHARED / "photos", truth, every - set(SPLIT["train"]["photos"]), scratch, alone=True)
            out["photos_all"] = score(SHARED / "photos", truth, every, scratch)
        if "renders" in sets:
            truth = SHARED / "renders" / "singles" / "truth.jsonl"
            spans = SPLIT["report"]["renders_singles_seeds"]
            names = {json.loads(line)["image"] for line in truth.read_text().splitlines()}
            held = {n for n in names if any(a <= seed_of(n) <= b for a, b in spans)}
            out["renders_held_out"] = score(SHARED / "renders" / "singles", truth, held, scratch)
            out["renders_alone"] = score(SHARED / "renders" / "singles", truth, held, scratch, alone=True)
        if "located" in sets:
            out["located"] = located()
        if "sequence" in sets:
            out["sequence"] = sequence(scratch)
        if "games" in sets:
            out.update(games(scratch))
    return out


def worse(now: dict[str, dict[str, float]], ratchet: dict[str, dict[str, float]]) -> list[str]:
    out = []
    for group, figures in ratchet.items():
        for key, before in figures.items():
            if group not in now or key == "images":
                continue
            got = now[group].get(key, 0.0)
            lower_is_better = key in ("dice_false", "points_wrong_not_unsure", *COUNTED)
            slack = 1 if key == "dice_false" else 0 if key in (*COUNTED, "all_right", "plays", "plays_right") else SLACK
            if (got > before + slack) if lower_is_better else (got < before - slack):
                out.append(f"{group}: {key} was {before:.4g}, is {got:.4g}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--sets", default="photos,renders,games,sequence,located")
    args = parser.parse_args()
    now = measure(set(args.sets.split(",")))
    for group, figures in now.items():
        print(group, "  ".join(f"{k} {v:.4g}" for k, v in figures.items()), flush=True)
    if args.write:
        args.write.write_text(json.dumps(now, indent=1) + "\n")
    if args.check:
        faults = worse(now, json.loads(args.check.read_text()))
        for fault in faults:
            print("WORSE", fault)
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
