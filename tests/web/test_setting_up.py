"""Setting up: what is seen is said point by point, the match begins when told, the board is learned anew between games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeHall
from hall import GEOMETRY, LEARNED, Hall, Stage

from calibration.profile import Profile
from controller.learning import GEOMETRY as GEOMETRY_FILE
from controller.learning import PROFILE
from controller.match import JOURNAL, MATCH, load_match
from controller.past import read_past
from rules.position import START

AGREED = {"names": ["Xaver", "Yvonne"], "length": 7, "rules": "tournament", "speaks": "consent", "clock": "12+120"}


@pytest.fixture
def waiting(make_hall: MakeHall) -> Hall:
    return make_hall(patient=True)


def test_the_board_is_seen_and_the_match_begins_when_told(waiting: Hall) -> None:
    waiting.until(lambda: waiting.table.now.phase == "set up")
    boss = waiting.director()
    seen = boss.get("/api/setup").json()
    assert seen["waits"] and seen["look"]["ready"] and len(seen["look"]["corners"]) == 8 and seen["look"]["problems"] == []
    assert seen["size"] == [1280, 960] and "club" in seen["rules"]
    assert waiting.client().get("/api/board").json()["waiting"].startswith("the board is set up")
    waiting.looks(10)
    assert waiting.kinds() == []  # nobody has said start
    started = boss.post("/api/setup/start", json=AGREED)
    assert started.status_code == 200
    waiting.until(lambda: "game_start" in waiting.kinds())
    board = waiting.client().get("/api/board").json()
    assert board["names"] == ["Xaver", "Yvonne"] and board["length"] == 7 and board["rules"] == "tournament" and board["clock"]["left"] == [840, 840]
    assert board["match"] == started.json()["match"] and "Xaver-Yvonne" in board["match"]
    assert read_past(waiting.table.journal).about["players"] == "Xaver - Yvonne"


def test_what_is_wrong_with_the_opening_is_said_point_by_point(waiting: Hall, stage: Stage) -> None:
    wrong = [*START.to_28()]
    wrong[5], wrong[7], wrong[3] = 4, 3, 1
    stage.position = wrong
    waiting.until(lambda: waiting.table.now.look is not None and not waiting.table.now.look.ready)
    look = waiting.client().get("/api/setup").json()["look"]
    assert "A checker is missing on point 6: 5 should stand there, 4 seen." in look["problems"]
    assert "Point 4 should be empty; a checker is seen there." in look["problems"]
    assert [p["point"] for p in look["points"] if not p["right"]] == [4, 6]
    assert waiting.table.now.phase == "looking"
    stage.position = START.to_28()
    waiting.until(lambda: waiting.table.now.phase == "set up")


def test_a_match_that_is_started_before_the_board_is_set_up_begins_as_soon_as_it_is(waiting: Hall, stage: Stage) -> None:
    stage.position = [0] * 24 + [0, 0, 15, 15]
    waiting.looks()
    assert waiting.director().post("/api/setup/start", json=AGREED).status_code == 200
    waiting.looks(5)
    assert waiting.table.now.phase == "looking" and not waiting.table.now.waits
    stage.position = START.to_28()
    waiting.until(lambda: "game_start" in waiting.kinds())


def test_the_next_match_has_a_journal_of_its_own_and_the_last_is_whole(waiting: Hall) -> None:
    boss = waiting.director()
    boss.post("/api/setup/start", json=AGREED)
    waiting.until(lambda: "game_start" in waiting.kinds())
    waiting.open_game()
    waiting.until(lambda: "play" in waiting.kinds())
    first, told = waiting.table.journal, waiting.kinds()
    waiting.put(START)
    boss.post("/api/setup/start", json=AGREED | {"names": ["Ida", "Otto"]})
    waiting.until(lambda: waiting.kinds() == ["game_start"])
    assert waiting.table.journal != first
    news = waiting.client().get("/api/events").json()
    assert [(e["number"], e["event"]) for e in news["events"]] == [(1, "game_start")]
    assert [e.event for e in read_past(first).events][: len(told)] == told
    kept = load_match(waiting.folder)
    assert kept is not None and kept.names == ("Ida", "Otto") and (waiting.folder / MATCH).exists()


def test_a_restart_carries_on_with_the_match_that_was_set_up(make_hall: MakeHall, waiting: Hall) -> None:
    waiting.director().post("/api/setup/start", json=AGREED)
    waiting.until(lambda: "game_start" in waiting.kinds())
    waiting.open_game()
    waiting.until(lambda: "play" in waiting.kinds())
    journal = waiting.table.journal.name
    waiting.close()
    again = make_hall(patient=True)
    again.until(lambda: again.table.watching)
    assert again.client().get("/api/board").json()["match"] == journal and "play" in again.kinds() and not again.table.now.waits


def test_the_board_is_learned_anew_between_games_and_the_match_goes_on(hall: Hall) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    told, journal = hall.kinds(), hall.table.journal
    boss = hall.director()
    boss.post("/api/acts/new-game")
    hall.put([0] * 24 + [0, 0, 15, 15])
    assert boss.post("/api/setup/look").status_code == 200
    hall.until(lambda: hall.table.now.phase == "looking" and hall.table.now.look is not None)
    assert boss.post("/api/acts/undo").status_code == 409  # nothing is watched meanwhile
    hall.stage.position = START.to_28()
    hall.until(lambda: hall.table.watching)
    hall.until(lambda: [kind for kind in hall.kinds()[len(told) :] if kind != "setup"] == ["broken_off", "game_start"])
    assert hall.table.journal == journal


def test_learning_anew_can_be_left(hall: Hall) -> None:
    boss = hall.director()
    hall.stage.position = [0] * 24 + [0, 0, 15, 15]
    boss.post("/api/setup/look")
    hall.until(lambda: hall.table.now.phase == "looking")
    assert boss.post("/api/setup/keep").status_code == 200
    hall.until(lambda: hall.table.watching)


def test_corners_given_by_hand_are_kept_and_can_be_dropped(waiting: Hall) -> None:
    boss = waiting.director()
    given = {"corners": GEOMETRY.corners.tolist(), "bar": GEOMETRY.bar.tolist(), "size": [1280, 960]}
    assert boss.post("/api/setup/board", json=given).status_code == 200
    assert (waiting.folder / GEOMETRY_FILE).exists() and boss.get("/api/setup").json()["marked"]
    assert boss.post("/api/setup/find").status_code == 200
    assert not (waiting.folder / GEOMETRY_FILE).exists() and not boss.get("/api/setup").json()["marked"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"corners": [[0, 0]] * 4}, "corners"),
        ({"corners": GEOMETRY.corners[::-1].tolist()}, "corners"),
        ({"bar": [*GEOMETRY.corners.tolist()[1:], [0, 0]]}, "corners"),
        ({"corners": [[0, 0]] * 3}, "corners"),
        ({"size": [0, 960]}, "size.0"),
        ({"corners": [["a", 0], [1, 0], [1, 1], [0, 1]]}, "corners.0.0"),
    ],
)
def test_corners_that_cannot_be_a_board_are_refused(waiting: Hall, change: dict[str, Any], field: str) -> None:
    given = {"corners": GEOMETRY.corners.tolist(), "bar": GEOMETRY.bar.tolist(), "size": [1280, 960]} | change
    answer = waiting.director().post("/api/setup/board", json=given)
    assert answer.status_code == 422 and answer.json()["fields"][field].endswith(".")
    assert not (waiting.folder / GEOMETRY_FILE).exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"names": ["", "Yvonne"]}, "names.0"),
        ({"names": ["Yvonne", " Yvonne "]}, ""),
        ({"names": ["x" * 41, "Yvonne"]}, "names.0"),
        ({"names": ["a\x00b", "Yvonne"]}, "names.0"),
        ({"names": ["Xaver"]}, "names.1"),
        ({"length": -1}, "length"),
        ({"length": 100}, "length"),
        ({"length": 2.5}, "length"),
        ({"rules": "/etc/passwd"}, "rules"),
        ({"rules": "no such"}, "rules"),
        ({"speaks": "loudly"}, "speaks"),
        ({"clock": "soon"}, ""),
        ({"length": 0}, "clock"),
        ({"journal": "../x"}, "journal"),
    ],
)
def test_a_match_that_cannot_be_is_refused_with_a_sentence(waiting: Hall, change: dict[str, Any], field: str) -> None:
    answer = waiting.director().post("/api/setup/start", json=AGREED | change)
    assert answer.status_code == 422, answer.text
    told = answer.json()
    assert told["error"].endswith(".") and (not field or told["fields"][field].endswith("."))
    assert load_match(waiting.folder) is None and waiting.table.now.waits


def test_only_cameras_that_are_offered_can_be_chosen(waiting: Hall) -> None:
    boss = waiting.director()
    assert boss.post("/api/setup/camera", json={"source": "/etc/passwd"}).json()["fields"]["source"]
    assert boss.post("/api/setup/camera", json={"source": "made up"}).status_code == 200


ELSEWHERE = replace(LEARNED, colours=("#3a2018", "#efe6d2"))
"""The board as it was learned some other day."""


def test_a_start_that_was_waited_for_learns_the_board_as_it_lies_now(make_hall: MakeHall, tmp_path: Path) -> None:
    ELSEWHERE.save(tmp_path / PROFILE)
    hall = make_hall(patient=True)
    hall.until(lambda: hall.table.now.phase == "set up")
    assert Profile.load(tmp_path / PROFILE).colours == ELSEWHERE.colours  # looking alone changes nothing
    assert hall.director().post("/api/setup/start", json=AGREED).status_code == 200
    hall.until(lambda: "game_start" in hall.kinds())
    assert Profile.load(tmp_path / PROFILE).colours == LEARNED.colours


def test_the_next_match_on_a_board_that_is_watched_needs_no_learning(make_hall: MakeHall, hall: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hall.LEARNED", ELSEWHERE)
    assert hall.director().post("/api/setup/start", json=AGREED).status_code == 200
    hall.until(lambda: hall.table.now.match.names == ("Xaver", "Yvonne") and hall.kinds() == ["game_start"])
    assert Profile.load(tmp_path / PROFILE).colours == LEARNED.colours


def test_a_board_learned_anew_is_no_other_match(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody set the match up: its journal is told from others by what it was judged by, and the board's looks are not that."""
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    told = hall.kinds()
    hall.put(START)
    monkeypatch.setattr("hall.LEARNED", ELSEWHERE)
    assert hall.director().post("/api/setup/look").status_code == 200
    hall.until(lambda: Profile.load(hall.folder / PROFILE).colours == ELSEWHERE.colours and hall.table.watching)
    hall.looks(3)
    assert hall.kinds()[: len(told)] == told and not (hall.folder / f"{JOURNAL}.1").exists()


