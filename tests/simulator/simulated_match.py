"""Matches played by random hands on a table that knows the truth: what each settled look would show, and what really happened.

Players choose legal plays by a rough taste and some chance. Now and then something goes wrong, as it does in clubs: plays that break
the rules (put right, or left to stand), void rolls of every kind, checkers that fall or are nudged, sleeves over a part of the board,
looks that never settle. Positions are 28 integers as in the events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import dist
from random import Random
from typing import Any

from controller.events import Command
from controller.lanes_to_points import right_half
from rules.cube import Cube
from rules.dice import premature
from rules.judge import Legal, infer, judge
from rules.match import GameResult, MatchState, finished
from rules.plays import Roll, is_shut_out, legal_plays, legal_results
from rules.position import START, Board, Player, Position

DIE = 20.0
"""Side of a die, px."""
HALVES = {"left": ((100.0, 480.0), (150.0, 560.0)), "right": ((620.0, 1000.0), (150.0, 560.0))}
"""Where dice come to rest, px: x and y from and to."""
CUBE_AT = {"middle": (550.0, 350.0), "bottom": (1100.0, 600.0), "top": (1100.0, 100.0)}


@dataclass(frozen=True)
class Habits:
    """How often things happen: chances a turn, unless said otherwise."""

    void: float = 0.04
    early: float = 0.01
    illegal: float = 0.03
    put_right: float = 0.5
    """Of the illegal plays."""
    double: float = 0.05
    passes: float = 0.3
    """Of the doubles."""
    by_button: float = 0.3
    """Doubles and takes said with a button as well as by the cube."""
    tried: float = 0.25
    """A play begun and looked at, perhaps changed, while the dice lie."""
    fumbled: float = 0.03
    """A checker dropped or nudged while the dice lie, and put back before they are lifted."""
    sleeve: float = 0.02
    """A look, that some lanes of it are covered."""
    fast: float = 0.1
    """A turn of which one look, at random, is all that settles between the roll and the next one."""
    unsettled: float = 0.05
    """A look, that a hand is over the board and nothing is seen."""


QUIET = Habits(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
"""Nothing goes wrong."""


@dataclass(frozen=True)
class DieThere:
    value: int
    xy: tuple[float, float]
    where: str
    state: str = "flat"


@dataclass(frozen=True)
class Look:
    """What lies on the table at one settled moment."""

    board: tuple[int, ...]
    """26 numbers: points and bar, A's numbering."""
    dice: tuple[DieThere, ...] = ()
    cube: tuple[int, str] | None = (64, "middle")
    hidden: tuple[int, ...] = ()
    """A's points that something covers."""


@dataclass
class Happened:
    """A match: what came to the referee in order, and the truth of it."""

    given: list[Look | Command] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


