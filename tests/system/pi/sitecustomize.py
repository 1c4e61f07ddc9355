"""Lies on the program's path in the simulated system only: makes libcamera's virtual camera, which plays the frames of a rendered game,
usable by picamera2, slows it to a real camera's pace, and can hang the program's main thread.

Two shims that the virtual camera needs: it has no raw stream, and its buffers come from libcamera's own allocator.
"""

import importlib.abc
import importlib.util
import pathlib
import signal
import sys
import threading
import time

WORDS = getattr(sys, "orig_argv", [])
SERVICE = "serve" in WORDS
SIZE = (1280, 960)
SECONDS_A_FRAME = 0.1
"""Between frames, at least: as a real camera is asked for."""
PATIENCE = 5.0
"""s: a frame is shown when the program asks for one, so that no moment of the game passes unseen however slow the machine is."""
SHOWN = "/run/gammonwatch/shown"
"""A line for each new picture of the game: when it was first shown, and its checksum."""


def patched(module):
    from picamera2.allocators import LibcameraAllocator
    from picamera2.request import MappedArray

    real = module.Picamera2

    class Virtual(real):
        last, given = None, 0.0

        def __init__(self, camera_num=0):
            self.asked = threading.Event()
            super().__init__(camera_num)
            self.allocator = LibcameraAllocator(self.camera)
            self.pre_callback = self.note

        def _get_raw_modes(self):
            return [{"format": "NV12", "size": SIZE}]

        @staticmethod
        def global_camera_info():
            return [row for row in real.global_camera_info() if "Virtual" in row["Id"]]

        def create_video_configuration(self, **named):
            if SERVICE and named.get("lores"):
                # It would be another full picture, made by the processor whose time is measured; real_picamera2.py tries it.
                raise RuntimeError("no second stream here")
            return super().create_video_configuration(**named)

        def note(self, request):
            with MappedArray(request, "main") as mapped:
                now = int(mapped.array[::40, ::40].astype(int).sum())
            if now != self.last and SERVICE:
                self.last = now
                with pathlib.Path(SHOWN).open("a") as out:
                    out.write(f"{time.time():.2f} {now}\n")

        def process_requests(self, display):
            """One frame for each that is asked for; those that libcamera has made meanwhile wait their turn."""
            with self._requestslock:
                waiting, self._requests = self._requests, []
            if waiting:
                time.sleep(max(0.0, self.given + SECONDS_A_FRAME - time.monotonic()))
                self.asked.wait(PATIENCE)
            for _ in range(20):
                if not self.asked.is_set() or self._job_list:
                    break
                time.sleep(0.001)
            with self._requestslock:
                later, self._requests = waiting[1:] + self._requests, waiting[:1]
            super().process_requests(display)
            self.given = time.monotonic()
            with self._requestslock:
                self._requests = later + self._requests
            if later:
                self._run_process_requests()

        def capture_arrays(self, *given, **named):
            self.asked.set()
            try:
                return super().capture_arrays(*given, **named)
            finally:
                self.asked.clear()

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


if SERVICE or "doctor" in WORDS:
    sys.meta_path.insert(0, Finder())
if SERVICE:
    signal.signal(signal.SIGUSR1, hang)
