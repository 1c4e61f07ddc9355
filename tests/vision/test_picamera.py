"""The Pi's camera on a stand-in for picamera2; that the stand-in has the real names is test_picamera_contract's business."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from vision import picamera
from vision.frames import CameraBusy, CameraError, CameraStalled, CameraUnplugged
from vision.picamera import (
    PiCamera,
    best_mode,
    controls_of,
    crop_in,
    crop_kept,
    crop_round,
    frame_limits,
    kept_of,
    modes_of,
    onto_crop,
    to_bgr,
)

WHOLE = (0, 0, 4608, 2592)
MODES = [  # a Camera Module 3: its fast mode sees less, its middle mode as much as the largest
    {"size": (1536, 864), "fps": 120.13, "bit_depth": 10, "crop_limits": (768, 432, 3072, 1728)},
    {"size": (2304, 1296), "fps": 56.03, "bit_depth": 10, "crop_limits": WHOLE},
    {"size": (4608, 2592), "fps": 14.35, "bit_depth": 10, "crop_limits": WHOLE},
]
OFFERED = {
    "ExposureTime": (1, 66666, 20000),
    "AnalogueGain": (1.0, 16.0, 1.0),
    "ColourGains": (0.0, 32.0, None),
    "AeEnable": (False, True, True),
    "AwbEnable": (False, True, None),
    "AfMode": (0, 2, 0),
    "AfTrigger": (0, 1, 0),
    "LensPosition": (0.0, 32.0, 1.0),
    "FrameDurationLimits": (69669, 220417486, 33333),
    "ScalerCrop": ((0, 0, 64, 64), WHOLE, WHOLE),
}


class FakeCamera:
    """Behaves as the real one was seen to: adjusts sizes and formats, takes controls some frames later, refuses unknown ones."""

    world: FakeLibrary

    def __init__(self, camera_num: int) -> None:
        self.world.opened.append(self)
        if self.world.busy:
            raise RuntimeError("Camera __init__ sequence did not complete.") from RuntimeError(
                "Failed to acquire camera: Device or resource busy"
            )
        self.closed = self.flushed = 0
        self.configured: dict[str, Any] = {}
        self.set: dict[str, Any] = {}
        self.pending: list[tuple[int, dict[str, Any]]] = []
        self.taken = 0
        self.sensor_resolution = (640, 480)

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        if self.world.modes is None:
            raise AttributeError("'NoneType' object has no attribute 'at'")
        return self.world.modes

    @property
    def camera_controls(self) -> dict[str, Any]:
        return self.world.offered

    def create_video_configuration(self, **named: Any) -> dict[str, Any]:
        return named

    def configure(self, configuration: dict[str, Any]) -> None:
        if configuration["lores"] and not self.world.small:
            raise RuntimeError("Invalid camera configuration")
        self._known(configuration["controls"])
        self.configured = configuration
        self.set = dict(configuration["controls"])

    def start(self) -> None:
        if self.configured["main"]["format"] not in self.world.starts_with:
            raise OSError(32, "Broken pipe")

    def camera_configuration(self) -> dict[str, Any]:
        given = self.configured["main"]
        size = self.world.adjusted or given["size"]
        return {"main": {**given, "size": size, "stride": size[0] * 3}, "lores": self.configured["lores"]}

    def _known(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in self.world.offered:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")

    def set_controls(self, controls: dict[str, Any]) -> None:
        self._known(controls)
        self.pending.append((self.taken + 3, controls))

    def capture_arrays(self, names: list[str], wait: float) -> tuple[list[Any], dict[str, Any]]:
        if self.world.stalls_after is not None and self.taken >= self.world.stalls_after:
            raise TimeoutError
        self.taken += 1
        for due, controls in list(self.pending):
            if self.taken >= due:
                self.set |= controls
                self.pending.remove((due, controls))
        settling = max(0, 10 - self.taken)
        metadata: dict[str, Any] = {}
        if "ExposureTime" in self.world.offered:
            metadata = {
                "ExposureTime": self.set.get("ExposureTime", 12000 + 900 * settling),
                "AnalogueGain": self.set.get("AnalogueGain", 2.0),
            }
            metadata["ColourGains"] = self.set.get("ColourGains", (1.5, 2.5 + 0.1 * settling))
            metadata["LensPosition"] = self.set.get("LensPosition", 1.25)
            metadata["AfState"] = 0 if self.set.get("AfMode") != 1 else (2 if self.taken > 12 else 1)
        width, height = self.camera_configuration()["main"]["size"]
        arrays: list[Any] = [np.full((height, width, 3), (10, 20, 30), np.uint8)]
        if "lores" in names:
            w, h = self.configured["lores"]["size"]
            arrays.append(np.full((h * 3 // 2, w + 64), 77, np.uint8))
        return arrays, metadata

    def stop(self) -> None: ...

    def cancel_all_and_flush(self) -> None:
        self.flushed += 1

    def close(self) -> None:
        self.closed += 1


class FakeLibrary:
    def __init__(self, **given: Any) -> None:
        self.modes: list[dict[str, Any]] | None = MODES
        self.offered: dict[str, Any] = OFFERED
        self.busy = False
        self.small = True
        self.adjusted: tuple[int, int] | None = (64, 36)  # small pictures keep the tests quick
        self.starts_with = {"RGB888", "BGR888"}
        self.stalls_after: int | None = None
        self.cameras = [{"Model": "imx708", "Id": "/base/i2c/imx708"}]
        self.opened: list[FakeCamera] = []
        self.__dict__ |= given
        world = self

        class Picamera2(FakeCamera):
            @staticmethod
            def global_camera_info() -> list[dict[str, Any]]:
                return world.cameras

        Picamera2.world = self
        self.Picamera2 = Picamera2


def test_the_largest_mode_that_sees_everything_at_five_frames_a_second() -> None:
    assert best_mode(modes_of(MODES)).size == (4608, 2592)  # type: ignore[union-attr]
    slow = [*MODES, {"size": (9216, 5184), "fps": 2.7, "bit_depth": 10, "crop_limits": WHOLE}]
    assert best_mode(modes_of(slow)).size == (4608, 2592)  # type: ignore[union-attr]
    assert best_mode(modes_of([{"format": "YUYV"}])) is None


def test_two_streams_of_one_frame_in_blue_green_red_and_grey() -> None:
    library = FakeLibrary()
    with PiCamera(library=library) as source:
        frame = next(iter(source))
        asked = library.opened[0].configured
    assert asked["main"] == {"format": "RGB888", "size": (4608, 2592)}
    assert asked["sensor"] == {"output_size": (4608, 2592), "bit_depth": 10}
    assert asked["queue"] is False and asked["controls"]["FrameDurationLimits"] == (100_000, 200_000)
    assert frame.image.shape == (36, 64, 3) and frame.image[0, 0].tolist() == [10, 20, 30]
    assert frame.small is not None and frame.small.shape == (180, 320) and int(frame.small[0, 0]) == 77
    assert library.opened[0].closed == 1


def test_the_order_of_colours_is_the_one_that_was_granted() -> None:
    library = FakeLibrary(starts_with={"BGR888"})
    with PiCamera(library=library) as source:
        assert next(iter(source)).image[0, 0].tolist() == [30, 20, 10]


def test_a_camera_with_one_stream_and_one_size() -> None:
    library = FakeLibrary(small=False, modes=None, adjusted=None, offered={})
    with PiCamera(library=library) as source:
        frame = next(iter(source))
        assert frame.image.shape == (480, 640, 3) and frame.small is None
        assert source.controls == {} and source.zoom(np.array([[10.0, 10], [20, 10], [20, 20], [10, 20]])) is None


def test_it_settles_then_locks_and_the_next_start_comes_up_locked() -> None:
    library = FakeLibrary()
    with PiCamera(library=library) as source:
        kept = source.controls
        first = library.opened[0]
        assert len(list(islice(source, 4))) == 4
    assert first.set["AeEnable"] is False and first.set["AwbEnable"] is False and first.set["AfMode"] == 0
    # Settled: what the automatics ended at, not what they began with.
    assert kept == {"ExposureTime": 12000.0, "AnalogueGain": 2.0, "ColourGains.0": 1.5, "ColourGains.1": 2.5, "LensPosition": 1.25}
    assert (first.set["ExposureTime"], first.set["ColourGains"], first.set["LensPosition"]) == (12000, (1.5, 2.5), 1.25)
    with PiCamera(kept=kept, library=library) as again:
        second = library.opened[1]
        assert second.configured["controls"]["ExposureTime"] == 12000 and second.configured["controls"]["AeEnable"] is False
        assert second.taken == 1 and again.controls == kept


def test_controls_the_camera_does_not_offer_are_not_set() -> None:
    offered = {"ExposureTime": (1, 2, 3), "FrameDurationLimits": (300_000, 400_000, 0)}
    assert controls_of({"ExposureTime": 5.0, "LensPosition": 2.0, "ColourGains.0": 1.0, "ColourGains.1": 2.0}, offered) == {
        "ExposureTime": 5
    }
    assert kept_of({"ExposureTime": 5, "Lux": 3.0, "LensPosition": 1.0}, offered) == {"ExposureTime": 5.0}
    assert frame_limits(offered) == {"FrameDurationLimits": (300_000, 300_000)} and frame_limits({}) == {}


def test_stalled_unplugged_busy_and_missing_are_told_apart() -> None:
    library = FakeLibrary(stalls_after=30)
    source = PiCamera(library=library, wait=1)
    with pytest.raises(CameraStalled, match=r"imx708.* has sent no picture for 1 seconds"):
        list(source)
    assert library.opened[0].flushed >= 1, "a capture that timed out must not wait for a later frame"
    library.cameras = []
    with pytest.raises(CameraUnplugged, match="was unplugged"):
        list(source)
    source.close()
    with pytest.raises(CameraUnplugged, match="there is no camera picamera2:0: 0 found"):
        PiCamera(library=library)
    with pytest.raises(CameraBusy, match=r"another program is using it \(Failed to acquire camera: Device or resource busy\)"):
        PiCamera(library=FakeLibrary(busy=True))


def test_a_camera_that_takes_no_setting_is_closed_again() -> None:
    library = FakeLibrary(starts_with=set())
    with pytest.raises(CameraError, match=r"takes none of the settings .*Broken pipe"):
        PiCamera(library=library)
    assert library.opened[0].closed == 1


def test_without_picamera2_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "picamera2", None)
    with pytest.raises(CameraError, match="python3-picamera2"):
        PiCamera()


def test_it_is_one_of_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    from vision.frames import open_source

    library = FakeLibrary(cameras=[{"Model": "imx708"}, {"Model": "imx477"}])
    monkeypatch.setattr(picamera, "_picamera2", lambda: library)
    with open_source("picamera2:1") as source:
        source.seek(7, 3.0)
        frames = list(islice(source, 2))
    assert source.live and source.identity == "camera picamera2:1"
    assert [f.index for f in frames] == [7, 8] and frames[0].time == 3.0


def test_the_crop_is_kept_and_points_move_with_it() -> None:
    corners = np.array([[1000.0, 500], [3000, 500], [3100, 2000], [900, 2000]])
    crop = crop_round(corners, (4608, 2592), WHOLE, WHOLE)
    assert crop == (350, 124, 3300, 2250)
    assert crop_in(crop_kept(crop)) == crop and crop_in({}) is None
    moved = onto_crop(corners, (4608, 2592), WHOLE, (3300, 2250), crop)
    assert np.allclose(moved, corners - [350, 124])
    # A picture half as large as the sensor, cut at its edge.
    assert crop_round(corners / 2, (2304, 1296), WHOLE, WHOLE) == crop
    assert crop_round(np.array([[0.0, 0], [4608, 2592]]), (4608, 2592), WHOLE, WHOLE) == WHOLE


def test_the_camera_zooms_to_the_board_and_comes_up_zoomed() -> None:
    library = FakeLibrary(adjusted=None, modes=[{"size": (400, 200), "fps": 10, "bit_depth": 10, "crop_limits": (0, 0, 400, 200)}])
    library.offered = {**OFFERED, "ScalerCrop": ((0, 0, 64, 64), (0, 0, 400, 200), (0, 0, 400, 200))}
    corners = np.array([[100.0, 60], [200, 60], [200, 120], [100, 120]])
    with PiCamera(library=library) as source:
        assert next(iter(source)).image.shape == (200, 400, 3)
        onto = source.zoom(corners)
        assert onto is not None and np.allclose(onto(corners), corners - [74, 44])
        assert library.opened[0].configured["controls"]["ScalerCrop"] == (74, 44, 150, 90)
        assert next(iter(source)).image.shape == (90, 150, 3)
        kept = source.controls
        assert source.zoom(onto(corners)) is None, "it is close enough already"
    with PiCamera(kept=kept, library=library) as again:
        assert next(iter(again)).image.shape == (90, 150, 3) and again.controls == kept


@pytest.mark.parametrize("pixels", ["RGB888", "BGR888", "XRGB8888", "XBGR8888", "YUV420", "NV12"])
def test_every_pixel_format_becomes_the_same_picture(pixels: str) -> None:
    size = (16, 8)
    picture = np.zeros((8, 16, 3), np.uint8)
    picture[:, :8], picture[:, 8:] = (200, 30, 30), (40, 160, 220)
    alpha = np.full((8, 16, 1), 255, np.uint8)
    i420 = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
    match pixels:
        case "RGB888":
            array = picture
        case "BGR888":
            array = picture[..., ::-1]
        case "XRGB8888":
            array = np.concatenate([picture, alpha], axis=2)
        case "XBGR8888":
            array = np.concatenate([picture[..., ::-1], alpha], axis=2)
        case "YUV420":  # as it comes: rows padded to 32, two rows of colour in one
            planes = np.zeros((12, 32), np.uint8)
            planes[:8, :16] = i420[:8]
            colour = np.zeros((8, 16), np.uint8)
            colour[:, :8] = i420[8:].reshape(8, 8)
            planes[8:] = colour.reshape(4, 32)
            array = planes
        case _:
            u, v = i420[8:].reshape(2, 4, 8)
            array = np.concatenate([i420[:8], np.stack([u, v], axis=2).reshape(4, 16)])
    got = to_bgr(np.ascontiguousarray(array), pixels, size)
    assert got.shape == (8, 16, 3) and got.flags.c_contiguous
    assert np.abs(got.astype(int) - picture)[:, [0, 3, 12, 15]].max() <= 6


def test_a_format_that_is_none_of_ours() -> None:
    with pytest.raises(CameraError, match="MJPEG"):
        to_bgr(np.zeros((4, 4, 3), np.uint8), "MJPEG", (4, 4))


def test_a_camera_that_hangs_on_closing_does_not_hang_us() -> None:
    library = FakeLibrary()
    source = PiCamera(library=library, wait=0.01)
    stuck = SimpleNamespace(cancel_all_and_flush=lambda: __import__("threading").Event().wait(5), close=lambda: None)
    source._camera = stuck
    source.close()
    source.close()
