"""A match as a reader wants it: game by game, turn by turn, and whatever was out of the ordinary with the board it happened on.

Pure: events in, a value out. Turns have the numbers that `past.moments`, `replay` and `evidence` give them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from controller.events import Event
from controller.past import TURNS
from controller.words import sentence
from rules.cube import Cube
from rules.position import START, Board, Player, Position

Numbers = tuple[int, ...]
"""28 integers as in the events."""

TITLES = {
    "illegal": "Illegal play",
    "stands": "Illegal play stood",
    "corrected": "Play put right",
    "roll_void": "Void roll",
    "roll_stands": "Void roll played and standing",
    "unsure": "Not sure",
    "taken_back": "Turn taken back",
    "called": "Play called",
    "position_set": "Position set by hand",
    "cube_set": "Cube set by hand",
    "score_set": "Score set by hand",
    "broken_off": "Game broken off",
    "flag_fall": "Flag fallen",
    "ruling": "Ruling",
    "refused": "Refused",
    "resign": "Resignation offered",
    "resign_refused": "Resignation not accepted",
    "match_over": "Match ended",
}
"""What is out of the ordinary, and what a report calls it."""
NEVER_ALONE = frozenset({"refused", "resign", "resign_refused", "match_over"})
"""Told in a report only when somebody's name stands beside it: a button pressed too early is no incident."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board to be drawn."""

    numbers: Numbers
    dice: tuple[int, ...] = ()
    roller: Player = Player.A
    cube: Cube = Cube()
    lit: tuple[int, ...] = ()
    """Points in question, as `drawing.svg_board` takes them."""

    @property
    def board(self) -> Position | Board:
        """A position where the checkers add up; else what stands on the table."""
        checkers = sum(n for n in self.numbers[:24] if n > 0) + self.numbers[24] + self.numbers[26]
        try:
            return Position.from_28(self.numbers, checkers)
        except ValueError:
            return Board(tuple((max(n, 0), max(-n, 0)) for n in self.numbers[:24]), (max(self.numbers[24], 0), max(self.numbers[25], 0)))


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn that ended, or a board that was put in its place."""

    number: int
    """Over the whole match, from 1."""
    game: int
    kind: str
    """play, dance, illegal, stands or position_set."""
    player: Player | None
    dice: tuple[int, ...]
    text: str
    """The play in notation, or in words."""
    before: Numbers
    after: Numbers
    score: tuple[int, int]
    cube: Cube
    events: tuple[Event, ...]
    """What happened since the turn before, the turn's own event last."""
    roll_frame: int | None
    """Where the roll settled; None when it was never announced."""
    corrected: bool = False
    inferred: bool = False
    """The dice were read from the play."""
    seconds: float | None = None
    """What the turn took, where a clock ran."""

    @property
    def event(self) -> Event:
        return self.events[-1]

    @property
    def frame(self) -> int:
        return self.events[-1].frame

    @property
    def diagram(self) -> Diagram:
        return Diagram(self.after, self.dice, self.player or Player.A, self.cube, lit(self.before, self.after))


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the score sheet: a turn, or an act with the cube."""

    player: Player | None
    text: str
    dice: tuple[int, ...] = ()
    turn: int | None = None
    seconds: float | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """Something out of the ordinary."""

    number: int
    """From 1 over the match."""
    kind: str
    title: str
    words: str
    clause: str
    game: int
    turn: int
    """The turn it belongs to: the one that was judged, or the one under way."""
    frame: int
    boards: tuple[tuple[str, Diagram], ...]
    """Each with what it shows."""
    nearest: tuple[str, ...] = ()
    """Legal plays nearest to an illegal one."""
    by: str = ""
    """Whose act it was."""


@dataclass(frozen=True, slots=True)
class GameStory:
    number: int
    score: tuple[int, int]
    """Of A and B before it."""
    rows: tuple[Row, ...]
    end: Diagram
    winner: Player | None = None
    points: int = 0
    how: str = ""
    """single, gammon, backgammon, pass or broken off; empty while it is not over."""
    resigned: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    games: tuple[GameStory, ...]
    turns: tuple[Turn, ...]
    incidents: tuple[Incident, ...]
    score: tuple[int, int]

    def count(self, *kinds: str) -> int:
        return sum(incident.kind in kinds for incident in self.incidents)


def lit(before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
    """The points on which two boards differ; 25 and 0 are A's bar and tray, as `drawing.svg_board` has them."""
    places = [*range(1, 25), 25, None, 0, None]
    return tuple(place for place, a, b in zip(places, before, after, strict=False) if a != b and place is not None)


