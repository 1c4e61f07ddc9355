"""The Raspberry Pi's own camera, by picamera2: two streams of one frame, the main one for reading, a small grey one for telling motion.

Exposure, gain, white balance and focus settle once and are then locked: a reader that has learned the checkers' colours must not be
shown others because a sleeve passed by. What was locked is `kept`, goes into the profile, and is set again at the next start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import CAMERA_WAIT, CameraBusy, CameraError, CameraStalled, CameraUnplugged, Frame, FrameSource, Image

Grey = NDArray[np.uint8]
Kept = dict[str, float]
"""Locked controls by name; a control of several numbers has them as `Name.0`, `Name.1`, ..."""
LEAST_FPS = 5.0
"""A slower mode is not used, however large its pictures."""
FRAME_US = (100_000, 200_000)
"""Shortest and longest time of a frame, microseconds: reading keeps up with no more, and dim light gets a long exposure."""
SMALL_WIDTH = 320
"""px of the small stream."""
FORMATS = ("RGB888", "BGR888", "NV12")
"""Asked for in this order; what was granted is read back. Their names are read from the low byte up: RGB888 is B, G, R in memory."""
SETTLE_FRAMES, SETTLE_TOGETHER, SETTLE_PART = 60, 8, 0.02
"""Frames to wait for automatic exposure at most; so many in a row that differ by no more than this part are settled."""
LOCK_FRAMES = 15
"""A control takes effect some frames after it was set."""
MANUAL, AUTO, START = 0, 1, 0
"""Of the focus: AfMode by hand, AfMode one search, AfTrigger begin."""
FOCUSED, FAILED = 2, 3
"""AfState after a search."""
Rectangle = tuple[int, int, int, int]
"""x, y, width, height in px of the sensor."""
CROP = "Crop"
AROUND_BOARD = 0.25
"""What is shown beyond the board on each side, as a part of its width or height: a hand must be seen coming."""
WORTH_CROPPING = 0.8
"""A crop that leaves more of the picture than this is not worth a new start of the camera."""
LOCKED = ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition")
AUTOMATICS: dict[str, Any] = {"AeEnable": True, "AwbEnable": True}


@dataclass(frozen=True, slots=True)
class Mode:
    """One of the sensor's ways to be read. `crop`: what it sees of the sensor."""

    size: tuple[int, int]
    fps: float
    depth: int
    crop: Rectangle


def modes_of(rows: Sequence[Mapping[str, Any]]) -> list[Mode]:
    """From picamera2's `sensor_modes`; rows of cameras that tell nothing are left out."""
    return [
        Mode(tuple(row["size"]), float(row["fps"]), int(row["bit_depth"]), tuple(row["crop_limits"]))
        for row in rows
        if {"size", "fps", "bit_depth", "crop_limits"} <= row.keys()
    ]


def best_mode(modes: Sequence[Mode]) -> Mode | None:
    """The one that sees most of the sensor, with the largest picture, at `LEAST_FPS` or more; None when there is none."""
    quick = [mode for mode in modes if mode.fps >= LEAST_FPS]
    return max(quick, key=lambda m: (m.crop[2] * m.crop[3], m.size[0] * m.size[1], m.fps), default=None)


def even(number: float) -> int:
    """The even number not above it: the camera takes no other sizes."""
    return int(number) // 2 * 2


