"""Frame sources: order, resuming, and one plain, typed sentence for everything that can be wrong with them."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision import frames
from vision.frames import (
    BrokenPicture,
    Camera,
    CameraError,
    FrameError,
    FrameSource,
    NoPictures,
    SizeChanged,
    SourceMissing,
    UnreadableVideo,
    load_picture,
    open_source,
)


def picture(grey: int, size: tuple[int, int] = (64, 48)) -> Any:
    return np.full((size[1], size[0], 3), grey, np.uint8)


def greys(source: FrameSource) -> list[int]:
    return [round(float(frame.image.mean())) for frame in source]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pictures 1, 2, 10 (natural order), whose grey is ten times their number; and files that are none of its business."""
    made = tmp_path / "game"
    made.mkdir()
    for number in (10, 2, 1):
        cv2.imwrite(str(made / f"frame{number}.png"), picture(10 * number))
    (made / "notes.txt").write_text("not a picture")
    (made / ".hidden.png").write_text("not a picture either")
    return made


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(8):
        writer.write(picture(20 * number))
    writer.release()
    return path


def test_a_folder_is_read_in_natural_order_one_second_a_picture(folder: Path) -> None:
    with open_source(str(folder)) as source:
        assert (source.still, source.live, source.length, source.name) == (True, False, 3, "game")
        seen = [(frame.index, frame.time, frame.name, int(frame.image[0, 0, 0])) for frame in source]
    assert seen == [(0, 0.0, "frame1.png", 10), (1, 1.0, "frame2.png", 20), (2, 2.0, "frame10.png", 100)]


def test_a_folder_is_taken_up_where_it_was_left(folder: Path) -> None:
    with open_source(str(folder)) as source:
        source.seek(2)
        assert [(frame.index, frame.time, frame.name) for frame in source] == [(2, 2.0, "frame10.png")]


def test_a_source_is_known_again_wherever_it_lies(folder: Path, video: Path, tmp_path: Path) -> None:
    before = open_source(str(folder)).identity
    moved = folder.rename(tmp_path / "elsewhere")
    assert open_source(str(moved)).identity == before
    cv2.imwrite(str(moved / "frame1.png"), picture(11))
    assert open_source(str(moved)).identity != before
    with open_source(str(video)) as source:
        assert source.identity != before


def test_a_single_picture_is_one_moment(folder: Path) -> None:
    with open_source(str(folder / "frame2.png")) as source:
        assert (source.still, source.length) == (True, 1)
        assert greys(source) == [20]
        source.seek(1)
        assert greys(source) == []


def test_a_video_gives_every_frame_with_its_time(video: Path) -> None:
    with open_source(str(video)) as source:
        assert (source.still, source.live, source.length) == (False, False, 8)
        seen = [(frame.index, frame.time, float(frame.image.mean())) for frame in source]
    assert [index for index, _, _ in seen] == list(range(8))
    assert [moment for _, moment, _ in seen] == pytest.approx([n / 10 for n in range(8)])
    assert [grey for _, _, grey in seen] == pytest.approx([20 * n for n in range(8)], abs=4)


def test_a_video_is_taken_up_at_exactly_the_frame_asked_for(video: Path) -> None:
    with open_source(str(video)) as source:
        source.seek(5)
        first = next(iter(source))
    assert (first.index, first.time) == (5, 0.5)
    assert first.image.mean() == pytest.approx(100, abs=4)


def test_what_cannot_be_had_is_said_in_one_typed_sentence(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "readme.txt").write_text("nothing here")
    not_video = tmp_path / "not.mp4"
    not_video.write_bytes(b"this is not a video" * 99)
    table: list[tuple[str, type[FrameError], str]] = [
        (str(tmp_path / "none"), SourceMissing, "none"),
        (str(empty), NoPictures, "empty"),
        (str(not_video), UnreadableVideo, "not.mp4"),
        ("/dev/video97", CameraError, "/dev/video97"),
        ("97", CameraError, "/dev/video97"),
        ("/dev/null", SourceMissing, "/dev/null"),
    ]
    for text, kind, names in table:
        with pytest.raises(kind) as caught:
            open_source(text)
        assert names in str(caught.value)
        assert "\n" not in str(caught.value)


def jpeg(noise: bool = True, **marks: bytes) -> bytes:
    image = np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8) if noise else picture(90, (160, 120))
    good, data = cv2.imencode(".jpg", image)
    assert good
    return bytes(data.tobytes())


