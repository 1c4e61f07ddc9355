"""How much the journal writes to the memory card: the demo's game as a camera sees it, many looks at each board.

Each picture is read once by the real reader; then the table lies still for SECONDS with LOOKS looks a second, as between players' hands.
Counted is what the process hands to the kernel to be written, the database's own log and its checkpoints with it, pictures not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import numpy as np

from controller import app
from controller.journal import Journal
from controller.referee import new_game
from vision.frames import Frame, FrameSource, open_source
from vision.reader import Reader
from vision.scene import Scene
from vision.settle import Settled

DEMO = Path(app.__file__).parent / "data" / "demo"


class Table(FrameSource):
    """Each picture of the demo for `seconds`, `looks` times a second."""

    live = True

    def __init__(self, pictures: list[Frame], seconds: float, looks: float) -> None:
        super().__init__("table", "table")
        self.pictures, self.each, self.step = pictures, round(seconds * looks), 1 / looks

    def _frames(self) -> Iterator[Frame]:
        for index in range(self.start, len(self.pictures) * self.each):
            yield Frame(index, index * self.step, "", self.pictures[index // self.each].image)


def written() -> int:
    """Bytes handed to write calls by this process so far."""
    rows = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(rows["wchar"])


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seconds", type=float, default=7.0, help="that a board lies as it is; three of them are a turn")
    given.add_argument("--looks", type=float, default=3.0, help="a second")
    options = given.parse_args()

    pictures = list(open_source(str(DEMO / "frames")))
    profile = app.calibrate(pictures[0].image, "000.jpg", app.load_geometry(DEMO / "geometry.jsonl"))
    reader, table = Reader(profile), Table(pictures, options.seconds, options.looks)
    scenes = [reader.read(one.image, one.index, 0.0, one.name) for one in pictures]
    chance = np.random.default_rng(1)

    class Again:
        """What was read, with the small differences that two pictures of one board always have."""

        def __init__(self, profile: Any) -> None: ...

        def read(self, image: Any, frame: int, time: float, name: str) -> Scene:
            scene = scenes[frame // table.each]
            dice = tuple(replace(die, xy=(die.xy[0] + chance.normal(), die.xy[1] + chance.normal())) for die in scene.dice)
            return replace(scene, frame=frame, time=time, dice=dice)

    class Open:
        def __init__(self, profile: Any) -> None: ...

        def look(self, image: Any, still: bool = False, small: Any = None) -> Settled:
            return Settled(True)

    app.Reader, app.SettleGate = Again, Open  # type: ignore[misc,assignment]
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite", {"source": "table"}) as journal:
        before = written()
        events = sum(len(seen.events) for seen in app.watch(table, profile, journal, new_game(home=profile.home), stills_limit=0))
        journal.close()
        spent = written() - before
        size = journal.path.stat().st_size
    minutes = len(pictures) * options.seconds / 60
    print(f"{minutes:.1f} minutes, {len(pictures) * table.each} looks, {events} events: {spent / 1e3 / minutes:.0f} kB written a minute, ", end="")
    print(f"journal {size / 1e3 / minutes:.0f} kB a minute")


if __name__ == "__main__":
    main()
