"""The table: one loop that looks for the board, waits for a match to be set up and watches it; and what others may know of it and ask of it.

The loop runs in one thread (`frames`). Everybody else reads values it leaves (`now`, `sight`, `events`), listens to `feed`, and asks by
`tell` (the referee), `start`, `choose` and the like (the table itself); whatever they do, the loop never waits for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from calibration.geometry import BoardGeometry
from calibration.profile import Profile, ProfileError
from calibration.whole_file import write_whole
from controller import app as wiring
from controller.booking import book, makes_way
from controller.events import Command, Event
from controller.feed import Feed
from controller.journal import Journal, JournalError, in_use
from controller.learning import Learner
from controller.live import watching
from controller.mailbox import Answer, Mailbox, NotNow
from controller.match import Match, load_match
from controller.now import News, Now, Side, Sight
from controller.panel.attendant import Attendant
from controller.panel.lamps import Asks, Notice
from controller.past import read_past
from controller.referee import new_game
from controller.service import ServiceManager
from controller.settings import Service
from controller.state import RefereeState
from vision.frames import FrameError, FrameSource, open_source

SOURCE = "camera.txt"
"""Its name in the state folder: the camera that was chosen on the page."""
LEARNING_SECONDS = 300.0
"""One search for the board in one picture, on the slowest Pi."""
LOOK_EVERY = 1.0
"""s between two searches while people set up: each costs a processor a second or more, and the picture stands still meanwhile."""
CAMERA_PAUSE = 2.0
"""s before a camera that is missing is tried again."""


class Table:
    """`lasting`: goes on without a camera, after the pictures have ended, and from match to match; else it ends with its source.

    patient: a match begins only when somebody says so (`start`), not by itself when the starting position is seen.
    """

    def __init__(
        self,
        settings: Service,
        folder: Path,
        attendant: Attendant,
        manager: ServiceManager,
        say: Callable[[str], object],
        opens: Callable[[str], FrameSource] | None = None,
        *,
        lasting: bool = False,
        patient: bool = False,
    ) -> None:
        self.settings, self.folder = settings, folder
        self.feed: Feed[News] = Feed()
        self._attendant, self._manager, self._say = attendant, manager, say
        self.opens = opens
        """Opens a source in place of `open_source`."""
        self._lasting, self._patient = lasting, patient
        self._mail = Mailbox()
        self._learner = Learner(folder)
        self._stopped = threading.Event()
        self._again = False
        """The loop's present business is to be left, for another source, board or match."""
        self._learn_anew = False
        self._events: list[Event] = []
        self._learned_on: FrameSource | None = None
        kept = folder / SOURCE
        self.source = kept.read_text(encoding="utf-8").strip() if kept.exists() else settings.source
        agreed = load_match(folder)
        self._waits = patient and agreed is None
        self.sight: Sight | None = None
        by_settings = Match.model_construct(names=settings.players, length=settings.match_length, rules=settings.rules)
        attendant.match_silent = agreed is not None and agreed.speaks == "silent"
        self.now = Now(0, "looking", agreed or by_settings, 0, self._fresh(agreed or by_settings), waits=self._waits, darker=self._learner.darker())
        self._recall()

    # What others ask for, from any thread

    @property
    def journal(self) -> Path:
        """Of the match at the table."""
        return self.folder / self.now.match.journal

    @property
    def learned(self) -> bool:
        """A board's profile is kept."""
        return self._learner.profile.exists()

    @property
    def marked(self) -> bool:
        """The board's place was given by hand."""
        return self._learner.geometry.exists()

    @property
    def darker(self) -> Side:
        """Whose checkers are the darker ones on the board."""
        return self.now.darker

    @property
    def watching(self) -> bool:
        return self.now.phase == "watching"

    def events(self, since: int = 0) -> tuple[tuple[int, Event], ...]:
        """The match's events after number `since`."""
        return tuple(enumerate(self._events[since:], since + 1))

    def tell(self, command: Command, based_on: tuple[str, int] | None = None) -> Future[Answer]:
        """A command for the referee, taken with the next frame. `based_on`: the match (its journal's name) and the number of the
        last event that the person knew of. The future raises MovedOn when there have been others since, NotNow where nothing is
        being watched; it may be cancelled as long as it was not taken."""
        return self._mail.tell(command, based_on)

    def start(self, match: Match) -> Future[object]:
        """Begin this match, in a journal of its own, once the board is known."""
        return self._mail.ask(lambda: self._start(match))

    def look_again(self) -> Future[object]:
        """Learn the board anew from the starting position; the match goes on afterwards."""
        return self._mail.ask(self._look_again)

    def go_on(self) -> Future[object]:
        """Leave `look_again`: the board is as it was learned before."""
        return self._mail.ask(self._go_on)

    def choose(self, source: str) -> Future[object]:
        """Another camera; its board is then to be learned."""
        return self._mail.ask(lambda: self._choose(source))

    def mark(self, geometry: BoardGeometry | None) -> Future[object]:
        """Where the board lies, given by hand; None: find it by itself again."""
        return self._mail.ask(lambda: self._mark(geometry))

    def stop(self) -> None:
        """The loop ends with its present frame."""
        self._stopped.set()

    # The loop

    def frames(self) -> Iterator[wiring.Seen]:
        """Every frame that was watched. Raises FrameError and the like unless the table is lasting; JournalError always."""
        try:
            while not self._stopped.is_set():
                try:
                    yield from self._once()
                except (FrameError, ProfileError) as error:
                    self._close_learned()
                    if not self._lasting:
                        raise
                    self._no_camera(error)
                    continue
                if not self._lasting and not self._again:
                    return
                self._again = False
        finally:
            self._close_learned()
            self._manager.stopping()
            self._attendant.close()
            self._mail.close()
            self.feed.tell(None)

    def _once(self) -> Iterator[wiring.Seen]:
        """Learn the board if need be, then watch one match until its pictures end or something else is to be done."""
        self._again = False
        profile = self._profile()
        if profile is None or self._again or self._stopped.is_set():
            return
        yield from self._watch(profile)
        if self._lasting and not self._again and not self._stopped.is_set():
            self._publish(phase="finished", note="the pictures have ended")
            while not self._again and not self._stopped.is_set():
                self._idle(0.5)

    def _watch(self, profile: Profile) -> Iterator[wiring.Seen]:
        match = self.now.match
        begin = self._fresh(match, profile)
        self._attendant.match_silent = match.speaks == "silent"
        live = False

        def camera(text: str) -> FrameSource:
            kept, self._learned_on = self._learned_on, None
            return kept or self._open(text, profile)

        def journal_for(source: FrameSource) -> Journal:
            nonlocal live
            live = source.live
            journal = book(self.folder, match, source, profile, self._say)
            self._events = list(journal.events())
            last = journal.last()
            state = RefereeState.from_json(last[1]) if last and last[1] else begin
            if self.now.number != len(self._events):
                self.now = replace(self.now, number=len(self._events), state=state, serial=self.now.serial + 1)
                self.feed.tell(None)  # viewers come back and ask for what they have not heard of
            self._publish(phase="watching", number=len(self._events), state=state, note="", look=None, waits=False, darker=profile.darker)
            return journal

        try:
            for seen in watching(
                self.source, profile, journal_for, begin, self._attendant, self._manager, self._say, camera, self._orders
            ):
                geometry = profile.geometry
                scene = seen.scene or (self.sight.scene if self.sight and self.sight.geometry is geometry else None)
                self.sight = Sight(seen.frame, scene, geometry)
                if self.now.match is match:  # else a new match was begun with this frame: it is the old one's last
                    self._told(seen)
                yield seen
                if live and makes_way(match, seen.state, seen.scene):
                    self._again = True
                if self._again or self._stopped.is_set():
                    return
        finally:
            self._mail.give_up()

    def _orders(self, state: RefereeState, events: Sequence[Event]) -> list[Command]:
        return self._mail.orders(lambda: (self.now.match.journal, self.now.number), events, lambda: self._again)

    def _told(self, seen: wiring.Seen) -> None:
        """Viewers hear of the frame, and whoever asked for something hears what came of it."""
        self._events += seen.events
        self._publish(seen.events, number=len(self._events), state=seen.state, note=seen.reason)
        self._mail.answer(self.now.number, seen.events)

    # Learning the board

    def _profile(self) -> Profile | None:
        """The profile that is kept, or the one just learned; None when something else is to be done first."""
        kept = self._learner.profile
        if kept.exists() and not self._learn_anew and not self._waits:
            return Profile.load(kept)
        known = Profile.load(kept) if kept.exists() and not self._learn_anew else None
        self._attendant.notice = Notice(Asks.SETUP)
        self._attendant.show(new_game())
        # Looking for the board takes far longer than reading it.
        self._manager.patience(LEARNING_SECONDS)
        self._publish(phase="looking", note="", look=None, waits=self._waits)
        source = self._open(self.source, known)
        try:
            found = self._look(source)
            if found is not None and source.live:
                self._learned_on, source = source, None  # type: ignore[assignment]
            return found
        finally:
            if source is not None:
                source.close()
            self._manager.patience()
            self._attendant.notice = Notice()

    def _look(self, source: FrameSource) -> Profile | None:
        told, looked = "", 0.0
        for frame in source:
            self._manager.ready("waiting for the starting position")
            self._manager.alive("waiting for the starting position")
            self.sight = Sight(frame, None, self.sight.geometry if self.sight else None)
            self._mail.read()
            if self._again or self._stopped.is_set():
                return None
            if self._lasting and time.monotonic() - looked < LOOK_EVERY:
                continue
            found = self._learner.look(source, frame, closer=not self._waits)
            look, profile = found.look, found.profile
            looked = time.monotonic()
            self.sight = Sight(frame, look.scene, look.geometry)
            darker = profile.darker if profile else self.now.darker
            self._publish(phase="set up" if look.ready else "looking", look=look, waits=self._waits, darker=darker)
            if profile is not None and not self._waits:
                profile.save(self._learner.profile)
                self._learn_anew = False
                self._say(f"learned the board from {frame.name}: A's home is on the {profile.home}")
                return profile
            if look.trouble != told:
                told = look.trouble
                if told:
                    self._say(f"waiting for the starting position: {told}")
        if self._lasting:
            raise FrameError(f"{self.source} ended before the starting position was seen")
        raise wiring.Trouble(f"{self.source} ended before the starting position was seen")

    # What was asked of the table, in its own thread

    def _idle(self, seconds: float) -> None:
        self._manager.alive(self.now.note)
        self._mail.read(seconds)

    def _start(self, match: Match) -> None:
        begun = match.begun(self.folder)
        begun.save(self.folder)
        # What the page has called ready is the board as it lies now, not as it was learned some other day.
        self._learn_anew = self._learn_anew or self._waits
        self._waits = False
        self._again = True
        self._events = []
        self._attendant.match_silent = begun.speaks == "silent"
        self._publish(match=begun, number=0, state=self._fresh(begun), look=None, waits=False)

    def _look_again(self) -> None:
        self._learn_anew = self._again = True

    def _go_on(self) -> None:
        if not self.learned:
            raise NotNow("No board has been learned yet: there is nothing to go back to.")
        self._learn_anew, self._again = False, True

    def _choose(self, source: str) -> None:
        write_whole(self.folder / SOURCE, source + "\n")
        if source != self.source:
            with suppress(FileNotFoundError):
                self._learner.geometry.unlink()
            self._learn_anew = True
        self.source = source
        self._again = True

    def _mark(self, geometry: BoardGeometry | None) -> None:
        self._learner.mark(geometry)
        self._learn_anew = self._again = True

    # Parts

    def _open(self, text: str, profile: Profile | None) -> FrameSource:
        if self.opens:
            return self.opens(text)
        return open_source(text, profile.camera if profile else None)

    def _close_learned(self) -> None:
        if self._learned_on is not None:
            self._learned_on.close()
            self._learned_on = None

    def _fresh(self, match: Match, profile: Profile | None = None) -> RefereeState:
        ruleset = wiring.load_rules(match.rules)
        home = profile.home if profile else "right"
        return new_game(ruleset=ruleset, home=home, names=match.names, length=match.length, clock=match.timed())

    def _recall(self) -> None:
        """What the match's journal holds, shown before the first picture has come."""
        path = self.journal
        if not path.is_file() or self._waits:
            return
        try:
            if in_use(path):
                return
            past = read_past(path)
        except JournalError:
            return  # the watch will say so
        if past.state is not None and (past.state.names, past.state.length) == (tuple(self.now.match.names), self.now.match.length):
            self._events = list(past.events)
            self.now = replace(self.now, number=len(self._events), state=past.state)

    def _no_camera(self, error: Exception) -> None:
        if str(error) != self.now.note:
            self._say(f"{error}; trying again")
        self._attendant.no_pictures(self.now.state)
        self._manager.ready(str(error))
        self._publish(phase="no camera", note=str(error), look=None)
        if isinstance(error, ProfileError):
            self._learn_anew = True
        until = time.monotonic() + CAMERA_PAUSE
        while time.monotonic() < until and not self._again and not self._stopped.is_set():
            self._idle(0.2)
        self._again = False

    def _publish(self, events: Sequence[Event] = (), **changes: object) -> None:
        """Tell viewers, if there is anything to tell."""
        now = replace(self.now, **changes)  # type: ignore[arg-type]
        if not events and now.looks_like(self.now):
            self.now = now
            return
        self.now = replace(now, serial=self.now.serial + 1)
        first = self.now.number - len(events) + 1
        self.feed.tell(News(self.now, tuple(enumerate(events, first)), time.time()))
