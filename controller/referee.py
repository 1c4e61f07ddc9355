"""The referee: settled scenes in, events out. A pure fold; no clock, no files, no pixels.

A turn goes: waiting for dice -> the roll is valid or void -> the dice lie while checkers are moved -> the dice are lifted
(that commits the play, D5) -> the board is judged. What cannot be explained is asked about, never made up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from controller import thresholds as T
from controller.events import Event
from controller.points import RIGHT_HALF, Floats, Home, literal, log_likelihoods
from controller.weigh import IllegalBoard, LegalBoard, Unsure, likely_rolls, weigh
from rules.dice import Die, UnsureRoll, ValidRoll, VoidRoll, judge_roll, opening_winner
from rules.match import finished
from rules.notation import steps
from rules.plays import Roll, is_shut_out
from rules.position import START, Board, Player, Position
from rules.ruleset import DEFAULT, RuleSet
from vision.scene import DIE_STATES, CubeSeen, DieSeen, Scene

Phase = Literal["start", "opening", "roll", "void", "moving", "over"]


@dataclass(frozen=True, slots=True)
class LyingDie:
    """A die on the board, its evidence added up over the scenes it lay through. Logs of probabilities; `xy` and `size` in px."""

    xy: tuple[float, float]
    size: float
    where: str
    values: tuple[float, ...]
    states: tuple[float, ...]

    @staticmethod
    def seen(die: DieSeen) -> LyingDie:
        return LyingDie(die.xy, die.size, die.where, _logs(die.values, T.VALUE_FLOOR), _logs(die.states))

    def again(self, die: DieSeen) -> LyingDie:
        values = tuple(a + b for a, b in zip(self.values, _logs(die.values, T.VALUE_FLOOR), strict=True))
        states = tuple(a + b for a, b in zip(self.states, _logs(die.states), strict=True))
        return replace(self, xy=die.xy, values=values, states=states)

    def near(self, die: DieSeen) -> bool:
        return math.dist(self.xy, die.xy) < T.SAME_PLACE * max(self.size, die.size)

    @property
    def known(self) -> bool:
        """False for the stand-in of a second die that must have been thrown but has not been seen."""
        return self.size > 0

    @property
    def lies_surely(self) -> float:
        """Probability of the likeliest state."""
        weights = [math.exp(s) for s in self.states]
        return max(weights) / sum(weights)

    @property
    def value(self) -> int:
        return 1 + max(range(6), key=self.values.__getitem__)

    def as_die(self) -> Die:
        state = DIE_STATES[max(range(len(DIE_STATES)), key=self.states.__getitem__)]
        place: Any = self.where if self.where in ("left", "right", "bar") else "off"
        return Die(self.value, place, state)


UNSEEN = LyingDie((-1e6, -1e6), 0.0, "off", (math.log(1 / 6),) * 6, (0.0, -9.0, -9.0, -9.0))


def _logs(chances: Sequence[float], floor: float = T.STATE_FLOOR) -> tuple[float, ...]:
    return tuple(math.log(max(float(c), floor)) for c in chances)


@dataclass(frozen=True, slots=True)
class RefereeState:
    """Everything the referee remembers. A value: `step` gives back another."""

    position: Position
    ruleset: RuleSet = DEFAULT
    home: Home = "right"
    names: tuple[str, str] = ("A", "B")
    phase: Phase = "start"
    turn: Player | None = None
    dice: tuple[LyingDie, ...] = ()
    roll: tuple[int, int] | None = None
    called: tuple[str, tuple[int, int], Position, Board] | None = None
    """An illegal play not yet corrected: player, roll, the position before, the board as it stood."""
    missing: tuple[int, int] = (0, 0)
    """Checkers of A and B that left the board wrongly and stood (E2): off in `position`, not in the record."""
    cube: tuple[int, str] | None = None
    """Value and place of the cube as last believed: middle, bottom (A owns), top (B owns)."""
    cube_hint: tuple[int, str] | None = None
    stake: int = 1
    announced: bool = False
    """Whether the roll that lies has been reported."""
    shut: bool = False
    last: tuple[Floats, Floats] | None = field(default=None, compare=False)
    """Log-likelihoods of the last scene while the dice lay."""

    @property
    def waiting(self) -> str:
        """One short sentence: what the referee waits for."""
        who = "a player" if self.turn is None else self.names[self.turn.side]
        return {
            "start": "waiting for the starting position",
            "opening": "waiting for the opening roll: one die each",
            "roll": f"waiting for {who} to put the illegal play right, or for the next roll" if self.called else f"waiting for {who}'s dice",
            "void": f"waiting for {who} to roll again",
            "moving": f"waiting for {who} to move and lift the dice",
            "over": "the game is over",
        }[self.phase]

    def to_json(self) -> dict[str, Any]:
        row = asdict(replace(self, last=None, position=START, ruleset=DEFAULT, called=None))
        row["position"], row["checkers"] = list(self.position.to_28()), self.position.checkers
        row["ruleset"] = {k: getattr(v, "value", v) for k, v in asdict(self.ruleset).items()}
        row["dice"] = [asdict(d) for d in self.dice]
        row["last"] = None if self.last is None else [self.last[0].tolist(), self.last[1].tolist()]
        if self.called:
            who, roll, before, board = self.called
            row["called"] = [who, list(roll), list(before.to_28()), before.checkers, [list(p) for p in board.points], list(board.bar)]
        return row

    @staticmethod
    def from_json(row: dict[str, Any]) -> RefereeState:
        checkers = int(row["checkers"])
        called = None
        if row["called"]:
            who, roll, before, n, points, bar = row["called"]
            called = (str(who), (roll[0], roll[1]), Position.from_28(before, n), Board(tuple((a, b) for a, b in points), (bar[0], bar[1])))
        return RefereeState(
            position=Position.from_28(row["position"], checkers),
            ruleset=RuleSet.from_mapping(row["ruleset"]),
            home=row["home"],
            names=(row["names"][0], row["names"][1]),
            phase=row["phase"],
            turn=Player(row["turn"]) if row["turn"] else None,
            dice=tuple(LyingDie(tuple(d["xy"]), d["size"], d["where"], tuple(d["values"]), tuple(d["states"])) for d in row["dice"]),
            roll=tuple(row["roll"]) if row["roll"] else None,
            called=called,
            missing=tuple(row["missing"]),
            cube=tuple(row["cube"]) if row["cube"] else None,
            cube_hint=tuple(row["cube_hint"]) if row["cube_hint"] else None,
            stake=row["stake"],
            announced=row["announced"],
            shut=row["shut"],
            last=None if row["last"] is None else (np.array(row["last"][0]), np.array(row["last"][1])),
        )


Step = tuple[RefereeState, tuple[Event, ...]]


def new_game(start: Position = START, ruleset: RuleSet = DEFAULT, home: Home = "right", names: tuple[str, str] = ("A", "B")) -> RefereeState:
    return RefereeState(start, ruleset, home, names)


def step(state: RefereeState, scene: Scene) -> Step:
    """One settled scene. Pure."""
    out: list[Event] = []

    def say(kind: str, **data: Any) -> None:
        out.append(Event(kind, scene.frame, scene.time, data))

    points, bar = log_likelihoods(scene.board, state.home, T.FLOOR)
    inside, outside = _dice_of(state, scene.dice)
    if state.phase == "start":
        state = _begin(state, points, bar, say)
    if state.phase == "start" or state.phase == "over":
        return state, tuple(out)
    if state.phase in ("moving", "void") and inside and not _lying(state.dice, inside):
        if state.phase == "moving":
            state = _commit(state, *(state.last or (points, bar)), say)
        else:
            state = replace(state, phase="roll" if state.turn else "opening", dice=())
    if state.phase in ("moving", "void") and inside:
        state = _still_lying(state, inside, points, bar, say)
    elif state.phase == "void":
        state = _void_lifted(state, points, bar, say)
    elif state.phase == "moving":
        state = _commit(state, points, bar, say)
    elif inside:
        if state.called and not outside and len(inside) >= 1:
            state = _settle_call(state, points, bar, say, rolled=True)
        state = _rolled(state, inside, outside, points, bar, say)
    else:
        if state.called:
            state = _settle_call(state, points, bar, say, rolled=False)
        state = _turn_cube(state, scene.cube, say)
    state = _shut_out(state, say)
    return state, tuple(out)


def finish(state: RefereeState) -> Step:
    """The source has ended: an illegal play that nobody put right is left as called."""
    return state, ()


def _begin(state: RefereeState, points: Floats, bar: Floats, say: Any) -> RefereeState:
    if literal(points, bar) != state.position.board:
        return state
    say("game_start", position=list(state.position.to_28()))
    return replace(state, phase="opening")


def _dice_of(state: RefereeState, dice: Sequence[DieSeen]) -> tuple[list[DieSeen], list[DieSeen]]:
    """Dice on the board (two at most, the surest, those in the roller's own half first when there are more) and beside it."""
    real = sorted((d for d in dice if d.certainty >= T.DIE_IN_PLAY), key=lambda d: -d.certainty)
    inside = [d for d in real if d.where != "off"]
    if len(inside) > 2:
        lying = [d for d in inside if any(old.near(d) for old in state.dice)]
        half = RIGHT_HALF[state.turn] if state.turn else None
        inside = sorted(inside, key=lambda d: (d not in lying, half is not None and d.where != half, -d.certainty))[:2]
    return sorted(inside, key=lambda d: d.xy), [d for d in real if d.where == "off"]


def _lying(before: Sequence[LyingDie], now: Sequence[DieSeen]) -> bool:
    """Whether at least one of the dice seen now lies where one lay."""
    return any(old.near(die) for old in before for die in now)


def _still_lying(state: RefereeState, inside: Sequence[DieSeen], points: Floats, bar: Floats, say: Any) -> RefereeState:
    dice = [next((old.again(d) for d in inside if old.known and old.near(d)), old) for old in state.dice]
    fresh = [d for d in inside if not any(old.known and old.near(d) for old in state.dice)]
    for n, old in enumerate(dice):
        if not old.known and fresh:
            dice[n] = LyingDie.seen(fresh.pop())
    state = replace(state, dice=tuple(dice))
    if state.phase != "moving":
        return state
    state = replace(state, last=(points, bar))
    return state if state.announced or state.turn is None else _announce(state, say)


def _rolled(state: RefereeState, inside: Sequence[DieSeen], outside: Sequence[DieSeen], points: Floats, bar: Floats, say: Any) -> RefereeState:
    dice = tuple(LyingDie.seen(d) for d in inside)
    if state.turn is None:
        return _opening(state, dice, points, bar, say)
    if len(dice) == 1:
        dice = (*dice, replace(LyingDie.seen(outside[0]), where="off") if outside else UNSEEN)
    return _announce(replace(state, phase="moving", dice=dice, announced=False, last=(points, bar)), say)


def _judged(state: RefereeState) -> ValidRoll | VoidRoll | UnsureRoll | None:
    """The roll as its dice lie; None while a die is still to be seen."""
    if state.turn is None or not all(d.known for d in state.dice):
        return None
    half = RIGHT_HALF[state.turn]
    return judge_roll([d.as_die() for d in state.dice], state.turn, state.ruleset, roller_half=half, names=state.names)


def _announce(state: RefereeState, say: Any) -> RefereeState:
    """Report a roll, or that it is void, once that is sure; until then what the players do next will tell."""
    verdict = _judged(state)
    sure = min(d.lies_surely for d in state.dice)
    if isinstance(verdict, VoidRoll) and sure >= T.VOID_SURE:
        say("roll_void", player=str(state.turn), reason=verdict.reason, clause=verdict.clause, sentence=verdict.sentence)
        return replace(state, phase="void")
    if isinstance(verdict, ValidRoll) and sure >= T.VALID_SURE:
        numbers = (state.dice[0].value, state.dice[1].value)
        say("roll", player=str(state.turn), dice=list(numbers))
        return replace(state, roll=numbers, announced=True)
    return state


def _void_lifted(state: RefereeState, points: Floats, bar: Floats, say: Any) -> RefereeState:
    """The dice of a void roll are gone. If the board shows that the roll was played, it stood after all (the players saw better)."""
    again = replace(state, phase="roll" if state.turn else "opening", dice=(), last=None)
    if state.turn is None or literal(points, bar) == state.position.board:
        return again
    rolls = likely_rolls(state.dice[0].values, state.dice[1].values)
    verdict = weigh(state.position, (state.turn,), rolls, points, bar, state.ruleset, state.names)
    if isinstance(verdict, LegalBoard) and verdict.play.moves:
        say("roll", player=str(state.turn), dice=[verdict.roll.first, verdict.roll.second], stood=True)
        return _played(again, verdict, say)
    return again


def _opening(state: RefereeState, dice: tuple[LyingDie, ...], points: Floats, bar: Floats, say: Any) -> RefereeState:
    """D1. Each player's die lies in his own right half: A's in the right, B's in the left of the rectified board."""
    if len(dice) < 2:
        return state
    where = {d.where: d.value for d in dice}
    if set(where) == {"left", "right"} and not state.ruleset.either_half:
        a, b = where["right"], where["left"]
        first = opening_winner(a, b)
        if first is None:
            say("opening_tie", dice=[a, b])
            return replace(state, phase="void", dice=dice)
        say("opening_roll", player=str(first), dice=[max(a, b), min(a, b)], a=a, b=b)
        return replace(state, phase="moving", turn=first, dice=dice, roll=(a, b), announced=True, last=(points, bar))
    if state.ruleset.either_half:
        return replace(state, phase="moving", dice=dice, roll=(dice[0].value, dice[1].value), announced=False, last=(points, bar))
    return state


def _commit(state: RefereeState, points: Floats, bar: Floats, say: Any) -> RefereeState:
    """The dice are gone: judge the board they left (D5)."""
    if state.last is not None and literal(*state.last) == literal(points, bar):
        points, bar = points + 0.5 * state.last[0], bar + 0.5 * state.last[1]
    players = (state.turn,) if state.turn else (Player.A, Player.B)
    rolls = likely_rolls(state.dice[0].values, state.dice[1].values)
    verdict = weigh(state.position, players, rolls, points, bar, state.ruleset, state.names)
    if not state.announced and state.turn is not None and literal(points, bar) == state.position.board:
        return _doubtful_unplayed(state, verdict, say)
    state = replace(state, dice=(), last=None)
    if isinstance(verdict, Unsure):
        say("unsure", question=verdict.question, player=str(state.turn or ""))
        turn = state.turn.other if state.turn else None
        return replace(state, phase="roll" if turn else "opening", turn=turn)
    if not state.announced:
        say("roll", player=str(verdict.player), dice=[verdict.roll.first, verdict.roll.second])
    if isinstance(verdict, IllegalBoard):
        return _call(state, verdict, say)
    return _played(state, verdict, say)


def _doubtful_unplayed(state: RefereeState, verdict: Any, say: Any) -> RefereeState:
    """The dice were lifted, nothing was moved, and how they lay was in doubt: most likely the roll was void, unless it was a dance."""
    judged = _judged(state)
    state = replace(state, dice=(), last=None)
    if isinstance(judged, VoidRoll):
        say("roll_void", player=str(state.turn), reason=judged.reason, clause=judged.clause, sentence=judged.sentence)
        return replace(state, phase="roll")
    if isinstance(judged, ValidRoll) and isinstance(verdict, LegalBoard):
        say("roll", player=str(state.turn), dice=[verdict.roll.first, verdict.roll.second])
        return _played(state, verdict, say)
    say("unsure", question=f"what did {state.names[state.turn.side] if state.turn else ''} roll? Nothing was moved", player=str(state.turn or ""))
    return replace(state, phase="roll")


def _played(state: RefereeState, verdict: LegalBoard, say: Any, corrected: bool = False) -> RefereeState:
    dice = [verdict.roll.first, verdict.roll.second]
    if verdict.play.dance:
        say("dance", player=str(verdict.player), dice=dice)
    else:
        extra = {"corrected": True} if corrected else {}
        position = list(_record(verdict.play.result, state.missing))
        say("play", player=str(verdict.player), dice=dice, moves=steps(verdict.play.moves, bar="bar", off="off"), position=position, **extra)
    state = replace(state, position=verdict.play.result, turn=verdict.player.other, phase="roll", called=None, roll=None, shut=False)
    result = finished(state.position, _stake(state), state.ruleset)
    if result is None:
        return state
    say("game_over", winner=str(result.winner), how=result.win.name.lower(), points=result.points)
    return replace(state, phase="over")


def _call(state: RefereeState, verdict: IllegalBoard, say: Any) -> RefereeState:
    after, missing = _as_it_stands(state.position, verdict.player, verdict.board)
    say(
        "illegal",
        player=str(verdict.player),
        dice=[verdict.roll.first, verdict.roll.second],
        reason=verdict.why.reason,
        clause=verdict.why.clause,
        sentence=verdict.why.sentence,
        position=list(_record(after, (state.missing[0] + missing[0], state.missing[1] + missing[1])) if after else []),
    )
    called = (str(verdict.player), (verdict.roll.first, verdict.roll.second), state.position, verdict.board)
    return replace(state, turn=verdict.player.other, phase="roll", called=called, roll=None)


def _as_it_stands(before: Position, mover: Player, board: Board) -> tuple[Position | None, tuple[int, int]]:
    """The board taken as a position: the mover's vanished checkers are off, the other side's are missing. None when it cannot be one."""
    off = [before.checkers - board.on_table(p) for p in (Player.A, Player.B)]
    if min(off) < 0 or any(a and b for a, b in board.points):
        return None, (0, 0)
    other = mover.other.side
    lost = max(0, off[other] - before.off[other])
    points = tuple(a - b for a, b in board.points)
    missing = (lost, 0) if other == 0 else (0, lost)
    return Position(points, board.bar, (off[0], off[1]), before.checkers), missing


def _record(position: Position, missing: tuple[int, int]) -> tuple[int, ...]:
    """28 numbers for the record: checkers that vanished were not borne off."""
    row = list(position.to_28())
    row[26] -= missing[0]
    row[27] -= missing[1]
    return tuple(row)


def _settle_call(state: RefereeState, points: Floats, bar: Floats, say: Any, *, rolled: bool) -> RefereeState:
    """After a called illegal play: put right (E3), still as it was, or left to stand because the next roll has come (E2)."""
    assert state.called is not None
    who, roll, before, board = state.called
    seen = literal(points, bar)
    player = Player(who)
    if seen != board:
        verdict = weigh(before, (player,), {Roll(*roll): 1.0}, points, bar, state.ruleset, state.names)
        if isinstance(verdict, LegalBoard) and verdict.weight >= T.SURE:
            return _played(state, verdict, say, corrected=True)
    if not rolled:
        return state
    after, missing = _as_it_stands(before, player, board)
    say("stands", player=who, dice=list(roll))
    if after is None:
        say("unsure", question="the illegal play left a board that cannot be counted: set the position by hand", player=who)
        return replace(state, called=None)
    total = (state.missing[0] + missing[0], state.missing[1] + missing[1])
    return replace(state, called=None, position=after, missing=total)


def _stake(state: RefereeState) -> Any:
    from rules.cube import Cube

    return Cube(state.stake)


OWNER = {"bottom": Player.A, "top": Player.B}


def _turn_cube(state: RefereeState, cube: CubeSeen | None, say: Any) -> RefereeState:
    """A cube that went to a player's side before the roll was offered and taken (C2, C3)."""
    if cube is None or cube.certainty < T.CUBE_SURE:
        return state
    now = (cube.value, str(cube.where))
    if state.cube is None:
        return replace(state, cube=now)
    if now[1] == state.cube[1] or now[1] not in OWNER or state.turn is None or state.phase != "roll":
        return replace(state, cube_hint=None)
    owner = OWNER[now[1]]
    expected = 2 * state.stake
    if owner is not state.turn.other or (state.stake > 1 and OWNER.get(state.cube[1]) is not state.turn):
        return state
    if now[0] != expected and state.cube_hint != now:
        return replace(state, cube_hint=now)
    say("double", player=str(state.turn), value=expected)
    say("take", player=str(owner), value=expected)
    return replace(state, cube=(expected, now[1]), cube_hint=None, stake=expected)


def _shut_out(state: RefereeState, say: Any) -> RefereeState:
    if state.phase == "roll" and state.turn and not state.called and not state.shut and is_shut_out(state.position, state.turn):
        say("shut_out", player=str(state.turn))
        return replace(state, turn=state.turn.other, shut=False)
    return state
