"""Where pictures come from: a folder, one picture, a video file, a camera; all behind one iterable `FrameSource`.

>>> with open_source("games/monday") as source:          # doctest: +SKIP
...     for frame in source:
...         print(frame.index, frame.name)
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
SECONDS_A_PICTURE = 1.0
"""A folder of pictures has no clock: each is one moment, one second after the one before."""
CAMERA_WAIT = 6.0
"""s without a picture after which a camera counts as lost."""
FALLBACK_FPS = 25.0
"""For a video that does not say how fast it runs."""
HEAD_BYTES = 1 << 20
"""How much of a video is looked at to know it again."""


class FrameError(Exception):
    """Pictures cannot be had; the message is one plain sentence."""


class SourceMissing(FrameError, FileNotFoundError):
    """There is no such file, folder or camera."""


class NoPictures(FrameError):
    """The folder holds no pictures."""


class BrokenPicture(FrameError):
    """A picture file is cut short or is no picture; the message names it."""


class UnreadableVideo(FrameError):
    """The file is no video that can be decoded."""


class CameraError(FrameError):
    """The camera is missing, busy, forbidden, or has stopped sending."""


class CameraBusy(CameraError):
    """Another program is using the camera."""


class CameraStalled(CameraError):
    """The camera is there and sends nothing."""


class CameraUnplugged(CameraError):
    """The camera is not there, or no longer."""


class SizeChanged(FrameError):
    """The pictures changed size in mid-stream: another camera, or another setting of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture. `index` from 0; `time` in s since the source began; `image` BGR uint8 (h, w, 3).

    small: the same moment in grey, uint8, as a second small stream of the camera gives it: only for telling motion. None without one.
    """

    index: int
    time: float
    name: str
    image: Image
    small: NDArray[np.uint8] | None = None


class FrameSource(ABC):
    """A context manager and an iterable of frames of one size. Every failure is a `FrameError`."""

    live = False
    """Frames come as they happen and may be missed."""
    still = False
    """Each picture is one moment by itself: motion between neighbours means nothing."""
    length: int | None = None
    """Number of frames, None when nobody can know."""

    def __init__(self, name: str, identity: str) -> None:
        self.name = name
        """Short label: the file's or folder's name without its ending."""
        self.identity = identity
        """Tells this source from others, wherever it may be moved to."""
        self.controls: dict[str, float] = {}
        """Exposure, gain and the like that were locked, for the profile; empty where nothing can be."""
        self.start = 0
        self.start_time = 0.0
        self._size: tuple[int, int] | None = None

    def seek(self, index: int, seconds: float = 0.0) -> None:
        """Begin at frame `index` (before iterating). A live source only counts on from there, its clock from `seconds`."""
        self.start, self.start_time = index, seconds

    def zoom(self, corners: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """Show only the board with these corners (4, 2) from now on. Gives back where points of earlier pictures lie in later ones;
        None where that cannot be done or would gain nothing."""
        return None

    def close(self) -> None:
        """Let go of the file or the camera; nothing happens the second time."""

    @abstractmethod
    def _frames(self) -> Iterator[Frame]: ...

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames():
            size = (frame.image.shape[1], frame.image.shape[0])
            if self._size is None:
                self._size = size
            elif size != self._size:
                raise SizeChanged(
                    f"{frame.name} has {size[0]}x{size[1]} px, but the pictures before it have {self._size[0]}x{self._size[1]}"
                )
            yield frame

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_source(text: str, controls: dict[str, float] | None = None) -> FrameSource:
    """The source that `text` names: a folder, a picture, a video file, a camera number, /dev/videoN, picamera2 or picamera2:N.

    controls: what was locked when this camera's profile was made; only a Pi's camera can be set to it.
    """
    path = Path(text)
    if named := re.fullmatch(r"picamera2(?::(\d+))?", text):
        from vision.picamera import PiCamera

        return PiCamera(int(named[1] or 0), controls)
    if re.fullmatch(r"/dev/video\d+", text):
        return Camera(path)
    if path.is_dir():
        return PictureFolder(path)
    if path.is_file():
        return PictureFile(path) if is_picture(path) else VideoFile(path)
    if text.isascii() and text.isdigit() and not path.exists():
        return Camera(Path(f"/dev/video{int(text)}"))
    if path.exists():
        raise SourceMissing(f"{text} is neither a folder, nor a picture, nor a video, nor a camera")
    raise SourceMissing(f"there is no file, folder or camera called {text}")


def is_picture(path: Path) -> bool:
    """By its ending, or by its first bytes."""
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return True
    try:
        return bool(cv2.haveImageReader(str(path)))
    except cv2.error:
        return False


def natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Sorts `frame2` before `frame10`."""
    return tuple((0, int(part)) if part.isdigit() else (1, part.lower()) for part in re.split(r"([0-9]+)", name) if part)


