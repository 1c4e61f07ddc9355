"""What a viewer is shown of the table: plain values, the same for the page and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel

from controller.events import Event
from controller.now import Now, Side
from controller.state import RefereeState
from rules.position import BAR, OFF, Board, Player, Position, own_point

TOLD_IN_SILENCE = frozenset({
    "game_start", "opening_tie", "opening_roll", "roll", "play", "dance", "double", "take", "pass", "shut_out", "resign", "resign_refused",
    "game_over", "match_over", "turn_time", "flag_fall", "cube_set", "score_set", "position_set", "broken_off",
})  # fmt: skip
"""Events that viewers of a silent match are told; all others are the director's, those too that are yet to be thought of."""
PLACES = (*range(1, 25), 25, 26, 0, 27)
"""Names of a position's 28 places; see `VerdictView.points`."""


class CubeView(BaseModel):
    value: int
    face: int
    owner: Side | None
    offered_by: Side | None


class ClockView(BaseModel):
    left: tuple[float, float]
    """s of reserve of A and B at this moment; below zero once the flag has fallen."""
    delay_left: float
    """s of the present turn that still cost nothing."""
    running: Side | None
    flags: tuple[bool, bool]


class VerdictView(BaseModel):
    number: int
    """Of the event."""
    kind: Literal["play", "dance", "illegal", "stands", "roll_void", "unsure"]
    words: str
    clause: str = ""
    points: list[int] = []
    """Points in question, in A's numbering; 25 A's bar, 0 A's off, 26 B's bar, 27 B's off."""
    options: list[dict[str, Any]] = []
    """For an unsure one: the positions it may be, with their chances."""


class LiftView(BaseModel):
    """Checkers that have to be moved by hand to put the board right. Places as in `VerdictView.points`."""

    player: Side
    start: int
    end: int
    checkers: int
    words: str


class BoardView(BaseModel):
    """The table now."""

    match: str
    """Names the match; event numbers count within it."""
    number: int
    """Of the match's last event."""
    phase: str
    """no camera, looking, set up, watching or finished."""
    game_phase: str
    """start, opening, roll, lying or over."""
    names: tuple[str, str]
    length: int
    """Points of the match, 0 for money."""
    score: tuple[int, int]
    game: int
    crawford: bool
    winner: Side | None
    """Of the match."""
    rules: str
    speaks: str
    home: Literal["right", "left"]
    """Where A's home lies, seen from A."""
    darker: Side
    """Whose checkers are the darker ones on the board."""
    turn: Side | None
    position: list[int]
    """As the referee knows it."""
    shown: list[int]
    """As the board stands: while dice lie or something is to be put right it is what the camera saw last."""
    dice: list[int]
    """As they lie or were rolled last in this turn; empty while none are."""
    roller: Side | None
    void: bool
    cube: CubeView
    clock: ClockView | None
    waiting: str
    note: str
    """Why nothing is read now; empty while all is well."""
    verdict: VerdictView | None
    correction: list[LiftView]
    resigning: Side | None
    """Who offers to resign, while the other has not answered."""
    ended: bool
    """The match is over."""


class EventView(BaseModel):
    """One event, as it stands in the journal, with its number and in words."""

    number: int
    words: str
    event: str
    frame: int
    time: float
    data: dict[str, Any]


def place(player: Player, own: int) -> int:
    """A player's own point (25 his bar, 0 his off) as a place that both share (see `VerdictView.points`)."""
    if own == BAR:
        return 25 if player is Player.A else 26
    if own == OFF:
        return 0 if player is Player.A else 27
    return own_point(own, player)


def numbers_of(board: Board, checkers: int) -> list[int]:
    """28 integers of a board as seen; both colours on one point show as the one with more, and who is missing of `checkers` counts as off."""
    points = [a if a > b else -b for a, b in board.points]
    off = [max(checkers - board.on_table(player), 0) for player in Player]
    return [*points, *board.bar, *off]


def numbers(position: Position) -> list[int]:
    return [*position.to_28()]


def shown_of(state: RefereeState) -> list[int]:
    as_seen = state.phase in ("lying", "start", "over") or state.open is not None or state.restore
    return numbers_of(state.board_shown, state.start.checkers) if as_seen and state.evidence is not None else numbers(state.position)


