"""What a cube usually shows where it lies helps where the picture leaves doubt, and only there."""

from __future__ import annotations

import pytest

from vision import thresholds
from vision.scene import CUBE_FACES, CubePlace, CubeSeen
from vision.usual_cube import usual


def seen(where: CubePlace, **chances: float) -> CubeSeen:
    """A cube read as `f2=0.4`, ...; what is left is spread over the other faces."""
    given = {int(name[1:]): p for name, p in chances.items()}
    rest = (1 - sum(given.values())) / (len(CUBE_FACES) - len(given))
    return CubeSeen((0.0, 0.0), tuple(given.get(face, rest) for face in CUBE_FACES), where, 30.0)


@pytest.mark.parametrize(
    ("cube", "value"),
    [
        (seen("middle", f16=0.45, f64=0.4), 64),
        (seen("middle", f4=0.97), 4),
        (seen("right", f16=0.45, f64=0.4), 64),  # a tray halfway between the players: nobody's
        (seen("left", f16=0.45, f64=0.4), 64),
        (seen("top", f64=0.45, f2=0.4), 2),
        (seen("bottom", f64=0.97), 64),
        (seen("other", f32=0.4, f2=0.35), 2),
    ],
)
def test_place_and_look_together(cube: CubeSeen, value: int) -> None:
    found = usual(cube)
    assert found.value == value and sum(found.values) == pytest.approx(1)
    assert (found.xy, found.where, found.certainty) == (cube.xy, cube.where, cube.certainty)


def test_every_number_stays_possible_everywhere() -> None:
    for weights in (thresholds.CUBE_UNOWNED, thresholds.CUBE_OWNED):
        assert set(weights) == set(CUBE_FACES) and min(weights.values()) > 0 and sum(weights.values()) == pytest.approx(1)
