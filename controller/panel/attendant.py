"""Who stands between the watch and the panel: shows what happened, and hands over what was pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from controller.events import Command, Event
from controller.panel.lamps import Asks, Notice, beeps, lamps
from controller.panel.light_bar import DARK, PLACES, guidance
from controller.panel.pins import NoPanel, Panel
from controller.panel.presses import meaning
from controller.panel.settings import WIRING, Wiring
from controller.state import RefereeState


class Attendant:
    """Keeps the panel up with the referee."""

    def __init__(
        self,
        panel: Panel | None = None,
        wiring: Wiring = WIRING,
        say: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self.panel = panel or NoPanel()
        self.wiring = wiring
        self.notice = Notice()
        self.match_silent = False
        """The match at the table was set up as a silent one."""
        self._say = say

    @property
    def silent(self) -> bool:
        """Nothing may be said of plays and rolls: by the wiring file, or by what was agreed for the match."""
        return self.wiring.silent or self.match_silent

    def remember(self, told: Iterable[Event]) -> None:
        """Events of the game so far, so that a restart shows what was shown before."""
        self.notice = Notice().after_all(told)

    def show(self, state: RefereeState, events: Sequence[Event] = ()) -> None:
        """After every frame: lamps by state, buzzer by the most telling of the new events."""
        self.notice = self.notice.after_all(events)
        self.panel.show(lamps(state, self.notice, silent=self.silent))
        self.panel.points((DARK,) * PLACES if self.silent else guidance(state))
        sounds = [beeps(event, self.wiring.buzzer.volume, silent=self.silent) for event in events]
        self.panel.beep(max(sounds, key=len, default=()))

    def no_pictures(self, state: RefereeState) -> None:
        """The camera is lost: the lamps say so until the next frame."""
        self.panel.show(lamps(state, Notice(Asks.CAMERA), silent=self.silent))

    def commands(self, state: RefereeState) -> list[Command]:
        """What was pressed since the last frame, as commands."""
        given = []
        for press in self.panel.pressed():
            if press == "shut down":
                self._shut_down()
                continue
            meant = meaning(press, state)
            if meant.seen:
                self.notice = self.notice.acknowledged()
            if meant.command:
                given.append(meant.command)
        return given

    def _shut_down(self) -> None:
        """Only the system may switch the computer off: leave it the request (systemd/gammonwatch-shut-down.path)."""
        request: Path = self.wiring.shutdown.request
        try:
            request.touch()
        except OSError as error:
            self._say(f"cannot ask for a shutdown: {request}: {error.strerror or error}")
        else:
            self._say("shutting down, as asked by a long press")

    def close(self) -> None:
        self.panel.close()
