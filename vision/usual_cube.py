"""What a cube usually shows where it lies: weighed in where nothing is known from before, as `vision.whole_set` does for checkers.

A game begins with the cube on the bar or beside the middle of the board, 64 up (clauses B2, C1); from then on it lies on its owner's side
and shows what it was turned to, 2 far oftener than 16. The referee is given readings without this: it knows what the cube showed before, and
must see what it shows now.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision import thresholds
from vision.scene import CUBE_FACES, CubePlace, CubeSeen

UNOWNED: frozenset[CubePlace] = frozenset({"middle", "left", "right"})
"""Where a cube lies that nobody owns: on the bar, or in a tray or on the rail halfway between the players."""


def usual(cube: CubeSeen) -> CubeSeen:
    """The same cube with its number weighed by how often each is shown at its place."""
    weights = thresholds.CUBE_UNOWNED if cube.where in UNOWNED else thresholds.CUBE_OWNED
    found = np.array(cube.values) * [weights[face] for face in CUBE_FACES]
    return replace(cube, values=tuple(float(p) for p in found / found.sum()))
