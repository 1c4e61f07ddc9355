"""What others may know of the table: values, which the loop leaves and nobody changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibration.geometry import BoardGeometry
from controller.events import Event
from controller.looking import Look
from controller.match import Match
from controller.state import RefereeState
from vision.frames import Frame
from vision.scene import Scene

Side = Literal["A", "B"]
Phase = Literal["no camera", "looking", "set up", "watching", "finished"]


@dataclass(frozen=True, slots=True)
class Now:
    """The table at one instant."""

    serial: int
    """Grows with everything that is told."""
    phase: Phase
    match: Match
    number: int
    """Of the match's last event, counted from 1; 0 before any."""
    state: RefereeState
    note: str = ""
    """Why nothing is read now: a hand, no camera, the pictures have ended."""
    look: Look | None = None
    """What was seen of the starting position, while the board is being set up."""
    waits: bool = False
    """A person has to say start."""
    darker: Side = "B"
    """Whose checkers are the darker ones on the board."""

    def looks_like(self, other: Now) -> bool:
        """Nothing that a viewer sees differs (evidence, frame number and time change with every look)."""
        return _plain(self) == _plain(other) and (self.state is other.state or _shown(self.state) == _shown(other.state))


@dataclass(frozen=True, slots=True)
class News:
    """What is told to viewers: the table as it is now, and the events that are new, with their numbers."""

    now: Now
    events: tuple[tuple[int, Event], ...]
    at: float
    """Unix time, s."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The newest picture, and the last scene that was read with the geometry it was read by."""

    frame: Frame
    scene: Scene | None
    geometry: BoardGeometry | None


def _plain(now: Now) -> tuple[object, ...]:
    return now.phase, now.match, now.number, now.note, now.waits, now.look, now.darker


def _shown(state: RefereeState) -> tuple[object, ...]:
    return (
        state.phase, state.position, state.turn, state.said, state.announced, state.cube, state.games, state.restore, state.board_shown,
        state.open and state.open.illegal, state.resigning, state.ended,
        state.throw and [round(x) for die in state.throw.dice for x in die.xy],
    )  # fmt: skip
