"""The watch as a service: everything it needs in one settings file, everything it keeps in one folder, and no hand at the keyboard.

Without a profile it looks at the board until the starting position can be read, and learns it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from controller import app as wiring
from controller.learning import PROFILE
from controller.match import JOURNAL
from controller.panel.attendant import Attendant
from controller.service import ServiceManager
from controller.settings import Service, load_service
from controller.table import Table
from vision.frames import FrameSource

__all__ = ["JOURNAL", "PROFILE", "Service", "load_service", "serve"]


def serve(
    settings: Service,
    state: Path,
    attendant: Attendant,
    manager: ServiceManager,
    say: Callable[[str], object],
    opens: Callable[[str], FrameSource] | None = None,
) -> Iterator[wiring.Seen]:
    """Learn the board if need be, then watch it, without a page. Everything that is kept lies in the folder `state`."""
    yield from Table(settings, state, attendant, manager, say, opens).frames()
