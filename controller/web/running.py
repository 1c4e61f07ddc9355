"""The watch with its page: the table's loop in the caller's thread, the server in one of its own."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import segno

from controller import app as wiring
from controller.panel.attendant import Attendant
from controller.service import ServiceManager
from controller.settings import Service
from controller.table import Table
from controller.web.app import Words, create_app, reachable_address
from controller.web.secrets_kept import Secrets
from controller.web.server import PageError, Server
from vision.frames import FrameSource

Say = Callable[[str], object]


def tell(seen: wiring.Seen, say: Say, words: Words) -> None:
    """A frame's events, on the console."""
    for event in seen.events:
        say(f"{event.frame:4d}  {words(event, seen.state.names)}")


def run_with_page(
    settings: Service,
    folder: Path,
    attendant: Attendant,
    manager: ServiceManager,
    say: Say,
    words: Words,
    opens: Callable[[Table], Callable[[str], FrameSource]] | None = None,
    *,
    show_link: bool = False,
) -> None:
    """Watch, with the page beside it, until interrupted. A page that cannot be opened is said, and the watch goes on without.

    opens: given the table, what opens its sources in place of `open_source`. show_link: print the director's one-time link as well.
    """
    secrets: Secrets | None = None
    try:
        secrets = Secrets(folder)
    except wiring.Trouble as error:
        say(f"the page cannot be opened: {error}; the watch goes on without it")
    patient = settings.start == "when told"
    table = Table(settings, folder, attendant, manager, say, lasting=True, patient=patient)
    if opens is not None:
        table.opens = opens(table)
    if secrets and secrets.new_pin:
        say(f"the director's PIN is {secrets.new_pin}: it is shown only this once (another: gammonwatch pin)")
    server: Server | None = None
    if secrets is not None:
        try:
            server = Server(create_app(table, settings.web, words, secrets), settings.web.host, settings.web.port, say)
        except PageError as error:
            say(f"{error}; the watch goes on without it")
        else:
            _say_where(server.port, settings, secrets if show_link else None, say)
    waiting = ""
    try:
        for seen in table.frames():
            tell(seen, say, words)
            said = seen.reason or seen.state.waiting
            if said != waiting:
                waiting = said
                say(f"      ... {said}")
    finally:
        if server is not None:
            server.close()


def _say_where(port: int, settings: Service, secrets: Secrets | None, say: Say) -> None:
    address = f"http://{_shown(reachable_address(settings.web.host) or settings.web.host)}:{port}/"
    say(f"the page is at {address}")
    if secrets is not None:
        link = f"{address}enter#{secrets.link()}"
        say(f"the director's link, good once and for five minutes: {link}")
        drawn = io.StringIO()
        segno.make(link, error="l").terminal(drawn, compact=True)
        say(drawn.getvalue())


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
