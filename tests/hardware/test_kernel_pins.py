"""gpiozero and our gpiod pin factory on the kernel's own GPIO device: nothing is mocked here."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from conftest import lit, pull, until

from controller.panel.lamps import LONG, OFF, ON, Lamp, flashes
from controller.panel.light_bar import DARK, PLACES, TAKE_FROM
from controller.panel.pins import PinPanel, Pressed, open_panel, pins_of
from controller.panel.presses import Button
from controller.panel.settings import BUTTONS, LAMPS, WIRING, Buzzer, LightBar, Shutdown, Wiring

FITTED = {lamp: int(gpio) for lamp, gpio in LAMPS.items() if gpio != "none"}
BOUNCE = WIRING.bounce
CLAIMED = 0.03
"""s after which a line that was just claimed may be pressed; the simulator asks for 0.02."""
STARTS = 200
BUTTONS_ONLY = Wiring(lamps=dict.fromkeys(LAMPS, "none"), buzzer=Buzzer(gpio="none"))


@pytest.fixture
def panel() -> Iterator[PinPanel]:
    made = opened(WIRING)
    yield made
    made.close()


def opened(wiring: Wiring) -> PinPanel:
    told: list[str] = []
    panel = open_panel(wiring, told.append)
    assert isinstance(panel, PinPanel), told
    time.sleep(CLAIMED)
    return panel


def heard(panel: PinPanel, count: int = 1) -> list[Pressed]:
    """At least `count` presses, and whatever else comes right behind them."""
    presses: list[Pressed] = []

    def enough() -> bool:
        presses.extend(panel.pressed())
        return len(presses) >= count

    until(enough)
    time.sleep(3 * BOUNCE)
    return presses + panel.pressed()


def press(panel: PinPanel, gpio: int) -> list[Pressed]:
    """A finger that stays until it was heard, however slow the machine is. What was heard, of the release too."""
    pull(gpio, True)
    presses = heard(panel)
    pull(gpio, False)
    time.sleep(3 * BOUNCE)
    return presses + panel.pressed()


def chatter(gpio: int, down: bool) -> None:
    """Contacts that close (or open) with six bounces of 5 ms."""
    for _ in range(6):
        pull(gpio, down)
        time.sleep(0.005)
        pull(gpio, not down)
        time.sleep(0.005)
    pull(gpio, down)


def test_the_kernel_sees_each_lamp_on_its_line_and_on_no_other(panel: PinPanel) -> None:
    for lamp, gpio in FITTED.items():
        panel.show({lamp: ON})
        assert {n for n in FITTED.values() if lit(n)} == {gpio}, lamp
    panel.show({})
    assert not any(lit(n) for n in FITTED.values())


def test_no_lamp_flashes_when_the_panel_opens_and_all_are_dark_after_it_closes() -> None:
    panel = opened(WIRING)
    assert not any(lit(n) for n in FITTED.values())
    panel.show(dict.fromkeys(FITTED, ON))
    assert all(lit(n) for n in FITTED.values())
    panel.close()
    assert not any(lit(n) for n in FITTED.values())


def test_a_blinking_lamp_and_the_buzzer_reach_the_kernel(panel: PinPanel) -> None:
    gpio = FITTED[Lamp.ATTENTION]
    panel.show({Lamp.ATTENTION: flashes(2)})
    for wanted in (True, False, True, False):
        assert until(lambda wanted=wanted: lit(gpio) is wanted)
    panel.show({Lamp.ATTENTION: OFF})
    assert not lit(gpio)
    panel.beep(LONG)
    assert until(lambda: lit(18)) and until(lambda: not lit(18))


def test_the_first_press_of_each_button_is_heard_and_so_is_the_second() -> None:
    for _ in range(2):
        panel = opened(WIRING)
        for _ in range(2):
            for button, gpio in BUTTONS.items():
                pull(int(gpio), True)
                time.sleep(0.2)
                pull(int(gpio), False)
                assert heard(panel) == [button]
        panel.close()


def test_every_button_pressed_through_the_kernel_arrives_once(panel: PinPanel) -> None:
    for button, gpio in BUTTONS.items():
        assert press(panel, int(gpio)) == [button]


def test_contacts_that_bounce_for_5_ms_at_a_time_give_one_press(panel: PinPanel) -> None:
    chatter(17, True)
    assert heard(panel) == [Button.DOUBLE]
    chatter(17, False)
    time.sleep(3 * BOUNCE)
    assert panel.pressed() == []
    assert press(panel, 17) == [Button.DOUBLE]


def test_a_spike_is_no_press(panel: PinPanel) -> None:
    spikes = 0
    for _ in range(100):
        begun = time.monotonic()
        pull(22, True)
        pull(22, False)
        short = time.monotonic() - begun < BOUNCE / 2
        time.sleep(2 * BOUNCE)
        told = panel.pressed()
        # On a busy machine a spike may last as long as a press does: then it is one.
        if short:
            spikes += 1
            assert told == []
        if spikes == 5:
            break
    assert spikes == 5
    assert press(panel, 27) == [Button.TAKE]


def test_a_press_that_came_and_went_while_the_program_was_busy_is_heard(panel: PinPanel) -> None:
    for button, gpio in ((Button.DOUBLE, 17), (Button.TAKE, 27), (Button.PASS, 22)):
        with panel._factory.watcher._lock:
            pull(gpio, True)
            time.sleep(0.1)
            pull(gpio, False)
            time.sleep(0.1)
        assert heard(panel) == [button]


def test_a_hold_is_a_hold_and_a_press_is_not() -> None:
    panel = opened(Wiring(shutdown=Shutdown(seconds=2)))
    assert press(panel, 3) == [Button.CALL]
    pull(3, True)
    assert heard(panel, 2) == [Button.CALL, "shut down"]
    pull(3, False)
    time.sleep(3 * BOUNCE)
    assert panel.pressed() == []
    panel.close()


def test_closing_one_button_leaves_the_others_alive(panel: PinPanel) -> None:
    for closing in (Button.PASS, Button.OK_A, Button.DOUBLE):
        panel.buttons[closing].close()
        assert press(panel, 27) == [Button.TAKE], closing


def test_an_idle_panel_sleeps(panel: PinPanel) -> None:
    def woken() -> int:
        count = 0
        for task in Path("/proc/self/task").iterdir():
            if int(task.name) != threading.main_thread().native_id:
                count += int((task / "status").read_text().partition("voluntary_ctxt_switches:")[2].split()[0])
        return count

    before = woken()
    time.sleep(1)
    # gpiozero's own clock of the button that can be held wakes 10 times a second; our own thread not at all.
    assert woken() - before < 15


def test_a_line_in_use_is_said_and_the_watch_goes_on(panel: PinPanel) -> None:
    words = "from controller.panel.pins import open_panel; from controller.panel.settings import WIRING; print(type(open_panel(WIRING, print)))"
    said = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout
    assert "cannot be used: Device or resource busy" in said and "NoPanel" in said


def test_the_light_bar_is_left_dark_on_its_lines() -> None:
    panel = opened(Wiring(light_bar=LightBar(fitted=True)))
    panel.points([TAKE_FROM] * PLACES)
    panel.points([DARK] * PLACES)
    assert not lit(11)
    panel.close()


def _one_start(ready: int, said: int) -> None:
    """In a new process: open the buttons, say so, tell which was pressed first, and end as a process that is killed does."""
    panel = PinPanel(BUTTONS_ONLY, pins_of(BUTTONS_ONLY))
    time.sleep(CLAIMED)
    os.write(ready, b".")
    presses: list[Any] = []
    until(lambda: bool(presses.extend(panel.pressed()) or presses))
    os.write(said, str(presses[0] if presses else "nothing").encode())


def test_no_button_is_dead_after_any_of_200_starts() -> None:
    dead = []
    # A child that collects garbage copies every page of its parent.
    gc.disable()
    gpios = list(BUTTONS.items())
    for start in range(STARTS):
        button, gpio = gpios[start % len(gpios)]
        ready, tell_ready = os.pipe()
        said, tell = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _one_start(tell_ready, tell)
                status = 0
            finally:
                os._exit(status)
        os.close(tell_ready)
        os.close(tell)
        assert os.read(ready, 1) == b".", "the panel did not open"
        pull(int(gpio), True)
        answer = os.read(said, 100).decode()
        pull(int(gpio), False)
        assert os.waitpid(child, 0)[1] == 0
        os.close(ready)
        os.close(said)
        if answer != button:
            dead.append((start, button.value, answer))
    gc.enable()
    assert dead == []
