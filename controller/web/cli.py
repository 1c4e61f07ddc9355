"""Commands about the page: `page` shows it over a camera or a recorded game, `pin` makes a new PIN."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Annotated, Literal

import typer
from rich.console import Console

from controller import app as wiring
from controller.journal import JournalError
from controller.learning import GEOMETRY
from controller.panel.attendant import Attendant
from controller.playback import SECONDS, Playback
from controller.service import ServiceManager
from controller.settings import Service, Web
from controller.settings_file import SettingsError
from controller.table import Table
from controller.web.app import Words
from controller.web.running import run_with_page
from controller.web.secrets_kept import Secrets
from vision.frames import FrameError, FrameSource

TROUBLES = (wiring.Trouble, FrameError, JournalError, SettingsError, OSError)
Fail = Callable[[str], typer.Exit]


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def add_to(app: typer.Typer, out: Console, fail: Fail, words: Words, demo: Path) -> None:
    """`demo`: the folder of the bundled game, with `frames` and `geometry.jsonl`."""

    def plain(text: str) -> None:
        out.print(text, markup=False, highlight=False, soft_wrap=True)

    @app.command()
    def page(
        source: Annotated[str | None, typer.Argument(help="A camera; without one, and without --demo or --frames, the first camera.")] = None,
        demo_game: Annotated[bool, typer.Option("--demo", help="Play the bundled game, as if a camera saw it.")] = False,
        frames: Annotated[Path | None, typer.Option(help="Play a folder of pictures, as if a camera saw them.")] = None,
        seconds: Annotated[float, typer.Option(min=0.2, help="How long each picture stays (--demo, --frames).")] = SECONDS,
        state: Annotated[Path | None, typer.Option(help="Folder for matches; without one they are forgotten at the end.")] = None,
        host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for every phone in the room.")] = "127.0.0.1",
        port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
        setup: Annotated[bool, typer.Option("--setup", help="Wait for the match to be started on the page.")] = False,
    ) -> None:
        """Show the page: over a camera, or over a game that is played back at real speed."""
        signal.signal(signal.SIGTERM, _stop)
        played = demo / "frames" if demo_game else frames
        if played is not None and source is not None:
            raise fail("give a camera, or --demo, or --frames, not two of them")
        if played is not None and not played.is_dir():
            raise fail(f"there is no folder {played}")
        start: Literal["by itself", "when told"] = "when told" if setup or played is None else "by itself"
        names = ("Ada", "Ben") if played is not None else ("A", "B")
        settings = Service(source=str(played) if played else source or "0", players=names, start=start, web=Web(host=host, port=port))

        def opens(table: Table) -> Callable[[str], FrameSource]:
            return lambda text: Playback(Path(text), seconds=seconds, playing=lambda: table.watching)

        try:
            with ExitStack() as kept:
                folder = state or Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="gammonwatch-")))
                folder.mkdir(parents=True, exist_ok=True)
                given = played.parent / GEOMETRY if demo_game and played else played / GEOMETRY if played else None
                if given is not None and given.is_file() and not (folder / GEOMETRY).exists():
                    shutil.copyfile(given, folder / GEOMETRY)
                run_with_page(
                    settings, folder, Attendant(), ServiceManager(), plain, words, opens if played else None, show_link=True
                )  # fmt: skip
        except TROUBLES as error:
            raise fail(str(error)) from error
        except KeyboardInterrupt:
            raise typer.Exit(0) from None

    @app.command()
    def pin(
        state: Annotated[Path, typer.Option(envvar="STATE_DIRECTORY", help="Folder of the service.")] = Path("/var/lib/gammonwatch"),
    ) -> None:
        """Make a new PIN for the page's director. A running service asks for it from now on."""
        try:
            if not state.is_dir():
                raise wiring.Trouble(f"there is no folder {state}")
            kept = Secrets(state)
            plain(f"the director's PIN is {kept.new_pin or kept.make_pin()}: it is asked for from now on")
        except TROUBLES as error:
            raise fail(str(error)) from error
