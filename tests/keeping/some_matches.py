"""Not a test: matches that the referee really wrote, and journals of them."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "simulator"), str(ROOT / "controller")]
from simulated_eye import SimulatedEye, load_table
from simulated_match import Habits, SimulatedMatch, thinned
from simulated_score import refereed

from controller.events import Command, Event
from controller.journal import Journal
from controller.keeping.library import Found, Library
from controller.referee import RefereeState
from controller.stills import Stills

PICTURE = np.full((600, 800, 3), 90, np.uint8)
cv2.putText(PICTURE, "a board", (200, 320), cv2.FONT_HERSHEY_SIMPLEX, 3, (255, 255, 255), 6)
TROUBLED = Habits(void=0.2, early=0.05, illegal=0.2, put_right=0.5, double=0.1, sleeve=0.05)
"""Much goes wrong."""
_TABLE = load_table()


@cache
def simulated(seed: int, length: int = 1, noise: float = 0.0, dropped: float = 0.0) -> tuple[RefereeState, tuple[Event, ...]]:
    """What the referee made of a simulated match in which much goes wrong; with noise he is often unsure."""
    happened = SimulatedMatch(seed, length, TROUBLED).play()
    eye = SimulatedEye(_TABLE, seed, noise, "right" if seed % 2 else "left")
    state, events = refereed(list(thinned(happened.given, dropped, seed)), eye, length=length)
    return state, tuple(Event.from_json(json.dumps(row)) for row in events)


def keep(path: Path, state: RefereeState, events: tuple[Event, ...], players: str = "Ada - Ben", *, pictures: bool = True) -> Path:
    """A journal of these events, with a picture wherever the watch would keep one."""
    frames = sorted({event.frame for event in events})
    with Journal(path, {"players": players, "length": str(state.length)}) as book:
        for frame in frames:
            here = [event for event in events if event.frame == frame]
            if pictures:
                Stills(path).keep(frame, PICTURE, here)
            book.write(frame, here, state.to_json())
    return path


def found(path: Path) -> Found:
    return Library(path.parent).open(path.name)


COMMANDS = (
    Command("undo"), Command("call"), Command("double"), Command("take"), Command("pass"), Command("commit"), Command("new_game"), Command("stand"),
    Command("set_cube", {"value": 4, "owner": "B"}, by="Dora"), Command("set_score", {"score": [1, 0]}, by="Dora"),
    Command("set_position", {"position": [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0], "player": "B"}, by="Dora"),
    Command("resign", {"player": "B", "how": "gammon"}, by="Dora"), Command("accept"), Command("refuse"), Command("end_match", by="Dora"),
    Command("rule", {"turn": 1, "ruling": "stands", "note": "agreed by both"}, by="Dora <b>"),
)  # fmt: skip
"""One of each that a person may give."""
