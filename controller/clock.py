"""The clock, an option: a delay for each turn and a reserve for the match. Pure: every time comes from a scene or a command.

A Bronstein delay gives back what a turn used, up to the delay; so a turn costs only what it takes beyond it. A fallen flag is
reported, and nothing else: what follows from it is the players' or the director's to say.

>>> clock = Clock.for_match(3).started(Player.A, 100.0).passed(Player.B, 130.0)
>>> clock.reserve, clock.left(Player.B, 140.0)
((342.0, 360.0), 360.0)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.position import Player

DELAY = 12.0
"""s a turn that cost nothing."""
RESERVE_A_POINT = 120.0
"""s for each point of the match, to each player."""


class ClockError(ValueError):
    """Times that no clock can be set to; one plain sentence."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Times in s. A value: every press gives another."""

    reserve: tuple[float, float]
    """Of A and B, as of the last press."""
    delay: float = DELAY
    running: Player | None = None
    """Whose time runs."""
    since: float = 0.0
    """When it began to."""
    flags: tuple[bool, bool] = (False, False)
    """Reported as fallen."""
    last: tuple[Player, float, float] | None = None
    """The turn before this one: whose, since when, and his reserve then; in case it goes on."""

    def __post_init__(self) -> None:
        if not 0 <= self.delay < 1e6:
            raise ClockError("a delay is 0 seconds or more")
        if not all(-1e9 < reserve < 1e9 for reserve in self.reserve):
            raise ClockError("a reserve is so many seconds")

    @staticmethod
    def for_match(length: int, delay: float = DELAY, reserve_a_point: float = RESERVE_A_POINT) -> Clock:
        """Of a match to `length` points. Raises ClockError for money play (length 0) and for times below zero."""
        if length < 1:
            raise ClockError("a clock needs the length of the match: its reserve is so much a point")
        if reserve_a_point < 0:
            raise ClockError("a reserve is 0 seconds or more")
        return Clock((length * reserve_a_point, length * reserve_a_point), delay)

    @staticmethod
    def parse(text: str, length: int) -> Clock:
        """From "12+120": the delay, and the reserve for each point of a match to `length`, in s. Raises ClockError."""
        delay, plus, reserve = text.partition("+")
        try:
            if not plus:
                raise ValueError
            times = float(delay), float(reserve)
        except ValueError:
            raise ClockError(f"a clock is a delay and a reserve a point in seconds, such as 12+120, not {text!r}") from None
        return Clock.for_match(length, *times)

    def used(self, time: float) -> float:
        """s that the turn has taken so far; times never run backwards."""
        return max(time - self.since, 0.0) if self.running else 0.0

    def left(self, player: Player, time: float) -> float:
        """s of reserve; below zero once the flag has fallen."""
        spent = max(self.used(time) - self.delay, 0.0) if player is self.running else 0.0
        return self.reserve[player.side] - spent

    def started(self, player: Player, time: float) -> Clock:
        """The player's time begins to run, from a clock that stood still."""
        return replace(self, running=player, since=time, last=None)

    def stopped(self, time: float) -> Clock:
        """Nobody's time runs: between games."""
        return replace(self._charged(time), running=None, last=None)

    def passed(self, to: Player, time: float) -> Clock:
        """The turn is over and the other player's begins."""
        before = None if self.running is None else (self.running, self.since, self.reserve[self.running.side])
        return replace(self._charged(time), running=to, since=time, last=before)

    def resumed(self) -> Clock:
        """The last turn was not over after all: its time runs on as if it had never been passed."""
        if self.last is None:
            return self
        player, since, reserve = self.last
        return replace(self._with_reserve(player, reserve), running=player, since=since, last=None)

    def fallen(self, time: float) -> Player | None:
        """Whose flag has just fallen, unless that was reported."""
        who = self.running
        return who if who is not None and not self.flags[who.side] and self.left(who, time) <= 0 else None

    def reported(self, player: Player) -> Clock:
        flags = [*self.flags]
        flags[player.side] = True
        return replace(self, flags=(flags[0], flags[1]))

    def _charged(self, time: float) -> Clock:
        return self if self.running is None else self._with_reserve(self.running, self.left(self.running, time))

    def _with_reserve(self, player: Player, reserve: float) -> Clock:
        both = [*self.reserve]
        both[player.side] = reserve
        return replace(self, reserve=(both[0], both[1]))
