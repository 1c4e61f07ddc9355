"""Setting up: which camera, where the board lies, whether the opening reads, who plays what under which rules, and go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from calibration.geometry import BoardGeometry, GeometryError
from controller.match import Match, Name, Speaks
from controller.now import Side
from controller.web.app import Room, page, require_director, room_of
from controller.web.correcting import answered
from controller.web.guard import Director
from controller.web.plain import PROBLEMS, Refused
from rules.ruleset import PRESETS

router = APIRouter(tags=["setting up"])
LENGTHS = (1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25)
"""Usual matches."""

RoomHere = Annotated[Room, Depends(room_of)]
Boss = Annotated[Director, Depends(require_director)]
Pixels = Annotated[float, Field(ge=-10000, le=20000, allow_inf_nan=False)]
Pair = Annotated[list[Pixels], Field(min_length=2, max_length=2)]
Quad = Annotated[list[Pair], Field(min_length=4, max_length=4)]


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SourceGiven(Given):
    source: Annotated[str, Field(min_length=1, max_length=300)]
    """One of those that are offered."""


class BoardGiven(Given):
    corners: Quad
    """px: top left, top right, bottom right, bottom left, with player A at the bottom."""
    bar: Quad
    """px: where the bar's edges meet the top and the bottom edge, in the same order."""
    size: Annotated[list[Annotated[int, Field(ge=1, le=20000)]], Field(min_length=2, max_length=2)]
    """Width and height of the picture they were marked in."""


class MatchGiven(Given):
    names: tuple[Name, Name]
    """At the bottom of the picture (A), and at the top (B)."""
    length: Annotated[int, Field(ge=0, le=99)] = 0
    """Points; 0 for money."""
    rules: Annotated[str, Field(max_length=100)] = "club"
    speaks: Speaks = "club"
    clock: Annotated[str, Field(max_length=20)] | None = None
    """Delay and reserve a point in s, such as "12+120"; null for none."""


class SourceView(BaseModel):
    source: str
    name: str


class PointView(BaseModel):
    point: int
    wanted: int
    seen: int | None
    right: bool


class LookView(BaseModel):
    ready: bool
    problems: list[str]
    points: list[PointView]
    home: str
    corners: list[tuple[float, float]]
    """Eight px: the board's corners, the bar's."""
    glare: list[int]
    colours: tuple[str, str]


class SetupView(BaseModel):
    phase: str
    note: str
    waits: bool
    """Somebody has to say start."""
    source: str
    sources: list[SourceView]
    size: tuple[int, int] | None
    """Of the camera's picture, px."""
    marked: bool
    """The board's place was given by hand."""
    learned: bool
    """A board is known already: a match can begin without learning it anew."""
    look: LookView | None
    match: MatchGiven
    darker: Side
    """Whose checkers are the darker ones on the board."""
    running: bool
    """A match is at the table that is not over."""
    rules: dict[str, str]
    lengths: list[int]


class Started(BaseModel):
    match: str
    note: str


class Ok(BaseModel):
    ok: bool = True


def sources_of(room: Room) -> list[SourceView]:
    """Cameras of this computer, and whatever the settings name."""
    found = {room.table.settings.source, room.table.source}
    found |= {f"/dev/{path.name}" for path in Path("/sys/class/video4linux").glob("video*") if _captures(path)}
    if Path("/sys/firmware/devicetree/base/model").exists():
        found.add("picamera2")
    return [SourceView(source=s, name=_name_of(s)) for s in sorted(found)]


def _captures(path: Path) -> bool:
    """The first of a device's nodes is the one with pictures, the others have its notes."""
    try:
        return (path / "index").read_text(encoding="ascii").strip() == "0"
    except OSError:
        return False


