"""Watching: what a viewer is told, and when; leaving and coming back; being slow."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import MakeHall
from hall import LEARNED, Hall, Stage

from calibration.profile import Profile
from controller import feed, web
from controller.events import Kind
from controller.feed import Feed
from controller.learning import PROFILE
from controller.panel.lamps import LONG, Lights, Rhythm, lit
from controller.panel.light_bar import DARK
from controller.panel.pins import NoPanel
from controller.web.view import TOLD_IN_SILENCE
from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player


def messages(lines: Any) -> Any:
    """Server-sent events as (name, id, data)."""
    name, mark, data = "message", "", ""
    for line in lines:
        if line == "":
            if data:
                yield name, mark, json.loads(data)
            name, data = "message", ""
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "id":
            mark = value
        elif field == "data":
            data += value


def first_message(hall: Hall, **query: Any) -> dict[str, Any]:
    headers = query.pop("headers", {})
    with hall.client().stream("GET", "/api/stream", params=query, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return next(data for name, _, data in messages(answer.iter_lines()) if name == "news")


def test_the_board_follows_the_game(hall: Hall) -> None:
    viewer = hall.client()
    before = viewer.get("/api/board").json()
    assert before["names"] == ["Ada", "Ben"] and before["game_phase"] == "opening" and before["length"] == 5
    after = hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    board = viewer.get("/api/board").json()
    assert board["position"] == list(after.to_28()) and board["turn"] == "B" and board["waiting"] == "waiting for Ben's dice"
    assert board["verdict"]["kind"] == "play" and set(board["verdict"]["points"]) == {5, 6, 8}
    events = viewer.get("/api/events").json()
    assert [e["event"] for e in events["events"]] == ["game_start", "opening_roll", "play"]
    assert [e["number"] for e in events["events"]] == [1, 2, 3] and events["number"] == 3
    assert events["events"][2]["words"] == "Ada played 3-1: 8/5 6/5"
    later = viewer.get("/api/events", params={"since": 2}).json()
    assert [e["number"] for e in later["events"]] == [3]


def test_dice_that_lie_are_shown_with_the_board_as_it_is_moved(hall: Hall) -> None:
    after = hall.open_game()
    hall.put(after, ((6, "left"), (4, "left")))
    hall.until(lambda: "roll" in hall.kinds())
    board = hall.client().get("/api/board").json()
    assert board["dice"] == [6, 4] and board["roller"] == "B" and board["turn"] == "B"
    half_moved = [*after.to_28()]
    half_moved[0], half_moved[10] = -1, -1  # 24/14 in Ben's numbering, one checker
    hall.put(half_moved, hall.stage.dice)
    board = hall.client().get("/api/board").json()
    assert board["shown"][10] == -1 and board["position"][10] == 0


def test_an_illegal_play_lights_its_points_and_says_how_to_put_it_right(hall: Hall) -> None:
    after = hall.open_game()
    dice = ((6, "left"), (4, "left"))
    hall.put(after, dice)
    wrong = [*after.to_28()]
    wrong[0], wrong[9] = -1, -1  # nine pips with 6-4
    hall.put(wrong, dice)
    hall.put(wrong, looks=6)
    hall.until(lambda: "illegal" in hall.kinds())
    board = hall.client().get("/api/board").json()
    assert board["verdict"]["kind"] == "illegal" and board["verdict"]["clause"] and {1, 10} <= set(board["verdict"]["points"])
    assert board["correction"] and all(lift["player"] == "B" and "Ben" in lift["words"] for lift in board["correction"])
    lift = board["correction"][0]
    assert lift["start"] == 10 and board["shown"][9] == -1


def test_a_stream_begins_with_everything_and_goes_on_with_what_is_new(hall: Hall) -> None:
    with hall.client().stream("GET", "/api/stream") as answer:
        heard = messages(answer.iter_lines())
        _, mark, first = next(m for m in heard if m[0] == "news")
        assert first["fresh"] and [e["event"] for e in first["events"]] == ["game_start"] and mark == "journal.sqlite:1"
        hall.open_game()
        told: list[str] = []
        for name, _, news in heard:
            if name == "news":
                assert not news["fresh"] and time.time() - news["at"] < 10
                told += [e["event"] for e in news["events"]]
                if "play" in told:
                    assert news["board"]["number"] == 3
                    break
        assert told == ["opening_roll", "play"]


def test_whoever_comes_back_hears_what_he_missed_and_nothing_twice(hall: Hall) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    missed = first_message(hall, since=1, match="journal.sqlite")
    assert not missed["fresh"] and [e["number"] for e in missed["events"]] == [2, 3]
    by_browser = first_message(hall, headers={"last-event-id": "journal.sqlite:2"})
    assert not by_browser["fresh"] and [e["number"] for e in by_browser["events"]] == [3]


@pytest.mark.parametrize("query", [{"since": 1, "match": "another"}, {"since": 99, "match": "journal.sqlite"}, {}])
def test_whoever_comes_from_another_match_begins_anew(hall: Hall, query: dict[str, Any]) -> None:
    fresh = first_message(hall, **query)
    assert fresh["fresh"] and [e["number"] for e in fresh["events"]] == [1]


@pytest.mark.parametrize("mark", ["journal.sqlite:x", "journal.sqlite:", ":::", "journal.sqlite:-3", "journal.sqlite:٣", "a" * 299])
def test_a_strange_last_event_id_harms_nobody(hall: Hall, mark: str) -> None:
    assert first_message(hall, headers={"last-event-id": mark.encode()})["board"]["number"] == 1


def test_a_restart_shows_the_same_board_and_counts_on(make_hall: MakeHall, hall: Hall, stage: Stage) -> None:
    after = hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    hall.close()
    stage.unplugged = True
    again = make_hall(port=hall.server.port)
    board = again.client().get("/api/board").json()
    assert board["position"] == list(after.to_28()) and board["number"] == 3  # before any picture has come
    again.until(lambda: again.table.now.phase == "no camera")
    assert again.client().get("/api/board").json()["waiting"] == "waiting for the camera"
    stage.unplugged = False
    again.until(lambda: again.table.watching)
    again.play(after, Player.B, (6, 4), "24/14")
    again.until(lambda: again.kinds().count("play") == 2)
    assert [n for n, _ in again.table.events()] == [1, 2, 3, 4, 5]


def test_a_camera_that_is_lost_is_said_and_comes_back(hall: Hall, stage: Stage) -> None:
    stage.unplugged = True
    hall.until(lambda: hall.table.now.phase == "no camera")
    board = hall.client().get("/api/board").json()
    assert "camera" in board["note"] and board["game_phase"] == "opening"
    stage.unplugged = False
    hall.until(lambda: hall.table.watching)
    assert hall.client().get("/api/board").json()["note"] == ""


def test_a_hand_is_said(hall: Hall, stage: Stage) -> None:
    stage.hand = True
    hall.until(lambda: hall.table.now.note == "a hand is over the board")
    assert hall.client().get("/api/board").json()["note"] == "a hand is over the board"


def test_a_silent_match_tells_viewers_nothing_that_only_the_director_may_know(make_hall: MakeHall, stage: Stage) -> None:
    hall = make_hall(patient=True)
    boss = hall.director()
    started = boss.post("/api/setup/start", json={"names": ["Ada", "Ben"], "length": 5, "speaks": "silent"})
    assert started.status_code == 200
    hall.until(lambda: "game_start" in hall.kinds())
    hall.wrong_play()
    viewer = hall.client()
    seen, known = viewer.get("/api/board").json(), boss.get("/api/board").json()
    assert known["verdict"]["kind"] == "illegal" and known["correction"]
    assert seen["verdict"]["kind"] == "play" and seen["correction"] == [] and "right" not in seen["waiting"]
    assert "illegal" not in [e["event"] for e in viewer.get("/api/events").json()["events"]]
    assert "illegal" not in [e["event"] for e in first_message(hall)["events"]]
    assert "illegal" in [e["event"] for e in boss.get("/api/events").json()["events"]]


def test_no_aids_are_shown(hall: Hall) -> None:
    """Idea 11: no pip counts, no hints, not even for programs."""
    hall.open_game()
    text = hall.client().get("/api/board").text + hall.client().get("/").text
    assert "pip" not in text and "hint" not in text and "equity" not in text


async def _join(feed: Feed[int]) -> Any:
    return feed.join()


def test_a_viewer_who_does_not_listen_is_let_go_and_the_others_hear_everything() -> None:
    import asyncio

    async def run() -> None:
        news: Feed[int] = Feed()
        slow, quick = news.join(), news.join()
        for number in range(feed.WAITING + 10):
            news.tell(number)
            assert await quick.next() == number
        assert slow.queue.qsize() == 1 and await slow.next() is None
        assert news.viewers == 1
        news.tell(None)
        assert await quick.next() is None and news.viewers == 0

    asyncio.run(run())


def test_telling_never_waits_whoever_has_gone() -> None:
    import asyncio

    news: Feed[int] = Feed()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(_join(news))
    loop.close()
    news.tell(1)


OF_A = replace(LEARNED, colours=("#3a2018", "#efe6d2"))
"""The board of `hall`, with A's checkers the dark ones."""


