"""The commands check, convert and show (E2, M1, S1): what they print and their exit status."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from controller.files_cli import files

LEGAL = """\
 5 point match

 Game 1
 Ann : 0                        Bo : 0
  1) 31: 8/5 6/5                 63: 24/18 13/10
  2)  Doubles => 2                Drops
      Wins 1 point
"""
ILLEGAL = LEGAL.replace("8/5 6/5", "8/5 6/4")
SGF = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[Ann]PB[Bo]RU[Crawford];W[31hefd];B[63agln])"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(files, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "legal.mat").write_text(LEGAL)
    (tmp_path / "illegal.mat").write_text(ILLEGAL)
    (tmp_path / "illegal.sgf").write_text(SGF)
    (tmp_path / "latin.mat").write_bytes(LEGAL.replace("Bo", "Bö").encode("latin-1"))
    return tmp_path


def test_check(folder: Path) -> None:
    good = run("check", folder / "legal.mat")
    assert (good.exit_code, good.stdout) == (0, "5-point match, 1 game, 4 turns: every play is legal and the scores are right\n")
    bad = run("check", folder / "illegal.mat")
    lines = bad.stdout.splitlines()
    assert bad.exit_code == 3
    assert lines[0] == "game 1, turn 1: Ann played 8/5 6/4, 5 pips; that is not a play of 3-1. (M1)"
    assert lines[-2] == "legal: 8/5 6/5; 8/4; 24/23 8/5" and lines[-1].endswith("1 against the rules")
    assert any("[3] [1]" in line for line in lines) and "○ Bo: 167 pips" in bad.stdout
    wrong_score = folder / "score.mat"
    wrong_score.write_text(LEGAL.replace("Wins 1", "Wins 2"))
    result = run("check", wrong_score)
    assert result.exit_code == 3 and result.stdout.startswith("game 1: Ann won 1 point (single); the file says 2. (S1)\n")


def test_check_with_a_rule_set(folder: Path) -> None:
    limited = folder / "rules.json"
    limited.write_text(json.dumps({"cube_limit": 1}))
    result = run("check", folder / "legal.mat", "--rules", limited)
    assert result.exit_code == 3 and "the cube may not go beyond 1" in result.stdout
    assert run("check", folder / "legal.mat", "--rules", "of thumb").exit_code == 1


def test_convert_every_way(folder: Path) -> None:
    for ending in (".sgf", ".txt", ".mat"):
        target = folder / f"out{ending}"
        result = run("convert", folder / "legal.mat", target)
        assert result.exit_code == 0, result.stderr
        assert run("check", target).exit_code == 0
    assert (folder / "out.sgf").read_text().startswith("(;FF[4]GM[6]")


def test_convert_to_ogxm(folder: Path) -> None:
    pytest.importorskip("ogxm", reason="the extra ogxm is not installed")
    assert run("convert", folder / "illegal.sgf", folder / "out.ogxm").exit_code == 0
    assert (folder / "out.ogxm").read_bytes()[:4] == b"OGXM"
    assert run("check", folder / "out.ogxm").exit_code == 3


def test_what_a_format_cannot_hold_is_refused_and_what_it_leaves_out_is_told(folder: Path) -> None:
    refused = run("convert", folder / "illegal.sgf", folder / "out.mat")
    assert refused.exit_code == 1 and not (folder / "out.mat").exists()
    assert "out.mat was not written: game 1, turn 1: A's illegal play of 3-1 stood" in refused.stderr
    tagged = folder / "tagged.mat"
    tagged.write_text('; [Elo "9"]\n' + LEGAL)
    told = run("convert", tagged, folder / "out.sgf")
    assert told.exit_code == 0 and "left out: the tag 'Elo' has no place in SGF" in told.stderr


def test_remarks_of_the_reader_are_told(folder: Path) -> None:
    result = run("check", folder / "latin.mat")
    assert result.exit_code == 0 and "line 4: this is not UTF-8; the file is read as Latin-1" in result.stderr


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("4HPwATDgc/ABMA", "○ B: 167 pips"),
        ("4HPwATDgc/ABMA:cIkqAUAAEAAE", "[5] [2]"),
        ("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:0:0:0:0:10", " [2]│"),
        ("-b----E-C---eE---c-e----B-:1:-1:-1:31:0:0:0:0:10", " [2]│"),
        ("9;0;0;0;1;Ann;Bo;0;2;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;0;5;2;", "● Ann: 143 pips, 1 off"),
    ],
)
def test_show_an_id(what: str, says: str) -> None:
    result = run("show", what)
    assert result.exit_code == 0 and says in result.stdout


def test_show_a_match(folder: Path) -> None:
    last = run("show", folder / "legal.mat")
    assert last.exit_code == 0 and last.stdout.rstrip().endswith("game 1, turn 4 of 4, score 0-0")
    first = run("show", folder / "legal.mat", "--turn", "1")
    assert "turn 1 of 4, score 0-0: Ann played 3-1" in first.stdout and "[3] [1]" in first.stdout
    start = run("show", folder / "legal.mat", "--turn", "0")
    assert "● Ann: 167 pips" in start.stdout
    svg = folder / "board.svg"
    assert run("show", folder / "legal.mat", "--svg", svg).exit_code == 0
    assert ET.fromstring(svg.read_text()).tag.endswith("svg")


def test_bad_input_gets_one_sentence(folder: Path) -> None:
    broken = folder / "broken.mat"
    broken.write_text(" 5 point match\n Game 1\nhello\n")
    table: list[tuple[list[str | Path], str]] = [
        (["check", folder / "none.mat"], "none.mat: No such file"),
        (["check", folder], "Is a directory"),
        (["check", broken], "broken.mat: line 3: expected both names and scores"),
        (["convert", broken, folder / "x.sgf"], "broken.mat: line 3"),
        (["convert", folder / "legal.mat", folder / "x.pdf"], "cannot tell a format by 'x.pdf'; a file that can be written ends in .mat, .sgf, .txt, .ogxm"),
        (["convert", folder / "legal.mat", folder / "no" / "x.sgf"], "there is no folder"),
        (["show", "hello"], "'hello' is neither a file nor an XGID"),
        (["show", "x" * 5000], "is neither a file nor an XGID"),
        (["show", "XGID=nonsense"], "26 signs"),
        (["show", "4HPwATDgc/ABM!"], "a Position ID is 14 letters"),
        (["show", "4HPwATDgc/ABMA:short"], "a Match ID is 12 letters"),
        (["show", folder / "legal.mat", "--game", "2"], "there is no game 2; the file has 1"),
        (["show", folder / "legal.mat", "--turn", "9"], "game 1 has 4 turns, not 9"),
        (["show", "4HPwATDgc/ABMA", "--svg", folder / "no" / "x.svg"], "there is no folder"),
    ]
    for words, says in table:
        result = run(*words)
        assert result.exit_code == 1, words
        assert says in result.stderr and result.stderr.count("\n") == 1, (words, result.stderr)