def _name_of(source: str) -> str:
    if source.startswith("picamera2"):
        return "the Pi's camera" + (f", number {source.partition(':')[2]}" if ":" in source else "")
    try:
        title = Path(f"/sys/class/video4linux/{Path(source).name}/name").read_text(encoding="utf-8", errors="replace").strip()
        return f"{title} ({source})"
    except OSError:
        return f"camera {source}" if source.isdigit() else Path(source).name or source


@router.get("/setup", response_class=HTMLResponse, include_in_schema=False)
def setup_page(request: Request) -> HTMLResponse:
    return page(request, "setup.html", page="setup")


@router.get("/api/setup", summary="How far setting up has come", responses=PROBLEMS)
def setup(room: RoomHere) -> SetupView:
    now, sight = room.table.now, room.table.sight
    look = now.look
    shown = look and LookView(
        ready=look.ready,
        problems=list(look.problems),
        points=[PointView(point=p.point, wanted=p.wanted, seen=p.seen, right=p.right) for p in look.points],
        home=look.home,
        corners=list(look.corners),
        glare=list(look.glare),
        colours=look.colours,
    )
    match = now.match
    return SetupView(
        phase=now.phase,
        note=now.note,
        waits=now.waits,
        source=room.table.source,
        sources=sources_of(room),
        size=(sight.frame.image.shape[1], sight.frame.image.shape[0]) if sight else None,
        marked=room.table.marked,
        learned=room.table.learned,
        look=shown or None,
        match=MatchGiven.model_construct(
            names=match.names, length=match.length, rules=match.rules or "club", speaks=match.speaks, clock=match.clock
        ),
        darker=now.darker,
        running=now.phase == "watching" and now.number > 0,
        rules=dict(PRESETS),
        lengths=list(LENGTHS),
    )


@router.post("/api/setup/camera", summary="Take another camera", responses=PROBLEMS)
async def choose(given: SourceGiven, room: RoomHere, boss: Boss) -> Ok:
    if given.source not in {s.source for s in sources_of(room)}:
        raise Refused("There is no such camera: choose one of those that are offered.", "source")
    await answered(room.table, room.table.choose(given.source))
    return Ok()


@router.post("/api/setup/board", summary="The board lies here", responses=PROBLEMS)
async def mark(given: BoardGiven, room: RoomHere, boss: Boss) -> Ok:
    try:
        geometry = BoardGeometry(np.array(given.corners, np.float64), np.array(given.bar, np.float64), (given.size[0], given.size[1]))
    except GeometryError as error:
        text = str(error)
        raise Refused(f"{text[:1].upper()}{text[1:]}.", "corners") from error
    await answered(room.table, room.table.mark(geometry))
    return Ok()


@router.post("/api/setup/find", summary="Find the board by itself again", responses=PROBLEMS)
async def find(room: RoomHere, boss: Boss) -> Ok:
    await answered(room.table, room.table.mark(None))
    return Ok()


@router.post("/api/setup/look", summary="Learn the board anew, from its starting position; the match goes on afterwards", responses=PROBLEMS)
async def look_again(room: RoomHere, boss: Boss) -> Ok:
    await answered(room.table, room.table.look_again())
    return Ok()


@router.post("/api/setup/keep", summary="Leave it: the board is as it was learned before", responses=PROBLEMS)
async def keep(room: RoomHere, boss: Boss) -> Ok:
    await answered(room.table, room.table.go_on())
    return Ok()


@router.post("/api/setup/start", summary="Begin this match, in a journal of its own, as soon as the board is known", responses=PROBLEMS)
async def start(given: MatchGiven, room: RoomHere, boss: Boss) -> Started:
    if given.rules not in PRESETS and given.rules != room.table.settings.rules:
        raise Refused("There is no such rule set: choose one of those that are offered.", "rules")
    if given.clock and not given.length:
        raise Refused("A clock needs a match: its reserve is so much a point.", "clock")
    values: dict[str, Any] = given.model_dump()
    await answered(room.table, room.table.start(Match.model_validate(values)))
    now = room.table.now
    return Started(match=now.match.journal, note=now.note)
