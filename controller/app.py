"""The wiring: the only place that knows the eye, the referee, the journal and the records."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.geometry import BoardGeometry
from calibration.locate import BoardNotFound, candidates
from calibration.opening import OPENING, OpeningError
from calibration.profile import Profile
from controller.clock import Clock
from controller.events import Command, Event
from controller.journal import Journal
from controller.journalling import worth_keeping
from controller.referee import RefereeState, finish, new_game, step
from controller.stills import LIMIT_MB, Stills, StillsError
from rules.position import CHECKERS, START, Position, PositionError
from rules.ruleset import DEFAULT, RuleSet, RuleSetError, preset
from vision.frames import Frame, FrameSource, load_picture, open_source
from vision.reader import Reader
from vision.scene import Scene
from vision.settle import SettleGate
from vision.thresholds import BOARD_SURE

ASKED = 3
"""At most so many places that may be the board are asked about."""
Orders = Callable[[RefereeState, Sequence[Event]], Sequence[Command]]
"""What was asked for since the last frame, by buttons or otherwise; told the state, and the events of this frame that led to it."""


class Trouble(Exception):
    """Something given cannot be used; one plain sentence."""


class NotSetUp(BoardNotFound):
    """No board with the starting position. `closest`: what came nearest to it, and what is wrong there."""

    def __init__(self, message: str, closest: tuple[BoardGeometry, OpeningError] | None = None) -> None:
        super().__init__(message)
        self.closest = closest


class WhichBoard(BoardNotFound):
    """No board was found for sure. `candidates`: the likeliest in `image`, best first, to be asked about."""

    def __init__(self, message: str, image: Any, candidates: Sequence[BoardGeometry]) -> None:
        super().__init__(message)
        self.image, self.candidates = image, tuple(candidates)


@dataclass(frozen=True, slots=True)
class Seen:
    """One processed frame: what was read (None while a hand lay over the board) and what it led to."""

    frame: Frame
    scene: Scene | None
    state: RefereeState
    events: tuple[Event, ...]
    reason: str = ""


def load_geometry(path: Path) -> dict[str, BoardGeometry]:
    """Rows of a JSON-lines file in the schema of labels.md, by image name. Raises Trouble naming file and line."""
    rows: dict[str, BoardGeometry] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            rows[Path(str(row.get("image", ""))).name] = BoardGeometry.from_label(row)
        except (ValueError, TypeError, AttributeError) as error:
            raise Trouble(f"{path}, line {number}: {error}") from error
    if not rows:
        raise Trouble(f"{path} holds no geometry")
    return rows


def geometry_for(rows: dict[str, BoardGeometry], name: str, size: tuple[int, int]) -> BoardGeometry:
    """The row of this picture; a file with a single row serves every picture of its size."""
    found = rows.get(name) or (next(iter(rows.values())) if len(rows) == 1 else None)
    if found is None:
        raise Trouble(f"the geometry file has no row for {name}")
    if found.size != size:
        raise Trouble(f"the geometry is for pictures of {found.size[0]}x{found.size[1]} px, {name} has {size[0]}x{size[1]}")
    return found


def load_start(path: Path | None) -> Position:
    """A starting position: JSON, either 28 integers or {"position": [28 integers]} (A's numbering; points, bar A, B, off A, B)."""
    if path is None:
        return START
    try:
        data = json.loads(_text(path))
        numbers = data["position"] if isinstance(data, dict) else data
        numbers = [int(n) for n in numbers]
        checkers = sum(n for n in numbers[:24] if n > 0) + numbers[24] + numbers[26]
        if not 1 <= checkers <= CHECKERS:
            raise ValueError(f"a side has 1 to 15 checkers, not {checkers}")
        return Position.from_28(numbers, checkers)
    except (ValueError, KeyError, TypeError, IndexError, PositionError) as error:
        raise Trouble(f"{path} is no starting position (28 integers expected): {error}") from error


def load_rules(name: str | None) -> RuleSet:
    """A rule set by preset name, or from a JSON or TOML file."""
    if name is None:
        return DEFAULT
    path = Path(name)
    try:
        if path.suffix.lower() == ".toml":
            return RuleSet.from_mapping(tomllib.loads(_text(path)))
        if path.suffix.lower() == ".json":
            return RuleSet.from_mapping(json.loads(_text(path)))
        return preset(name)
    except (RuleSetError, tomllib.TOMLDecodeError, json.JSONDecodeError, AttributeError, TypeError) as error:
        raise Trouble(f"rules {name!r}: {error}") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Trouble(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text file'}") from error


def calibrate(image: Any, name: str, rows: dict[str, BoardGeometry] | None, start: Position = START) -> Profile:
    """The profile from a picture of the starting position; the board is found in it when no geometry is given."""
    size = (image.shape[1], image.shape[0])
    points = OPENING if start == START else start.points
    reader = Reader()
    if rows:
        return reader.calibrate(image, geometry_for(rows, name, size), points=points)
    closest: tuple[BoardGeometry, OpeningError] | None = None
    for _, geometry in candidates(image):
        try:
            return reader.calibrate(image, geometry, points=points)
        except OpeningError as error:
            if closest is None or len(error.reasons) < len(closest[1].reasons):
                closest = geometry, error
    raise NotSetUp(f"no backgammon board set up for play was found for sure in {name}: give its corners with --geometry", closest)


def find_board(reader: Reader, image: Any, name: str, choice: int | None = None) -> BoardGeometry:
    """The board in a picture of any position; `choice`: the one of the candidates (1 is the likeliest) that somebody pointed at.

    Raises WhichBoard unless one was found for sure.
    """
    found = reader.boards(image)[:ASKED]
    if choice is not None and choice <= len(found):
        return found[choice - 1][1]
    if choice is None and found and found[0][0] >= BOARD_SURE:
        return found[0][1]
    how = "give its corners with --geometry, or the --profile of its camera"
    if not found:
        raise WhichBoard(f"no board was found in {name}: {how}", image, ())
    many = "one place" if len(found) == 1 else f"{len(found)} places"
    message = f"no board was found for sure in {name}: {many} may be one, --annotate DIR draws them and --board N chooses; or {how}"
    raise WhichBoard(message, image, [geometry for _, geometry in found])


def learn(source: FrameSource, frame: Frame, rows: dict[str, BoardGeometry] | None, start: Position = START) -> Profile:
    """The profile from `frame` of `source`; a camera that can is zoomed to the board first. Its locked controls are kept in the profile."""
    profile = calibrate(frame.image, frame.name, rows, start)
    onto = source.zoom(profile.geometry.corners)
    if onto is not None:
        closer = next(iter(source))
        size = (closer.image.shape[1], closer.image.shape[0])
        geometry = BoardGeometry(onto(profile.geometry.corners), onto(profile.geometry.bar), size)
        profile = calibrate(closer.image, closer.name, {closer.name: geometry}, start)
    return replace(profile, camera=dict(source.controls))


def first_picture(source: str) -> Frame:
    with open_source(source) as frames:
        return next(iter(frames))


def about(
    source: FrameSource,
    profile: Profile,
    ruleset: RuleSet,
    start: Position,
    names: tuple[str, str],
    length: int = 0,
    clock: Clock | None = None,
) -> dict[str, str]:
    """What makes a run the same run: where its frames come from and what they are read and judged by."""
    print_of = hashlib.sha256(profile.dumps().encode()).hexdigest()[:16]
    return {
        "source": source.identity,
        "profile": print_of,
        "rules": repr(ruleset),
        "start": repr(start.to_28()),
        "players": " - ".join(names),
        "length": str(length),
        **({"clock": repr(clock)} if clock else {}),
    }


def watch(
    source: FrameSource,
    profile: Profile,
    journal: Journal | None,
    state: RefereeState,
    orders: Orders = lambda state, events: (),
    stills_limit: int = round(LIMIT_MB * 1e6),
) -> Iterator[Seen]:
    """Every frame through gate, reader and referee into the journal; carries on where the journal ends.

    orders: asked after each frame, a hand over the board or not, for what was pressed meanwhile.
    stills_limit: bytes that the pictures kept beside the journals of its folder may take."""
    stills = Stills(journal.path, stills_limit) if journal else None
    reader, gate = Reader(profile), SettleGate(profile)
    done, kept = -1, None
    last = journal.last() if journal else None
    if last is not None:
        done = last[0]
        state = kept = RefereeState.from_json(last[1]) if last[1] else state
        if state.home != profile.home:
            # The board was learned anew from the other side: what was seen before says nothing of where things lie now.
            state = replace(state, home=profile.home, evidence=None)
    if source.live or source.still:
        source.seek(done + 1)
    for frame in source:
        # A folder of another size but the same shape would pass the gate as one long "hand".
        profile.fitting((frame.image.shape[1], frame.image.shape[0]))
        if frame.index <= done:
            if not source.still:
                gate.look(frame.image)  # motion is judged against the frames before
            continue
        gated = gate.look(frame.image, source.still, frame.small)
        scene, events = None, tuple[Event, ...]()
        if gated.ok:
            scene = reader.read(frame.image, frame.index, frame.time, frame.name)
            state, events = step(state, scene)
        given = orders(state, events)
        for command in given:
            state, more = step(state, command)
            events += more
        # The picture first: after a power cut there may be one too many, never an event without its evidence.
        amiss = _kept(stills, frame, events) if stills and events else ""
        if journal and worth_keeping(state, kept, events):
            journal.write(frame.index, events, state.to_json())
            kept = state
        yield Seen(frame, scene, state, events, gated.reason or amiss)
        done = frame.index
    if journal and not source.live and done >= 0:
        # What the last scenes left open; run again, a journal that holds it already has nothing open.
        last_state, events = finish(state)
        if events:
            journal.write(done + 1, events, last_state.to_json())
            yield Seen(frame, None, last_state, events)


def _kept(stills: Stills, frame: Frame, events: tuple[Event, ...]) -> str:
    """What went wrong in keeping the frame's picture: the game goes on without it."""
    try:
        stills.keep(frame.index, frame.image, events)
    except StillsError as error:
        return str(error)
    return ""


def transcribe(
    source: str,
    profile: Profile,
    journal_path: Path,
    *,
    ruleset: RuleSet = DEFAULT,
    start: Position = START,
    names: tuple[str, str] = ("A", "B"),
    length: int = 0,
    clock: Clock | None = None,
    stills_limit: int = round(LIMIT_MB * 1e6),
    each: Callable[[Seen, int | None], None] = lambda seen, total: None,
) -> tuple[Event, ...]:
    """A whole source into the journal; the events of the run, those of an interrupted earlier start included."""
    with open_source(source) as frames:
        state = new_game(start, ruleset, profile.home, names, length, clock)
        run = about(frames, profile, ruleset, start, names, length, clock)
        with Journal(journal_path, run) as journal:
            for seen in watch(frames, profile, journal, state, stills_limit=stills_limit):
                each(seen, frames.length)
            return tuple(journal.events())


def read_picture(reader: Reader, path: Path, rows: dict[str, BoardGeometry] | None, choice: int | None = None) -> tuple[Any, BoardGeometry, Scene]:
    """One picture with the geometry it was read with; with the reader's own profile when it has one. `choice`: see `find_board`."""
    image = load_picture(path)
    if reader.profile is not None:
        return image, reader.profile.geometry, reader.read(image, name=path.name)
    size = (image.shape[1], image.shape[0])
    geometry = geometry_for(rows, path.name, size) if rows else find_board(reader, image, path.name, choice)
    return image, geometry, reader.read_once(image, geometry, path.name)
