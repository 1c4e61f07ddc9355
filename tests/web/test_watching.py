"""Watching: what a viewer is told, and when; leaving and coming back; being slow."""

from __future__ import annotations

import json
import time
from typing import Any, Literal

import pytest
from conftest import MakeHall
from hall import Hall, Stage

from controller import feed
from controller.feed import Feed
from rules.position import Player


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
    after = hall.open_game()
    wrong = [*after.to_28()]
    wrong[0], wrong[9] = -1, -1
    hall.put(after, ((6, "left"), (4, "left")))
    hall.put(wrong, hall.stage.dice)
    hall.put(wrong, looks=6)
    hall.until(lambda: "illegal" in hall.kinds())
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


@pytest.mark.parametrize("side", ["A", "B"])
def test_the_darker_side_on_the_table_is_drawn_dark(hall: Hall, side: Literal["A", "B"]) -> None:
    hall.table.darker = side
    assert f'data-darker="{side}"' in hall.client().get("/").text