@dataclass
class _Fold:
    names: tuple[str, str]
    start: Numbers
    position: Numbers = ()
    score: list[int] = field(default_factory=lambda: [0, 0])
    cube: Cube = Cube()
    since: list[Event] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    games: list[GameStory] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    game: int = 0
    game_score: tuple[int, int] = (0, 0)
    over: bool = True
    last: tuple[str, int] | None = None
    """Where the seconds of the turn that has just ended belong: "turn" or "row", and which."""

    def take(self, event: Event) -> None:
        self.since.append(event)
        data, kind = event.data, event.event
        if kind == "game_start":
            self._open(_numbers(data.get("position")) or self.start)
        elif self.over and kind in (*TURNS, "opening_roll", "roll", "roll_void", "double", "take", "pass", "unsure"):
            self._open(self.position or self.start)
        self._incident(event)
        match kind:
            case "double" | "take" | "pass":
                self._cube(event)
            case "resign" | "resign_refused":
                how = str(data.get("how", "single"))
                text = f"offers to resign a {how}{' game' if how == 'single' else ''}" if kind == "resign" else "does not accept"
                self.rows.append(Row(_player(data), text, kind=kind))
            case "taken_back":
                self.position = _numbers(data.get("position")) or self.position
                self.rows.append(Row(_player(data), "turn taken back", kind=kind))
            case "cube_set":
                owner = Player(data["owner"]) if data.get("owner") else None
                self.cube = _cube(int(data["value"]), owner)
                self.rows.append(Row(None, f"cube set to {data['value']}", kind=kind))
            case "score_set":
                self.score = [int(n) for n in data["score"]]
                self.game_score = (self.score[0], self.score[1])
            case "turn_time":
                self._seconds(event)
            case "game_over":
                self.close(Player(data["winner"]), int(data["points"]), str(data["how"]), resigned=bool(data.get("resigned")))
            case "broken_off":
                self.close(None, 0, "broken off")
            case _ if kind in TURNS and _numbers(data.get("position")):
                self._turn(event)

    def _open(self, position: Numbers) -> None:
        if not self.over:
            self.close(None, 0, "")
        self.game += 1
        self.position, self.cube, self.over = position, Cube(), False
        self.game_score = (self.score[0], self.score[1])
        self.last = None

    def close(self, winner: Player | None, points: int, how: str, *, resigned: bool = False) -> None:
        if self.over:
            return
        end = Diagram(self.position or self.start, cube=self.cube)
        self.games.append(GameStory(self.game, self.game_score, tuple(self.rows), end, winner, points, how, resigned))
        if winner is not None:
            self.score[winner.side] += points
        self.rows, self.over = [], True

    def _turn(self, event: Event) -> None:
        data, number = event.data, len(self.turns) + 1
        player, dice = _player(data), _dice(data)
        after = _numbers(data["position"])
        before = _numbers(data.get("before")) or self.position or self.start
        rolled = next((e.frame for e in reversed(self.since) if e.event in ("roll", "opening_roll")), None)
        turn = Turn(
            number, self.game, event.event, player, dice, _played(event, self.names), before, after, (self.score[0], self.score[1]), self.cube,
            tuple(self.since), rolled, bool(data.get("corrected")), bool(data.get("inferred")),
        )  # fmt: skip
        self.turns.append(turn)
        self.rows.append(Row(player, turn.text, dice, number, kind="corrected" if turn.corrected else event.event))
        self.since = []
        self.position = after
        self.last = ("turn", number - 1)

    def _cube(self, event: Event) -> None:
        data, player = event.data, _player(event.data)
        value = int(data.get("value", 0))
        text = {"double": f"doubles to {value}", "take": "takes", "pass": "passes"}[event.event]
        if event.event == "take":
            self.cube = _cube(value, player)
        self.rows.append(Row(player, text, kind=event.event))
        self.last = ("row", len(self.rows) - 1)

    def _seconds(self, event: Event) -> None:
        """A turn's time is told after it; it belongs to the last thing that player did in this game."""
        seconds, player = float(event.data["seconds"]), _player(event.data)
        if self.last is None or self.over:
            return
        for place in reversed(range(len(self.rows))):
            row = self.rows[place]
            if row.player is player:
                self.rows[place] = Row(row.player, row.text, row.dice, row.turn, (row.seconds or 0.0) + seconds, row.kind)
                if row.turn is not None:
                    self.turns[row.turn - 1] = _timed(self.turns[row.turn - 1], (row.seconds or 0.0) + seconds)
                return

    def _incident(self, event: Event) -> None:
        data, kind = event.data, event.event
        by = str(data.get("by", ""))
        if kind == "play" and data.get("corrected"):
            kind = "corrected"
        if (kind not in TITLES and not by) or (kind in NEVER_ALONE and not by) or kind == "turn_time":
            return
        number = len(self.turns) + (1 if event.event in TURNS and _numbers(data.get("position")) else 0)
        if event.event in ("called", "taken_back", "ruling", "cube_set", "score_set", "broken_off", "flag_fall"):
            turn = int(data["turn"]) if kind == "ruling" and isinstance(data.get("turn"), int) else number
        else:
            turn = number if event.event in TURNS else number + 1
        self.incidents.append(
            Incident(
                len(self.incidents) + 1, kind, TITLES.get(kind, kind.replace("_", " ").capitalize()), _told(event, self.names),
                str(data.get("clause", "")), max(self.game, 1), turn, event.frame, self._boards(event, kind),
                tuple(str(play) for play in data.get("nearest", [])), by,
            )
        )  # fmt: skip

    def _boards(self, event: Event, kind: str) -> tuple[tuple[str, Diagram], ...]:
        data = event.data
        player, dice = _player(data) or Player.A, _dice(data)
        known = _numbers(data.get("before")) or self.position or self.start
        after = _numbers(data.get("position"))
        match kind:
            case "illegal" | "corrected" | "stands":
                name = {"illegal": "as it was played", "corrected": "after it was put right", "stands": "as it stands"}[kind]
                if not after:
                    return (("before the play", Diagram(known, dice, player, self.cube)),)
                shown = Diagram(after, dice, player, self.cube, lit(known, after))
                return (("before the play", Diagram(known, dice, player, self.cube)), (name, shown))
            case "unsure":
                found: list[tuple[str, Diagram]] = [("before", Diagram(known, dice, player, self.cube))]
                for option in data.get("options", [])[:2]:
                    may = _numbers(option.get("position"))
                    if may:
                        chance = f"perhaps this ({float(option.get('chance', 0)):.0%})"
                        found.append((chance, Diagram(may, (), player, self.cube, lit(known, may))))
                return tuple(found)
            case "position_set" | "taken_back":
                return (("from here on", Diagram(after or known, (), player, self.cube, lit(self.position or known, after or known))),)
            case "roll_void" | "roll_stands" | "called" | "flag_fall":
                return (("the board then", Diagram(known, dice, player, self.cube)),)
            case "cube_set":
                owner = Player(data["owner"]) if data.get("owner") else None
                return (("from here on", Diagram(known, (), player, _cube(int(data["value"]), owner))),)
        return ()


