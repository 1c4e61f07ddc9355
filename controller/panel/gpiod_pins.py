"""A gpiozero pin factory over gpiod (libgpiod 2): the default on the Pi.

With lgpio, closing one button ends the events of all others, and some starts leave a button dead (docs/decisions/0008-pins.md).
Here one thread sleeps in the kernel until an edge comes.

Contacts chatter, and a long wire picks up sparks: a level is told when the line has been quiet for the bounce time, so a shorter
spike never passes a game. How long it was quiet is told by the kernel's own times of the edges: a press that came and went while
the program was busy is a press all the same. The kernel's own debouncing is not used: it has lost the first press after a start.
"""

from __future__ import annotations

import os
import select
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gpiod
from gpiod.edge_event import EdgeEvent
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import BadPinFactory, PinFixedPull, PinInvalidBounce, PinInvalidEdges, PinInvalidFunction, PinInvalidPull, PinSetInput
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

CONSUMER = "gammonwatch"
Kind = EdgeEvent.Type
PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
HEADER_CHIPS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""Labels of the chips whose lines are on the 40-pin header (Pi 5; Pi 4; older)."""


def header_chip() -> str:
    """Path of the GPIO chip of the 40-pin header. Raises BadPinFactory when there is none, or none may be opened."""
    paths = sorted(Path("/dev").glob("gpiochip*"))
    denied = False
    for path in paths:
        try:
            with gpiod.Chip(str(path)) as chip:
                if chip.get_info().label in HEADER_CHIPS or chip.get_line_info(17).name == "GPIO17":
                    return str(path)
        except PermissionError:
            denied = True
        except (OSError, ValueError):
            continue
    if denied:
        raise BadPinFactory("you may not use the GPIO pins: add yourself to the group gpio")
    raise BadPinFactory("there is no 40-pin header: no /dev/gpiochip has its lines")


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """Pins of the 40-pin header through /dev/gpiochipN. Raises BadPinFactory where there is none."""

    def __init__(self, chip: str | None = None) -> None:
        super().__init__()
        self.chip = chip or header_chip()
        self.pin_class = GpiodPin
        self.watcher = Watcher()

    def close(self) -> None:
        super().close()
        self.watcher.close()


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """One line. It is requested when the pin is first used, and given back to the kernel when it is closed."""

    def __init__(self, factory: GpiodFactory, info: Any) -> None:
        super().__init__(factory, info)
        # GPIO2 and 3 have resistors on the board, and gpiozero sets no pull that is there already. The chip's own is switched on as well:
        # a board that lacks the resistors would have the line lie low, and its first press would be none.
        self._settings = gpiod.LineSettings(direction=Direction.INPUT, bias=PULLS.get(info.pull, Bias.AS_IS))
        self._bounce = 0.0
        self._edges = "both"
        try:
            self._line: Any = gpiod.request_lines(factory.chip, {self._number: self._settings}, consumer=CONSUMER)
        except OSError as error:
            raise BadPinFactory(f"GPIO{self._number} cannot be used: {error.strerror or error}") from error

    def close(self) -> None:
        if self._line is None:
            return
        self.when_changed = None
        self._line.release()
        self._line = None

    def _apply(self) -> None:
        self._line.reconfigure_lines({self._number: self._settings})

    def _get_function(self) -> str:
        return "output" if self._settings.direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(f"invalid function {value!r} for {self!r}")
        if value == "output":
            # The level it has is the level it keeps: a lamp must not flash at start.
            self._settings.output_value = self._line.get_value(self._number)
            self._settings.bias = Bias.AS_IS
            self._settings.direction = Direction.OUTPUT
        else:
            self._settings.direction = Direction.INPUT
        self._apply()

    def _get_state(self) -> bool:
        return bool(self._line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._settings.direction is not Direction.OUTPUT:
            raise PinSetInput(f"cannot set state of pin {self!r}")
        level = Value.ACTIVE if value else Value.INACTIVE
        self._settings.output_value = level
        self._line.set_value(self._number, level)

    def output_with_state(self, state: float) -> None:
        self._settings.direction = Direction.OUTPUT
        self._settings.bias = Bias.AS_IS
        self._settings.output_value = Value.ACTIVE if state else Value.INACTIVE
        self._apply()

    def _get_pull(self) -> str:
        return next((name for name, bias in PULLS.items() if bias is self._settings.bias), self.info.pull or "floating")

    def _set_pull(self, value: str) -> None:
        if self._settings.direction is Direction.OUTPUT:
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        if value not in PULLS:
            raise PinInvalidPull(f"invalid pull {value!r} for pin {self!r}")
        self._settings.bias = PULLS[value]
        self._apply()

    def _get_bounce(self) -> float | None:
        return self._bounce or None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and value < 0:
            raise PinInvalidBounce("bounce must be 0 or greater")
        self._bounce = float(value or 0)

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in ("both", "rising", "falling", "none"):
            raise PinInvalidEdges(f"invalid edges {value!r} for pin {self!r}")
        self._edges = value

    def _enable_event_detect(self) -> None:
        self._settings.edge_detection = Edge.BOTH
        self._apply()
        self.factory.watcher.add(self)

    def _disable_event_detect(self) -> None:
        self.factory.watcher.remove(self)
        self._settings.edge_detection = Edge.NONE
        self._apply()

    # Called by the watcher, in its thread

    @property
    def fd(self) -> int:
        return int(self._line.fd)

    @property
    def settle_time(self) -> float:
        return self._bounce

    def waiting_edges(self) -> list[tuple[float, bool]]:
        """The waiting edges, taken off the kernel's queue: when (monotonic s), and the level from then on."""
        if not self._line.wait_edge_events(0):
            return []
        return [(edge.timestamp_ns / 1e9, edge.event_type is Kind.RISING_EDGE) for edge in self._line.read_edge_events()]

    def level(self) -> bool:
        return self._get_state()

    def tell(self, level: bool) -> None:
        if self._edges in ("both", "rising" if level else "falling"):
            self._call_when_changed(time.monotonic(), level)


