"""What was seen of the starting position, point by point, in words for whoever stands at the board."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from calibration.geometry import BoardGeometry
from calibration.locate import BoardNotFound
from calibration.opening import LANE_NAMES, OpeningError
from calibration.profile import Profile
from calibration.quality import complaints
from controller.app import NotSetUp
from controller.lanes_to_points import Home, lane_order
from rules.position import START, Position
from vision.frames import Frame
from vision.scene import Scene

FIND = (
    "No board is found in the picture. Is the whole board in view, open and lit? Set it up for a new game, or drag the corners of the"
    " playing surface into place."
)


@dataclass(frozen=True, slots=True)
class Point:
    """One of A's points, 1 to 24; 25 the bar."""

    point: int
    wanted: int
    """Signed: above zero A's."""
    seen: int | None
    """How many stand there, of either side; None where nothing was counted."""

    @property
    def right(self) -> bool:
        return self.seen == abs(self.wanted)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the starting position. `ready`: it reads exactly, play may begin."""

    ready: bool
    problems: tuple[str, ...] = ()
    """Sentences, the most useful first."""
    points: tuple[Point, ...] = ()
    home: Home = "right"
    corners: tuple[tuple[float, float], ...] = ()
    """Eight points px of the picture, where a board was found: its corners and the bar's, as in `BoardGeometry`."""
    glare: tuple[int, ...] = ()
    """Points that are burnt out."""
    colours: tuple[str, str] = ("", "")
    """How A's and B's checkers look, "#rrggbb", where that was learned."""
    trouble: str = ""
    """What the log says of it."""
    geometry: BoardGeometry | None = field(default=None, compare=False)
    scene: Scene | None = field(default=None, compare=False)


def look_closely(frame: Frame, outcome: Profile | Exception, given: BoardGeometry | None = None, start: Position = START) -> Look:
    """What came of learning the board from `frame`: a profile, or what was raised. `given`: the corners it was told, if it was."""
    if isinstance(outcome, Profile):
        points = tuple(Point(n, count, abs(count)) for n, count in enumerate(start.points, 1))
        return _with_picture(frame, outcome.geometry, Look(True, points=points, home=outcome.home, colours=outcome.colours))
    geometry, error = given, outcome
    if isinstance(error, NotSetUp) and error.closest is not None:
        geometry, error = error.closest
    trouble = str(outcome)
    if isinstance(error, OpeningError) and geometry is not None:
        points = _points(error, start)
        told = [_sentence(p) for p in points if not p.right and p.seen is not None]
        told = told or [_renamed(reason, error.home) for reason in error.reasons]
        return _with_picture(frame, geometry, Look(False, tuple(told), points, error.home, trouble=trouble))
    if isinstance(error, BoardNotFound):
        return Look(False, (FIND,), trouble=trouble)
    return Look(False, (trouble[:1].upper() + trouble[1:] + ".",), trouble=trouble)


def _with_picture(frame: Frame, geometry: BoardGeometry, look: Look) -> Look:
    """Adds where the board lies, and what is wrong with the picture: that first, for it explains the rest."""
    fits = geometry.size == (frame.image.shape[1], frame.image.shape[0])
    amiss = complaints(frame.image, geometry) if fits else []
    order = lane_order(look.home)
    glare = tuple(sorted(order.index(lane) + 1 for c in amiss if c.what == "glare" for lane in c.lanes))
    sentences = tuple(
        f"Glare on {_listed(glare)}: {c.sentence[0].lower()}{c.sentence[1:]}" if c.what == "glare" and len(glare) <= 6 else c.sentence
        for c in amiss
    )
    corners = tuple((round(float(x), 1), round(float(y), 1)) for x, y in (*geometry.corners, *geometry.bar))
    return Look(
        look.ready, sentences + look.problems, look.points, look.home, corners, glare, look.colours, look.trouble, geometry, look.scene
    )


def _points(error: OpeningError, start: Position) -> tuple[Point, ...]:
    if len(error.got) != 26:
        return ()
    order = lane_order(error.home)
    points = [Point(n, start.points[n - 1], error.got[lane]) for n, lane in enumerate(order, 1)]
    return (*points, Point(25, 0, error.got[24] + error.got[25]))


def _sentence(point: Point) -> str:
    seen, wanted = point.seen or 0, abs(point.wanted)
    place = "the bar" if point.point == 25 else f"point {point.point}"
    if not wanted:
        return f"{place[0].upper()}{place[1:]} should be empty; {_checkers(seen)} seen there."
    if seen < wanted:
        missing = wanted - seen
        return f"{'A checker is' if missing == 1 else f'{missing} checkers are'} missing on {place}: {wanted} should stand there, {seen or 'none'} seen."
    return f"Too many checkers on {place}: {wanted} should stand there, {seen} seen."


def _checkers(count: int) -> str:
    return "a checker is" if count == 1 else f"{count} checkers are"


def _listed(points: tuple[int, ...]) -> str:
    numbers = [str(p) for p in points]
    return f"point {numbers[0]}" if len(numbers) == 1 else f"points {', '.join(numbers[:-1])} and {numbers[-1]}"


def _renamed(reason: str, home: Home) -> str:
    """A lane's name as people say it: A's point."""
    order = lane_order(home)
    text = re.sub(r"\b(top|bottom)\d+\b", lambda m: f"point {order.index(LANE_NAMES.index(m[0])) + 1}" if m[0] in LANE_NAMES else m[0], reason)
    return text[:1].upper() + text[1:] + "."
