"""The table: one loop that looks for the board, waits for a match to be set up and watches it; and what others may know of it and ask of it.

The loop runs in one thread (`frames`). Everybody else reads values it leaves (`now`, `sight`, `events`), listens to `feed`, and asks by
`tell` (the referee) and `ask` (the table itself); whatever they do, the loop never waits for them.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from calibration.geometry import BoardGeometry
from calibration.locate import BoardNotFound
from calibration.opening import OpeningError
from calibration.profile import Profile, ProfileError
from calibration.whole_file import write_whole
from controller import app as wiring
from controller import thresholds
from controller.events import Command, Event
from controller.evidence import Evidence
from controller.feed import Feed
from controller.journal import Journal, JournalError, OtherRun, in_use, set_aside
from controller.live import watching
from controller.looking import Look, look_closely
from controller.match import JOURNAL, Match, load_match
from controller.panel.attendant import Attendant
from controller.panel.lamps import Asks, Notice
from controller.past import read_past
from controller.referee import new_game
from controller.service import ServiceManager
from controller.settings import Service
from controller.state import RefereeState
from controller.weigh import is_board
from vision.frames import Frame, FrameError, FrameSource, open_source
from vision.scene import Scene

PROFILE, GEOMETRY, SOURCE = "board.profile", "geometry.jsonl", "camera.txt"
"""Names in the state folder. The geometry is put there by hand, or from the page, where the board is not found without it."""
LEARNING_SECONDS = 300.0
"""One search for the board in one picture, on the slowest Pi."""
LOOK_EVERY = 1.0
"""s between two searches while people set up: each costs a processor a second or more, and the picture stands still meanwhile."""
CAMERA_PAUSE = 2.0
"""s before a camera that is missing is tried again."""

Side = Literal["A", "B"]
Phase = Literal["no camera", "looking", "set up", "watching", "finished"]


class MovedOn(Exception):
    """What was asked for was meant for a state that is no more; one plain sentence."""


class NotNow(Exception):
    """What was asked for cannot be done in this phase; one plain sentence."""


@dataclass(frozen=True, slots=True)
class Now:
    """The table at one instant."""

    serial: int
    """Grows with everything that is told."""
    phase: Phase
    match: Match
    number: int
    """Of the match's last event, counted from 1; 0 before any."""
    state: RefereeState
    note: str = ""
    """Why nothing is read now: a hand, no camera, the pictures have ended."""
    look: Look | None = None
    """What was seen of the starting position, while the board is being set up."""
    waits: bool = False
    """A person has to say start."""
    darker: Side = "B"
    """Whose checkers are the darker ones on the board."""


@dataclass(frozen=True, slots=True)
class News:
    """What is told to viewers: the table as it is now, and the events that are new, with their numbers."""

    now: Now
    events: tuple[tuple[int, Event], ...]
    at: float
    """Unix time, s."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The newest picture, and the last scene that was read with the geometry it was read by."""

    frame: Frame
    scene: Scene | None
    geometry: BoardGeometry | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an order came to: the match's last event after it, and the events it made."""

    number: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class _Order:
    command: Command
    based_on: tuple[str, int] | None
    answer: Future[Answer]


