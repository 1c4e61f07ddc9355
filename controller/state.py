"""What the referee knows between two scenes: immutable, and written to the journal as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from controller.clock import Clock
from controller.correction import Lift, correction
from controller.evidence import Evidence, Key, key_of
from controller.lanes_to_points import Home
from controller.throw import Throw
from rules.cube import Cube
from rules.dice import VoidRoll
from rules.judge import nearest
from rules.match import GameResult, MatchState, Win
from rules.plays import Roll, legal_plays
from rules.position import START, Board, Player, Position
from rules.ruleset import DEFAULT, RuleSet

Phase = Literal["start", "opening", "roll", "lying", "over"]
Said = Literal["nothing", "valid", "void"]
Ways = tuple[tuple[Position, Player, Roll, float], ...]
"""How a turn may have been, with probabilities: the position before it, who played, the roll."""
Beliefs = tuple[tuple[Position, float], ...]
"""Positions it may be, with probabilities, the likeliest first."""
Lost = tuple[tuple[Position, tuple[int, int]], ...]
"""Positions with checkers that have vanished: how many of A and B are missing if it is so."""


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A committed turn (its dice are lifted) whose verdict is still to come, or an illegal play that may yet be corrected."""

    ways: Ways
    announced: Roll | None
    void: float = 0.0
    """Probability that the roll was void after all."""
    why_void: VoidRoll | None = None
    opening: bool = False
    lifted: int = 0
    """Settled scenes without dice since."""
    held: Key | None = None
    """An illegal board seen once; called when it is seen again, or when something else follows."""
    illegal: Key | None = None
    """The illegal board that was called."""
    asked: bool = False
    before_last: Evidence | None = None
    """The board while the dice still lay, when the next dice came without a scene between."""


@dataclass(frozen=True, slots=True)
class Undo:
    """The turn as it was before its dice were lifted, in case they were only overlooked, or the ply is taken back."""

    position: Position
    beliefs: Beliefs
    turn: Player | None
    throw: Throw
    announced: Roll | None
    opening: bool
    missing: tuple[int, int]
    lost: Lost = ()
    cube: Cube = Cube()


@dataclass(frozen=True, slots=True)
class CubeHint:
    """The cube seen on a player's side, not yet believed."""

    owner: Player
    scenes: int
    read: float
    """Probability, in the best scene, that the cube shows the doubled number."""


