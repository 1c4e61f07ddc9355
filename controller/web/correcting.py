"""What the director may do to the game: every act is a command to the referee, and an event in the journal with his name."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from controller.events import Command, Ending, Order
from controller.mailbox import Answer, NotNow
from controller.table import Table
from controller.web.app import Room, page, require_director, room_of
from controller.web.guard import Director
from controller.web.plain import PROBLEMS, Refused
from rules.position import Position, PositionError

router = APIRouter(tags=["acts"], prefix="/api/acts", responses=PROBLEMS)
pages = APIRouter()

ANSWER_SECONDS = 8.0
"""A slow Pi reads a frame in a second or two; a camera that was lost is noticed after six."""
LOOKING_SECONDS = 60.0
"""While the board is searched for, one look takes far longer; most are done by then even on a slow Pi."""

RoomHere = Annotated[Room, Depends(room_of)]
Boss = Annotated[Director, Depends(require_director)]
Said = TypeVar("Said")


class Given(BaseModel):
    """`match` and `number`: the match and its last event as the person saw them. When more has happened since, nothing is done and he is
    told so (409). Without them the act is taken as it comes."""

    model_config = ConfigDict(extra="forbid")

    match: Annotated[str, Field(max_length=200)] | None = None
    number: Annotated[int, Field(ge=0, le=10**9)] | None = None

    @property
    def based_on(self) -> tuple[str, int] | None:
        return None if self.match is None or self.number is None else (self.match, self.number)


class PositionGiven(Given):
    position: Annotated[list[Annotated[int, Field(ge=-15, le=15)]], Field(min_length=28, max_length=28)]
    """24 points in A's numbering, A's and B's bar, A's and B's off."""
    player: Literal["A", "B"]
    """Who rolls next."""


class CubeGiven(Given):
    value: Annotated[int, Field(ge=1, le=1 << 20)]
    owner: Literal["A", "B"] | None
    """Null for the middle."""


class ScoreGiven(Given):
    score: Annotated[list[Annotated[int, Field(ge=0, le=999)]], Field(min_length=2, max_length=2)]
    """Points of A and B."""
    crawford_over: bool = False
    """The Crawford game has been played already."""


class ResignationGiven(Given):
    player: Literal["A", "B"]
    """Who resigns."""
    how: Literal["single", "gammon", "backgammon"] = "single"


class Done(BaseModel):
    number: int
    """The match's last event now."""
    words: list[str]
    """What came of it."""


PLAIN: dict[str, tuple[Order | Ending, str]] = {
    "double": ("double", "Whoever is on turn doubles"),
    "take": ("take", "The double is taken"),
    "pass": ("pass", "The double is passed: the game is over"),
    "call": ("call", "The last play is called: the referee says what he thinks of it"),
    "stands": ("stand", "The illegal play that was called stands as it lies"),
    "undo": ("undo", "The last play is taken back"),
    "accept": ("accept", "The resignation that is offered is accepted: the game is over"),
    "refuse": ("refuse", "The resignation that is offered is not accepted: play goes on"),
    "end-match": ("end_match", "The players leave off: the match is over as it stands"),
    "commit": ("commit", "The turn is over although the dice still lie"),
    "new-game": ("new_game", "This game is broken off without a result; the next begins when the board is set up"),
}
"""Acts that need no more than their name: the path's last part, the referee's command, what it does."""


async def answered(table: Table, asked: Future[Said]) -> Said:
    """What came of it. One that was not taken in time is withdrawn: nobody is surprised by it later."""
    answer, looking = asyncio.wrap_future(asked), table.now.phase in ("looking", "set up")
    try:
        return await asyncio.wait_for(asyncio.shield(answer), LOOKING_SECONDS if looking else ANSWER_SECONDS)
    except TimeoutError:
        if asked.cancel():
            why = "it still looks for the board in a picture" if looking else "the camera sends no pictures"
            raise Refused(f"The table does not answer: {why}. Nothing was done.", status=503) from None
    except asyncio.CancelledError:
        if asked.cancelled():
            raise NotNow("The table has stopped. Nothing was done.") from None
        raise
    try:
        return await asyncio.wait_for(asyncio.shield(answer), ANSWER_SECONDS)
    except TimeoutError:
        raise Refused("It was taken, but what came of it is not known yet: look at the board before you ask again.", status=503) from None
    except asyncio.CancelledError:
        if asked.cancelled():
            raise NotNow("The table has stopped. Nothing was done.") from None
        raise


async def told(room: Room, boss: Director, given: Given, what: Order | Ending, **data: Any) -> Done:
    """Hand a command to the referee; what he refuses is a 409 with his sentence."""
    answer: Answer = await answered(room.table, room.table.tell(Command(what, data, by=boss.name), given.based_on))
    refused = next((str(e.data["sentence"]) for e in answer.events if e.event == "refused"), None)
    if refused is not None:
        raise Refused(refused, status=409)
    names = room.table.now.state.names
    return Done(number=answer.number, words=[room.words(event, names) for event in answer.events])


def _plain(path: str, what: Order | Ending, does: str) -> None:
    async def act(room: RoomHere, boss: Boss, given: Given | None = None) -> Done:
        return await told(room, boss, given or Given(), what)

    router.add_api_route(f"/{path}", act, methods=["POST"], summary=does, operation_id=path.replace("-", "_"))


for _path, (_what, _does) in PLAIN.items():
    _plain(_path, _what, _does)


@router.post("/position", summary="This is the position, and this player is to roll")
async def set_position(given: PositionGiven, room: RoomHere, boss: Boss) -> Done:
    try:
        Position.from_28(given.position, room.table.now.state.start.checkers)
    except PositionError as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "position") from error
    return await told(room, boss, given, "set_position", position=given.position, player=given.player)


@router.post("/resign", summary="A player offers to resign")
async def resign(given: ResignationGiven, room: RoomHere, boss: Boss) -> Done:
    return await told(room, boss, given, "resign", player=given.player, how=given.how)


@router.post("/cube", summary="The cube shows this, and lies there")
async def set_cube(given: CubeGiven, room: RoomHere, boss: Boss) -> Done:
    if given.value & (given.value - 1):
        raise Refused("A cube shows 1, 2, 4, 8 and so on.", "value")
    if given.value == 1 and given.owner is not None:
        raise Refused("A cube at 1 lies in the middle.", "owner")
    return await told(room, boss, given, "set_cube", value=given.value, owner=given.owner)


@router.post("/score", summary="The score before this game")
async def set_score(given: ScoreGiven, room: RoomHere, boss: Boss) -> Done:
    length = room.table.now.state.length
    if length and max(given.score) >= length:
        raise Refused(f"With {max(given.score)} points a match to {length} would be over: give less.", "score")
    return await told(room, boss, given, "set_score", score=given.score, crawford_over=given.crawford_over)


@pages.get("/correct", response_class=HTMLResponse, include_in_schema=False)
def correct_page(request: Request) -> HTMLResponse:
    return page(request, "correct.html", page="correct")
