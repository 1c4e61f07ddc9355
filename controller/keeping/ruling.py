"""One turn as it has to lie on the table when it is argued about: the pictures, the boards before and after, what was read, what was
said of it, what would have been legal, and how it was ruled."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from controller.correction import correction
from controller.evidence import key_of
from controller.keeping.clauses import CLAUSES
from controller.keeping.library import Found
from controller.keeping.story import Diagram, Turn
from controller.state import RefereeState
from controller.thresholds import SURE
from controller.words import sentence
from rules.notation import short
from rules.plays import Roll, legal_plays
from rules.position import Player, Position, own_point
from vision.scene import DIE_STATES, MOST

Ruled = Literal["illegal play called", "stands", "corrected", "legal"]
RULED: dict[Ruled, str] = {
    "illegal play called": "The play is illegal and was called",
    "stands": "The play stands",
    "corrected": "The play was put right",
    "legal": "The play is legal",
}
MOST_PLAYS = 60
"""Legal plays shown of one roll; a double may have hundreds."""


@dataclass(frozen=True, slots=True)
class PlayShown:
    notation: str
    position: tuple[int, ...]
    played: bool
    """The board after the turn shows this one."""
    carried: int
    """Checkers to be carried from the board after the turn to this one."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place that was not read for sure."""

    place: str
    read: int
    """Checkers: above zero A's, below zero B's."""
    chance: float
    other: int
    other_chance: float


@dataclass(frozen=True, slots=True)
class DieRead:
    value: int
    chance: float
    lies: str
    """flat, cocked, on_checker or off."""
    where: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the camera saw, before any rule was asked."""

    board: tuple[int, ...]
    """28 integers; nothing is known of those off, so they are 0."""
    doubts: tuple[Doubt, ...]
    dice: tuple[DieRead, ...]
    looks: int
    """Pictures that the reading of the board rests on."""


@dataclass(frozen=True, slots=True)
class RulingMade:
    ruling: str
    by: str
    note: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """Everything about one turn."""

    turn: Turn
    player: str
    verdict: str
    """In words."""
    clause: str
    clause_says: str
    confidence: float | None
    plays: tuple[PlayShown, ...]
    more_plays: int
    """Legal plays beyond those listed."""
    reading: Reading | None
    """None for journals that hold no evidence of that picture."""
    roll_frame: int | None
    roll_late: bool
    """The roll was told only when the play had shown what it was: its picture need not show the dice."""
    frame: int
    before: Diagram
    after: Diagram
    rulings: tuple[RulingMade, ...]
    events: tuple[str, ...]
    """What happened since the turn before, in words."""


def ruling_of(found: Found, number: int) -> Ruling:
    """Turn `number` of the match, counted from 1. Raises IndexError when there is no such turn."""
    turns = found.story.turns
    if not 1 <= number <= len(turns):
        raise IndexError(f"This match has {len(turns)} turn{'s' * (len(turns) != 1)}; there is no turn {number}.")
    turn, names = turns[number - 1], found.past.names
    data = turn.event.data
    plays, more = _plays(turn)
    made = tuple(
        RulingMade(str(event.data.get("ruling", "")), str(event.data.get("by", "")), str(event.data.get("note", "")))
        for event in found.past.events
        if event.event == "ruling" and event.data.get("turn") == number
    )
    clause = str(data.get("clause", ""))
    late = any(event.event in ("roll", "opening_roll") and event.data.get("inferred") for event in turn.events)
    confidence = data.get("confidence")
    return Ruling(
        turn, names[turn.player.side] if turn.player else "", _verdict(turn, names), clause, CLAUSES.get(clause, ""),
        float(confidence) if isinstance(confidence, int | float) else None, plays, more,
        read_at(found.past.path, turn.roll_frame, turn.frame), turn.roll_frame, late, turn.frame,
        Diagram(turn.before, turn.dice, turn.player or Player.A, turn.cube), turn.diagram, made,
        tuple(sentence(event, names) for event in turn.events),
    )  # fmt: skip


def _verdict(turn: Turn, names: tuple[str, str]) -> str:
    said = str(turn.event.data.get("sentence") or "")
    who = names[turn.player.side] if turn.player else ""
    dice = "-".join(map(str, turn.dice))
    match turn.kind:
        case "play":
            return f"Legal: {who} played {dice}: {turn.text}{', after it was put right' if turn.corrected else ''}."
        case "dance":
            return f"Legal: {who} cannot play {dice}."
        case "illegal":
            return f"Illegal: {said}"
        case "stands":
            return f"Illegal, and it stands: nobody called {who}'s play before the next roll."
    return sentence(turn.event, names)


def _plays(turn: Turn) -> tuple[tuple[PlayShown, ...], int]:
    if turn.player is None or len(turn.dice) != 2 or turn.kind == "position_set":
        return (), 0
    before = Diagram(turn.before).board
    if not isinstance(before, Position):
        return (), 0
    after = Diagram(turn.after).board
    seen = after.board if isinstance(after, Position) else after
    found = []
    for result, play in legal_plays(before, turn.player, Roll(turn.dice[0], turn.dice[1])).items():
        carried = sum(lift.checkers for lift in correction(seen, result))
        found.append(PlayShown(short(play.moves), result.to_28(), carried == 0, carried))
    found.sort(key=lambda play: (play.carried, play.notation))
    return tuple(found[:MOST_PLAYS]), max(len(found) - MOST_PLAYS, 0)


def read_at(journal: Path, roll_frame: int | None, frame: int) -> Reading | None:
    """What was read, by the evidence that the journal keeps with each frame: dice at the roll, the board at the verdict."""
    at_roll = state_at(journal, roll_frame) if roll_frame is not None else None
    judged = state_at(journal, frame)
    if judged is None or judged.evidence is None:
        return None
    evidence = judged.evidence
    key = evidence.seen(key_of(judged.position))
    doubts = []
    for n, chances in enumerate(evidence.chances()):
        ranked = sorted(range(len(chances)), key=lambda i: -chances[i])
        first, second = ranked[0], ranked[1]
        if chances[first] >= SURE or not evidence.looks[n]:
            continue
        zero = MOST if n < 24 else 0
        place = own_name(n + 1) if n < 24 else f"{'AB'[n - 24]}'s bar"
        doubts.append(Doubt(place, first - zero, round(float(chances[first]), 3), second - zero, round(float(chances[second]), 3)))
    dice = []
    throw = at_roll.throw if at_roll else None
    for die in throw.dice if throw else ():
        value, lies = (max(range(len(row)), key=row.__getitem__) for row in (die.value_chances, die.state_chances))
        dice.append(DieRead(value + 1, round(float(die.value_chances[value]), 3), DIE_STATES[lies].replace("_", " "), str(die.where)))
    return Reading((*key, 0, 0), tuple(doubts), tuple(dice), max(evidence.looks))


def own_name(point: int) -> str:
    return f"A's {point}-point, B's {own_point(point, Player.B)}-point"


def state_at(journal: Path, frame: int) -> RefereeState | None:
    """The referee's state after a frame; None when the journal does not hold it."""
    try:
        with closing(sqlite3.connect(f"{journal.resolve().as_uri()}?mode=ro", uri=True)) as book:
            row = book.execute("SELECT state FROM frames WHERE frame = ? AND state IS NOT NULL", (frame,)).fetchone()
        return RefereeState.from_json(json.loads(row[0])) if row else None
    except (sqlite3.Error, ValueError):
        return None