def changed(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """Places where two positions of 28 integers differ, or boards of 26: points and bar."""
    return [name for name, a, b in zip(PLACES[: len(before)], before, after, strict=True) if a != b]


def told(events: Iterable[tuple[int, Event]], now: Now, *, director: bool) -> list[tuple[int, Event]]:
    """What may be told of these events: of a silent match nothing that says that a play or a roll was wrong, to anybody but the director."""
    if director or now.match.speaks != "silent":
        return list(events)
    return [(n, _quiet(e)) for n, e in events if e.event in TOLD_IN_SILENCE]


def _quiet(event: Event) -> Event:
    return replace(event, data={k: v for k, v in event.data.items() if k != "corrected"})


def verdict_of(events: list[tuple[int, Event]], words: Any, names: tuple[str, str]) -> VerdictView | None:
    """The last verdict of the present turn or game; None where a new game has begun since."""
    for number, event in reversed(events):
        kind, data = event.event, event.data
        if kind in ("game_start", "position_set", "taken_back"):
            return None
        if kind in ("play", "dance", "illegal", "stands", "roll_void", "unsure"):
            before, after = data.get("before"), data.get("position")
            points = changed(before, after) if before and after else []
            return VerdictView(
                number=number, kind=kind, words=words(event, names), clause=str(data.get("clause", "")),  # type: ignore[arg-type]
                points=points, options=data.get("options", []),
            )  # fmt: skip
    return None


def clock_of(state: RefereeState) -> ClockView | None:
    clock = state.clock
    if clock is None:
        return None
    return ClockView(
        left=(round(clock.left(Player.A, state.time), 1), round(clock.left(Player.B, state.time), 1)),
        delay_left=round(max(clock.delay - clock.used(state.time), 0.0), 1),
        running=clock.running.value if clock.running else None,
        flags=clock.flags,
    )


def view_of(now: Now, events: list[tuple[int, Event]], words: Any, *, director: bool) -> BoardView:
    """`events`: the latest of the match, enough of them to hold the last verdict."""
    state, match = now.state, now.match
    silent = match.speaks == "silent" and not director
    points = state.match
    seen = told(events, now, director=director)
    dice = [state.announced.first, state.announced.second] if state.announced else []
    if state.throw is not None and not dice:
        dice = [die.value_chances.index(max(die.value_chances)) + 1 for die in state.throw.dice[:2]]
    waiting = _quiet_waiting(state) if silent else state.waiting
    return BoardView(
        match=match.journal,
        number=now.number,
        phase=now.phase,
        game_phase=state.phase,
        names=state.names,
        length=state.length,
        score=points.score,
        game=len(state.games) + (0 if state.phase == "over" else 1),
        crawford=points.crawford and state.phase != "over",
        winner=points.winner.value if points.winner else None,
        rules=state.ruleset.name,
        speaks=match.speaks,
        home=state.home,
        darker=now.darker,
        turn=state.turn.value if state.turn else None,
        position=numbers(state.position),
        shown=shown_of(state),
        dice=dice if state.phase == "lying" else [],
        roller=state.turn.value if state.turn and state.phase == "lying" else None,
        void=state.said == "void" and not silent,
        cube=CubeView(
            value=state.cube.value,
            face=state.cube.face,
            owner=state.cube.owner.value if state.cube.owner else None,
            offered_by=state.cube.offered_by.value if state.cube.offered_by else None,
        ),
        clock=clock_of(state),
        waiting=_waiting(now, waiting),
        note=now.note,
        verdict=verdict_of(seen, words, state.names),
        correction=[] if silent else corrections(state),
        resigning=state.resigning[0].value if state.resigning else None,
        ended=state.ended,
    )


def _waiting(now: Now, watched: str) -> str:
    match now.phase:
        case "looking":
            return "waiting for the board to be set up"
        case "set up":
            return "the board is set up; waiting for the match to be started" if now.waits else "the board is set up"
        case "no camera":
            return "waiting for the camera"
        case "finished":
            return "the pictures have ended"
    return watched


def _quiet_waiting(state: RefereeState) -> str:
    """What is waited for, without telling that anything was wrong."""
    name = state.names[state.turn.side] if state.turn else ""
    if state.phase == "lying" and name:
        return f"waiting for {name} to play"
    if state.phase == "roll" and state.cube.offered_by is None:
        return f"waiting for {name}'s dice" if name else "waiting for dice"
    return state.waiting


def corrections(state: RefereeState) -> list[LiftView]:
    return [
        LiftView(
            player=lift.player.value, start=place(lift.player, lift.start), end=place(lift.player, lift.end), checkers=lift.checkers,
            words=lift.sentence(state.names),
        )
        for lift in state.correction
    ]  # fmt: skip


def event_view(number: int, event: Event, words: Any, names: tuple[str, str]) -> EventView:
    return EventView(
        number=number, words=words(event, names), event=event.event, frame=event.frame, time=round(event.time, 3), data=event.data
    )


def events_view(events: Iterable[tuple[int, Event]], now: Now, words: Any, *, director: bool) -> list[EventView]:
    return [event_view(n, e, words, now.state.names) for n, e in told(events, now, director=director)]
