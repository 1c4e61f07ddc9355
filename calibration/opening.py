"""What the opening teaches: where thirty known checkers stand, we learn which way the board lies and how each side looks.

Nothing here looks at pixels: it is given what the checker network saw in each lane (`Seen`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry
from calibration.profile import Home, Profile

OPENING: tuple[int, ...] = (-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2)
"""Signed counts of points 1 to 24 in A's numbering, + A, - B (clause B2)."""
LANE_NAMES = tuple(f"top{i}" for i in range(1, 13)) + tuple(f"bottom{i}" for i in range(1, 13))


class OpeningError(ValueError):
    """The picture does not show the opening exactly; `reasons` says, lane by lane, what is wrong.

    got, want: checkers on the 24 lanes and on the bar's two halves, as seen and as they should be; empty where nothing was counted.
    home: where A's home seems to lie.
    """

    def __init__(self, reasons: Sequence[str], got: Sequence[int] = (), want: Sequence[int] = (), home: Home = "right") -> None:
        self.reasons = tuple(reasons)
        self.got, self.want, self.home = tuple(got), tuple(want), home
        super().__init__("the opening does not read exactly: " + "; ".join(self.reasons))


@dataclass(frozen=True, eq=False)
class Seen:
    """What the checker network saw, before anyone knows whose checkers they are.

    counts: float32 (26, 16): probability of 0..15 checkers on each lane, then on the bar's top and bottom half.
    looks: float32 (26, n): description of the checkers there (meaningless where there are none).
    colours: float32 (26, 3): mean BGR of their tops, 0..255.
    checker: diameter of a checker in lane widths, 0 when none was measured.
    """

    counts: NDArray[np.float32]
    looks: NDArray[np.float32]
    colours: NDArray[np.float32]
    checker: float = 0.0


def lanes_from_points(points: Sequence[int], home: Home) -> tuple[int, ...]:
    """Signed counts by A's points 1 to 24 -> by lanes top1..top12, bottom1..bottom12.

    With home right, A's points 1 to 12 run from bottom12 to bottom1 and 13 to 24 from top1 to top12; home left is the mirror.
    """
    bottom, top = list(points[:12]), list(points[12:])
    if home == "right":
        return (*top, *bottom[::-1])
    return (*top[::-1], *bottom)


def _differences(got: Sequence[int], want: Sequence[int]) -> list[str]:
    out = []
    for name, seen, expected in zip(LANE_NAMES, got, want, strict=True):
        if seen != expected:
            out.append(f"{name} should hold {expected or 'no'} checker{'s' * (expected != 1)}, {seen or 'none'} seen")
    return out


def which_home(seen: Seen, points: Sequence[int] = OPENING) -> Home:
    """The home side under which the counts are likelier (a symmetric start reads the same from both; then right)."""
    scores: dict[Home, float] = {}
    homes: tuple[Home, Home] = ("right", "left")
    for home in homes:
        want = np.abs(lanes_from_points(points, home))
        scores[home] = float(np.log(np.maximum(seen.counts[np.arange(24), want], 1e-4)).sum())
    return "right" if scores["right"] >= scores["left"] else "left"


def learn(
    seen: Seen,
    geometry: BoardGeometry,
    network: str,
    *,
    points: Sequence[int] = OPENING,
    home: Home | None = None,
    outline: NDArray[np.uint8] | None = None,
) -> Profile:
    """Make the profile from what was seen of the starting position `points` (24 signed counts in A's numbering).

    Raises OpeningError, with a reason for each lane, when the counts are not exactly those of the start, when something
    stands on the bar, or when the two sides do not look different enough where they are known to stand.
    """
    home = home or which_home(seen, points)
    want = lanes_from_points(points, home)
    got = [int(n) for n in seen.counts.argmax(axis=1)]
    reasons = _differences(got[:24], [abs(n) for n in want])
    on_bar = got[24] + got[25]
    if on_bar:
        reasons.append(f"the bar should be empty, {on_bar} checker{'s' * (on_bar != 1)} seen")
    signs = np.sign(want)
    looks = np.stack([seen.looks[:24][signs == side].mean(axis=0) for side in (1, -1)]).astype(np.float32)
    if not reasons:
        reasons += _mixed(seen, signs, looks)
    if reasons:
        raise OpeningError(reasons, got, (*(int(n) for n in want), 0, 0), home)
    means = [seen.colours[:24][signs == side].mean(axis=0) for side in (1, -1)]
    first, second = ("#" + "".join(f"{int(round(float(c))):02x}" for c in mean[::-1]) for mean in means)
    return Profile(geometry, home, looks, network, tuple(want), seen.checker, (first, second), outline)


def _mixed(seen: Seen, signs: NDArray[np.int_], looks: NDArray[np.float32]) -> list[str]:
    """Lanes whose checkers look like the other side's: the two sides are swapped there, or look alike in this light."""
    out = []
    for lane in np.flatnonzero(signs):
        own, other = (looks[0], looks[1]) if signs[lane] > 0 else (looks[1], looks[0])
        if ((seen.looks[lane] - own) ** 2).sum() >= ((seen.looks[lane] - other) ** 2).sum():
            out.append(f"the checkers on {LANE_NAMES[lane]} look like the other side's")
    return out
