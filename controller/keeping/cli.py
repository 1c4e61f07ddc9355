"""The commands `report`, `matches` and `analyse`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from controller.journal import JournalError
from controller.keeping import analysis as thinking
from controller.keeping.downloads import KINDS, CannotHold, file_of
from controller.keeping.library import Found, Library, entry_of, locked, read_still, story_of
from controller.past import read_past
from controller.records import RecordError, can_write, write_record

Fail = Callable[[str, int], typer.Exit]
JournalArgument = Annotated[Path, typer.Argument(help="The journal of a match, finished or not.")]


def open_journal(path: Path) -> Found:
    """Raises JournalError."""
    past = read_past(path)
    try:
        return Found(entry_of(past, running=locked(path)), past, story_of(past))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise JournalError(f"{path} holds events that this version of gammonwatch cannot make sense of") from error


def register(app: typer.Typer, out: Console, err: Console, fail: Fail) -> None:
    """Add the commands to the program."""

    @app.command()
    def report(
        journal: JournalArgument,
        output: Annotated[Path, typer.Option("--out", "-o", help=f"The new file; its ending says what it is: {', '.join('.' + e for e in KINDS)}.")],
        pictures: Annotated[bool, typer.Option(help="With the camera's pictures.")] = True,
    ) -> None:
        """A match as one file: the report as HTML or PDF, or the record for other programs."""
        ending = output.suffix.lower().removeprefix(".")
        if ending not in KINDS:
            raise fail(f"cannot tell what {output.name!r} is to be; a file that can be written ends in {', '.join('.' + e for e in KINDS)}", 2)
        try:
            can_write(output)
            found = open_journal(journal)
            content = file_of(found, ending, (lambda frame: read_still(journal, frame)) if pictures else lambda frame: None)
            write_record(output, content)
        except CannotHold as error:
            raise fail(f"{output} was not written: {error}", 1) from error
        except (JournalError, RecordError) as error:
            raise fail(str(error), 1) from error
        entry = found.entry
        out.print(
            f"{output}: {entry.turns} turns, {entry.illegal} illegal plays, {entry.void} void rolls", markup=False, highlight=False, soft_wrap=True
        )

    @app.command()
    def matches(
        folder: Annotated[Path, typer.Argument(help="Where the journals lie.")] = Path(),
        search: Annotated[str, typer.Option("--search", "-s", help="Words that all have to stand in it: a player, a date, a clause.")] = "",
    ) -> None:
        """The matches in a folder: the one that is running, those before it, and what cannot be read."""
        if not folder.is_dir():
            raise fail(f"there is no folder {folder}", 1)
        entries = Library(folder).entries(search)
        if not entries:
            out.print(f"no match {'fits' if search else 'lies in'} {search or folder.resolve()}", markup=False, highlight=False, soft_wrap=True)
            return
        widest = max(len(" – ".join(one.names)) for one in entries)
        for one in entries:
            begun = f"{one.begun:%Y-%m-%d %H:%M}" if one.begun else f"{'?':16}"
            if one.broken:
                out.print(f"{begun}  {one.id}: cannot be read: {one.broken}", style="red", markup=False, highlight=False, soft_wrap=True)
                continue
            to = f"to {one.length}" if one.length else "money"
            seen = f"{one.turns:3d} turns, {one.illegal} illegal, {one.void} void, {one.unsure} unsure"
            line = f"{begun}  {' – '.join(one.names):{widest}}  {one.score[0]:2d}-{one.score[1]:<2d} {to:5}  {seen}  {one.id}{'  (running)' if one.running else ''}"
            out.print(line, markup=False, highlight=False, soft_wrap=True)

    @app.command()
    def analyse(
        journal: JournalArgument,
        plies: Annotated[int, typer.Option(min=0, max=thinking.MOST_PLIES, help="How far gnubg looks ahead.")] = thinking.PLIES,
        seconds: Annotated[float, typer.Option(min=1, help="Longest time it may take.")] = thinking.SECONDS,
        again: Annotated[bool, typer.Option("--again", help="Even if this match was analysed so before.")] = False,
    ) -> None:
        """What gnubg thinks of a match: error rates, luck, the worst decisions. Kept beside the journal."""
        try:
            found = open_journal(journal)
            match = thinking.match_of(found)
            known = None if again else thinking.kept(journal, match, plies)
            if known is None:
                bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
                with Progress(*bars, console=err, transient=True) as progress:
                    task = progress.add_task(f"gnubg at {plies} plies", total=None)
                    known = thinking.analyse(
                        match, found.past.names, plies, lambda done, total: progress.update(task, completed=done, total=total), seconds=seconds
                    )
                thinking.save(journal, known)
        except CannotHold as error:
            raise fail(f"there is nothing that gnubg could analyse: {error}", 1) from error
        except (JournalError, thinking.AnalysisError) as error:
            raise fail(str(error), 1) from error
        show(out, known)


def show(out: Console, found: thinking.Analysis) -> None:
    table = Table(box=None, pad_edge=False, title=f"gnubg, {found.plies} plies", title_justify="left")
    for name in ("player", "error rate", "", "decisions", "plays lost", "cube lost", "luck"):
        table.add_column(name, justify="left" if name in ("player", "") else "right")
    for side in found.sides:
        table.add_row(
            side.name, f"{side.error_rate:.1f}", side.rating, str(side.decisions), f"{side.play_error:.3f}", f"{side.cube_error:.3f}", f"{side.luck:+.2f}"
        )
    out.print(table)
    for one in found.worst:
        who = found.sides[0 if one.player == "A" else 1].name
        dice = f" {one.dice[0]}-{one.dice[1]}" if one.dice else ""
        out.print(
            f"-{one.loss:.3f}  game {one.game}, decision {one.turn}: {who}{dice} {'played ' if one.kind == 'play' else ''}{one.did}; better: {one.better}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
