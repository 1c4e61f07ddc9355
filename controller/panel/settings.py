"""The wiring of the panel: which lamp, button and buzzer is on which GPIO. A TOML file; what it leaves out is as in `WIRING`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from controller.panel.lamps import Lamp, Volume
from controller.panel.presses import Button
from controller.settings_file import load_settings

Gpio = Annotated[int, Field(ge=2, le=27)]
"""Number of a GPIO (not of a pin of the header). 0 and 1 belong to the board's own memory chip."""
Fitted = Gpio | Literal["none"]


# Neighbours on the header lie together, so that each group is one ribbon: buttons on the odd pins at the top, cube values on the odd
# pins at the bottom, the rest on the even pins. GPIO10 and 11 stay free for the light bar, 14 and 15 for the serial console.
# GPIO2 and 3 have pull-ups of their own; a press on GPIO3 also wakes a Pi 4 that was shut down.
LAMPS: dict[Lamp, Fitted] = {
    Lamp.TURN_A: 23,
    Lamp.TURN_B: 24,
    Lamp.ALL_WELL: 25,
    Lamp.ILLEGAL: 8,
    Lamp.VOID: 7,
    Lamp.ATTENTION: 12,
    Lamp.CUBE_1: "none",
    Lamp.CUBE_2: 9,
    Lamp.CUBE_4: 5,
    Lamp.CUBE_8: 6,
    Lamp.CUBE_16: 13,
    Lamp.CUBE_32: 19,
    Lamp.CUBE_64: 26,
    Lamp.OWNER_A: 16,
    Lamp.OWNER_MIDDLE: 20,
    Lamp.OWNER_B: 21,
}
BUTTONS: dict[Button, Fitted] = {
    Button.OK_A: 2,
    Button.CALL: 3,
    Button.OK_B: 4,
    Button.DOUBLE: 17,
    Button.TAKE: 27,
    Button.PASS: 22,
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Buzzer(_Part):
    """A buzzer with its own oscillator: on or off."""

    gpio: Fitted = 18
    volume: Volume = "loud"


class LightBar(_Part):
    """26 lamps of the APA102 kind (clock and data): the 24 points in A's numbering, then A's and B's checkers on the bar."""

    fitted: bool = False
    clock: Gpio = 11
    data: Gpio = 10
    brightness: Annotated[float, Field(gt=0, le=1)] = 0.2


class Shutdown(_Part):
    """A long press of `button` shuts the computer down: the file `request` is made, and the system takes it from there."""

    button: Button = Button.CALL
    seconds: Annotated[float, Field(ge=1, le=30)] = 4.0
    request: Path = Path("/run/gammonwatch/shut-down")


class Wiring(_Part):
    """The whole panel. `lights_high`: a lamp lights when its GPIO is high. `bounce`: s a button's contacts may chatter."""

    lamps: dict[Lamp, Fitted] = LAMPS
    buttons: dict[Button, Fitted] = BUTTONS
    buzzer: Buzzer = Buzzer()
    light_bar: LightBar = LightBar()
    shutdown: Shutdown = Shutdown()
    lights_high: bool = True
    bounce: Annotated[float, Field(ge=0, le=0.5)] = 0.02
    silent: bool = False
    """A match without both players' consent: the panel shows turn and cube, and keeps plays and rolls to itself."""
    driver: Literal["gpiod", "lgpio"] = "gpiod"

    @model_validator(mode="before")
    @classmethod
    def _as_wired(cls, given: Any) -> Any:
        if isinstance(given, dict):
            given = dict(given)
            for part, default in (("lamps", LAMPS), ("buttons", BUTTONS)):
                if isinstance(given.get(part), dict):
                    given[part] = {**default, **given[part]}
        return given

    @model_validator(mode="after")
    def _one_use_each(self) -> Wiring:
        users: dict[int, str] = {}
        for name, gpio in self.used():
            if gpio in users:
                raise ValueError(f"GPIO{gpio} is used twice: by {users[gpio]} and by {name}")
            users[gpio] = name
        return self

    def used(self) -> list[tuple[str, int]]:
        """(what is wired, its GPIO) for everything that is fitted."""
        rows: list[tuple[str, Fitted]] = [(f"button {button}", gpio) for button, gpio in self.buttons.items()]
        rows += [(f"lamp {lamp}", gpio) for lamp, gpio in self.lamps.items()]
        rows.append(("buzzer", self.buzzer.gpio))
        if self.light_bar.fitted:
            rows += [("light bar clock", self.light_bar.clock), ("light bar data", self.light_bar.data)]
        return [(name, gpio) for name, gpio in rows if gpio != "none"]


WIRING = Wiring()


def load_wiring(path: Path | None) -> Wiring:
    """The wiring in a TOML file; the default without one. Raises SettingsError with the first thing that is wrong."""
    return WIRING if path is None else load_settings(path, Wiring, "wiring")


def to_toml(wiring: Wiring) -> str:
    """A file that `load_wiring` reads back, with every line there to be changed."""

    def line(key: str, value: object) -> str:
        text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str | Path) else str(value)
        return f"{key} = {text}"

    tables: dict[str, dict[str, object]] = {
        "": {"lights_high": wiring.lights_high, "bounce": wiring.bounce, "silent": wiring.silent, "driver": wiring.driver},
        "lamps": {lamp.value: gpio for lamp, gpio in wiring.lamps.items()},
        "buttons": {button.value: gpio for button, gpio in wiring.buttons.items()},
        "buzzer": dict(wiring.buzzer),
        "light_bar": dict(wiring.light_bar),
        "shutdown": dict(wiring.shutdown),
    }
    blocks = ["\n".join([f"[{name}]"] * bool(name) + [line(k, v) for k, v in rows.items()]) for name, rows in tables.items()]
    head = '# Wiring of the gammonwatch panel: numbers are GPIOs, not pins of the header; "none" where nothing is fitted.\n'
    return head + "\n\n".join(blocks) + "\n"
