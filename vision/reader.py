"""One settled frame to one scene: checkers, dice and cube read in one go."""

from __future__ import annotations

from dataclasses import replace

from calibration.geometry import BoardGeometry, Image
from calibration.opening import OPENING, learn
from calibration.profile import Home, Profile, ProfileError
from vision import finding
from vision.checkers import NETWORK, CheckerNetwork, reading, without_profile
from vision.dice import SmallPieces
from vision.scene import Scene
from vision.settle import thumbnail
from vision.usual_cube import usual
from vision.whole_set import counts_at_most, with_set


class Reader:
    """Reads frames of the camera that a profile was learned with.

    Holds the networks; not safe to share between threads. Raises ProfileError when the profile belongs to other networks.
    """

    def __init__(self, profile: Profile | None = None) -> None:
        if profile is not None and profile.network != NETWORK:
            raise ProfileError("the profile was learned by an older checker network: run `gammonwatch calibrate` again")
        self.profile = profile
        self._checkers = CheckerNetwork()
        self._pieces = SmallPieces()

    def read(self, image: Image, frame: int = 0, time: float = 0.0, name: str = "") -> Scene:
        """Read one frame: uint8 BGR (h, w, 3). Raises ProfileError when its size is not the profile's."""
        if self.profile is None:
            raise ProfileError("this reader has no profile: use read_once")
        geometry = self.profile.fitting((image.shape[1], image.shape[0])).geometry
        board = reading(self._checkers.see(image, geometry), self.profile.looks)
        dice, cube = self._pieces.read(image, geometry)
        return Scene(frame, time, board, dice, cube, name)

    def boards(self, image: Image) -> list[tuple[float, BoardGeometry]]:
        """Where a board of any position may lie in the picture, each with the chance that it is read well there, best first."""
        return finding.boards(image, self._checkers)

    def read_once(self, image: Image, geometry: BoardGeometry, name: str = "") -> Scene:
        """Read a picture of any position: the sides are told apart by clustering, the lighter is A.

        With nothing known from before, the set of fifteen a side helps to count (`vision.whole_set`), and the place of the cube to read it
        (`vision.usual_cube`).
        """
        seen = self._checkers.see(image, geometry)
        dice, cube = self._pieces.read(image, geometry)
        cube = None if cube is None else usual(cube)
        return Scene(0, 0.0, with_set(without_profile(seen)), dice, cube, name)

    def calibrate(self, image: Image, geometry: BoardGeometry, *, points: tuple[int, ...] = OPENING, home: Home | None = None) -> Profile:
        """Learn the profile from a picture of the starting position. Raises OpeningError with the reasons."""
        grey = thumbnail(image)
        seen = self._checkers.see(image, geometry)
        seen = replace(seen, counts=counts_at_most(seen.counts, sum(abs(n) for n in points)))
        return learn(seen, geometry, NETWORK, points=points, home=home, outline=grey)
