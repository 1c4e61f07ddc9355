#!/usr/bin/env python3
"""Coverage-guided fuzzing of every reader with atheris: `fuzz_readers.py READER [--seconds 600]`; exit 1 at the first finding.

A finding is any exception but the reader's own refusal, a refusal of more than one line, more than ten seconds of the processor for
one input (the instrumented code is slow), or memory beyond a small multiple of the input. Seeds: `benchmarks/fuzz/` and, when they are there, the shared matches.
Readers: mat, sgf, snowie, ogxm, ids, notation.
"""

import argparse
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import rules.judge  # noqa: F401  the generator and the judge are not what is fuzzed, and are faster as they are

with atheris.instrument_imports(include=["rules"]):
    from rules.check import check_match
    from rules.formats.ids import IdError, parse_match_id, parse_position_id, parse_xgid
    from rules.formats.mat import read_mat, write_mat
    from rules.formats.ogxm import read_ogxm
    from rules.formats.sgf import read_sgf, write_sgf
    from rules.formats.snowie import parse_snowie
    from rules.notation import NotationError, parse_play
    from rules.plays import Roll
    from rules.position import START, Player
    from rules.record import CannotHold, FormatError

SLOW = 10.0
"""Seconds of the processor for one input."""
SHARED = ROOT.parent / "shared/matches"


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def match(record, write) -> None:
    check_match(record)
    try:
        write(record)
    except CannotHold as refusal:
        assert "\n" not in str(refusal), refusal


def mat(data: bytes) -> None:
    match(read_mat(text(data)), write_mat)


def sgf(data: bytes) -> None:
    match(read_sgf(text(data)), write_sgf)


def ogxm(data: bytes) -> None:
    check_match(read_ogxm(data))


def snowie(data: bytes) -> None:
    one = parse_snowie(text(data))
    assert parse_snowie(str(one)) == one


def ids(data: bytes) -> None:
    words = text(data)
    for parse in (parse_xgid, parse_match_id, lambda t: parse_position_id(t, Player.A)):
        try:
            parse(words)
        except IdError as error:
            assert "\n" not in str(error), error


def notation(data: bytes) -> None:
    if len(data) > 2:
        roll = Roll(data[0] % 6 + 1, data[1] % 6 + 1)
        try:
            parse_play(text(data[2:]), START, Player.A, roll)
        except NotationError as error:
            assert "\n" not in str(error), error


READERS = {"mat": mat, "sgf": sgf, "ogxm": ogxm, "snowie": snowie, "ids": ids, "notation": notation}
SUFFIXES = {"mat": (".mat", ".txt"), "sgf": (".sgf",)}


def seeds(name: str, folder: Path) -> None:
    own = ROOT / "benchmarks/fuzz"
    files = list(own.glob(f"{name}*"))
    if SHARED.is_dir():
        files += [path for path in SHARED.iterdir() if path.suffix in SUFFIXES.get(name, ()) and path.stat().st_size < 20_000]
    for path in files:
        (folder / path.name).write_bytes(path.read_bytes())
    if name == "ogxm" and SHARED.is_dir():
        from rules.formats.ogxm import write_ogxm

        for path in SHARED.glob("*.txt"):
            (folder / f"{path.name}.ogxm").write_bytes(write_ogxm(read_mat(path.read_text(encoding="utf-8-sig"))))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("reader", choices=READERS)
    arguments.add_argument("--seconds", type=int, default=600)
    asked = arguments.parse_args()
    read = READERS[asked.reader]
    worst = {"seconds": 0.0, "runs": 0, "memory": 0.0}

    def one(data: bytes) -> None:
        worst["runs"] += 1
        # Memory is measured on a sample: tracing every input would be most of the work.
        traced = worst["runs"] % 500 == 0
        if traced:
            tracemalloc.start()
        began = time.process_time()
        try:
            read(data)
        except (FormatError, IdError) as error:
            assert "\n" not in str(error), error
        took = time.process_time() - began
        if traced:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            worst["memory"] = max(worst["memory"], peak / (len(data) + 4096))
            assert peak < 400 * (len(data) + 4096), f"{peak} bytes for an input of {len(data)}"
        worst["seconds"] = max(worst["seconds"], took)
        assert took < SLOW or traced, f"{took:.1f} s for an input of {len(data)} bytes"

    with tempfile.TemporaryDirectory() as folder:
        seeds(asked.reader, Path(folder))
        atheris.Setup([sys.argv[0], f"-max_total_time={asked.seconds}", "-max_len=20000", "-print_final_stats=1", folder], one)
        try:
            atheris.Fuzz()
        finally:
            print(f"{asked.reader}: {worst['runs']:,} inputs, slowest {worst['seconds']:.3f} s, memory at most {worst['memory']:.0f} x (input + 4 KB)", flush=True)


if __name__ == "__main__":
    main()
