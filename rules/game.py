"""A game in progress as a value: every roll, play and turn of the cube is an event that makes the next value.

>>> from rules.match import MatchState
>>> from rules.plays import Roll
>>> from rules.record import Double, Drop, PlayTurn
>>> game = GameState(MatchState(7)).after(PlayTurn(Player.A, Roll(3, 1), "8/5 6/5")).after(Double(Player.B)).after(Drop(Player.A))
>>> game.result.winner, game.result.points
(<Player.B: 'B'>, 1)
>>> game.next_match.score
(0, 1)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rules.cube import Cube, Refused
from rules.judge import Illegal, judge
from rules.match import GameResult, MatchState, dropped
from rules.notation import NotationError, apply_hops, parse_hops, written_play
from rules.plays import Move, Play, Roll, is_shut_out, legal_plays
from rules.position import START, Player, Position
from rules.record import (
    AnyTurn,
    Beaver,
    DanceTurn,
    Double,
    Drop,
    Event,
    IllegalTurn,
    OpeningTie,
    PlayTurn,
    Resign,
    RollTurn,
    Take,
)

Rolled = PlayTurn | DanceTurn | RollTurn | IllegalTurn


class IllegalPlay(Refused):
    """The play is not legal; `verdict` says why and which are nearest."""

    def __init__(self, verdict: Illegal) -> None:
        super().__init__(verdict.clause, verdict.sentence)
        self.verdict = verdict


def literal_result(turn: Rolled, before: Position) -> Position | None:
    """The position that this turn says it leads to, legal or not; None when it cannot be carried out."""
    if isinstance(turn, IllegalTurn):
        return turn.result if isinstance(turn.result, Position) else None
    if isinstance(turn, DanceTurn | RollTurn):
        return before
    moves = turn.moves
    if isinstance(moves, Play):
        return moves.result
    if isinstance(moves, str):
        try:
            return written_play(moves, before, turn.player, turn.roll).result
        except NotationError:
            pass
        try:
            return apply_hops(parse_hops(moves), before, turn.player)
        except NotationError:
            return None
    return _carried_out(moves, before, turn.player)


def _carried_out(moves: tuple[Move, ...], before: Position, player: Player) -> Position | None:
    try:
        return apply_hops(parse_hops(" ".join(f"{move.start}/{move.end}" for move in moves)), before, player)
    except NotationError:
        return None


@dataclass(frozen=True, slots=True)
class GameState:
    """One game of a match. `after` gives the next state, or refuses with the clause; nothing is ever changed in place."""

    match: MatchState
    start: Position = START
    missing: tuple[int, int] = (0, 0)
    """As in `GameRecord`."""
    position: Position | None = None
    """None stands for the start."""
    cube: Cube = field(default_factory=Cube)
    on_turn: Player | None = None
    """None before the opening roll."""
    rolled: Roll | None = None
    """A roll that lies there unplayed."""
    rolls: tuple[int, int] = (0, 0)
    """How often A and B have rolled (clause S4)."""
    ties: int = 0
    """Automatic doubles made in this game (clause S6)."""
    result: GameResult | None = None

    @property
    def board(self) -> Position:
        return self.start if self.position is None else self.position

    @property
    def next_match(self) -> MatchState:
        """The match with this game counted; raises `Refused` while it goes on."""
        if self.result is None:
            raise Refused("M10", "The game is not over.")
        return self.match.after(self.result)

    def after(self, event: Event) -> GameState:
        """The state after `event`; raises `Refused` with the clause (`IllegalPlay` for a play)."""
        self.check(event)
        return self.as_it_happened(event)

    # --- what is allowed ---

    def check(self, event: Event) -> None:
        """Raise `Refused` when the rules forbid the event now."""
        if self.result is not None:
            raise Refused("M10", "The game is over.")
        match event:
            case OpeningTie():
                if self.on_turn is not None:
                    raise Refused("D1", "Only the opening roll is rolled again after a tie.")
            case Resign():
                return
            case Double():
                self._on_turn(event.player)
                shut_out = is_shut_out(self.board, event.player)
                doubled = self.match.double(
                    self.cube, event.player, on_turn=self.on_turn is not None, rolled=self.rolled is not None, shut_out=shut_out, rolls=self.rolls
                )
                self._value(event.value, doubled.stake)
            case Beaver():
                self._value(event.value, self.match.beaver(self.cube, event.player).stake)
            case Take():
                self.cube.take(event.player)
            case Drop():
                self.cube.drop(event.player)
            case _:
                self._check_roll(event)

    def _value(self, said: int, value: int) -> None:
        if said not in (0, value):
            raise Refused("C1", f"The cube goes to {value} here, not to {said}.")

    def _on_turn(self, player: Player) -> None:
        """It is this player's turn, or the other one is shut out and does not roll (clauses D2, M5)."""
        if self.on_turn is player.other and not is_shut_out(self.board, player.other):
            raise Refused("D2", f"It is {player.other}'s turn, not {player}'s.")

    def _check_roll(self, turn: Rolled) -> None:
        if self.cube.offered_by is not None and self.cube.kept_by is None:
            raise Refused("C3", "A double is offered; it must be taken or passed before anybody rolls.")
        self._on_turn(turn.player)
        if self.on_turn is None and turn.roll.double and self.start == START:
            raise Refused("D1", f"The opening roll is one die each, both different; {turn.roll} is a tie.")
        if self.rolled is not None and self.rolled != turn.roll:
            raise Refused("D2", f"{turn.player} has rolled {self.rolled} already.")
        if isinstance(turn, RollTurn):
            return
        if isinstance(turn, IllegalTurn) and not turn.stood:
            return
        result = literal_result(turn, self.board)
        if result is None:
            raise Refused("M1", f"{turn.player}'s play of {turn.roll} cannot be carried out from this position.")
        verdict = judge(self.board, turn.player, turn.roll, result)
        if isinstance(verdict, Illegal):
            raise IllegalPlay(verdict)

    # --- what becomes of it ---

    def as_it_happened(self, event: Event) -> GameState:
        """The state after `event`, allowed or not: an error that was not called in time stands as played (clause E2)."""
        match event:
            case OpeningTie():
                cube = self.match.automatic(self.cube, self.ties)
                return replace(self, cube=cube, ties=self.ties + (cube != self.cube))
            case Resign():
                return replace(self, result=self.match.resigned(self.cube, event.player, event.level))
            case Double() | Beaver():
                return replace(self, cube=self._turned(event), on_turn=self.on_turn or event.player)
            case Take():
                return replace(self, cube=self._taken(event.player))
            case Drop():
                cube = self.cube if self.cube.offered_by is event.player.other else replace(self.cube, offered_by=event.player.other)
                return replace(self, result=dropped(cube, event.player))
            case _:
                return self._rolled(event)

    def _turned(self, event: Double | Beaver) -> Cube:
        # What the record says of the value counts: whoever reads on must see the same cube.
        value = event.value // 2 or (self.cube.stake if isinstance(event, Beaver) else self.cube.value)
        kept_by = (self.cube.kept_by or event.player) if isinstance(event, Beaver) else None
        return Cube(value, self.cube.owner, event.player, turned=True, kept_by=kept_by)

    def _taken(self, player: Player) -> Cube:
        if self.cube.offered_by is None:
            return self.cube
        return Cube(self.cube.stake, self.cube.kept_by or player, turned=True)

    def _rolled(self, turn: Rolled) -> GameState:
        # Whoever rolls after a beaver has taken it (gnubg writes no "Takes" there).
        cube = self._taken(turn.player)
        rolls = self.rolls
        if self.rolled is None:
            a, b = rolls
            rolls = (a + 1, b) if turn.player is Player.A else (a, b + 1)
        lies = replace(self, cube=cube, rolls=rolls, on_turn=turn.player, rolled=turn.roll)
        if isinstance(turn, RollTurn) or (isinstance(turn, IllegalTurn) and not turn.stood):
            return lies
        position = literal_result(turn, self.board) or self.board
        result = self.match.played_out(position, cube, self.missing)
        return replace(lies, position=position, on_turn=turn.player.other, rolled=None, result=self.result or result)

    def legal_turn(self, player: Player, roll: Roll, position: Position) -> AnyTurn:
        """The turn that leads to `position`: a play, a dance, or an illegal play that stood."""
        plays = legal_plays(self.board, player, roll)
        if position in plays:
            return PlayTurn(player, roll, plays[position])
        if not plays and position == self.board:
            return DanceTurn(player, roll)
        return IllegalTurn(player, roll, position)
