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
from vision.checkers import CheckerNetwork, without_profile
from vision.dice import log_odds
from vision.scene import BoardReading


def boards(image: Image, network: CheckerNetwork) -> list[tuple[float, BoardGeometry]]:
    """Boards that could be in the BGR picture (h, w, 3) uint8, each with the chance 0..1 that it is read well there, best first; px."""
    found = [(chance(sure, doubts(without_profile(network.see(image, geometry)))), geometry) for sure, geometry in candidates(image)]
    return sorted(found, key=lambda item: -item[0])


def doubts(read: BoardReading) -> float:
    """Nats by which the likeliest counts of the 24 lanes are not certain."""
    return -float(np.log(read.lanes.max(axis=1)).sum())


def signs(sure: float, doubted: float) -> tuple[float, float, float]:
    """What `FOUND_WEIGHTS` weigh: 1, the log odds of the marks, the logarithm of the doubts."""
    return 1.0, log_odds(sure), log(thresholds.LEAST_DOUBT + doubted)


def chance(sure: float, doubted: float) -> float:
    """Of reading well a board found with certainty `sure` and read with `doubted` (nats)."""
    return 1 / (1 + exp(-sum(w * s for w, s in zip(thresholds.FOUND_WEIGHTS, signs(sure, doubted), strict=True))))
