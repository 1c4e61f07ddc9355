"""The matches of a folder: found, searched, and what is broken is said; files of them come back as they were."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from datetime import datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from some_matches import keep, simulated
from test_referee_clauses import AFTER_31, B_65, LEFT65, SHORT, Table, opened

from controller import cli
from controller.journal import Journal, set_aside
from controller.keeping.downloads import KINDS, CannotHold, file_of, name_of, record_of
from controller.keeping.library import Found, Library, NoMatch
from controller.keeping.ruling import ruling_of
from controller.records import to_record
from controller.stills import folder_of
from rules.check import check_match
from rules.formats.any_format import read_match
from rules.position import Position


def short_match(path: Path, players: str = "Ada - Ben", table: Table | None = None) -> Path:
    table = table or opened().look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)
    return keep(path, table.state, tuple(table.events), players)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    short_match(tmp_path / "2026-11-30-120000-Ada-Ben.gammonwatch.sqlite")
    table = opened().look(SHORT).look(SHORT).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)
    short_match(tmp_path / "journal.sqlite", table=table)
    return tmp_path


def test_matches_are_listed_with_what_was_seen(folder: Path) -> None:
    shown = {entry.id: entry for entry in Library(folder).entries()}
    assert set(shown) == {"2026-11-30-120000-Ada-Ben.gammonwatch.sqlite", "journal.sqlite"}
    one = shown["journal.sqlite"]
    assert (one.turns, one.illegal, one.void, one.games, one.running, one.broken) == (2, 1, 0, 1, False, "")
    assert one.begun is not None and one.begun.tzinfo is not None and abs((one.begun - datetime.now().astimezone()).total_seconds()) < 600


def test_the_match_that_goes_on_is_first_and_marked(folder: Path) -> None:
    library = Library(folder)
    assert not any(entry.running for entry in library.entries())
    with Journal(folder / "journal.sqlite", {"players": "Ada - Ben", "length": "0"}) as book:
        first = library.entries()[0]
        assert first.id == "journal.sqlite" and first.running
        turns = first.turns
        _, events = simulated(0)
        book.write(900, [e for e in events if e.event == "play"][:1], None)
        assert library.entries()[0].turns == turns + 1
    assert not any(entry.running for entry in library.entries())


BROKEN = {
    "empty.sqlite": b"",
    "noise.sqlite": b"this is no journal " * 100,
    "cut.sqlite": b"SQLite format 3\x00" + b"\x10" * 300,
}


def test_broken_files_are_shown_with_the_sentence_and_hide_nothing(folder: Path) -> None:
    for name, content in BROKEN.items():
        (folder / name).write_bytes(content)
    with sqlite3.connect(folder / "other.sqlite") as db:
        db.execute("CREATE TABLE birds (name TEXT)")
    shutil.copy(folder / "journal.sqlite", folder / "odd.sqlite")
    with sqlite3.connect(folder / "odd.sqlite") as db:
        row = json.dumps({"v": 1, "event": "play", "frame": 1, "time": 0, "player": "A", "dice": "many", "position": [1] * 28})
        db.execute("INSERT INTO events (frame, event) VALUES (0, ?)", (row,))
    (folder / "notes.txt").write_text("no match")
    (folder / "folder.sqlite").mkdir()
    (folder / "link.sqlite").symlink_to("/etc/hostname")
    library = Library(folder)
    shown = {entry.id: entry for entry in library.entries()}
    assert set(shown) == {*BROKEN, "other.sqlite", "odd.sqlite", "journal.sqlite", "2026-11-30-120000-Ada-Ben.gammonwatch.sqlite"}
    for name in (*BROKEN, "other.sqlite", "odd.sqlite"):
        assert shown[name].broken and "\n" not in shown[name].broken and str(folder) not in shown[name].broken, name
        with pytest.raises(NoMatch):
            library.open(name)
    assert not shown["journal.sqlite"].broken


@pytest.mark.parametrize("name", ["", ".", "..", "../x.sqlite", "/etc/passwd", "journal.sqlite/../journal.sqlite", "journal.sqlite\x00", "x" * 5000, "board.profile", "journal.sqlite-wal"])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    outside = folder / "inner"
    outside.mkdir()
    with pytest.raises(NoMatch, match="There is no such match"):
        Library(outside).open(name)
    with pytest.raises(NoMatch, match="There is no such match"):
        Library(folder).open(name)


def test_search_finds_players_dates_and_what_happened(folder: Path) -> None:
    short_match(folder / "x.sqlite", table=Table(opened().state), players="")
    state, events = simulated(0)
    from dataclasses import replace

    keep(folder / "jose.sqlite", replace(state, names=("José Peña", "Łukasz")), events[:50])
    library = Library(folder)

    def ids(words: str) -> set[str]:
        return {entry.id for entry in library.entries(words)}

    assert ids("jose pena") == ids("PEÑA") == {"jose.sqlite"}
    assert ids("M6") >= {"journal.sqlite"} and ids("could also be played") >= {"journal.sqlite"}
    assert ids(f"{datetime.now():%Y-%m-%d}") == set(library.ids()) and ids("1999-01-01") == set() and ids("ben nobody") == set()


def test_a_journal_set_aside_keeps_its_pictures_and_is_still_listed(folder: Path) -> None:
    pictures = sorted(path.name for path in folder_of(folder / "journal.sqlite").iterdir())
    aside = set_aside(folder / "journal.sqlite")
    assert aside is not None and aside.name == "journal.sqlite.1" and pictures
    assert sorted(path.name for path in folder_of(aside).iterdir()) == pictures
    library = Library(folder)
    frame = next(i.frame for i in library.open("journal.sqlite.1").story.incidents)
    assert library.still("journal.sqlite.1", frame) and library.still("journal.sqlite", frame) is None


# Files of one match


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """A whole game in which illegal plays were put right and none stood."""
    path = short_match(tmp_path_factory.mktemp("whole") / "whole.sqlite")
    return Library(path.parent).open(path.name)


@pytest.mark.parametrize("ending", ["mat", "sgf", "ogxm"])
def test_files_read_again_hold_the_same_plays(whole: Found, ending: str) -> None:
    wanted = record_of(whole)
    again = read_match(file_of(whole, ending))
    assert again.players == wanted.players == ("A", "B") and len(again.games) == len(wanted.games)
    for game, other in zip(again.games, wanted.games, strict=True):
        assert [(t.player, {t.roll.high, t.roll.low}, t.moves.result) for t in game.turns] == [(t.player, {t.roll.high, t.roll.low}, t.moves.result) for t in other.turns]  # type: ignore[union-attr]
    assert check_match(again) == []


@pytest.mark.parametrize("seed", range(2))
def test_whole_simulated_matches_come_back_from_what_can_hold_them(tmp_path: Path, seed: int) -> None:
    """Illegal plays that stood are kept by SGF and OGXM and refused by .mat; the boards at the end are the same."""
    state, events = simulated(seed)
    path = keep(tmp_path / "m.sqlite", state, events, pictures=False)
    one = Library(tmp_path).open("m.sqlite")
    try:
        record = record_of(one)
    except CannotHold as error:
        assert str(error) and "\n" not in str(error)
        return
    stood = any(e.event == "stands" for e in events)
    for ending in ("mat", "sgf", "ogxm"):
        if ending == "mat" and stood:
            with pytest.raises(CannotHold, match="stood"):
                file_of(one, ending)
            continue
        again = read_match(file_of(one, ending))
        assert [g.scores for g in again.games] == [g.scores for g in record.games]
        assert [g.result and (g.result.winner, g.result.points) for g in again.games] == [g.result and (g.result.winner, g.result.points) for g in record.games]
        assert [len(g.turns) for g in again.games] == [len(g.turns) for g in record.games]
    assert path.exists()


def test_json_lines_are_the_events(whole: Found) -> None:
    rows = [json.loads(line) for line in file_of(whole, "jsonl").decode().splitlines()]
    assert rows == [event.to_dict() for event in whole.past.events]


def test_names_of_files_are_safe(whole: Found) -> None:
    for ending in KINDS:
        assert name_of(whole, ending).isascii() and name_of(whole, ending).endswith(f"-A-B.{ending}")


def test_e2_an_illegal_play_that_stood_is_kept_where_it_can_be() -> None:
    table = opened().look(SHORT).look(SHORT).look(SHORT, LEFT65)
    board = [*SHORT.to_28()]
    board[0], board[11] = board[0] + 1, board[11] - 1
    table.look(Position.from_28(board))
    assert "stands" in table.kinds
    record = to_record(table.events)
    assert type(record.games[0].turns[0]).__name__ == "IllegalTurn"


def test_a_doubt_that_was_settled_leaves_no_gap_and_one_that_was_not_does() -> None:
    _, events = simulated(0)
    plays = [e for e in events if e.event == "play"]
    from controller.events import Event

    begin = [e for e in events if e.event == "game_start"][:1]
    doubt = Event("unsure", plays[0].frame, 0.0, {"player": "A", "question": "What did A play?"})
    if plays[0].data["before"] == list(begin[0].data["position"]):
        assert to_record([*begin, doubt, plays[0]]).games[0].turns
    with pytest.raises(CannotHold, match="What did A play"):
        to_record([*begin, doubt])
    with pytest.raises(CannotHold, match="not known for sure"):
        to_record([*begin, doubt, plays[3]])


# One turn


def test_a_turn_lies_open_with_all_that_is_known_of_it(folder: Path) -> None:
    one = Library(folder).open("journal.sqlite")
    ruling = ruling_of(one, 1)
    assert ruling.verdict.startswith("Illegal: A played only the 3") and ruling.clause == "M6" and "Both dice" in ruling.clause_says
    assert len(ruling.plays) == 16 and not any(play.played for play in ruling.plays) and ruling.plays[0].carried == 1
    assert ruling.reading is not None and len(ruling.reading.board) == 28 and ruling.reading.looks >= 1
    assert (ruling.before.numbers[5], ruling.after.numbers) == (5, SHORT.to_28())
    played = ruling_of(one, 2)
    assert [play.notation for play in played.plays if play.played] == ["8/5 6/5"] and played.verdict.startswith("Legal")
    for number in (0, -1, 4, 10**9):
        with pytest.raises(IndexError, match="there is no turn"):
            ruling_of(one, number)


def test_rulings_stand_with_their_turn(tmp_path: Path) -> None:
    table = opened().look(SHORT).look(SHORT)
    from controller.events import Command
    from controller.referee import step

    table.state, said = step(table.state, Command("rule", {"turn": 1, "ruling": "illegal play called", "note": "Ben saw it"}, by="Dora"))
    table.events += said
    one = Library(tmp_path).open(short_match(tmp_path / "r.sqlite", table=table).name)
    assert [(r.ruling, r.by, r.note) for r in ruling_of(one, 1).rulings] == [("illegal play called", "Dora", "Ben saw it")]
    assert [(i.kind, i.turn, i.by) for i in one.story.incidents] == [("illegal", 1, ""), ("ruling", 1, "Dora")]
    state, said = step(table.state, Command("rule", {"turn": "x"}))
    assert [e.event for e in said] == ["refused"] and state.position == table.state.position


# The commands


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["gammonwatch", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    told = capsys.readouterr()
    return int(left.value.code or 0), told.out, " ".join(told.err.split())


def test_the_commands(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.sqlite").write_text("nothing")
    code, out, _ = run(monkeypatch, capsys, "matches", folder)
    assert code == 0 and "1 illegal" in out and "bad.sqlite: cannot be read" in out
    assert run(monkeypatch, capsys, "matches", folder, "--search", "zzz")[1].startswith("no match fits")
    assert run(monkeypatch, capsys, "matches", folder / "none")[0] == 1
    for ending, start in (("html", b"<!doctype html>"), ("pdf", b"%PDF-"), ("mat", b"; [EventDate"), ("jsonl", b"{")):
        target = folder / f"out.{ending}"
        code, out, err = run(monkeypatch, capsys, "report", folder / "journal.sqlite", "--out", target)
        assert code == 0 and target.read_bytes().startswith(start), err
    for words, status, says in (
        (["report", folder / "journal.sqlite", "--out", folder / "x.doc"], 2, "cannot tell what"),
        (["report", folder / "none.sqlite", "--out", folder / "x.pdf"], 1, "there is no journal"),
        (["report", folder / "bad.sqlite", "--out", folder / "x.pdf"], 1, "is no journal"),
        (["report", folder / "journal.sqlite", "--out", folder / "no" / "x.pdf"], 1, "there is no folder"),
        (["analyse", folder / "bad.sqlite"], 1, "is no journal"),
        (["analyse", folder / "journal.sqlite", "--plies", "9"], 2, "--plies"),
    ):
        code, _, err = run(monkeypatch, capsys, *words)
        assert code == status and says in err and "Traceback" not in err, (words, err)
