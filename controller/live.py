"""A watch over a board with all that hangs on it: panel, service manager, and a camera that may come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from calibration.profile import Profile
from controller.app import Orders, Seen, watch
from controller.events import Command, Event
from controller.journal import Journal
from controller.panel.attendant import Attendant
from controller.referee import RefereeState
from controller.service import ServiceManager
from controller.stills import LIMIT_MB
from vision.frames import CameraError, FrameSource, open_source
from vision.recovering import Recovering


def open_live(opens: Callable[[], FrameSource], lost: Callable[[CameraError], None]) -> FrameSource:
    """The source; a camera is opened again when it is lost, anything else is what it is."""
    first = opens()
    if not first.live:
        return first
    kept: list[FrameSource] = [first]
    return Recovering(lambda: kept.pop() if kept else opens(), lost)


def watching(
    text: str,
    profile: Profile,
    journal: Callable[[FrameSource], Journal | None],
    state: RefereeState,
    attendant: Attendant,
    manager: ServiceManager,
    say: Callable[[str], object],
    opens: Callable[[str], FrameSource] | None = None,
    asked: Orders = lambda state, events: (),
    stills_limit: int = round(LIMIT_MB * 1e6),
) -> Iterator[Seen]:
    """Every frame of `text`, after panel and service manager have heard of it. `journal` opens the book for the source.

    asked: what was asked for otherwise than by the panel's buttons; it comes before them.
    """
    latest = state

    def lost(error: CameraError) -> None:
        # Bounded tries: the loop is alive while it opens the camera again.
        say(f"{error}; trying again")
        attendant.no_pictures(latest)
        manager.alive(str(error))

    def orders(state: RefereeState, events: Sequence[Event]) -> list[Command]:
        return [*asked(state, events), *attendant.commands(state)]

    with open_live(lambda: opens(text) if opens else open_source(text, profile.camera), lost) as frames:
        book = journal(frames)
        try:
            if book:
                attendant.remember(book.events())
            for seen in watch(frames, profile, book, state, orders, stills_limit):
                latest = seen.state
                attendant.show(seen.state, seen.events)
                waiting = seen.reason or seen.state.waiting
                manager.ready(waiting)
                manager.alive(waiting)
                yield seen
        finally:
            if book:
                book.close()


def live(
    text: str,
    profile: Profile,
    journal: Callable[[FrameSource], Journal | None],
    state: RefereeState,
    attendant: Attendant,
    manager: ServiceManager,
    say: Callable[[str], object],
    opens: Callable[[str], FrameSource] | None = None,
    stills_limit: int = round(LIMIT_MB * 1e6),
) -> Iterator[Seen]:
    """`watching` for one match and no more: its end is the end of the panel too."""
    try:
        yield from watching(text, profile, journal, state, attendant, manager, say, opens, stills_limit=stills_limit)
    finally:
        manager.stopping()
        attendant.close()
