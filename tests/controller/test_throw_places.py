"""When two looks show one die, and when the place is the same but the throw is another."""

import pytest

from controller.throw import Lying
from vision.scene import DieSeen


def die(value: int, xy: tuple[float, float], sure: float = 0.95) -> Lying:
    values = tuple(sure if n == value else (1 - sure) / 5 for n in range(1, 7))
    return Lying.of(DieSeen(xy, values, (0.97, 0.01, 0.01, 0.01), "left", 20.0))


@pytest.mark.parametrize(
    ("apart", "numbers", "sure", "same"),
    [
        (0.0, (3, 3), 0.95, True),
        (0.6, (3, 3), 0.95, True),  # nudged
        (0.6, (3, 5), 0.95, False),  # the next throw came to lie where this one lay
        (0.1, (3, 5), 0.95, True),  # one look misread it
        (0.6, (3, 5), 0.45, True),  # neither number is sure
        (0.9, (3, 3), 0.95, False),
    ],
)
def test_the_same_die_or_another_throw(apart: float, numbers: tuple[int, int], sure: float, same: bool) -> None:
    first, second = die(numbers[0], (100.0, 100.0), sure), die(numbers[1], (100.0 + 20 * apart, 100.0), sure)
    assert first.same(second) is same
    assert second.same(first) is same
