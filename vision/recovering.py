"""A camera that is lost and comes back: the watch goes on where it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from vision.frames import CameraError, Frame, FrameSource

TRIES = 3
"""How often in a row a camera is opened again before it is given up."""
PAUSE = 2.0
"""s before it is opened again: a cable that was pulled is seldom back sooner."""


class Recovering(FrameSource):
    """Opens the camera again when it stalls or is unplugged. Raises its CameraError when `tries` in a row have failed.

    lost: told of each failure. wait: takes s; replaced in tests.
    """

    live = True

    def __init__(
        self,
        opens: Callable[[], FrameSource],
        lost: Callable[[CameraError], None] = lambda error: None,
        *,
        tries: int = TRIES,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._opens, self._lost, self._tries, self._wait = opens, lost, tries, wait
        self._source: FrameSource | None = opens()
        super().__init__(self._source.name, self._source.identity)

    def close(self) -> None:
        if self._source is not None:
            self._source.close()

    def _frames(self) -> Iterator[Frame]:
        index, seconds, failures = self.start, self.start_time, 0
        while True:
            try:
                if self._source is None:
                    self._source = self._opens()
                self._source.seek(index, seconds)
                for frame in self._source:
                    failures = 0
                    index, seconds = frame.index + 1, frame.time
                    yield frame
                return
            except CameraError as error:
                failures += 1
                if failures > self._tries:
                    raise
                self._lost(error)
                if self._source is not None:
                    self._source.close()
                    self._source = None
                self._wait(PAUSE)
