"""gnubg's analysis: understood as gnubg itself counts it, bounded, stopped cleanly, kept."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from some_matches import keep, simulated
from test_library import run, short_match

from controller.keeping import analysis as thinking
from controller.keeping.background import Analyses, Busy
from controller.keeping.library import Library
from rules.formats.any_format import read_match
from rules.formats.mat import write_mat
from rules.position import Position

SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
MATCH = SHARED / "matches" / "gnubgparser-gnubg108_7pt_2305.mat"
needs_gnubg = pytest.mark.skipif(thinking.installed() is None, reason="gnubg is not installed")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests do not give way to whatever else the machine does."""
    monkeypatch.setattr(thinking, "NICE", 0)


def a_match(folder: Path) -> str:
    path = short_match(folder / "m.sqlite")
    return thinking.match_of(Library(folder).open(path.name))


@needs_gnubg
def test_a_match_of_ours_is_understood(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = thinking.analyse(a_match(tmp_path), ("Ada", "Ben"), 0, lambda done, total: told.append((done, total)))
    assert [side.name for side in found.sides] == ["Ada", "Ben"] and [side.unforced for side in found.sides] == [1, 1]
    assert found.plies == 0 and all(side.error_rate >= 0 for side in found.sides)


@needs_gnubg
@pytest.mark.skipif(not MATCH.exists(), reason="the shared matches are not here")
def test_errors_add_up_to_what_gnubg_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every decision's loss, worked out by us, against gnubg's own totals."""
    monkeypatch.setattr(thinking, "WORST", 10_000)
    record = read_match(MATCH.read_bytes())
    found = thinking.analyse(write_mat(record), record.players, 0)
    assert [side.name for side in found.sides] == ["Alpha", "Beta"]
    for letter, side in zip("AB", found.sides, strict=True):
        plays = sum(one.loss for one in found.worst if one.player == letter and one.kind == "play")
        assert plays == pytest.approx(side.play_error, abs=0.03)  # losses under a thousandth are not listed
        cube = sum(one.loss for one in found.worst if one.player == letter and one.kind == "cube")
        assert cube == pytest.approx(side.cube_error, abs=0.02)
    losses = [one.loss for one in found.worst]
    assert losses == sorted(losses, reverse=True) and losses[0] > 0.02
    for one in found.worst:
        assert Position.from_28(one.position) and one.did != one.better


def fake(folder: Path, script: str) -> str:
    path = folder / "gnubg"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 1", "gave no result"),
        ("echo 'no such file'", r"gave no result \(no such file\)"),
        ("echo '{}' > $GAMMONWATCH_RESULT", "cannot be understood"),
        ("echo 'not json' > $GAMMONWATCH_RESULT", "cannot be understood"),
        ("echo '[1, 2]' > $GAMMONWATCH_RESULT", "cannot be understood"),
        ("kill -9 $$", "gave no result"),
    ],
)
def test_a_gnubg_that_fails_is_one_sentence(tmp_path: Path, script: str, says: str) -> None:
    with pytest.raises(thinking.AnalysisError, match=says) as error:
        thinking.analyse(" 3 point match\n", ("A", "B"), 0, gnubg=fake(tmp_path, script))
    assert "\n" not in str(error.value)


def test_one_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    program = fake(tmp_path, f"trap '' TERM\nsleep 300 & echo $! > {mark}\nwhile :; do sleep 0.1; done")
    began = time.monotonic()
    with pytest.raises(thinking.AnalysisError, match=r"longer than 1\.5 s"):
        thinking.analyse("", ("A", "B"), 0, seconds=1.5, gnubg=program)
    assert time.monotonic() - began < 30
    if mark.exists():
        child = int(mark.read_text())
        deadline = time.monotonic() + 10
        while Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text().split()[2]:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="util-linux's setpriv is not here")
def test_gnubg_goes_with_whoever_asked_for_it(tmp_path: Path) -> None:
    mark = tmp_path / "gnubg.pid"
    program = fake(tmp_path, f"echo $$ > {mark}.part\nmv {mark}.part {mark}\nexec sleep 300")
    asks = f"from controller.keeping.analysis import analyse; analyse('', ('A', 'B'), 0, gnubg={program!r})"
    asking = subprocess.Popen([sys.executable, "-c", asks], cwd=Path(__file__).parents[2])
    wait(mark.exists, 60)
    asking.kill()
    asking.wait()
    child = Path(f"/proc/{int(mark.read_text())}/stat")
    wait(lambda: not child.exists() or " Z " in child.read_text())


def test_one_that_cannot_be_started_or_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(thinking.AnalysisError, match="cannot be started"):
        thinking.analyse("", ("A", "B"), 0, gnubg=str(tmp_path / "none"))
    monkeypatch.setattr(thinking, "GNUBG", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(thinking.AnalysisError, match="apt-get install gnubg"):
        thinking.analyse("", ("A", "B"))
    with pytest.raises(thinking.AnalysisError, match="0 to 3 plies"):
        thinking.analyse("", ("A", "B"), 9, gnubg="x")


def test_the_background_tells_how_far_it_is_and_keeps_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = a_match(tmp_path)
    gate = tmp_path / "gate"
    script = f"printf 'Analysing match; move: 3/17\\r'\nwhile [ ! -e {gate} ]; do sleep 0.05; done\n"
    stats = (
        '{"moves": {"error-skill": 0.5, "unforced-moves": 50, "marked": {"doubtful": 1, "bad": 0, "very bad": 0}}, '
        '"cube": {"error-skill": 0.1, "close-cube": 10}, "dice": {"luck": -0.25}}'
    )
    script += f"printf '%s' '{{\"games\": [], \"stats\": {{\"X\": {stats}, \"O\": {stats}}}}}' > $GAMMONWATCH_RESULT"
    monkeypatch.setattr(thinking, "GNUBG", fake(tmp_path, script))
    journal, analyses = tmp_path / "m.sqlite", Analyses()
    try:
        assert analyses.of(journal, match).state == "none"
        assert analyses.start(journal, match, ("Ada", "Ben"), 1).state == "running"
        with pytest.raises(Busy, match="Another match"):
            analyses.start(tmp_path / "other.sqlite", match, ("A", "B"), 0)
        wait(lambda: analyses.of(journal, match).total == 17)
        assert analyses.of(journal, match).done == 3
        gate.touch()
        wait(lambda: analyses.of(journal, match).state == "done")
        result = analyses.of(journal, match).result
        assert result is not None and result.sides[0].error_rate == 10.0 and result.sides[0].rating == "advanced" and result.plies == 1
    finally:
        analyses.close()
    assert thinking.kept(journal, match) == result
    assert thinking.kept(journal, match + "more") is None and thinking.kept(journal, match, 3) is None
    assert Analyses().of(journal, match).result == result
    (tmp_path / "m.sqlite.analysis.json").write_text("{broken")
    assert thinking.kept(journal, match) is None


def test_an_analysis_is_stopped_when_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "GNUBG", fake(tmp_path, "sleep 300"))
    analyses = Analyses()
    analyses.start(tmp_path / "m.sqlite", "x", ("A", "B"), 0)
    analyses.stop("m.sqlite")
    wait(lambda: analyses.of(tmp_path / "m.sqlite", "x").state == "none")
    analyses.close()


def test_a_failure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "GNUBG", fake(tmp_path, "exit 3"))
    analyses = Analyses()
    analyses.start(tmp_path / "m.sqlite", "x", ("A", "B"), 0)
    wait(lambda: analyses.of(tmp_path / "m.sqlite", "x").state == "failed")
    assert analyses.of(tmp_path / "m.sqlite", "x").problem == "Gnubg gave no result."
    analyses.close()


def wait(holds: object, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


@needs_gnubg
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    short_match(tmp_path / "m.sqlite")
    code, out, err = run(monkeypatch, capsys, "analyse", tmp_path / "m.sqlite", "--plies", "0")
    assert code == 0 and "error rate" in out, err
    assert (tmp_path / "m.sqlite.analysis.json").exists()
    monkeypatch.setattr(thinking, "GNUBG", "/none")
    monkeypatch.setenv("PATH", "/none")
    assert run(monkeypatch, capsys, "analyse", tmp_path / "m.sqlite", "--plies", "0")[0] == 0  # it was kept
    code, _, err = run(monkeypatch, capsys, "analyse", tmp_path / "m.sqlite", "--plies", "0", "--again")
    assert code == 1 and "apt-get install gnubg" in err


def test_a_match_in_doubt_is_not_given_to_gnubg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    state, events = simulated(0)
    cut = next((n for n, e in enumerate(events) if e.event == "stands"), None)
    if cut is None:
        pytest.skip("no illegal play stood in this match")
    keep(tmp_path / "m.sqlite", state, events[: cut + 1], pictures=False)
    code, _, err = run(monkeypatch, capsys, "analyse", tmp_path / "m.sqlite")
    assert code == 1 and "nothing that gnubg could analyse" in err
