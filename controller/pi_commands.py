"""Commands for a board with a panel: `panel test`, `panel pins`, `panel drawing`, `panel settings`, `doctor` and `serve`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from calibration.locate import BoardNotFound
from calibration.opening import OpeningError
from calibration.profile import ProfileError
from calibration.whole_file import write_whole
from controller import app as wiring
from controller import doctor as checks
from controller.events import Event
from controller.journal import JournalError
from controller.panel.attendant import Attendant
from controller.panel.header import bill, svg
from controller.panel.lamps import LONG, OFF, ON, Lamp
from controller.panel.light_bar import DARK, PLACES, TAKE_FROM
from controller.panel.pins import NoPanel, Panel, Pressed, open_panel
from controller.panel.presses import Button
from controller.panel.settings import Wiring, load_wiring, to_toml
from controller.serve import load_service, serve
from controller.service import ServiceManager
from controller.settings_file import SettingsError
from controller.web.running import run_with_page, tell
from vision.frames import FrameError

PanelOption = Annotated[Path | None, typer.Option("--panel", help="The panel's wiring, a TOML file (`gammonwatch panel settings`).")]
Fail = Callable[[str], typer.Exit]

TROUBLES = (wiring.Trouble, FrameError, ProfileError, OpeningError, BoardNotFound, JournalError, SettingsError, OSError)
LAMP_SECONDS = 0.7
PRESS_SECONDS = 15.0
out = Console()


def attendant(path: Path | None, fail: Fail) -> Attendant:
    """The panel by its wiring file, with someone to serve it. Raises SettingsError for a bad file."""
    wired = load_wiring(path)
    return Attendant(open_panel(wired, fail), wired, fail)


def panel_test(panel: Panel, wired: Wiring, say: Callable[[str], object], sleep: Callable[[float], object] = time.sleep) -> list[str]:
    """Light each lamp in turn, sound the buzzer, ask for each button. What was wrong, a sentence each."""
    for lamp, gpio in wired.lamps.items():
        if gpio != "none":
            say(f"lamp {lamp.value} (GPIO{gpio}) is lit, alone")
            panel.show({lamp: ON})
            sleep(LAMP_SECONDS)
    panel.show(dict.fromkeys(Lamp, OFF))
    if wired.light_bar.fitted:
        say("the light bar is red from end to end, then dark")
        panel.points([TAKE_FROM] * PLACES)
        sleep(LAMP_SECONDS)
        panel.points([DARK] * PLACES)
    if wired.buzzer.gpio != "none":
        say(f"the buzzer (GPIO{wired.buzzer.gpio}) sounds")
        panel.beep(LONG)
        sleep(LAMP_SECONDS)
    wrong = []
    for button, gpio in wired.buttons.items():
        if gpio == "none":
            continue
        say(f"press {button.value} (GPIO{gpio})")
        panel.pressed()
        press = _press(panel, sleep)
        if press is None:
            wrong.append(f"no press of {button.value} arrived: is it between GPIO{gpio} and GND?")
        elif press != button:
            wrong.append(f"for {button.value} a press of {press} arrived: their wires are swapped")
        else:
            say("  right")
        if wrong and press != button:
            say(f"  {wrong[-1]}")
    return wrong


def _press(panel: Panel, sleep: Callable[[float], object]) -> Pressed | None:
    for _ in range(round(PRESS_SECONDS / 0.05)):
        for press in panel.pressed():
            if isinstance(press, Button):
                return press
        sleep(0.05)
    return None


def _stop(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends the watch as Ctrl-C does: lamps out, journal closed."""
    raise KeyboardInterrupt


