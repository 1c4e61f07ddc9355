"""What is wrong with a picture, in words for whoever stands at the board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.geometry import BoardGeometry, Image
from calibration.quality import complaints

SIZE = (1280, 960)
LEVEL = BoardGeometry(np.array([[200, 150], [1080, 150], [1080, 850], [200, 850]]), np.array([[610, 150], [670, 150], [670, 850], [610, 850]]), SIZE)


def picture(value: int) -> Image:
    return np.full((SIZE[1], SIZE[0], 3), value, np.uint8)


def whats(image: Image, geometry: BoardGeometry = LEVEL) -> list[str]:
    return [c.what for c in complaints(image, geometry)]


def test_a_well_lit_board_seen_from_above_is_not_complained_of() -> None:
    assert whats(picture(120)) == []


def test_a_dark_room_is_said() -> None:
    assert whats(picture(20)) == ["dark"]


def test_glare_is_said_with_its_lanes() -> None:
    image = picture(120)
    cv2.circle(image, (235, 230), 70, (255, 255, 255), -1)
    found = complaints(image, LEVEL)
    assert [c.what for c in found] == ["glare"] and 0 in found[0].lanes and len(found[0].lanes) <= 3


def test_a_board_that_is_white_all_over_is_too_much_light_not_one_lamp() -> None:
    found = complaints(picture(255), LEVEL)
    assert found[0].what == "glare" and len(found[0].lanes) == 24 and "exposure" in found[0].sentence


@pytest.mark.parametrize(
    ("corners", "bar", "what"),
    [
        ([[500, 400], [700, 400], [700, 560], [500, 560]], [[593, 400], [607, 400], [607, 560], [593, 560]], "small"),
        ([[300, 500], [980, 500], [1200, 720], [80, 720]], [[615, 500], [665, 500], [690, 720], [590, 720]], "low"),
        ([[-30, 150], [1080, 150], [1080, 850], [-30, 850]], [[500, 150], [560, 150], [560, 850], [500, 850]], "edge"),
    ],
)
def test_how_the_camera_hangs(corners: list[list[float]], bar: list[list[float]], what: str) -> None:
    assert what in whats(picture(120), BoardGeometry(np.array(corners), np.array(bar), SIZE))


def test_every_complaint_says_what_to_do() -> None:
    for value in (20, 255):
        for complaint in complaints(picture(value), LEVEL):
            assert ":" in complaint.sentence and complaint.sentence.endswith(".")
