"""The board in a picture of any position: what looks like one by its marks must also read like one.

Where the corners are a little wrong, lanes are cut askew and the checker network is in doubt; where they are right it is nearly sure of
every lane. So each candidate of `calibration.locate` is read, and the two certainties are weighed together
(benchmarks/training/fit_finding.py). At a table the starting position does this work (`calibration.opening`).
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from calibration.geometry import BoardGeometry, Image
from calibration.locate import candidates
from vision import thresholds
from vision.checkers import CheckerNetwork, reading, split


def boards(image: Image, network: CheckerNetwork) -> list[tuple[float, BoardGeometry]]:
    """Boards that could be in the BGR picture (h, w, 3) uint8, each with the chance 0..1 that it is read well there, best first; px."""
    found = [(chance(sure, doubt(image, geometry, network)), geometry) for sure, geometry in candidates(image)]
    return sorted(found, key=lambda item: -item[0])


def doubt(image: Image, geometry: BoardGeometry, network: CheckerNetwork) -> float:
    """Nats by which the likeliest reading of the 24 lanes is not certain."""
    seen = network.see(image, geometry)
    return -float(np.log(reading(seen, split(seen).looks).lanes.max(axis=1)).sum())


def chance(sure: float, doubts: float) -> float:
    """Of reading well a board found with certainty `sure` and read with `doubts` (nats)."""
    constant, marks, read = thresholds.FOUND_WEIGHTS
    sure = min(max(sure, 1e-3), 1 - 1e-3)
    return 1 / (1 + exp(-(constant + marks * log(sure / (1 - sure)) + read * log(thresholds.LEAST_DOUBT + doubts))))
