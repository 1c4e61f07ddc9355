"""The matches that lie in one folder: the one being played, those before it, and what is broken, said in a sentence.

Nothing is ever written or repaired here. A journal is read again only when its file has changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from controller.journal import STILLS, JournalError, in_use
from controller.keeping.story import Story, tell
from controller.past import Past, read_past
from controller.stills import still_of
from controller.words import sentence

JOURNALS = re.compile(r"[^/\\]+\.sqlite(\.\d+)?")
"""Names of journals; a number at the end is one that was set aside."""
LONGEST_NAME = 200


class NoMatch(Exception):
    """The folder holds no such match; one plain sentence."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One match of the folder."""

    id: str
    """The journal's file name."""
    names: tuple[str, str] = ("", "")
    begun: datetime | None = None
    """Aware; of older journals, when the file was last written to."""
    length: int = 0
    score: tuple[int, int] = (0, 0)
    games: int = 0
    turns: int = 0
    illegal: int = 0
    void: int = 0
    unsure: int = 0
    running: bool = False
    """It is being watched now."""
    broken: str = ""
    """Why it cannot be read; the rest then says nothing."""
    rules: str = ""
    text: str = ""
    """What a search looks through."""

    @property
    def winner(self) -> str:
        """Of a match to points; empty while nobody has won it."""
        a, b = self.score
        return "" if not self.length or max(a, b) < self.length else self.names[0] if a >= b else self.names[1]


@dataclass(frozen=True, slots=True)
class Found:
    """A match, read."""

    entry: Entry
    past: Past
    story: Story


Running = Callable[[Path], bool]
"""Whether a journal is being written to now."""


def locked(path: Path) -> bool:
    """Another process is writing to it. Not to be asked by the process that writes: closing a file gives up all of a process's locks on
    it, SQLite's as well."""
    try:
        return in_use(path)
    except JournalError:
        return False


class Library:
    """The matches in `folder`, newest first."""

    def __init__(self, folder: Path, running: Running = locked) -> None:
        self.folder, self._running = folder, running
        self._kept: dict[str, tuple[object, Entry]] = {}

    def ids(self) -> list[str]:
        """Names of the journals that lie there now; whatever is asked for is looked up among these, so that no name leads elsewhere."""
        try:
            return sorted(path.name for path in self.folder.iterdir() if is_journal(path))
        except OSError:
            return []

    def entries(self, wanted: str = "") -> list[Entry]:
        """Newest first. `wanted`: words that all have to stand in it (names, date, rules, what was out of the ordinary)."""
        found = [self.entry(name) for name in self.ids()]
        self._kept = {entry.id: self._kept[entry.id] for entry in found if entry.id in self._kept}
        oldest = datetime.min.replace(tzinfo=UTC)
        found.sort(key=lambda entry: (entry.running, entry.begun or oldest, entry.id), reverse=True)
        words = plain(wanted).split()
        return [entry for entry in found if all(word in entry.text for word in words)]

    def entry(self, name: str) -> Entry:
        path = self.folder / name
        stamp = _stamp(path)
        known = self._kept.get(name)
        if known is not None and known[0] == stamp:
            # Who is writing to it may change without a change to the file.
            return replace(known[1], running=self._running(path)) if not known[1].broken else known[1]
        try:
            entry = entry_of(read_past(path), running=self._running(path))
        except (JournalError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            said = str(error) if isinstance(error, JournalError) else "it holds events that this version of gammonwatch cannot make sense of"
            said = said.replace(f"{path} ", "it ")
            entry = Entry(name, begun=_written(path), broken=said, text=plain(f"{name} {said} broken"))
        self._kept[name] = (stamp, entry)
        return entry

    def open(self, name: str) -> Found:
        """Raises NoMatch when there is no such match, or it cannot be read."""
        if len(name) > LONGEST_NAME or name not in self.ids():
            raise NoMatch("There is no such match.")
        path = self.folder / name
        try:
            past = read_past(path)
            return Found(entry_of(past, running=self._running(path)), past, story_of(past))
        except JournalError as error:
            raise NoMatch(f"This match cannot be read: {str(error).replace(f'{path} ', 'it ')}.") from error
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise NoMatch("This match holds events that this version of gammonwatch cannot make sense of.") from error

    def still(self, name: str, frame: int) -> bytes | None:
        """The picture kept of a frame, as JPEG."""
        return read_still(self.folder / name, frame)


def is_journal(path: Path) -> bool:
    return JOURNALS.fullmatch(path.name) is not None and not path.name.startswith(".") and path.is_file() and not path.is_symlink()


def read_still(journal: Path, frame: int) -> bytes | None:
    try:
        return still_of(journal, frame).read_bytes()
    except OSError:
        return None


def story_of(past: Past) -> Story:
    return tell(past.events, past.names, past.state.start.to_28()) if past.state else tell(past.events, past.names)


def entry_of(past: Past, *, running: bool) -> Entry:
    """Raises ValueError, KeyError and the like on events that make no sense."""
    story = story_of(past)
    begun = begun_of(past)
    length = past.state.length if past.state else _whole(past.about.get("length", ""))
    rules = past.state.ruleset.name if past.state else ""
    told = " ".join(f"{incident.title} {incident.clause} {incident.words} {incident.by}" for incident in story.incidents)
    dates = f"{begun:%Y-%m-%d %d.%m.%Y %d/%m/%Y %d %B %Y %A}" if begun else ""
    text = plain(f"{' '.join(past.names)} {dates} {past.path.name} {rules} {told}")
    return Entry(
        past.path.name, past.names, begun, length, story.score, len(story.games),
        sum(turn.kind in ("play", "dance", "stands") for turn in story.turns),
        story.count("illegal"), story.count("roll_void"), story.count("unsure"), running, "", rules, text,
    )  # fmt: skip


def begun_of(past: Past) -> datetime | None:
    """When the match began, local time."""
    try:
        return datetime.fromisoformat(past.about["begun"]).astimezone()
    except (KeyError, ValueError):
        return _written(past.path)


def plain(text: str) -> str:
    """For comparing: small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def words_of(found: Found) -> list[tuple[int, str]]:
    """Every event in words, with its frame."""
    return [(event.frame, sentence(event, found.past.names)) for event in found.past.events]


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _written(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
    except (OSError, ValueError, OverflowError):
        return None


def _stamp(path: Path) -> object:
    """Changes when the journal does: what is new lies in the write-ahead log first."""
    return tuple(_size(path.with_name(path.name + ending)) for ending in ("", "-wal"))


def _size(path: Path) -> tuple[int, int] | None:
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_size, told.st_mtime_ns


def stills_kept(folder: Path, names: Sequence[str]) -> int:
    """How many pictures lie beside these journals."""
    return sum(1 for name in names for path in (folder / f"{name}{STILLS}").glob("*.jpg"))
