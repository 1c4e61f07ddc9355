"""Our camera source on the real picamera2 and libcamera, with the kernel's own simulated sensor (run by check.sh)."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import cv2
import numpy as np
import picamera2
import sitecustomize

from vision.frames import CameraBusy, CameraUnplugged
from vision.picamera import PiCamera


class SmallSensor(picamera2.Picamera2):
    """The simulated sensor says it has 4096x2160 px, and takes longer than anybody waits for each of them."""

    def __init__(self, camera_num: int = 0) -> None:
        super().__init__(camera_num)
        self.sensor_resolution = (640, 480)


library = SimpleNamespace(Picamera2=SmallSensor)

number = next(i for i, row in enumerate(picamera2.Picamera2.global_camera_info()) if "vimc" in row["Id"])

for attempt in range(3):
    with PiCamera(number, library=library) as source:
        frames = list(islice(source, 4))
        shape, pixels = frames[0].image.shape, source._main["format"]
        assert [f.index for f in frames] == [0, 1, 2, 3] and shape == (480, 640, 3), (frames, shape)
        # Test bars, left to right: white, yellow, cyan, green, magenta, red, blue, black. Yellow has no blue, blue only blue.
        bars = [frames[0].image[240, x].astype(int).tolist() for x in range(40, 640, 80)]
        yellow, red, blue = bars[1], bars[5], bars[6]
        assert yellow[0] + 70 < min(yellow[1:]), bars
        assert red[2] > red[0] + 70 and blue[0] > blue[2] + 70, bars
        if attempt == 0:
            try:
                PiCamera(number, library=library)
                raise SystemExit("the same camera was opened twice")
            except CameraBusy as error:
                print("opened twice here:", error)
try:
    PiCamera(9, library=library)
    raise SystemExit("there is no camera 9")
except CameraUnplugged as error:
    print("no such camera:", error)
# The virtual camera gives two streams of one frame.
sitecustomize.patched(picamera2)
with PiCamera(0, library=picamera2) as source:
    frame = next(iter(source))
    small = frame.small
    assert small is not None and frame.image.shape[:2] == (960, 1280), frame
    grey = cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY)
    apart = float(np.abs(cv2.resize(small, (320, 240)).astype(int) - cv2.resize(grey, (320, 240)).astype(int)).mean())
    assert grey.std() > 20 and apart < 8, (grey.std(), apart)
    print(f"two streams of one frame: {frame.image.shape}, {small.shape}, {apart:.1f} grey levels apart")
print(f"REAL-PICAMERA2-OK {picamera2.__file__}, {shape[1]}x{shape[0]}, asked for RGB888, got {pixels}, opened three times")
