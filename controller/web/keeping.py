"""Past matches: the list with its search, one match with its replay, its files, its analysis."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from controller.keeping import analysis as thinking
from controller.keeping.background import Analyses, Busy, Job
from controller.keeping.downloads import KINDS, CannotHold, file_of, name_of
from controller.keeping.library import Entry, Found, Library, NoMatch
from controller.keeping.report import minutes, smaller
from controller.keeping.story import GameStory, Incident, Turn
from controller.now import Side
from controller.web.app import Room, director_of, page, require_director, room_of
from controller.web.guard import Director
from controller.web.plain import PROBLEMS, Refused
from controller.web.view import changed

router = APIRouter(tags=["matches"])

RoomHere = Annotated[Room, Depends(room_of)]
Who = Annotated[Director | None, Depends(director_of)]
Boss = Annotated[Director, Depends(require_director)]
Asked = Annotated[str, Query(max_length=200, description="Words that all have to stand in it: a player, a date, a clause.")]
Ending = Literal["mat", "sgf", "ogxm", "jsonl", "html", "pdf"]

REPORT_SECONDS = 30.0
"""Somebody else's report is waited for so long."""
KEPT_FILES = 6
"""Files kept ready; many phones fetch the same report after a match."""
PHONE_WIDTH = 1280
"""px of a still on the page."""
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
"""For the report, when it is opened in the browser: it has its style within, and no script."""
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "There is no such match, turn or picture."}, 403: {"description": "Not to be seen now."}}


class Shelf:
    """What these routes keep between requests, as `app.state.shelf`."""

    def __init__(self, room: Room) -> None:
        # The table knows what it writes to; its file must not be opened and closed here (see library.locked).
        self.library = Library(room.folder, lambda path: room.table.now.match.journal == path.name and room.table.now.phase != "finished")
        self.analyses = Analyses()
        self._making = threading.Lock()
        self._files: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    def file(self, found: Found, ending: str, pictures: bool) -> bytes:
        """One at a time: making a report costs a processor a second or more. Raises CannotHold, Refused."""
        key = found.entry.id, len(found.past.events), found.entry.running, ending, pictures
        if not self._making.acquire(timeout=REPORT_SECONDS):
            raise Refused("Other files are being made: try again in a moment.", status=503)
        try:
            made = self._files.get(key)
            if made is None:
                name = found.entry.id
                made = file_of(found, ending, lambda frame: self.library.still(name, frame) if pictures else None)
                self._files[key] = made
                while len(self._files) > KEPT_FILES:
                    self._files.popitem(last=False)
            return made
        finally:
            self._making.release()


def shelf_of(request: Request) -> Shelf:
    """A dependency: the shelf."""
    shelf: Shelf = request.app.state.shelf
    return shelf


ShelfHere = Annotated[Shelf, Depends(shelf_of)]


def is_hidden(entry_id: str, room: Room, director: Director | None) -> bool:
    """A silent match that goes on is shown to the director alone: its record says what was wrong."""
    now = room.table.now
    over = now.state.ended or now.state.match.winner is not None or now.phase == "finished"
    return director is None and now.match.speaks == "silent" and now.match.journal == entry_id and not over


def open_match(name: str, room: Room, shelf: Shelf, director: Director | None) -> Found:
    """Raises Refused: 404 for what is not there, 403 for what is not to be seen."""
    if is_hidden(name, room, director):
        raise Refused("This match is silent: its record is shown when it is over.", status=403)
    try:
        return shelf.library.open(name)
    except NoMatch as error:
        raise Refused(str(error), status=404) from error


def may_see_pictures(room: Room, director: Director | None) -> bool:
    return director is not None or room.secrets.camera_open


# What programs get


class MatchView(BaseModel):
    """One match of the folder."""

    id: str
    names: tuple[str, str]
    begun: datetime | None
    length: int
    """Points, 0 for money."""
    score: tuple[int, int]
    games: int
    turns: int
    illegal: int
    void: int
    unsure: int
    running: bool
    winner: str
    rules: str
    broken: str
    """Why it cannot be read; empty when it can."""


class TurnView(BaseModel):
    number: int
    game: int
    kind: str
    """play, dance, illegal, stands or position_set."""
    player: Side | None
    dice: list[int]
    text: str
    before: list[int]
    after: list[int]
    lit: list[int]
    """Points that changed, in A's numbering; 25 A's bar, 0 A's off, 26 B's bar, 27 B's off."""
    score: tuple[int, int]
    cube: int
    cube_owner: Side | None
    seconds: float | None
    corrected: bool


