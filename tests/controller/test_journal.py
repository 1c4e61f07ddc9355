from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controller.events import Event
from controller.journal import Journal, JournalError, set_aside

ABOUT = {"source": "a", "profile": "b"}

WRITER = """
import sys, time
from pathlib import Path
from controller.events import Event
from controller.journal import Journal
with Journal(Path(sys.argv[1]), {"source": "a", "profile": "b"}) as journal:
    last = journal.last()
    total = last[1]["total"] if last else 0
    for frame in range(last[0] + 1 if last else 0, 60):
        total += frame
        journal.write(frame, [Event("roll", frame, float(frame), {"n": k}) for k in range(frame % 3)], {"total": total})
        time.sleep(0.004)
"""


def test_every_event_is_there_once_however_often_the_power_fails(tmp_path: Path) -> None:
    path, chance = tmp_path / "game.sqlite", random.Random(7)
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=Path(__file__).parents[2])
        time.sleep(0.15 + 0.25 * chance.random())
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-c", WRITER, str(path)], check=True, cwd=Path(__file__).parents[2])
    with Journal(path, ABOUT) as journal:
        last = journal.last()
        assert last is not None and last == (59, {"total": sum(range(60))})
        assert [(e.frame, e.data["n"]) for e in journal.events()] == [(f, k) for f in range(60) for k in range(f % 3)]


def test_what_was_written_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    with Journal(path, ABOUT) as journal:
        journal.write(0, [Event("game_start", 0)], {"x": 1})
    with sqlite3.connect(path) as db:
        for statement in ("UPDATE events SET event = ''", "DELETE FROM events", "DELETE FROM frames", "UPDATE about SET value = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(statement)


def test_a_frame_is_never_stored_twice(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.sqlite", ABOUT) as journal:
        journal.write(0, [Event("game_start", 0)], None)
        with pytest.raises(JournalError, match="safe"):
            journal.write(0, [Event("game_start", 0)], None)
        assert len(list(journal.events())) == 1


def test_another_run_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "game.sqlite", ABOUT).close()
    with pytest.raises(JournalError, match="another run"):
        Journal(tmp_path / "game.sqlite", {**ABOUT, "profile": "c"})


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(JournalError, match="cannot use the journal"):
        Journal(tmp_path / "x.sqlite", ABOUT)


def test_two_at_once_are_refused_and_a_closed_one_is_free_again(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    with Journal(path, ABOUT), pytest.raises(JournalError, match="in use by another gammonwatch"):
        Journal(path, ABOUT)
    Journal(path, ABOUT).close()


def test_a_fresh_start_keeps_the_old_journals(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    assert set_aside(path) is None
    for run in range(2):
        with Journal(path, ABOUT) as journal:
            journal.write(0, [Event("roll", 0, 0.0, {"run": run})], None)
        set_aside(path)
    assert not path.exists()
    kept = []
    for run in range(2):
        with Journal(tmp_path / f"game.sqlite.{run + 1}", ABOUT) as journal:
            kept += [e.data["run"] for e in journal.events()]
    assert kept == [0, 1]


def test_a_full_disk_loses_nothing_and_the_run_carries_on(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite"
    with Journal(path, ABOUT) as journal:
        pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
        journal._db.execute(f"PRAGMA max_page_count = {pages + 8}")
        written = 0
        with pytest.raises(JournalError, match="full"):
            while written < 1000:
                journal.write(written, [Event("roll", written, 0.0, {"text": "x" * 2000})], None)
                written += 1
    with Journal(path, ABOUT) as journal:
        assert written > 0 and [e.frame for e in journal.events()] == list(range(written))
        journal.write(written, [], None)
