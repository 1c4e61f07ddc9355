"""What a press of a button means: a command to the referee, or that something was seen. Pure.

The clock button is OK: a player who has finished presses his own, which commits his turn. When nothing can be committed, OK says "seen".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from controller.events import Command
from controller.state import RefereeState
from rules.position import Player


class Button(StrEnum):
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"
    CALL = "call"
    OK_A = "ok_a"
    OK_B = "ok_b"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What to do: give `command` to the referee, take the attention lamp's question as seen, or neither."""

    command: Command | None = None
    seen: bool = False


def meaning(button: Button, state: RefereeState) -> Meaning:
    match button:
        case Button.DOUBLE:
            return Meaning(Command("double"))
        case Button.TAKE:
            return Meaning(Command("take"))
        case Button.PASS:
            return Meaning(Command("pass"))
        case Button.CALL:
            return Meaning(Command("call"))
    player = Player.A if button is Button.OK_A else Player.B
    commits = state.phase == "lying" and state.throw is not None and state.turn is player and state.said != "void"
    return Meaning(Command("commit") if commits else None, seen=True)
