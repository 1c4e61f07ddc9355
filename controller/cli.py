"""The command line: read, calibrate, transcribe, watch, demo; the file commands are in `files_cli`. Exit status 2 for a wrong use, 1 for what could not be done."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import cv2
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from calibration.geometry import BoardGeometry, GeometryError
from calibration.locate import BoardNotFound
from calibration.opening import OpeningError
from calibration.profile import Profile, ProfileError
from controller import app as wiring
from controller import journal_cli, pi_commands
from controller.clock import Clock, ClockError
from controller.events import Event
from controller.files_cli import files
from controller.journal import Journal, JournalError, set_aside
from controller.keeping import cli as keeping_commands
from controller.lanes_to_points import lane_order
from controller.live import live
from controller.panel.attendant import Attendant
from controller.records import RecordError, can_write, json_lines, to_mat, write_record
from controller.referee import new_game
from controller.service import ServiceManager
from controller.settings_file import SettingsError
from controller.stills import LIMIT_MB
from controller.web import cli as page_commands
from controller.words import sentence
from rules.drawing import text_board
from rules.formats.ids import Xgid
from rules.formats.mat import CannotHold
from rules.position import Board, Player, Position, PositionError
from vision import thresholds
from vision.annotate import annotate, which_board
from vision.frames import FrameError, FrameSource, open_source
from vision.reader import Reader
from vision.scene import LANES, Scene, readable

TROUBLES = (
    wiring.Trouble, FrameError, ProfileError, OpeningError, BoardNotFound, GeometryError, JournalError, RecordError, SettingsError, ClockError, OSError
)  # fmt: skip
DEMO = Path(__file__).resolve().parent / "data" / "demo"

app = typer.Typer(add_completion=False, help="The companion for a real backgammon board.", pretty_exceptions_enable=False)
app.add_typer(files)
out, err = Console(), Console(stderr=True)

GeometryOption = Annotated[Path | None, typer.Option(help="JSON lines with image, corners, bar and size (see docs).")]
ProfileOption = Annotated[Path | None, typer.Option(help="What `gammonwatch calibrate` wrote.")]
RulesOption = Annotated[str | None, typer.Option("--rules", help="A rule set by name, or a JSON or TOML file.")]
PlayersOption = Annotated[tuple[str, str], typer.Option(help="Names of the players at the bottom (A) and at the top (B).")]


CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""click's base of all usage errors: typer has its own copy of click in some versions."""


