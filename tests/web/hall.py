"""Not a test: a table in a made-up hall. Its camera shows what the test puts on the board, and its eye reads it without fail; everything
else (referee, journal, table, server) is real."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from calibration.geometry import BoardGeometry
from calibration.opening import OpeningError, lanes_from_points
from calibration.profile import Profile
from controller import app
from controller.cli import sentence
from controller.lanes_to_points import lane_order
from controller.panel.attendant import Attendant
from controller.service import ServiceManager
from controller.settings import Service, Web
from controller.table import Table
from controller.web.app import create_app
from controller.web.secrets_kept import Secrets
from controller.web.server import Server
from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player, Position
from vision.frames import CameraError, Frame, FrameSource, load_picture
from vision.scene import CUBE_FACES, DIE_STATES, BoardReading, CubeSeen, DieSeen, Scene
from vision.settle import Settled

DEMO = Path(app.__file__).parent / "data" / "demo"
GEOMETRY = BoardGeometry.from_label(
    {
        "corners": [[343.58, 133.38], [1055.4, 179.95], [1030.72, 801.82], [287.61, 750.36]],
        "bar": [[661.0, 153.81], [736.18, 158.73], [697.38, 779.17], [618.89, 773.74]],
        "size": [1280, 960],
    }
)
LEARNED = Profile(GEOMETRY, "right", np.zeros((2, 4), np.float32), "made up", (0,) * 24, colours=("#efe6d2", "#3a2018"))
PIN = "246810"


def peaked(n: int, at: int, sure: float) -> tuple[float, ...]:
    return tuple(sure if i == at else (1 - sure) / (n - 1) for i in range(n))


class Stage:
    """What lies on the table now; the camera and the eye look at it."""

    def __init__(self) -> None:
        self.position: Sequence[int] = START.to_28()
        self.dice: tuple[tuple[int, str], ...] = ()
        self.cube: tuple[int, str] | None = None
        self.hand = False
        self.unplugged = False
        self.closed = False
        self.throws = 0
        self.reads = 0
        self.frame_seconds = 0.01
        self.picture = load_picture(DEMO / "frames" / "000.jpg")

    def scene(self, frame: int, seconds: float, name: str) -> Scene:
        counts = np.zeros(24, int)
        counts[lane_order("right")] = self.position[:24]
        dice = tuple(
            DieSeen(
                (420.0 + 45 * n + 420 * (half == "right"), 400.0 + 7 * (self.throws % 20)), peaked(6, value - 1, 0.999),
                peaked(4, DIE_STATES.index("flat"), 0.99), half, 24.0,  # type: ignore[arg-type]
            )
            for n, (value, half) in enumerate(self.dice)
        )  # fmt: skip
        cube = None
        if self.cube:
            cube = CubeSeen((230.0, 500.0), peaked(6, CUBE_FACES.index(self.cube[0]), 0.99), self.cube[1], 30.0)  # type: ignore[arg-type]
        reading = BoardReading.certain([int(n) for n in counts], (self.position[24], self.position[25]), 0.01)
        return Scene(frame, seconds, reading, dice, cube, name)


class Camera(FrameSource):
    live = True

    def __init__(self, stage: Stage) -> None:
        if stage.unplugged:
            raise CameraError("there is no camera at /dev/video9")
        super().__init__("made up", "camera /dev/video9")
        self._stage = stage

    def _frames(self) -> Iterator[Frame]:
        index, began = self.start, time.monotonic()
        while not self._stage.closed:
            if self._stage.unplugged:
                raise CameraError("the camera /dev/video9 was unplugged")
            yield Frame(index, self.start_time + time.monotonic() - began, f"frame {index}", self._stage.picture)
            index += 1
            time.sleep(self._stage.frame_seconds)


def pretend(monkeypatch: Any, stage: Stage) -> None:
    """The eye sees the stage, whatever the picture shows."""

    class Reader:
        def __init__(self, profile: Profile) -> None: ...

        def read(self, image: Any, frame: int = 0, seconds: float = 0.0, name: str = "") -> Scene:
            scene = stage.scene(frame, seconds, name)
            stage.reads += 1
            return scene

    class Gate:
        def __init__(self, profile: Profile) -> None: ...

        def look(self, image: Any, still: bool = False, small: Any = None) -> Settled:
            if stage.hand:
                stage.reads += 1
                return Settled(False, True, "a hand is over the board")
            return Settled(True)

    def calibrate(image: Any, name: str, rows: Any, start: Position = START) -> Profile:
        stage.reads += 1
        if tuple(stage.position) != START.to_28():
            got = [abs(n) for n in lanes_from_points(stage.position[:24], "right")]
            want = [abs(n) for n in lanes_from_points(START.points, "right")]
            raise app.NotSetUp("no board set up for play", (GEOMETRY, OpeningError(["it is not set up"], (*got, 0, 0), (*want, 0, 0))))
        return LEARNED

    monkeypatch.setattr(app, "Reader", Reader)
    monkeypatch.setattr(app, "SettleGate", Gate)
    monkeypatch.setattr(app, "calibrate", calibrate)
    monkeypatch.setattr("controller.table.LOOK_EVERY", 0.05)
    monkeypatch.setattr("controller.table.CAMERA_PAUSE", 0.2)
    monkeypatch.setattr("vision.recovering.PAUSE", 0.05)


class Hall:
    """A served table. `patient`: a match begins only when it is started on the page."""

    def __init__(self, folder: Path, stage: Stage, *, patient: bool = False, port: int = 0, settings: Service | None = None) -> None:
        self.stage, self.folder = stage, folder
        start = "when told" if patient else "by itself"
        self.settings = settings or Service(source="made up", players=("Ada", "Ben"), match_length=5, start=start, web=Web(port=port))  # type: ignore[arg-type]
        self.said: list[str] = []
        self.attendant = Attendant()
        self.table = Table(
            self.settings, folder, self.attendant, ServiceManager(""), self.said.append, lambda text: Camera(stage), lasting=True, patient=patient
        )
        self.secrets = Secrets(folder)
        self.secrets.set_pin(PIN)
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.app = create_app(self.table, self.settings.web, sentence, self.secrets)
        self.server = Server(self.app, "127.0.0.1", self.settings.web.port, self.said.append)
        self.url = f"http://127.0.0.1:{self.server.port}"
        self._viewer = self.client()
        self.until(self._answers)

    def _run(self) -> None:
        try:
            for _ in self.table.frames():
                pass
        except BaseException as error:
            self.failure = error
            raise

    def _answers(self) -> bool:
        try:
            return self._viewer.get("/api/board").status_code == 200
        except httpx.TransportError:
            return False

    def close(self) -> None:
        self.table.stop()
        self._thread.join(10)
        self.server.close()
        assert not self._thread.is_alive()

    def until(self, holds: Callable[[], object], seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not holds():
            assert self.failure is None, self.failure
            assert time.monotonic() < end, f"it never came: {self.table.now.phase}, {self.table.now.note!r}, {self.kinds()}"
            time.sleep(0.01)

    def looks(self, times: int = 3) -> None:
        """So many further looks have been taken."""
        wanted = self.stage.reads + times
        self.until(lambda: self.stage.reads >= wanted)
        time.sleep(0.02)

    # A game, move by move

    def put(self, position: Position | Sequence[int], dice: tuple[tuple[int, str], ...] = (), looks: int = 3) -> None:
        numbers = position.to_28() if isinstance(position, Position) else position
        if dice and not self.stage.dice:
            self.stage.throws += 1
        self.stage.position, self.stage.dice = numbers, dice
        self.looks(looks)

    def play(self, before: Position, player: Player, dice: tuple[int, int], moves: str) -> Position:
        """A whole turn: roll, play, lift."""
        half = "right" if player is Player.A else "left"
        thrown = ((dice[0], half), (dice[1], half))
        self.put(before, thrown)
        after = parse_play(moves, before, player, Roll(*dice)).result
        self.put(after, thrown)
        self.put(after)
        return after

    def open_game(self) -> Position:
        """Ada wins the opening roll with 3-1 and makes her 5-point."""
        self.put(START)
        self.put(START, ((3, "right"), (1, "left")))
        after = parse_play("8/5 6/5", START, Player.A, Roll(3, 1)).result
        self.put(after, ((3, "right"), (1, "left")))
        self.put(after)
        return after

    def wrong_play(self, after: Position | None = None) -> tuple[Position, list[int]]:
        """Ben plays nine pips with 6-4, and it is called; gives the position before it (`after`, or a game is opened), and the board as it lies."""
        after = after or self.open_game()
        wrong = [*after.to_28()]
        wrong[0], wrong[9] = -1, -1
        self.put(after, ((6, "left"), (4, "left")))
        self.put(wrong, self.stage.dice)
        self.put(wrong, looks=6)
        self.until(lambda: "illegal" in self.kinds())
        return after, wrong

    def kinds(self) -> list[str]:
        return [event.event for _, event in self.table.events()]

    def client(self) -> httpx.Client:
        """A viewer. (No certificates are loaded: that takes longer than all the rest.)"""
        return httpx.Client(base_url=self.url, timeout=20, headers={"origin": self.url}, verify=False)

    def director(self, name: str = "Dora") -> httpx.Client:
        """Somebody who has given the PIN."""
        client = self.client()
        answer = client.post("/api/access/enter", json={"pin": PIN, "name": name})
        assert answer.status_code == 200, answer.text
        client.headers["x-gammonwatch-token"] = answer.json()["token"]
        return client
