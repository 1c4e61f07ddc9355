"""The journal: what happened, append-only, in one SQLite file. Power may fail at any instant.

One transaction a frame holds its events and the referee's state after it, so a run that is started again carries on after the
last frame that was written whole: every event is there once. Triggers refuse changes to what was written.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
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


class JournalError(Exception):
    """The journal cannot be used; one plain sentence says why and what to do."""


class Journal:
    """Open or begin the journal in `path`. `about` says what run it holds; a journal of another run is refused.

    Raises JournalError when the file is no journal, holds another run, or cannot be written.
    """

    def __init__(self, path: Path | str, about: dict[str, str]) -> None:
        self.path = Path(path)
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None)
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
                self._db.executemany("INSERT INTO about VALUES (?, ?)", list(wanted.items()))
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalError(f"cannot use the journal {self.path}: {error}") from error
        differs = [k for k in wanted if kept and kept.get(k) != wanted[k]]
        if differs:
            self.close()
            raise JournalError(f"the journal {self.path} holds another run (its {differs[0]} differs): name another with --journal, or use --fresh")

    def last(self) -> tuple[int, dict[str, Any] | None] | None:
        """The last frame that was written whole, with the referee's state after it; None for an empty journal."""
        row = self._db.execute("SELECT frame FROM frames ORDER BY frame DESC LIMIT 1").fetchone()
        if row is None:
            return None
        kept = self._db.execute("SELECT state FROM frames WHERE state IS NOT NULL ORDER BY frame DESC LIMIT 1").fetchone()
        return int(row[0]), json.loads(kept[0]) if kept else None

    def write(self, frame: int, events: Sequence[Event], state: dict[str, Any] | None) -> None:
        """One frame, whole or not at all. `state` is None when the frame changed nothing (a hand lay over the board)."""
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
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
