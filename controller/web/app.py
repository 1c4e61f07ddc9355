"""The application: the table, the routers, the guard before them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse

from controller.events import Event
from controller.settings import Web
from controller.table import Table
from controller.web import plain
from controller.web.guard import Director, Guard, Hosts
from controller.web.secrets_kept import Secrets, same_site_token

HERE = Path(__file__).resolve().parent
Words = Callable[[Event, tuple[str, str]], str]
"""An event in words for people, given the players' names."""

DESCRIPTION = """What a gammonwatch table knows, and what may be asked of it. Everything that is read may be read by anybody who reaches
this address; everything that changes something needs the director's session: the cookie that `POST /api/access/enter` sets, and the
`token` it returns, sent back in the header `X-Gammonwatch-Token`. Errors are `{"error": sentence, "fields": {field: sentence}}`.
Positions are 28 whole numbers: points 1 to 24 in A's numbering (above zero A's checkers, below zero B's), A's and B's on the bar, A's
and B's off."""


@dataclass(frozen=True, slots=True)
class Room:
    """What the routers share, as `app.state.room`."""

    table: Table
    secrets: Secrets
    web: Web
    words: Words
    pages: Environment
    messages: dict[tuple[int, bool, bool], bytes] = field(default_factory=dict)
    """Of the stream, ready to be sent; see `watch`."""

    @property
    def folder(self) -> Path:
        """Where matches are kept."""
        return self.table.folder


def room_of(request: Request) -> Room:
    """A dependency: the shared room."""
    room: Room = request.app.state.room
    return room


def director_of(request: Request) -> Director | None:
    """A dependency: the director whose session the request carries, or None for anybody else."""
    found: Director | None = request.scope["state"]["director"]
    return found


def require_director(request: Request) -> Director:
    """A dependency for what only the director may read. (What changes something is refused to others by the guard already.)"""
    found = director_of(request)
    if found is None:
        raise plain.Refused("Only the director may see that: give the PIN first.", status=401)
    return found


def still_director(room: Room, director: Director | None) -> bool:
    """Whether his session still stands. For what goes on for long: it may have ended since the request came."""
    return director is not None and room.secrets.who(director.session) is not None


def page(request: Request, template: str, **values: Any) -> HTMLResponse:
    """A template of `templates/`, rendered. `page` in `values` names the navigation's entry."""
    room, director = room_of(request), director_of(request)
    token = same_site_token(director.session) if director else ""
    text = room.pages.get_template(template).render(request=request, director=director, token=token, darker=room.table.darker, **values)
    return HTMLResponse(text)


def reachable_address(host: str) -> str:
    """The address by which phones reach this computer; empty when it listens to itself alone."""
    if host not in ("0.0.0.0", "::", ""):
        return "" if host in ("127.0.0.1", "::1", "localhost") else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this only asks which of its addresses it would use
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


def create_app(table: Table, web: Web, words: Words, secrets: Secrets | None = None) -> FastAPI:
    """The page of one table. `words`: puts an event in words for people."""
    from controller.web import access, camera, correcting, keeping, ruling, setup, watch

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        app.state.ending = asyncio.Event()
        yield
        app.state.ending.set()
        keeping.close(app)

    app = FastAPI(
        title="gammonwatch", version="1", description=DESCRIPTION, docs_url=None, redoc_url=None, lifespan=running,
        redirect_slashes=False,
    )  # fmt: skip
    pages = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=select_autoescape(), undefined=StrictUndefined)
    kept = secrets or Secrets(table.folder)
    app.state.room = Room(table, kept, web, words, pages)
    app.state.templates = pages
    app.state.reachable = reachable_address(web.host)
    app.state.pictures = camera.Pictures(table)
    plain.add_to(app)
    keeping.add_to(app)
    for router in (watch.router, camera.router, setup.router, correcting.router, correcting.pages, access.router, keeping.router, ruling.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_middleware(Guard, secrets=kept, hosts=Hosts(web.names))
    return app