@dataclass(frozen=True, slots=True)
class RefereeState:
    """Everything the referee remembers. A value: `referee.step` gives back another."""

    start: Position = START
    ruleset: RuleSet = DEFAULT
    home: Home = "right"
    names: tuple[str, str] = ("A", "B")
    length: int = 0
    """Points of the match; 0 for money."""
    phase: Phase = "start"
    position: Position = START
    beliefs: Beliefs = ()
    """After an unsure verdict: the positions it may be, likeliest first. Empty when `position` is sure."""
    lost: Lost = ()
    """Of `beliefs`, those with checkers that have vanished: what `missing` is if it is so."""
    turn: Player | None = None
    """Whose turn it is; None until the opening roll is read."""
    throw: Throw | None = None
    """The dice that lie."""
    said: Said = "nothing"
    """What was said of the roll that lies."""
    announced: Roll | None = None
    opening: bool = False
    """The roll that lies is the opening roll."""
    early: Throw | None = None
    """A premature roll (D6) that was called."""
    resting: tuple[tuple[float, float], ...] = ()
    """Where dice lie beside the board while none is in play."""
    ghosts: tuple[tuple[float, float], ...] = ()
    """Places in play where something looks like a die and is none: it lay there before the game, or is never surely one."""
    evidence: Evidence | None = None
    """The board since it last changed."""
    covered: tuple[int, ...] = ()
    """Rows of it that the last look did not show."""
    open: OpenTurn | None = None
    undo: Undo | None = None
    turns: tuple[Undo, ...] = ()
    """The last turns of this game that were judged, the latest last: what can be taken back."""
    pressed: tuple[tuple[float, float], ...] = ()
    """Where the dice lie of a turn that was ended by the clock's button: lifting them ends nothing more."""
    resigning: tuple[Player, Win] | None = None
    """A resignation that was offered and not yet answered."""
    ended: bool = False
    """The match is over; no further game begins."""
    last_said: tuple[Position, Player] | None = None
    """The result said of the turn that `undo` can take up again."""
    cube: Cube = Cube()
    cube_hint: CubeHint | None = None
    missing: tuple[int, int] = (0, 0)
    """Checkers of A and B that an illegal play took off and that stood: off in `position`, nowhere in the records."""
    games: tuple[GameResult, ...] = ()
    start_score: tuple[int, int] = (0, 0)
    """Points of A and B before `games`, where the score was set by hand."""
    crawford_over: bool = False
    """The Crawford game was played before `games`."""
    setup_said: bool = False
    restore: bool = False
    """The position was set or taken back to, and the board does not show it yet."""
    clock: Clock | None = None
    """When the match is played with one."""
    frame: int = -1
    time: float = 0.0
    """Of the last scene."""

    @property
    def board_shown(self) -> Board:
        """The board as last seen, however impossible; the known position before anything was seen."""
        if self.evidence is None:
            return self.position.board
        return board_of(self.evidence.seen(key_of(self.position)))

    @property
    def wanted(self) -> Position | None:
        """The board as it has to be put before play goes on: the legal play nearest to an illegal one that was called (E3), or the
        position that was set or taken back to. None while nothing has to be put right."""
        if self.open is not None and self.open.illegal is not None:
            before, player, roll, _ = self.open.ways[0]
            return nearest(self.board_shown, legal_plays(before, player, roll), 1)[0].result
        return self.position if self.restore else None

    @property
    def correction(self) -> tuple[Lift, ...]:
        """Which checkers have to go where, by the last look at the board; empty when nothing has to be put right."""
        wanted = self.wanted
        return () if wanted is None else correction(self.board_shown, wanted)

    @property
    def match(self) -> MatchState:
        """The match by the games finished so far."""
        return MatchState(self.length, self.ruleset, self.games, self.start_score, self.crawford_over)

    @property
    def score(self) -> tuple[int, int]:
        """Points of A and B in the games finished so far."""
        return self.match.score

    @property
    def waiting(self) -> str:
        """One short sentence: what the referee waits for now."""
        who = self.names[self.turn.side] if self.turn else ""
        other = self.names[self.turn.other.side] if self.turn else ""
        match self.phase:
            case "roll" | "lying" if self.resigning is not None:
                return f"waiting for {self.names[self.resigning[0].other.side]} to accept the resignation or play on"
            case "start":
                return "waiting for the starting position"
            case "opening":
                return "waiting for the opening roll, one die each"
            case "lying" if self.said == "void":
                return f"waiting for {who} to roll again" if who else "waiting for the opening roll to be thrown again"
            case "lying":
                roll = f" {self.announced}" if self.announced else ""
                return f"waiting for {who or 'the first player'} to play{roll} and lift the dice"
            case "over" if self.ended:
                return "the match is over"
            case "over":
                return "the game is over; waiting for the next one to be set up"
        if self.cube.offered_by is not None:
            return f"waiting for {self.names[self.cube.offered_by.other.side]} to take or pass"
        if self.restore and self.correction:
            return "waiting for the board to be put right: " + "; ".join(lift.sentence(self.names) for lift in self.correction)
        if self.open and self.open.illegal:
            return f"waiting for {other} to put the play right, or for {who}'s dice"
        if self.open:
            return "looking at the play again"
        return f"waiting for {who}'s dice" if who else "waiting for dice"

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return row

    @staticmethod
    def from_json(row: dict[str, Any]) -> RefereeState:
        """Raises ValueError on anything that is not a state of this version."""
        return _ADAPTER.validate_python(row)


_ADAPTER: TypeAdapter[RefereeState] = TypeAdapter(RefereeState)


def board_of(key: Key) -> Board:
    return Board(tuple((max(n, 0), max(-n, 0)) for n in key[:24]), (key[24], key[25]))
