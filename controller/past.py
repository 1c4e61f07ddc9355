"""What a journal holds, read without touching it: also while a game is being written to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from controller.events import Event, EventError
from controller.journal import JournalError
from controller.state import RefereeState
from rules.position import Board, Player

ROLLS = ("opening_roll", "roll", "roll_void")
TURNS = ("play", "dance", "illegal", "stands", "position_set")
"""What ends a turn, or puts another board in its place."""


@dataclass(frozen=True, slots=True)
class Past:
    """The events of a run in order, and the referee's last state, if a settled frame was ever written."""

    path: Path
    about: dict[str, str]
    events: tuple[Event, ...]
    state: RefereeState | None

    @property
    def names(self) -> tuple[str, str]:
        if self.state is not None:
            return self.state.names
        a, _, b = self.about.get("players", "A - B").partition(" - ")
        return a, b


def read_past(path: Path) -> Past:
    """Raises JournalError when there is no such file, or it is no journal that this version can read."""
    if not path.is_file():
        raise JournalError(f"there is no journal called {path}")
    try:
        book = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            about = dict(book.execute("SELECT key, value FROM about"))
            texts = [text for (text,) in book.execute("SELECT event FROM events ORDER BY number")]
            row = book.execute("SELECT state FROM frames WHERE state IS NOT NULL ORDER BY frame DESC LIMIT 1").fetchone()
        finally:
            book.close()
        events = tuple(Event.from_json(text) for text in texts)
        state = RefereeState.from_json(json.loads(row[0])) if row else None
    except (sqlite3.Error, EventError, ValueError) as error:
        raise JournalError(f"{path} is no journal of this version of gammonwatch") from error
    return Past(path, about, events, state)


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after one turn. `number` counts turns from 1 over the whole match."""

    number: int
    events: tuple[Event, ...]
    """What happened since the turn before, its verdict last."""
    position: tuple[int, ...]
    """28 integers as in the events."""
    score: tuple[int, int]
    """Of A and B, before this game's end is counted."""
    cube: tuple[int, Player | None] = (1, None)
    """Value and owner."""

    @property
    def board(self) -> Board:
        numbers = self.position
        return Board(tuple((max(n, 0), max(-n, 0)) for n in numbers[:24]), (numbers[24], numbers[25]))


@dataclass
class _Fold:
    score: list[int] = field(default_factory=lambda: [0, 0])
    cube: int = 1
    owner: Player | None = None

    def take(self, event: Event) -> None:
        match event.event:
            case "game_start":
                self.cube, self.owner = 1, None
            case "take":
                self.cube, self.owner = int(event.data["value"]), Player(event.data["player"])
            case "cube_set":
                self.cube, self.owner = int(event.data["value"]), Player(event.data["owner"]) if event.data["owner"] else None
            case "taken_back" if "cube" in event.data:
                value, owner = event.data["cube"]
                self.cube, self.owner = int(value), Player(owner) if owner else None
            case "score_set":
                self.score = [int(n) for n in event.data["score"]]
            case "game_over":
                self.score[Player(event.data["winner"]).side] += int(event.data["points"])


def moments(events: Sequence[Event]) -> tuple[Moment, ...]:
    """The match turn by turn. What follows the last turn (its game's end, a roll that was not played) belongs to no moment."""
    found: list[Moment] = []
    fold, since = _Fold(), list[Event]()
    for event in events:
        since.append(event)
        fold.take(event)
        if event.event in TURNS and event.data.get("position"):
            found.append(
                Moment(len(found) + 1, tuple(since), tuple(event.data["position"]), (fold.score[0], fold.score[1]), (fold.cube, fold.owner))
            )
            since = []
    return tuple(found)


def frame_of(events: Sequence[Event], which: str) -> Event | None:
    """The event whose still answers the question: `last-roll`, `before-turn` (the board before the last roll), or a turn's number.

    None when the match holds no such thing. Raises ValueError when `which` is none of them.
    """
    if which == "last-roll":
        return next((e for e in reversed(events) if e.event in ROLLS), None)
    if which == "before-turn":
        last = next((n for n in reversed(range(len(events))) if events[n].event in ("opening_roll", "roll")), len(events))
        return next((e for e in reversed(events[:last]) if e.event in (*TURNS, "game_start")), None)
    if not which.isdigit() or int(which) < 1:
        raise ValueError(f"last-roll, before-turn or the number of a turn, not {which!r}")
    turns = moments(events)
    return turns[int(which) - 1].events[-1] if int(which) <= len(turns) else None
