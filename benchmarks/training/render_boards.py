"""Render training boards with the shared renderer: `render_boards.py --seeds 700000-700999 -o CACHE_DIR`.

Seeds start at 700000, far from every shared set (1000 to 3236), so no picture that is reported on can be made here.
More dice than a game shows (one to five, in every state) are put on each board, and colours are mixed beyond the
renderer's own designs, so that a picture teaches more than one board's worth.
Run with the renderer's own interpreter (see its README); pictures and truths go to a cache folder, not to the project.
"""

from __future__ import annotations

import argparse
import colorsys
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

STYLES = ["any", "easy", "overhead", "oblique", "lowlight", "lowcontrast", "cluttered", "cocked", "hand", "stacks", "endgame", "sunny"]
WEIGHTS = [2.0, 0.7, 1.0, 1.6, 1.8, 1.5, 1.0, 1.5, 0.5, 4.0, 0.6, 1.8]


def hex_colour(rng: np.random.Generator, value: tuple[float, float], saturation: tuple[float, float]) -> str:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(*saturation), rng.uniform(*value))
    return "#" + "".join(f"{int(round(255 * c)):02x}" for c in (red, green, blue))


KINDS = ["flat", "far", "checker", "rail", "on_checker", "bar"]
"""How an extra die lies: near the middle of a half or far from it, leaning on a checker or on the frame, on a checker, on the bar."""
USUAL_KINDS = [0.36, 0.2, 0.2, 0.1, 0.09, 0.05]
STREWN_KINDS = [0.12, 0.12, 0.46, 0.18, 0.12, 0.0]
"""A die that finds no place to lean is laid flat by the renderer: about half of those strewn do lean."""


def extra_die(rng: np.random.Generator, model: dict[str, Any], kinds: list[float]) -> dict[str, Any]:
    zone = "right" if rng.random() < 0.5 else "left"
    kind = rng.choice(KINDS, p=kinds)
    place: dict[str, Any] = {"zone": zone, "mode": "flat"}
    if kind == "far":
        place["spread"] = "far"
    elif kind in ("checker", "rail"):
        place.update(mode="cocked", against=str(kind), tilt=round(float(rng.uniform(9, 45)), 1))
    elif kind == "on_checker":
        place["mode"] = "on_checker"
    elif kind == "bar":
        place["zone"] = "bar"
    return dict(model, value=int(rng.integers(1, 7)), place=place)


