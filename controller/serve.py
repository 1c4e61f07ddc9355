"""The watch as a service: everything it needs in one settings file, everything it keeps in one folder, and no hand at the keyboard.

Without a profile it looks at the board until the starting position can be read, and learns it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from calibration.locate import BoardNotFound
from calibration.opening import OpeningError
from calibration.profile import Profile
from controller import app as wiring
from controller.journal import Journal, OtherRun, set_aside
from controller.live import live
from controller.panel.attendant import Attendant
from controller.panel.lamps import Asks, Notice
from controller.referee import new_game
from controller.service import ServiceManager
from controller.settings_file import load_settings
from vision.frames import FrameSource, open_source

PROFILE, GEOMETRY, JOURNAL = "board.profile", "geometry.jsonl", "journal.sqlite"
"""Names in the state folder. The geometry is put there by hand where the board is not found without it."""
LEARNING_SECONDS = 300.0
"""One search for the board in one picture, on the slowest Pi."""


class Service(BaseModel):
    """The settings file of the service. source: as for `gammonwatch watch`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = "picamera2"
    players: tuple[str, str] = ("A", "B")
    rules: str | None = None
    match_length: int = 0


def load_service(path: Path | None) -> Service:
    """Raises SettingsError with the first thing that is wrong."""
    return Service() if path is None else load_settings(path, Service, "settings file")


def serve(
    settings: Service,
    state: Path,
    attendant: Attendant,
    manager: ServiceManager,
    say: Callable[[str], object],
    opens: Callable[[str], FrameSource] | None = None,
) -> Iterator[wiring.Seen]:
    """Learn the board if need be, then watch it. Everything that is kept lies in the folder `state`."""
    ruleset = wiring.load_rules(settings.rules)
    profile, source = _profile(settings, state, attendant, manager, say, opens)
    begin = new_game(ruleset=ruleset, home=profile.home, names=settings.players, length=settings.match_length)
    # A camera that the board was just learned from stays open, with what it has locked.
    already = [source] if source else []

    def camera(text: str) -> FrameSource:
        if already:
            return already.pop()
        return opens(text) if opens else open_source(text, profile.camera)

    def book(source: FrameSource) -> Journal:
        about = wiring.about(source, profile, ruleset, begin.start, settings.players, settings.match_length)
        path = state / JOURNAL
        try:
            return Journal(path, about)
        except OtherRun:
            say(f"another board, camera or match than before: the journal so far is set aside as {set_aside(path)}")
            return Journal(path, about)

    yield from live(settings.source, profile, book, begin, attendant, manager, say, camera)


def _profile(
    settings: Service,
    state: Path,
    attendant: Attendant,
    manager: ServiceManager,
    say: Callable[[str], object],
    opens: Callable[[str], FrameSource] | None,
) -> tuple[Profile, FrameSource | None]:
    """The profile that is kept; or the one just learned, with the camera it was learned from, still open."""
    kept = state / PROFILE
    if kept.exists():
        return Profile.load(kept), None
    geometry = state / GEOMETRY
    rows = wiring.load_geometry(geometry) if geometry.exists() else None
    attendant.notice = Notice(Asks.SETUP)
    attendant.show(new_game())
    told = ""
    # Looking for the board takes far longer than reading it.
    manager.patience(LEARNING_SECONDS)
    source = (opens or open_source)(settings.source)
    try:
        for frame in source:
            manager.ready("waiting for the starting position")
            manager.alive("waiting for the starting position")
            try:
                profile = wiring.learn(source, frame, rows)
            except (BoardNotFound, OpeningError) as error:
                if str(error) != told:
                    told = str(error)
                    say(f"waiting for the starting position: {told}")
                continue
            profile.save(kept)
            manager.patience()
            attendant.notice = Notice()
            say(f"learned the board from {frame.name}: A's home is on the {profile.home}")
            if source.live:
                return profile, source
            source.close()
            return profile, None
        raise wiring.Trouble(f"{settings.source} ended before the starting position was seen")
    except BaseException:
        source.close()
        raise
