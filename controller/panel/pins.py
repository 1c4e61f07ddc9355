"""The thin layer between the panel's logic and real pins: gpiozero lamps, buttons and buzzer by the wiring.

>>> panel = open_panel(WIRING, tell=print)         # doctest: +SKIP
this computer has no panel (there is no 40-pin header ...): it runs without
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any, Literal, Protocol

from gpiozero import LED, DigitalInputDevice, GPIOZeroError
from gpiozero import Button as GpioButton
from gpiozero import Buzzer as GpioBuzzer
from gpiozero.output_devices import OutputDevice

from controller.panel.lamps import BEAT, OFF, STEP, Lamp, Lights, Rhythm
from controller.panel.light_bar import Colour, chain_bits
from controller.panel.presses import Button
from controller.panel.settings import Wiring

Pressed = Button | Literal["shut down"]


class Panel(Protocol):
    """What the program needs of a panel. No method waits, and none raises once the panel is open."""

    def show(self, lights: Lights) -> None: ...
    def beep(self, rhythm: Rhythm) -> None: ...
    def points(self, colours: Sequence[Colour]) -> None: ...
    def pressed(self) -> list[Pressed]:
        """What was pressed since the last call, in order."""

    def close(self) -> None: ...


class NoPanel:
    """Runs where there are no pins: nothing lights, nothing is pressed."""

    def show(self, lights: Lights) -> None: ...
    def beep(self, rhythm: Rhythm) -> None: ...
    def points(self, colours: Sequence[Colour]) -> None: ...
    def pressed(self) -> list[Pressed]:
        return []

    def close(self) -> None: ...


class PinPanel:
    """The real one. Closing puts all lamps out and gives every pin back."""

    def __init__(self, wiring: Wiring, pin_factory: Any) -> None:
        self._presses: queue.SimpleQueue[Pressed] = queue.SimpleQueue()
        self._shown: dict[Lamp, Rhythm] = {}
        self._points: tuple[Colour, ...] = ()
        self._devices: list[Any] = []
        self._factory = pin_factory
        self._wiring = wiring
        self.lamps: dict[Lamp, Any] = {}
        self.buttons: dict[Button, Any] = {}
        self.buzzer: Any = None
        self._bar: tuple[Any, Any] | None = None
        try:
            for lamp, gpio in wiring.lamps.items():
                if gpio != "none":
                    led = self._keep(LED(gpio, active_high=wiring.lights_high, pin_factory=pin_factory))
                    led.source_delay = STEP
                    self.lamps[lamp] = led
            if wiring.buzzer.gpio != "none":
                self.buzzer = self._keep(GpioBuzzer(wiring.buzzer.gpio, pin_factory=pin_factory))
                self.buzzer.source_delay = BEAT
            if wiring.light_bar.fitted:
                clock, data = wiring.light_bar.clock, wiring.light_bar.data
                self._bar = (
                    self._keep(OutputDevice(clock, pin_factory=pin_factory)),
                    self._keep(OutputDevice(data, pin_factory=pin_factory)),
                )
            for button, gpio in wiring.buttons.items():
                if gpio != "none":
                    self.buttons[button] = self._button(button, gpio, pin_factory)
        except BaseException:
            self.close()
            raise

    def _keep(self, device: Any) -> Any:
        self._devices.append(device)
        return device

    def _button(self, button: Button, gpio: int, pin_factory: Any) -> Any:
        held, bounce = self._wiring.shutdown, self._wiring.bounce or None
        if held.button is button:
            key = GpioButton(gpio, pull_up=True, bounce_time=bounce, hold_time=held.seconds, pin_factory=pin_factory)
            key.when_held = lambda: self._presses.put("shut down")
        else:
            # A gpiozero Button has a thread of its own that wakes ten times a second to time holds.
            key = DigitalInputDevice(gpio, pull_up=True, bounce_time=bounce, pin_factory=pin_factory)
        key.when_activated = lambda: self._presses.put(button)
        return self._keep(key)

    def show(self, lights: Lights) -> None:
        for lamp, led in self.lamps.items():
            rhythm = lights.get(lamp, OFF)
            if rhythm == self._shown.get(lamp):
                continue
            self._shown[lamp] = rhythm
            led.source = None
            if len(rhythm) > 1:
                led.source = cycle(rhythm)
            else:
                led.value = rhythm[0]

    def beep(self, rhythm: Rhythm) -> None:
        if self.buzzer is not None and rhythm:
            self.buzzer.source = None
            self.buzzer.source = iter((*rhythm, False))

    def points(self, colours: Sequence[Colour]) -> None:
        if self._bar is None or tuple(colours) == self._points:
            return
        self._points = tuple(colours)
        clock, data = self._bar
        for bit in chain_bits(colours, self._wiring.light_bar.brightness):
            data.value = bit
            clock.on()
            clock.off()

    def pressed(self) -> list[Pressed]:
        presses: list[Pressed] = []
        while True:
            try:
                presses.append(self._presses.get_nowait())
            except queue.Empty:
                return presses

    def close(self) -> None:
        for device in self._devices:
            if not device.closed and isinstance(device, OutputDevice):
                if hasattr(device, "source"):
                    device.source = None
                device.off()
            device.close()
        self._devices.clear()
        self._factory.close()


def pins_of(wiring: Wiring) -> Any:
    """The pin factory of this computer. Raises one of `NO_PINS` where there are no pins that may be used."""
    if wiring.driver == "gpiod":
        from controller.panel.gpiod_pins import GpiodFactory

        return GpiodFactory()
    from gpiozero.pins.lgpio import LGPIOFactory

    return LGPIOFactory()


def _no_pins() -> tuple[type[Exception], ...]:
    errors: list[type[Exception]] = [GPIOZeroError, OSError, ImportError]
    try:
        import lgpio
    except ImportError:
        pass
    else:
        errors.append(lgpio.error)
    return tuple(errors)


def open_panel(wiring: Wiring, tell: Callable[[str], object], pins: Callable[[Wiring], Any] = pins_of) -> Panel:
    """The panel, or `NoPanel` after saying once why there is none."""
    try:
        factory = pins(wiring)
        factory.board_info  # noqa: B018  an unknown computer is found out here
        return PinPanel(wiring, factory)
    except Exception as error:
        if not isinstance(error, _no_pins()):
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        if isinstance(error, ModuleNotFoundError):
            why = f"the package {error.name} is not installed: pip install 'gammonwatch[pi]'"
        tell(f"running without a panel: {why}")
        return NoPanel()
