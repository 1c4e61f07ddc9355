"""What the director does: each act is a command, an event with its author, and told when it comes too late."""

from __future__ import annotations

import concurrent.futures
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeHall
from hall import Hall, Stage

from controller.journal import Journal
from controller.past import read_past
from controller.web.correcting import PLAIN
from rules.position import START, Player


def test_a_position_set_by_hand(hall: Hall) -> None:
    hall.open_game()
    boss = hall.director("Dora")
    bearing_off = [2, 2, 0, 0, 0, 0] + [0] * 12 + [0, 0, 0, 0, -2, -2] + [0, 0, 11, 11]
    done = boss.post("/api/acts/position", json={"position": bearing_off, "player": "B"})
    assert done.status_code == 200 and done.json()["words"] == ["the position was set by hand; Ben is on turn"]
    board = hall.client().get("/api/board").json()
    assert board["position"] == bearing_off and board["turn"] == "B" and board["waiting"].startswith("waiting for the board to be put right")
    assert board["correction"]
    hall.put(bearing_off)
    assert hall.client().get("/api/board").json()["correction"] == []
    assert read_past(hall.table.journal).events[-1].data["by"] == "Dora"


def test_cube_and_score_set_by_hand(hall: Hall) -> None:
    hall.open_game()
    boss = hall.director("Dora")
    assert boss.post("/api/acts/cube", json={"value": 4, "owner": "A"}).status_code == 200
    assert boss.post("/api/acts/score", json={"score": [4, 2]}).status_code == 200
    board = hall.client().get("/api/board").json()
    assert board["cube"] == {"value": 4, "face": 4, "owner": "A", "offered_by": None} and board["score"] == [4, 2] and board["crawford"]
    assert boss.post("/api/acts/score", json={"score": [4, 2], "crawford_over": True}).status_code == 200
    assert not hall.client().get("/api/board").json()["crawford"]
    assert [(e.event, e.data["by"]) for _, e in hall.table.events(3)] == [("cube_set", "Dora"), ("score_set", "Dora"), ("score_set", "Dora")]


def test_double_take_and_pass(hall: Hall) -> None:
    after = hall.open_game()
    boss = hall.director("Dora")
    assert boss.post("/api/acts/double").status_code == 200
    assert hall.client().get("/api/board").json()["cube"]["offered_by"] == "B"
    assert boss.post("/api/acts/take").json()["words"] == ["Ada takes at 2"]
    after = hall.play(after, Player.B, (6, 4), "24/14")
    hall.until(lambda: hall.kinds().count("play") == 2)
    assert boss.post("/api/acts/double").status_code == 200
    assert boss.post("/api/acts/pass").status_code == 200
    board = hall.client().get("/api/board").json()
    assert board["score"] == [2, 0] and board["game_phase"] == "over"


def test_a_resignation_is_offered_and_answered(hall: Hall) -> None:
    hall.open_game()
    boss = hall.director("Dora")
    assert boss.post("/api/acts/accept").status_code == 409
    assert boss.post("/api/acts/resign", json={"player": "C"}).json()["fields"]["player"]
    assert boss.post("/api/acts/resign", json={"player": "B", "how": "gammon"}).status_code == 200
    assert hall.client().get("/api/board").json()["resigning"] == "B"
    assert boss.post("/api/acts/refuse").status_code == 200
    assert hall.client().get("/api/board").json()["resigning"] is None
    boss.post("/api/acts/resign", json={"player": "B", "how": "gammon"})
    assert boss.post("/api/acts/accept").status_code == 200
    board = hall.client().get("/api/board").json()
    assert board["score"] == [2, 0] and board["game_phase"] == "over" and not board["ended"]
    assert boss.post("/api/acts/end-match").status_code == 200
    assert hall.client().get("/api/board").json()["ended"]


def test_undo_and_breaking_off(hall: Hall) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    boss = hall.director("Dora")
    undone = boss.post("/api/acts/undo")
    assert undone.status_code == 200, undone.text
    board = hall.client().get("/api/board").json()
    assert board["position"] == list(START.to_28()) and board["turn"] is None, "the opening roll is thrown again"
    assert boss.post("/api/acts/new-game").json()["words"] == ["the game was broken off without a result"]
    assert boss.post("/api/acts/new-game").status_code == 409
    told = ["taken_back", "broken_off", "refused"]
    assert [kind for kind in hall.kinds() if kind in told] == told


