"""A number is said only when it is more likely right than wrong: None is the answer else, of dice and of the cube."""

import pytest

from vision.scene import CubeSeen, DieSeen, readable


@pytest.mark.parametrize(("sure", "said"), [(0.9, True), (0.51, True), (0.49, False), (0.2, False)])
def test_a_doubtful_number_is_not_said(sure: float, said: bool) -> None:
    values = (*([(1 - sure) / 5] * 5), sure)
    assert readable(DieSeen((0, 0), values, (1.0, 0, 0, 0), "left", 20.0)) == (6 if said else None)
    assert readable(CubeSeen((0, 0), values, "middle", 20.0)) == (64 if said else None)
