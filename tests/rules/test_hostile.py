"""Files made to do harm: whatever they hold, they are read, checked and written again, or refused in one sentence, within bounds."""

import re
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from rules.check import check_match
from rules.formats.any_format import FORMATS, LARGEST, read_match
from rules.formats.gathering import LARGEST_CUBE, MOST_GAMES
from rules.formats.ids import IdError, parse_xgid
from rules.formats.mat import read_mat
from rules.formats.ogxm import write_ogxm
from rules.formats.sgf import read_sgf
from rules.formats.snowie import parse_snowie
from rules.notation import NotationError, parse_hops
from rules.position import Player
from rules.record import CannotHold, Double, FormatError, MatchRecord, Take

SECONDS = 20.0
"""Of the processor, memory being watched; each of these needs a second or less."""
TIMES = 150
"""Bytes of memory for each byte of the file. A turn of three letters becomes a position and an event: 60 are needed."""

TREE = "(;FF[4]GM[6]MI[length:{}][game:0][ws:0][bs:0]PW[a]PB[b]{})"
MAT = " 0 point match\n\n Game 1\n a : 0                          b : 0\n"


def test_the_bounds_are_those_of_the_decision() -> None:
    """docs/decisions/0011; the largest cube is still read."""
    assert (LARGEST, MOST_GAMES, LARGEST_CUBE) == (4_000_000, 1000, 1 << 30)
    record = read_sgf(TREE.format(0, "CV[536870912];W[31hefe];B[double];W[take]"))
    assert record.games[0].turns[-2:] == (Double(Player.B, LARGEST_CUBE), Take(Player.A))
    with pytest.raises(FormatError, match="doubled beyond"):
        read_sgf(TREE.format(0, "CV[536870912];W[31hefe];B[double];W[take];B[42qusu];W[double]"))
    assert len(read_match(TREE.format(9999, "RE[W+1R]").encode() * MOST_GAMES).games) == MOST_GAMES


@dataclass(frozen=True)
class Read:
    """The file is read: its games and turns, the clauses of what `check` finds, and the formats that refuse to write it."""

    games: int
    turns: int = 0
    found: frozenset[str] = frozenset()
    not_written: frozenset[str] = frozenset()

    @classmethod
    def of(cls, games: int, turns: int = 0, found: str = "", not_written: str = "") -> "Read":
        return cls(games, turns, frozenset(found.split()), frozenset(not_written.split()))


EVERYWHERE = ".mat .sgf .txt .ogxm"
LAST_CHECKER = ";PL[W]AE[a:y]AW[b];W[61{}]"
"""A has one checker, on his 2-point; B has borne off everything, so the game is over."""

