"""Learning the board from its starting position: one look, and where the board lies when that was given by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from calibration.geometry import BoardGeometry
from calibration.locate import BoardNotFound
from calibration.opening import OpeningError
from calibration.profile import Profile, ProfileError
from calibration.whole_file import write_whole
from controller import app as wiring
from controller.looking import Look, look_closely
from controller.now import Side
from vision.frames import Frame, FrameSource

PROFILE, GEOMETRY = "board.profile", "geometry.jsonl"
"""Names in the state folder. The geometry is put there by hand, or from the page, where the board is not found without it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one look came to: the profile where the board is ready, kept only when it was meant to be."""

    look: Look
    profile: Profile | None = None


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns the board for a state folder."""

    folder: Path

    @property
    def profile(self) -> Path:
        return self.folder / PROFILE

    @property
    def geometry(self) -> Path:
        return self.folder / GEOMETRY

    def mark(self, geometry: BoardGeometry | None) -> None:
        """Where the board lies, given by hand; None: find it by itself again."""
        if geometry is None:
            self.geometry.unlink(missing_ok=True)
        else:
            row = {"image": "", "size": [*geometry.size], "corners": geometry.corners.round(2).tolist(), "bar": geometry.bar.round(2).tolist()}
            write_whole(self.geometry, json.dumps(row) + "\n")

    def darker(self) -> Side:
        """Whose checkers are the darker ones by the profile that is kept; B's where there is none."""
        try:
            return Profile.load(self.profile).darker if self.profile.exists() else "B"
        except ProfileError:
            return "B"  # the watch will say so

    def look(self, source: FrameSource, frame: Frame, *, closer: bool) -> Found:
        """One look for the starting position. `closer`: a camera that can is zoomed to the board before it is learned."""
        try:
            rows = self._rows()
            profile = wiring.learn(source, frame, rows) if closer else wiring.calibrate(frame.image, frame.name, rows)
            return Found(look_closely(frame, profile), profile)
        except (BoardNotFound, OpeningError, wiring.Trouble) as error:
            return Found(look_closely(frame, error, self._given(frame)))

    def _rows(self) -> dict[str, BoardGeometry] | None:
        return wiring.load_geometry(self.geometry) if self.geometry.exists() else None

    def _given(self, frame: Frame) -> BoardGeometry | None:
        try:
            rows = self._rows()
            return wiring.geometry_for(rows, frame.name, (frame.image.shape[1], frame.image.shape[0])) if rows else None
        except wiring.Trouble:
            return None