def fail(message: str, status: int = 1) -> typer.Exit:
    err.print(f"gammonwatch: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    return typer.Exit(status)


def _version(asked: bool) -> None:
    if asked:
        try:
            out.print(f"gammonwatch {version('gammonwatch')}")
        except PackageNotFoundError:
            out.print("gammonwatch (not installed)")
        raise typer.Exit


@app.callback()
def _root(_: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False) -> None: ...


def row_of(name: str, image: Any, geometry: BoardGeometry, scene: Scene) -> dict[str, Any]:
    """A reading in the schema of labels.md: A is `light`; without a profile A is the lighter side."""
    counts, confidence, bar = scene.board.counts, scene.board.confidence(), scene.board.on_bar
    unsure = [lane for lane, sure in zip(LANES, confidence, strict=True) if sure < thresholds.LANE_UNSURE]
    dice = [
        {
            "value": readable(die),
            "xy": [round(die.xy[0], 1), round(die.xy[1], 1)],
            "where": die.where,
            "state": die.state,
            "confidence": round(max(die.values) * die.certainty, 3),
        }
        for die in scene.dice
    ]
    cube = scene.cube and {
        "value": readable(scene.cube),
        "xy": [round(scene.cube.xy[0], 1), round(scene.cube.xy[1], 1)],
        "where": scene.cube.where,
        "confidence": round(max(scene.cube.values) * scene.cube.certainty, 3),
    }
    return {
        "image": name,
        "size": [image.shape[1], image.shape[0]],
        "corners": geometry.corners.round(1).tolist(),
        "bar": geometry.bar.round(1).tolist(),
        "top": list(counts[:12]),
        "bottom": list(counts[12:]),
        "on_bar": {"light": bar[0], "dark": bar[1]},
        "dice": dice,
        "cube": cube,
        "unsure": unsure,
        "confidence": {lane: round(float(c), 4) for lane, c in zip(LANES, confidence, strict=True)},
    }


@app.command()
def read(
    images: Annotated[list[Path], typer.Argument(help="Pictures of a board.")],
    geometry: GeometryOption = None,
    profile: ProfileOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a picture, in the schema of labels.md.")] = False,
    annotated: Annotated[Path | None, typer.Option("--annotate", help="Folder for pictures with the reading drawn on them.")] = None,
    board: Annotated[int | None, typer.Option(min=1, help="Which of the places drawn is the board, where it was not found for sure.")] = None,
) -> None:
    """Read pictures: checkers, dice and cube, one reading a picture."""
    failed = False
    if board and (geometry or profile):
        raise fail("--board chooses among places that were looked for: leave out --geometry and --profile, which say where the board lies", 2)
    try:
        rows = wiring.load_geometry(geometry) if geometry else None
        reader = Reader(Profile.load(profile) if profile else None)
        if annotated:
            _make_folder(annotated)
    except TROUBLES as error:
        raise fail(str(error)) from error
    for path in images:
        try:
            try:
                image, where, scene = wiring.read_picture(reader, path, rows, board)
            except wiring.WhichBoard as question:
                if annotated and question.candidates:
                    _draw(annotated / f"{path.stem}-boards.png", which_board(question.image, question.candidates))
                raise
            if annotated:
                _draw(annotated / f"{path.stem}.png", annotate(image, where, scene))
        except TROUBLES as error:
            failed = True
            fail(f"{path}: {error}" if path.name not in str(error) else str(error))
            if as_json:
                print(json.dumps({"image": path.name, "error": str(error)}), flush=True)
            continue
        if as_json:
            print(json.dumps(row_of(path.name, image, where, scene)), flush=True)
        else:
            show_reading(path.name, scene, reader.profile)
    if failed:
        raise typer.Exit(1)


def _draw(path: Path, picture: Any) -> None:
    if not cv2.imwrite(str(path), picture):
        raise wiring.Trouble(f"cannot write {path}")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise wiring.Trouble(f"cannot make the folder {path}: {error.strerror or error}") from error


def show_reading(name: str, scene: Scene, profile: Profile | None) -> None:
    home = profile.home if profile else "right"
    counts = [scene.board.counts[i] for i in lane_order(home)]
    board = Board(tuple((max(n, 0), max(-n, 0)) for n in counts), scene.board.on_bar)
    out.print(name, style="bold", markup=False)
    out.print(text_board(board, home=home), markup=False, highlight=False)
    off = [15 - board.on_table(p) for p in (Player.A, Player.B)]
    try:
        position = Position(tuple(counts), board.bar, (off[0], off[1]))
        out.print(f"{Xgid(position, Player.A)}", markup=False, highlight=False)
    except (PositionError, ValueError) as error:
        out.print(f"no XGID: {error}", markup=False, highlight=False)
    for die in scene.dice:
        out.print(f"die {die.value} ({max(die.values):.0%}), {die.state}, {die.where}", markup=False, highlight=False)
    if scene.cube:
        out.print(f"cube {readable(scene.cube) or 'of unread number'}, {scene.cube.where}", markup=False, highlight=False)


@app.command()
def calibrate(
    source: Annotated[str, typer.Argument(help="A picture, folder, video or camera that shows the starting position first.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the profile.")],
    geometry: GeometryOption = None,
    start: Annotated[Path | None, typer.Option(help="A starting position other than the standard one.")] = None,
) -> None:
    """Learn where the board lies and what its checkers look like from the starting position."""
    try:
        rows = wiring.load_geometry(geometry) if geometry else None
        with open_source(source) as frames:
            profile = wiring.learn(frames, next(iter(frames)), rows, wiring.load_start(start))
        profile.save(output)
    except TROUBLES as error:
        raise fail(str(error)) from error
    out.print(f"{output}: A's home is on the {profile.home}; A looks {profile.colours[0]}, B {profile.colours[1]}", markup=False, highlight=False)


STYLES = {"illegal": "bold red", "roll_void": "bold yellow", "unsure": "bold magenta", "play": "green"}


def show_events(events: tuple[Event, ...], names: tuple[str, str]) -> None:
    for event in events:
        out.print(f"{event.frame:4d}  {sentence(event, names)}", style=STYLES.get(event.event, ""), markup=False, highlight=False, soft_wrap=True)


@app.command()
def transcribe(
    source: Annotated[str, typer.Argument(help="A video, or a folder of frames.")],
    profile: ProfileOption = None,
    geometry: GeometryOption = None,
    events: Annotated[Path | None, typer.Option(help="Write the events as JSON lines.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the game as .mat.")] = None,
    match_length: Annotated[int, typer.Option(min=0, help="Points of the match, 0 for money.")] = 0,
    players: PlayersOption = ("A", "B"),
    start: Annotated[Path | None, typer.Option(help="A starting position other than the standard one.")] = None,
    rules: RulesOption = None,
    journal: Annotated[Path | None, typer.Option(help="The journal; a run that was broken off carries on from it.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin again; a journal that is there is set aside as NAME.1.")] = False,
    clock: Annotated[str | None, typer.Option(help="Delay and reserve a point in seconds, usually 12+120; needs --match-length.")] = None,
    stills: Annotated[float, typer.Option(min=0, help="MB for the pictures kept beside the journals of one folder; 0 keeps none.")] = LIMIT_MB,
) -> None:
    """A filmed game becomes a checked record."""
    kept = journal or _beside(events or output, source)
    try:
        ruleset, position = wiring.load_rules(rules), wiring.load_start(start)
        timed = Clock.parse(clock, match_length) if clock else None
        for written in (events, output):
            if written:
                can_write(written)
        look = _profile(source, profile, geometry, position)
        if fresh:
            set_aside(kept)
        with Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=err, transient=True
        ) as progress:
            task = progress.add_task("reading", total=None)

            def each(seen: wiring.Seen, total: int | None) -> None:
                progress.update(task, total=total, completed=seen.frame.index + 1, description=seen.state.waiting)

            happened = wiring.transcribe(
                source, look, kept, ruleset=ruleset, start=position, names=players, length=match_length, clock=timed,
                stills_limit=round(stills * 1e6), each=each,
            )  # fmt: skip
        if events:
            write_record(events, json_lines(happened))
        if not any(e.event != "setup" for e in happened):
            raise wiring.Trouble(f"no game was seen in {source}: the starting position never showed, or a hand lay over the board all the time")
    except TROUBLES as error:
        raise fail(str(error)) from error
    show_events(happened, players)
    if output:
        try:
            write_record(output, to_mat(happened, position, players, match_length))
        except (CannotHold, ValueError) as error:
            raise fail(f"{output} was not written: {error}") from error
        except RecordError as error:
            raise fail(str(error)) from error