def end_match(hall: Hall) -> list[str]:
    """The match that nobody set up is over, in the middle of its first game; gives its events."""
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    assert hall.director().post("/api/acts/end-match").status_code == 200
    hall.until(lambda: hall.table.now.state.ended)
    return hall.kinds()


def test_after_a_match_that_nobody_set_up_the_next_begins_when_the_board_is_set_up(hall: Hall) -> None:
    told = end_match(hall)
    hall.looks(5)
    assert hall.kinds() == told  # as long as the board is left as it is
    hall.put(START)
    hall.until(lambda: hall.kinds() == ["game_start"])
    kept = read_past(hall.folder / f"{JOURNAL}.1")
    assert [event.event for event in kept.events] == told and kept.state is not None and kept.state.ended
    board = hall.client().get("/api/board").json()
    assert board["match"] == JOURNAL and not board["ended"] and board["score"] == [0, 0]
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())


def test_after_a_restart_too(make_hall: MakeHall, hall: Hall) -> None:
    told = end_match(hall)
    hall.close()
    again = make_hall()
    again.until(lambda: again.table.watching)
    again.put(START)
    again.until(lambda: again.kinds()[-1:] == ["game_start"])
    assert set(again.kinds()) <= {"setup", "game_start"}
    assert [event.event for event in read_past(again.folder / f"{JOURNAL}.1").events] == told
    assert any("the next begins" in line for line in again.said)


def test_a_match_that_was_set_up_and_is_over_waits_for_somebody_to_set_up_the_next(waiting: Hall) -> None:
    waiting.director().post("/api/setup/start", json=AGREED)
    waiting.until(lambda: "game_start" in waiting.kinds())
    told = end_match(waiting)
    waiting.put(START, looks=8)
    assert waiting.kinds() == told and not list(waiting.folder.glob("*.sqlite.1"))
