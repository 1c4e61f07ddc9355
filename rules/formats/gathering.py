"""A game while a file is read: turns are added as they come, and the board is kept beside them.

What is written is carried out literally; a play that is not legal is kept as an `IllegalTurn`, never mended.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rules.cube import Cube
from rules.game import GameState
from rules.match import GameResult, MatchState, Win
from rules.notation import NotationError, apply_hops, parse_hops, written_play
from rules.plays import Roll
from rules.position import START, Player, Position
from rules.record import (
    AnyTurn,
    Beaver,
    DanceTurn,
    Double,
    Drop,
    FormatError,
    GameRecord,
    IllegalTurn,
    PlayTurn,
    RollTurn,
    Take,
)
from rules.ruleset import RuleSet

LARGEST_CUBE = 1 << 30
"""As an XGID has it. The cube has no limit (clause C1), but a file that doubles on is no game that anybody played."""
MOST_GAMES = 1000
"""A match or session of one file."""


def one_line(text: str) -> str:
    """A name or a tag as it may stand in a sentence: line ends and whatever else cannot be seen become blanks."""
    return "".join(c if c.isprintable() else " " for c in text).strip()


def within(line: int, games: int) -> None:
    """Raise `FormatError` for more games than a file may hold."""
    if games > MOST_GAMES:
        raise FormatError(line, f"expected one match, found more than {MOST_GAMES:,} games")


@dataclass
class Gathering:
    """One game. Line numbers are for error sentences only."""

    length: int
    ruleset: RuleSet
    scores: tuple[int, int] = (0, 0)
    start: Position = START
    start_cube: Cube = field(default_factory=Cube)
    automatic_doubles: int = 0
    crawford: bool | None = None
    turns: list[AnyTurn] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    rolls_set_by_hand: bool = True
    """The file may hold rolls that were set and not played (gnubg's editing); off where it marks illegal passes itself."""
    offer: tuple[Player, int] | None = None
    """Who offers to resign, and the points."""
    given_up: GameResult | None = None
    """The resignation that was accepted."""
    _state: GameState | None = None
    _before: GameState | None = None
    """The state before the last turn."""

    @property
    def state(self) -> GameState:
        if self._state is None:
            cube = replace(self.start_cube, value=self.start_cube.value << self.automatic_doubles)
            # The scores that count are the game's own; what other games made is for `check` to say.
            self._state = GameState(MatchState(self.length, self.ruleset, (), self.scores), self.start, cube=cube)
        return self._state

    def add(self, turn: AnyTurn) -> None:
        self._before = self.state
        self._state = self.state.as_it_happened(turn)
        self.turns.append(turn)

    def take_back(self) -> AnyTurn:
        """Remove the last turn, the board as it was before it; only one turn can be taken back."""
        self._state = self._before
        return self.turns.pop()

    def begins(self, position: Position, cube: Cube) -> bool:
        """The game began from this position and cube, set by hand; False when it is too late for that."""
        unplayed = self.turns if all(isinstance(turn, RollTurn) for turn in self.turns) else None
        if unplayed is None:
            return False
        self.start, self.start_cube, self.turns, self._state = position, cube, [], None
        for turn in unplayed:
            self.add(turn)
        return True

    @property
    def unplayed(self) -> RollTurn | IllegalTurn | None:
        """The last turn, when it is a roll that could be played and after which nothing is written."""
        last = self.turns[-1] if self.turns else None
        if isinstance(last, RollTurn):
            return last
        passed = isinstance(last, IllegalTurn) and not last.text.strip() and self._before is not None and last.result == self._before.board
        return last if isinstance(last, IllegalTurn) and passed else None

    def rolled(self, line: int, player: Player, roll: Roll, text: str) -> None:
        """A roll and what was played with it, in any notation; nothing written is a dance, or an illegal pass."""
        self.overtake(player, roll, line)
        board = self.state.board
        try:
            play = written_play(text, board, player, roll)
        except NotationError as error:
            self.add(self._literally(line, player, roll, text, board, error))
            return
        self.add(PlayTurn(player, roll, play) if play.moves else DanceTurn(player, roll))

    def overtake(self, player: Player, roll: Roll, line: int) -> None:
        """A roll that lay there unplayed was only the beginning of this one, or was set by hand before the first play."""
        last = self.unplayed
        if self.rolls_set_by_hand and last is not None and ((last.player, last.roll) == (player, roll) or len(self.turns) == 1):
            self.take_back()
            if last.roll != roll:
                self.remarks.append(f"line {line}: the first roll, {last.roll}, was set and never played; it is left out")

    def _literally(self, line: int, player: Player, roll: Roll, text: str, board: Position, error: NotationError) -> IllegalTurn:
        try:
            result = apply_hops(parse_hops(text), board, player)
        except NotationError:
            raise FormatError(line, str(error)) from None
        if result is None:
            raise FormatError(line, f"{roll.first}{roll.second}: {text[:40]} cannot be carried out: there is no such checker, or no room")
        return IllegalTurn(player, roll, result, text=text)

    def stands(self, line: int, position: Position) -> None:
        """The position after the last roll was this one, whatever the file wrote as its play (an illegal play that stood, E2)."""
        last = self.turns[-1] if self.turns else None
        if not isinstance(last, PlayTurn | DanceTurn | IllegalTurn | RollTurn):
            raise FormatError(line, "a position set by hand in the middle of a game can only follow a roll")
        self.take_back()
        self.add(self.state.legal_turn(last.player, last.roll, position))

    def doubled(self, line: int, player: Player) -> None:
        """A double; in answer to a double a beaver, and in answer to that a raccoon. The value is what the turn makes it."""
        cube = self.state.cube
        answers = cube.offered_by is player.other
        said = cube.stake * 2 if answers else cube.value * 2
        if said > LARGEST_CUBE:
            raise FormatError(line, f"the cube is doubled beyond {LARGEST_CUBE:,}")
        self.add(Beaver(player, said) if answers else Double(player, said))

    def answered(self, player: Player, *, takes: bool) -> None:
        """An answer to a double, or to a resignation that lies on the table."""
        if self.offer is not None:
            resigner, points = self.offer
            self.offer = None
            if takes:
                self.given_up = self.resigned(resigner.other, points)
            return
        self.add(Take(player) if takes else Drop(player))

    def record(self, said: GameResult | None = None) -> GameRecord:
        """The game; `said` is what the file gives as its result, used as far as board and cube do not decide."""
        last = self.unplayed
        if self.rolls_set_by_hand and last is not None:
            self.take_back()
            self.add(RollTurn(last.player, last.roll))  # the record ends there, or the game was resigned
        result = self.state.result or said or self.given_up
        return GameRecord(
            self.scores, tuple(self.turns), result, self.start, self.start_cube, self.automatic_doubles, crawford=self.crawford,
            stated_points=said.points if said else None,
        )  # fmt: skip

    def resigned(self, winner: Player, points: int) -> GameResult:
        """A result that neither board nor cube explains. Programs cap the points at what the match needs, so the level is the
        least that reaches them; more than a backgammon is nonsense and counts single."""
        cube = self.state.cube
        level = next((w for w in Win if points <= cube.value * w.times(self.ruleset)), Win.SINGLE)
        return self.state.match.resigned(cube, winner.other, level)