@dataclass(frozen=True, slots=True)
class _Act:
    act: Callable[[], object]
    answer: Future[object]


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
        self._mail: queue.SimpleQueue[_Order | _Act] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._again = False
        """The loop's present business is to be left, for another source, board or match."""
        self._learn_anew = False
        self._asked: _Order | None = None
        self._darker = self._darker_as_kept()
        self._before = 0
        """How many events of the frame came before those of `_asked`."""
        self._events: list[Event] = []
        self._learned_on: FrameSource | None = None
        kept = folder / SOURCE
        self.source = kept.read_text(encoding="utf-8").strip() if kept.exists() else settings.source
        agreed = load_match(folder)
        self._waits = patient and agreed is None
        self.sight: Sight | None = None
        by_settings = Match.model_construct(names=settings.players, length=settings.match_length, rules=settings.rules)
        attendant.match_silent = agreed is not None and agreed.speaks == "silent"
        self.now = Now(0, "looking", agreed or by_settings, 0, self._fresh(agreed or by_settings), waits=self._waits, darker=self._darker)
        self._recall()

    # What others ask for, from any thread

    @property
    def journal(self) -> Path:
        """Of the match at the table."""
        return self.folder / self.now.match.journal

    @property
    def learned(self) -> bool:
        """A board's profile is kept."""
        return (self.folder / PROFILE).exists()

    @property
    def marked(self) -> bool:
        """The board's place was given by hand."""
        return (self.folder / GEOMETRY).exists()

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
        order = _Order(command, based_on, Future())
        self._mail.put(order)
        return order.answer

    def start(self, match: Match) -> Future[object]:
        """Begin this match, in a journal of its own, once the board is known."""
        return self._ask(lambda: self._start(match))

    def look_again(self) -> Future[object]:
        """Learn the board anew from the starting position; the match goes on afterwards."""
        return self._ask(self._look_again)

    def go_on(self) -> Future[object]:
        """Leave `look_again`: the board is as it was learned before."""
        return self._ask(self._go_on)

    def choose(self, source: str) -> Future[object]:
        """Another camera; its board is then to be learned."""
        return self._ask(lambda: self._choose(source))

    def mark(self, geometry: BoardGeometry | None) -> Future[object]:
        """Where the board lies, given by hand; None: find it by itself again."""
        return self._ask(lambda: self._mark(geometry))

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
            while not self._mail.empty():
                self._mail.get_nowait().answer.cancel()
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
        self._darker = profile.darker
        match = self.now.match
        begin = self._fresh(match, profile)
        self._attendant.match_silent = match.speaks == "silent"
        live = False

        def camera(text: str) -> FrameSource:
            kept, self._learned_on = self._learned_on, None
            return kept or self._open(text, profile)

        def book(source: FrameSource) -> Journal:
            nonlocal live
            live = source.live
            journal = self._book(source, profile, match)
            self._events = list(journal.events())
            last = journal.last()
            state = RefereeState.from_json(last[1]) if last and last[1] else begin
            if self.now.number != len(self._events):
                self.now = replace(self.now, number=len(self._events), state=state, serial=self.now.serial + 1)
                self.feed.tell(None)  # viewers come back and ask for what they have not heard of
            self._publish(phase="watching", number=len(self._events), state=state, note="", look=None, waits=False, darker=self._darker)
            return journal

        try:
            for seen in watching(
                self.source, profile, book, begin, self._attendant, self._manager, self._say, camera, self._orders
            ):
                geometry = profile.geometry
                scene = seen.scene or (self.sight.scene if self.sight and self.sight.geometry is geometry else None)
                self.sight = Sight(seen.frame, scene, geometry)
                if self.now.match is match:  # else a new match was begun with this frame: it is the old one's last
                    self._told(seen)
                yield seen
                if live and match.journal == JOURNAL and _set_up_anew(seen):
                    self._again = True
                if self._again or self._stopped.is_set():
                    return
        finally:
            if self._asked is not None:
                self._asked.answer.set_exception(NotNow("The watch has ended before that could be done."))
                self._asked = None

    def _orders(self, state: RefereeState, events: Sequence[Event]) -> list[Command]:
        """At most one order of the page a frame, so that what it led to can be told."""
        while self._asked is None and not self._again:
            try:
                mail = self._mail.get_nowait()
            except queue.Empty:
                break
            if isinstance(mail, _Act):
                self._do(mail)
            elif mail.answer.set_running_or_notify_cancel():
                new = [event for event in events if event.event != "turn_time"]
                if mail.based_on is not None and (mail.based_on != (self.now.match.journal, self.now.number) or new):
                    mail.answer.set_exception(MovedOn("The game has moved on since you looked: see what happened, then ask again."))
                    continue
                self._asked = mail
                self._before = len(events)
        return [self._asked.command] if self._asked else []

    def _told(self, seen: wiring.Seen) -> None:
        """Viewers hear of the frame, and whoever asked for something hears what came of it."""
        self._events += seen.events
        self._publish(seen.events, number=len(self._events), state=seen.state, note=seen.reason)
        if self._asked is not None:
            asked, self._asked = self._asked, None
            asked.answer.set_result(Answer(self.now.number, seen.events[self._before :]))

    # Learning the board

    def _profile(self) -> Profile | None:
        """The profile that is kept, or the one just learned; None when something else is to be done first."""
        kept = self.folder / PROFILE
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
            self._read_mail()
            if self._again or self._stopped.is_set():
                return None
            if self._lasting and time.monotonic() - looked < LOOK_EVERY:
                continue
            look, profile = self._try(source, frame)
            looked = time.monotonic()
            self.sight = Sight(frame, look.scene, look.geometry)
            self._publish(phase="set up" if look.ready else "looking", look=look, waits=self._waits, darker=self._darker)
            if profile is not None:
                profile.save(self.folder / PROFILE)
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

    def _try(self, source: FrameSource, frame: Frame) -> tuple[Look, Profile | None]:
        """One look for the starting position; the profile too, unless a person has to say start first."""
        try:
            rows = self._rows()
            if self._waits:
                found = wiring.calibrate(frame.image, frame.name, rows)
                self._darker = found.darker
                return look_closely(frame, found), None
            profile = wiring.learn(source, frame, rows)
            self._darker = profile.darker
            return look_closely(frame, profile), profile
        except (BoardNotFound, OpeningError, wiring.Trouble) as error:
            return look_closely(frame, error, self._rows_or_none(frame)), None

    def _rows(self) -> dict[str, BoardGeometry] | None:
        path = self.folder / GEOMETRY
        return wiring.load_geometry(path) if path.exists() else None

    def _rows_or_none(self, frame: Frame) -> BoardGeometry | None:
        try:
            rows = self._rows()
            return wiring.geometry_for(rows, frame.name, (frame.image.shape[1], frame.image.shape[0])) if rows else None
        except wiring.Trouble:
            return None

    # What was asked of the table, in its own thread

    def _ask(self, act: Callable[[], object]) -> Future[object]:
        asked = _Act(act, Future())
        self._mail.put(asked)
        return asked.answer

    def _do(self, mail: _Act) -> None:
        if not mail.answer.set_running_or_notify_cancel():
            return
        try:
            mail.answer.set_result(mail.act())
        except Exception as error:
            mail.answer.set_exception(error)

    def _read_mail(self, wait: float = 0.0) -> None:
        """While nothing is watched: acts are done, orders have nobody to go to."""
        while True:
            try:
                mail = self._mail.get(timeout=wait) if wait else self._mail.get_nowait()
            except queue.Empty:
                return
            wait = 0.0
            if isinstance(mail, _Act):
                self._do(mail)
            elif mail.answer.set_running_or_notify_cancel():
                mail.answer.set_exception(NotNow("No game is being watched now: set up the board and the match first."))

    def _idle(self, seconds: float) -> None:
        self._manager.alive(self.now.note)
        self._read_mail(seconds)

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
        if not (self.folder / PROFILE).exists():
            raise NotNow("No board has been learned yet: there is nothing to go back to.")
        self._learn_anew, self._again = False, True

    def _choose(self, source: str) -> None:
        write_whole(self.folder / SOURCE, source + "\n")
        if source != self.source:
            with suppress(FileNotFoundError):
                (self.folder / GEOMETRY).unlink()
            self._learn_anew = True
        self.source = source
        self._again = True

    def _mark(self, geometry: BoardGeometry | None) -> None:
        path = self.folder / GEOMETRY
        if geometry is None:
            path.unlink(missing_ok=True)
        else:
            row = {"image": "", "size": [*geometry.size], "corners": geometry.corners.round(2).tolist(), "bar": geometry.bar.round(2).tolist()}
            write_whole(path, json.dumps(row) + "\n")
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

    def _book(self, source: FrameSource, profile: Profile, match: Match) -> Journal:
        """The match's journal. Its board may be learned anew in the middle of it. One that nobody set up is told from others by its camera
        and by what it is judged by, and is set aside when it is over: the next begins by itself. One that was set up has a file of its own."""
        ruleset, path = wiring.load_rules(match.rules), self.folder / match.journal
        about = wiring.about(source, profile, ruleset, new_game().start, match.names, match.length)
        del about["profile"]
        if match.journal != JOURNAL:
            del about["source"]
            about["began"] = match.began
            if match.clock:
                about["clock"] = match.clock
        try:
            journal = Journal(path, about)
        except OtherRun:
            if match.journal != JOURNAL:
                raise
            self._say(f"another camera or match than before: the journal so far is set aside as {set_aside(path)}")
            return Journal(path, about)
        last = journal.last()
        if match.journal == JOURNAL and source.live and last and last[1] and RefereeState.from_json(last[1]).ended:
            journal.close()
            self._say(f"the last match is over: its journal is set aside as {set_aside(path)}, and the next begins")
            return Journal(path, about)
        return journal

    def _darker_as_kept(self) -> Side:
        """As the kept profile has it, before a board is seen."""
        try:
            return Profile.load(self.folder / PROFILE).darker if self.learned else "B"
        except ProfileError:
            return "B"  # the watch will say so

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
        if not events and _same(now, self.now):
            self.now = now
            return
        self.now = replace(now, serial=self.now.serial + 1)
        first = self.now.number - len(events) + 1
        self.feed.tell(News(self.now, tuple(enumerate(events, first)), time.time()))


def _same(a: Now, b: Now) -> bool:
    """Nothing that a viewer sees has changed (evidence, frame number and time change with every look)."""
    plain = (a.phase, a.match, a.number, a.note, a.waits, a.look, a.darker) == (b.phase, b.match, b.number, b.note, b.waits, b.look, b.darker)
    return plain and (a.state is b.state or _shown(a.state) == _shown(b.state))


def _set_up_anew(seen: wiring.Seen) -> bool:
    """The match is over, and the board stands as for a new game."""
    if not seen.state.ended or seen.scene is None:
        return False
    evidence = Evidence.of(seen.scene.board, seen.state.home)
    return is_board(evidence, seen.state.start, in_play=False) >= thresholds.START_SURE


def _shown(state: RefereeState) -> tuple[object, ...]:
    return (
        state.phase, state.position, state.turn, state.said, state.announced, state.cube, state.games, state.restore, state.board_shown,
        state.open and state.open.illegal, state.resigning, state.ended,
        state.throw and [round(x) for die in state.throw.dice for x in die.xy],
    )  # fmt: skip
