"""A folder played as a camera would show it: in real time, no picture passed over, going on where it was."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.playback import LOOKS, Playback
from vision.frames import NoPictures


class Time:
    def __init__(self, reading: float = 0.0) -> None:
        self.now, self.reading = 0.0, reading

    def clock(self) -> float:
        self.now += self.reading
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(4):
        cv2.imwrite(str(tmp_path / f"{number}.png"), np.full((12, 16, 3), 40 * number, np.uint8))
    return tmp_path


def played(folder: Path, frames: int, time: Time, start: int = 0, **options: object) -> list[tuple[int, str]]:
    source = Playback(folder, seconds=2.0, fps=5.0, wait=time.wait, clock=time.clock, **options)  # type: ignore[arg-type]
    source.seek(start)
    return [(frame.index, frame.name) for frame in islice(source, frames)]


def test_each_picture_stays_and_the_last_for_ever(folder: Path) -> None:
    time = Time()
    seen = played(folder, 60, time)
    assert [index for index, _ in seen] == list(range(60))
    assert [name for _, name in seen] == [f"{min(n // 10, 3)}.png" for n in range(60)]
    assert time.now == pytest.approx(59 / 5, abs=0.3)


def test_a_slow_reader_sees_every_picture_often_enough(folder: Path) -> None:
    seen = played(folder, 40, Time(reading=1.0))
    names = [name for _, name in seen]
    assert all(names.count(f"{n}.png") >= LOOKS for n in range(3)) and "3.png" in names
    indices = [index for index, _ in seen]
    assert indices == sorted(set(indices))


def test_it_goes_on_where_it_was(folder: Path) -> None:
    seen = played(folder, 3, Time(), start=25)
    assert seen == [(25, "2.png"), (26, "2.png"), (27, "2.png")]


def test_while_people_set_up_the_first_picture_is_held(folder: Path) -> None:
    ready = [False]
    time = Time()
    source = Playback(folder, seconds=2.0, fps=5.0, wait=time.wait, clock=time.clock, playing=lambda: ready[0])
    frames = iter(source)
    assert {next(frames).name for _ in range(50)} == {"0.png"}
    ready[0] = True
    later = [next(frames) for _ in range(15)]
    assert [f.name for f in later] == ["0.png"] * 10 + ["1.png"] * 5 and later[0].index == 0


def test_a_folder_without_pictures_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoPictures):
        Playback(tmp_path)
