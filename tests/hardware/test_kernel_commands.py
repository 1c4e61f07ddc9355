"""`gammonwatch panel test` and `doctor` on the kernel's own pins."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from conftest import lit, pull, until
from test_kernel_pins import FITTED

from controller.panel.settings import BUTTONS

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "200"}


def run(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "controller.cli", *words], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)


def test_panel_test_lights_every_lamp_and_hears_every_button() -> None:
    lamps, pressed = [], []
    with run("panel", "test") as process:
        assert process.stdout is not None
        for line in process.stdout:
            gpio = int(found.group(1)) if (found := re.search(r"GPIO(\d+)", line)) else -1
            if line.startswith("lamp"):
                assert until(lambda gpio=gpio: {n for n in FITTED.values() if lit(n)} == {gpio}), line
                lamps.append(gpio)
            elif line.startswith("the buzzer"):
                assert until(lambda gpio=gpio: lit(gpio))
            elif line.startswith("press"):
                pull(gpio, True)
                assert process.stdout.readline() == "  right\n"
                pull(gpio, False)
                pressed.append(gpio)
        last = line
    assert process.returncode == 0 and last.startswith("every button answered")
    assert sorted(lamps) == sorted(FITTED.values()) and pressed == [*BUTTONS.values()]
    assert not any(lit(n) for n in FITTED.values())


def test_doctor_finds_camera_and_pins() -> None:
    with run("doctor", os.environ.get("PISIM_CAMERA", "")) as process:
        told = process.communicate(timeout=120)[0]
    rows = dict(re.findall(r"│ (\w+) +│ (\w+) ", told))
    assert rows.keys() == {"camera", "light", "pins", "disk", "power", "temperature", "clock", "versions"}, told
    # Of 640 px it says that they are too few.
    assert rows["camera"] == "look" and rows["pins"] == "good" and "22 wires by gpiod" in told
