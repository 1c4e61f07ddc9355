"""Watching: the page, the table as it is now, the events, and the stream that brings both as they happen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import BaseModel

from controller.now import News, Now
from controller.web.app import Room, director_of, page, room_of, still_director
from controller.web.guard import Director
from controller.web.view import BoardView, EventView, events_view, view_of

router = APIRouter(tags=["watching"])

ALIVE_SECONDS = 5.0
"""A sign of life on a quiet stream: a phone that hears nothing for three of these opens the stream anew."""
RETRY_MS = 700
MADE = 32
"""Messages kept ready for viewers who are a little behind."""
LOOK_BACK = 400
"""Events searched for the last verdict."""

RoomHere = Annotated[Room, Depends(room_of)]
Who = Annotated[Director | None, Depends(director_of)]


class EventsView(BaseModel):
    match: str
    number: int
    """Of the match's last event."""
    events: list[EventView]


class NewsView(BaseModel):
    """One message of the stream."""

    board: BoardView
    events: list[EventView]
    """Those that are new; after `fresh`, all of them."""
    fresh: bool = False
    """What was known before belongs to another match, or has a gap: forget it."""
    at: float
    """Unix time, s, at which it happened."""


@router.get("/", response_class=HTMLResponse, include_in_schema=False)
def watch_page(request: Request) -> HTMLResponse:
    return page(request, "watch.html", page="watch")


@router.get("/api/board", summary="The table now")
def board(room: RoomHere, director: Who) -> BoardView:
    return board_now(room, director is not None)


@router.get("/api/events", summary="The match's events after number `since`")
def events(room: RoomHere, director: Who, since: Annotated[int, Query(ge=0, le=10**9)] = 0) -> EventsView:
    now = room.table.now
    told = events_view(room.table.events(since), now, room.words, director=director is not None)
    return EventsView(match=now.match.journal, number=now.number, events=told)


@router.get(
    "/api/stream",
    summary="The table and its events as they happen (server-sent events)",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Messages `news` with a NewsView, and `alive` on a quiet table."}},
)
async def stream(
    room: RoomHere,
    director: Who,
    since: Annotated[int, Query(ge=0, le=10**9)] = 0,
    match: Annotated[str, Query(max_length=200)] = "",
    last_event_id: Annotated[str, Header(max_length=300)] = "",
) -> StreamingResponse:
    """Begins with the table as it is and the events after `since` of `match`; of another match, or without one, with all of them.
    A browser that comes back says by `Last-Event-ID` how far it was."""
    if ":" in last_event_id:
        match, _, number = last_event_id.rpartition(":")
        since = int(number[:9]) if number.isascii() and number.isdigit() else 0
    return StreamingResponse(
        _messages(room, director, match, since), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


def board_now(room: Room, director: bool) -> BoardView:
    return _board(room, room.table.now, director)


def _board(room: Room, now: Now, director: bool) -> BoardView:
    since = max(now.number - LOOK_BACK, 0)
    return view_of(now, list(room.table.events(since)[: now.number - since]), room.words, director=director)


async def _messages(room: Room, who: Director | None, match: str, since: int) -> AsyncIterator[bytes]:
    """Joined before the first look, so that nothing is missed between; what the look already held is passed over.
    Whose session has ended is a viewer from then on."""
    viewer = room.table.feed.join()
    try:
        now, director = room.table.now, still_director(room, who)
        fresh = match != now.match.journal or since > now.number
        told = events_view(room.table.events(0 if fresh else since), now, room.words, director=director)
        first = NewsView(board=board_now(room, director), events=told, fresh=fresh, at=time.time())
        yield f"retry: {RETRY_MS}\n\n".encode() + _message(first)
        serial, known = now.serial, now.match.journal
        while True:
            try:
                async with asyncio.timeout(ALIVE_SECONDS):
                    news = await viewer.next()
            except TimeoutError:
                yield b"event: alive\ndata: {}\n\n"
                continue
            if news is None:
                return
            if news.now.serial <= serial:
                continue
            serial = news.now.serial
            yield _shared(room, news, still_director(room, who), fresh=news.now.match.journal != known)
            known = news.now.match.journal
    finally:
        room.table.feed.leave(viewer)


def _shared(room: Room, news: News, director: bool, *, fresh: bool) -> bytes:
    """The message, made once for all who get the same."""
    key = news.now.serial, director, fresh
    made = room.messages.get(key)
    if made is None:
        told = events_view(news.events, news.now, room.words, director=director)
        made = _message(NewsView(board=_board(room, news.now, director), events=told, fresh=fresh, at=news.at))
        while len(room.messages) >= MADE:
            del room.messages[next(iter(room.messages))]
        room.messages[key] = made
    return made


def _message(news: NewsView) -> bytes:
    text = news.model_dump_json()
    return f"id: {news.board.match}:{news.board.number}\nevent: news\ndata: {text}\n\n".encode()