def vary(spec: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Change a random scene in place: more dice, cube faces drawn evenly, sometimes other colours."""
    sets = list(spec["dice_sets"].values())
    for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.2, 0.2, 0.25, 0.2, 0.15]))):
        model = dict(sets[int(rng.integers(len(sets)))])
        if rng.random() < 0.35:
            body = hex_colour(rng, (0.1, 1.0), (0.0, 0.9))
            bright = int(body[1:3], 16) * 0.3 + int(body[3:5], 16) * 0.59 + int(body[5:7], 16) * 0.11 > 120
            model.update(body=body, pip="#181614" if bright else "#f2f0ea", material=str(rng.choice(["opaque", "translucent"])))
        spec["dice"].append(extra_die(rng, model, USUAL_KINDS))
    if spec.get("cube") and rng.random() < 0.6:
        spec["cube"]["value"] = int(rng.choice([2, 4, 8, 16, 32, 64]))
    if rng.random() < 0.3:
        board, checkers = spec["board"], spec["checkers"]
        if rng.random() < 0.6:
            board["field"]["color"] = hex_colour(rng, (0.12, 0.95), (0.0, 0.7))
            board["points"]["colors"] = [hex_colour(rng, (0.1, 0.98), (0.0, 0.8)) for _ in range(2)]
        if rng.random() < 0.6:
            light, dark = hex_colour(rng, (0.75, 0.98), (0.0, 0.5)), hex_colour(rng, (0.08, 0.55), (0.0, 0.9))
            for side, colour in zip("AB", (light, dark) if rng.random() < 0.5 else (dark, light), strict=True):
                checkers[side]["color"] = colour
    return spec


def strew(spec: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Put a dozen and a half dice on the board, in place, mostly leaning on something: how a die lies is learned from those that do not lie flat."""
    sets = list(spec["dice_sets"].values())
    for _ in range(18 - len(spec["dice"])):
        model = dict(sets[int(rng.integers(len(sets)))])
        body = hex_colour(rng, (0.1, 1.0), (0.0, 0.9))
        bright = int(body[1:3], 16) * 0.3 + int(body[3:5], 16) * 0.59 + int(body[5:7], 16) * 0.11 > 120
        model.update(body=body, pip="#181614" if bright else "#f2f0ea", material=str(rng.choice(["opaque", "translucent"])))
        model["size"] = round(float(rng.uniform(11.5, 17)), 1)
        spec["dice"].append(extra_die(rng, model, STREWN_KINDS))
    return spec


def at_home(spec: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """What boards at home have and the renderer's makers do not, in place: deep boxes seen from low, checkers small for their points, dice and cubes of any size."""
    board, camera = spec["board"], spec["camera"]
    if rng.random() < 0.4:
        board["rail_h"] = round(float(rng.uniform(20, 55)), 1)
        board["bar_style"] = "raised" if rng.random() < 0.7 else "flush"
        camera["tilt"] = round(float(rng.uniform(15, 48)), 2)
        camera["hfov"] = round(camera["hfov"] * float(rng.uniform(1.0, 1.15)), 3)
    elif rng.random() < 0.25:
        camera["hfov"] = round(camera["hfov"] * float(rng.uniform(0.85, 1.5)), 3)
    if rng.random() < 0.2:
        board["checker_d"] = round(board["checker_d"] * float(rng.uniform(0.78, 0.97)), 2)
    small, large = rng.uniform(8, 11.5), rng.uniform(16, 21)
    for die in spec["dice"]:
        if rng.random() < 0.6:
            die["size"] = round(float(small if rng.random() < 0.5 else large), 1)
    if spec.get("cube") and rng.random() < 0.5:
        spec["cube"]["size"] = round(float(rng.uniform(16, 38)), 1)
    return spec


def crowd(spec: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Put far more checkers on the board than a set has, in place: whether a lane holds five or six is learned from lanes of five and more."""
    counts = rng.choice(12, 24, p=[0.22, 0.02, 0.02, 0.03, 0.07, 0.16, 0.18, 0.12, 0.08, 0.05, 0.04, 0.01])
    spec["position"] = {
        "points": [int(n) * int(rng.choice([-1, 1])) for n in counts], "bar": {"A": 0, "B": 0}, "off": {"A": 0, "B": 0}
    }  # fmt: skip
    return spec


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="700000-700999")
    parser.add_argument("--renderer", default=str(Path(__file__).resolve().parents[3] / "shared" / "render"))
    parser.add_argument("--size", default="1280x960")
    parser.add_argument("--spp", type=int, default=8)
    parser.add_argument("--denoise", default="balanced")
    parser.add_argument("--crowded", action="store_true", help="boards with tall stacks on most lanes")
    parser.add_argument("--strewn", action="store_true", help="boards with many dice, most of them not flat")
    parser.add_argument("--at-home", action="store_true", help="deep boxes seen from low, small checkers, dice and cubes of any size")
    parser.add_argument("-o", "--out", required=True)
    args = parser.parse_args()
    sys.path.insert(0, args.renderer)
    import boardrender
    from brlib.randomize import randomize

    first, last = (int(x) for x in args.seeds.split("-"))
    width, height = (int(x) for x in args.size.split("x"))
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(first, last + 1):
        rng = np.random.default_rng(seed)
        style = str(rng.choice(STYLES, p=np.array(WEIGHTS) / sum(WEIGHTS)))
        path = out / f"{seed}_{style}.jpg"
        if path.with_suffix(".json").exists():
            continue
        spec = vary(randomize(seed, style, width, height), rng)
        if args.crowded:
            crowd(spec, rng)
        if args.at_home:
            at_home(spec, rng)
        if args.strewn:
            strew(spec, rng)
        spec["render"].update(spp=args.spp, denoise=args.denoise)
        try:
            picture, truth = boardrender.render_scene(spec)
        except Exception as error:  # a scene that the renderer cannot solve is skipped: another seed follows
            print(seed, "skipped:", error, file=sys.stderr)
            continue
        truth["style"] = style
        truth["checker_colors"] = {c: spec["checkers"][c]["color"] for c in "AB"}
        boardrender.save(str(path), picture, truth, spec, jpeg=spec["post"]["jpeg"])
        print(json.dumps({"seed": seed, "style": style, "pid": os.getpid()}), flush=True)


if __name__ == "__main__":
    main()
