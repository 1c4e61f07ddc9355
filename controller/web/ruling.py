"""Ruling: one turn side by side (the still of the settled roll, the board before and after, reading, verdict, legal plays), and what the
director decides on it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from controller.keeping.library import Found
from controller.keeping.ruling import RULED, Ruling, ruling_of
from controller.mailbox import NotNow
from controller.stills import still_of
from controller.web.app import page
from controller.web.correcting import Done, Given, told
from controller.web.keeping import (
    NOT_FOUND,
    Boss,
    NoPage,
    RoomHere,
    ShelfHere,
    TurnView,
    Who,
    may_see_pictures,
    open_match,
    page_match,
    turn_view,
)
from controller.web.plain import PROBLEMS, Refused
from controller.web.view import changed

router = APIRouter(tags=["ruling"])


class PlayView(BaseModel):
    """One legal play."""

    notation: str
    position: list[int]
    played: bool
    carried: int
    """Checkers to be carried from the board after the turn to this one."""


class DoubtView(BaseModel):
    place: str
    read: int
    chance: float
    other: int
    other_chance: float


class DieView(BaseModel):
    value: int
    chance: float
    lies: str
    where: str


class ReadingView(BaseModel):
    """What the camera saw, before any rule was asked."""

    board: list[int]
    doubts: list[DoubtView]
    dice: list[DieView]
    looks: int


class RulingMadeView(BaseModel):
    ruling: str
    by: str
    note: str


class RulingView(BaseModel):
    """Everything about one turn."""

    turn: TurnView
    turns: int
    """Of the match."""
    player: str
    verdict: str
    clause: str
    clause_says: str
    confidence: float | None
    plays: list[PlayView]
    more_plays: int
    reading: ReadingView | None
    still_roll: str
    """Address of the picture of the settled roll; empty when none is kept, or it is not to be seen."""
    roll_late: bool
    """The roll was told only when the play had shown what it was: its picture need not show the dice."""
    still_board: str
    """The same of the picture on which the turn was judged."""
    rulings: list[RulingMadeView]
    events: list[str]


class RulingGiven(Given):
    ruling: Literal["illegal play called", "stands", "corrected", "legal"]
    note: Annotated[str, Field(max_length=300)] = ""


@router.get("/api/matches/{match}/turns/{number}", summary="One turn, as it is argued about", responses=NOT_FOUND)
def turn(match: str, number: int, room: RoomHere, shelf: ShelfHere, director: Who) -> RulingView:
    found = open_match(match, room, shelf, director)
    return _view(found, _ruling(found, number), pictures=may_see_pictures(room, director))


@router.post("/api/matches/{match}/turns/{number}/ruling", summary="Record what was decided on a turn", responses={**PROBLEMS, **NOT_FOUND})
async def rule(match: str, number: int, given: RulingGiven, room: RoomHere, shelf: ShelfHere, boss: Boss) -> Done:
    """Only in the match at the table, while it is watched: a match that is over is no longer written to."""
    found = await run_in_threadpool(open_match, match, room, shelf, boss)
    if match != room.table.now.match.journal or not room.table.watching:
        raise NotNow("A ruling is recorded while its match is at the table; this one is not.")
    await run_in_threadpool(_ruling, found, number)
    return await told(room, boss, given, "rule", turn=number, ruling=given.ruling, note=given.note)


def _ruling(found: Found, number: int) -> Ruling:
    try:
        return ruling_of(found, number)
    except IndexError as error:
        raise Refused(str(error), status=404) from error


def _view(found: Found, one: Ruling, *, pictures: bool) -> RulingView:
    def address(frame: int | None) -> str:
        kept = frame is not None and pictures and still_of(found.past.path, frame).is_file()
        return f"/api/matches/{found.entry.id}/stills/{frame}" if kept else ""

    reading = one.reading
    return RulingView(
        turn=turn_view(one.turn), turns=len(found.story.turns), player=one.player, verdict=one.verdict, clause=one.clause,
        clause_says=one.clause_says, confidence=one.confidence,
        plays=[PlayView(notation=p.notation, position=list(p.position), played=p.played, carried=p.carried) for p in one.plays],
        more_plays=one.more_plays,
        reading=None if reading is None else ReadingView(
            board=list(reading.board), looks=reading.looks,
            doubts=[DoubtView(place=d.place, read=d.read, chance=d.chance, other=d.other, other_chance=d.other_chance) for d in reading.doubts],
            dice=[DieView(value=d.value, chance=d.chance, lies=d.lies, where=d.where) for d in reading.dice],
        ),
        still_roll=address(one.roll_frame), roll_late=one.roll_late, still_board=address(one.frame),
        rulings=[RulingMadeView(ruling=r.ruling, by=r.by, note=r.note) for r in one.rulings], events=list(one.events),
    )  # fmt: skip


@router.get("/matches/{match}/turns/{number}", response_class=HTMLResponse, include_in_schema=False)
def turn_page(match: str, number: int, request: Request, room: RoomHere, shelf: ShelfHere, director: Who) -> HTMLResponse:
    found = page_match(match, room, shelf, director)
    try:
        one = ruling_of(found, number)
    except IndexError as error:
        raise NoPage(str(error), 404) from error
    view = _view(found, one, pictures=may_see_pictures(room, director))
    at_table = match == room.table.now.match.journal and room.table.watching
    read = changed(one.turn.after[:26], view.reading.board[:26]) if view.reading else []
    return page(
        request, "turn.html", page="matches", match=found.entry, home=found.past.state.home if found.past.state else "right", one=view, ruled=RULED,
        at_table=at_table, read_differs=read,
    )  # fmt: skip