class RowView(BaseModel):
    """A line of the score sheet: a turn, or an act with the cube."""

    turn: int | None
    player: Side | None
    dice: list[int]
    text: str
    seconds: float | None
    kind: str


class GameView(BaseModel):
    number: int
    score: tuple[int, int]
    """Before it."""
    winner: Side | None
    points: int
    how: str
    rows: list[RowView]


class IncidentView(BaseModel):
    number: int
    kind: str
    title: str
    words: str
    clause: str
    game: int
    turn: int
    by: str


class MatchDetail(MatchView):
    home: Literal["right", "left"]
    turns_told: list[TurnView]
    games_told: list[GameView]
    incidents: list[IncidentView]


class AnalysisView(BaseModel):
    """How gnubg's analysis of a match stands."""

    state: Literal["none", "running", "done", "failed"]
    possible: bool
    """gnubg is there, and the match can be given to it."""
    why_not: str
    plies: int
    done: int
    total: int
    problem: str
    result: thinking.Analysis | None


class AnalysisGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    plies: Annotated[int, Field(ge=0, le=thinking.MOST_PLIES)] = thinking.PLIES
    """How far gnubg looks ahead."""


def ended(sentence: str) -> str:
    """With a full stop, unless it has one."""
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def match_view(entry: Entry) -> MatchView:
    values = {name: value for name, value in asdict(entry).items() if name != "text"}
    return MatchView(**values, winner=entry.winner)


def turn_view(turn: Turn) -> TurnView:
    return TurnView(
        number=turn.number, game=turn.game, kind=turn.kind, player=turn.player.value if turn.player else None, dice=list(turn.dice), text=turn.text,
        before=list(turn.before), after=list(turn.after), lit=changed(turn.before, turn.after), score=turn.score, cube=turn.cube.value,
        cube_owner=turn.cube.owner.value if turn.cube.owner else None, seconds=turn.seconds, corrected=turn.corrected,
    )  # fmt: skip


def game_view(game: GameStory) -> GameView:
    rows = [
        RowView(turn=row.turn, player=row.player.value if row.player else None, dice=list(row.dice), text=row.text, seconds=row.seconds, kind=row.kind)
        for row in game.rows
    ]
    winner: Any = game.winner.value if game.winner else None
    return GameView(number=game.number, score=game.score, winner=winner, points=game.points, how=game.how, rows=rows)


def incident_view(one: Incident) -> IncidentView:
    return IncidentView(
        number=one.number, kind=one.kind, title=one.title, words=one.words, clause=one.clause, game=one.game, turn=one.turn, by=one.by
    )


def detail_of(found: Found) -> MatchDetail:
    return MatchDetail(
        **match_view(found.entry).model_dump(), home=found.past.state.home if found.past.state else "right",
        turns_told=[turn_view(turn) for turn in found.story.turns], games_told=[game_view(game) for game in found.story.games],
        incidents=[incident_view(one) for one in found.story.incidents],
    )  # fmt: skip


@router.get("/api/matches", summary="The matches of this board, newest first")
def matches(room: RoomHere, shelf: ShelfHere, director: Who, q: Asked = "") -> list[MatchView]:
    found = []
    for entry in shelf.library.entries(q):
        view = match_view(entry)
        if is_hidden(entry.id, room, director):
            # That it fits a search may tell what was wrong, too.
            if q:
                continue
            view = view.model_copy(update={"illegal": 0, "void": 0, "unsure": 0})
        found.append(view)
    return found


@router.get("/api/matches/{match}", summary="One match: its games, turns, and what was out of the ordinary", responses=NOT_FOUND)
def match(match: str, room: RoomHere, shelf: ShelfHere, director: Who) -> MatchDetail:
    return detail_of(open_match(match, room, shelf, director))


@router.get(
    "/api/matches/{match}/stills/{frame}",
    summary="The picture kept of a frame",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": {}}}, **NOT_FOUND},
)
def still(match: str, frame: int, room: RoomHere, shelf: ShelfHere, director: Who) -> Response:
    open_match(match, room, shelf, director)
    if not may_see_pictures(room, director):
        raise Refused("The camera's pictures are shown to the director alone.", status=403)
    data = shelf.library.still(match, frame) if 0 <= frame < 10**8 else None
    small = smaller(data, PHONE_WIDTH) if data else None
    if small is None:
        raise Refused("No picture is kept of that frame.", status=404)
    return Response(small, media_type="image/jpeg")


