"""Records made from the events: JSON lines, and the match as its files hold it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from calibration.whole_file import write_whole
from controller.events import Event
from rules.formats import mat
from rules.match import Ending, GameResult, Win
from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player, Position
from rules.record import AnyTurn, CannotHold, DanceTurn, Double, Drop, GameRecord, IllegalTurn, MatchRecord, PlayTurn, Take
from rules.ruleset import DEFAULT, RuleSet


class RecordError(Exception):
    """A record could not be written; one plain sentence."""


def write_record(path: Path, content: str | bytes) -> None:
    """Write a record whole or not at all. Raises RecordError (a full disk, a folder that is not there)."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise RecordError(f"cannot write {path}: {error.strerror or error}") from error


def can_write(path: Path) -> None:
    """Find out before an hour's work, not after it. Raises RecordError."""
    if path.is_dir():
        raise RecordError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise RecordError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise RecordError(f"cannot write {path}: the folder {path.parent} may not be written to")


def json_lines(events: Iterable[Event]) -> str:
    return "".join(e.to_json() + "\n" for e in events)


def to_mat(events: Iterable[Event], start: Position = START, names: tuple[str, str] = ("A", "B"), length: int = 0) -> str:
    """The games of the events as gnubg-style `.mat`. Raises CannotHold with the reason.

    A call that was put right (E3) leaves no trace in `.mat`. What cannot be held is refused, never left out: an illegal play
    that stood or was still open at the end, a turn that is unsure, a position set by hand.
    """
    return mat.write_mat(to_record(events, start, names, length))


def to_record(
    events: Iterable[Event],
    start: Position = START,
    names: tuple[str, str] = ("A", "B"),
    length: int = 0,
    ruleset: RuleSet = DEFAULT,
    tags: Sequence[tuple[str, str]] = (),
) -> MatchRecord:
    """The match as every match file holds it; an illegal play that was called is in it, put right or not. Raises CannotHold with the
    reason when the events themselves do not tell what was played: a turn in doubt, a position or a cube set by hand."""
    gathering = _Games(start, length, ruleset)
    for event in events:
        gathering.take(event)
    return MatchRecord(names, length, gathering.finished(), tuple(tags), ruleset)


BY_HAND = {"position_set": "the position", "cube_set": "the cube"}


