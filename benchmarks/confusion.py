"""How the reader errs, as a small table that the simulator draws its noise from.

    confusion.py [-o benchmarks/confusion.json] [--rendered GAMES-FOLDER ...]
    confusion.py --games -o benchmarks/confusion_games.json [--rendered GAMES-FOLDER ...] [--strewn BOARDS-FOLDER]

Only what nothing was learned from is read (`report` in benchmarks/training/split.json): the filmed games, each with the profile
learned from its first frame, as at a table; and, unless --games is given, the single rendered boards with their geometry given and no
profile, which is harder than anything a watched game meets. The table holds, by what truly stands on a lane, how often the reader is sure
and right there (`clear`) and a sample of the rows where it is not; how often a doubtful reading comes back in the next frame of an
unchanged lane (`held`, from the games); the same for dice and cube. With --games every game is also a room of its own (`rooms`): what is
hard to read in one stays so all evening. Games show few dice that do not lie flat: with --strewn, boards of `render_boards.py --strewn` that
nothing was learned from show how such are read (their geometry given and no profile). Probabilities are the reader's own, so that the referee meets in the simulator what it meets at a table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from math import dist
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "training")]

from boards import SHARED, SPLIT, renders, reporting

from calibration.opening import OpeningError
from controller.app import load_geometry
from controller.lanes_to_points import lane_order
from vision.frames import load_picture
from vision.reader import Reader
from vision.scene import CUBE_FACES, DIE_STATES, MOST, CubeSeen, DieSeen, Scene

CLEAR = 0.99
"""A row that gives the truth at least this much is clear."""
SAMPLE = 60
"""Doubtful rows kept for each kind of lane."""
FEW = 30
"""Looks of a kind that say something about it."""
ROOM = 0.3
"""Of the rows kept of everything, the share kept of one room."""
NEAR = 0.8
"""Die sides between a die seen and the true one."""
GAMES = ("easy1", "oblique1", "dim1", "sharp1")


class Tally:
    def __init__(self) -> None:
        self.lanes: dict[int, list[tuple[float, list[list[float]]]]] = defaultdict(list)
        self.bar: dict[int, list[tuple[float, list[list[float]]]]] = defaultdict(list)
        self.dice: list[dict[str, Any]] = []
        self.die_looks = self.dice_found = 0
        self.false: list[dict[str, Any]] = []
        self.places: list[tuple[float, float]] = []
        """Where something only looked like a die in this room."""
        self.cubes: list[dict[str, Any]] = []
        self.cube_looks = 0
        self.pictures = 0
        self.doubtful_again: dict[str, list[bool]] = defaultdict(list)

    def lane(self, row: np.ndarray, truth: int) -> bool:
        """The row as (difference from the truth in checkers of the owner, probability), likeliest first; is it doubtful?"""
        sign = -1 if truth < 0 else 1
        order = np.argsort(-row)[:4]
        kept = [[int(sign * (int(i) - MOST - truth)), round(float(row[i]), 4)] for i in order if row[i] > 0.002]
        right = float(row[truth + MOST])
        self.lanes[min(abs(truth), 6)].append((right, kept))
        return right < CLEAR

    def on_bar(self, row: np.ndarray, truth: int) -> None:
        order = np.argsort(-row)[:3]
        self.bar[min(truth, 2)].append((float(row[truth]), [[int(i) - truth, round(float(row[i]), 4)] for i in order if row[i] > 0.002]))

    def pieces(self, scene: Scene, dice: list[dict[str, Any]], cube: dict[str, Any] | None) -> None:
        left = list(scene.dice)
        for true in dice:
            self.die_looks += 1
            seen = min(left, key=lambda d: dist(d.xy, true["xy"]), default=None)
            if seen is None or dist(seen.xy, true["xy"]) > NEAR * max(seen.size, 10.0):
                continue
            left.remove(seen)
            self.dice_found += 1
            self.dice.append({**_die(seen), "true": [true["value"], true["state"], true["where"]]})
        self.false += [{**_die(d), "new": not any(dist(d.xy, xy) < NEAR * max(d.size, 10.0) for xy in self.places)} for d in left]
        self.places += [d.xy for d in left]
        if cube is None:
            return
        self.cube_looks += 1
        if scene.cube is not None and dist(scene.cube.xy, cube["xy"]) <= 1.5 * max(scene.cube.size, 10.0):
            self.cubes.append({**_cube(scene.cube), "true": [cube["value"], cube["where"]]})


def _die(seen: DieSeen) -> dict[str, Any]:
    return {"values": _short(seen.values), "states": _short(seen.states), "where": seen.where, "certainty": round(float(seen.certainty), 3)}


def _cube(seen: CubeSeen) -> dict[str, Any]:
    return {"values": _short(seen.values), "where": seen.where, "certainty": round(float(seen.certainty), 3)}


def _short(values: Any) -> list[float]:
    return [round(float(v), 3) for v in values]


def watched(folder: Path) -> list[tuple[dict[str, Any], Scene]]:
    """Every frame without a hand, as it truly was and as `transcribe` would read it. Raises OpeningError when the opening is refused."""
    told = json.loads((folder / "game.json").read_text())
    rows = load_geometry(folder / "geometry.jsonl")
    first = told["frames"][0]["file"]
    reader = Reader(Reader().calibrate(load_picture(folder / first), rows.get(first) or next(iter(rows.values()))))
    frames = [frame for frame in told["frames"] if not frame["hand"]]
    return [(frame, reader.read(load_picture(folder / frame["file"]), name=frame["file"])) for frame in frames]


def game(seen: list[tuple[dict[str, Any], Scene]], home: str, tally: Tally) -> None:
    tally.places.clear()
    order = lane_order("left" if home == "left" else "right")
    before: tuple[list[int], np.ndarray] | None = None
    dice_before: list[tuple[tuple[float, float], bool]] = []
    for frame, scene in seen:
        tally.pictures += 1
        truth = [0] * 24
        for point, lane in enumerate(order):
            truth[lane] = frame["position"][point]
        lanes = scene.board.lanes.astype(np.float64)
        for lane, count in enumerate(truth):
            tally.lane(lanes[lane], count)
            if before is not None and before[0][lane] == count and before[1][lane, count + MOST] < CLEAR:
                again = lanes[lane, count + MOST] < CLEAR and lanes[lane].argmax() == before[1][lane].argmax()
                tally.doubtful_again["lane"].append(bool(again))
        for side in (0, 1):
            tally.on_bar(scene.board.bar[side].astype(np.float64), frame["position"][24 + side])
        tally.pieces(scene, frame["dice"], frame["cube"])
        for xy, was in dice_before:
            still = min(scene.dice, key=lambda d: dist(d.xy, xy), default=None)
            if still is not None and any(dist(d["xy"], xy) < 1 for d in frame["dice"]) and dist(still.xy, xy) < 20 and was:
                true = next(d for d in frame["dice"] if dist(d["xy"], xy) < 1)
                tally.doubtful_again["die"].append(still.values[true["value"] - 1] < 0.9)
        dice_before = []
        for true in frame["dice"]:
            seen = min(scene.dice, key=lambda d: dist(d.xy, true["xy"]), default=None)
            doubtful = seen is not None and dist(seen.xy, true["xy"]) < 20 and seen.values[true["value"] - 1] < 0.9
            dice_before.append((tuple(true["xy"]), doubtful))
        before = (truth, lanes)


def singles(tally: Tally) -> None:
    reader = Reader()
    for board in reporting()[0]:
        tally.pictures += 1
        tally.places.clear()
        scene = reader.read_once(load_picture(board.path), board.geometry, board.path.name)
        hidden = set(board.row.get("hidden") or [])
        turned = _turned(scene, board.counts)
        for lane, count in enumerate(board.counts):
            if board.known[lane]:
                row = scene.board.lanes[lane].astype(np.float64)
                tally.lane(row[::-1] if turned else row, int(count))
        if "bar" not in hidden:
            for side, name in enumerate(("light", "dark")):
                tally.on_bar(scene.board.bar[1 - side if turned else side].astype(np.float64), board.row["on_bar"][name])
        tally.pieces(scene, board.row["dice"], board.row["cube"])


def not_flat(folder: Path) -> list[dict[str, Any]]:
    """Dice of rendered boards that do not lie flat in play, as they are read. One that is overlooked is none of them: how often that
    happens is known from the games."""
    reader, tally = Reader(), Tally()
    for board in renders(folder, [tuple(SPLIT["simulated"]["renders_own_seeds"])]):
        scene = reader.read_once(load_picture(board.path), board.geometry, board.path.name)
        tally.pieces(scene, board.row["dice"], None)
    return [d for d in tally.dice if d["true"][1] != "flat" and d["true"][2] in ("left", "right")]


def _turned(scene: Scene, counts: np.ndarray) -> bool:
    """Which side is the lighter was misjudged: a fault of pictures without a profile, which a watched game does not have."""
    read = np.asarray(scene.board.counts)
    return int((np.sign(read) == -np.sign(counts))[counts != 0].sum()) > int((np.sign(read) == np.sign(counts))[counts != 0].sum())


def sample(rows: list[Any], most: int) -> list[Any]:
    """At most so many, evenly from the whole list."""
    if len(rows) <= most:
        return rows
    return [rows[int(i)] for i in np.linspace(0, len(rows) - 1, most)]


def kind_of_lane(rows: list[tuple[float, list[list[float]]]], share: float) -> dict[str, Any]:
    clear = sorted(r for r in rows if r[0] >= CLEAR)
    doubtful = sorted(r for r in rows if r[0] < CLEAR)
    return {
        "looks": len(rows),
        "doubtful_share": round(len(doubtful) / len(rows), 4),
        "wrong_share": round(sum(r[1][0][0] != 0 for r in rows) / len(rows), 4),
        "clear": [r[1] for r in sample(clear, 6)],
        "doubtful": [r[1] for r in sample(doubtful, round(SAMPLE * share))],
    }


def table(tally: Tally, share: float = 1.0) -> dict[str, Any]:
    """share: of the rows that a table of everything keeps."""
    flat_right = [d for d in tally.dice if d["true"][1] == "flat"]
    again = {k: round(sum(v) / len(v), 3) for k, v in tally.doubtful_again.items() if len(v) >= 10}
    return {
        "pictures": tally.pictures,
        "held": {"lane": again.get("lane", 0.7), "die": again.get("die", 0.7)},
        "lanes": {str(k): kind_of_lane(v, share) for k, v in sorted(tally.lanes.items())},
        "bar": {str(k): kind_of_lane(v, share) for k, v in sorted(tally.bar.items())},
        "dice": {
            "looks": tally.die_looks,
            "found_share": round(tally.dice_found / max(tally.die_looks, 1), 4),
            "flat_value_right": round(sum(int(np.argmax(d["values"])) + 1 == d["true"][0] for d in flat_right) / max(len(flat_right), 1), 4),
            "seen": sample(sorted(tally.dice, key=lambda d: d["values"][d["true"][0] - 1]), round(240 * share)),
            "false_a_picture": round(len(tally.false) / tally.pictures, 4),
            "false": sample(sorted(tally.false, key=lambda d: d["certainty"]), round(40 * share)),
        },
        "cube": {
            "looks": tally.cube_looks,
            "found_share": round(len(tally.cubes) / max(tally.cube_looks, 1), 4),
            "seen": sample(sorted(tally.cubes, key=lambda d: d["values"][CUBE_FACES.index(d["true"][0])]), round(60 * share)),
        },
        "die_states": list(DIE_STATES),
    }


def borrow(found: dict[str, Any], other: dict[str, Any]) -> None:
    """Kinds of lanes of which the games show fewer than FEW looks are taken from the table of all boards, and say so."""
    for part in ("lanes", "bar"):
        for kind, row in other[part].items():
            if found[part].get(kind, {"looks": 0})["looks"] < FEW:
                found[part][kind] = {**row, "origin": "all boards"}


def borrow_dice(found: dict[str, Any], others: list[dict[str, Any]]) -> None:
    """Ways of lying of which the games show fewer than FEW dice are taken from `others`."""
    seen = found["dice"]["seen"]
    for state in DIE_STATES[1:]:
        if sum(d["true"][1] == state for d in seen) < FEW:
            seen += [{**d, "origin": "strewn boards"} for d in others if d["true"][1] == state]


def networks() -> str:
    """Which networks were measured: the first digits of a digest of their files."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "vision" / "models").glob("*.onnx")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "benchmarks" / "confusion.json")
    parser.add_argument("--rendered", type=Path, nargs="*", default=[SHARED / "renders" / "games" / name for name in GAMES])
    parser.add_argument("--games", action="store_true", help="the filmed games alone, each a room of its own")
    parser.add_argument("--few-from", type=Path, default=ROOT / "benchmarks" / "confusion.json", help="for what the games hardly show")
    parser.add_argument("--strewn", type=Path, help="folder of strewn boards, for dice that do not lie flat")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tally, left_out, rooms = Tally(), [], {}
    for folder in args.rendered:
        try:
            seen = watched(folder)
        except OpeningError as error:
            left_out.append(f"{folder.name} is left out: {error}")
            print(left_out[-1])
            continue
        home, room = json.loads((folder / "game.json").read_text())["home"], Tally()
        game(seen, home, tally)
        game(seen, home, room)
        rooms[folder.name] = table(room, ROOM)
    if not args.games:
        singles(tally)
    found = {"networks": networks(), "games": [f.name for f in args.rendered], "left_out": left_out, "singles": not args.games, **table(tally)}
    if args.games:
        found["rooms"] = rooms
        borrow(found, json.loads(args.few_from.read_text()))
    if args.strewn:
        borrow_dice(found, not_flat(args.strewn))
    args.output.write_text(_compact(found))
    for kind, row in found["lanes"].items():
        print(f"lanes of {kind}: {row['looks']} looks, doubtful {row['doubtful_share']:.1%}, wrong {row['wrong_share']:.1%}")
    print(f"doubt comes back: {found['held']}")
    print(f"dice: found {found['dice']['found_share']:.1%} of {found['dice']['looks']}, flat value right {found['dice']['flat_value_right']:.1%}, {found['dice']['false_a_picture']} false a picture")
    for state in DIE_STATES[1:]:
        lying = [d for d in found["dice"]["seen"] if d["true"][1] == state]
        if lying:
            flat = sum(d["states"][0] >= 0.5 for d in lying)
            print(f"dice that lie {state}: {len(lying)}, called flat {flat}")
    print(f"cube: found {found['cube']['found_share']:.1%} of {found['cube']['looks']}")


def _compact(found: dict[str, Any]) -> str:
    """One line a row, so that a change of the table can be read."""
    text = json.dumps(found, indent=1)
    import re

    return re.sub(r"\[[^\[\]{}]*\]", lambda m: " ".join(m.group().split()).replace("[ ", "[").replace(" ]", "]"), text) + "\n"


if __name__ == "__main__":
    main()
