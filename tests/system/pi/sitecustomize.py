"""Lies on the service's path in the simulated system only: makes libcamera's virtual camera, which plays the frames of a rendered game,
usable by picamera2, slows it to a real camera's pace, and can hang the program's main thread.

Two shims that the virtual camera needs: it has no raw stream, and its buffers come from libcamera's own allocator.
"""

import importlib.abc
import importlib.util
import pathlib
import signal
import sys
import time

SIZE = (1280, 960)
SECONDS_A_FRAME = 0.1
PATIENCE = 5.0
"""s: a frame is shown when the program asks for one, so that no moment of the game passes unseen however slow the machine is."""
SHOWN = "/run/gammonwatch/shown"
"""A line for each new picture of the game: when it was first shown, and its checksum."""


def patched(module):
    from picamera2.allocators import LibcameraAllocator
    from picamera2.request import MappedArray

    real = module.Picamera2

    class Virtual(real):
        last, asked = None, False

        def __init__(self, camera_num=0):
            super().__init__(camera_num)
            self.allocator = LibcameraAllocator(self.camera)
            self.pre_callback = self.pace

        def _get_raw_modes(self):
            return [{"format": "NV12", "size": SIZE}]

        @staticmethod
        def global_camera_info():
            return [row for row in real.global_camera_info() if "Virtual" in row["Id"]]

        def pace(self, request):
            with MappedArray(request, "main") as mapped:
                now = int(mapped.array[::40, ::40].astype(int).sum())
            if now != self.last:
                self.last = now
                with pathlib.Path(SHOWN).open("a") as out:
                    out.write(f"{time.time():.2f} {now}\n")
            time.sleep(SECONDS_A_FRAME)
            until = time.monotonic() + PATIENCE
            while not self.asked and time.monotonic() < until:
                time.sleep(0.01)

        def capture_arrays(self, *given, **named):
            self.asked = True
            try:
                return super().capture_arrays(*given, **named)
            finally:
                self.asked = False

    module.Picamera2 = Virtual


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "picamera2":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            patched(module)

        spec.loader.exec_module = exec_module
        return spec


def hang(number, frame):
    print("hanging on purpose", flush=True)
    time.sleep(1e6)


if "serve" in getattr(sys, "orig_argv", []):
    sys.meta_path.insert(0, Finder())
    signal.signal(signal.SIGUSR1, hang)
