"""Records made from the events: JSON lines and `.mat`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from calibration.whole_file import write_whole
from controller.events import Event
from rules.formats import mat
from rules.match import Ending, GameResult, Win
from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player, Position


class RecordError(Exception):
    """A record could not be written; one plain sentence."""


def write_record(path: Path, content: str | bytes) -> None:
    """Write a record whole or not at all. Raises RecordError (a full disk, a folder that is not there)."""
    try:
        write_whole(path, content)
    except OSError as error:
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
    """The games of the events as gnubg-style `.mat`. Raises mat.CannotHold with the reason.

    A call that was put right (E3) leaves no trace in `.mat`. What cannot be held is refused, never left out: an illegal play
    that stood or was still open at the end, a turn that is unsure, a position set by hand.
    """
    games: list[mat.GameRecord] = []
    score, position = (0, 0), start
    turns: list[tuple[mat.AnyTurn, Position]] = []
    result: GameResult | None = None
    called: Event | None = None

    def close() -> None:
        if turns or result is not None:
            games.append(mat.GameRecord(score, [turn for turn, _ in turns], result, start))

    for event in events:
        data = event.data
        who = Player(data["player"]) if data.get("player") in ("A", "B") else None
        match event.event:
            case "game_start":
                close()
                if result is not None:
                    side = result.winner.side
                    score = (score[0] + result.points * (side == 0), score[1] + result.points * (side == 1))
                turns, position, result, called = [], start, None, None
            case "play" if who:
                roll = Roll(*data["dice"])
                play = parse_play(data["moves"], position, who, roll)
                turns.append((mat.PlayTurn(who, roll, play), position))
                position, called = play.result, None
            case "dance" if who:
                turns.append((mat.DanceTurn(who, Roll(*data["dice"])), position))
            case "double" if who:
                turns.append((mat.Double(who, int(data["value"])), position))
            case "take" if who:
                turns.append((mat.Take(who), position))
            case "pass" if who:
                turns.append((mat.Drop(who), position))
            case "taken_back":
                before = tuple(data["position"][:26])
                while turns and position.to_28()[:26] != before:
                    _, position = turns.pop()
                while turns and turns[-1][1] == position and isinstance(turns[-1][0], mat.DanceTurn):
                    turns.pop()
            case "illegal":
                called = event
            case "game_over":
                how = str(data["how"])
                win = Win(how) if how in tuple(Win) else Win.SINGLE
                ending = Ending.RESIGNED if data.get("resigned") else Ending.DROPPED if how == "pass" else Ending.PLAYED
                result = GameResult(Player(data["winner"]), int(data["points"]), win, ending)
            case "stands":
                raise mat.CannotHold("an illegal play stood: .mat can only hold legal plays (the events hold it)")
            case "unsure":
                raise mat.CannotHold(f"a turn is unsure at frame {event.frame}: {data.get('question', '')}")
            case "position_set":
                raise mat.CannotHold(f"the position was set by hand at frame {event.frame}")
    if called is not None:
        raise mat.CannotHold(f"the illegal play at frame {called.frame} was not put right before the record ends (the events hold it)")
    close()
    return mat.write_mat(mat.MatchRecord(names, length, games))