@router.get(
    "/api/matches/{match}/download/{ending}",
    summary="The match as a file",
    response_class=Response,
    responses={200: {"content": {kind.media.partition(";")[0]: {} for kind in KINDS.values()}}, 409: PROBLEMS[409], **NOT_FOUND},
)
def download(match: str, ending: Ending, room: RoomHere, shelf: ShelfHere, director: Who) -> Response:
    """What a sort of file cannot hold is refused with the reason (409)."""
    found = open_match(match, room, shelf, director)
    try:
        content = shelf.file(found, ending, may_see_pictures(room, director))
    except CannotHold as error:
        raise Refused(ended(f"This match cannot be written so: {error}"), status=409) from error
    headers = {"content-disposition": f'attachment; filename="{name_of(found, ending)}"'}
    if ending == "html":
        headers["content-security-policy"] = REPORT_POLICY
    return Response(content, media_type=KINDS[ending].media, headers=headers)


@router.get("/api/matches/{match}/analysis", summary="How gnubg's analysis stands, and what it found", responses=NOT_FOUND)
def analysis(match: str, room: RoomHere, shelf: ShelfHere, director: Who) -> AnalysisView:
    return analysis_view(open_match(match, room, shelf, director), shelf)


@router.post("/api/matches/{match}/analysis", summary="Have gnubg analyse the match, in the background", responses={**PROBLEMS, **NOT_FOUND})
def start_analysis(match: str, given: AnalysisGiven, room: RoomHere, shelf: ShelfHere, boss: Boss) -> AnalysisView:
    found = open_match(match, room, shelf, boss)
    try:
        shelf.analyses.start(found.past.path, thinking.match_of(found), found.past.names, given.plies)
    except CannotHold as error:
        raise Refused(ended(f"gnubg cannot be given this match: {error}"), status=409) from error
    except (thinking.AnalysisError, Busy) as error:
        raise Refused(ended(f"{str(error)[:1].upper()}{str(error)[1:]}"), status=409) from error
    return analysis_view(found, shelf)


@router.delete("/api/matches/{match}/analysis", summary="Stop the analysis", responses={**PROBLEMS, **NOT_FOUND})
def stop_analysis(match: str, room: RoomHere, shelf: ShelfHere, boss: Boss) -> AnalysisView:
    found = open_match(match, room, shelf, boss)
    shelf.analyses.stop(match)
    return analysis_view(found, shelf)


def analysis_view(found: Found, shelf: Shelf) -> AnalysisView:
    why_not, record = "", None
    try:
        record = thinking.match_of(found)
    except CannotHold as error:
        why_not = ended(f"gnubg cannot be given this match: {error}")
    if not why_not and thinking.installed() is None:
        why_not = "gnubg is not installed on the board's computer."
    job: Job = shelf.analyses.of(found.past.path, record)
    plies = thinking.PLIES if job.state == "none" else job.plies
    return AnalysisView(
        state=job.state, possible=not why_not, why_not=why_not, plies=plies, done=job.done, total=job.total, problem=job.problem, result=job.result
    )


# The pages


@router.get("/matches", response_class=HTMLResponse, include_in_schema=False)
def matches_page(request: Request, room: RoomHere, shelf: ShelfHere, director: Who, q: Asked = "") -> HTMLResponse:
    return page(request, "matches.html", page="matches", matches=matches(room, shelf, director, q), q=q)


@router.get("/matches/{match}", response_class=HTMLResponse, include_in_schema=False)
def match_page(match: str, request: Request, room: RoomHere, shelf: ShelfHere, director: Who) -> HTMLResponse:
    found = page_match(match, room, shelf, director)
    kinds = [(kind.ending, kind.name) for kind in KINDS.values()]
    return page(
        request, "match.html", page="matches", match=detail_of(found), kinds=kinds, minutes=minutes, analysis=analysis_view(found, shelf),
        levels=range(thinking.MOST_PLIES + 1),
    )  # fmt: skip


class NoPage(Exception):
    """A page that cannot be shown."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


def page_match(match: str, room: Room, shelf: Shelf, director: Director | None) -> Found:
    try:
        return open_match(match, room, shelf, director)
    except Refused as refused:
        raise NoPage(refused.sentence, refused.status) from refused


def add_to(app: FastAPI) -> None:
    """The shelf; and what a page of these cannot show becomes a sentence, and a way back."""
    app.state.shelf = Shelf(app.state.room)

    @app.exception_handler(NoPage)
    async def no_page(request: Request, error: NoPage) -> HTMLResponse:
        found = page(request, "no_match.html", page="matches", sentence=error.sentence)
        found.status_code = error.status
        return found


def close(app: FastAPI) -> None:
    """The page ends, and an analysis with it."""
    app.state.shelf.analyses.close()

