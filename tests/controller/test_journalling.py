"""Which frames go into the journal: all that tell something, and few of those that do not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import transcribe_with_fake_eye as fake
from referee_scenes import reading

from controller.clock import Clock
from controller.events import Event
from controller.evidence import Evidence
from controller.journalling import EVERY, worth_keeping
from controller.referee import new_game, step
from controller.state import CubeHint, OpenTurn, RefereeState
from rules.cube import Cube
from rules.plays import Roll
from rules.position import START, Player, Position
from vision.scene import Scene

LOOKS = 4
"""At each board of the fake eye's game."""
OTHER = Position.from_28([*START.to_28()[:4], 1, 4, *START.to_28()[6:]])
KEPT = RefereeState(phase="roll", turn=Player.A, evidence=Evidence.of(reading(START.to_28(), "right"), "right"), time=100.0)


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "lying"},
        {"turn": Player.B},
        {"position": OTHER},
        {"beliefs": ((START, 0.6), (OTHER, 0.4))},
        {"said": "void"},
        {"announced": Roll(3, 1)},
        {"cube": Cube(2, Player.A)},
        {"cube_hint": CubeHint(Player.A, 1, 0.5)},
        {"missing": (1, 0)},
        {"setup_said": True},
        {"length": 7},
        {"last_said": (OTHER, Player.B)},
        {"restore": True},
        {"open": OpenTurn((), None)},
        {"clock": Clock((60.0, 60.0)).started(Player.A, 100.0)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_game_that_stands_otherwise_is_written_at_once(change: dict[str, object]) -> None:
    assert worth_keeping(replace(KEPT, time=100.1, **change), KEPT, ())  # type: ignore[arg-type]


def test_an_event_and_the_first_state_are_always_written() -> None:
    assert worth_keeping(KEPT, None, ()) and worth_keeping(KEPT, KEPT, (Event("refused", 3),))


def test_another_look_at_the_same_is_not_written_however_late() -> None:
    assert KEPT.evidence is not None
    again = replace(KEPT, frame=9, time=1e6, evidence=KEPT.evidence.plus(KEPT.evidence), resting=((3.0, 4.0),))
    assert not worth_keeping(again, KEPT, ())


def test_checkers_that_were_moved_are_written_but_not_at_every_look() -> None:
    moved = replace(KEPT, evidence=Evidence.of(reading(OTHER.to_28(), "right"), "right"))
    assert not worth_keeping(replace(moved, time=KEPT.time + EVERY - 0.1), KEPT, ())
    assert worth_keeping(replace(moved, time=KEPT.time + EVERY), KEPT, ())


def looks() -> list[Scene]:
    """The fake eye's game before a camera: several looks at each board."""
    eye = fake.FakeReader(None)  # type: ignore[arg-type]
    seen = [eye.read(None, moment) for moment in range(len(fake.GAME)) for _ in range(LOOKS)]
    return [replace(scene, frame=n, time=n / 3) for n, scene in enumerate(seen)]


def watched(scenes: Iterable[Scene], state: RefereeState) -> tuple[list[Event], list[RefereeState]]:
    """The events, and the state last written after each scene."""
    told, kept, written = list[Event](), None, []
    for scene in scenes:
        state, events = step(state, scene)
        told += events
        kept = state if worth_keeping(state, kept, events) else kept
        assert kept is not None
        written.append(RefereeState.from_json(kept.to_json()))
    return told, written


def plain(events: Iterable[Event]) -> list[tuple[str, dict[str, object]]]:
    return [(event.event, event.data) for event in events]


@pytest.fixture
def eye(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake, "SECONDS_A_FRAME", 0)


def test_few_looks_are_written(eye: None) -> None:
    scenes = looks()
    told, written = watched(scenes, new_game())
    states = len({state.frame for state in written})
    assert len(told) >= 40 and states < len(scenes) / 4


def test_killed_before_any_look_a_camera_s_game_goes_on_as_if_nothing_had_been(eye: None) -> None:
    scenes = looks()
    whole, written = watched(scenes, new_game())
    for cut in np.random.default_rng(5).choice(len(scenes) - 1, 25, replace=False):
        before = [event for event in whole if event.frame <= scenes[cut].frame]
        after, _ = watched(scenes[cut + 1 :], written[cut])
        assert plain(before + after) == plain(whole), cut
