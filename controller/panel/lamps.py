"""Which lamps are lit: a pure function of the referee's state and of what was asked for since (`Notice`, a fold over events).

>>> lit(lamps(RefereeState(), Notice()))
['owner_middle']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import Literal

from controller.events import Event
from controller.state import RefereeState
from rules.position import Player


class Lamp(StrEnum):
    """The lamps by what they say. A panel need not have all of them."""

    TURN_A = "turn_a"
    TURN_B = "turn_b"
    ALL_WELL = "all_well"
    ILLEGAL = "illegal"
    VOID = "void"
    ATTENTION = "attention"
    CUBE_1 = "cube_1"
    CUBE_2 = "cube_2"
    CUBE_4 = "cube_4"
    CUBE_8 = "cube_8"
    CUBE_16 = "cube_16"
    CUBE_32 = "cube_32"
    CUBE_64 = "cube_64"
    OWNER_A = "owner_a"
    OWNER_MIDDLE = "owner_middle"
    OWNER_B = "owner_b"


Rhythm = tuple[bool, ...]
"""Lit or dark, step by step, over and over; a step is `STEP` s. One step is a steady light."""
Lights = Mapping[Lamp, Rhythm]
STEP = 0.15
OFF: Rhythm = (False,)
ON: Rhythm = (True,)
BLINKING: Rhythm = (True,) * 3 + (False,) * 3
FLICKER: Rhythm = (True, False)


def flashes(count: int) -> Rhythm:
    """`count` flashes and a pause: easily counted across a table."""
    return (True, False) * count + (False,) * 6


class Asks(IntEnum):
    """What the attention lamp wants, the most urgent highest."""

    NOTHING = 0
    REFUSED = 1
    SETUP = 2
    QUESTION = 3
    CUBE = 4
    CAMERA = 5


ATTENTION: dict[Asks, Rhythm] = {
    Asks.NOTHING: OFF,
    Asks.REFUSED: flashes(1),
    Asks.QUESTION: flashes(2),
    Asks.CUBE: flashes(3),
    Asks.SETUP: BLINKING,
    Asks.CAMERA: FLICKER,
}
MEANINGS: dict[Asks, str] = {
    Asks.NOTHING: "dark: nothing is wanted",
    Asks.REFUSED: "one flash: what you asked for cannot be done now; the page says why",
    Asks.QUESTION: "two flashes: a question; see the page, or press OK to play on",
    Asks.CUBE: "three flashes: a double is offered; press take or pass",
    Asks.SETUP: "slow blinking: the checkers are not set up for play; the page says which",
    Asks.CAMERA: "fast flicker: the camera sends no pictures",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """What the attention lamp still asks for: a fold over events, and over the OK button. `Asks.CAMERA` is no event: the watch
    shows it while there are no pictures."""

    asks: Asks = Asks.NOTHING

    def after(self, event: Event) -> Notice:
        match event.event:
            case "unsure" | "resign":
                return self._at_least(Asks.QUESTION)
            case "setup":
                return self._at_least(Asks.SETUP)
            case "double":
                return Notice(Asks.CUBE)
            case "refused":
                return self._at_least(Asks.REFUSED)
            case "roll" | "opening_roll" | "opening_tie" | "roll_void" | "roll_stands" | "stands" | "shut_out" | "illegal" | "called":
                # The game goes on, but an open question is still open: a roll may come in the same breath as the question.
                return self if self.asks is Asks.QUESTION else Notice()
        return Notice()

    def after_all(self, events: Iterable[Event]) -> Notice:
        notice = self
        for event in events:
            notice = notice.after(event)
        return notice

    def acknowledged(self) -> Notice:
        """OK was pressed: seen. A double must be answered all the same."""
        return self if self.asks is Asks.CUBE else Notice()

    def _at_least(self, asks: Asks) -> Notice:
        return Notice(max(self.asks, asks))


def lamps(state: RefereeState, notice: Notice, *, silent: bool = False) -> dict[Lamp, Rhythm]:
    """Every lamp's rhythm. `silent`: the panel may not speak of plays and rolls (a match without both players' consent)."""
    shown = dict.fromkeys(Lamp, OFF)
    illegal = state.open is not None and state.open.illegal is not None and not silent
    void = (state.said == "void" or state.early is not None) and not silent
    asks = notice.asks if not silent or notice.asks is not Asks.QUESTION else Asks.NOTHING

    shown[Lamp.ILLEGAL] = ON if illegal else OFF
    shown[Lamp.VOID] = ON if void else OFF
    shown[Lamp.ATTENTION] = ATTENTION[asks]
    quiet = not (illegal or void) and asks in (Asks.NOTHING, Asks.REFUSED, Asks.CUBE)
    shown[Lamp.ALL_WELL] = ON if quiet and state.phase != "start" else OFF
    for player, rhythm in _to_act(state, illegal).items():
        shown[Lamp.TURN_A if player is Player.A else Lamp.TURN_B] = rhythm

    cube = state.cube
    if cube.offered_by is not None:
        # The number that is offered blinks: it is not anybody's yet.
        shown[Lamp(f"cube_{_face(cube.value * 2)}")] = BLINKING
    else:
        shown[Lamp(f"cube_{_face(cube.value)}")] = ON if cube.value > 1 else OFF
    if cube.value == 1 and cube.offered_by is None:
        shown[Lamp.CUBE_1] = ON
    owner = {None: Lamp.OWNER_MIDDLE, Player.A: Lamp.OWNER_A, Player.B: Lamp.OWNER_B}[cube.owner]
    shown[owner] = ON
    return shown


def _face(value: int) -> int:
    while value > 64:
        value //= 64
    return value


def _to_act(state: RefereeState, illegal: bool) -> dict[Player, Rhythm]:
    """Whose hand is awaited. The lamp of the side that need not act stays dark."""
    if state.phase in ("start", "over"):
        return {}
    if state.turn is None:
        return {Player.A: ON, Player.B: ON}
    if state.cube.offered_by is not None:
        return {state.cube.offered_by.other: ON}
    if illegal:
        return {state.turn.other: BLINKING}
    return {state.turn: ON}


def lit(shown: Lights) -> list[str]:
    """Names of the lamps that are not dark, for people and tests."""
    return [lamp.value for lamp, rhythm in shown.items() if any(rhythm)]


Volume = Literal["off", "quiet", "loud"]
BEAT = 0.04
"""s a step of the buzzer's rhythm."""
SHORT: Rhythm = (True,) * 2 + (False,) * 3
LONG: Rhythm = (True,) * 11 + (False,) * 4


def beeps(event: Event, volume: Volume = "loud", *, silent: bool = False) -> Rhythm:
    """What the buzzer says to an event, in beats of `BEAT` s, played once; empty when it says nothing.

    Two long: an illegal play. One long: a void roll. Two short: a question. One short: the cube, a refusal, the start, a fallen flag.
    A buzzer knows only on and off, so `quiet` makes every beep as short as a beat.
    """
    if volume == "off" or (silent and event.event in ("illegal", "called", "roll_void", "unsure")):
        return ()
    match event.event:
        case "illegal" | "called":
            said = LONG + LONG
        case "roll_void":
            said = LONG
        case "unsure" | "setup" | "resign":
            said = SHORT + SHORT
        case "double" | "refused" | "game_start" | "flag_fall":
            said = SHORT
        case _:
            return ()
    return said if volume == "loud" else tuple(now and not before for before, now in pairwise((False, *said)))
