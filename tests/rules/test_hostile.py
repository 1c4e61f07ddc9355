"""Files made to do harm: whatever they hold, they are read, checked and written again, or refused in one sentence, within bounds."""

import contextlib
import re
import time
import tracemalloc

import pytest

from rules.check import check_match
from rules.formats.any_format import FORMATS, read_match
from rules.formats.gathering import LARGEST_CUBE, MOST_GAMES
from rules.formats.ids import IdError, parse_xgid
from rules.formats.mat import read_mat
from rules.formats.sgf import read_sgf
from rules.formats.snowie import parse_snowie
from rules.notation import NotationError, parse_hops
from rules.record import CannotHold, FormatError

SECONDS = 20.0
"""Of the processor, memory being watched; each of these needs a second or less."""
TIMES = 150
"""Bytes of memory for each byte of the file. A turn of three letters becomes a position and an event: 60 are needed."""

TREE = "(;FF[4]GM[6]MI[length:{}][game:0][ws:0][bs:0]PW[a]PB[b]{})"
MAT = " 0 point match\n\n Game 1\n a : 0                          b : 0\n"

HOSTILE = {
    "the cube goes on doubling": (TREE.format(0, ";W[double];B[take];B[double];W[take]" * 60), f"the cube is doubled beyond {LARGEST_CUBE:,}"),
    "beavers without end": (TREE.format(0, ";W[double];B[double]" * 60), f"the cube is doubled beyond {LARGEST_CUBE:,}"),
    "the cube doubles in columns": (MAT + "".join(f"{n:3d})  Doubles => 2                Takes\n" for n in range(1, 200)), ""),
    "drops without end": (TREE.format(0, ";W[drop]" * 600), ""),
    "rolls without end": (TREE.format(0, ";PL[W]DI[31]" * 400), ""),
    "many games": (TREE.format(9999, "RE[W+1R]") * MOST_GAMES, ""),
    "too many games": (TREE.format(9999, "RE[W+1R]\n") * (MOST_GAMES + 1), f"line {MOST_GAMES + 1}: expected one match, found more than 1,000 games"),
    "too many games in columns": (" 7 point match\n" + " Game 1\n a : 0    b : 0\n" * (MOST_GAMES + 1), "found more than 1,000 games"),
    "brackets": ("(" * 5000, "nested more than 1000 deep"),
    "variations": (TREE.format(7, "(;C[x])" * 900), ""),
    "one value of many": (TREE.format(7, "C" + "[x]" * 2000), ""),
    "a value without an end": (TREE.format(7, "C[" + "\\" * 9000), "does not end"),
    "colons": (" 7 point match\n Game 1\n" + " : 1" * 490, ""),
    "blanks": (" 7 point match\n Game 1\n" + " " * 1900 + ":" + " " * 90, "both names and scores"),
    "tabs": (MAT + "\t" * 1990 + "31:", ""),
    "a line without an end": (MAT + "31: " * 100_000, "found one of 400000 characters"),
    "tags": ('; [a "b"]\n' * 1000 + MAT, ""),
    "cells in a row": (MAT + "  1) " + "31: " * 480, ""),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_stay_within_bounds(what: str) -> None:
    text, refusal = HOSTILE[what]
    data = text.encode()
    began = time.process_time()
    tracemalloc.start()
    said = []
    try:
        record = read_match(data)
        said += [finding.sentence for finding in check_match(record)]
        for kind in FORMATS.values():
            said += kind.left_out(record)
            try:
                kind.write(record)
            except CannotHold as error:
                said.append(str(error))
        assert not refusal
    except FormatError as error:
        said.append(str(error))
        assert refusal in str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert all(sentence and "\n" not in sentence for sentence in said)
    assert peak < TIMES * (len(data) + 4096), f"{peak:,} bytes for {len(data):,}"
    assert time.process_time() - began < SECONDS


BLANKS = sorted({chr(n) for n in range(0x3001) if chr(n).isspace()})
"""Whatever Python calls blank; `int` does not take all of them."""
SNOWIE = "9;0;0;0;1;Ann;Bo;0;2;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;0;5;2;"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


@pytest.mark.parametrize("blank", BLANKS, ids=lambda blank: f"{ord(blank):04x}")
def test_blanks_of_all_kinds_around_any_number(blank: str) -> None:
    readers = (
        (read_sgf, TREE.format(7, "CV[2]RE[W+2];PL[W]DI[31];W[31hefe];B[resign:1]")),
        (read_mat, MAT + "  1) 31: 8/5 6/5   Doubles => 2\n  2) Takes    \n     Wins 1 point\n"),
        (parse_snowie, SNOWIE),
        (parse_xgid, XGID),
        (parse_hops, "13/7(2) 6/off"),
    )
    for read, text in readers:
        for number in re.finditer(r"\d+", text):
            for start, end in ((number.start(), number.start()), (number.end(), number.end()), number.span()):
                with contextlib.suppress(FormatError, IdError, NotationError):
                    read(text[:start] + blank + text[end:])  # type: ignore[operator]