def dark(hall: Hall) -> tuple[str, str, str]:
    """Whose checkers the page, the board's values and the setting up call the dark ones."""
    page = re.search(r'data-darker="(.)"', hall.client().get("/").text)
    assert page
    return page[1], hall.client().get("/api/board").json()["darker"], hall.client().get("/api/setup").json()["darker"]


@pytest.mark.parametrize("patient", [True, False])
@pytest.mark.parametrize(("learned", "side"), [(LEARNED, "B"), (OF_A, "A")])
def test_the_side_that_was_learned_as_the_darker_is_drawn_dark(
    make_hall: MakeHall, monkeypatch: pytest.MonkeyPatch, learned: Profile, side: str, patient: bool
) -> None:
    assert learned.darker == side
    monkeypatch.setattr("hall.LEARNED", learned)
    hall = make_hall(patient=patient)
    hall.until(lambda: hall.table.now.phase in ("set up", "watching"))
    assert dark(hall) == (side, side, side)


def test_the_darker_side_is_known_from_the_kept_board_before_any_picture(make_hall: MakeHall, stage: Stage, tmp_path: Path) -> None:
    OF_A.save(tmp_path / PROFILE)
    stage.unplugged = True
    hall = make_hall()
    hall.until(lambda: hall.table.now.phase == "no camera")
    assert dark(hall) == ("A", "A", "A")