def to_bgr(array: NDArray[np.uint8], pixels: str, size: tuple[int, int]) -> Image:
    """A stream's array in the format `pixels` as BGR (h, w, 3). Raises CameraError for a format that is none of ours."""
    width, height = size
    match pixels:
        case "RGB888":
            return np.ascontiguousarray(array[:, :width, :3])
        case "BGR888":
            return np.ascontiguousarray(array[:, :width, 2::-1])
        case "XRGB8888":
            return np.ascontiguousarray(array[:, :width, :3])
        case "XBGR8888":
            return np.ascontiguousarray(array[:, :width, 2::-1])
        case "NV12":
            return np.asarray(cv2.cvtColor(np.ascontiguousarray(array[: height * 3 // 2, :width]), cv2.COLOR_YUV2BGR_NV12), np.uint8)
        case "YUV420":
            return np.asarray(cv2.cvtColor(_unpadded(array, size), cv2.COLOR_YUV2BGR_I420), np.uint8)
    raise CameraError(f"the camera sends pictures as {pixels}, which cannot be read")


def _unpadded(array: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """YUV420 whose rows are longer than the picture: two rows of colour share one row of the array, each with its own padding."""
    width, height = size
    stride = array.shape[1]
    planes = [array[:height, :width].ravel()]
    for part in np.split(np.ascontiguousarray(array[height : height * 3 // 2]).reshape(height, stride // 2), 2):
        planes.append(part[:, : width // 2].ravel())
    return np.concatenate(planes).reshape(height * 3 // 2, width)


def kept_of(metadata: Mapping[str, Any], offered: Mapping[str, Any]) -> Kept:
    """What is to be locked, as the camera has it now, of the controls that it offers."""
    kept: Kept = {}
    for name in LOCKED:
        if name not in offered or name not in metadata:
            continue
        value = metadata[name]
        if isinstance(value, tuple | list):
            kept |= {f"{name}.{i}": float(v) for i, v in enumerate(value)}
        else:
            kept[name] = float(value)
    return kept


def controls_of(kept: Mapping[str, float], offered: Mapping[str, Any]) -> dict[str, Any]:
    """The controls that bring a camera up as it was locked. What it does not offer is left out: to set it would be an error."""
    controls: dict[str, Any] = {}
    for name in LOCKED:
        parts = [kept[key] for key in (f"{name}.{i}" for i in range(8)) if key in kept]
        if parts:
            controls[name] = tuple(parts)
        elif name in kept:
            controls[name] = int(kept[name]) if name == "ExposureTime" else kept[name]
    if "ExposureTime" in controls or "AnalogueGain" in controls:
        controls["AeEnable"] = False
    if "ColourGains" in controls:
        controls["AwbEnable"] = False
    if "LensPosition" in controls:
        controls["AfMode"] = MANUAL
    return {name: value for name, value in controls.items() if name in offered}


def alike(kept: Kept, other: Kept) -> bool:
    """Every number within `SETTLE_PART` of the other's."""
    return kept.keys() == other.keys() and all(
        abs(kept[k] - other[k]) <= SETTLE_PART * max(abs(kept[k]), abs(other[k]), 1e-3) for k in kept
    )


def crop_in(kept: Kept) -> Rectangle | None:
    """The crop that was kept, if there was one."""
    x, y, width, height = (kept.get(f"{CROP}.{i}", 0.0) for i in range(4))
    return (int(x), int(y), int(width), int(height)) if width and height else None


def crop_kept(crop: Rectangle | None) -> Kept:
    return {f"{CROP}.{i}": float(number) for i, number in enumerate(crop)} if crop else {}


def crop_round(corners: NDArray[np.float64], size: tuple[int, int], shown: Rectangle, whole: Rectangle) -> Rectangle:
    """The crop (px of the sensor) around a board with `corners` in a picture of `size` px that shows `shown` of the sensor.

    As far beyond the board as hands come from, cut to `whole`, even numbers.
    """
    scale = np.array([shown[2] / size[0], shown[3] / size[1]])
    on_sensor = np.asarray(corners, float).reshape(-1, 2) * scale + np.array(shown[:2])
    low, high = on_sensor.min(axis=0), on_sensor.max(axis=0)
    margin = AROUND_BOARD * (high - low)
    low = np.maximum(low - margin, whole[:2])
    high = np.minimum(high + margin, np.array(whole[:2]) + np.array(whole[2:]))
    left, top = even(low[0]), even(low[1])
    return left, top, even(high[0] - left), even(high[1] - top)


def onto_crop(
    points: NDArray[np.float64], size: tuple[int, int], shown: Rectangle, now: tuple[int, int], crop: Rectangle
) -> NDArray[np.float64]:
    """Points (n, 2) px of a picture of `shown`, in a picture of `now` px that shows `crop`."""
    on_sensor = np.asarray(points, float) * np.array([shown[2] / size[0], shown[3] / size[1]]) + np.array(shown[:2])
    return np.asarray((on_sensor - np.array(crop[:2])) * np.array([now[0] / crop[2], now[1] / crop[3]]), float)


def frame_limits(offered: Mapping[str, Any]) -> dict[str, Any]:
    """The frame times we ask for, within what the camera can do."""
    if "FrameDurationLimits" not in offered:
        return {}
    low, high = int(offered["FrameDurationLimits"][0]), int(offered["FrameDurationLimits"][1])
    return {"FrameDurationLimits": tuple(min(max(wanted, low), max(high, low)) for wanted in FRAME_US)}


class PiCamera(FrameSource):
    """Camera `number` of the Pi. `kept`: controls and crop of an earlier start; without them the camera settles first.

    wait: s for a frame. library: picamera2, imported when not given.
    """

    live = True

    def __init__(
        self,
        number: int = 0,
        kept: Kept | None = None,
        *,
        wait: float = CAMERA_WAIT,
        library: Any = None,
    ) -> None:
        super().__init__(f"picamera{number}", f"camera picamera2:{number}")
        self.number, self.wait = number, wait
        self._library = library or _picamera2()
        self._model = _listed(self._library, number)
        try:
            camera = self._library.Picamera2(number)
        except RuntimeError as error:
            raise CameraBusy(f"{self._who} cannot be opened: another program is using it ({_first_line(error)})") from error
        self._camera: Any = camera
        self._closed = False
        try:
            self._configure(kept or {}, crop_in(kept or {}))
            self.controls = self._lock(kept or {}) | crop_kept(self._crop)
        except BaseException:
            self.close()
            raise

    @property
    def _who(self) -> str:
        return (
            f"the camera picamera2:{self.number} ({self._model['Model']})"
            if "Model" in self._model
            else f"the camera picamera2:{self.number}"
        )

    def close(self) -> None:
        """A camera that hangs is left behind: closing waits no longer than a frame does."""
        if self._closed:
            return
        self._closed = True
        camera = self._camera

        def end() -> None:
            try:
                camera.cancel_all_and_flush()
                camera.close()
            except Exception:
                # There is nothing left to do for a camera that cannot even be closed.
                return

        ending = threading.Thread(target=end, name="camera close", daemon=True)
        ending.start()
        ending.join(self.wait)

    def zoom(self, corners: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """Show the board with its surroundings only. Gives back how points of earlier pictures lie in the next; None: nothing is gained."""
        if "ScalerCrop" not in self._camera.camera_controls or self._whole is None:
            return None
        before, size = self._crop or self._whole, tuple(self._main["size"])
        crop = crop_round(corners, (size[0], size[1]), before, self._whole)
        if crop[2] * crop[3] > WORTH_CROPPING * before[2] * before[3]:
            return None
        self._camera.stop()
        self._configure(self.controls, crop)
        now = tuple(self._main["size"])
        self.controls = self._lock(self.controls) | crop_kept(crop)
        self._size = None
        return lambda points: onto_crop(points, (size[0], size[1]), before, (now[0], now[1]), crop)

    def _configure(self, kept: Kept, crop: Rectangle | None) -> None:
        camera = self._camera
        self._crop: Rectangle | None = crop
        self._whole: Rectangle | None = None
        try:
            mode = best_mode(modes_of(camera.sensor_modes))
        except (AttributeError, KeyError):
            # Not a Pi's sensor: it has one size.
            mode = None
        self._whole = mode.crop if mode else None
        size = crop[2:] if crop else mode.size if mode else tuple(camera.sensor_resolution)
        size = (even(size[0]), even(size[1]))
        small = (SMALL_WIDTH, even(SMALL_WIDTH * size[1] / size[0]))
        sensor = {"output_size": mode.size, "bit_depth": mode.depth} if mode else {}
        last: Exception | None = None
        # A small stream beside the main one is a luxury of the Pi; the pixel order is whatever the camera has.
        for with_small in (True, False):
            for pixels in FORMATS:
                try:
                    controls = frame_limits(camera.camera_controls) | controls_of(kept, camera.camera_controls)
                    if crop and "ScalerCrop" in camera.camera_controls:
                        controls["ScalerCrop"] = crop
                    camera.configure(
                        camera.create_video_configuration(
                            main={"format": pixels, "size": size},
                            lores={"format": "YUV420", "size": small} if with_small else None,
                            buffer_count=4,
                            controls=controls,
                            queue=False,
                            sensor=sensor,
                        )
                    )
                    camera.start()
                except (RuntimeError, OSError, AttributeError) as error:
                    # picamera2 stumbles over the None that libcamera gives for streams it cannot combine.
                    last = error
                    continue
                granted = camera.camera_configuration()
                self._main = granted["main"]
                self._small = granted["lores"] if with_small else None
                return
        raise CameraError(f"{self._who} takes none of the settings that are needed ({_first_line(last)})")

    def _take(self) -> tuple[list[NDArray[np.uint8]], dict[str, Any]]:
        """The streams of the next frame, with its metadata. Raises CameraStalled or CameraUnplugged."""
        camera = self._camera
        names = ["main", "lores"] if self._small else ["main"]
        try:
            arrays, metadata = camera.capture_arrays(names, wait=self.wait)
        except TimeoutError:
            # The job would stay behind and swallow a later frame.
            camera.cancel_all_and_flush()
            _listed(self._library, self.number, lost=True)
            raise CameraStalled(f"{self._who} has sent no picture for {self.wait:g} seconds: is its ribbon cable firmly in?") from None
        except RuntimeError as error:
            raise CameraError(f"{self._who} failed ({_first_line(error)})") from error
        return arrays, metadata

    def _lock(self, kept: Kept) -> Kept:
        """Settle, read, lock; with `kept` they were set at the start, and only have to be waited for. What is locked now."""
        camera = self._camera
        offered = camera.camera_controls
        if kept:
            wanted = {name: value for name, value in kept.items() if name.partition(".")[0] in offered}
            self._until(lambda now, _: alike(now, wanted), LOCK_FRAMES)
            return wanted
        camera.set_controls({name: value for name, value in AUTOMATICS.items() if name in offered})
        if "AfMode" in offered:
            camera.set_controls({"AfMode": AUTO, "AfTrigger": START})
        steady: list[Kept] = []

        def settled(now: Kept, metadata: Mapping[str, Any]) -> bool:
            steady[:] = [*steady, now] if steady and alike(steady[0], now) else [now]
            return len(steady) >= SETTLE_TOGETHER and metadata.get("AfState", FOCUSED) in (FOCUSED, FAILED)

        found = self._until(settled, SETTLE_FRAMES)
        if found:
            camera.set_controls(controls_of(found, offered))
            self._until(lambda now, _: alike(now, found), LOCK_FRAMES)
        return found

    def _until(self, true: Callable[[Kept, Mapping[str, Any]], bool], frames: int) -> Kept:
        """Look at frame after frame, `frames` at most; the last one's controls, however they are."""
        now: Kept = {}
        for _ in range(frames):
            _, metadata = self._take()
            now = kept_of(metadata, self._camera.camera_controls)
            if not now or true(now, metadata):
                break
        return now

    def _frames(self) -> Iterator[Frame]:
        began: float | None = None
        index = self.start
        size = tuple(self._main["size"])
        while not self._closed:
            arrays, _ = self._take()
            moment = time.monotonic()
            began = moment if began is None else began
            image = to_bgr(arrays[0], self._main["format"], (size[0], size[1]))
            small = None
            if self._small:
                width, height = self._small["size"]
                small = np.ascontiguousarray(arrays[1][:height, :width])
            yield Frame(index, self.start_time + moment - began, f"frame {index}", image, small)
            index += 1


def _picamera2() -> Any:
    try:
        import picamera2
    except ModuleNotFoundError as error:
        raise CameraError(
            f"the Pi's camera needs the Debian package python3-picamera2, and a venv with --system-site-packages ({error.name} is missing)"
        ) from error
    return picamera2


def _listed(library: Any, number: int, lost: bool = False) -> Mapping[str, Any]:
    """What the system says of camera `number`. Raises CameraUnplugged when it is not there; `lost`: it was a moment ago."""
    rows = library.Picamera2.global_camera_info()
    if number < len(rows):
        row: Mapping[str, Any] = rows[number]
        return row
    if lost:
        raise CameraUnplugged(f"the camera picamera2:{number} was unplugged")
    raise CameraUnplugged(f"there is no camera picamera2:{number}: {len(rows)} found; is its ribbon cable in, contacts the right way?")


def _first_line(error: Exception | None) -> str:
    deepest: BaseException | None = error
    while deepest is not None and deepest.__cause__ is not None:
        deepest = deepest.__cause__
    text = str(deepest).strip()
    return text.splitlines()[0] if text else type(deepest).__name__