HOSTILE: dict[str, tuple[str, str | Read]] = {
    "the cube goes on doubling": (
        TREE.format(0, ";W[double];B[take];B[double];W[take]" * 60),
        f"line 1: the cube is doubled beyond {LARGEST_CUBE:,}",
    ),
    "beavers without end": (TREE.format(0, ";W[double];B[double]" * 60), f"line 1: the cube is doubled beyond {LARGEST_CUBE:,}"),
    "the cube doubles in columns": (
        MAT + "".join(f"{n:3d})  Doubles => 2                Takes\n" for n in range(1, 200)),
        Read.of(1, 398, "C2 C4", EVERYWHERE),
    ),
    "drops without end": (TREE.format(0, ";W[drop]" * 600), Read.of(1, 600, "C3 M10", ".ogxm")),
    "rolls without end": (TREE.format(0, ";PL[W]DI[31]" * 400), Read.of(1, 400, "", EVERYWHERE)),
    "many games": (TREE.format(9999, "RE[W+1R]") * MOST_GAMES, Read.of(MOST_GAMES, 0, "S2", ".ogxm")),
    "too many games": (
        TREE.format(9999, "RE[W+1R]\n") * (MOST_GAMES + 1),
        f"line {MOST_GAMES + 1}: expected one match, found more than 1,000 games",
    ),
    "too many games in columns": (
        " 7 point match\n" + " Game 1\n a : 0    b : 0\n" * (MOST_GAMES + 1),
        "line 2002: expected one match, found more than 1,000 games",
    ),
    "brackets": ("(" * 5000, "line 1: the variations are nested more than 1000 deep"),
    "variations": (TREE.format(7, "(;C[x])" * 900), Read.of(1)),
    "one value of many": (TREE.format(7, "C" + "[x]" * 2000), Read.of(1)),
    "a value without an end": (TREE.format(7, "C[" + "\\" * 9000), "line 1: the value of C does not end"),
    "colons": (" 7 point match\n Game 1\n" + " : 1" * 490, Read.of(1)),
    "blanks": (" 7 point match\n Game 1\n" + " " * 1900 + ":" + " " * 90, "line 3: expected both names and scores"),
    "tabs": (MAT + "\t" * 1990 + "31:", Read.of(1, 1)),
    "a line without an end": (MAT + "31: " * 100_000, "line 5: expected a line of a match file, found one of 400000 characters"),
    "tags": ('; [a "b"]\n' * 1000 + MAT, Read.of(1)),
    "cells in a row": (MAT + "  1) " + "31: " * 480, Read.of(1, 1)),
    "more than is read": (
        MAT + " " * LARGEST,
        f"expected a match file, found {LARGEST + len(MAT):,} bytes; the most that is read is {LARGEST:,}",
    ),
    "borne off after the game": (TREE.format(7, LAST_CHECKER.format("bz")), "line 1: 61: 2/0 cannot be carried out"),
    "moved after the game": (TREE.format(7, LAST_CHECKER.format("ba")), Read.of(1, 1, "M7", ".mat .txt")),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_stay_within_bounds(what: str) -> None:
    text, outcome = HOSTILE[what]
    data = text.encode()
    began = time.process_time()
    tracemalloc.start()
    said = []
    given: str | Read
    try:
        record = read_match(data)
        findings = check_match(record)
        said += [finding.sentence for finding in findings]
        not_written = set()
        for name, kind in FORMATS.items():
            said += kind.left_out(record)
            try:
                kind.write(record)
            except CannotHold as error:
                not_written.add(name)
                said.append(str(error))
        turns = sum(len(game.turns) for game in record.games)
        given = Read(len(record.games), turns, frozenset(finding.clause for finding in findings), frozenset(not_written))
    except FormatError as error:
        given = str(error)
        said.append(given)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    if isinstance(outcome, str):
        assert isinstance(given, str) and given.startswith(outcome), given
    else:
        assert given == outcome
    assert all(sentence and "\n" not in sentence for sentence in said)
    assert peak < TIMES * (len(data) + 4096), f"{peak:,} bytes for {len(data):,}"
    assert time.process_time() - began < SECONDS


BLANKS = sorted({chr(n) for n in range(0x3001) if chr(n).isspace()})
"""Whatever Python calls blank; `int` does not take all of them."""
SNOWIE = "9;0;0;0;1;Ann;Bo;0;2;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;0;5;2;"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


SIGNS = sorted({*BLANKS, *(chr(n) for n in range(32)), "\x7f", "\u200b", "\u202e"} - {" "})


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: f"{ord(sign):04x}")
def test_names_stay_within_their_line(sign: str) -> None:
    """Whatever stands in a name that cannot be seen, in any format: the sentences that quote it are one line."""
    name = f"Al{sign}ha"
    texts = [TREE.format(7, ";W[61xvmj]").replace("PW[a]", f"PW[{name}]").encode()]
    if sign not in "\r\n":
        texts.append(f'; [Event "{name}"]\n 7 point match\n\n Game 1\n {name} : 0            Be : 0\n  1) 61: 24/22 13/10\n'.encode())
    records = [read_match(text) for text in texts]
    records.append(read_match(write_ogxm(MatchRecord((name, "Be"), 7, records[0].games, [("Event", name)]))))
    for record in records:
        assert record.players[0].split() == ["Al", "ha"] and record.players[0].isprintable() and all(value.isprintable() for _, value in record.tags)
        (finding,) = check_match(record)
        assert finding.sentence.isprintable() and finding.sentence.startswith("Al")
    one = parse_snowie(SNOWIE.replace("Ann", name))
    assert parse_snowie(str(one)) == one and one.names[0].isprintable()


READERS: tuple[tuple[Callable[[str], Any], str], ...] = (
    (read_sgf, TREE.format(7, "CV[2]RE[W+2];PL[W]DI[31];W[31hefe];B[resign:1]")),
    (read_mat, MAT + "  1) 31: 8/5 6/5   Doubles => 2\n  2) Takes    \n     Wins 1 point\n"),
    (parse_snowie, SNOWIE),
    (parse_xgid, XGID),
    (parse_hops, "13/7(2) 6/off"),
)


@pytest.mark.parametrize("blank", BLANKS, ids=lambda blank: f"{ord(blank):04x}")
def test_blanks_of_all_kinds_around_any_number(blank: str) -> None:
    """They change nothing, are refused, or get a remark. (A new line makes a new row of a .mat, which is another match.)"""
    for read, text in READERS:
        whole = read(text)
        for number in re.finditer(r"\d+", text):
            for start, end in ((number.start(), number.start()), (number.end(), number.end()), number.span()):
                changed = text[:start] + blank + text[end:]
                try:
                    given = read(changed)
                except (FormatError, IdError, NotationError) as error:
                    assert str(error) and "\n" not in str(error)
                    continue
                assert given == whole or getattr(given, "remarks", ()) or (read is read_mat and blank in "\r\n"), changed
