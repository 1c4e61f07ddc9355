"""The settle gate with a camera's small stream: motion is told by it alone."""

from __future__ import annotations

import numpy as np

from calibration.geometry import BoardGeometry
from calibration.profile import Profile
from vision import thresholds
from vision.settle import SettleGate

SIZE = (640, 480)
GEOMETRY = BoardGeometry(
    np.array([[60.0, 60], [580, 60], [580, 420], [60, 420]]), np.array([[300.0, 60], [340, 60], [340, 420], [300, 420]]), SIZE
)


def grey(level: int, spot: int = 0) -> np.ndarray:
    image = np.full((240, 320), level, np.uint8)
    image[100:140, spot : spot + 40] = 250
    return image


def test_motion_in_the_small_stream_is_motion_and_the_large_picture_is_only_looked_at_when_it_rests() -> None:
    outline = np.full((240, 320), 100, np.uint8)
    gate = SettleGate(Profile(GEOMETRY, "right", np.zeros((2, 4), np.float32), "none", (0,) * 24, outline=outline))
    calm = np.full((480, 640, 3), 100, np.uint8)
    arm = calm.copy()
    arm[:200, 250:360] = 20
    quiet = [gate.look(calm, small=grey(100)) for _ in range(thresholds.QUIET_FRAMES + 1)]
    assert [s.ok for s in quiet] == [False] * thresholds.QUIET_FRAMES + [True]
    assert gate.look(calm, small=grey(100, spot=60)).reason == "something is moving"
    # The arm rests: the small stream sees no motion, the large picture sees the arm.
    resting = [gate.look(arm, small=grey(100, spot=60)) for _ in range(thresholds.QUIET_FRAMES + 1)]
    assert not any(s.ok for s in resting) and resting[-1].hand


def test_a_small_stream_of_another_size_is_scaled() -> None:
    gate = SettleGate(Profile(GEOMETRY, "right", np.zeros((2, 4), np.float32), "none", (0,) * 24))
    large = np.full((480, 640, 3), 100, np.uint8)
    assert [gate.look(large, small=np.full((360, 480), 90, np.uint8)).ok for _ in range(thresholds.QUIET_FRAMES + 1)][-1]
