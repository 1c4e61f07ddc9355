"""Buttons to commands: what a press means depends on what lies on the board."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.panel.presses import Button, meaning
from controller.state import RefereeState
from controller.throw import Throw
from rules.position import Player

LYING = RefereeState(phase="lying", turn=Player.A, throw=Throw(()), said="valid")


@pytest.mark.parametrize(
    ("button", "state", "command", "seen"),
    [
        (Button.DOUBLE, LYING, "double", False),
        (Button.TAKE, LYING, "take", False),
        (Button.PASS, LYING, "pass", False),
        (Button.CALL, LYING, "call", False),
        (Button.OK_A, LYING, "commit", True),
        (Button.OK_B, LYING, None, True),
        (Button.OK_B, replace(LYING, turn=Player.B), "commit", True),
        (Button.OK_A, replace(LYING, said="void"), None, True),
        (Button.OK_A, replace(LYING, phase="roll", throw=None), None, True),
        (Button.OK_A, RefereeState(), None, True),
    ],
)
def test_what_a_press_means(button: Button, state: RefereeState, command: str | None, seen: bool) -> None:
    meant = meaning(button, state)
    assert (meant.command and meant.command.command, meant.seen) == (command, seen)
