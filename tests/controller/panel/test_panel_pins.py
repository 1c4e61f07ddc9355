"""The thin layer on gpiozero's mock pins of a Pi 5; settings; the bill of pins and the drawing; `panel test`."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gpiozero.exc import BadPinFactory
from gpiozero.pins.mock import MockFactory

from controller import pi_commands
from controller.events import Event
from controller.panel import pins
from controller.panel.attendant import Attendant
from controller.panel.header import HEADER, PIN_OF, bill, svg
from controller.panel.lamps import LONG, OFF, ON, Lamp, Notice, Rhythm, flashes, lamps
from controller.panel.light_bar import DARK, PLACES, TAKE_FROM, Colour, chain_bits
from controller.panel.pins import NoPanel, PinPanel, Pressed, open_panel
from controller.panel.presses import Button
from controller.panel.settings import LAMPS, WIRING, LightBar, Shutdown, Wiring, load_wiring, to_toml
from controller.settings_file import SettingsError
from controller.state import RefereeState


@pytest.fixture
def mock() -> Iterator[Any]:
    factory = MockFactory(revision="c04170")
    yield factory
    factory.reset()


@pytest.fixture
def panel(mock: Any) -> Iterator[PinPanel]:
    made = PinPanel(WIRING, mock)
    yield made
    made.close()


def press(mock: Any, gpio: int) -> None:
    mock.pin(gpio).drive_low()
    mock.pin(gpio).drive_high()


def lit_pins(mock: Any) -> set[int]:
    return {int(gpio) for gpio in LAMPS.values() if gpio != "none" and mock.pin(gpio).state}


@pytest.mark.parametrize("lamp", [lamp for lamp, gpio in LAMPS.items() if gpio != "none"])
def test_each_lamp_lights_its_own_pin_and_no_other(panel: PinPanel, mock: Any, lamp: Lamp) -> None:
    panel.show({lamp: ON})
    assert lit_pins(mock) == {LAMPS[lamp]}
    panel.show({})
    assert lit_pins(mock) == set()


def test_a_rhythm_blinks_until_something_else_is_shown(panel: PinPanel, mock: Any) -> None:
    led = panel.lamps[Lamp.ATTENTION]
    led.source_delay = 0.001
    changes = threading.Semaphore(0)
    real = led.pin._set_state

    def watched(value: float) -> None:
        real(value)
        changes.release()

    led.pin._set_state = watched
    panel.show({Lamp.ATTENTION: flashes(2)})
    for _ in range(40):
        assert changes.acquire(timeout=5)
    states = [bool(s.state) for s in led.pin.states]
    assert states.count(True) >= 4
    panel.show({Lamp.ATTENTION: OFF})
    assert not led.pin.state and led.source is None


def test_a_lamp_that_lights_low_is_driven_low(mock: Any) -> None:
    panel = PinPanel(Wiring(lights_high=False), mock)
    panel.show({Lamp.ILLEGAL: ON})
    assert not mock.pin(LAMPS[Lamp.ILLEGAL]).state
    assert mock.pin(LAMPS[Lamp.VOID]).state
    panel.close()


def test_presses_come_in_order_and_once(panel: PinPanel, mock: Any) -> None:
    for gpio in (17, 27, 22, 3, 2, 4):
        press(mock, gpio)
    assert panel.pressed() == [Button.DOUBLE, Button.TAKE, Button.PASS, Button.CALL, Button.OK_A, Button.OK_B]
    assert panel.pressed() == []


def test_buttons_pull_up_and_ask_for_the_bounce_time(panel: PinPanel, mock: Any) -> None:
    for gpio in (2, 3, 4, 17, 27, 22):
        assert (mock.pin(gpio).pull, mock.pin(gpio).bounce, mock.pin(gpio).function) == ("up", 0.02, "input")


def test_a_long_press_shuts_down_and_only_of_its_button(mock: Any) -> None:
    panel = PinPanel(WIRING, mock)
    call, take = panel.buttons[Button.CALL], panel.buttons[Button.TAKE]
    assert call.hold_time == WIRING.shutdown.seconds
    assert not hasattr(take, "when_held")
    call._fire_held()
    assert panel.pressed() == ["shut down"]
    panel.close()


def test_the_buzzer_sounds_and_falls_silent(panel: PinPanel, mock: Any) -> None:
    panel.buzzer.source_delay = 0
    panel.beep(LONG)
    panel.buzzer._source_thread.join(5)
    assert [bool(s.state) for s in mock.pin(18).states] == [False, True, False]


def test_the_light_bar_is_clocked_out_bit_by_bit(mock: Any) -> None:
    wiring = Wiring(light_bar=LightBar(fitted=True))
    panel = PinPanel(wiring, mock)
    sent: list[bool] = []
    clock = mock.pin(11)
    real = clock._set_state

    def watched(value: float) -> None:
        if value and not clock.state:
            sent.append(bool(mock.pin(10).state))
        real(value)

    clock._set_state = watched
    colours: Sequence[Colour] = [TAKE_FROM, *[DARK] * (PLACES - 1)]
    panel.points(colours)
    assert tuple(sent) == chain_bits(colours, wiring.light_bar.brightness)
    sent.clear()
    panel.points(colours)
    assert sent == []
    panel.close()


def test_closing_darkens_every_lamp_and_gives_the_pins_back(mock: Any) -> None:
    panel = PinPanel(WIRING, mock)
    panel.show({Lamp.ILLEGAL: ON, Lamp.ATTENTION: flashes(3)})
    red = mock.pin(LAMPS[Lamp.ILLEGAL])
    panel.close()
    assert not red.state and red.function == "input"
    PinPanel(WIRING, mock).close()


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (BadPinFactory("there is no 40-pin header"), "running without a panel: there is no 40-pin header"),
        (ModuleNotFoundError("No module named 'gpiod'", name="gpiod"), "pip install 'gammonwatch[pi]'"),
        (OSError(16, "Device or resource busy"), "busy"),
    ],
)
def test_without_pins_one_sentence_and_the_watch_goes_on(error: Exception, says: str) -> None:
    told: list[str] = []

    def none(wiring: Wiring) -> Any:
        raise error

    panel = open_panel(WIRING, told.append, none)
    panel.show({Lamp.ILLEGAL: ON})
    panel.beep(LONG)
    assert isinstance(panel, NoPanel) and panel.pressed() == []
    assert len(told) == 1 and says in told[0]


def test_a_fault_of_ours_is_not_taken_for_missing_pins() -> None:
    def wrong(wiring: Wiring) -> Any:
        raise TypeError("ours")

    with pytest.raises(TypeError):
        open_panel(WIRING, print, wrong)


def test_a_pin_that_another_program_holds_leaves_none_of_ours_open(mock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    real = pins.DigitalInputDevice

    def third_fails(*given: Any, **named: Any) -> Any:
        if len(opened) == 2:
            raise BadPinFactory("GPIO4 cannot be used: Device or resource busy")
        opened.append(real(*given, **named))
        return opened[-1]

    monkeypatch.setattr(pins, "DigitalInputDevice", third_fails)
    told: list[str] = []
    assert isinstance(open_panel(WIRING, told.append, lambda wiring: mock), NoPanel)
    assert len(opened) == 2 and all(button.closed for button in opened) and "busy" in told[0]


# The attendant


class Recorder:
    """A panel that remembers."""

    def __init__(self, *presses: Pressed) -> None:
        self.lights: dict[Lamp, Rhythm] = {}
        self.beeps: list[Rhythm] = []
        self.presses = list(presses)

    def show(self, lights: Any) -> None:
        self.lights = dict(lights)

    def beep(self, rhythm: Rhythm) -> None:
        self.beeps += [rhythm] if rhythm else []

    def points(self, colours: Sequence[Colour]) -> None: ...

    def pressed(self) -> list[Pressed]:
        taken, self.presses = self.presses, []
        return taken

    def close(self) -> None: ...


def test_the_attendant_beeps_the_most_telling_event_once() -> None:
    panel = Recorder()
    Attendant(panel).show(RefereeState(), [Event("game_start", 0), Event("illegal", 0), Event("refused", 0)])
    assert panel.beeps == [LONG + LONG]


def test_the_attendant_asks_again_after_a_restart_and_ok_ends_it() -> None:
    panel = Recorder(Button.OK_B)
    attendant = Attendant(panel)
    attendant.remember([Event("roll", 1), Event("unsure", 2)])
    attendant.show(RefereeState())
    assert panel.lights[Lamp.ATTENTION] == flashes(2)
    assert attendant.commands(RefereeState()) == []
    attendant.show(RefereeState())
    assert panel.lights[Lamp.ATTENTION] == OFF


def test_a_lost_camera_flickers_until_the_next_frame() -> None:
    panel = Recorder()
    attendant = Attendant(panel)
    attendant.no_pictures(RefereeState(phase="opening"))
    assert panel.lights[Lamp.ATTENTION] == (True, False) and panel.lights[Lamp.ALL_WELL] == OFF
    attendant.show(RefereeState(phase="opening"))
    assert panel.lights[Lamp.ATTENTION] == OFF and panel.lights[Lamp.ALL_WELL] == ON


def test_presses_become_commands_and_a_long_press_a_request(tmp_path: Path) -> None:
    told: list[str] = []
    request = tmp_path / "shut-down"
    wiring = Wiring(shutdown=Shutdown(request=request))
    given = Attendant(Recorder(Button.CALL, "shut down"), wiring, told.append).commands(RefereeState())
    assert [c.command for c in given] == ["call"]
    assert request.exists() and "shutting down" in told[0]
    lost = Wiring(shutdown=Shutdown(request=tmp_path / "none" / "shut-down"))
    Attendant(Recorder("shut down"), lost, told.append).commands(RefereeState())
    assert "cannot ask for a shutdown" in told[1]


# Settings, bill, drawing


def test_the_settings_file_comes_back_as_it_was(tmp_path: Path) -> None:
    changed = Wiring.model_validate({"lamps": {"turn_a": "none"}, "light_bar": {"fitted": True}, "silent": True, "driver": "lgpio"})
    for wiring in (WIRING, changed):
        path = tmp_path / "panel.toml"
        path.write_text(to_toml(wiring), encoding="utf-8")
        assert load_wiring(path) == wiring


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[lamps]\nturn_a = 2", "GPIO2 is used twice: by button ok_a and by lamp turn_a"),
        ("[lamps]\nturn_a = 28", "lamps.turn_a"),
        ("[lamps]\nturn_c = 5", "lamps.turn_c"),
        ("[buttons]\npass = 1", "buttons.pass"),
        ("[buzzer]\nvolume = 'deafening'", "buzzer.volume"),
        ("colour = 'red'", "colour"),
        ("[light_bar]\nfitted = true\ndata = 18", "GPIO18 is used twice: by buzzer and by light bar data"),
        ("[lamps", "is not TOML"),
    ],
)
def test_a_bad_settings_file_gets_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "panel.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_wiring(path)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(SettingsError, match="cannot read"):
        load_wiring(tmp_path / "none.toml")


def test_the_default_leaves_console_memory_chip_and_light_bar_free() -> None:
    assert not {gpio for _, gpio in WIRING.used()} & {0, 1, 10, 11, 14, 15}


def test_the_header_has_every_gpio_once_where_gpiozero_has_it(mock: Any) -> None:
    real = {pin: info.name for pin, info in mock.board_info.headers["J8"].pins.items() if info.name.startswith("GPIO")}
    ours = {pin: f"GPIO{name}" for pin, name in HEADER.items() if isinstance(name, int)}
    ours |= {pin: name for pin, name in real.items() if HEADER[pin] == "ID"}
    assert ours == real
    assert {pin for pin, name in HEADER.items() if name == "GND"} == {
        pin for pin, info in mock.board_info.headers["J8"].pins.items() if info.name == "GND"
    }


def test_bill_and_drawing_name_every_wire_on_its_pin() -> None:
    wiring = Wiring(light_bar=LightBar(fitted=True))
    rows = bill(wiring)
    assert [(row.what, row.gpio) for row in rows] == sorted(wiring.used(), key=lambda use: PIN_OF[use[1]])
    drawn = ElementTree.fromstring(svg(wiring))
    texts = ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
    for row in rows:
        assert texts.count(row.what.replace("_", " ")) == 1
    assert sorted(int(t) for t in texts if re.fullmatch(r"\d+", t)) == list(range(1, 41))


def test_the_drawing_of_the_guide_is_of_the_default_wiring() -> None:
    kept = Path(__file__).parents[3] / "docs" / "wiring.svg"
    assert kept.read_text(encoding="utf-8") == svg(WIRING), "run: gammonwatch panel drawing -o docs/wiring.svg"


def test_a_seventh_cube_lamp_says_1_and_without_it_1_is_none_of_them(mock: Any) -> None:
    cubes = [Lamp(f"cube_{value}") for value in (1, 2, 4, 8, 16, 32, 64)]
    for wiring, fitted in ((WIRING, cubes[1:]), (Wiring.model_validate({"lamps": {"cube_1": 15}}), cubes)):
        mock.reset()
        panel = PinPanel(wiring, mock)
        assert [lamp for lamp in cubes if lamp in panel.lamps] == fitted
        panel.show(lamps(RefereeState(), Notice()))
        assert [lamp for lamp in fitted if panel.lamps[lamp].value] == [lamp for lamp in fitted if lamp is Lamp.CUBE_1]
        panel.close()


# gammonwatch panel test


class Hand(Recorder):
    """Presses what it is told to, wrongly wired for two of them."""

    def __init__(self, wires: dict[Button, Button | None]) -> None:
        super().__init__()
        self.wires = wires
        self.lit: list[list[Lamp]] = []

    def show(self, lights: Any) -> None:
        self.lit.append([lamp for lamp, rhythm in lights.items() if any(rhythm)])

    def said(self, sentence: str) -> None:
        if sentence.startswith("press "):
            asked = Button(sentence.split()[1])
            arrives = self.wires.get(asked, asked)
            self.coming = [arrives] if arrives else []

    def pressed(self) -> list[Pressed]:
        # The first look after the question is the one that forgets older presses.
        self.presses, later = [], self.presses
        if self.coming:
            self.presses, self.coming = list(self.coming), []
        return later

    coming: list[Button]


def test_panel_test_lights_each_lamp_alone_and_finds_wrong_wires() -> None:
    hand = Hand({Button.TAKE: Button.PASS, Button.PASS: Button.TAKE, Button.OK_A: None})
    wrong = pi_commands.panel_test(hand, WIRING, hand.said, lambda seconds: None)
    assert hand.lit[:-1] == [[lamp] for lamp, gpio in LAMPS.items() if gpio != "none"] and hand.lit[-1] == []
    assert len(wrong) == 3
    assert [sum(name in sentence for sentence in wrong) for name in ("ok_a", "take", "pass")] == [1, 2, 2]
    right = Hand({})
    assert pi_commands.panel_test(right, WIRING, right.said, lambda seconds: None) == []
