"""The journal: what happened, append-only, in one SQLite file. Power may fail at any instant.

One transaction holds a frame's events and the referee's state after it, so a run that is started again carries on after the last
frame that was written whole: every event is there once. A frame that tells nothing new is not written (controller/journalling.py).
Triggers refuse changes to what was written.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from controller.events import Event

_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS frames (frame INTEGER PRIMARY KEY, state TEXT);
CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY AUTOINCREMENT, frame INTEGER NOT NULL REFERENCES frames, event TEXT NOT NULL);
"""
_TABLES = ("about", "frames", "events")
VERSION = "1"
STILLS = ".stills"
"""Ending of the folder beside a journal that holds its pictures."""


class JournalError(Exception):
    """The journal cannot be used; one plain sentence says why and what to do."""


class OtherRun(JournalError):
    """The journal holds another run than the one it is opened for."""


class Journal:
    """Open or begin the journal in `path`. `about` says what run it holds; a journal of another run is refused.

    Raises JournalError when the file is no journal, holds another run, or cannot be written.
    """

    def __init__(self, path: Path | str, about: dict[str, str]) -> None:
        self.path = Path(path)
        self._lock = _locked(self.path)
        self._db = sqlite3.connect(self.path, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            for table in _TABLES:
                for verb in ("UPDATE", "DELETE"):
                    self._db.execute(
                        f"CREATE TRIGGER IF NOT EXISTS {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
                    )
            kept = dict(self._db.execute("SELECT key, value FROM about"))
            wanted = {"version": VERSION, **about}
            if not kept:
                begun = datetime.now(UTC).isoformat(timespec="seconds")
                self._db.executemany("INSERT INTO about VALUES (?, ?)", [*wanted.items(), ("begun", begun)])
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self.close()
            raise JournalError(f"cannot use the journal {self.path}: {error}") from error
        differs = [k for k in wanted if kept and kept.get(k) != wanted[k]]
        if differs:
            self.close()
            raise OtherRun(
                f"the journal {self.path} holds another run (its {differs[0]} differs): name another with --journal, or use --fresh"
            )

    def last(self) -> tuple[int, dict[str, Any] | None] | None:
        """The last frame that was written whole, with the referee's state after it; None for an empty journal."""
        row = self._db.execute("SELECT frame FROM frames ORDER BY frame DESC LIMIT 1").fetchone()
        if row is None:
            return None
        kept = self._db.execute("SELECT state FROM frames WHERE state IS NOT NULL ORDER BY frame DESC LIMIT 1").fetchone()
        return int(row[0]), json.loads(kept[0]) if kept else None

    def write(self, frame: int, events: Sequence[Event], state: dict[str, Any] | None) -> None:
        """One frame, whole or not at all. Without a `state` the one before it holds."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("INSERT INTO frames VALUES (?, ?)", (frame, None if state is None else json.dumps(state)))
            self._db.executemany("INSERT INTO events (frame, event) VALUES (?, ?)", [(frame, e.to_json()) for e in events])
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise JournalError(f"cannot write to the journal {self.path}: {error}; what was written before is safe") from error

    def events(self) -> Iterator[Event]:
        for (text,) in self._db.execute("SELECT event FROM events ORDER BY number"):
            yield Event.from_json(text)

    def close(self) -> None:
        """Closing twice is harmless. The lock goes last: closing its descriptor drops SQLite's own locks on the file."""
        self._db.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _locked(path: Path) -> int:
    """A descriptor that holds the file for this process alone; the kernel lets go with the process, however it dies."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"cannot use the journal {path}: {error.strerror or error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise JournalError(f"the journal {path} is in use by another gammonwatch") from None
    return handle


def in_use(path: Path) -> bool:
    """Another process, or another Journal of this one, is writing to it. Raises JournalError when that cannot be told."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise JournalError(f"cannot open the journal {path}: {error.strerror or error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def set_aside(path: Path) -> Path | None:
    """Rename a journal, with its write-ahead log and its pictures, to the first free NAME.N: what was recorded is never deleted.

    Returns the new path, None when there was no journal.
    """
    if not path.exists():
        return None
    os.close(_locked(path))
    number = 1
    while (aside := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    try:
        # The pictures go with their journal: the next one begins at frame 0 again, and would write over them.
        for ending in (STILLS, "-wal", "-shm", ""):
            part = path.with_name(path.name + ending)
            if part.exists():
                part.rename(aside.with_name(aside.name + ending))
    except OSError as error:
        raise JournalError(f"cannot set the journal {path} aside: {error.strerror or error}") from error
    return aside
