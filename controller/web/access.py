"""Letting the director in: by PIN, or by a one-time link shown as a QR code; and what he may show to whom."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from controller.match import Name
from controller.web.app import Room, director_of, page, require_director, room_of
from controller.web.guard import COOKIE, Director
from controller.web.plain import PROBLEMS, Refused
from controller.web.secrets_kept import LINK_SECONDS, SESSION_SECONDS, same_site_token

router = APIRouter(tags=["access"])

RoomHere = Annotated[Room, Depends(room_of)]
Who = Annotated[Director | None, Depends(director_of)]
Boss = Annotated[Director, Depends(require_director)]


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PinGiven(Given):
    pin: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
    name: Name = "director"
    """Stands in the record beside what is changed."""


class LinkGiven(Given):
    token: Annotated[str, Field(min_length=1, max_length=200)]
    name: Name = "director"


class NewPin(Given):
    pin: Annotated[str, StringConstraints(strip_whitespace=True, min_length=4, max_length=64)]


class CameraGiven(Given):
    open: bool
    """Whether viewers may see the camera's picture; the director always may."""


class Me(BaseModel):
    """Who asks."""

    name: str | None = None
    """The director's; null for a viewer."""
    token: str = ""
    """To be sent back in the header X-Gammonwatch-Token with everything that changes something."""


class LinkMade(BaseModel):
    url: str
    """To be opened on the phone that is to be let in. What lets it in stands behind the #, which no browser sends and no server logs."""
    svg: str
    """The same as a QR code."""
    seconds: float
    """How long it is good for; it lets one person in."""


class CameraView(BaseModel):
    open: bool


@router.get("/director", response_class=HTMLResponse, include_in_schema=False)
def director_page(request: Request) -> HTMLResponse:
    return page(request, "director.html", page="director")


@router.get("/enter", response_class=HTMLResponse, include_in_schema=False)
def enter_page(request: Request) -> HTMLResponse:
    """Where a one-time link leads: the page reads the token behind the # and posts it."""
    return page(request, "enter.html", page="director")


@router.get("/device", response_class=HTMLResponse, include_in_schema=False)
def device_page(request: Request, room: RoomHere, who: Who) -> HTMLResponse:
    """For a screen on the computer itself: where the page is, and a link that lets the director in."""
    if who is None and not (room.web.device_page and on_this_computer(request)):
        raise Refused("That page is shown on the board's own screen only.", status=403)
    return page(request, "device.html", page="device", page_url=_base(request), page_svg=_qr(_base(request)), link=_link(request, room.secrets.standing_link()))


@router.get("/api/access/me", summary="Who asks: a viewer, or the director and what to send back with each change")
def me(who: Who) -> Me:
    return Me(name=who.name, token=same_site_token(who.session)) if who else Me()


@router.post("/api/access/enter", summary="Give the PIN", responses=PROBLEMS)
def enter(given: PinGiven, request: Request, response: Response, room: RoomHere) -> Me:
    if not room.secrets.right(given.pin, _address(request)):
        raise Refused("That is not the PIN.", "pin", 403)
    return _let_in(given.name, response, room)


@router.post("/api/access/link", summary="Use a one-time link", responses=PROBLEMS)
def use_link(given: LinkGiven, request: Request, response: Response, room: RoomHere) -> Me:
    if not room.secrets.use_link(given.token, _address(request)):
        raise Refused("This link has been used or is too old: ask for another.", "token", 403)
    return _let_in(given.name, response, room)


@router.post("/api/access/links", summary="Make a one-time link for another phone", responses=PROBLEMS)
def make_link(request: Request, room: RoomHere, boss: Boss) -> LinkMade:
    return _link(request, room.secrets.link())


@router.post("/api/access/leave", summary="End this session", responses=PROBLEMS)
def leave(response: Response, room: RoomHere, boss: Boss) -> Me:
    room.secrets.leave(boss.session)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return Me()


@router.post("/api/access/pin", summary="Another PIN; everybody else has to give it anew", responses=PROBLEMS)
def new_pin(given: NewPin, room: RoomHere, boss: Boss) -> Me:
    room.secrets.set_pin(given.pin, keep=boss.session)
    return Me(name=boss.name, token=same_site_token(boss.session))


@router.get("/api/access/camera", summary="Whether viewers may see the camera's picture")
def camera(room: RoomHere) -> CameraView:
    return CameraView(open=room.secrets.camera_open)


@router.post("/api/access/camera", summary="Show the camera's picture to viewers, or to the director alone", responses=PROBLEMS)
def open_camera(given: CameraGiven, room: RoomHere, boss: Boss) -> CameraView:
    room.secrets.camera_open = given.open
    return CameraView(open=room.secrets.camera_open)


def _let_in(name: str, response: Response, room: Room) -> Me:
    token = room.secrets.enter(name)
    response.set_cookie(COOKIE, token, max_age=round(SESSION_SECONDS), path="/", httponly=True, samesite="strict")
    return Me(name=name, token=same_site_token(token))


def _link(request: Request, token: str) -> LinkMade:
    url = f"{_base(request)}enter#{token}"
    return LinkMade(url=url, svg=_qr(url), seconds=LINK_SECONDS)


def _base(request: Request) -> str:
    """The address that the asker used; on the computer itself, one that a phone can reach."""
    host = request.headers.get("host", "")
    server: Any = request.scope.get("server") or ("", 0)
    if on_this_computer(request) and (reachable := request.app.state.reachable):
        host = f"{reachable}:{server[1]}"
    return f"{request.url.scheme}://{host}/"


def _qr(text: str) -> str:
    return segno.make(text, error="m").svg_inline(scale=6, border=3, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True)


def _address(request: Request) -> str:
    return request.client.host if request.client else "nobody"


def on_this_computer(request: Request) -> bool:
    """Asked from a browser on the computer itself. What came through a proxy, or by a name of the network, is not believed to."""
    if any(name in request.headers for name in ("forwarded", "x-forwarded-for", "via", "x-real-ip")):
        return False
    name = request.headers.get("host", "").rpartition(":")[0] or request.headers.get("host", "")
    try:
        near = ipaddress.ip_address(_address(request)).is_loopback
    except ValueError:
        return False
    return near and name.strip("[]") in ("localhost", "127.0.0.1", "::1")

