"""Game results and matches (clauses S1 to S7). Crawford is never stored: it follows from the scores before the game.

>>> match = MatchState(5).after(GameResult(Player.A, 4, Win.GAMMON))
>>> match.score, match.crawford
((4, 0), True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rules.cube import Cube, Refused
from rules.plays import winner
from rules.position import BAR, Player, Position
from rules.ruleset import DEFAULT, AutomaticDouble, RuleSet


class Win(StrEnum):
    """How a game was won (clause S1)."""

    SINGLE = "single"
    GAMMON = "gammon"
    BACKGAMMON = "backgammon"

    def times(self, ruleset: RuleSet = DEFAULT) -> int:
        """How often the cube counts (clause S1)."""
        return 1 if self is Win.SINGLE else 2 if self is Win.GAMMON else ruleset.backgammon_points


class Ending(StrEnum):
    """How a game came to its end."""

    PLAYED = "played"
    DROPPED = "dropped"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class GameResult:
    winner: Player
    points: int
    """Uncapped: a match may be won by more than it needed."""
    win: Win = Win.SINGLE
    ending: Ending = Ending.PLAYED

    def __post_init__(self) -> None:
        if self.points < 1:
            raise ValueError(f"a game is worth 1 point or more, not {self.points}")


def game_result(position: Position, won: Player, missing: tuple[int, int] = (0, 0)) -> Win:
    """Gammon: the loser has none off. Backgammon: he also has a checker on the bar or in the winner's home (clause S1).

    The sources name only the home board; the bar is added from the published rules (bkgm.com). `missing`: (A, B) checkers that
    were not on the board when the game began (a set-up error that stands, clause B5); nobody has borne those off.
    """
    counts = position.counts(won.other)
    if counts[0] > missing[won.other.side]:
        return Win.SINGLE
    return Win.BACKGAMMON if any(counts[19:25]) or counts[BAR] else Win.GAMMON


def points_for(win: Win, cube: Cube, ruleset: RuleSet = DEFAULT, *, money: bool = False) -> int:
    """Points of a game (clauses S1, S5, S7)."""
    turned = cube.turned or (ruleset.automatic_double_turns_cube is AutomaticDouble.YES and cube.value > 1)
    if money and ruleset.jacoby and not turned:
        return cube.value
    return cube.value * win.times(ruleset)


def finished(
    position: Position, cube: Cube, ruleset: RuleSet = DEFAULT, *, money: bool = False, missing: tuple[int, int] = (0, 0)
) -> GameResult | None:
    """The result of a game played out (clause M10), or None while it goes on. `missing`: as in `game_result`."""
    won = winner(position)
    if won is None:
        return None
    win = game_result(position, won, missing)
    return GameResult(won, points_for(win, cube, ruleset, money=money), win)


def dropped(cube: Cube, player: Player) -> GameResult:
    """`player` passes the double on offer (clause C3)."""
    return GameResult(player.other, cube.drop(player), Win.SINGLE, Ending.DROPPED)


def resigned(cube: Cube, player: Player, level: Win, ruleset: RuleSet = DEFAULT, *, money: bool = False) -> GameResult:
    """`player` resigns at the level both agreed on; `level` is kept even where Jacoby makes it count single."""
    return GameResult(player.other, points_for(level, cube, ruleset, money=money), level, Ending.RESIGNED)


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match to `length` points, or money play when that is 0; the games finished so far."""

    length: int
    ruleset: RuleSet = DEFAULT
    games: tuple[GameResult, ...] = field(default=())
    start_score: tuple[int, int] = (0, 0)
    """(A, B) of a match that is taken up midway."""
    crawford_over: bool = False
    """The Crawford game was played before the match was taken up."""
    score: tuple[int, int] = field(init=False, compare=False, repr=False)
    """(A, B)."""
    _crawford_game: int | None = field(init=False, compare=False, repr=False)
    """Index of the game that follows a player's first standing one point away; -1 when it lies before the start."""

    def __post_init__(self) -> None:
        if self.length < 0:
            raise ValueError(f"a match is to 1 point or more, or 0 for money, not {self.length}")
        if min(self.start_score) < 0:
            raise ValueError("a score is 0 or more")
        # Counted once: whoever asks at every turn of a long session must not count all its games again.
        score, stood = self.start_score, [max(self.start_score)]
        for game in self.games:
            a, b = score
            score = (a + game.points, b) if game.winner is Player.A else (a, b + game.points)
            stood.append(max(score))
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "_crawford_game", self._crawford_at(stood))

    def _crawford_at(self, stood: Sequence[int]) -> int | None:
        """`stood`: the leader's points before each game (clause S3)."""
        if self.length < 2 or not self.ruleset.crawford:
            return None
        if self.crawford_over:
            return -1
        return next((n for n, points in enumerate(stood) if points == self.length - 1), None)

    @property
    def money(self) -> bool:
        return self.length == 0

    @property
    def note(self) -> str:
        """A remark on an unusual length (clause S2)."""
        return "a match is usually to an odd number of points" if self.length and self.length % 2 == 0 else ""

    @property
    def games_played(self) -> int:
        return len(self.games)

    @property
    def winner(self) -> Player | None:
        """First to reach or pass the length (clause S2)."""
        a, b = self.score
        if self.money or max(a, b) < self.length:
            return None
        return Player.A if a >= self.length else Player.B

    @property
    def crawford(self) -> bool:
        """The game about to be played, or being played, is the Crawford game (clause S3)."""
        return self._crawford_game == len(self.games)

    @property
    def post_crawford(self) -> bool:
        """The Crawford game has been played; doubling is free again (clause S3), but for Holland (S4)."""
        game = self._crawford_game
        return game is not None and game < len(self.games)

    @property
    def jacoby(self) -> bool:
        """Jacoby's rule holds: money play only (clauses S5, S7)."""
        return self.money and self.ruleset.jacoby

    @property
    def automatic_doubles(self) -> int:
        """How many ties of the opening roll turn the cube: none in a match (clauses S6, S7)."""
        return self.ruleset.automatic_doubles if self.money else 0

    def after(self, result: GameResult) -> MatchState:
        """The match with one more game finished."""
        if self.winner is not None:
            raise Refused("S2", "The match is already won.")
        return MatchState(self.length, self.ruleset, (*self.games, result), self.start_score, self.crawford_over)

    def may_double(self, player: Player, cube: Cube, rolls: tuple[int, int] = (2, 2)) -> None:
        """Raise `Refused` when the match forbids a double; `rolls`: how often A and B have rolled in this game."""
        if self.money:
            return
        if self.winner is not None:
            raise Refused("S2", "The match is already won.")
        if self.crawford:
            raise Refused("C4", "This is the Crawford game; nobody may double.")
        if self.ruleset.holland and self.post_crawford and min(rolls) < 2:
            raise Refused("S4", "After the Crawford game both sides roll twice before a double.")
        if self.score[player.side] + cube.value >= self.length:
            raise Refused("C4", "A double would go beyond what the match allows: a win at the present cube already wins it.")

    def double(
        self,
        cube: Cube,
        player: Player,
        *,
        on_turn: bool = True,
        rolled: bool = False,
        shut_out: bool = False,
        rolls: tuple[int, int] = (2, 2),
    ) -> Cube:
        """The cube after `player` doubles in this match (clauses C2, C4, S3, S4); raises `Refused`."""
        offered = cube.offer(player, on_turn=on_turn, rolled=rolled, shut_out=shut_out, ruleset=self.ruleset)
        self.may_double(player, cube, rolls)
        return offered

    def beaver(self, cube: Cube, player: Player) -> Cube:
        """The cube after a beaver or raccoon, which only money play has."""
        if not self.money:
            raise Refused("C3", "Beavers belong to money play.")
        return cube.beaver(player, self.ruleset)

    def automatic(self, cube: Cube, done: int) -> Cube:
        """The cube after a tie of the opening roll, `done` automatic doubles having been made (clauses S6, S7)."""
        return cube.automatic(self.automatic_doubles, done)

    def played_out(self, position: Position, cube: Cube, missing: tuple[int, int] = (0, 0)) -> GameResult | None:
        """The result when the game is over on the board. `missing`: as in `game_result`."""
        return finished(position, cube, self.ruleset, money=self.money, missing=missing)

    def resigned(self, cube: Cube, player: Player, level: Win) -> GameResult:
        return resigned(cube, player, level, self.ruleset, money=self.money)
