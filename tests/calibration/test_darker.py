"""Which side is the darker one is told by how bright its colour looks, not by one channel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.geometry import BoardGeometry
from calibration.profile import Profile

CORNERS = np.array([[0, 0], [100, 0], [100, 80], [0, 80]], np.float64)
BAR = np.array([[45, 0], [55, 0], [55, 80], [45, 80]], np.float64)


@pytest.mark.parametrize(("a", "b", "darker"), [("#202020", "#e0d8c8", "A"), ("#e0d8c8", "#202020", "B"), ("#0000ff", "#00a000", "A"), ("#ffff00", "#ff0000", "B")])
def test_darker(a: str, b: str, darker: str) -> None:
    profile = Profile(BoardGeometry(CORNERS, BAR, (120, 100)), np.zeros((2, 8), np.float32), "right", "checkers-3", (0,) * 24)
    assert replace(profile, colours=(a, b)).darker == darker