def test_a_broken_picture_is_named_and_never_read_in_part(tmp_path: Path) -> None:
    whole_jpg = jpeg()
    whole_png = cv2.imencode(".png", picture(3))[1].tobytes()
    broken = {
        "empty.jpg": b"",
        "words.jpg": b"hello",
        "half.jpg": whole_jpg[: len(whole_jpg) // 2],
        "almost.jpg": whole_jpg[:-2],
        "head.jpg": whole_jpg[:100],
        "half.png": whole_png[: len(whole_png) // 2],
    }
    for name, data in broken.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(BrokenPicture, match=name):
            load_picture(path)
    with pytest.raises(SourceMissing, match="gone"):
        load_picture(tmp_path / "gone.jpg")


def test_whole_jpegs_pass_with_a_thumbnail_inside_and_words_behind(tmp_path: Path) -> None:
    whole, thumbnail = jpeg(), jpeg(noise=False)
    segment = b"\xff\xe1" + (len(thumbnail) + 2).to_bytes(2, "big") + thumbnail
    path = tmp_path / "phone.jpg"
    path.write_bytes(whole[:2] + segment + whole[2:] + b"a trailer such as phones append")
    assert load_picture(path).shape == (120, 160, 3)
    # The end mark of the thumbnail must not stand for that of a picture that is cut short.
    path.write_bytes(whole[:2] + segment + whole[2 : len(whole) // 2])
    with pytest.raises(BrokenPicture, match="cut short"):
        load_picture(path)


def test_a_broken_picture_in_a_folder_is_named_when_its_turn_comes(folder: Path) -> None:
    (folder / "frame2.png").write_bytes(b"")
    with open_source(str(folder)) as source:
        pictures = iter(source)
        assert next(pictures).name == "frame1.png"
        with pytest.raises(BrokenPicture, match=r"frame2\.png"):
            next(pictures)


def test_pictures_of_another_size_in_mid_stream_are_refused(folder: Path) -> None:
    cv2.imwrite(str(folder / "frame10.png"), picture(100, (48, 64)))
    with open_source(str(folder)) as source, pytest.raises(SizeChanged, match=r"frame10\.png has 48x64 px.*64x48"):
        greys(source)


class FakeCapture:
    """A camera that sends pictures of rising grey every 10 ms, then none (`then`: "silent" blocks, "gone" fails)."""

    def __init__(self, sends: int, then: str) -> None:
        self.sends, self.then, self.sent, self.released = sends, then, 0, False
        self.unblock = threading.Event()

    def read(self) -> tuple[bool, Any]:
        if self.sent < self.sends:
            time.sleep(0.01)
            self.sent += 1
            return True, picture(self.sent)
        if self.then == "silent":
            self.unblock.wait(30)
        return False, None

    def release(self) -> None:
        self.released = True


def test_a_slow_reader_gets_the_newest_picture_of_a_camera() -> None:
    fake = FakeCapture(1000, "gone")
    with Camera(Path("/dev/video0"), capture=fake) as source:
        source.seek(7, 3.0)
        assert source.live
        pictures = iter(source)
        first = next(pictures)
        time.sleep(0.5)
        second = next(pictures)
    assert (first.index, first.time, second.index) == (7, 3.0, 8)
    assert second.time > first.time
    assert second.image.mean() - first.image.mean() > 5, "the pictures sent in between were not passed over"
    assert fake.released


def test_a_camera_that_falls_silent_is_given_up_in_bounded_time() -> None:
    fake = FakeCapture(1, "silent")
    source = Camera(Path("/dev/video0"), wait=0.2, capture=fake)
    pictures = iter(source)
    next(pictures)
    began = time.monotonic()
    with pytest.raises(CameraError, match=r"/dev/video0 has sent no picture for 0\.2 seconds"):
        next(pictures)
    source.close()
    assert time.monotonic() - began < 5
    fake.unblock.set()


def test_a_camera_that_is_unplugged_says_so_after_its_last_picture() -> None:
    with Camera(Path("/dev/video0"), capture=FakeCapture(1, "gone")) as source:
        pictures = iter(source)
        assert next(pictures).index == 0
        with pytest.raises(CameraError, match="unplugged"):
            next(pictures)


def test_natural_order() -> None:
    names = ["b1.jpg", "a10.jpg", "a9.jpg", "3.jpg", "A1.jpg", "20.jpg"]
    assert sorted(names, key=frames.natural_key) == ["3.jpg", "20.jpg", "A1.jpg", "a9.jpg", "a10.jpg", "b1.jpg"]
