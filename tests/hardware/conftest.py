"""These tests run on a kernel that simulates the pins and the camera of a Pi (tests/system/test_simulated_kernel.py starts it)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

LINES = Path(os.environ.get("PISIM_GPIO", "/nowhere"))
DEADLINE = 10.0
"""s until something that must happen counts as lost: the simulated kernel may be slow, never that slow."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("PISIM"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs the simulated kernel: run tests/system/test_simulated_kernel.py"))


def lit(gpio: int) -> bool:
    """What the kernel sees on the line."""
    return (LINES / f"sim_gpio{gpio}" / "value").read_text().strip() == "1"


def pull(gpio: int, down: bool) -> None:
    """A finger on the button that pulls the line to ground, or off it."""
    (LINES / f"sim_gpio{gpio}" / "pull").write_text("pull-down" if down else "pull-up")


def until(true: Callable[[], bool]) -> bool:
    """Wait for it; False when it did not come."""
    end = time.monotonic() + DEADLINE
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