def _beside(written: Path | None, source: str) -> Path:
    if written:
        return written.with_suffix(".gammonwatch.sqlite")
    return Path(f"{Path(source).name or 'game'}.gammonwatch.sqlite")


def _profile(source: str, profile: Path | None, geometry: Path | None, start: Position) -> Profile:
    if profile:
        return Profile.load(profile)
    frame = wiring.first_picture(source)
    return wiring.calibrate(frame.image, frame.name, wiring.load_geometry(geometry) if geometry else None, start)


def run_live(
    source: str,
    profile: Profile,
    journal: Path | None,
    names: tuple[str, str],
    rules: str | None,
    start: Path | None,
    attendant: Attendant | None = None,
    length: int = 0,
    clock: str | None = None,
    stills: float = LIMIT_MB,
) -> list[Event]:
    ruleset, position = wiring.load_rules(rules), wiring.load_start(start)
    timed = Clock.parse(clock, length) if clock else None
    all_events: list[Event] = []
    waiting = ""
    state = new_game(position, ruleset, profile.home, names, length, timed)

    def book(frames: FrameSource) -> Journal | None:
        run = wiring.about(frames, profile, ruleset, position, names, length, timed)
        return Journal(journal, run) if journal else None

    for seen in live(source, profile, book, state, attendant or Attendant(), ServiceManager(), err.print, stills_limit=round(stills * 1e6)):
        if any(e.event in ("play", "illegal", "game_start") for e in seen.events):
            out.print(text_board(seen.state.board_shown, home=profile.home, names=names), markup=False, highlight=False)
        show_events(seen.events, names)
        all_events += seen.events
        said = seen.reason or seen.state.waiting
        if said != waiting:
            waiting = said
            out.print(f"      ... {said}", style="dim", markup=False, highlight=False)
    return all_events


