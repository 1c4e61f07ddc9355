"""The director's PIN, the sessions of those who gave it, and one-time links: kept in the state folder, as hashes only."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from calibration.whole_file import write_whole
from controller.app import Trouble

FILE = "access.json"
"""In the state folder; readable by the service alone."""
PIN_DIGITS = 6
SESSION_SECONDS = 12 * 3600.0
"""A long day's tournament."""
MOST_SESSIONS = 64
LINK_SECONDS = 300.0
"""Time to walk to the board with a phone."""
MOST_LINKS = 32
TRIES, TRIES_ALL, TRIES_SECONDS = 5, 30, 60.0
"""Wrong PINs a minute from one address, and from everybody together: a six-digit PIN lasts more than three weeks of trying."""


class TooOften(Exception):
    """Too many wrong tries; `seconds` until the next is heard."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, round(seconds + 0.5))
        super().__init__(f"Too many wrong tries: wait {self.seconds} seconds.")


class _Session(BaseModel):
    name: str
    until: float


class _Kept(BaseModel):
    salt: str = ""
    pin: str = ""
    sessions: dict[str, _Session] = Field(default_factory=dict)
    camera_open: bool = True


class Tries:
    """How often something went wrong lately, per key and in all."""

    def __init__(self, each: int, together: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._each, self._together, self._seconds, self._clock = each, together, seconds, clock
        self._times: dict[str, deque[float]] = {}
        self._all: deque[float] = deque()
        self._lock = threading.Lock()

    def check(self, key: str) -> None:
        """Raises TooOften."""
        with self._lock:
            now = self._clock()
            own = self._times.get(key, deque())
            for times in (own, self._all):
                while times and times[0] <= now - self._seconds:
                    times.popleft()
            for times, most in ((own, self._each), (self._all, self._together)):
                if len(times) >= most:
                    raise TooOften(times[0] + self._seconds - now)

    def count(self, key: str) -> None:
        with self._lock:
            now = self._clock()
            for old in [k for k, times in self._times.items() if not times or times[-1] <= now - self._seconds]:
                del self._times[old]
            self._times.setdefault(key, deque(maxlen=self._each)).append(now)
            self._all.append(now)
            while len(self._all) > self._together:
                self._all.popleft()


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _stretched(pin: str, salt: str) -> str:
    return hashlib.scrypt(pin.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1).hex()


class Secrets:
    """`new_pin` is the PIN in the clear when this object made it, else None. Safe between threads. Raises Trouble for a damaged file."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._path, self._now = folder / FILE, now
        self._lock, self._trying = threading.RLock(), threading.Lock()
        self._links: dict[str, float] = {}
        self._standing = ""
        self.tries = Tries(TRIES, TRIES_ALL, TRIES_SECONDS)
        self.new_pin: str | None = None
        self._stamp = self._stamped()
        try:
            self._state = self._read() if self._stamp else _Kept()
            if not self._state.pin:
                self.new_pin = self.make_pin()
        except (OSError, ValidationError, UnicodeDecodeError) as error:
            raise Trouble(f"{self._path} cannot be used; remove it, and a new PIN is made at the next start ({type(error).__name__})") from error

    def _read(self) -> _Kept:
        return _Kept.model_validate_json(self._path.read_text(encoding="utf-8"))

    def _stamped(self) -> tuple[int, int, int] | None:
        """Tells one version of the file from another; None when there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @property
    def _kept(self) -> _Kept:
        """What is in the file now: `gammonwatch pin` writes to it beside a running service. A file that cannot be read changes nothing."""
        with self._lock:
            stamp = self._stamped()
            if stamp is not None and stamp != self._stamp:
                self._stamp = stamp
                with suppress(OSError, ValidationError, UnicodeDecodeError):
                    kept = self._read()
                    if kept.pin != self._state.pin:
                        self._links.clear()
                    self._state = kept
            return self._state

    def make_pin(self) -> str:
        """A new PIN; whoever was let in by the old one has to give the new one."""
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
        self.set_pin(pin)
        return pin

    def set_pin(self, pin: str, keep: str | None = None) -> None:
        """`keep`: the session (its token) of whoever changes it stays."""
        salt = secrets.token_hex(16)
        stretched = _stretched(pin, salt)
        with self._lock:
            kept = self._kept.sessions
            own = {_hashed(keep): kept[_hashed(keep)]} if keep and _hashed(keep) in kept else {}
            self._save(salt=salt, pin=stretched, sessions=own)
            self._links.clear()

    def right(self, pin: str, who: str) -> bool:
        """Whether that is the PIN; a wrong one counts against the address `who`. Raises TooOften.

        One at a time: many at once would all be heard before the first was counted, and each hash takes 16 MB."""
        with self._trying:
            self.tries.check(who)
            kept = self._kept
            if hmac.compare_digest(_stretched(pin, kept.salt), kept.pin):
                return True
            self.tries.count(who)
            return False

    def link(self) -> str:
        """A token that lets one person in, once, for a few minutes."""
        with self._lock:
            now = self._now()
            self._links = {k: until for k, until in self._links.items() if until > now}
            while len(self._links) >= MOST_LINKS:
                del self._links[min(self._links, key=lambda k: self._links[k])]
            token = secrets.token_urlsafe(24)
            self._links[_hashed(token)] = now + LINK_SECONDS
            return token

    def standing_link(self) -> str:
        """The link for a screen that shows one always: the same until it was used, or half its time is over."""
        with self._lock:
            if self._links.get(_hashed(self._standing), 0.0) - self._now() < LINK_SECONDS / 2:
                self._standing = self.link()
            return self._standing

    def use_link(self, token: str, who: str) -> bool:
        """Whether the token was good; it never is again. Raises TooOften."""
        with self._trying:
            self.tries.check(who)
            with self._lock:
                until = self._links.pop(_hashed(token), 0.0)
            if until > self._now():
                return True
            self.tries.count(who)
            return False

    def enter(self, name: str) -> str:
        """A session for somebody who was let in; its token goes into a cookie and is kept nowhere else."""
        with self._lock:
            now = self._now()
            sessions = {k: s for k, s in self._kept.sessions.items() if s.until > now}
            while len(sessions) >= MOST_SESSIONS:
                del sessions[min(sessions, key=lambda k: sessions[k].until)]
            token = secrets.token_urlsafe(32)
            sessions[_hashed(token)] = _Session(name=name, until=now + SESSION_SECONDS)
            self._save(sessions=sessions)
            return token

    def who(self, token: str) -> str | None:
        """The name given with this session; None for no session, or one that has run out."""
        session = self._kept.sessions.get(_hashed(token))
        return session.name if session and session.until > self._now() else None

    def leave(self, token: str) -> None:
        with self._lock:
            sessions = {k: s for k, s in self._kept.sessions.items() if k != _hashed(token)}
            self._save(sessions=sessions)

    @property
    def camera_open(self) -> bool:
        """Whether viewers may see the camera's picture."""
        return self._kept.camera_open

    @camera_open.setter
    def camera_open(self, seen: bool) -> None:
        with self._lock:
            self._save(camera_open=seen)

    def _save(self, **changes: object) -> None:
        """Written by root, the file is still the folder's owner's: the service has to read it."""
        self._state = self._kept.model_copy(update=changes)
        write_whole(self._path, self._state.model_dump_json() + "\n", mode=0o600)
        if os.geteuid() == 0:
            owner = self._path.parent.stat()
            os.chown(self._path, owner.st_uid, owner.st_gid)
        self._stamp = self._stamped()


def same_site_token(session: str) -> str:
    """What a request that changes something has to carry besides the cookie: another site's page cannot know it."""
    return hmac.new(session.encode(), b"same site", hashlib.sha256).hexdigest()
