"""Game results and matches (clauses S1 to S7). Crawford is never stored: it follows from the scores before the game."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from rules.cube import Cube, Refused
from rules.plays import winner
from rules.position import BAR, Player, Position
from rules.ruleset import DEFAULT, AutomaticDouble, RuleSet


class Win(IntEnum):
    """How a game was won (clause S1)."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


@dataclass(frozen=True, slots=True)
class GameResult:
    winner: Player
    points: int
    """Uncapped: a match may be won by more than it needed."""
    win: Win = Win.SINGLE


def kind_of_win(position: Position, won: Player) -> Win:
    """Gammon: the loser has none off. Backgammon: he also has a checker on the bar or in the winner's home (clause S1)."""
    counts = position.counts(won.other)
    if counts[0]:
        return Win.SINGLE
    return Win.BACKGAMMON if any(counts[19:25]) or counts[BAR] else Win.GAMMON


def points_for(win: Win, cube: Cube, ruleset: RuleSet = DEFAULT, *, money: bool = False) -> int:
    """Points of a game (clauses S1, S5)."""
    turned = cube.turned or (ruleset.automatic_double_turns_cube is AutomaticDouble.YES and cube.value > 1)
    if money and ruleset.jacoby and not turned:
        return cube.value
    return cube.value * (ruleset.backgammon_points if win is Win.BACKGAMMON else int(win))


def finished(position: Position, cube: Cube, ruleset: RuleSet = DEFAULT, *, money: bool = False) -> GameResult | None:
    """The result of a game played out (clause M10), or None while it goes on."""
    won = winner(position)
    if won is None:
        return None
    win = kind_of_win(position, won)
    return GameResult(won, points_for(win, cube, ruleset, money=money), win)


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match to `length` points, or money play when that is 0; the games finished so far."""

    length: int
    ruleset: RuleSet = DEFAULT
    games: tuple[GameResult, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.length < 0:
            raise ValueError(f"a match is to 1 point or more, or 0 for money, not {self.length}")

    @property
    def money(self) -> bool:
        return self.length == 0

    @property
    def note(self) -> str:
        """A remark on an unusual length (clause S2)."""
        return "a match is usually to an odd number of points" if self.length and self.length % 2 == 0 else ""

    def _score_after(self, games: int) -> tuple[int, int]:
        a = sum(g.points for g in self.games[:games] if g.winner is Player.A)
        return a, sum(g.points for g in self.games[:games]) - a

    @property
    def score(self) -> tuple[int, int]:
        """(A, B)."""
        return self._score_after(len(self.games))

    @property
    def winner(self) -> Player | None:
        """First to reach or pass the length (clause S2)."""
        a, b = self.score
        if self.money or max(a, b) < self.length:
            return None
        return Player.A if a >= self.length else Player.B

    @property
    def _first_at_one_away(self) -> int | None:
        """How many games had been played when a player first stood one point away."""
        if self.length < 2:
            return None
        return next((n for n in range(len(self.games) + 1) if max(self._score_after(n)) == self.length - 1), None)

    @property
    def crawford(self) -> bool:
        """The game about to be played, or being played, is the Crawford game (clause S3)."""
        return self.ruleset.crawford and not self.money and self._first_at_one_away == len(self.games)

    @property
    def post_crawford(self) -> bool:
        first = self._first_at_one_away
        return self.ruleset.crawford and first is not None and first < len(self.games)

    def after(self, result: GameResult) -> MatchState:
        """The match with one more game finished."""
        if self.winner is not None:
            raise Refused("S2", "the match is already won")
        return MatchState(self.length, self.ruleset, (*self.games, result))

    def may_double(self, player: Player, cube: Cube, rolls: tuple[int, int] = (2, 2)) -> None:
        """Raise `Refused` when the match forbids a double; `rolls`: how often A and B have rolled in this game."""
        if self.money:
            return
        if self.crawford:
            raise Refused("C4", "this is the Crawford game; nobody may double")
        if self.ruleset.holland and self.post_crawford and min(rolls) < 2:
            raise Refused("S4", "after the Crawford game both sides roll twice before a double")
        if self.score[player.side] + cube.value >= self.length:
            raise Refused("C4", "a win at the present cube already wins the match")
