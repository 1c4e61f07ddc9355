"""Writing gnubg-style `.mat` match files, strictly: what the format cannot hold is refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.cube import Cube
from rules.match import GameResult
from rules.notation import steps
from rules.plays import Move, Roll
from rules.position import START, Player, Position

LEFT_WIDTH = 27
"""Width of the left column's text, so that the right one starts at column 33 (research 2.4)."""


class CannotHold(ValueError):
    """The format cannot express this game."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A roll and its moves; no moves is a dance."""

    player: Player
    roll: Roll
    moves: tuple[Move, ...] = ()
    illegal: bool = False
    """An illegal play that stood."""


@dataclass(frozen=True, slots=True)
class Double:
    player: Player
    value: int
    """The new value, once taken."""


@dataclass(frozen=True, slots=True)
class Take:
    player: Player


@dataclass(frozen=True, slots=True)
class Drop:
    player: Player


Record = Turn | Double | Take | Drop


@dataclass(frozen=True, slots=True)
class Game:
    records: Sequence[Record]
    result: GameResult | None = None
    score: tuple[int, int] = (0, 0)
    """(A, B) before the game."""
    start: Position = START
    cube: Cube = Cube()
    """At the start: other than 1 after automatic doubles."""


@dataclass(frozen=True, slots=True)
class Match:
    names: tuple[str, str]
    length: int
    """0 for money."""
    games: Sequence[Game]
    tags: Sequence[tuple[str, str]] = ()


def write(match: Match) -> str:
    """The whole file; raises `CannotHold`."""
    lines = [f'; [{key} "{_clean(value)}"]' for key, value in match.tags]
    if lines:
        lines.append("")
    lines += [f" {match.length} point match", ""]
    for number, game in enumerate(match.games, start=1):
        lines += _game(number, game, match)
    return "\n".join(lines) + "\n"


def _clean(text: str) -> str:
    return " ".join(text.replace('"', "'").split())


def _name(text: str) -> str:
    """gnubg 1.07 aborts on an empty name, and reads a name up to the colon."""
    return _clean(text).replace(":", "") or "Anonymous"


def _game(number: int, game: Game, match: Match) -> list[str]:
    if game.start != START:
        raise CannotHold(f"game {number} does not begin from the standard setup")
    if game.cube != Cube():
        raise CannotHold(f"game {number} begins with an automatic double; .mat has no word for it")
    cells = [(record.player, _cell(record, number)) for record in game.records]
    if game.result is not None:
        points = game.result.points
        end = f" Wins {points} point{'' if points == 1 else 's'}"
        if match.length and game.score[game.result.winner.side] + points >= match.length:
            end += " and the match"
        cells.append((game.result.winner, end))
    left = f" {_name(match.names[0])} : {game.score[0]}"
    lines = [f" Game {number}", f"{left:<31} {_name(match.names[1])} : {game.score[1]}"]
    rows: list[list[str | None]] = []
    for player, text in cells:
        if player is Player.A or not rows or rows[-1][1] is not None:
            rows.append([None, None])
        rows[-1][player.side] = text
    for n, (a, b) in enumerate(rows, start=1):
        lines.append(f"{n:3d}) {a or '':<{LEFT_WIDTH}} {b or ''}".rstrip())
    return [*lines, ""]


def _cell(record: Record, number: int) -> str:
    if isinstance(record, Double):
        return f" Doubles => {record.value}"
    if isinstance(record, Take):
        return " Takes"
    if isinstance(record, Drop):
        return " Drops"
    if record.illegal:
        raise CannotHold(
            f"game {number} has an illegal play that stood ({record.player} with {record.roll}); "
            ".mat would replay it to a wrong board"
        )
    return f"{record.roll.first}{record.roll.second}: {steps(record.moves)}".rstrip()
