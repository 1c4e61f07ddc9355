"""What the referee knows between two scenes: immutable, and written to the journal as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from controller.evidence import Evidence, Home, Key
from controller.throw import Throw
from rules.cube import Cube
from rules.match import GameResult
from rules.plays import Roll
from rules.position import START, Player, Position
from rules.ruleset import DEFAULT, RuleSet

Phase = Literal["setup", "opening", "to_roll", "rolled", "over"]
Said = Literal["nothing", "valid", "void"]


@dataclass(frozen=True, slots=True)
class Table:
    """What does not change in a match."""

    home: Home = "right"
    start: Position = START
    ruleset: RuleSet = DEFAULT
    names: tuple[str, str] = ("A", "B")
    length: int = 0
    """Points of the match; 0 for money."""


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A committed turn whose verdict is still to come, or an illegal play that may yet be corrected."""

    ways: tuple[tuple[Position, Player, Roll, float], ...]
    """How the turn may have been, with probabilities."""
    announced: Roll | None
    illegal: Key | None = None
    """The illegal board that was called."""
    opening: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """The turn as it was before its dice seemed lifted, in case they were only overlooked."""

    position: Position
    beliefs: tuple[tuple[Position, float], ...]
    player: Player | None
    throw: Throw
    announced: Roll | None
    opening: bool
    lost: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CubeHint:
    owner: Player
    scenes: int
    read: float
    """Probability, in the best scene, that the cube shows the doubled number."""


@dataclass(frozen=True, slots=True)
class State:
    phase: Phase = "setup"
    position: Position = START
    beliefs: tuple[tuple[Position, float], ...] = ()
    """After an unsure verdict: the positions it may be, `position` among them. Empty when sure."""
    player: Player | None = None
    """Whose turn it is; None until the opening roll is read."""
    throw: Throw | None = None
    said: Said = "nothing"
    """What was said of the roll that lies."""
    announced: Roll | None = None
    opening: bool = False
    """The roll that lies is the opening roll."""
    early: Throw | None = None
    """A premature roll (D6) that was called."""
    evidence: Evidence | None = None
    """The board since it last changed."""
    open: OpenTurn | None = None
    undo: Undo | None = None
    cube: Cube = Cube()
    cube_hint: CubeHint | None = None
    lost: tuple[int, int] = (0, 0)
    """Checkers of A and B that an illegal play took off and that stood."""
    games: tuple[GameResult, ...] = ()
    setup_said: bool = False

    def to_json(self) -> str:
        return _ADAPTER.dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> State:
        return _ADAPTER.validate_json(text)


_ADAPTER: TypeAdapter[State] = TypeAdapter(State)


def waiting_for(state: State, names: tuple[str, str]) -> str:
    """One short sentence: what the referee waits for now."""
    who = names[state.player.side] if state.player else ""
    match state.phase:
        case "setup":
            return "waiting for the starting position"
        case "opening":
            return "waiting for the opening roll, one die in each half"
        case "rolled" if state.said == "void":
            return f"waiting for {who} to roll again" if who else "waiting for the opening roll to be thrown again"
        case "rolled":
            roll = f" {state.announced}" if state.announced else ""
            return f"waiting for {who or 'the first player'} to play{roll} and lift the dice"
        case "over":
            return "waiting for the next game to be set up"
    if state.open and state.open.illegal:
        return f"waiting for {who} to correct the play, or for {names[state.player.other.side] if state.player else ''}'s dice"
    if state.open:
        return "looking at the play again"
    return f"waiting for {who}'s dice"