def test_an_illegal_play_that_is_called_and_left_stands(hall: Hall) -> None:
    after = hall.open_game()
    boss = hall.director("Dora")
    assert boss.post("/api/acts/stands").status_code == 409
    _, wrong = hall.wrong_play(after)
    assert boss.post("/api/acts/stands").status_code == 200
    assert hall.client().get("/api/board").json()["position"] == wrong


@pytest.mark.parametrize("act", ["double", "take", "pass", "call", "stands", "undo", "commit"])
def test_what_the_referee_refuses_is_told_with_his_reason_and_changes_nothing(hall: Hall, act: str) -> None:
    before = hall.table.now.state
    answer = hall.director().post(f"/api/acts/{act}")
    assert answer.status_code == 409 and answer.json()["error"].endswith(".")
    after = hall.table.now.state
    assert (after.position, after.turn, after.cube, after.games, after.phase) == (before.position, before.turn, before.cube, before.games, before.phase)


def test_two_who_act_at_once_one_is_told_that_the_game_has_moved_on(hall: Hall) -> None:
    after = hall.open_game()
    hall.play(after, Player.B, (6, 4), "24/14")
    hall.until(lambda: hall.kinds().count("play") == 2)
    seen = hall.client().get("/api/board").json()
    base = {"match": seen["match"], "number": seen["number"]}
    people = [hall.director(name) for name in ("Dora", "Paul", "Quentin")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda boss: boss.post("/api/acts/undo", json=base), people))
    assert sorted(a.status_code for a in answers) == [200, 409, 409]
    assert all("moved on" in a.json()["error"] for a in answers if a.status_code == 409)
    assert hall.kinds().count("taken_back") == 1


def test_a_click_for_the_last_match_does_nothing_to_this_one(hall: Hall) -> None:
    hall.open_game()
    number = hall.table.now.number
    answer = hall.director().post("/api/acts/undo", json={"match": "yesterday.sqlite", "number": number})
    assert answer.status_code == 409 and hall.table.now.number == number


def test_a_clock_that_ticks_is_no_reason_to_refuse(hall: Hall) -> None:
    """Frames without events do not make a page old."""
    hall.open_game()
    seen = hall.client().get("/api/board").json()
    hall.looks(10)
    base = {"match": seen["match"], "number": seen["number"]}
    assert hall.director().post("/api/acts/double", json=base).status_code == 200


def test_without_pictures_an_act_is_withdrawn_and_said(hall: Hall, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.web.correcting.ANSWER_SECONDS", 0.3)
    hall.open_game()
    boss = hall.director()
    number = hall.table.now.number
    stage.frame_seconds = 1.5
    hall.looks(1)
    answer = boss.post("/api/acts/undo", timeout=10)
    stage.frame_seconds = 0.01
    hall.looks(5)
    assert answer.status_code == 503 and "Nothing was done" in answer.json()["error"]
    assert hall.table.now.number == number


def test_while_no_camera_sends_nothing_is_done(hall: Hall, stage: Stage) -> None:
    stage.unplugged = True
    hall.until(lambda: hall.table.now.phase == "no camera")
    answer = hall.director().post("/api/acts/undo")
    assert answer.status_code == 409 and "set up" in answer.json()["error"]


BAD: list[tuple[str, Any, str]] = [
    ("position", {}, "position"),
    ("position", {"position": [0] * 27, "player": "A"}, "position"),
    ("position", {"position": [0] * 28, "player": "A"}, "position"),
    ("position", {"position": [*START.to_28()], "player": "C"}, "player"),
    ("position", {"position": [*START.to_28()[:-1], 1], "player": "A"}, "position"),
    ("position", {"position": "start", "player": "A"}, "position"),
    ("position", {"position": [1.5] * 28, "player": "A"}, "position.0"),
    ("position", {"position": [99] * 28, "player": "A"}, "position.0"),
    ("cube", {"value": 3, "owner": None}, "value"),
    ("cube", {"value": 1, "owner": "A"}, "owner"),
    ("cube", {"value": 0, "owner": None}, "value"),
    ("cube", {"value": "two", "owner": None}, "value"),
    ("cube", {"value": 2, "owner": "nobody"}, "owner"),
    ("score", {"score": [5, 0]}, "score"),
    ("score", {"score": [-1, 0]}, "score.0"),
    ("score", {"score": [1]}, "score"),
    ("score", {"score": [1, 2], "colour": "red"}, "colour"),
    ("undo", {"number": -1}, "number"),
    ("undo", {"number": 10**30}, "number"),
]


@pytest.mark.parametrize(("act", "body", "field"), BAD)
def test_a_wrong_value_gets_a_sentence_beside_its_field_and_changes_nothing(hall: Hall, act: str, body: Any, field: str) -> None:
    number = hall.table.now.number
    answer = hall.director().post(f"/api/acts/{act}", json=body)
    assert answer.status_code == 422, answer.text
    told = answer.json()
    assert told["fields"][field].endswith(".") and told["error"] and "Input should" not in answer.text and "value_error" not in answer.text
    assert hall.table.now.number == number


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 50, b"3", b'"x"'])
def test_what_is_no_request_is_told_in_words(hall: Hall, content: bytes) -> None:
    answer = hall.director().post("/api/acts/position", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422) and answer.json()["error"].endswith(".")


