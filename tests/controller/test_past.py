"""A past match: its turns, the pictures kept of it, and the commands that show both."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from test_referee_clauses import AFTER_31, B_65, LEFT65, SHORT, Table, opened, to_b

from controller import cli
from controller.journal import Journal, JournalError, in_use
from controller.past import frame_of, moments, read_past
from controller.stills import Stills, StillsError, folder_of, still_of
from rules.position import START

ABOUT = {"source": "a", "players": "Ada - Ben"}
PICTURE = np.tile(np.arange(256, dtype=np.uint8), (64, 1))[..., None].repeat(3, axis=2)


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def gammonwatch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The program, called in this process."""

    def call(*words: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["gammonwatch", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        told = capsys.readouterr()
        return Done(int(left.value.code or 0), told.out, told.err)

    return call


Program = Callable[..., Done]


def played() -> Table:
    """A 31 with an illegal play put right, then B 65."""
    return opened().look(SHORT).look(SHORT).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of `played`, with its pictures."""
    path = tmp_path_factory.mktemp("written") / "monday.gammonwatch.sqlite"
    table = played()
    with Journal(path, ABOUT) as book:
        for frame in range(table.frame + 1):
            here = [e for e in table.events if e.frame == frame]
            Stills(path).keep(frame, PICTURE, here)
            book.write(frame, here, table.state.to_json())
    return path


@pytest.fixture
def journal(written: Path, tmp_path: Path) -> Path:
    """A copy of it to do with as a test likes."""
    shutil.copytree(written.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / written.name


def test_a_match_is_told_turn_by_turn(journal: Path) -> None:
    turns = moments(read_past(journal).events)
    assert [t.events[-1].event for t in turns] == ["illegal", "play", "play"]
    assert [t.position for t in turns] == [SHORT.to_28(), AFTER_31.to_28(), B_65.to_28()]
    assert [t.number for t in turns] == [1, 2, 3]


def test_score_and_cube_are_those_of_the_moment() -> None:
    table = to_b().order("double").order("take").look(AFTER_31, LEFT65).look(B_65)
    assert [t.cube for t in moments(table.events)] == [(1, None), (2, "A")]
    table.order("double").order("pass").look(START).look(START, ((3, "right", "flat"), (1, "left", "flat")), throw=3).look(AFTER_31)
    last = moments(table.events)[-1]
    assert last.score == (2, 0) and last.cube == (1, None)


def test_which_picture_answers(journal: Path) -> None:
    events = read_past(journal).events
    last, before = frame_of(events, "last-roll"), frame_of(events, "before-turn")
    assert last is not None and (last.event, last.data["dice"]) == ("roll", [6, 5])
    assert before is not None and before.event == "play" and before.data["position"] == list(AFTER_31.to_28())
    first = frame_of(events, "1")
    assert first is not None and first.event == "illegal" and frame_of(events, "4") is None
    assert frame_of((), "last-roll") is None
    for wrong in ("0", "-1", "yesterday", ""):
        with pytest.raises(ValueError, match="last-roll, before-turn"):
            frame_of(events, wrong)


def test_a_picture_is_kept_for_every_roll_and_verdict_and_for_nothing_else(journal: Path) -> None:
    told = {e.frame for e in read_past(journal).events}
    assert {int(p.stem) for p in folder_of(journal).iterdir()} == told


def test_pictures_of_the_oldest_match_go_first_and_the_last_ones_stay(tmp_path: Path) -> None:
    old, new = (tmp_path / f"{day}.gammonwatch.sqlite" for day in ("sunday", "monday"))
    events = [e for e in played().events if e.event == "play"]
    for number in range(4):
        path = Stills(old).keep(number, PICTURE, events)
        assert path is not None
        os.utime(path, (1000 + number, 1000 + number))
    size = path.stat().st_size
    for number in range(4):
        # As if this disk's clock stood in the year before: the own match still comes last.
        kept = Stills(new, limit=5 * size).keep(number, PICTURE, events)
        assert kept is not None
        os.utime(kept, (500 + number, 500 + number))
    assert sorted(p.name for p in folder_of(old).iterdir()) == ["00000003.jpg"]
    assert len(list(folder_of(new).iterdir())) == 4
    Stills(new, limit=2 * size).keep(4, PICTURE, events)
    assert not folder_of(old).exists()
    assert sorted(p.name for p in folder_of(new).iterdir()) == ["00000003.jpg", "00000004.jpg"]


def test_pictures_of_a_match_being_watched_are_left_alone(tmp_path: Path) -> None:
    watched, own = tmp_path / "table1.sqlite", tmp_path / "table2.sqlite"
    events = [e for e in played().events if e.event == "play"]
    with Journal(watched, ABOUT):
        assert in_use(watched)
        Stills(watched).keep(0, PICTURE, events)
        Stills(own, limit=1).keep(0, PICTURE, events)
        assert still_of(watched, 0).exists() and not still_of(own, 0).exists()
    assert not in_use(watched)


def test_no_pictures_are_kept_when_none_are_wanted(tmp_path: Path) -> None:
    assert Stills(tmp_path / "a.sqlite", limit=0).keep(0, PICTURE, played().events) is None
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_cannot_be_kept_is_told_in_one_sentence(tmp_path: Path) -> None:
    journal = tmp_path / "a.sqlite"
    folder_of(journal).write_text("in the way")
    with pytest.raises(StillsError, match=r"^cannot keep a picture in .*a\.sqlite\.stills: "):
        Stills(journal).keep(0, PICTURE, played().events)


def test_a_journal_being_written_can_be_read(journal: Path) -> None:
    with Journal(journal, ABOUT) as book:
        before = len(read_past(journal).events)
        book.write(99, played().events[:1], None)
        assert len(read_past(journal).events) == before + 1


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to have a header " * 9])
def test_what_is_no_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="is no journal"):
        read_past(path)
    with pytest.raises(JournalError, match="there is no journal called"):
        read_past(tmp_path / "none")


def test_an_event_of_another_version_is_refused(journal: Path) -> None:
    with sqlite3.connect(journal) as db:
        db.execute("INSERT INTO events (frame, event) VALUES (0, ?)", (json.dumps({"v": 99, "event": "play", "frame": 0, "time": 0}),))
    with pytest.raises(JournalError, match="this version"):
        read_past(journal)


def test_replay_shows_the_match_and_one_moment_of_it(journal: Path, gammonwatch: Program) -> None:
    whole = gammonwatch("replay", journal)
    assert whole.returncode == 0 and whole.stdout.count("turn ") == 3
    assert "ILLEGAL (M6)" in whole.stdout and "played 6-5" in whole.stdout and "... waiting for A's dice" in whole.stdout
    one = gammonwatch("replay", journal, "--at", "2")
    assert one.returncode == 0 and "(corrected)" in one.stdout and "ILLEGAL" not in one.stdout


def test_evidence_names_the_picture_and_copies_it(journal: Path, tmp_path: Path, gammonwatch: Program) -> None:
    copy = tmp_path / "out.jpg"
    done = gammonwatch("evidence", "last-roll", "--journal", journal, "-o", copy)
    assert done.returncode == 0 and "rolled 6-5" in done.stdout and copy.read_bytes()[:2] == b"\xff\xd8"
    for words, status, says in (
        (["evidence", "yesterday", "--journal", journal], 2, "last-roll, before-turn"),
        (["evidence", "77", "--journal", journal], 1, "holds no turn 77"),
        (["evidence", "1", "--journal", tmp_path / "none"], 1, "there is no journal"),
        (["evidence", "1", "--journal", journal, "-o", tmp_path / "no" / "x.jpg"], 1, "cannot write"),
        (["replay", journal, "--at", "9"], 1, "holds 3 turns, not 9"),
        (["replay", journal, "--at", "0"], 2, "--at"),
        (["replay", copy], 1, "is no journal"),
    ):
        wrong = gammonwatch(*words)
        text = " ".join(wrong.stderr.split())
        assert wrong.returncode == status and says in text and "Traceback" not in text, (words, wrong.stderr)


def test_evidence_that_was_removed_is_said_to_be(journal: Path, gammonwatch: Program) -> None:
    event = frame_of(read_past(journal).events, "last-roll")
    assert event is not None
    still_of(journal, event.frame).unlink()
    done = gammonwatch("evidence", "last-roll", "--journal", journal)
    assert done.returncode == 1 and "removed to make room" in " ".join(done.stderr.split())
