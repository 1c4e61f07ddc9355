"""The watch with all that hangs on it: presses are journalled, systemd hears of every frame, the board is learned by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.geometry import BoardGeometry
from calibration.opening import OpeningError
from calibration.profile import Profile
from controller import app, serve
from controller.events import Event
from controller.journal import Journal
from controller.live import live
from controller.panel.attendant import Attendant
from controller.panel.lamps import Lamp
from controller.panel.presses import Button
from controller.referee import new_game
from controller.serve import JOURNAL, PROFILE, Service, load_service
from controller.service import ServiceManager
from controller.settings_file import SettingsError
from vision.frames import CameraError, Frame, FrameSource
from vision.settle import Settled

sys.path.insert(0, str(Path(__file__).parent))
import transcribe_with_fake_eye as fake

GEOMETRY = BoardGeometry(np.array([[4, 4], [60, 4], [60, 44], [4, 44]]), np.array([[30, 4], [34, 4], [34, 44], [30, 44]]), (64, 48))
LEARNED = Profile(GEOMETRY, "right", np.zeros((2, 4), np.float32), "fake", (0,) * 24)


class Camera(FrameSource):
    """A live source of black pictures; `lost_at`: the index at which it fails, once in a test."""

    live = True

    def __init__(self, frames: int, lost_at: int = -1) -> None:
        super().__init__("camera", "camera 0")
        self.frames, self.lost_at = frames, lost_at

    def _frames(self) -> Iterator[Frame]:
        for index in range(self.start, self.frames):
            if index == self.lost_at:
                self.lost_at = -1
                raise CameraError("the camera has stopped")
            yield Frame(index, float(index), f"frame {index}", np.zeros((48, 64, 3), np.uint8))


class Manager(ServiceManager):
    def __init__(self) -> None:
        super().__init__("")
        self.heard: list[str] = []

    def ready(self, status: str) -> None:
        self.heard.append("ready")

    def alive(self, status: str = "") -> None:
        self.heard.append("alive")

    def stopping(self) -> None:
        self.heard.append("stopping")


class Pressing:
    """A panel whose buttons are pressed before the given looks."""

    def __init__(self, presses: dict[int, Button]) -> None:
        self.looks, self.presses = 0, presses
        self.lit: list[Any] = []
        self.closed = False

    def show(self, lights: Any) -> None:
        self.lit.append(lights)

    def beep(self, rhythm: Any) -> None: ...

    def points(self, colours: Any) -> None: ...

    def pressed(self) -> list[Any]:
        self.looks += 1
        press = self.presses.get(self.looks - 1)
        return [press] if press else []

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def eye(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "Reader", fake.FakeReader)
    monkeypatch.setattr(app, "SettleGate", fake.FakeGate)
    monkeypatch.setattr(fake, "SECONDS_A_FRAME", 0)


def events_in(path: Path) -> list[Event]:
    with Journal(path, {"source": "camera"}) as journal:
        return list(journal.events())


def book(path: Path) -> Any:
    return lambda source: Journal(path, {"source": "camera"})


def test_a_press_is_journalled_with_its_frame_and_survives_a_restart(tmp_path: Path) -> None:
    panel = Pressing({3: Button.CALL, 4: Button.OK_A})
    path = tmp_path / "j"
    seen = list(live("0", LEARNED, book(path), new_game(), Attendant(panel), Manager(), print, lambda text: Camera(5)))
    kinds = [e.event for e in seen[3].events]
    assert kinds == ["refused"]
    assert [e.event for e in events_in(path)] == [e.event for one in seen for e in one.events]
    assert seen[4].state.phase == "roll"  # OK committed the turn although the dice still lie
    with Journal(path, {"source": "camera"}) as journal:
        last = journal.last()
    assert last is not None and last[1] is not None and last[1]["phase"] == "roll"
    assert panel.closed and len(panel.lit) == 5


def test_a_press_while_a_hand_is_over_the_board_is_journalled_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gate(fake.FakeGate):
        def look(self, image: Any, still: bool = False, small: Any = None) -> Settled:
            return Settled(False, True, "a hand is over the board")

    monkeypatch.setattr(app, "SettleGate", Gate)
    path = tmp_path / "j"
    list(live("0", LEARNED, book(path), new_game(), Attendant(Pressing({1: Button.TAKE})), Manager(), print, lambda text: Camera(3)))
    assert [e.event for e in events_in(path)] == ["refused"]


def test_systemd_hears_of_every_frame_and_of_the_end(tmp_path: Path) -> None:
    manager = Manager()
    list(live("0", LEARNED, lambda source: None, new_game(), Attendant(), manager, print, lambda text: Camera(3)))
    assert manager.heard == ["ready", "alive"] * 3 + ["stopping"]


def test_a_lost_camera_flickers_and_the_watch_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.recovering.PAUSE", 0)
    cameras = [Camera(9, lost_at=2), Camera(4)]
    panel, told = Pressing({}), list[str]()
    seen = list(live("0", LEARNED, lambda s: None, new_game(), Attendant(panel), Manager(), told.append, lambda text: cameras.pop(0)))
    assert [one.frame.index for one in seen] == [0, 1, 2, 3]
    assert told == ["the camera has stopped; trying again"]
    assert [lights[Lamp.ATTENTION] for lights in panel.lit] == [(False,), (False,), (True, False), (False,), (False,)]


def test_the_service_learns_the_board_then_watches_and_keeps_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []

    def calibrate(image: Any, name: str, rows: Any, start: Any) -> Profile:
        looked.append(name)
        if len(looked) < 3:
            raise OpeningError(["the 6 point should hold 5"])
        return LEARNED

    monkeypatch.setattr(app, "calibrate", calibrate)
    told: list[str] = []
    panel = Pressing({})

    def run() -> list[Any]:
        return list(serve.serve(Service(source="0"), tmp_path, Attendant(panel), Manager(), told.append, lambda text: Camera(4)))

    seen = run()
    assert looked == ["frame 0", "frame 1", "frame 2"]
    assert len(told) == 2 and "the 6 point should hold 5" in told[0] and told[1] == "learned the board from frame 2: A's home is on the right"
    assert [one.frame.index for one in seen] == [0, 1, 2, 3]
    assert len(panel.lit[0][Lamp.ATTENTION]) > 1
    assert Profile.load(tmp_path / PROFILE).geometry.size == (64, 48)
    told.clear()
    run()
    assert looked == ["frame 0", "frame 1", "frame 2"] and told == []


def test_a_journal_of_another_match_is_set_aside_not_lost(tmp_path: Path) -> None:
    LEARNED.save(tmp_path / PROFILE)
    told: list[str] = []
    for length in (3, 5):
        list(serve.serve(Service(source="0", match_length=length), tmp_path, Attendant(), Manager(), told.append, lambda text: Camera(2)))
    assert (tmp_path / JOURNAL).exists() and (tmp_path / f"{JOURNAL}.1").exists()
    assert len(told) == 1 and "set aside" in told[0]


def test_a_source_that_ends_before_the_opening_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def calibrate(image: Any, name: str, rows: Any, start: Any) -> Profile:
        raise OpeningError(["no"])

    monkeypatch.setattr(app, "calibrate", calibrate)
    with pytest.raises(app.Trouble, match="ended before the starting position"):
        list(serve.serve(Service(source="0"), tmp_path, Attendant(), Manager(), lambda text: None, lambda text: Camera(2)))


@pytest.mark.parametrize(("text", "says"), [("source = 3", "source"), ("colour = 1", "colour"), ("[", "not TOML")])
def test_bad_settings_of_the_service(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "gammonwatch.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=says):
        load_service(path)


def test_good_settings_of_the_service(tmp_path: Path) -> None:
    path = tmp_path / "gammonwatch.toml"
    path.write_text('source = "0"\nplayers = ["Ada", "Ben"]\nmatch_length = 5\n')
    assert load_service(path) == Service(source="0", players=("Ada", "Ben"), match_length=5)
    assert load_service(None).source == "picamera2"


def test_a_board_learned_anew_from_the_other_side_is_read_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "Reader", fake.FakeReader)
    monkeypatch.setattr(app, "SettleGate", fake.FakeGate)
    homes = []
    for profile, frames in ((LEARNED, 6), (replace(LEARNED, home="left"), 12)):
        with Journal(tmp_path / "match.sqlite", {"match": "one"}) as journal:
            seen = list(app.watch(Camera(frames), profile, journal, new_game(home="right")))
        homes.append({one.state.home for one in seen})
    assert homes == [{"right"}, {"left"}]


def test_what_the_end_of_a_film_decides_is_seen_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "Reader", fake.FakeReader)
    monkeypatch.setattr(app, "SettleGate", fake.FakeGate)
    monkeypatch.setattr(app, "finish", lambda state: (state, (Event("unsure", state.frame, data={"question": "?"}),)))
    film = Camera(6)
    film.live = False
    with Journal(tmp_path / "match.sqlite", {"match": "one"}) as journal:
        seen = [event for one in app.watch(film, LEARNED, journal, new_game()) for event in one.events]
        assert [e.event for e in seen] == [e.event for e in journal.events()] and seen[-1].event == "unsure"
