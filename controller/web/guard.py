"""Every request passes here first: is it for this computer, does it come from our own page, may whoever sends it change anything.

A route that changes something needs no line of its own for that: whatever is not a reading method is refused without the director's
session, but for the few paths of `LETS_IN`, by which one gets it.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.web.plain import Problem, told
from controller.web.secrets_kept import Secrets, TooOften, Tries, same_site_token

COOKIE = "gammonwatch"
TOKEN_HEADER = "x-gammonwatch-token"
READING = frozenset({"GET", "HEAD", "OPTIONS"})
LETS_IN = frozenset({"/api/access/enter", "/api/access/link"})
"""Paths that are asked by those who have no session yet; each checks its own secret and counts wrong tries."""
BODY_MOST = 65536
"""Bytes; the largest honest request is a position."""
ACTS, ACTS_ALL, ACTS_SECONDS = 40, 200, 10.0
"""Changes asked for by one session, and by all together, in so many s."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
"""On every answer that does not say otherwise itself."""


@dataclass(frozen=True, slots=True)
class Director:
    """Who may change things: the name he gave, which goes into the record, and his session."""

    name: str
    session: str


class Hosts:
    """Names this computer answers to. A page elsewhere could point a name of its own here (DNS rebinding); an address it cannot fake."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        own = socket.gethostname().lower()
        short = own.partition(".")[0]
        self._names = {"localhost", own, short, f"{short}.local", *(n.lower().rstrip(".") for n in names)}

    def knows(self, host: str) -> bool:
        name = _without_port(host)
        if name is None:
            return False
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name.lower().rstrip(".") in self._names
        return True


def _without_port(host: str) -> str | None:
    found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::\d{1,5})?", host)
    return found[1] if found else None


class Guard:
    """Pure ASGI, so that streams stay streams. Puts the `Director`, if the request is one's, into `scope["state"]["director"]`."""

    def __init__(self, app: ASGIApp, secrets: Secrets, hosts: Hosts) -> None:
        self._app, self._secrets, self._hosts = app, secrets, hosts
        self._acts = Tries(ACTS, ACTS_ALL, ACTS_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no WebSocket is spoken here: the server closes it
        headers = Headers(scope=scope)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                if scope["path"].startswith("/static/"):
                    out.setdefault("cache-control", "no-cache")  # kept, but asked for anew by its ETag: an update shows at once
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
            await send(message)

        director = self._director(headers)
        scope.setdefault("state", {})["director"] = director
        refused = self._refused(scope, headers, director)
        if refused is not None:
            status, sentence, more = refused
            await told(Request(scope), Problem(error=sentence), status, more)(scope, receive, sending)
            return
        await self._app(scope, _bounded(receive), sending)

    def _director(self, headers: Headers) -> Director | None:
        session = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        name = self._secrets.who(session) if session else None
        return Director(name, session) if session and name is not None else None

    def _refused(self, scope: Scope, headers: Headers, director: Director | None) -> tuple[int, str, dict[str, str]] | None:
        host = headers.get("host", "")
        if not self._hosts.knows(host):
            return 400, "This computer is not called that. Add the name to [web] names in its settings file.", {}
        if scope["method"] in READING:
            return None
        if headers.get("content-length", "0").isdigit() and int(headers.get("content-length", "0")) > BODY_MOST:
            return 413, "That is too long.", {}
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if (origin is not None and urlsplit(origin).netloc.lower() != host.lower()) or site not in (None, "same-origin", "none"):
            return 403, "That came from another page than gammonwatch's own.", {}
        if scope["path"] in LETS_IN:
            return None
        if director is None:
            return 401, "Only the director may do that: give the PIN first.", {}
        if headers.get(TOKEN_HEADER) != same_site_token(director.session):
            return 403, "The page is out of date: load it again.", {}
        try:
            self._acts.check(director.session)
            self._acts.count(director.session)
        except TooOften as error:
            return 429, f"That was too much at once: wait {error.seconds} seconds.", {"retry-after": str(error.seconds)}
        return None


class TooLong(HTTPException):
    """A body larger than BODY_MOST, sent without saying so."""

    def __init__(self) -> None:
        super().__init__(413, "That is too long.")


def _bounded(receive: Receive) -> Receive:
    total = 0

    async def receiving() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > BODY_MOST:
            raise TooLong
        return message

    return receiving
