"""Records made from the events: JSON lines and `.mat`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from controller.events import Event
from rules.formats import mat
from rules.match import GameResult, Win
from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player, Position


class RecordError(Exception):
    """A record could not be written; one plain sentence."""


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises RecordError (a full disk, a folder that is not there)."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error


def can_write(path: Path) -> None:
    """Find out before an hour's work, not after it. Raises RecordError."""
    if path.is_dir():
        raise RecordError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise RecordError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise RecordError(f"cannot write {path}: the folder {path.parent} may not be written to")


def json_lines(events: Iterable[Event]) -> str:
    return "".join(e.to_json() + "\n" for e in events)


def to_mat(events: Iterable[Event], start: Position = START, names: tuple[str, str] = ("A", "B"), length: int = 0) -> str:
    """One game as gnubg-style `.mat`. Raises mat.CannotHold with the reason (an illegal play that stood, another start, ...).

    A call that was put right (E3) leaves no trace in `.mat`; an `unsure` turn cannot be held.
    """
    records: list[mat.Turn | mat.Double | mat.Take | mat.Drop] = []
    position, result = start, None
    for event in events:
        data = event.data
        who = Player(data["player"]) if data.get("player") in ("A", "B") else None
        if event.event in ("play", "dance") and who:
            roll = Roll(*data["dice"])
            if event.event == "dance":
                records.append(mat.Turn(who, roll))
                continue
            play = parse_play(data["moves"], position, who, roll)
            records.append(mat.Turn(who, roll, play.moves))
            position = play.result
        elif event.event == "stands":
            raise mat.CannotHold("an illegal play stood: .mat can only hold legal plays (keep the events, they hold it)")
        elif event.event == "unsure":
            raise mat.CannotHold(f"a turn is unsure at frame {event.frame}: {data.get('question', '')}")
        elif event.event == "double" and who:
            records.append(mat.Double(who, int(data["value"])))
        elif event.event == "take" and who:
            records.append(mat.Take(who))
        elif event.event == "pass" and who:
            records.append(mat.Drop(who))
        elif event.event == "game_over":
            result = GameResult(Player(data["winner"]), int(data["points"]), Win[str(data["how"]).upper()])
    return mat.write(mat.Match(names, length, [mat.Game(records, result, start=start)]))