class _Games:
    """The games of a match while its events are told."""

    def __init__(self, start: Position, length: int, ruleset: RuleSet) -> None:
        self.start, self.ties_allowed = start, ruleset.automatic_doubles if length == 0 else 0
        self.games: list[GameRecord] = []
        self.score = self.running = (0, 0)
        """Before the game that is told, and with those that are over."""
        self._begin()

    def _begin(self) -> None:
        self.position = self.start
        self.turns: list[tuple[AnyTurn, Position]] = []
        """With the position before each."""
        self.result: GameResult | None = None
        self.called: Event | None = None
        """An illegal play that is neither put right nor has stood."""
        self.asked: Event | None = None
        """A turn in doubt."""
        self.ties = 0

    def finished(self) -> list[GameRecord]:
        self._close()
        return self.games

    def _close(self) -> None:
        if self.called is not None:
            raise CannotHold(f"the illegal play at frame {self.called.frame} was not put right before the record ends (the events hold it)")
        if self.asked is not None:
            raise CannotHold(f"a turn is unsure at frame {self.asked.frame}: {self.asked.data.get('question', '')}")
        if self.turns or self.result is not None:
            turns = [turn for turn, _ in self.turns]
            self.games.append(GameRecord(self.score, turns, self.result, self.start, automatic_doubles=min(self.ties, self.ties_allowed)))

    def _next(self) -> None:
        self._close()
        self.score = self.running
        self._begin()

    def take(self, event: Event) -> None:
        data = event.data
        who = Player(data["player"]) if data.get("player") in ("A", "B") else None
        match event.event:
            case "game_start":
                self._next()
            case "opening_tie" if not data.get("inferred"):
                self.ties += 1
            case "play" if who:
                self._known(event)
                roll = Roll(*data["dice"])
                try:
                    play = parse_play(data["moves"], self.position, who, roll)
                except ValueError as error:
                    raise CannotHold(f"the play at frame {event.frame} does not follow from the one before: {error}") from error
                self._add(PlayTurn(who, roll, play), play.result)
            case "dance" if who:
                self._known(event)
                self._add(DanceTurn(who, Roll(*data["dice"])), self.position)
            case "stands" if who:
                self._stands(event, who)
            case "illegal":
                self._known(event)
                self.called = event
            case "double" if who:
                self._add(Double(who, int(data["value"])), self.position)
            case "take" if who:
                self._add(Take(who), self.position)
            case "pass" if who:
                self._add(Drop(who), self.position)
            case "taken_back":
                self._take_back(tuple(data["position"][:26]), who)
            case "score_set":
                self.running = (int(data["score"][0]), int(data["score"][1]))
                if self.result is None:
                    self.score = self.running
            case "unsure":
                self.asked = event
            case "game_over":
                self._over(event)
            case kind if kind in BY_HAND:
                raise CannotHold(f"{BY_HAND[kind]} was set by hand at frame {event.frame}")

    def _add(self, turn: AnyTurn, after: Position) -> None:
        self.turns.append((turn, self.position))
        self.position = after
        self.called = None
        if not isinstance(turn, Double | Take | Drop):
            self.asked = None

    def _known(self, event: Event) -> None:
        """What was played since is known: the board before this turn is the one that the turns so far lead to. A doubt that was
        settled by a later look leaves no gap."""
        before = event.data.get("before")
        if before is not None and tuple(before[:26]) != self.position.to_28()[:26]:
            said = f": {self.asked.data.get('question', '')}" if self.asked else ""
            raise CannotHold(f"what was played before frame {event.frame} is not known for sure{said}")
        if before is None and self.asked is not None:
            raise CannotHold(f"a turn is unsure at frame {self.asked.frame}: {self.asked.data.get('question', '')}")

    def _stands(self, event: Event, who: Player) -> None:
        numbers = event.data.get("position")
        try:
            result = Position.from_28([int(n) for n in numbers or ()], self.start.checkers)
        except ValueError:
            said = "does not have all its checkers" if numbers else "is not known"
            raise CannotHold(f"an illegal play stood at frame {event.frame}, and the board after it {said}") from None
        self._add(IllegalTurn(who, Roll(*event.data["dice"]), result), result)

    def _take_back(self, before: tuple[int, ...], who: Player | None) -> None:
        """Back to the position before the last turn; a dance changed none, and goes with whatever was doubled after it. A turn that was
        not told yet, or whose illegal play is still open, leaves nothing to take out."""
        if self.position.to_28()[:26] != before:
            while self.turns and self.position.to_28()[:26] != before:
                _, self.position = self.turns.pop()
        elif self.called is None:
            played = [n for n, (turn, _) in enumerate(self.turns) if not isinstance(turn, Double | Take)]
            last = self.turns[played[-1]][0] if played else None
            if isinstance(last, DanceTurn) and who in (None, last.player):
                del self.turns[played[-1] :]
        self.called = self.asked = None

    def _over(self, event: Event) -> None:
        data, how = event.data, str(event.data["how"])
        if how not in (*tuple(Win), "pass"):
            raise CannotHold(f"the game that ended at frame {event.frame} was neither borne off nor passed ({how})")
        ending = Ending.RESIGNED if data.get("resigned") else Ending.DROPPED if how == "pass" else Ending.PLAYED
        self.result = GameResult(Player(data["winner"]), int(data["points"]), Win.SINGLE if how == "pass" else Win(how), ending)
        won, points = self.result.winner.side, self.result.points
        self.running = (self.running[0] + points * (won == 0), self.running[1] + points * (won == 1))
