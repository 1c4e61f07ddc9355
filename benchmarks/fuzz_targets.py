"""What is fuzzed, by whichever tool: the readers, their seeds, and the watch on time and memory.

A finding is any exception but the reader's own refusal, a refusal of more than one line, more than ten seconds of the processor for
one input (the instrumented code is slow), or memory beyond a small multiple of the input.
"""

import re
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rules.check import check_match
from rules.formats.any_format import FORMATS, Writer, read_match
from rules.formats.ids import IdError, parse_match_id, parse_position_id, parse_xgid, position_id
from rules.formats.mat import read_mat
from rules.formats.ogxm import read_ogxm
from rules.formats.sgf import read_sgf
from rules.formats.snowie import parse_snowie
from rules.notation import NotationError, parse_hops, parse_play, short
from rules.plays import Roll
from rules.position import START, Player
from rules.record import Beaver, CannotHold, Double, Drop, FormatError, MatchRecord, Take

SLOW = 10.0
"""Seconds of the processor for one input."""
MEMORY = 400
"""Times the input and 4 KB."""
SHARED = ROOT.parent / "shared/matches"
OWN = ROOT / "benchmarks/fuzz"


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def match(record: MatchRecord) -> None:
    """What `check` and `convert` do with a file that was read."""
    for finding in check_match(record):
        assert "\n" not in finding.sentence, finding
    for kind in FORMATS.values():
        for sentence in kind.left_out(record):
            assert "\n" not in sentence, sentence
        try:
            kind.write(record)
        except CannotHold as refusal:
            assert "\n" not in str(refusal), refusal


def mat(data: bytes) -> None:
    match(read_mat(text(data)))


def sgf(data: bytes) -> None:
    match(read_sgf(text(data)))


def ogxm(data: bytes) -> None:
    match(read_ogxm(data))


def snowie(data: bytes) -> None:
    """A position of 40 fields, or the match text, whose illegal plays hold such positions."""
    if data.count(b"\n") > 2:
        mat(data)
    else:
        one = parse_snowie(text(data))
        assert parse_snowie(str(one)) == one


def ids(data: bytes) -> None:
    """All three, each of its own length."""
    words = text(data).strip()
    if len(words) == 12:
        match_id = parse_match_id(words)
        assert parse_match_id(str(match_id)) == match_id
    elif len(words) == 14:
        position = parse_position_id(words, Player.A)
        assert parse_position_id(position_id(position, Player.A), Player.A) == position
    else:
        xgid = parse_xgid(words)
        assert parse_xgid(str(xgid)) == xgid


def notation(data: bytes) -> None:
    """The first two bytes are the dice."""
    dice, words = data[:2].ljust(2), text(data[2:])
    parse_hops(words)
    short(parse_play(words, START, Player.A, Roll(dice[0] % 6 + 1, dice[1] % 6 + 1)).moves)


READERS: dict[str, Callable[[bytes], None]] = {"mat": mat, "sgf": sgf, "ogxm": ogxm, "snowie": snowie, "ids": ids, "notation": notation}
_SHARED_SEEDS = {"mat": ("*.mat", "*.txt"), "sgf": ("*.sgf",), "snowie": ("*snowie.txt",)}
_KINDS = {"mat": ".mat", "sgf": ".sgf", "snowie": ".txt", "ogxm": ".ogxm"}


def seeds(name: str, *, small: bool = False) -> list[bytes]:
    """Our own, and the shared matches where they are; `small`: of those only the beginning of each game, written again."""
    found = [path.read_bytes() for path in sorted(OWN.glob(f"{name}*"))]
    shared = sorted(SHARED.iterdir()) if SHARED.is_dir() else []
    if not small:
        found += [path.read_bytes() for pattern in _SHARED_SEEDS.get(name, ()) for path in shared if path.match(pattern) and path.stat().st_size < 20_000]
    if name in _KINDS and (small or name == "ogxm"):
        for path in [*OWN.glob("mat*"), *OWN.glob("sgf*"), *shared]:
            found += _written(read_match(path.read_bytes()), FORMATS[_KINDS[name]].write)
    return found


def _written(record: MatchRecord, write: Writer) -> list[bytes]:
    """A few turns of the match's first games, and of each game's end."""
    found = []
    for game in record.games[:3]:
        begun = replace(game, turns=game.turns[:12], result=None, stated_points=None)
        ended = replace(game, turns=(*game.turns[:4], *(turn for turn in game.turns if isinstance(turn, Double | Beaver | Take | Drop))))
        for one in (begun, ended):
            try:
                found.append(write(replace(record, games=(one,))))
            except CannotHold:
                continue
    return found


def words(name: str) -> list[bytes]:
    """What the seeds are made of."""
    return sorted({word for data in seeds(name, small=True) for word in re.findall(rb"[A-Za-z]+|[0-9]+|\s+|[^A-Za-z0-9\s]", data)})


class Watch:
    """Runs one input after another and holds each to the limits."""

    def __init__(self, name: str, *, slow: float = SLOW) -> None:
        self.name, self.read, self.slow = name, READERS[name], slow
        self.runs, self.accepted, self.seconds, self.memory = 0, 0, 0.0, 0.0

    def __call__(self, data: bytes) -> None:
        self.runs += 1
        # Memory is measured on a sample: tracing every input would be most of the work.
        traced = self.runs % 500 == 0
        if traced:
            tracemalloc.start()
        began = time.process_time()
        try:
            self.read(data)
            self.accepted += 1
        except (FormatError, IdError, NotationError) as error:
            assert "\n" not in str(error), error
        finally:
            took = time.process_time() - began
            peak = tracemalloc.get_traced_memory()[1] if traced else 0
            tracemalloc.stop()
        self.memory = max(self.memory, peak / (len(data) + 4096))
        assert peak < MEMORY * (len(data) + 4096), f"{peak} bytes for an input of {len(data)}"
        self.seconds = max(self.seconds, took)
        assert took < self.slow or traced, f"{took:.1f} s for an input of {len(data)} bytes"

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.runs:,} inputs, {self.accepted:,} of them read, slowest {self.seconds:.3f} s, "
            f"memory at most {self.memory:.0f} x (input + 4 KB); {time.process_time():.0f} s of the processor"
        )
