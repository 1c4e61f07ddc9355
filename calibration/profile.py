"""The saved profile: where this board lies, which way round, and how its two sides look. A small JSON text file."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibration.geometry import BoardGeometry, GeometryError
from calibration.whole_file import write_whole

Home = Literal["right", "left"]
VERSION = 1


class ProfileError(ValueError):
    """The profile cannot be read or does not fit the picture; one plain sentence says why and what to do."""


@dataclass(frozen=True, eq=False)
class Profile:
    """What a camera over one board has learned from the opening.

    geometry: corners and bar in image px, with the picture's size.
    home: the side of the rectified board (bar vertical, player A at the bottom edge) where A's points 1 to 6 lie.
    looks: float32 (2, n): how a checker of A and one of B look to the checker network called `network`.
    checker: diameter of a checker in lane widths, 0 when not measured.
    colours: mean sRGB of the tops, "#rrggbb", for people to recognise the sides by.
    start: signed counts (24,) in lane order of the position it was learned from.
    outline: uint8 (h, w) grey thumbnail of the whole picture, that later frames are compared with (a hand, a bump).
    camera: controls of the camera when it was learned (exposure, gain, white balance), as the frame source gave them.
    """

    geometry: BoardGeometry
    home: Home
    looks: NDArray[np.float32]
    network: str
    start: tuple[int, ...]
    checker: float = 0.0
    colours: tuple[str, str] = ("#000000", "#000000")
    outline: NDArray[np.uint8] | None = None
    camera: dict[str, float] = field(default_factory=dict)

    def fitting(self, size: tuple[int, int]) -> Profile:
        """Raises ProfileError when a picture of `size` (width, height) px is not from the camera this was learned with."""
        if size != self.geometry.size:
            raise ProfileError(
                f"the profile was made for pictures of {self.geometry.size[0]}x{self.geometry.size[1]} px, "
                f"this one has {size[0]}x{size[1]}: run `gammonwatch calibrate` again with this camera"
            )
        return self

    @property
    def darker(self) -> Literal["A", "B"]:
        """Whose checkers are the darker ones, by the luma of their `colours` (ITU-R BT.601)."""
        a, b = (sum(w * int(c[k : k + 2], 16) for w, k in ((0.299, 1), (0.587, 3), (0.114, 5))) for c in self.colours)
        return "A" if a < b else "B"

    def dumps(self) -> str:
        outline: dict[str, Any] | None = None
        if self.outline is not None:
            outline = {"shape": list(self.outline.shape), "grey": base64.b64encode(self.outline.tobytes()).decode("ascii")}
        data = {
            "gammonwatch_profile": VERSION,
            "size": list(self.geometry.size),
            "corners": self.geometry.corners.round(2).tolist(),
            "bar": self.geometry.bar.round(2).tolist(),
            "home": self.home,
            "network": self.network,
            "looks": [[round(float(x), 5) for x in row] for row in self.looks],
            "start": list(self.start),
            "checker": round(self.checker, 4),
            "colours": list(self.colours),
            "outline": outline,
            "camera": self.camera,
        }
        return json.dumps(data, indent=1) + "\n"

    def save(self, path: Path | str) -> None:
        """Write whole or not at all. Raises ProfileError when the folder cannot be written to."""
        target = Path(path)
        try:
            write_whole(target, self.dumps())
        except OSError as error:
            raise ProfileError(f"cannot write the profile {target}: {error.strerror or error}") from error

    @staticmethod
    def load(path: Path | str) -> Profile:
        """Raises ProfileError when the file is missing, is not a profile, or is damaged."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise ProfileError(f"cannot read the profile {path}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise ProfileError(f"{path} is not a gammonwatch profile: it is no text file") from error
        return Profile.loads(text, str(path))

    @staticmethod
    def loads(text: str, name: str = "the profile") -> Profile:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise ProfileError(f"{name} is not a gammonwatch profile: line {error.lineno} is not JSON") from error
        if not isinstance(data, dict) or "gammonwatch_profile" not in data:
            raise ProfileError(f"{name} is not a gammonwatch profile: make one with `gammonwatch calibrate`")
        if data["gammonwatch_profile"] != VERSION:
            raise ProfileError(f"{name} was written by another version of gammonwatch: run `gammonwatch calibrate` again")
        try:
            return _build(data)
        except (KeyError, TypeError, ValueError, binascii.Error, GeometryError) as error:
            raise ProfileError(f"{name} is damaged ({error}): run `gammonwatch calibrate` again") from error


def _build(data: dict[str, Any]) -> Profile:
    size = (int(data["size"][0]), int(data["size"][1]))
    home = data["home"]
    if home not in ("right", "left"):
        raise ValueError(f"home is {home!r}, not right or left")
    looks = np.asarray(data["looks"], np.float32)
    if looks.ndim != 2 or len(looks) != 2 or not np.isfinite(looks).all():
        raise ValueError("looks must be two rows of numbers")
    start = tuple(int(n) for n in data["start"])
    if len(start) != 24:
        raise ValueError("start must be 24 counts")
    outline = None
    if data.get("outline"):
        shape = tuple(int(n) for n in data["outline"]["shape"])
        outline = np.frombuffer(base64.b64decode(data["outline"]["grey"], validate=True), np.uint8).reshape(shape)
    first, second = (str(c) for c in data["colours"])
    camera = {str(k): float(v) for k, v in dict(data.get("camera") or {}).items()}
    return Profile(
        BoardGeometry(np.asarray(data["corners"]), np.asarray(data["bar"]), size),
        home,
        looks,
        str(data["network"]),
        start,
        float(data["checker"]),
        (first, second),
        outline,
        camera,
    )
