"""Where the playing surface lies in the picture: a homography for each half-board and the bar between them.

Board coordinates: `x` in lane widths (0 at the left edge of the left half, 6 at the bar, then `6 + bar_width` to
`12 + bar_width` for the right half), `y` from 0 (top edge) to 1 (bottom edge). Image coordinates: px, the centre of the
first pixel is (0, 0), as OpenCV has it. The two halves need not lie in one plane (a hinged box), hence two homographies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
Image = NDArray[np.uint8]

LANES_A_HALF = 6


class GeometryError(ValueError):
    """The given corners or bar cannot be those of a board; the message says which and why."""


def _quad(points: ArrayLike, what: str) -> Points:
    quad = np.asarray(points, np.float64)
    if quad.shape != (4, 2) or not np.isfinite(quad).all():
        raise GeometryError(f"{what} must be four [x, y] image points")
    return quad


@dataclass(frozen=True, eq=False)
class BoardGeometry:
    """Corners of the playing surface and of the bar in one picture.

    corners: image px (4, 2): top-left, top-right, bottom-right, bottom-left of the rectified board (its bar vertical).
    bar: image px (4, 2): where the bar's edges meet the top and bottom edge: top-left, top-right, bottom-right, bottom-left.
    size: (width, height) px of the picture they were measured in.

    Raises GeometryError when the quadrilaterals are degenerate, folded or mirrored.
    """

    corners: Points
    bar: Points
    size: tuple[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", _quad(self.corners, "corners"))
        object.__setattr__(self, "bar", _quad(self.bar, "bar"))
        if not cv2.isContourConvex(self.corners.astype(np.float32).reshape(-1, 1, 2)):
            raise GeometryError("the four corners do not form a convex quadrilateral in the order top-left, top-right, bottom-right, bottom-left")
        area = cv2.contourArea(self.corners.astype(np.float32), oriented=True)
        if area <= 0:
            raise GeometryError("the corners run anticlockwise: give them clockwise (top-left, top-right, bottom-right, bottom-left)")
        if area < 0.01 * self.size[0] * self.size[1]:
            raise GeometryError("the corners enclose less than 1 % of the picture: too small to be read")
        for half in (self._half_quad("left"), self._half_quad("right")):
            if not cv2.isContourConvex(half.astype(np.float32).reshape(-1, 1, 2)):
                raise GeometryError("the bar does not lie between the left and the right edge of the board")

    @staticmethod
    def from_label(row: dict[str, object], size: tuple[int, int] | None = None) -> BoardGeometry:
        """From a row in the schema of labels.md (`corners`, `bar`, `size`). Raises GeometryError naming what is missing."""
        for key in ("corners", "bar"):
            if key not in row:
                raise GeometryError(f"the geometry has no '{key}'")
        given = row.get("size") or size
        if not isinstance(given, Sequence) or len(given) != 2:
            raise GeometryError("the geometry has no 'size' ([width, height] px)")
        return BoardGeometry(row["corners"], row["bar"], (int(given[0]), int(given[1])))  # type: ignore[arg-type]

    def scaled(self, size: tuple[int, int]) -> BoardGeometry:
        """The same board in the same view at another picture size of equal shape."""
        factor = np.array([size[0] / self.size[0], size[1] / self.size[1]])
        return BoardGeometry(self.corners * factor, self.bar * factor, size)

    def turned(self) -> BoardGeometry:
        """The board seen from the other side: rectified with top and bottom, left and right exchanged."""
        return BoardGeometry(np.roll(self.corners, 2, axis=0), np.roll(self.bar, 2, axis=0), self.size)

    def _half_quad(self, half: str) -> Points:
        c, b = self.corners, self.bar
        return np.array([c[0], b[0], b[3], c[3]] if half == "left" else [b[1], c[1], c[2], b[2]])

    @cached_property
    def bar_width(self) -> float:
        """Width of the bar in lane widths (0 for a board without a bar)."""
        c, b = self.corners, self.bar
        halves = sum(float(np.linalg.norm(p - q)) for p, q in ((c[0], b[0]), (b[1], c[1]), (c[3], b[3]), (b[2], c[2])))
        bars = sum(float(np.linalg.norm(p - q)) for p, q in ((b[0], b[1]), (b[3], b[2])))
        return 12 * bars / halves

    @cached_property
    def left_to_image(self) -> Points:
        """Homography (3, 3): x in 0..6, y in 0..1 of the left half -> image px."""
        return self._homography("left")

    @cached_property
    def right_to_image(self) -> Points:
        """Homography (3, 3): x in 0..6 from the bar's right edge, y in 0..1 of the right half -> image px."""
        return self._homography("right")

    def _homography(self, half: str) -> Points:
        unit = np.array([[0, 0], [LANES_A_HALF, 0], [LANES_A_HALF, 1], [0, 1]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(unit, self._half_quad(half).astype(np.float32)), np.float64)

    def lane_homography(self, lane: int) -> Points:
        """Homography (3, 3) of one lane (index as in `vision.scene.LANES`) -> image px.

        Lane coordinates: x from -0.5 to 0.5 across the lane, y from 0 at its edge of the board to 1 at the far edge;
        the turn by 180 degrees that brings top lanes into this frame keeps left-handed pictures from becoming mirrored.
        """
        row, column = divmod(lane, 12)
        to_image = self.left_to_image if column < LANES_A_HALF else self.right_to_image
        centre = column % LANES_A_HALF + 0.5
        if row == 0:
            local = np.array([[-1, 0, centre], [0, 1, 0], [0, 0, 1]], np.float64)
        else:
            local = np.array([[1, 0, centre], [0, -1, 1], [0, 0, 1]], np.float64)
        return np.asarray(to_image @ local, np.float64)

    @cached_property
    def surface_to_image(self) -> Points:
        """Homography (3, 3) of the whole surface: x in 0..12+bar_width, y in 0..1 -> image px (one plane assumed)."""
        w = 2 * LANES_A_HALF + self.bar_width
        unit = np.array([[0, 0], [w, 0], [w, 1], [0, 1]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(unit, self.corners.astype(np.float32)), np.float64)

    @cached_property
    def image_to_surface(self) -> Points:
        return np.asarray(np.linalg.inv(self.surface_to_image), np.float64)

    def to_board(self, xy: ArrayLike) -> Points:
        """Image px (n, 2) -> board coordinates (n, 2)."""
        return transform(self.image_to_surface, xy)

    def to_image(self, xy: ArrayLike) -> Points:
        """Board coordinates (n, 2) -> image px (n, 2)."""
        return transform(self.surface_to_image, xy)

    @cached_property
    def lane_px(self) -> float:
        """Mean width of a lane in the picture, px."""
        c = self.corners
        return float(np.linalg.norm(c[1] - c[0]) + np.linalg.norm(c[2] - c[3])) / 2 / (2 * LANES_A_HALF + self.bar_width)

    def half_of(self, xy: ArrayLike) -> str:
        """`left`, `right`, `bar` or `off` (outside the surface) for one image point."""
        x, y = self.to_board(np.asarray(xy, np.float64).reshape(1, 2))[0]
        if not (0 <= y <= 1 and 0 <= x <= 2 * LANES_A_HALF + self.bar_width):
            return "off"
        if x < LANES_A_HALF:
            return "left"
        return "right" if x > LANES_A_HALF + self.bar_width else "bar"


def transform(homography: NDArray[np.floating], xy: ArrayLike) -> Points:
    """Apply a homography (3, 3) to points (n, 2)."""
    points = np.asarray(xy, np.float64).reshape(-1, 2)
    out = np.c_[points, np.ones(len(points))] @ homography.T
    return np.asarray(out[:, :2] / out[:, 2:], np.float64)
