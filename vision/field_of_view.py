"""How high a camera must hang to see a board, and how many pixels a die then has. Pure arithmetic for docs/build-it.md.

>>> round(CAMERAS["Camera Module 2"].height(60, 50), 1)
55.1
"""

from __future__ import annotations

import math
from dataclasses import dataclass

DIE_CM = 1.4
"""The smallest die that is common."""
DIE_PX = 24
"""A die must span so many pixels to be read."""
BOARD = (60.0, 50.0)
"""cm: the largest tournament boards, with their frame."""
HANDS_CM = 12.0
"""What should be seen beyond each player's edge, so that a hand is seen coming."""


@dataclass(frozen=True, slots=True)
class Camera:
    """size: px of its largest picture at 5 a second or more; angle: its field of view across and along, degrees."""

    size: tuple[int, int]
    angle: tuple[float, float]

    def height(self, width: float, depth: float) -> float:
        """cm above the board at which `width` x `depth` cm just fill the picture, looking straight down."""
        return max(side / 2 / math.tan(math.radians(angle) / 2) for side, angle in zip((width, depth), self.angle, strict=True))

    def die_px(self, height: float) -> float:
        """px of a die at `height` cm, the worse of the two directions."""
        return min(
            DIE_CM * pixels / (2 * height * math.tan(math.radians(angle) / 2)) for pixels, angle in zip(self.size, self.angle, strict=True)
        )


def by_lens(sensor_mm: tuple[float, float], focal_mm: float) -> tuple[float, float]:
    """Field of view in degrees of a sensor behind a lens."""
    across, along = (2 * math.degrees(math.atan(side / 2 / focal_mm)) for side in sensor_mm)
    return across, along


CAMERAS: dict[str, Camera] = {
    "Camera Module 2": Camera((3280, 2464), (62.2, 48.8)),
    "Camera Module 3": Camera((4608, 2592), (66.0, 41.0)),
    "Camera Module 3 Wide": Camera((4608, 2592), (102.0, 67.0)),
    "HQ Camera, 6 mm lens": Camera((4056, 3040), by_lens((6.287, 4.712), 6.0)),
}
"""Makers' figures; that of the HQ Camera from its sensor's size."""


def table() -> list[str]:
    """Lines of a Markdown table: for each camera the height and the die for the bare board, and with the players' edges."""
    width, depth = BOARD
    lines = [
        f"| camera | picture | sees | height for {width:g} x {depth:g} cm | die of {DIE_CM * 10:g} mm | "
        f"height with {HANDS_CM:g} cm at both players | die |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, camera in CAMERAS.items():
        bare, with_hands = camera.height(width, depth), camera.height(width, depth + 2 * HANDS_CM)
        lines.append(
            f"| {name} | {camera.size[0]} x {camera.size[1]} | {camera.angle[0]:.0f}° x {camera.angle[1]:.0f}° | {bare:.0f} cm | "
            f"{camera.die_px(bare):.0f} px | {with_hands:.0f} cm | {camera.die_px(with_hands):.0f} px |"
        )
    return lines