def _timed(turn: Turn, seconds: float) -> Turn:
    return replace(turn, seconds=seconds)


def _cube(value: int, owner: Player | None) -> Cube:
    try:
        return Cube(value, owner, turned=value > 1)
    except ValueError:
        return Cube()


def _player(data: dict[str, Any]) -> Player | None:
    return Player(data["player"]) if data.get("player") in ("A", "B") else None


def _dice(data: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(die) for die in data.get("dice", ()) if 1 <= int(die) <= 6)[:2]


def _numbers(given: Any) -> Numbers:
    """28 integers, or nothing."""
    return tuple(int(n) for n in given) if isinstance(given, (list, tuple)) and len(given) == 28 else ()


def _played(event: Event, names: tuple[str, str]) -> str:
    match event.event:
        case "play":
            return str(event.data.get("short") or event.data.get("moves", ""))
        case "dance":
            return "cannot move"
        case "illegal":
            return "an illegal play"
        case "stands":
            return "the illegal play stands"
        case "position_set":
            return "position set by hand"
    return sentence(event, names)


def _told(event: Event, names: tuple[str, str]) -> str:
    """The reason in the rules' own words where there is one; else the event in words."""
    said = str(event.data.get("sentence") or event.data.get("question") or sentence(event, names))
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "?", "!")) else ".")


def tell(events: Sequence[Event], names: tuple[str, str] = ("A", "B"), start: Sequence[int] = START.to_28()) -> Story:
    """The story of these events. `start`: the starting position, 28 integers."""
    fold = _Fold(names, tuple(start))
    for event in events:
        fold.take(event)
    if not fold.over:
        fold.close(None, 0, "")
    return Story(tuple(fold.games), tuple(fold.turns), tuple(fold.incidents), (fold.score[0], fold.score[1]))
