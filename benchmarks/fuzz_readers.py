#!/usr/bin/env python3
"""Fuzzing of every reader: `fuzz_readers.py READER [--with atheris|hypothesis] [--seconds 600]`; exit 1 at the first finding.

atheris is guided by coverage of `rules/`. hypothesis makes bytes, words of the format in any order, and seeds with pieces cut out,
repeated and put in; it makes a finding as small as it can. What a finding is stands in `fuzz_targets.py`. Seconds are those of the processor.
Readers: mat, sgf, snowie, ogxm, ids, notation. Seeds: `benchmarks/fuzz/` and, when they are there, the shared matches.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

NAMES = ("mat", "sgf", "snowie", "ogxm", "ids", "notation")
LONGEST = 20_000
"""Bytes of an input."""


def with_atheris(name: str, seconds: int) -> str:
    import atheris

    import rules.judge  # noqa: F401  the generator and the judge are not what is fuzzed, and are faster as they are

    with atheris.instrument_imports(include=["rules"]):
        from fuzz_targets import Watch, seeds, words
    watch = Watch(name)
    with tempfile.TemporaryDirectory() as folder:
        for n, data in enumerate(seeds(name)):
            (Path(folder) / str(n)).write_bytes(data)
        dictionary = Path(folder).with_suffix(".dict")
        spelled = ("".join(rf"\x{byte:02x}" for byte in word[:40]) for word in words(name))
        dictionary.write_text("".join(f'"{word}"\n' for word in spelled))
        def one(data: bytes) -> None:
            watch(data)
            if time.process_time() > seconds:
                print(watch, flush=True)
                shutil.rmtree(folder, ignore_errors=True)
                dictionary.unlink()
                os._exit(0)  # libFuzzer knows only the clock on the wall

        atheris.Setup([sys.argv[0], f"-max_len={LONGEST}", "-print_final_stats=1", "-verbosity=0", f"-dict={dictionary}", folder], one)
        try:
            atheris.Fuzz()
        finally:
            print(watch, flush=True)
    return str(watch)


def with_hypothesis(name: str, seconds: int) -> str:
    import hypothesis
    from fuzz_targets import Watch, seeds, words
    from hypothesis import strategies as st

    known = seeds(name, small=True)
    pieces = st.sampled_from(words(name)) | st.binary(max_size=6) | st.integers(-1, 10**12).map(lambda n: str(n).encode())

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        """A seed, mostly a part of one, with pieces cut out, repeated and put in."""
        data = draw(st.sampled_from(known))
        if draw(st.booleans()):
            data = data[: draw(st.integers(0, len(data)))]
        for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 8)))):
            at = draw(st.integers(0, len(data)))
            length = draw(st.integers(0, min(60, len(data) - at)))
            part = draw(st.sampled_from([b"", data[at : at + length] * draw(st.integers(1, 5))]) | pieces)
            data = data[:at] + part + data[at + length :]
        return data[:LONGEST]

    inputs = changed() | changed() | st.lists(pieces, max_size=60).map(b"".join) | st.binary(max_size=400)
    watch = Watch(name, slow=2.0)
    while time.process_time() < seconds:

        @hypothesis.settings(max_examples=400, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.seed(watch.runs + time.time_ns())
        @hypothesis.given(inputs)
        def one(data: bytes) -> None:
            watch(data)

        one()
    return str(watch)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("reader", choices=NAMES)
    arguments.add_argument("--with", dest="tool", choices=("atheris", "hypothesis"), default="atheris")
    arguments.add_argument("--seconds", type=int, default=600)
    asked = arguments.parse_args()
    print((with_atheris if asked.tool == "atheris" else with_hypothesis)(asked.reader, asked.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
