"""Starts the tests of tests/hardware on a kernel that simulates the pins and the camera of a Pi, where the kit for it lies."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KIT = Path(os.environ.get("GAMMONWATCH_SHARED", ROOT.parent / "shared")) / "pi"
LIMIT = 900
"""s; it takes 45 on a quiet machine."""


@pytest.mark.skipif(not (KIT / "run-on-host").exists(), reason=f"the simulated kernel is not there ({KIT})")
@pytest.mark.skipif(importlib.util.find_spec("gpiod") is None, reason="gpiod is not installed (make test installs it)")
@pytest.mark.skipif(bool(os.environ.get("PISIM")), reason="this is the simulated kernel")
def test_pins_and_camera_under_a_real_kernel(tmp_path_factory: pytest.TempPathFactory) -> None:
    environment = {**os.environ, "PISIM_CACHE": os.environ.get("PISIM_CACHE") or str(tmp_path_factory.mktemp("pisim"))}
    words = [str(ROOT / "tests" / "system" / "simulator"), "run-on-host", "--timeout", str(LIMIT), "--"]
    words += [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", str(ROOT / "tests" / "hardware")]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT + 60)
    told = done.stdout + done.stderr[-3000:]
    if done.returncode == 125:
        pytest.skip(f"the simulator does not run on this machine: {' '.join(done.stderr.split())[-200:]}")
    assert done.returncode == 0, told
    assert "[100%]" in told and not re.search("skipped|SKIPPED", told), told