@dataclass
class Contact:
    """One line, by its edges: which levels lasted for `quiet` s and are to be told. With `quiet` 0 every edge is."""

    told: bool
    """The level that was told last."""
    quiet: float
    level: bool = False
    since: float | None = None
    """When (monotonic s) the line changed to `level`; None: it has been told, or never changed."""

    def edge(self, at: float, level: bool) -> list[bool]:
        """The line changed to `level`. What is to be told by that: what was before may have lasted long enough."""
        telling = self.rest(at)
        self.level, self.since = level, at
        if self.quiet:
            return telling
        # One edge of two was lost: there and back.
        missed = [not level, level] if level == self.told else []
        return telling + missed + self.rest(at)

    def rest(self, now: float) -> list[bool]:
        """Nothing has changed until `now`."""
        if self.since is None or now - self.since < self.quiet:
            return []
        self.since = None
        if self.level == self.told:
            return []
        self.told = self.level
        return [self.level]

    @property
    def due(self) -> float | None:
        """When (monotonic s) it will have been quiet for long enough."""
        return None if self.since is None else self.since + self.quiet


class Watcher:
    """One thread for the edges of all pins; it begins with the first pin and ends with the last."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pins: dict[int, tuple[GpiodPin, Contact]] = {}
        """By the descriptor of the line."""
        self._poll = select.poll()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._poll.register(self._wake, select.POLLIN)
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, pin: GpiodPin) -> None:
        with self._lock:
            self._pins[pin.fd] = pin, Contact(pin.level(), pin.settle_time)
            self._poll.register(pin.fd, select.POLLIN)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="GPIO edges", daemon=True)
                self._thread.start()
        self._nudge()

    def remove(self, pin: GpiodPin) -> None:
        with self._lock:
            if self._pins.pop(pin.fd, None) is not None:
                self._poll.unregister(pin.fd)
        self._nudge()

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._nudge()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(5)
        os.close(self._wake)

    def _nudge(self) -> None:
        os.eventfd_write(self._wake, 1)

    def _run(self) -> None:
        while True:
            with self._lock:
                if self._closed:
                    return
                due = min((contact.due for _, contact in self._pins.values() if contact.due is not None), default=None)
            wait = None if due is None else max(0.0, (due - time.monotonic()) * 1000)
            ready = {fd for fd, _ in self._poll.poll(wait)}
            if self._wake in ready:
                os.eventfd_read(self._wake)
            self._look(ready)

    def _look(self, ready: set[int]) -> None:
        told: list[tuple[GpiodPin, bool]] = []
        with self._lock:
            for fd, (pin, contact) in self._pins.items():
                now = time.monotonic()
                over = contact.due is not None and contact.due <= now
                edges = pin.waiting_edges() if over or fd in ready else []
                for at, level in edges:
                    told += [(pin, one) for one in contact.edge(at, level)]
                if over and not edges:
                    # Edges may be lost in much chatter: the line itself knows best.
                    contact.level = pin.level()
                    told += [(pin, one) for one in contact.rest(now)]
        # Outside the lock: whoever is told may add or close pins.
        for pin, level in told:
            pin.tell(level)
