"""Where the top of a thing appears: against a camera whose pose is known."""

import numpy as np
import pytest

from calibration.camera import view
from calibration.geometry import BoardGeometry
from vision import lanes

SIZE = (1280, 960)
BAR = 0.8
WIDTH = 12 + BAR
HEIGHT = 10.5


def projection(tilt: float, turn: float, far: float) -> np.ndarray:
    """Camera matrix (3, 4) of a view of the board's middle; x right, y down the board, z up, in lane widths."""
    centre = np.array([WIDTH / 2, HEIGHT / 2, 0.0])
    eye = centre + far * np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    forward = (centre - eye) / far
    down = np.array([0, 1.0, 0]) - forward * forward[1]
    down /= np.linalg.norm(down)
    rotation = np.stack([np.cross(forward, down), down, forward])
    intrinsic = np.array([[1100.0, 0, 639.5], [0, 1100.0, 479.5], [0, 0, 1]])
    return intrinsic @ np.c_[rotation, -rotation @ eye]


def seen(matrix: np.ndarray, points: list[tuple[float, float, float]]) -> np.ndarray:
    q = np.c_[np.array(points), np.ones(len(points))] @ matrix.T
    return q[:, :2] / q[:, 2:]


@pytest.mark.parametrize(("tilt", "turn", "far"), [(0.5, 1.6, 22.0), (0.35, 0.7, 20.0), (0.6, -2.0, 24.0)])
def test_lean_is_where_a_true_camera_sees_the_top(tilt: float, turn: float, far: float) -> None:
    matrix = projection(tilt, turn, far)
    corners = seen(matrix, [(0, 0, 0), (WIDTH, 0, 0), (WIDTH, HEIGHT, 0), (0, HEIGHT, 0)])
    bar = seen(matrix, [(6, 0, 0), (6 + BAR, 0, 0), (6 + BAR, HEIGHT, 0), (6, HEIGHT, 0)])
    geometry = BoardGeometry(corners, bar, SIZE)
    homographies = lanes.crop_homographies(geometry)
    got = lanes.lean(geometry, homographies)
    for lane, x, y in ((0, 0.5, 0.12), (11, 11.5 + BAR, 0.12), (12, 0.5, 0.88), (18, 6.5 + BAR, 0.88)):
        foot, top = seen(matrix, [(x, y * HEIGHT, 0), (x, y * HEIGHT, 1)])
        to_crop = np.linalg.inv(homographies[lane])
        a, b = ((to_crop @ [*p, 1])[:2] / (to_crop @ [*p, 1])[2] for p in (foot, top))
        want = (b - a) * (lanes.X_SPAN[1] - lanes.X_SPAN[0]) / lanes.CROP_WIDTH
        assert got[lane, :2] == pytest.approx(want, abs=0.1)


def test_from_straight_above_tops_lean_outwards_and_alike() -> None:
    """The guessed focal length scales the lean of such a view, so only its direction is certain."""
    matrix = projection(1e-6, 0.0, 20.0)
    corners = seen(matrix, [(0, 0, 0), (WIDTH, 0, 0), (WIDTH, HEIGHT, 0), (0, HEIGHT, 0)])
    bar = seen(matrix, [(6, 0, 0), (6 + BAR, 0, 0), (6 + BAR, HEIGHT, 0), (6, HEIGHT, 0)])
    geometry = BoardGeometry(corners, bar, SIZE)
    got = lanes.lean(geometry, lanes.crop_homographies(geometry))
    assert (got[:24, 1] > 0.1).all()  # crops are upright: down is towards the edge
    assert got[0, 0] == pytest.approx(-got[11, 0], abs=1e-3)
    assert view(geometry).footprint((WIDTH / 2, HEIGHT / 2), 1.0) == pytest.approx((WIDTH / 2, HEIGHT / 2), abs=1e-3)
