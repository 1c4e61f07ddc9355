"""Commands over a journal: the pictures kept of it, and a past match move by move."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from controller.events import Event
from controller.journal import JournalError
from controller.past import Moment, Past, frame_of, moments, read_past
from controller.stills import StillsError, folder_of, still_of
from rules.cube import Cube
from rules.drawing import text_board

Fail = Callable[[str, int], typer.Exit]
Sentence = Callable[[Event, tuple[str, str]], str]
ENDING = ".gammonwatch.sqlite"


def newest(folder: Path) -> Path:
    """The journal last written to. Raises JournalError when the folder holds none."""
    found = sorted(folder.glob(f"*{ENDING}"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise JournalError(f"there is no journal (*{ENDING}) in {folder.resolve()}: name one with --journal")
    return found[-1]


def evidence_of(past: Past, which: str) -> tuple[Event, Path]:
    """The event that answers, and its picture. Raises ValueError for a wrong `which`, StillsError when there is nothing to show."""
    event = frame_of(past.events, which)
    if event is None:
        raise StillsError(f"{past.path} holds no turn {which}" if which.isdigit() else f"{past.path} holds no {which.replace('-', ' ')} yet")
    picture = still_of(past.path, event.frame)
    if not picture.exists():
        kept = folder_of(past.path).is_dir()
        why = "it has been removed to make room for newer ones" if kept else "no pictures were kept with this journal"
        raise StillsError(f"there is no picture of frame {event.frame}: {why}")
    return event, picture


def show_moment(out: Console, past: Past, moment: Moment, sentence: Sentence) -> None:
    cube, home = Cube(*moment.cube), past.state.home if past.state else "right"
    score = " - ".join(f"{name} {points}" for name, points in zip(past.names, moment.score, strict=True))
    out.print(f"turn {moment.number}  {score}", style="bold", markup=False, highlight=False)
    show(out, moment.events, past.names, sentence)
    out.print(text_board(moment.board, home=home, cube=cube, names=past.names), markup=False, highlight=False)


def show(out: Console, events: Sequence[Event], names: tuple[str, str], sentence: Sentence) -> None:
    for event in events:
        out.print(f"{event.frame:6d}  {sentence(event, names)}", markup=False, highlight=False, soft_wrap=True)


def register(app: typer.Typer, out: Console, fail: Fail, sentence: Sentence) -> None:
    """Add the commands to the program."""

    @app.command()
    def evidence(
        which: Annotated[str, typer.Argument(help="last-roll, before-turn, or the number of a turn.")],
        journal: Annotated[Path | None, typer.Option(help="The journal; else the newest one here.")] = None,
        output: Annotated[Path | None, typer.Option("-o", "--output", help="Copy the picture here.")] = None,
    ) -> None:
        """The picture of the last roll, of the board before this turn, or of turn N."""
        try:
            past = read_past(journal or newest(Path()))
            event, picture = evidence_of(past, which)
            if output:
                shutil.copyfile(picture, output)
        except ValueError as error:
            raise fail(str(error), 2) from error
        except (JournalError, StillsError) as error:
            raise fail(str(error), 1) from error
        except OSError as error:
            raise fail(f"cannot write {output}: {error.strerror or error}", 1) from error
        show(out, [event], past.names, sentence)
        out.print(str(output or picture), markup=False, highlight=False, soft_wrap=True)

    @app.command()
    def replay(
        journal: Annotated[Path, typer.Argument(help="The journal of a match, finished or not.")],
        at: Annotated[int | None, typer.Option("--at", min=1, help="Only this turn, counted over the match.")] = None,
    ) -> None:
        """A past match move by move: what happened, and the board after every turn."""
        try:
            past = read_past(journal)
            turns = moments(past.events)
        except (JournalError, ValueError) as error:
            raise fail(str(error), 1) from error
        if at is not None:
            if at > len(turns):
                raise fail(f"{journal} holds {len(turns)} turn{'s' * (len(turns) != 1)}, not {at}", 1)
            show_moment(out, past, turns[at - 1], sentence)
            return
        for moment in turns:
            show_moment(out, past, moment, sentence)
        show(out, past.events[sum(len(m.events) for m in turns) :], past.names, sentence)
        if past.state is not None:
            out.print(f"        ... {past.state.waiting}", style="dim", markup=False, highlight=False, soft_wrap=True)