def test_every_act_stands_in_the_journal(hall: Hall) -> None:
    hall.open_game()
    boss = hall.director("Dora")
    for act, body in (("double", {}), ("take", {}), ("cube", {"value": 8, "owner": "B"}), ("score", {"score": [1, 1]}), ("undo", {})):
        assert boss.post(f"/api/acts/{act}", json=body).status_code in (200, 409)
    told = [(e.event, e.data.get("by")) for _, e in hall.table.events(3)]
    hall.close()
    with Journal(hall.table.journal, {}) as journal:
        assert [(e.event, e.data.get("by")) for e in journal.events()][3:] == told
    assert all(by == "Dora" for _, by in told)


def test_an_act_that_was_taken_and_is_slow_is_said_to_be_so(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be withdrawn any more: neither done nor not done, and no fault of the program."""
    monkeypatch.setattr("controller.web.correcting.ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(hall.table, "_look_again", lambda: time.sleep(1.5))
    answer = hall.director().post("/api/setup/look", timeout=10)
    assert answer.status_code == 503, answer.text
    assert answer.json()["error"].startswith("It was taken") and "Nothing was done" not in answer.text


def slow_search(monkeypatch: pytest.MonkeyPatch, hall: Hall, seconds: float) -> None:
    """The search for the board takes so long from now on; gives when one has begun."""
    from controller import app

    quick, begun = app.calibrate, list[float]()

    def calibrate(*given: Any, **more: Any) -> Any:
        begun.append(time.monotonic())
        time.sleep(seconds)
        return quick(*given, **more)

    monkeypatch.setattr(app, "calibrate", calibrate)
    hall.until(lambda: begun)


def test_what_is_asked_for_while_the_board_is_searched_for_waits_for_the_search(make_hall: MakeHall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = make_hall(patient=True)
    boss = hall.director()
    monkeypatch.setattr("controller.web.correcting.ANSWER_SECONDS", 0.2)
    slow_search(monkeypatch, hall, 1.0)
    assert boss.post("/api/setup/start", json={"names": ["Ada", "Ben"]}).status_code == 200


def test_a_search_without_end_is_called_a_search_and_no_missing_picture(make_hall: MakeHall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = make_hall(patient=True)
    boss = hall.director()
    monkeypatch.setattr("controller.web.correcting.LOOKING_SECONDS", 0.2)
    slow_search(monkeypatch, hall, 1.0)
    answer = boss.post("/api/setup/start", json={"names": ["Ada", "Ben"]})
    assert answer.status_code == 503 and "looks for the board" in answer.json()["error"] and "Nothing was done" in answer.json()["error"]
    hall.looks(3)
    assert hall.table.now.waits and hall.table.now.match.names == ("Ada", "Ben") and not (hall.folder / "match.json").exists()


def test_every_plain_act_has_its_button_and_its_word(hall: Hall) -> None:
    page = hall.director().get("/").text
    told = " ".join((Path(__file__).parents[2] / "docs/page.md").read_text(encoding="utf-8").split())
    words = {"stands": "it stands", "undo": "take back", "commit": "turn is over", "new-game": "break off", "end-match": "end the match",
             "refuse": "play on", "accept": "accept it", "call": "call the play"}  # fmt: skip
    for act in PLAIN:
        assert f'data-act="{act}"' in page, act
        assert words.get(act, act) in told, act


def test_a_cube_goes_past_its_faces(hall: Hall) -> None:
    hall.open_game()
    assert hall.director().post("/api/acts/cube", json={"value": 256, "owner": "A"}).status_code == 200
    assert hall.client().get("/api/board").json()["cube"] == {"value": 256, "face": 4, "owner": "A", "offered_by": None}
