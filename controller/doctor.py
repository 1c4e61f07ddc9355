"""`gammonwatch doctor`: is everything there that a watch needs? Each check is a reading and a judgement; the judgements are pure."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import cv2

from vision.frames import CameraBusy, Frame, FrameError, FrameSource, Image, open_source

Verdict = Literal["good", "look", "bad"]
PACKAGES = ("gammonwatch", "opencv-python-headless", "numpy", "gpiozero", "gpiod", "picamera2")
OPTIONAL = ("gammonwatch", "gpiod", "picamera2")
"""The program runs from a checkout too; only a Pi has the others."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the table. `look`: it works, but somebody should look at it."""

    what: str
    verdict: Verdict
    says: str


def worst(findings: Iterable[Finding]) -> Verdict:
    """The verdict on all of them."""
    order: tuple[Verdict, ...] = ("good", "look", "bad")
    return max((finding.verdict for finding in findings), key=order.index, default="good")


# Judgements


DARK, BRIGHT = 40.0, 215.0
"""Mean grey of a picture, 0 to 255, outside of which dice are not read."""
BURNT = 0.05
"""Share of pixels at full white above which a lamp is mirrored in the board."""


def judge_light(image: Image) -> Finding:
    """By a picture of the board, BGR."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    mean, burnt = float(grey.mean()), float((grey >= 253).mean())
    if mean < DARK:
        return Finding("light", "bad", f"too dark (mean grey {mean:.0f} of 255): more light, or is the lens covered?")
    if mean > BRIGHT:
        return Finding("light", "bad", f"too bright (mean grey {mean:.0f} of 255)")
    if burnt > BURNT:
        return Finding("light", "look", f"{burnt:.0%} of the picture is plain white: a lamp or window is mirrored; move it to the side")
    return Finding("light", "good", f"mean grey {mean:.0f} of 255")


def judge_disk(free: int) -> Finding:
    """free: bytes."""
    giga = free / 1e9
    says = f"{giga:.1f} GB free"
    return Finding("disk", "bad" if giga < 0.5 else "look" if giga < 2 else "good", says + (": make room" if giga < 2 else ""))


def judge_power(flags: int) -> Finding:
    """flags: what the firmware reports as `throttled`. Bit 0: too little voltage now, 16: since start; 2 and 18: slowed down."""
    if flags & 0x1:
        return Finding("power", "bad", "under-voltage now: use the power supply made for this Pi, and a short cable")
    if flags & 0x4:
        return Finding("power", "bad", "the processor is slowed down now")
    if flags & 0x10000:
        return Finding("power", "look", "there was under-voltage since the start: a weak supply or cable")
    if flags & 0x40000:
        return Finding("power", "look", "the processor was slowed down since the start")
    return Finding("power", "good", "no under-voltage")


def judge_temperature(celsius: float) -> Finding:
    says = f"{celsius:.0f} °C"
    if celsius >= 80:
        return Finding("temperature", "bad", f"{says}: it slows down; give it a fan or air")
    return Finding("temperature", "look" if celsius >= 70 else "good", says + (": warm" if celsius >= 70 else ""))


def judge_clock(now: datetime, synchronised: bool | None) -> Finding:
    """synchronised: None when nothing tells."""
    if now.year < 2026:
        return Finding("clock", "bad", f"it is surely not {now:%Y-%m-%d}: connect to a network once, or set the clock")
    if synchronised is False:
        return Finding("clock", "look", f"{now:%Y-%m-%d %H:%M} UTC, not yet set by the network: records may carry a wrong date")
    return Finding("clock", "good", f"{now:%Y-%m-%d %H:%M} UTC" + (", set by the network" if synchronised else ""))


# Readings


def check_camera(text: str, opens: Callable[[str], FrameSource] = open_source) -> tuple[Finding, Image | None]:
    """One picture from the source, with the picture for the light to be judged by."""
    try:
        with opens(text) as source:
            frame: Frame | None = next(iter(source), None)
    except CameraBusy as error:
        return Finding("camera", "look", f"{error}; if that is the service, stop it to see more: sudo systemctl stop gammonwatch"), None
    except FrameError as error:
        return Finding("camera", "bad", str(error)), None
    if frame is None:
        return Finding("camera", "bad", f"{text} sent no picture"), None
    height, width = frame.image.shape[:2]
    says = f"{text}: {width}x{height} px"
    if width < 1280:
        return Finding("camera", "look", f"{says}: dice are too small to be read; 2000 px or more are better"), frame.image
    return Finding("camera", "good", says), frame.image


def check_disk(folder: Path) -> Finding:
    try:
        return judge_disk(shutil.disk_usage(folder).free)
    except OSError as error:
        return Finding("disk", "bad", f"{folder}: {error.strerror or error}")


THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")


def check_power(file: Path = THROTTLED) -> Finding:
    try:
        text = file.read_text(encoding="ascii") if file.exists() else _vcgencmd()
        return judge_power(int(text.strip().rpartition("=")[2], 16))
    except (OSError, ValueError, subprocess.SubprocessError):
        return Finding("power", "good", "this computer does not report under-voltage")


def _vcgencmd() -> str:
    return subprocess.run(["vcgencmd", "get_throttled"], capture_output=True, text=True, check=True, timeout=5).stdout


def check_temperature(file: Path = Path("/sys/class/thermal/thermal_zone0/temp")) -> Finding:
    try:
        return judge_temperature(int(file.read_text(encoding="ascii")) / 1000)
    except (OSError, ValueError):
        return Finding("temperature", "good", "this computer does not report it")


def check_clock(run: Path = Path("/run/systemd/timesync")) -> Finding:
    return judge_clock(datetime.now(UTC), (run / "synchronized").exists() if run.exists() else None)


def check_versions() -> Finding:
    found = [f"Python {platform.python_version()}"]
    missing = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            if package not in OPTIONAL:
                missing.append(package)
    if missing:
        return Finding("versions", "bad", f"not installed: {', '.join(missing)}")
    return Finding("versions", "good", ", ".join(found))