@app.command()
def watch(
    source: Annotated[str, typer.Argument(help="A camera, a video, or a folder of frames.")],
    profile: ProfileOption = None,
    geometry: GeometryOption = None,
    players: PlayersOption = ("A", "B"),
    rules: RulesOption = None,
    start: Annotated[Path | None, typer.Option(help="A starting position other than the standard one.")] = None,
    journal: Annotated[Path | None, typer.Option(help="Keep the journal here.")] = None,
    panel: pi_commands.PanelOption = None,
    match_length: Annotated[int, typer.Option(min=0, help="Points of the match, 0 for money.")] = 0,
    clock: Annotated[str | None, typer.Option(help="Delay and reserve a point in seconds, usually 12+120; needs --match-length.")] = None,
    stills: Annotated[float, typer.Option(min=0, help="MB for the pictures kept beside the journals of one folder; 0 keeps none.")] = LIMIT_MB,
) -> None:
    """Watch a board: events as they happen, and what is waited for."""
    try:
        look = _profile(source, profile, geometry, wiring.load_start(start))
        run_live(source, look, journal, players, rules, start, pi_commands.attendant(panel, fail), match_length, clock, stills)
    except TROUBLES as error:
        raise fail(str(error)) from error
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


pi_commands.add_to(app, fail, sentence)


@app.command()
def demo() -> None:
    """The bundled clip through the whole program."""
    names = ("Ada", "Ben")
    try:
        look = _profile(str(DEMO / "frames"), None, DEMO / "geometry.jsonl", wiring.load_start(None))
        with tempfile.TemporaryDirectory() as folder:
            happened = run_live(str(DEMO / "frames"), look, Path(folder) / "demo.sqlite", names, None, None)
        out.rule("the record (.mat)")
        out.print(to_mat(happened, names=names), markup=False, highlight=False)
    except TROUBLES as error:
        raise fail(str(error)) from error
    except CannotHold as error:
        raise fail(f"no .mat: {error}") from error


journal_cli.register(app, out, fail, sentence)
keeping_commands.register(app, out, err, fail)
page_commands.add_to(app, out, fail, sentence, DEMO)


def main() -> None:
    """Entry point of the command `gammonwatch`: whatever happens, one plain sentence and a status."""
    try:
        status = app(prog_name="gammonwatch", standalone_mode=False)
    except CLICK_ERROR as error:
        fail(" ".join(error.format_message().split()))  # type: ignore[attr-defined]
        status = 2
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    except BrokenPipeError:
        # Whoever read us (head, less) has seen enough; the flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except Exception as error:
        if os.environ.get("GAMMONWATCH_TRACEBACK"):
            raise
        fail(f"this is a fault of gammonwatch, please report it ({type(error).__name__}: {error}); GAMMONWATCH_TRACEBACK=1 shows where")
        status = 1
    sys.exit(status or 0)


if __name__ == "__main__":
    main()
