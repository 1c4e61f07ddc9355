"""What GNU Backgammon thinks of a match, when it is installed: error rates, luck, and the worst decisions.

gnubg runs as a process of its own, out of the way of the watch (nice 19), and for a bounded time. What it finds is kept beside the
journal, with the match it was found for: a match that has gone on is analysed anew.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.whole_file import write_whole
from controller.keeping.downloads import record_of
from controller.keeping.library import Found
from rules.formats.ids import parse_position_id
from rules.formats.mat import write_mat
from rules.notation import short
from rules.plays import Move
from rules.position import Player, Position
from rules.record import CannotHold

ENDING = ".analysis.json"
VERSION = 1
PLIES = 2
"""gnubg's own "world class": as strong as it gets before it becomes slow."""
MOST_PLIES = 3
SECONDS = 3600.0
"""A long match at 2 plies on a Pi takes some minutes; what takes an hour is not coming back."""
NICE = 19
WORST = 10
GNUBG = "/usr/games/gnubg"
RATINGS = ("awful", "beginner", "casual player", "intermediate", "advanced", "expert", "world class", "supernatural")
"""gnubg's words for an error rate (thousandths of a point a decision), from its manual; the last is the best."""
RATED = (35.0, 26.0, 18.0, 12.0, 8.0, 5.0, 2.0)
"""From this error rate on it is the next worse word."""
_PROGRESS = re.compile(rb"move:\s*(\d+)/(\d+)")

Progress = Callable[[int, int], None]
"""Called with the decisions analysed so far, and how many there are."""


class AnalysisError(Exception):
    """There is no analysis; one plain sentence says why."""


class Stopped(AnalysisError):
    """Somebody no longer wants it."""


class Side(BaseModel):
    """One player's part."""

    model_config = ConfigDict(frozen=True)

    name: str
    decisions: int
    """Unforced plays and close cube decisions."""
    error_rate: float
    """Thousandths of a point lost a decision: less is better."""
    rating: str
    play_error: float
    """Points lost by plays; cube_error by cube decisions."""
    cube_error: float
    unforced: int
    close_cubes: int
    doubtful: int
    bad: int
    very_bad: int
    luck: float
    """Points that the dice gave (below zero: took)."""


class Mistake(BaseModel):
    """One decision that cost something."""

    model_config = ConfigDict(frozen=True)

    game: int
    turn: int
    """Within the game, counted over both players' decisions."""
    player: Literal["A", "B"]
    kind: Literal["play", "cube"]
    dice: list[int] = []
    did: str
    better: str
    loss: float
    """Points of the present cube."""
    position: list[int]
    """Before it; 28 integers."""
    cube: int = 1


class Analysis(BaseModel):
    """gnubg's view of a match."""

    model_config = ConfigDict(frozen=True)

    version: int = VERSION
    match: str
    """Print of the match it is about."""
    plies: int
    sides: tuple[Side, Side]
    worst: list[Mistake]
    seconds: Annotated[float, Field(ge=0)]


def installed() -> str | None:
    """Where gnubg is."""
    return GNUBG if os.access(GNUBG, os.X_OK) else shutil.which("gnubg")


def match_of(found: Found) -> str:
    """The match as gnubg is given it. Raises CannotHold."""
    record = record_of(found)
    if not any(game.turns for game in record.games):
        raise CannotHold("no turn has been played yet")
    return write_mat(record)


def print_of(match: str) -> str:
    return hashlib.sha256(match.encode()).hexdigest()[:16]


