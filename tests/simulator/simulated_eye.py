"""The reader's eye without pictures: scenes as it would give them, with its errors drawn from a measured table (benchmarks/confusion.py).

Doubt is kept as the reader keeps it: a lane it cannot read well it reads alike in the next look, while nothing changes there.
A table of watched games has rooms: each match is played in one of them, for what is hard to read there stays so all evening.
`noise` multiplies how often it is in doubt, misses a die or the cube, or sees a die that is none; 0 is a perfect eye.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from simulated_match import DIE, Look

from controller.lanes_to_points import Home, lane_order
from vision.scene import CUBE_FACES, DIE_STATES, LANES, MOST, BoardReading, CubeSeen, DieSeen, Scene

TABLE = Path(__file__).resolve().parents[2] / "benchmarks" / "confusion_games.json"
FEW = 8
"""Looks in a room from which it is known how a kind of lane reads there; else it reads as in all rooms."""
Row = list[list[float]]
VALUE_CLEAR = 0.9
MOST_DOUBT = 0.99
GHOST_PLACES = 3
GHOST_HELD = 0.7
"""How often a ghost is seen again in the next look (dim1: 0.7 of its 44 frames show the one on the left)."""


def load_table(path: Path = TABLE) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return table


class Doubt:
    """Is it in doubt now? A two-state chain with the right share of doubt, which comes back with chance `held`."""

    def __init__(self, share: float, held: float, noise: float, chance: Random) -> None:
        self.share = min(share * noise, MOST_DOUBT)
        self.held = held
        self.chance = chance

    def begin(self) -> bool:
        return self.chance.random() < self.share

    def next(self, doubtful: bool) -> bool:
        if doubtful:
            return self.chance.random() < self.held
        return self.chance.random() < min(self.share * (1 - self.held) / max(1 - self.share, 0.05), 1.0)


class SimulatedEye:
    def __init__(self, table: dict[str, Any], seed: int, noise: float = 1.0, home: Home = "right") -> None:
        self.chance, self.noise, self.home = Random(seed), noise, home
        self.turned = [row for row in table["cube"]["seen"] if row["true"][1] != "middle"]
        """In all rooms: in some, nobody turned the cube while it was measured."""
        self.table = self._room(table)
        self.order = lane_order(home)
        self.kept: dict[Any, tuple[Any, bool, Any]] = {}
        """By thing looked at: what it was, whether it was in doubt, and the row drawn."""
        false = self.table["dice"]["false"]
        self.ghosts = [(self.chance.uniform(100, 1000), self.chance.choice((30.0, 350.0, 680.0))) for _ in range(GHOST_PLACES)]
        self.again, self.new = ([row for row in false if row.get("new", True) is new] for new in (False, True))
        self.new_share = len(self.new) / len(false) if false else 0.0
        self.clear_dice, self.doubtful_dice, self.die_share = self._dice_by_state()

    def _room(self, table: dict[str, Any]) -> dict[str, Any]:
        rooms = table.get("rooms")
        if not rooms:
            return table
        room = rooms[self.chance.choice(sorted(rooms))]
        found = {**table, "held": room["held"]}
        for part in ("lanes", "bar"):
            found[part] = {k: room[part][k] if room[part].get(k, {"looks": 0})["looks"] >= FEW else v for k, v in table[part].items()}
        shown = {seen["true"][1] for seen in room["dice"]["seen"] if seen["true"][1] == "flat"}
        elsewhere = [seen for seen in table["dice"]["seen"] if seen["true"][1] not in shown]
        found["dice"] = {**room["dice"], "seen": [*(s for s in room["dice"]["seen"] if s["true"][1] in shown), *elsewhere]}
        if room["cube"]["looks"] >= FEW:
            found["cube"] = room["cube"]
        return found

    def _dice_by_state(self) -> tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, float]]:
        clear: dict[str, list[Any]] = {}
        doubtful: dict[str, list[Any]] = {}
        for seen in self.table["dice"]["seen"]:
            value, state, where = seen["true"]
            right = seen["values"][value - 1] >= VALUE_CLEAR and DIE_STATES[int(np.argmax(seen["states"]))] == state
            right = right and seen["where"] == where and seen["certainty"] >= 0.8
            (clear if right else doubtful).setdefault(state, []).append(seen)
        return clear, doubtful, {s: len(doubtful.get(s, [])) / (len(doubtful.get(s, [])) + len(clear.get(s, []))) for s in {*clear, *doubtful}}

    def _drawn(self, thing: Any, content: Any, kind: dict[str, Any], held: float) -> Row:
        doubt = Doubt(kind["doubtful_share"], held, self.noise, self.chance)
        before = self.kept.get(thing)
        same = before is not None and before[0] == content
        doubtful = doubt.next(before[1]) if same and before else doubt.begin()
        if same and before and doubtful == before[1]:
            return before[2]  # type: ignore[no-any-return]
        rows = kind["doubtful"] if doubtful and kind["doubtful"] else kind["clear"] or kind["doubtful"]
        beyond = kind["doubtful_share"] * self.noise / MOST_DOUBT
        if doubtful and beyond > 1:
            # What is always in doubt cannot be so more often: it is in worse doubt (the rows are sorted, the worst first).
            rows = rows[: max(round(len(rows) / beyond), 1)]
        row = self.chance.choice(rows) if rows else [[0, 0.997]]
        self.kept[thing] = (content, doubtful, row)
        return row  # type: ignore[no-any-return]

    def see(self, look: Look, frame: int) -> Scene:
        return Scene(frame, float(frame), self._board(look), self._dice(look), self._cube(look), f"{frame:05d}")

    def _board(self, look: Look) -> BoardReading:
        lanes, bar = np.zeros((24, 31), np.float64), np.zeros((2, 16), np.float64)
        held = self.table["held"]["lane"]
        for point in range(24):
            count = look.board[point]
            if self.noise:
                kind = self.table["lanes"][str(min(abs(count), 6))]
                row = self._drawn(("lane", point), count, kind, held)
            else:
                row = [[0, 0.998]]
            sign = -1 if count < 0 or (count == 0 and hash((point, str(row))) % 2) else 1
            _spread(lanes[self.order[point]], [(count + sign * int(d) + MOST, p) for d, p in row])
        for side in (0, 1):
            count = look.board[24 + side]
            if self.noise:
                row = self._drawn(("bar", side), count, self.table["bar"][str(min(count, 2))], held)
            else:
                row = [[0, 0.998]]
            _spread(bar[side], [(count + int(d), p) for d, p in row])
        hidden = frozenset(LANES[self.order[p - 1]] for p in look.hidden)
        return BoardReading(lanes.astype(np.float32), bar.astype(np.float32), hidden)

    def _dice(self, look: Look) -> tuple[DieSeen, ...]:
        found: list[DieSeen] = []
        dice, held = self.table["dice"], self.table["held"]["die"]
        for die in look.dice:
            if self.noise and not self._found(("die", die.xy), dice["found_share"], held):
                continue
            if not self.noise:
                values = tuple(0.9975 if n == die.value else 0.0005 for n in range(1, 7))
                states = tuple(0.991 if s == die.state else 0.003 for s in DIE_STATES)
                found.append(DieSeen(die.xy, values, states, die.where, DIE, 0.97))  # type: ignore[arg-type]
                continue
            seen = self._drawn_die(die, held)
            value = seen["true"][0]
            values = list(seen["values"])
            values[die.value - 1], values[value - 1] = values[value - 1], values[die.value - 1]
            where = die.where if seen["where"] == seen["true"][2] else seen["where"]
            xy = (die.xy[0] + self.chance.gauss(0, 1), die.xy[1] + self.chance.gauss(0, 1))
            found.append(DieSeen(xy, _whole(values), _whole(seen["states"]), where, DIE, seen["certainty"]))
        if self.noise:
            found += self._ghosts(dice["false_a_picture"])
        return tuple(found)

    def _drawn_die(self, die: Any, held: float) -> dict[str, Any]:
        state = die.state if die.state in self.die_share else "flat"
        doubt = Doubt(self.die_share[state], held, self.noise, self.chance)
        before = self.kept.get(("face", die.xy))
        doubtful = doubt.next(before[1]) if before else doubt.begin()
        if before and doubtful == before[1]:
            return before[2]  # type: ignore[no-any-return]
        rows = self.doubtful_dice.get(state, []) if doubtful else self.clear_dice.get(state, [])
        rows = rows or self.clear_dice.get(state) or self.doubtful_dice[state]
        seen = self.chance.choice(rows)
        self.kept["face", die.xy] = (None, doubtful, seen)
        return seen  # type: ignore[no-any-return]

    def _found(self, thing: Any, share: float, held: float) -> bool:
        doubt = Doubt(1 - share, held, self.noise, self.chance)
        before = self.kept.get(thing)
        missed = doubt.next(before[1]) if before else doubt.begin()
        self.kept[thing] = (None, missed, None)
        return not missed

    def _ghosts(self, rate: float) -> list[DieSeen]:
        """What looks like a die and is none: most of it at places that do not move, seen now and then and never quite alike; the rest
        anywhere."""
        seen: list[DieSeen] = []
        here = rate * (1 - self.new_share) / GHOST_PLACES
        for n, (x, y) in enumerate(self.ghosts):
            if self.again and not self._found(("ghost", n), 1 - min(here, 0.9), GHOST_HELD):
                row = self.chance.choice(self.again)
                place = row["where"] if row["where"] == "off" else "right" if x > 550 else "left"
                seen.append(DieSeen((x, y), _whole(row["values"]), _whole(row["states"]), place, DIE, row["certainty"]))
        if self.new and self.chance.random() < min(self.new_share * rate * self.noise, 0.9):
            row = self.chance.choice(self.new)
            xy = (self.chance.uniform(60, 1040), self.chance.uniform(20, 690))
            seen.append(DieSeen(xy, _whole(row["values"]), _whole(row["states"]), row["where"], DIE, row["certainty"]))
        return seen

    def _cube(self, look: Look) -> CubeSeen | None:
        if look.cube is None:
            return None
        value, where = look.cube
        at = {"middle": (550.0, 350.0), "bottom": (1100.0, 600.0), "top": (1100.0, 100.0)}[where]
        if not self.noise:
            return CubeSeen(at, tuple(0.95 if f == value else 0.01 for f in CUBE_FACES), where, DIE)  # type: ignore[arg-type]
        cube = self.table["cube"]
        if not cube["seen"] or not self._found(("cube", look.cube), cube["found_share"], self.table["held"]["die"]):
            return None
        # Where it lies when nobody owns it differs from room to room; what a cube at a player's side is taken for is known from such.
        like = [row for row in cube["seen"] if (row["true"][1] == "middle") == (where == "middle")]
        row = self.chance.choice(like or (self.turned if where != "middle" else []) or cube["seen"])
        values = list(row["values"])
        mine, its = CUBE_FACES.index(value), CUBE_FACES.index(row["true"][0])
        values[mine], values[its] = values[its], values[mine]
        place = where if row["where"] == row["true"][1] else row["where"]
        return CubeSeen(at, _whole(values), place, DIE, row["certainty"])


def _spread(row: np.ndarray, given: list[tuple[int, float]]) -> None:
    """Probabilities at their places, what is left over the others."""
    told = [(i, p) for i, p in given if 0 <= i < len(row)]
    for i, p in told:
        row[i] += p
    row += max(1 - sum(p for _, p in told), 0.0) / len(row)
    row /= row.sum()


def _whole(values: Any) -> tuple[float, ...]:
    total = float(sum(values)) or 1.0
    return tuple(float(v) / total for v in values)
