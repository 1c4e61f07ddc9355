"""Events (what happened, append-only) and commands (what a person asked for), with their JSON form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

VERSION = 1

Value = Any
Kind = Literal[
    "resign", "resign_refused", "match_over",
    "game_start", "setup", "opening_tie", "opening_roll", "roll", "roll_void", "play", "dance", "illegal", "stands",
    "double", "take", "pass", "shut_out", "game_over", "unsure", "position_set", "roll_stands", "taken_back", "called", "refused",
    "turn_time", "flag_fall", "cube_set", "score_set", "broken_off", "ruling",
]  # fmt: skip


class EventError(ValueError):
    """The text is no event this version can read."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `frame` is the frame it was seen on, `data` the fields of its kind."""

    event: str
    frame: int
    time: float = 0.0
    data: dict[str, Value] = field(default_factory=dict)
    v: int = VERSION

    def to_dict(self) -> dict[str, Value]:
        return {"v": self.v, "event": self.event, "frame": self.frame, "time": round(self.time, 3), **self.data}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Event:
        """Raises EventError on anything that is not an event of this version."""
        try:
            row = json.loads(text)
            if row.pop("v") != VERSION:
                raise EventError("the event was written by another version of gammonwatch")
            return Event(str(row.pop("event")), int(row.pop("frame")), float(row.pop("time")), row)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise EventError(f"not an event: {text[:60]!r}") from error


Ending = Literal["resign", "accept", "refuse", "end_match"]
"""Orders that end a game or the match: resign (player, how: single, gammon or backgammon), accept or refuse what was offered, end_match."""
Order = Literal["set_position", "commit", "double", "take", "pass", "new_game", "call", "undo", "set_cube", "set_score", "stand", "rule"]


@dataclass(frozen=True, slots=True)
class Command:
    """What a person asked for: set_position (position: 28 integers, player to roll), commit (the clock was pressed), double,
    take, pass, new_game, call (E1: say once more what was wrong), undo (take the last ply back), set_cube (value, owner: A, B or None),
    set_score (score: [A, B] before this game, crawford_over), stand (E2: the illegal play that was called stays as it lies),
    rule (turn: its number; ruling; note: what the director decided)."""

    command: Order | Ending
    data: dict[str, Value] = field(default_factory=dict)
    time: float | None = None
    """s, on the same clock as the scenes; None where it does not matter."""
    by: str = ""
    """Who asked, for the record: events that follow carry it as `by`. Empty for a button."""
