"""A camera that is lost and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from vision.frames import CameraError, Frame, FrameSource
from vision.recovering import PAUSE, Recovering


class Flaky(FrameSource):
    """Gives `good` frames, then fails."""

    live = True
    closed = False

    def __init__(self, good: int) -> None:
        super().__init__("camera", "camera 0")
        self.good = good

    def _frames(self) -> Iterator[Frame]:
        for i in range(self.good):
            yield Frame(self.start + i, self.start_time + i, "frame", np.zeros((4, 4, 3), np.uint8))
        raise CameraError("the camera has stopped")

    def close(self) -> None:
        self.closed = True


def test_the_count_of_frames_and_the_clock_go_on_after_the_camera_is_back() -> None:
    cameras = [Flaky(2), Flaky(0), Flaky(3)]
    kept = list(cameras)
    told: list[str] = []
    waited: list[float] = []
    source = Recovering(lambda: cameras.pop(0), lambda error: told.append(str(error)), tries=2, wait=waited.append)
    source.seek(10, 100.0)
    seen = []
    with pytest.raises(IndexError):  # no fourth camera: the test's own end
        for frame in source:
            seen.append((frame.index, frame.time))
    assert seen == [(10, 100.0), (11, 101.0), (12, 101.0), (13, 102.0), (14, 103.0)]
    assert told == ["the camera has stopped"] * 3 and waited == [PAUSE] * 3
    assert all(camera.closed for camera in kept)


def test_a_camera_that_stays_away_is_given_up_with_its_own_reason() -> None:
    opened = []

    def opens() -> FrameSource:
        if opened:
            raise CameraError("there is no camera at /dev/video0")
        opened.append(1)
        return Flaky(1)

    told: list[str] = []
    source = Recovering(opens, lambda error: told.append(str(error)), tries=3, wait=lambda seconds: None)
    with pytest.raises(CameraError, match="there is no camera"):
        list(source)
    assert told == ["the camera has stopped", "there is no camera at /dev/video0", "there is no camera at /dev/video0"]


def test_a_camera_that_is_not_there_at_the_start_is_said_at_once() -> None:
    def opens() -> FrameSource:
        raise CameraError("there is no camera at /dev/video0")

    with pytest.raises(CameraError):
        Recovering(opens)
