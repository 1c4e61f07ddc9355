"""What was played: the turns of a game, games, matches. Every format is read into these and written from them.

Player A is the left column of a `.mat` file, gnubg's player 0, White in SGF and OGXM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rules.cube import Cube
from rules.match import GameResult, Win
from rules.plays import Move, Play, Roll
from rules.position import START, Board, Player, Position
from rules.ruleset import DEFAULT, RuleSet


class CannotHold(ValueError):
    """The format cannot express this game."""


class FormatError(ValueError):
    """The text is no match file; names the line (0 where a file has none) and what was expected."""

    def __init__(self, line: int, sentence: str) -> None:
        # A sentence quotes what was found; whatever that is, it stays one line.
        sentence = "".join(c if c.isprintable() else " " for c in sentence)
        super().__init__(f"line {line}: {sentence}" if line else sentence)
        self.line = line
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """A roll and its play: notation, single moves, or a `Play`. No moves is a dance."""

    player: Player
    roll: Roll
    moves: Play | tuple[Move, ...] | str = ()


@dataclass(frozen=True, slots=True)
class DanceTurn:
    """A roll that cannot be played."""

    player: Player
    roll: Roll


@dataclass(frozen=True, slots=True)
class RollTurn:
    """A roll after which nothing was played: the game was resigned, or the record ends there."""

    player: Player
    roll: Roll


@dataclass(frozen=True, slots=True)
class IllegalTurn:
    """An illegal play. One that stood (clause E2) decides the position from then on; one that was taken back (E3) leaves no trace."""

    player: Player
    roll: Roll
    result: Position | Board | None
    stood: bool = True
    text: str = ""
    """The play as it was written, when it comes from a file."""


@dataclass(frozen=True, slots=True)
class Double:
    player: Player
    value: int = 0
    """The new value, once taken; 0 to have it worked out."""


@dataclass(frozen=True, slots=True)
class Beaver:
    """A beaver, or a raccoon in answer to one."""

    player: Player
    value: int = 0


@dataclass(frozen=True, slots=True)
class Resign:
    """A resignation at the level both agreed on; it ends the game. In a `GameRecord` the result says so."""

    player: Player
    level: Win


@dataclass(frozen=True, slots=True)
class OpeningTie:
    """Both threw the same number for the opening (clause D1), which may double the stake (S6)."""


@dataclass(frozen=True, slots=True)
class Take:
    player: Player


@dataclass(frozen=True, slots=True)
class Drop:
    player: Player


AnyTurn = PlayTurn | DanceTurn | RollTurn | IllegalTurn | Double | Beaver | Take | Drop
"""What stands in the rows of a game."""
Event = AnyTurn | Resign | OpeningTie
"""Whatever changes the state of a game."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. Two turns running by one player mean that the other was shut out and did not roll (clause M5)."""

    scores: tuple[int, int]
    """(A, B) before the game."""
    turns: Sequence[AnyTurn]
    result: GameResult | None = None
    """None while the game is unfinished."""
    start: Position = START
    start_cube: Cube = field(default_factory=Cube)
    """The cube when the game began; not at 1 in the middle only when somebody set it by hand."""
    automatic_doubles: int = 0
    """How many ties of the opening roll doubled the middle cube (S6)."""
    missing: tuple[int, int] = (0, 0)
    """(A, B) checkers that the set lacked from the start, an error that stands (B5): off in `start`, but borne off by nobody."""
    crawford: bool | None = None
    """What the file says of the Crawford game; None when it says nothing and the scores decide (clause S3)."""
    stated_points: int | None = None
    """The points a file gave; programs cap them at the match length, or err, so `result` is worked out from board and cube."""

    @property
    def first_cube(self) -> Cube:
        """The cube before the first turn, automatic doubles counted."""
        return replace(self.start_cube, value=self.start_cube.value << self.automatic_doubles)


@dataclass(frozen=True, slots=True)
class MatchRecord:
    players: tuple[str, str]
    """(A: left column, B)."""
    length: int
    """0 for money."""
    games: Sequence[GameRecord]
    tags: Sequence[tuple[str, str]] = ()
    """`; [key "value"]` lines."""
    ruleset: RuleSet = DEFAULT
    """As far as the format tells: Crawford, Jacoby, beavers, the cube's limit."""
    remarks: Sequence[str] = ()
    """What the reader could not keep or had to understand in its own way, one sentence each."""
