"""A folder of pictures as a camera would show it: each stays for a while, and comes again and again meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from vision.frames import Frame, FrameSource, PictureFolder

SECONDS = 2.0
"""How long a picture stays: about as long as a moment of a brisk game."""
FPS = 5.0
LOOKS = 5
"""Least number of frames of one picture: some of them are needed to see that nothing moves."""


class Playback(FrameSource):
    """Plays the pictures of `folder` at real speed, then holds the last.

    seconds: how long each stays. playing: while it says no, the first picture is held (people are still setting up).
    """

    live = True

    def __init__(
        self,
        folder: Path,
        *,
        seconds: float = SECONDS,
        fps: float = FPS,
        playing: Callable[[], bool] = lambda: True,
        wait: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = PictureFolder(folder)
        super().__init__(self._folder.name, f"played {self._folder.identity}")
        self._each, self._fps = max(round(seconds * fps), 1), fps
        self._playing, self._wait, self._clock = playing, wait, clock

    def _frames(self) -> Iterator[Frame]:
        shown, image = -1, None
        last, began = self.start - 1, self._clock() - self.start / self._fps
        while True:
            playing = self._playing()
            # Like a camera: the newest moment. But a picture is shown LOOKS times at least: where reading is slow, the game is too.
            index = max(int((self._clock() - began) * self._fps), last + 1)
            index = min(index, last + max(self._each // LOOKS, 1))
            began = max(began, self._clock() - (index + 1) / self._fps)
            if not playing:
                index, began = last + 1, self._clock() - (last + 1) / self._fps
            self._wait(max(index / self._fps - (self._clock() - began), 0.0))
            at = index if playing else self.start
            picture = min(at // self._each, len(self._folder.paths) - 1)
            if picture != shown or image is None:
                shown = picture
                self._folder.seek(picture)
                image = next(iter(self._folder)).image
            if playing:
                last = index
            yield Frame(index, index / self._fps, self._folder.paths[picture].name, image)
            if not playing:
                self._wait(1 / self._fps)
