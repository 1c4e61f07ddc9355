"""The camera's picture, with the reading drawn over it: at a bounded size and rate, made only while somebody looks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

import cv2
import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from calibration.geometry import Image
from controller.lanes_to_points import lane_order
from controller.now import Sight
from controller.table import Table
from controller.web.app import Room, director_of, page, room_of, still_director
from controller.web.guard import Director
from controller.web.plain import PROBLEMS, Refused
from vision import thresholds
from vision.annotate import annotate
from vision.scene import readable

router = APIRouter(tags=["camera"])

WIDEST = 1280
"""px; a phone shows no more, and a club's radio carries no more."""
FASTEST = 4.0
"""Pictures a second."""
QUALITY = 80
STREAMS = 12
"""Moving pictures at once; whoever comes later gets single ones."""
BOUNDARY = "gammonwatch-picture"

RoomHere = Annotated[Room, Depends(room_of)]
Who = Annotated[Director | None, Depends(director_of)]


class ReadingView(BaseModel):
    """What was read in the last settled picture."""

    name: str
    """Of the frame."""
    note: str
    points: list[dict[str, Any]]
    """For each of A's points: point, count (above zero A's), sure (0..1), unsure."""
    bar: tuple[int, int]
    dice: list[dict[str, Any]]
    cube: dict[str, Any] | None


class Pictures:
    """JPEGs of the newest picture, each made once however many look. Safe between threads."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._lock = threading.Lock()
        self._made: dict[tuple[int, bool], tuple[Sight, bytes]] = {}
        self.streams = 0

    def jpeg(self, width: int, reading: bool) -> tuple[Sight, bytes] | None:
        """The newest picture `width` px wide, with the reading over it; None before the first."""
        sight = self._table.sight
        if sight is None:
            return None
        with self._lock:
            made = self._made.get((width, reading))
            if made is None or made[0] is not sight:
                if len(self._made) > 8:
                    self._made.clear()
                made = self._made[width, reading] = sight, _encode(sight, width, reading)
        return made


def _encode(sight: Sight, width: int, reading: bool) -> bytes:
    image = sight.frame.image
    if reading and sight.geometry is not None:
        image = drawn(sight)
    if image.shape[1] > width:
        image = np.asarray(cv2.resize(image, (width, round(image.shape[0] * width / image.shape[1])), interpolation=cv2.INTER_AREA), np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])


def drawn(sight: Sight) -> Image:
    """The picture with the outlines of board, bar and points, and the scene when one was read."""
    image, geometry = sight.frame.image, sight.geometry
    assert geometry is not None
    if geometry.size != (image.shape[1], image.shape[0]):
        return image
    out = image.copy()
    thick = max(1, round(geometry.lane_px / 40))
    for lane in range(24):
        to_image = geometry.lane_homography(lane)
        triangle = np.array([[-0.5, 0, 1], [0.5, 0, 1], [0, 0.42, 1]]) @ to_image.T
        corners = np.round(triangle[:, :2] / triangle[:, 2:]).astype(np.int32)
        cv2.polylines(out, [corners], True, (255, 210, 120), thick, cv2.LINE_AA)
    if sight.scene is not None:
        return annotate(out, geometry, sight.scene)
    for quad in (geometry.corners, geometry.bar):
        cv2.polylines(out, [np.round(quad).astype(np.int32)], True, (80, 220, 80), 2 * thick, cv2.LINE_AA)
    return out


def pictures_of(request: Request) -> Pictures:
    found: Pictures = request.app.state.pictures
    return found


def may_look(room: RoomHere, who: Who) -> None:
    """A dependency: the director always may, viewers while he lets them."""
    if who is None and not room.secrets.camera_open:
        raise Refused("The director has closed the camera's picture to viewers.", status=403)


Here = Annotated[Pictures, Depends(pictures_of)]
Width = Annotated[int, Query(ge=160, le=WIDEST)]


@router.get("/camera", response_class=HTMLResponse, include_in_schema=False)
def camera_page(request: Request) -> HTMLResponse:
    return page(request, "camera.html", page="camera")


@router.get(
    "/api/camera.jpg", summary="The newest picture", response_class=Response, dependencies=[Depends(may_look)],
    responses={200: {"content": {"image/jpeg": {}}}, 404: PROBLEMS[422], **PROBLEMS},
)  # fmt: skip
def picture(pictures: Here, width: Width = WIDEST, reading: bool = False) -> Response:
    made = pictures.jpeg(width, reading)
    if made is None:
        raise Refused("The camera has sent no picture yet.", status=404)
    return Response(made[1], media_type="image/jpeg")


@router.get(
    "/api/camera.mjpg", summary="The picture as it moves", response_class=StreamingResponse, dependencies=[Depends(may_look)],
    responses={200: {"content": {"multipart/x-mixed-replace": {}}}, **PROBLEMS},
)  # fmt: skip
async def moving(
    request: Request, pictures: Here, room: RoomHere, who: Who, width: Width = 960, reading: bool = False,
    fps: Annotated[float, Query(gt=0, le=FASTEST)] = 2.0,
) -> StreamingResponse:  # fmt: skip
    if pictures.streams >= STREAMS:
        raise Refused("Too many watch the moving picture: take single pictures.", status=503)
    parts = _parts(request, pictures, room, who, width, reading, 1 / fps)
    return StreamingResponse(parts, media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")


async def _parts(
    request: Request, pictures: Pictures, room: Room, who: Director | None, width: int, reading: bool, pause: float
) -> AsyncIterator[bytes]:
    """A part for each new picture; ends when the director closes it to viewers, or with his session where it is closed to them."""
    pictures.streams += 1
    try:
        last: Sight | None = None
        while not request.app.state.ending.is_set() and (room.secrets.camera_open or still_director(room, who)):
            began = time.monotonic()
            made = await run_in_threadpool(pictures.jpeg, width, reading)
            if made is not None and made[0] is not last:
                last, data = made
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                yield head.encode() + data + b"\r\n"
            await asyncio.sleep(max(pause - (time.monotonic() - began), 0.05))
    finally:
        pictures.streams -= 1


@router.get("/api/reading", summary="What was read in the last settled picture", dependencies=[Depends(may_look)], responses=PROBLEMS)
def reading(room: RoomHere, who: Who) -> ReadingView:
    now, sight = room.table.now, room.table.sight
    if sight is None or sight.scene is None:
        return ReadingView(name=sight.frame.name if sight else "", note=now.note, points=[], bar=(0, 0), dice=[], cube=None)
    scene = sight.scene
    sure = scene.board.confidence()
    points = [
        {"point": n, "count": scene.board.counts[lane], "sure": round(float(sure[lane]), 3), "unsure": bool(sure[lane] < thresholds.LANE_UNSURE)}
        for n, lane in enumerate(lane_order(now.state.home), 1)
    ]
    dice = [{"value": readable(die), "state": die.state, "where": die.where, "sure": round(max(die.values) * die.certainty, 3)} for die in scene.dice]
    cube = None
    if scene.cube is not None:
        cube = {"value": readable(scene.cube), "where": scene.cube.where, "sure": round(max(scene.cube.values) * scene.cube.certainty, 3)}
    return ReadingView(name=scene.name, note=now.note, points=points, bar=scene.board.on_bar, dice=dice, cube=cube)
