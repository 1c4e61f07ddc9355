"""Lane crops: each point of the board, and each half of the bar, cut out upright at one size.

A crop is one and a half lanes wide, so that a checker beside the middle is seen whole, and reaches from a little
outside its edge of the board (a near wall hides, and thickness shifts, what stands there) to beyond the middle.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import view
from calibration.geometry import LANES_A_HALF, BoardGeometry, Points, transform
from calibration.pictures import reduced

CROP_WIDTH, CROP_HEIGHT = 48, 288
"""px: 32 px a lane width; the height is in the same scale for a board of the usual shape (11.2 lane widths high)."""
X_SPAN = (-0.75, 0.75)
"""Lane widths across."""
Y_SPAN = (-0.07, 0.74)
"""Of the board's height, from its edge: eight checkers in a row reach to 0.71."""
FINEST_LANE_PX = 72.0
"""A picture with wider lanes is reduced first: warping to 32 px a lane from more than this aliases. The usual 1280 px wide frame is not."""
CROPS = 26
"""24 lanes in the order of `LANES`, then the bar's top half and its bottom half."""

Image = NDArray[np.uint8]


def crop_to_lane() -> Points:
    """Homography (3, 3): crop px -> lane coordinates (x across, y from the edge), the same for every crop."""
    sx, sy = (X_SPAN[1] - X_SPAN[0]) / CROP_WIDTH, (Y_SPAN[1] - Y_SPAN[0]) / CROP_HEIGHT
    return np.array([[sx, 0, X_SPAN[0] + sx / 2], [0, -sy, Y_SPAN[1] - sy / 2], [0, 0, 1]], np.float64)


def bar_homography(geometry: BoardGeometry, half: int) -> Points:
    """Homography (3, 3): lane coordinates of one half of the bar (0 top, 1 bottom) -> image px.

    The frame is a lane's turned about: y = 0 lies just past the middle of the bar and grows towards the edge, so that
    checkers placed beside the middle stand where a lane's first checkers do.
    """
    centre = LANES_A_HALF + geometry.bar_width / 2
    if half == 0:
        local = np.array([[1, 0, centre], [0, -1, 0.5], [0, 0, 1]], np.float64)
    else:
        local = np.array([[-1, 0, centre], [0, 1, 0.5], [0, 0, 1]], np.float64)
    return np.asarray(geometry.surface_to_image @ local, np.float64)


def crop_homographies(geometry: BoardGeometry) -> Points:
    """Homographies (26, 3, 3): crop px -> image px."""
    lanes = [geometry.lane_homography(lane) for lane in range(24)] + [bar_homography(geometry, half) for half in (0, 1)]
    return np.asarray(lanes @ crop_to_lane(), np.float64)


LEAN_AT = ((0.0, 0.12), (0.0, 0.4))
"""Lane coordinates of the places where the lean is measured: near the edge, and where a stack of five ends."""
LEANS = 2 * len(LEAN_AT)


def lean(geometry: BoardGeometry, homographies: Points) -> NDArray[np.float32]:
    """How far the top of a thing one lane width tall is seen from its foot, in lane widths of the crop: float32 (n, 4).

    x and y at each place of `LEAN_AT`, for each homography (crop px -> image px of `geometry`). It is what tells a
    checker that lies on another from one beside it.
    """
    seen = view(geometry)
    feet = transform(np.linalg.inv(crop_to_lane()), LEAN_AT)
    rectify = np.linalg.inv(seen.plane)
    out = np.empty((len(homographies), LEANS), np.float32)
    for row, homography in zip(out, homographies, strict=True):
        foot = transform(rectify, transform(homography, feet))
        raised = np.c_[foot, np.ones(len(foot))] @ seen.plane.T + seen.up
        top = transform(np.linalg.inv(homography), raised[:, :2] / raised[:, 2:])
        row[:] = ((top - feet) * (X_SPAN[1] - X_SPAN[0]) / CROP_WIDTH).ravel()
    return np.clip(out, -3.0, 3.0)


def prepare(image: Image, geometry: BoardGeometry) -> tuple[Image, BoardGeometry]:
    """The picture that lanes are cut from, at most `FINEST_LANE_PX` px a lane."""
    return reduced(image, geometry, FINEST_LANE_PX)


def cut(image: Image, homographies: Points, out: Image | None = None) -> Image:
    """Crops (n, CROP_HEIGHT, CROP_WIDTH, 3) uint8 of a BGR picture, one for each homography (crop px -> image px)."""
    crops = np.empty((len(homographies), CROP_HEIGHT, CROP_WIDTH, 3), np.uint8) if out is None else out
    for crop, homography in zip(crops, homographies, strict=True):
        cv2.warpPerspective(
            image,
            homography,
            (CROP_WIDTH, CROP_HEIGHT),
            dst=crop,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return crops


def halved(crops: Image) -> Image:
    """Crops at half their size, as the glance takes them: uint8 (n, h / 2, w / 2, 3)."""
    n, height, width, _ = crops.shape
    small = cv2.resize(crops.reshape(n * height, width, 3), (width // 2, n * height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(small.reshape(n, height // 2, width // 2, 3), np.uint8)