class SimulatedMatch:
    """One match between A and B to `length` points. `play()` fills `happened`."""

    def __init__(self, seed: int, length: int = 3, habits: Habits | None = None, most_turns: int = 400) -> None:
        self.random = Random(seed)
        self.habits = habits or Habits()
        self.length = length
        self.most_turns = most_turns
        self.happened = Happened()
        self.games: tuple[GameResult, ...] = ()
        self.position = START
        self.missing = [0, 0]
        self.dice: tuple[DieThere, ...] = ()
        self.cube = Cube()
        self.taste = {p: (self.random.uniform(0.3, 1.2), self.random.uniform(0.2, 1.0)) for p in Player}

    # -- what is seen and what is true

    def say(self, event: str, **data: Any) -> None:
        self.happened.events.append({"event": event, "look": len(self.happened.given), **data})

    def look(self, board: tuple[int, ...] | None = None, times: int = 1, surely: bool = False) -> None:
        """`surely`: the first of them settles whatever happens."""
        for n in range(times):
            if self.random.random() < self.habits.unsettled and not (surely and n == 0):
                continue
            hidden: tuple[int, ...] = ()
            if self.random.random() < self.habits.sleeve:
                first = self.random.randint(1, 24)
                hidden = tuple(range(first, min(first + self.random.randint(1, 5), 25)))
            side = "middle" if self.cube.owner is None else "bottom" if self.cube.owner is Player.A else "top"
            here = board if board is not None else self.position.points + self.position.bar
            self.happened.given.append(Look(here, self.dice, (self.cube.face, side), hidden))

    def order(self, name: str) -> None:
        self.happened.given.append(Command(name))  # type: ignore[arg-type]

    def numbers(self, position: Position) -> list[int]:
        return [*position.points, *position.bar, position.off[0] - self.missing[0], position.off[1] - self.missing[1]]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # -- a match, a game

    def play(self) -> Happened:
        while MatchState(self.length, games=self.games).winner is None and len(self.games) < 12:
            before = len(self.games)
            self.game()
            if len(self.games) == before:
                break
            self.clear_away()
        return self.happened

    def clear_away(self) -> None:
        """The board is set up again: a look or two at checkers in heaps."""
        for _ in range(self.random.randint(0, 2)):
            board = [0] * 26
            for sign in (1, -1):
                free = [p for p in range(24) if board[p] == 0]
                for point in self.random.sample(free, 4):
                    board[point] = sign * self.random.randint(1, 4)
            self.look(tuple(board))

    def game(self) -> None:
        self.position, self.missing, self.dice, self.cube = START, [0, 0], (), Cube()
        self.say("game_start")
        self.happened.given.append(Look(START.points + START.bar))
        self.look(times=self.random.randint(1, 3))
        player, roll = self.opening()
        self.turn(player, roll)
        for _ in range(self.most_turns):
            result = finished(self.position, self.cube, missing=(self.missing[0], self.missing[1]))
            if result is not None:
                self.say("game_over", winner=result.winner.value, points=result.points)
                self.games += (result,)
                self.look(times=self.random.randint(0, 2))
                return
            player = player.other
            if is_shut_out(self.position, player):
                continue
            if self.doubled(player):
                return
            self.turn(player)

    def opening(self) -> tuple[Player, Roll]:
        while True:
            a, b = self.random.randint(1, 6), self.random.randint(1, 6)
            places = [self.rest(right_half(p)) for p in Player]
            if self.chance(self.habits.void):
                self.dice = (DieThere(a, places[0], "right"), DieThere(b, places[1], "left", "cocked"))
                self.say("roll_void", player=None, reason="cocked")
                self.look(times=self.random.randint(1, 2), surely=True)
            else:
                self.dice = (DieThere(a, places[0], "right"), DieThere(b, places[1], "left"))
                if a != b:
                    player = Player.A if a > b else Player.B
                    roll = Roll(max(a, b), min(a, b))
                    self.say("opening_roll", player=player.value, dice=[roll.first, roll.second])
                    self.look(times=self.random.randint(1, 2), surely=True)
                    return player, roll
                self.say("opening_tie", dice=[a, b])
                self.look(times=self.random.randint(1, 2))
            self.dice = ()
            self.look(times=self.random.randint(0, 2))

    # -- the cube

    def doubled(self, player: Player) -> bool:
        """Perhaps the player doubles; True when that ends the game."""
        if not self.chance(self.habits.double) or self.cube.value > 8 or self.cube.owner is player.other:
            return False
        try:
            MatchState(self.length, games=self.games).may_double(player, self.cube)
        except ValueError:
            return False
        offered = self.cube.offer(player)
        button = self.chance(self.habits.by_button)
        self.say("double", player=player.value, value=offered.value * 2)
        if self.chance(self.habits.passes):
            self.order("double")
            self.look(times=self.random.randint(0, 1))
            self.order("pass")
            self.say("pass", player=player.other.value)
            result = GameResult(player, offered.drop(player.other))
            self.say("game_over", winner=player.value, points=result.points)
            self.games += (result,)
            return True
        if button:
            self.order("double")
            self.order("take")
        self.say("take", player=player.other.value)
        self.cube = offered.take(player.other)
        self.look(times=self.random.randint(1, 3))
        return False

    # -- dice

    def rest(self, half: str) -> tuple[float, float]:
        (x0, x1), (y0, y1) = HALVES[half]
        while True:
            xy = (self.random.uniform(x0, x1), self.random.uniform(y0, y1))
            if all(dist(xy, d.xy) > 1.5 * DIE for d in self.dice):
                return xy

    def pair(self, half: str, roll: Roll) -> tuple[DieThere, DieThere]:
        first = self.rest(half)
        while True:
            second = self.rest(half)
            if dist(first, second) > 1.5 * DIE:
                return DieThere(roll.first, first, half), DieThere(roll.second, second, half)

    def roll(self) -> Roll:
        return Roll(self.random.randint(1, 6), self.random.randint(1, 6))

    def void(self, player: Player) -> None:
        half = right_half(player)
        wrong = "left" if half == "right" else "right"
        reason = self.random.choice(("cocked", "on_checker", "wrong_half", "split", "off_board", "one_die"))
        one, two = self.pair(half, self.roll())
        dice: tuple[DieThere, ...] = (one, two)
        if reason in ("cocked", "on_checker"):
            dice = (one, replace(two, state=reason))
        elif reason == "wrong_half":
            dice = self.pair(wrong, self.roll())
        elif reason == "split":
            dice = (one, DieThere(two.value, self.rest(wrong), wrong))
        elif reason == "off_board":
            dice = (one, DieThere(two.value, (self.random.uniform(100, 1000), self.random.choice((20.0, 690.0))), "off"))
        elif reason == "one_die":
            dice = (one,)
        self.dice = dice
        self.say("roll_void", player=player.value, reason=reason)
        self.look(times=self.random.randint(1, 3), surely=True)
        self.dice = ()
        self.look(times=self.random.randint(0, 2))

    # -- a turn

    def turn(self, player: Player, opened: Roll | None = None) -> None:
        start = len(self.happened.given)
        if opened is None:
            while self.chance(self.habits.void):
                self.void(player)
                start = len(self.happened.given)
            roll = self.roll()
            if not self.dice or any(d.where != right_half(player) for d in self.dice):
                self.dice = self.pair(right_half(player), roll)
            else:
                roll = Roll(self.dice[0].value, self.dice[1].value)
            self.say("roll", player=player.value, dice=[roll.first, roll.second])
            self.look(times=self.random.randint(1, 2), surely=True)
        else:
            roll = opened
        before = self.position
        results = legal_results(before, player, roll)
        result = self.choose(results, player)
        dances = not legal_plays(before, player, roll)
        wrong = None if not self.chance(self.habits.illegal) else self.break_rules(before, player, roll, result)
        shown = wrong or result.points + result.bar
        self.fiddle(before, results, shown)
        self.look(shown, self.random.randint(0, 2))
        calm = not self.early(before, player, roll, shown)
        self.dice = tuple(d for d in self.dice if d.where == right_half(player.other))
        early_roll = self.dice if opened is None and len(self.dice) == 2 else ()
        if opened is not None:
            self.dice = ()
        if wrong is None:
            self.position = result
            self.say("dance" if dances else "play", player=player.value, dice=[roll.first, roll.second], position=self.numbers(result))
            self.look(times=0 if early_roll else self.random.randint(1, 2))
        else:
            self.stand_or_correct(before, player, roll, result, wrong, "dance" if dances else "play")
        if wrong is None and calm and self.chance(self.habits.fast):
            self.hurry(start)

    def choose(self, results: frozenset[Position], player: Player) -> Position:
        ranked = sorted(results, key=Position.to_28)
        if len(ranked) == 1 or self.chance(0.15):
            return self.random.choice(ranked)
        safe, bold = self.taste[player]

        def taste(position: Position) -> float:
            own = position.counts(player)
            made = sum(n >= 2 for n in own[1:25])
            blots = sum(n == 1 for n in own[1:25])
            hit = position.bar[player.other.side]
            return 3 * own[0] + safe * (made - blots) + 2 * bold * hit - 0.02 * position.pips(player) + self.random.gauss(0, 0.7)

        return max(ranked, key=taste)

    def fiddle(self, before: Position, results: frozenset[Position], shown: tuple[int, ...]) -> None:
        """Looks while the dice lie: another play tried first, a checker dropped or nudged and put back."""
        if self.chance(self.habits.tried):
            tried = self.random.choice(sorted(results, key=Position.to_28))
            self.look(tried.points + tried.bar)
            if self.chance(0.3):
                self.look(before.points + before.bar)
        if self.chance(self.habits.fumbled):
            board = list(shown)
            own = [p for p in range(24) if board[p]]
            point = self.random.choice(own)
            sign = 1 if board[point] > 0 else -1
            board[point] -= sign
            nearby = [p for p in (point - 1, point + 1) if 0 <= p < 24 and board[p] * sign >= 0]
            if nearby and self.chance(0.6):
                board[self.random.choice(nearby)] += sign
            self.look(tuple(board), self.random.randint(1, 2))
            self.look(shown)

    def early(self, before: Position, player: Player, roll: Roll, shown: tuple[int, ...]) -> bool:
        """The opponent rolls before these dice are lifted (D6): void, or it stands since nothing can depend on it."""
        if not self.chance(self.habits.early) or any(d.where != right_half(player) for d in self.dice):
            return False
        if self.ends(shown):
            return False
        why = premature(before, player, roll)
        mine = self.dice
        self.dice = (*mine, *self.pair(right_half(player.other), self.roll()))
        if why is not None:
            self.say("roll_void", player=player.other.value, reason="premature")
        self.look(shown, self.random.randint(1, 2), surely=True)
        if why is not None:
            self.dice = mine
            self.look(shown, self.random.randint(1, 2))
        return True

    def ends(self, shown: tuple[int, ...]) -> bool:
        return not any(n > 0 for n in (*shown[:24], shown[24])) or (not any(n < 0 for n in shown[:24]) and not shown[25])

    def stand_or_correct(self, before: Position, player: Player, roll: Roll, result: Position, wrong: tuple[int, ...], right: str) -> None:
        board = _board(wrong)
        position = infer(board, before.checkers)
        assert position is not None
        lost = position.off[player.other.side] - before.off[player.other.side]
        numbers = [*wrong, *self.numbers(before)[26:]]
        numbers[26 + player.side] += before.board.on_table(player) - board.on_table(player)
        self.say("illegal", player=player.value, dice=[roll.first, roll.second], position=numbers)
        # Nothing at all played is only called when it has lain so for a while: the dice may have been lifted to be thrown again.
        self.look(wrong, self.random.randint(2, 3) if wrong != before.points + before.bar else 5)
        if self.chance(self.habits.put_right):
            self.position = result
            self.say(right, player=player.value, dice=[roll.first, roll.second], position=self.numbers(result))
            self.look(times=self.random.randint(1, 2))
        else:
            self.position = position
            self.missing[player.other.side] += lost
            self.say("stands", player=player.value)
            self.look(times=self.random.randint(0, 1))

    def hurry(self, start: int) -> None:
        """Of the looks of this turn only the first with its dice and one other are left."""
        mine = [n for n, g in enumerate(self.happened.given) if n >= start and isinstance(g, Look)]
        if len(mine) > 2:
            spare = self.random.choice(mine[1:])
            drop = set(mine[1:]) - {spare}
            self.happened.given = [g for n, g in enumerate(self.happened.given) if n not in drop]

    # -- plays that break the rules

    def break_rules(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        """A board that no legal play of this roll gives, by one of the slips that happen; None when this one cannot be made here."""
        slips = [self.one_pip, self.half_played, self.nothing, self.wild, self.unhit]
        self.random.shuffle(slips)
        for slip in slips:
            made = slip(before, player, roll, result)
            if made is None or made.count(None):  # type: ignore[arg-type]
                continue
            board = _board(made)
            if infer(board, before.checkers) is None or self.ends(made):
                continue
            if not isinstance(judge(before, player, roll, board), Legal):
                return made
        return None

    def one_pip(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        """A legal play, but one checker a pip or two too far or too short."""
        board = list(result.points + result.bar)
        sign = 1 if player is Player.A else -1
        arrived = [p for p in range(24) if result.points[p] * sign > max(before.points[p] * sign, 0)]
        if not arrived:
            return None
        start = self.random.choice(arrived)
        end = start + self.random.choice((-2, -1, 1, 2))
        return self.shift(board, sign, start, end)

    def half_played(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        die = self.random.choice((roll.first, roll.second))
        board = list(before.points + before.bar)
        sign = 1 if player is Player.A else -1
        if before.bar[player.side]:
            return None
        own = [p for p in range(24) if before.points[p] * sign > 0]
        start = self.random.choice(own)
        return self.shift(board, sign, start, start - sign * die)

    def nothing(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        return before.points + before.bar

    def wild(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        """Two checkers moved by whatever comes to mind."""
        board: tuple[int, ...] | None = before.points + before.bar
        sign = 1 if player is Player.A else -1
        for _ in range(2):
            if board is None:
                return None
            own = [p for p in range(24) if board[p] * sign > 0]
            start = self.random.choice(own)
            board = self.shift(list(board), sign, start, start - sign * self.random.randint(1, 8))
        return board

    def unhit(self, before: Position, player: Player, roll: Roll, result: Position) -> tuple[int, ...] | None:
        """A hit checker taken off the point and not put on the bar."""
        other = player.other.side
        if result.bar[other] <= before.bar[other]:
            return None
        board = list(result.points + result.bar)
        board[24 + other] -= 1
        return tuple(board)

    def shift(self, board: list[int], sign: int, start: int, end: int) -> tuple[int, ...] | None:
        if not 0 <= end < 24 or board[end] * sign < -1 or board[start] * sign < 1:
            return None
        board[start] -= sign
        if board[end] == -sign:
            board[end] = 0
            board[24 + (1 if sign > 0 else 0)] += 1
        board[end] += sign
        return tuple(board)


def _board(numbers: tuple[int, ...]) -> Board:
    return Board(tuple((max(n, 0), max(-n, 0)) for n in numbers[:24]), (numbers[24], numbers[25]))


def thinned(given: list[Look | Command], share: float, seed: int) -> Iterator[Look | Command]:
    """The same without a share of its looks; the first stays, and so do commands."""
    chance = Random(seed)
    for n, one in enumerate(given):
        if n == 0 or isinstance(one, Command) or chance.random() >= share:
            yield one
