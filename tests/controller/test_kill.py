"""`kill -9` at ten random moments of a transcription, then the same again: every event once, none other than of a run left in peace."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.geometry import BoardGeometry
from calibration.profile import Profile
from controller import app
from controller.journal import Journal
from controller.referee import new_game
from vision.frames import Frame, FrameSource

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("transcribe_with_fake_eye.py")
FRAMES = 81
"""Frames of the fake eye's game."""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    folder = tmp_path / "frames"
    folder.mkdir()
    for number in range(FRAMES):
        cv2.imwrite(str(folder / f"{number}.png"), np.zeros((48, 64, 3), np.uint8))
    corners, bar = np.array([[4, 4], [60, 4], [60, 44], [4, 44]]), np.array([[30, 4], [34, 4], [34, 44], [30, 44]])
    Profile(BoardGeometry(corners, bar, (64, 48)), "right", np.zeros((2, 4), np.float32), "fake", (0,) * 24).save(tmp_path / "p.profile")
    return [sys.executable, str(SCRIPT), str(folder), str(tmp_path / "p.profile")]


def frames_in(journal: Path) -> int:
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
            return int(db.execute("SELECT count(*) FROM frames").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_ten_kills_and_every_event_once(words: list[str], tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(ROOT)}
    whole = subprocess.run([*words, str(tmp_path / "whole.sqlite")], capture_output=True, text=True, check=True, env=env).stdout
    assert whole.count('"event": "play"') + whole.count('"event": "dance"') >= 19
    written = frames_in(tmp_path / "whole.sqlite")
    journal, chance, amid = tmp_path / "killed.sqlite", random.Random(11), 0
    for _ in range(10):
        before = frames_in(journal)
        process = subprocess.Popen([*words, str(journal)], stdout=subprocess.DEVNULL, env=env)
        goal, patience = before + chance.randint(1, 3), time.monotonic() + 60
        while frames_in(journal) < goal and process.poll() is None and time.monotonic() < patience:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.03))
        process.kill()
        process.wait()
        amid += before < frames_in(journal) < written
    assert amid >= 8, "the kills did not fall in the middle of the run: the test shows nothing"
    last = subprocess.run([*words, str(journal)], capture_output=True, text=True, check=True, env=env).stdout
    assert last == whole
    # Most frames are not written, as they show nothing new; those that are, are the same.
    assert FRAMES > frames_in(journal) == frames_in(tmp_path / "whole.sqlite")


def test_a_live_source_counts_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A camera knows no frame numbers: those of the second run must not fall on frames the journal already holds (0 and 1: 2 is as 1 was)."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    import transcribe_with_fake_eye as fake

    monkeypatch.setattr(app, "Reader", fake.FakeReader)
    monkeypatch.setattr(app, "SettleGate", fake.FakeGate)
    geometry = BoardGeometry(np.array([[4, 4], [60, 4], [60, 44], [4, 44]]), np.array([[30, 4], [34, 4], [34, 44], [30, 44]]), (64, 48))
    profile = Profile(geometry, "right", np.zeros((2, 4), np.float32), "fake", (0,) * 24)

    class Live(FrameSource):
        live = True

        def _frames(self) -> Iterator[Frame]:
            for index in range(self.start, self.start + 3):
                yield Frame(index, float(index), "", np.zeros((48, 64, 3), np.uint8))

    seen = []
    for _ in range(2):
        with Journal(tmp_path / "live.sqlite", {"source": "camera"}) as journal:
            seen += [one.frame.index for one in app.watch(Live("camera", "camera"), profile, journal, new_game())]
    assert seen == [0, 1, 2, 2, 3, 4]
