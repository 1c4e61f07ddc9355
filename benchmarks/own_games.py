"""Games rendered by ourselves, in rooms and boards that no network learned from: made, and scored like the shared ones.

    own_games.py make FOLDER [--seeds 910001 ...] --renderer ../shared/render --python RENDERER-PYTHON
    own_games.py score FOLDER [--verbose]

`make` writes the script of each game and renders it (some 25 s a frame on one core); what is there is kept. Each game becomes a folder like
those of ../shared/renders/games: pictures, game.json, geometry.jsonl. `score` transcribes every game of FOLDER and scores it with the shared tool.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", ROOT.parent / "shared"))
GAMES = {
    910001: ("easy", "illegal,wrong_half,cocked,illegal_stands", 9),
    910002: ("overhead", "illegal,wrong_half,cocked,illegal_stands", 9),
    910003: ("oblique", "cocked,illegal,off_board,cube", 12),
    910004: ("lowlight", "on_checker,illegal_stands,wrong_half,illegal", 12),
    910005: ("easy", "split,illegal,cocked,cube,illegal_stands", 12),
    910006: ("sunny", "illegal,wrong_half,off_board,illegal_stands", 12),
}
"""Seed: the room's style, what goes wrong, and plies."""
LOOKED_AT = {910001, 910002, 910005}
"""The referee was mended by what these showed: they are scored, and no longer say how it does in a room that is new to it."""


def make(folder: Path, seeds: list[int], renderer: Path, python: Path) -> None:
    for seed in seeds:
        style, incidents, plies = GAMES[seed]
        script, out = folder / f"g{seed}.json", folder / f"out{seed}"
        if not script.exists():
            words = ["--seed", seed, "--style", style, "--plies", plies, "--incidents", incidents, "-o", script.resolve()]
            subprocess.run([python, "make_game.py", *map(str, words)], cwd=renderer, check=True)
        if len(list(out.glob("*.png"))) < len(json.loads(script.read_text())["frames"]):
            subprocess.run([python, "boardrender.py", "sequence", script.resolve(), "-o", out.resolve()], cwd=renderer, check=True)
        as_game(script, out)


def as_game(script: Path, out: Path) -> None:
    """The renderer's truth beside the pictures in the form of the shared games."""
    sys.path[:0] = [str(SHARED / "tools")]
    from render_truth import convert

    told = json.loads(script.read_text())
    pictures = sorted(out.glob("*.png"))
    if len(pictures) < len(told["frames"]):
        raise SystemExit(f"{out} holds {len(pictures)} of {len(told['frames'])} frames: render it first")
    frames: list[dict[str, Any]] = []
    geometry = []
    for picture, frame in zip(pictures, told["frames"], strict=True):
        truth = json.loads(picture.with_suffix(".json").read_text())
        row = convert(truth)
        geometry.append({k: row[k] for k in ("image", "size", "corners", "bar")})
        frames.append(
            {
                "file": picture.name,
                "label": frame["label"],
                "hand": bool(truth["hand"]["present"]),
                "position": frame["truth"]["position"],
                "dice": row["dice"],
                "cube": row["cube"],
            }
        )
    home = told["truth"]["home"]
    out.joinpath("game.json").write_text(json.dumps({"name": out.name, "home": home, "frames": frames, "events": told["truth"]["events"]}))
    out.joinpath("geometry.jsonl").write_text(json.dumps(geometry[0]) + "\n")


def games(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/game.json"))


def score(folder: Path, verbose: bool) -> None:
    total: Counter[str] = Counter()
    for game in games(folder):
        with tempfile.TemporaryDirectory() as scratch:
            events = Path(scratch) / "events.jsonl"
            words = [game, "--geometry", game / "geometry.jsonl", "--events", events, "--stills", 0]
            done = subprocess.run(
                [sys.executable, "-m", "controller.cli", "transcribe", *map(str, words)], capture_output=True, text=True, cwd=ROOT, check=False
            )
            if not events.exists():
                print(f"{game.name}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no events'}")
                total["games"] += 1
                total["refused"] += 1
                continue
            if verbose:
                tool = [sys.executable, str(SHARED / "tools" / "score_game.py"), str(game / "game.json"), str(events), "--verbose"]
                print(subprocess.run(tool, capture_output=True, text=True, check=True).stdout)
            tool = [sys.executable, str(SHARED / "tools" / "score_game.py"), str(game / "game.json"), str(events), "--json"]
            s = json.loads(subprocess.run(tool, capture_output=True, text=True, check=True).stdout)
        void, illegal = s.get("roll_void", {}), s.get("illegal", {})
        line = {
            "plies": s["plies"],
            "wrong": s["wrong_verdicts"],
            "missed": s["missed_verdicts"],
            "unsure": s["unsure"],
            "illegal": illegal.get("true", 0),
            "illegal_right": illegal.get("right", 0),
            "illegal_false": illegal.get("false", 0),
            "void": void.get("true", 0),
            "void_right": void.get("right", 0),
            "void_false": void.get("false", 0),
            "reasons_right": s["reasons_right"],
            "all_right": int(s["all_right"]),
        }
        note = "  (looked at)" if any(str(seed) in game.name for seed in LOOKED_AT) else ""
        print(game.name, "  ".join(f"{k} {v}" for k, v in line.items()) + note, flush=True)
        total.update(line)
        total["games"] += 1
    print("together", "  ".join(f"{k} {v}" for k, v in total.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(dest="what", required=True)
    maker = sub.add_parser("make")
    maker.add_argument("folder", type=Path)
    maker.add_argument("--seeds", type=int, nargs="*", default=list(GAMES))
    maker.add_argument("--renderer", type=Path, default=SHARED / "render")
    maker.add_argument("--python", type=Path, required=True)
    scorer = sub.add_parser("score")
    scorer.add_argument("folder", type=Path)
    scorer.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if args.what == "make":
        make(args.folder, args.seeds, args.renderer.resolve(), args.python.absolute())  # resolved, a venv's python is the system's
    else:
        score(args.folder, args.verbose)


if __name__ == "__main__":
    main()
