"""`kill -9` at random instants of a game, again and again on one journal: nothing lost, nothing twice, resumed in the same turn.

    kills.py [--kills 200] [--cold 5] [--seed 11]

A game of invented scenes (tests/controller/transcribe_with_fake_eye.py) is written to a journal by a process that is killed at a random
instant, `--kills` times in all; what a journal then holds is compared with that of a run left in peace, event by event. The processes are
forked, so that two hundred of them take no hour. `--cold` starts the whole program afresh so often, killed in the middle, and times it from its
start to the first frame that it adds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "controller")]

import transcribe_with_fake_eye as fake

from calibration.geometry import BoardGeometry
from calibration.profile import Profile
from controller import app
from controller.past import read_past

FRAME = 0.004
"""s that the fake eye takes for a frame when forked: a kill may fall between any two writes."""


def frames_in(journal: Path) -> int:
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
            return int(db.execute("SELECT count(*) FROM frames").fetchone()[0])
    except sqlite3.Error:
        return 0


def prepare(folder: Path) -> Path:
    frames = folder / "frames"
    frames.mkdir()
    for number in range(len(fake.GAME)):
        cv2.imwrite(str(frames / f"{number:03d}.png"), np.zeros((48, 64, 3), np.uint8))
    corners, bar = np.array([[4, 4], [60, 4], [60, 44], [4, 44]]), np.array([[30, 4], [34, 4], [34, 44], [30, 44]])
    profile = folder / "p.profile"
    Profile(BoardGeometry(corners, bar, (64, 48)), "right", np.zeros((2, 4), np.float32), "fake", (0,) * 24).save(profile)
    return profile


def run(folder: Path, profile: Path, journal: Path) -> None:
    app.Reader, app.SettleGate = fake.FakeReader, fake.FakeGate  # type: ignore[assignment,misc]
    app.transcribe(str(folder / "frames"), Profile.load(profile), journal)


def forked(folder: Path, profile: Path, journal: Path) -> int:
    child = os.fork()
    if child == 0:
        try:
            run(folder, profile, journal)
        finally:
            os._exit(0)
    return child


def told(journal: Path) -> list[str]:
    return [event.to_json() for event in read_past(journal).events]


def killed(folder: Path, profile: Path, kills: int, seed: int) -> dict[str, object]:
    """The journal is begun anew whenever its game has come to the end."""
    chance, whole = random.Random(seed), folder / "whole.sqlite"
    os.waitpid(forked(folder, profile, whole), 0)
    want, total = told(whole), frames_in(whole)
    games = amid = wrong = 0
    journal = folder / "killed0.sqlite"
    for _ in range(kills):
        before = frames_in(journal)
        child = forked(folder, profile, journal)
        goal, patience = before + chance.randint(0, 6), time.monotonic() + 60
        while frames_in(journal) < goal and time.monotonic() < patience and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 2 * FRAME))
        # One that had ended has been waited for above: nobody is left to kill.
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        held = told(journal) if journal.exists() and frames_in(journal) else []
        wrong += held != want[: len(held)]
        amid += before < frames_in(journal) < total
        if frames_in(journal) >= total:
            games += 1
            journal = folder / f"killed{games}.sqlite"
    os.waitpid(forked(folder, profile, journal), 0)
    wrong += told(journal) != want
    return {"kills": kills, "amid_a_game": amid, "games_finished": games + 1, "events_a_game": len(want), "lost_or_twice": wrong}


def cold(folder: Path, profile: Path, times: int) -> dict[str, object]:
    script, journal, took = ROOT / "tests" / "controller" / "transcribe_with_fake_eye.py", folder / "cold.sqlite", []
    words = [sys.executable, str(script), str(folder / "frames"), str(profile), str(journal)]
    for _ in range(times):
        before, began = frames_in(journal), time.monotonic()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={"PYTHONPATH": str(ROOT)})
        while frames_in(journal) <= before and process.poll() is None:
            time.sleep(0.005)
        took.append(round(time.monotonic() - began, 2))
        time.sleep(0.1)
        process.kill()
        process.wait()
    return {"cold_starts": times, "seconds": took, "load": os.getloadavg()[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--cold", type=int, default=5)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    fake.SECONDS_A_FRAME = FRAME
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile = prepare(folder)
        print(json.dumps(killed(folder, profile, args.kills, args.seed)), flush=True)
        if args.cold:
            print(json.dumps(cold(folder, profile, args.cold)))


if __name__ == "__main__":
    main()