def load_picture(path: Path | str) -> Image:
    """One picture, BGR, upright by its EXIF mark. Raises SourceMissing or BrokenPicture."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SourceMissing(f"there is no picture called {path}") from None
    except OSError as error:
        raise BrokenPicture(f"{path} cannot be read: {error.strerror or error}") from error
    if not data:
        raise BrokenPicture(f"{path} is empty")
    if not _complete(data):
        raise BrokenPicture(f"{path} is cut short")
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise BrokenPicture(f"{path} is not a picture that can be read")
    return np.asarray(image, np.uint8)


def _complete(data: bytes) -> bool:
    """False for a JPEG or PNG that was cut short, which OpenCV would decode with its lower part grey."""
    if data.startswith(b"\x89PNG"):
        return data.rfind(b"IEND") > 0
    if data.startswith(b"\xff\xd8"):
        return _jpeg_ends(data)
    return True


def _jpeg_ends(data: bytes) -> bool:
    """Walk the segments (thumbnails inside them have ends of their own) to the end-of-image mark."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xD9:
            return True
        if marker == 0xFF:
            at += 1
            continue
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            found = _SCAN_END.search(data, at)
            if found is None:
                return False
            at = found.start()
    return data[at : at + 2] == b"\xff\xd9"


_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""In a scan 0xff is followed by 0 or a restart mark; anything else begins the next segment."""


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(HEAD_BYTES)).hexdigest()[:16]


class PictureFolder(FrameSource):
    """The pictures of a folder in natural order, each one moment."""

    still = True

    def __init__(self, path: Path) -> None:
        try:
            self.paths = sorted(
                (p for p in path.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file() and not p.name.startswith(".")),
                key=lambda p: natural_key(p.name),
            )
            if not self.paths:
                raise NoPictures(f"the folder {path} holds no pictures (jpg, png, bmp, webp, tif)")
            identity = f"pictures {self.paths[0].name} {_fingerprint(self.paths[0])}"
        except OSError as error:
            raise SourceMissing(f"the folder {path} cannot be read: {error.strerror or error}") from error
        super().__init__(path.resolve().name or "pictures", identity)
        self.length = len(self.paths)

    def _frames(self) -> Iterator[Frame]:
        for index in range(self.start, len(self.paths)):
            path = self.paths[index]
            yield Frame(index, index * SECONDS_A_PICTURE, path.name, load_picture(path))


class PictureFile(FrameSource):
    """A single picture."""

    still = True
    length = 1

    def __init__(self, path: Path) -> None:
        try:
            identity = f"picture {path.name} {_fingerprint(path)}"
        except OSError as error:
            raise BrokenPicture(f"{path} cannot be read: {error.strerror or error}") from error
        super().__init__(path.stem, identity)
        self.path = path

    def _frames(self) -> Iterator[Frame]:
        if self.start == 0:
            yield Frame(0, 0.0, self.path.name, load_picture(self.path))


class VideoFile(FrameSource):
    """A video file, every frame of it."""

    def __init__(self, path: Path) -> None:
        try:
            identity = f"video {path.stat().st_size} {_fingerprint(path)}"
        except OSError as error:
            raise UnreadableVideo(f"{path} cannot be read: {error.strerror or error}") from error
        super().__init__(path.stem, identity)
        self.path = path
        self._capture: Any = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise UnreadableVideo(f"{path} is not a video that can be read")
        count = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.length = count if count > 0 else None
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self.fps = fps if 0.1 < fps < 1000 else FALLBACK_FPS

    def close(self) -> None:
        self._capture.release()

    def _frames(self) -> Iterator[Frame]:
        # Grabbing is exact where seeking by frame number is not, and costs no more than decoding.
        index = -1
        while self._capture.grab():
            index += 1
            if index < self.start:
                continue
            good, image = self._capture.retrieve()
            if not good or image is None:
                raise UnreadableVideo(f"{self.path} is damaged at frame {index}")
            yield Frame(index, index / self.fps, f"frame {index}", np.asarray(image, np.uint8))
        if index < 0:
            raise UnreadableVideo(f"{self.path} holds no picture that can be decoded")


class Camera(FrameSource):
    """A V4L2 camera: only the newest picture counts, and no wait is longer than `wait` s."""

    live = True

    def __init__(self, device: Path, *, wait: float = CAMERA_WAIT, capture: Any = None) -> None:
        """`capture`: an object with OpenCV's `VideoCapture` methods, opened on `device` when not given."""
        super().__init__(device.name, f"camera {device}")
        self.device, self.wait = device, wait
        if capture is None:
            capture = _open_camera(device)
        self._capture: Any = capture
        self._newest: tuple[float, Image] | None = None
        self._stopped = False
        self._lost = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._grab, name=f"camera {device}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        with self._news:
            self._stopped = True
            self._news.notify_all()
        self._thread.join(self.wait)
        if not self._thread.is_alive():
            self._capture.release()

    def _grab(self) -> None:
        """In its own thread: a reader that is slower than the camera must not read stale pictures from a queue."""
        while not self._stopped:
            good, image = self._capture.read()
            with self._news:
                if good and image is not None:
                    self._newest = (time.monotonic(), np.asarray(image, np.uint8))
                else:
                    self._lost = self._stopped = True
                self._news.notify_all()

    def _next(self) -> tuple[float, Image] | None:
        """The newest picture not yet taken; None when closed."""
        with self._news:
            told = self._news.wait_for(lambda: self._newest is not None or self._stopped, self.wait)
            if not told:
                raise CameraStalled(f"the camera {self.device} has sent no picture for {self.wait:g} seconds")
            taken, self._newest = self._newest, None
            if taken is None and self._lost and not self.device.exists():
                raise CameraUnplugged(f"the camera {self.device} was unplugged")
            if taken is None and self._lost:
                raise CameraBusy(f"the camera {self.device} sends no pictures: it was unplugged, or another program is using it")
            return taken

    def _frames(self) -> Iterator[Frame]:
        began: float | None = None
        index = self.start
        while (taken := self._next()) is not None:
            moment, image = taken
            began = moment if began is None else began
            yield Frame(index, self.start_time + moment - began, f"frame {index}", image)
            index += 1


def _open_camera(device: Path) -> Any:
    if not device.exists():
        raise CameraUnplugged(f"there is no camera at {device}")
    try:
        device.open("rb", buffering=0).close()
    except PermissionError:
        raise CameraError(f"you may not use the camera {device}: add yourself to the group video") from None
    except OSError as error:
        raise CameraError(f"the camera {device} cannot be opened: {error.strerror or error}") from error
    capture = cv2.VideoCapture(str(device), cv2.CAP_V4L2)
    if not capture.isOpened():
        raise CameraBusy(f"the camera {device} cannot be opened: is it a camera, and does no other program use it?")
    # One buffer: the next picture is the present one.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture
