"""Where the picture was taken from, as far as four corners tell: what a thing that stands above the surface hides.

Rectified coordinates: lane widths in both directions (x as in `calibration.geometry`, y times `View.height`), z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calibration import thresholds
from calibration.geometry import BoardGeometry, Points


@dataclass(frozen=True, slots=True)
class View:
    """Where the picture was taken from, guessed from the corners alone (square px, optical axis through the middle).

    plane: homography (3, 3): rectified coordinates -> image px. height: of the surface, lane widths.
    up: image homography column (3,) of one lane width of height: image of (x, y, z) is plane @ (x, y, 1) + z * up.
    """

    plane: Points
    up: Points
    height: float

    def top(self, xy: tuple[float, float], height: float) -> tuple[float, float]:
        """Rectified coordinates at which the top of an upright thing is seen whose foot is at `xy`, `height` lane widths below it."""
        seen = np.linalg.solve(self.plane, self.plane @ np.array([xy[0], xy[1], 1.0]) + height * self.up)
        return float(seen[0] / seen[2]), float(seen[1] / seen[2])

    def footprint(self, xy: tuple[float, float], height: float) -> tuple[float, float]:
        """Rectified coordinates below a point seen at rectified `xy`, if it lies `height` lane widths above the surface."""
        point = np.asarray(self.plane @ np.array([xy[0], xy[1], 1.0]), np.float64)
        x, y = point[:2] / point[2]
        raised = self.plane.copy()
        raised[:, 2] += height * self.up
        foot = np.linalg.solve(raised, np.array([x, y, 1.0]))
        return float(foot[0] / foot[2]), float(foot[1] / foot[2])


@lru_cache(maxsize=8)
def view(geometry: BoardGeometry) -> View:
    """See `View`. Focal length and height are the likeliest that make the board's sides square to each other.

    From straight above the height is seen and the focal length is not; from the side a wrong one makes up for the other, and what is
    usual decides. (Closed forms exist, Zhang 2000, but know no usual and fail where one vanishing point is far.)
    """
    width, height = geometry.size
    shift = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]], np.float64)
    h = shift @ geometry.surface_to_image
    longest = float(max(width, height))
    focal = longest * np.exp(np.linspace(np.log(0.4), np.log(3.0), 120))
    a = np.stack([h[0, 0] / focal, h[1, 0] / focal, np.full_like(focal, h[2, 0])])
    b = np.stack([h[0, 1] / focal, h[1, 1] / focal, np.full_like(focal, h[2, 1])])
    long_a, long_b = np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0)
    square = (a * b).sum(axis=0) / (long_a * long_b)
    tall = long_b / long_a
    cost = (square / thresholds.SQUARE_SPREAD) ** 2
    cost += (np.log(tall / thresholds.USUAL_HEIGHT) / thresholds.HEIGHT_SPREAD) ** 2
    cost += (np.log(focal / longest / thresholds.USUAL_FOCAL) / thresholds.FOCAL_SPREAD) ** 2
    best = int(cost.argmin())
    surface = float(tall[best])
    normal = np.cross(a[:, best] / long_a[best], b[:, best] / long_b[best])
    normal *= -long_a[best] if normal[2] > 0 else long_a[best]  # towards the camera, which looks along +z
    up = np.linalg.inv(shift) @ np.diag([focal[best], focal[best], 1.0]) @ normal
    plane = geometry.surface_to_image @ np.diag([1.0, 1.0 / surface, 1.0])
    return View(np.asarray(plane, np.float64), np.asarray(up, np.float64), surface)
