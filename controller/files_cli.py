"""The commands about match files: check, convert, show. Exit status 3: the file was read, and something in it is against the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from controller import app as wiring
from controller.records import RecordError, can_write, write_record
from rules.check import Finding, check_match
from rules.cube import Cube
from rules.drawing import svg_board, text_board
from rules.formats.any_format import FORMATS, LARGEST, read_match
from rules.formats.ids import IdError, parse_match_id, parse_position_id, parse_xgid
from rules.formats.ogxm import MissingLibrary
from rules.formats.snowie import parse_snowie
from rules.game import GameState
from rules.match import MatchState
from rules.notation import short
from rules.plays import Roll
from rules.position import Player, Position
from rules.record import CannotHold, DanceTurn, FormatError, IllegalTurn, MatchRecord, PlayTurn, RollTurn

TROUBLES = (wiring.Trouble, RecordError, FormatError, IdError, CannotHold, MissingLibrary)
NOT_BY_THE_RULES = 3
"""Exit status of `check` when it found something."""

files = typer.Typer()
out, err = Console(highlight=False, soft_wrap=True), Console(stderr=True, highlight=False, soft_wrap=True)

RulesOption = Annotated[str | None, typer.Option("--rules", help="A rule set by name, or a JSON or TOML file; without it, what the file says.")]
MatchArgument = Annotated[Path, typer.Argument(metavar="MATCH", help="A match file: .mat (any dialect), SGF, Snowie text or OGXM.")]


def _fail(sentence: str) -> typer.Exit:
    err.print(f"gammonwatch: {sentence}", style="red", markup=False)
    return typer.Exit(1)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as source:
            return source.read(LARGEST + 1)
    except OSError as error:
        raise wiring.Trouble(f"cannot read {path}: {error.strerror or error}") from error


def _match(path: Path) -> MatchRecord:
    try:
        record = read_match(_bytes(path))
    except FormatError as error:
        raise wiring.Trouble(f"{path}: {error}") from error
    for remark in record.remarks:
        err.print(f"{path}: {remark}", style="yellow", markup=False)
    return record


@files.command()
def check(match: MatchArgument, rules: RulesOption = None) -> None:
    """Is every play in this file legal, and are the scores right? Exit status 3 when not."""
    try:
        record = _match(match)
        if rules:
            record = replace(record, ruleset=wiring.load_rules(rules))
    except TROUBLES as error:
        raise _fail(str(error)) from error
    found = check_match(record)
    for finding in found:
        show_finding(finding, record)
    turns = sum(len(game.turns) for game in record.games)
    length = f"{record.length}-point match" if record.length else "money session"
    verdict = f"{len(found)} against the rules" if found else "every play is legal and the scores are right"
    out.print(f"{length}, {_games(record)}, {turns} turns: {verdict}", markup=False)
    if found:
        raise typer.Exit(NOT_BY_THE_RULES)


def _games(record: MatchRecord) -> str:
    return f"{len(record.games)} game{'s' * (len(record.games) != 1)}"


def show_finding(finding: Finding, record: MatchRecord) -> None:
    """Where it is, the clause, the sentence; for a play the position before it and the nearest legal plays."""
    where = f"game {finding.game}" + (f", turn {finding.turn}" if finding.turn else "")
    out.print(f"{where}: {finding.sentence} ({finding.clause})", style="bold red", markup=False)
    if finding.before is None:
        return
    dice = (finding.roll.first, finding.roll.second) if finding.roll else ()
    roller = finding.event.player if finding.event else Player.A
    out.print(text_board(finding.before, dice=dice, roller=roller, names=record.players), markup=False)
    if finding.nearest:
        out.print(f"legal: {'; '.join(short(play.moves) for play in finding.nearest)}", markup=False)


@files.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A match file in any format.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The new file: .mat, .sgf, .txt (Snowie text) or .ogxm.")],
) -> None:
    """Write a match in another format; what it cannot hold is refused, what it leaves out is told line by line."""
    kind = FORMATS.get(target.suffix.lower())
    if kind is None:
        raise _fail(f"cannot tell a format by {target.name!r}; a file that can be written ends in {', '.join(FORMATS)}")
    try:
        can_write(target)
        record = _match(source)
        content = kind.write(record)
        for sentence in kind.left_out(record):
            err.print(f"{target}: left out: {sentence}", style="yellow", markup=False)
        write_record(target, content)
    except CannotHold as error:
        raise _fail(f"{target} was not written: {error}") from error
    except TROUBLES as error:
        raise _fail(str(error)) from error
    out.print(f"{target}: {_games(record)} as {kind.name}", markup=False)


@files.command(context_settings={"ignore_unknown_options": True})  # an XGID without its prefix may begin with a dash
def show(
    what: Annotated[str, typer.Argument(metavar="ID|FILE", help="An XGID, gnubg Position ID (:Match ID), Snowie position, or a match file.")],
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw it into this file instead of the terminal.")] = None,
    game: Annotated[int, typer.Option(min=1, help="Of a match file: which game.")] = 1,
    turn: Annotated[int | None, typer.Option(min=0, help="Of a match file: after which turn; without it, the last.")] = None,
) -> None:
    """Draw a board."""
    try:
        if svg:
            can_write(svg)
        drawing = _drawing(what, game, turn)
        if svg:
            write_record(svg, drawing.svg())
        else:
            out.print(drawing.text(), markup=False)
    except TROUBLES as error:
        raise _fail(str(error)) from error


class Drawing:
    """What is known of one moment."""

    def __init__(
        self, position: Position, roller: Player, roll: Roll | None, cube: Cube, names: tuple[str, str] = ("A", "B"), more: str = ""
    ) -> None:
        self.position, self.roller, self.cube, self.names, self.more = position, roller, cube, names, more
        self.dice = (roll.first, roll.second) if roll else ()

    def text(self) -> str:
        board = text_board(self.position, dice=self.dice, roller=self.roller, cube=self.cube, names=self.names)
        return board + (f"\n{self.more}" if self.more else "")

    def svg(self) -> str:
        return svg_board(self.position, dice=self.dice, roller=self.roller, cube=self.cube, names=self.names)


def _drawing(what: str, game: int, turn: int | None) -> Drawing:
    path = Path(what)
    if _is_file(path):
        return _of_match(path, game, turn)
    if what.count(";") > 9:
        snowie = parse_snowie(what)
        return Drawing(snowie.position, snowie.on_roll, snowie.roll, Cube(snowie.cube, snowie.owner), snowie.names)
    if what.count(":") > 4 or what.startswith("XGID"):
        xgid = parse_xgid(what)
        return Drawing(xgid.position, xgid.turn, xgid.roll, Cube(xgid.cube, xgid.owner))
    position_id, _, match_id = what.partition(":")
    if match_id:
        match = parse_match_id(match_id)
        return Drawing(parse_position_id(position_id, match.on_roll), match.on_roll, match.roll, Cube(match.cube, match.owner))
    if len(what) == 14:
        return Drawing(parse_position_id(what, Player.A), Player.A, None, Cube())
    raise wiring.Trouble(f"{what[:60]!r} is neither a file nor an XGID, gnubg Position ID or Snowie position")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _of_match(path: Path, number: int, turn: int | None) -> Drawing:
    record = _match(path)
    if number > len(record.games):
        raise wiring.Trouble(f"{path}: there is no game {number}; the file has {len(record.games)}")
    game = record.games[number - 1]
    last = len(game.turns) if turn is None else turn
    if last > len(game.turns):
        raise wiring.Trouble(f"{path}: game {number} has {len(game.turns)} turns, not {last}")
    state = GameState(MatchState(record.length, record.ruleset, (), game.scores), game.start, game.missing, cube=game.first_cube)
    for event in game.turns[:last]:
        state = state.as_it_happened(event)
    happened = game.turns[last - 1] if last else None
    rolled = happened if isinstance(happened, PlayTurn | DanceTurn | RollTurn | IllegalTurn) else None
    words = f"game {number}, turn {last} of {len(game.turns)}, score {game.scores[0]}-{game.scores[1]}"
    if rolled is not None and isinstance(rolled, PlayTurn):
        words += f": {record.players[rolled.player.side]} played {rolled.roll}"
    roller = rolled.player if rolled else Player.A
    return Drawing(state.board, roller, rolled.roll if rolled else None, state.cube, record.players, words)