def add_to(app: typer.Typer, fail: Fail, sentence: Callable[[Event, tuple[str, str]], str]) -> None:
    """Add the commands. `fail` prints one sentence, `sentence` puts an event in words."""
    panel_app = typer.Typer(help="The panel: lamps, buttons, buzzer.", no_args_is_help=True)
    app.add_typer(panel_app, name="panel")

    def plain(text: str) -> None:
        out.print(text, markup=False, highlight=False, soft_wrap=True)

    @panel_app.command("test")
    def test(panel: PanelOption = None) -> None:
        """Light each lamp and ask for each button, so that a wrong wire is found."""
        try:
            wired = load_wiring(panel)
        except SettingsError as error:
            raise fail(str(error)) from error
        real = open_panel(wired, fail)
        if isinstance(real, NoPanel):
            raise typer.Exit(1)
        try:
            wrong = panel_test(real, wired, plain)
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        finally:
            real.close()
        if wrong:
            raise fail(f"{len(wrong)} of the buttons did not answer as they should")
        plain("every button answered; the lamps are for your eyes to judge")

    @panel_app.command("pins")
    def pins(panel: PanelOption = None) -> None:
        """The bill of pins: every wire, to print."""
        table = Table("pin", "GPIO", "goes to", "how")
        try:
            for row in bill(load_wiring(panel)):
                table.add_row(str(row.pin), str(row.gpio), row.what.replace("_", " "), row.how)
        except SettingsError as error:
            raise fail(str(error)) from error
        out.print(table)

    @panel_app.command("drawing")
    def drawing(output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the SVG.")], panel: PanelOption = None) -> None:
        """The wiring diagram as SVG."""
        try:
            write_whole(output, svg(load_wiring(panel)))
        except SettingsError as error:
            raise fail(str(error)) from error
        except OSError as error:
            raise fail(f"cannot write {output}: {error.strerror or error}") from error

    @panel_app.command("settings")
    def settings(panel: PanelOption = None) -> None:
        """The wiring as a TOML file, to be changed and given to --panel."""
        try:
            print(to_toml(load_wiring(panel)), end="")
        except SettingsError as error:
            raise fail(str(error)) from error

    @app.command()
    def doctor(
        source: Annotated[str, typer.Argument(help="The camera: picamera2, a number, or a picture in its place.")] = "picamera2",
        panel: PanelOption = None,
        state: Annotated[Path, typer.Option(help="Where records are kept.")] = Path("/var/lib/gammonwatch"),
    ) -> None:
        """Camera, light, pins, disk, power, temperature, clock, versions: one table, one verdict."""
        camera, image = checks.check_camera(source)
        found = [camera]
        if image is not None:
            found.append(checks.judge_light(image))
        found += [
            _check_pins(panel),
            checks.check_disk(state if state.exists() else Path("/")),
            checks.check_power(),
            checks.check_temperature(),
            checks.check_clock(),
            checks.check_versions(),
        ]
        table = Table("what", "verdict", "found")
        styles = {"good": "green", "look": "yellow", "bad": "bold red"}
        for finding in found:
            table.add_row(finding.what, f"[{styles[finding.verdict]}]{finding.verdict}[/]", finding.says)
        out.print(table)
        verdict = checks.worst(found)
        plain(
            {"good": "all is well", "look": "it will run; look at the yellow lines", "bad": "something is missing: see the red lines"}[
                verdict
            ]
        )
        if verdict == "bad":
            raise typer.Exit(1)

    @app.command("serve")
    def serve_command(
        state: Annotated[Path, typer.Option(envvar="STATE_DIRECTORY", help="Folder for profile and journal.")],
        settings: Annotated[Path | None, typer.Option(help="Source, players, rules: a TOML file.")] = None,
        panel: PanelOption = None,
    ) -> None:
        """Watch as a service: learn the board at its starting position, then watch it; told to systemd."""
        signal.signal(signal.SIGTERM, _stop)
        helper: Attendant | None = None
        try:
            service = load_service(settings)
            helper = attendant(panel, fail)
            if service.web.enabled:
                run_with_page(service, state, helper, ServiceManager(), plain, sentence)
            else:
                for seen in serve(service, state, helper, ServiceManager(), plain):
                    tell(seen, plain, sentence)
        except TROUBLES as error:
            raise fail(str(error)) from error
        except KeyboardInterrupt:
            raise typer.Exit(0) from None
        finally:
            if helper is not None:
                helper.close()


def _check_pins(path: Path | None) -> checks.Finding:
    told: list[str] = []
    try:
        wired = load_wiring(path)
    except SettingsError as error:
        return checks.Finding("pins", "bad", str(error))
    panel = open_panel(wired, told.append)
    panel.close()
    if told:
        return checks.Finding("pins", "look", told[0])
    fitted: list[Any] = wired.used()
    return checks.Finding("pins", "good", f"{len(fitted)} wires by {wired.driver}; try them with `gammonwatch panel test`")
