"""The V4L2 source on the kernel's own camera."""

from __future__ import annotations

import os
from itertools import islice, pairwise

import pytest

from vision.frames import CameraError, open_source

CAMERA = os.environ.get("PISIM_CAMERA", "/dev/video-none")


def test_frames_come_from_the_kernels_camera() -> None:
    with open_source(CAMERA) as source:
        frames = list(islice(source, 5))
    assert source.live and [f.index for f in frames] == [0, 1, 2, 3, 4]
    assert {f.image.shape for f in frames} == {frames[0].image.shape} and frames[0].image.shape[2] == 3
    assert all(a.time < b.time for a, b in pairwise(frames))
    # Test bars: a picture, not a grey field; and the picture moves.
    assert float(frames[0].image.std()) > 20
    assert (frames[0].image != frames[4].image).any()


def test_the_camera_can_be_opened_again_after_it_was_closed() -> None:
    for _ in range(3):
        with open_source(CAMERA) as source:
            assert next(iter(source)).index == 0


def test_a_camera_that_is_not_there() -> None:
    with pytest.raises(CameraError, match="there is no camera"):
        open_source("/dev/video99")
