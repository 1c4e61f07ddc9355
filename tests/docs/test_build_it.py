"""docs/build-it.md says what the program says: its tables are made from the same settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.panel.header import bill
from controller.panel.lamps import MEANINGS
from controller.panel.settings import WIRING
from vision import field_of_view as fov

GUIDE = (Path(__file__).parents[2] / "docs" / "build-it.md").read_text(encoding="utf-8")


def test_the_bill_of_pins_is_the_default_wiring() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (.+?) \| ☐ \|$", GUIDE, re.MULTILINE)
    assert [(int(p), int(g), w) for p, g, w in rows] == [(r.pin, r.gpio, r.what.replace("_", " ")) for r in bill(WIRING)]


def test_the_table_of_cameras_is_worked_out() -> None:
    assert "\n".join(fov.table()) in GUIDE


def test_the_attention_lamp_is_explained_as_it_blinks() -> None:
    for meaning in MEANINGS.values():
        assert f"- {meaning}\n" in GUIDE


@pytest.mark.parametrize("name", fov.CAMERAS)
def test_every_camera_reads_dice_from_the_height_that_is_advised(name: str) -> None:
    camera = fov.CAMERAS[name]
    height = camera.height(fov.BOARD[0], fov.BOARD[1] + 2 * fov.HANDS_CM)
    assert camera.die_px(height) >= fov.DIE_PX
    # At that height the board fills one direction exactly: a die's share of the picture is its share of the field.
    across = fov.DIE_CM / fov.BOARD[0] * camera.size[0]
    along = fov.DIE_CM / (fov.BOARD[1] + 2 * fov.HANDS_CM) * camera.size[1]
    assert camera.die_px(height) == pytest.approx(min(across, along), rel=0.08)  # lenses that bend lines have angles that do not quite fit together
