"""Not a test: `app.transcribe` with an eye that sees a made-up game, slowly. Run as FOLDER PROFILE JOURNAL; killed by test_kill."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from referee_scenes import peaked

from calibration.profile import Profile
from controller import app
from controller.lanes_to_points import lane_order
from rules.plays import Roll, legal_plays
from rules.position import START, Player
from vision.scene import DIE_STATES, BoardReading, DieSeen, Scene
from vision.settle import Settled

TURNS = 20
SECONDS_A_FRAME = 0.02


def scenes() -> list[tuple[Any, tuple[tuple[int, str], ...]]]:
    """(position, dice with their halves) frame by frame: opening roll, then roll, lifted dice, roll, ... with random legal plays."""
    chance = random.Random(3)
    position, player = START, Player.A
    out: list[Any] = [(position, ()), (position, ((3, "right"), (1, "left")))]
    roll = Roll(3, 1)
    for turn in range(TURNS):
        half = "right" if player is Player.A else "left"
        if turn:
            roll = Roll(chance.randint(1, 6), chance.randint(1, 6))
            out.append((position, ((roll.first, half), (roll.second, half))))
        plays = legal_plays(position, player, roll)
        before = position
        position = chance.choice(sorted(plays, key=lambda p: p.to_28())) if plays else position
        out += [(before, out[-1][1]), (position, out[-1][1]), (position, ())]
        player = player.other
    return out


GAME = scenes()


class FakeReader:
    def __init__(self, profile: Profile) -> None: ...

    def read(self, image: Any, frame: int = 0, time_: float = 0.0, name: str = "") -> Scene:
        time.sleep(SECONDS_A_FRAME)
        position, dice = GAME[frame]
        counts = np.zeros(24, int)
        counts[lane_order("right")] = position.points
        seen = tuple(
            DieSeen((100.0 + 40 * n + 300 * (half == "right"), 200.0 + frame // 4), peaked(6, value - 1, 0.999), peaked(4, DIE_STATES.index("flat"), 0.99), half, 18.0)  # type: ignore[arg-type]
            for n, (value, half) in enumerate(dice)
        )
        return Scene(frame, time_, BoardReading.certain([int(n) for n in counts], position.bar, 0.02), seen, None, name)


class FakeGate:
    def __init__(self, profile: Profile) -> None: ...

    def look(self, image: Any, still: bool = False, small: Any = None) -> Settled:
        return Settled(True)


if __name__ == "__main__":
    app.Reader, app.SettleGate = FakeReader, FakeGate  # type: ignore[assignment,misc]
    folder, profile, journal = sys.argv[1:]
    events = app.transcribe(folder, Profile.load(profile), Path(journal))
    sys.stdout.write("".join(e.to_json() + "\n" for e in events))