def kept(journal: Path, match: str, plies: int | None = None) -> Analysis | None:
    """The analysis kept beside the journal, if it is of this match (and at so many plies)."""
    try:
        found = Analysis.model_validate_json(_beside(journal).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None
    fits = found.version == VERSION and found.match == print_of(match) and plies in (None, found.plies)
    return found if fits else None


def _beside(journal: Path) -> Path:
    return journal.with_name(journal.name + ENDING)


def analyse(
    match: str,
    names: tuple[str, str],
    plies: int = PLIES,
    progress: Progress = lambda done, total: None,
    stopped: Callable[[], bool] = lambda: False,
    seconds: float = SECONDS,
    gnubg: str | None = None,
) -> Analysis:
    """Have gnubg analyse a `.mat` text. Blocks until it is done; `stopped` is asked several times a second.

    Raises AnalysisError when gnubg is not there, cannot read the match, fails, or takes longer than `seconds`; Stopped when told to.
    """
    program = gnubg or installed()
    if program is None:
        raise AnalysisError("gnubg is not installed: apt-get install gnubg")
    if not 0 <= plies <= MOST_PLIES:
        raise AnalysisError(f"gnubg looks 0 to {MOST_PLIES} plies ahead here, not {plies}")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gammonwatch-") as folder:
        written, result = Path(folder) / "match.mat", Path(folder) / "result.json"
        written.write_text(match, encoding="utf-8")
        told = _run(program, written, result, plies, progress, stopped, seconds)
        if not result.exists():
            raise AnalysisError(f"gnubg gave no result{_last_line(told)}")
        try:
            return _understood(json.loads(result.read_text(encoding="utf-8")), match, names, plies, time.monotonic() - began)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise AnalysisError(f"gnubg's result cannot be understood ({type(error).__name__}: {error})") from error


def _run(
    program: str, match: Path, result: Path, plies: int, progress: Progress, stopped: Callable[[], bool], seconds: float
) -> bytes:
    """gnubg's progress is told to a terminal only, so it is given one."""
    ours, its = os.openpty()
    order = {"GAMMONWATCH_MATCH": str(match), "GAMMONWATCH_RESULT": str(result), "GAMMONWATCH_PLIES": str(plies)}
    given = {"PATH": os.environ.get("PATH", ""), "HOME": str(match.parent), "LANG": "C.UTF-8", "TERM": "dumb", **order}
    script = Path(__file__).with_name("gnubg_inside.py")
    # Should this process be killed, gnubg goes with it.
    bound = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
    try:
        if not os.access(program, os.X_OK):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        process = subprocess.Popen(
            [*bound, program, "-t", "-q", "-r", "-p", str(script)], stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=given, cwd=match.parent,
            start_new_session=True, close_fds=True,
        )  # fmt: skip
    except OSError as error:
        os.close(ours)
        raise AnalysisError(f"gnubg cannot be started: {error.strerror or error}") from error
    finally:
        os.close(its)
    _out_of_the_way(process.pid)
    told, until = bytearray(), time.monotonic() + seconds
    try:
        while True:
            if stopped():
                raise Stopped("the analysis was stopped")
            if time.monotonic() > until:
                raise AnalysisError(f"gnubg took longer than {seconds:g} s and was stopped; fewer plies are faster")
            ready, _, _ = select.select([ours], [], [], 0.2)
            if not ready:
                if process.poll() is not None:
                    return bytes(told)
                continue
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed: it has ended
                more = b""
            if not more:
                process.wait(5)
                return bytes(told)
            told = (told + more)[-4000:]
            for done, total in _PROGRESS.findall(more)[-1:]:
                progress(int(done), int(total))
    finally:
        _end(process)
        os.close(ours)


def _out_of_the_way(pid: int) -> None:
    """The watch goes first. Where the scheduler groups sessions, the group has to be told: a nice value alone does nothing."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    with suppress(OSError):
        if os.getsid(pid) == pid:
            Path(f"/proc/{pid}/autogroup").write_text(str(NICE))


def _end(process: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(2)


def _last_line(told: bytes) -> str:
    lines = [line.strip() for line in told.decode(errors="replace").splitlines() if line.strip()]
    return f" ({lines[-1][:120]})" if lines else ""


# What gnubg wrote

_PLAYERS = {"X": Player.A, "O": Player.B}
"""gnubg's player 0, the left column of a .mat file, is X here."""


def _understood(row: dict[str, Any], match: str, names: tuple[str, str], plies: int, seconds: float) -> Analysis:
    sides = tuple(_side(row["stats"][letter], name) for letter, name in zip("XO", names, strict=True))
    mistakes: list[Mistake] = []
    for number, game in enumerate(row["games"], 1):
        mistakes += _mistakes(number, game["game"])
    mistakes.sort(key=lambda mistake: -mistake.loss)
    return Analysis(match=print_of(match), plies=plies, sides=(sides[0], sides[1]), worst=mistakes[:WORST], seconds=round(seconds, 1))


def _side(stats: dict[str, Any], name: str) -> Side:
    moves, cube, marked = stats["moves"], stats["cube"], stats["moves"]["marked"]
    lost, decisions = abs(moves["error-skill"]) + abs(cube["error-skill"]), moves["unforced-moves"] + cube["close-cube"]
    rate = 1000 * lost / decisions if decisions else 0.0
    return Side(
        name=name, decisions=decisions, error_rate=round(rate, 2), rating=rating(rate) if decisions else "no decisions",
        play_error=round(abs(moves["error-skill"]), 4), cube_error=round(abs(cube["error-skill"]), 4),
        unforced=moves["unforced-moves"], close_cubes=cube["close-cube"],
        doubtful=marked["doubtful"], bad=marked["bad"], very_bad=marked["very bad"], luck=round(stats["dice"]["luck"], 3),
    )  # fmt: skip


def rating(rate: float) -> str:
    """The word for an error rate in thousandths of a point a decision."""
    return next((word for word, least in zip(RATINGS, RATED, strict=False) if rate >= least), RATINGS[-1])


def _mistakes(game: int, records: list[dict[str, Any]]) -> list[Mistake]:
    found: list[Mistake] = []
    turn, doubled = 0, None
    for record in records:
        player = _PLAYERS.get(record.get("player", ""))
        if player is None or record["action"] not in ("move", "double", "take", "drop"):
            continue
        turn += 1
        analysis, cube = record.get("analysis", {}), int(record.get("cube-value", 1))
        board = parse_position_id(record["board"], player) if "board" in record else None
        if record["action"] in ("take", "drop"):
            if doubled is not None:
                found += _answered(game, turn, player, record["action"], *doubled)
            doubled = None
            continue
        if record["action"] == "double" and board is not None and "cube" in record:
            doubled = (board, record["cube"][1], cube)
        if board is None:
            continue
        if "cube" in record:
            found += _cube(game, turn, player, record, board, cube)
        moves = analysis.get("moves", [])
        if record["action"] == "move" and len(moves) == 2:
            loss = moves[0]["score"] - moves[1]["score"]
            did, better = (_notation(move["move"], board, player) for move in (moves[1], moves[0]))
            found.append(_mistake(game, turn, player, "play", did, better, loss, board, cube, list(record["dice"])))
    return [mistake for mistake in found if mistake.loss >= 0.001]


def _cube(game: int, turn: int, player: Player, record: dict[str, Any], board: Position, cube: int) -> list[Mistake]:
    """Doubling is worth what the opponent leaves of it: he takes or passes, whichever costs him less."""
    none, taken = record["cube"]
    double = min(taken, 1.0)
    if record["action"] == "double":
        did, better, loss = "doubled", "no double", none - double
    else:
        did, better, loss = "did not double", "double", double - none
    return [_mistake(game, turn, player, "cube", did, better, loss, board, cube, [])]


def _answered(game: int, turn: int, player: Player, action: str, board: Position, taken: float, cube: int) -> list[Mistake]:
    loss = taken - 1.0 if action == "take" else 1.0 - taken
    did, better = ("took", "pass") if action == "take" else ("passed", "take")
    return [_mistake(game, turn, player, "cube", did, better, loss, board, cube, [])]


def _mistake(
    game: int, turn: int, player: Player, kind: Literal["play", "cube"], did: str, better: str, loss: float, board: Position, cube: int, dice: list[int]
) -> Mistake:
    return Mistake(
        game=game, turn=turn, player=player.value, kind=kind, dice=dice, did=did, better=better, loss=round(loss, 4),
        position=list(board.to_28()), cube=cube,
    )  # fmt: skip


def _notation(steps: list[list[int]], board: Position, player: Player) -> str:
    """gnubg's moves in our notation, with hits: 25 is the bar, 0 off, in the mover's numbering."""
    counts = [*board.counts(player.other)]
    moves = []
    for start, end in steps:
        hit = 0 < end < 25 and counts[25 - end] == 1
        if hit:
            counts[25 - end] = 0
        moves.append(Move(start, end, hit))
    return short(tuple(moves))


def save(journal: Path, analysis: Analysis) -> None:
    """Keep it beside the journal. Raises AnalysisError when it cannot be written."""
    try:
        write_whole(_beside(journal), analysis.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise AnalysisError(f"the analysis cannot be kept in {journal.parent}: {error.strerror or error}") from error