def test_a_stream_says_the_darker_side_as_soon_as_it_is_learned(make_hall: MakeHall, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hall.LEARNED", OF_A)
    stage.position = [0] * 24 + [0, 0, 15, 15]
    hall = make_hall(patient=True)
    with hall.client().stream("GET", "/api/stream") as answer:
        heard = (data for name, _, data in messages(answer.iter_lines()) if name == "news")
        assert next(heard)["board"]["darker"] == "B"
        stage.position = START.to_28()
        while next(heard)["board"]["darker"] == "B":
            pass


HIDDEN_IN_SILENCE = {"setup", "roll_void", "illegal", "stands", "unsure", "roll_stands", "taken_back", "called", "refused", "ruling"}


def test_every_event_is_either_told_in_silence_or_not() -> None:
    """A new kind of event is hidden until somebody has thought about it."""
    assert not TOLD_IN_SILENCE & HIDDEN_IN_SILENCE and set(get_args(Kind)) == TOLD_IN_SILENCE | HIDDEN_IN_SILENCE


def silent_match(make_hall: MakeHall) -> Hall:
    hall = make_hall(patient=True)
    started = hall.director().post("/api/setup/start", json={"names": ["Ada", "Ben"], "length": 5, "speaks": "silent"})
    assert started.status_code == 200
    hall.until(lambda: "game_start" in hall.kinds())
    return hall


def test_viewers_of_a_silent_match_hear_of_no_ruling_and_of_nothing_put_right(make_hall: MakeHall) -> None:
    hall = silent_match(make_hall)
    boss, viewer = hall.director(), hall.client()
    after, _ = hall.wrong_play()
    hall.put(parse_play("24/14", after, Player.B, Roll(6, 4)).result, looks=6)
    hall.until(lambda: hall.kinds()[-1] == "play" and hall.table.events()[-1][1].data.get("corrected"))
    name = hall.table.now.match.journal
    ruled = boss.post(f"/api/matches/{name}/turns/2/ruling", json={"ruling": "corrected", "note": "seen by Dora"})
    assert ruled.status_code == 200 and hall.kinds()[-1] == "ruling"
    for text in (viewer.get("/api/board").text, viewer.get("/api/events").text, json.dumps(first_message(hall))):
        for word in ("corrected", "put right", "ruling", "dora", "illegal"):
            assert word not in text.lower(), word
    known = boss.get("/api/events").text
    assert "(corrected)" in known and '"ruling"' in known and "seen by Dora" in known


def test_whose_session_ends_hears_as_a_viewer_from_then_on(make_hall: MakeHall) -> None:
    hall = silent_match(make_hall)
    boss = hall.director()
    told: list[str] = []
    with boss.stream("GET", "/api/stream") as answer:
        heard = (data for name, _, data in messages(answer.iter_lines()) if name == "news")
        next(heard)
        other = hall.client()
        other.cookies, other.headers = boss.cookies, boss.headers
        assert other.post("/api/access/leave").status_code == 200
        hall.wrong_play()
        number = hall.table.now.number
        for news in heard:
            told += [event["event"] for event in news["events"]]
            assert news["board"]["correction"] == []
            if news["board"]["number"] >= number:
                break
    assert "play" in told and "illegal" not in told


class Recorder(NoPanel):
    """A panel that keeps what it was told."""

    def __init__(self) -> None:
        self.lit: set[str] = set()
        self.beeped: list[Rhythm] = []
        self.light_bar: set[Any] = set()

    def show(self, lights: Lights) -> None:
        self.lit |= set(lit(lights))

    def beep(self, rhythm: Rhythm) -> None:
        self.beeped += [rhythm] if rhythm else []

    def points(self, colours: Sequence[Any]) -> None:
        self.light_bar |= set(colours)


@pytest.mark.parametrize("speaks", ["silent", "club"])
def test_a_match_set_up_as_a_silent_one_is_silent_at_the_board_too(make_hall: MakeHall, speaks: str) -> None:
    hall = make_hall(patient=True)
    panel = hall.attendant.panel = Recorder()
    agreed = {"names": ["Ada", "Ben"], "length": 5, "speaks": speaks}
    assert hall.director().post("/api/setup/start", json=agreed).status_code == 200
    hall.until(lambda: "game_start" in hall.kinds())
    hall.wrong_play()
    hall.looks(3)
    silent = speaks == "silent"
    assert ("illegal" in panel.lit) is not silent and (LONG + LONG in panel.beeped) is not silent
    assert (panel.light_bar > {DARK}) is not silent and "turn_b" in panel.lit


def test_silence_outlives_a_restart_and_ends_with_its_match(make_hall: MakeHall) -> None:
    hall = silent_match(make_hall)
    hall.close()
    again = make_hall(patient=True)
    again.until(lambda: again.table.watching)
    assert again.attendant.silent
    assert again.director().post("/api/setup/start", json={"names": ["Ida", "Otto"]}).status_code == 200
    again.until(lambda: again.kinds() == ["game_start"])
    assert not again.attendant.silent


def test_the_scripts_name_a_position_s_places_once() -> None:
    scripts = [path.read_text(encoding="utf-8") for path in (Path(web.__file__).parent / "static").glob("*.js")]
    assert sum(text.count("25, 26, 0, 27]") for text in scripts) == 1
