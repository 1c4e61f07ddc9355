"""Who may do what: every route from the table of routes, PIN, links, sessions, other sites, strange hosts, haste."""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import MakeHall
from fastapi.routing import APIRoute, iter_route_contexts
from hall import PIN, Hall

from controller.app import Trouble
from controller.panel.attendant import Attendant
from controller.service import ServiceManager
from controller.settings import Service, Web
from controller.web import running, secrets_kept
from controller.web.guard import ACTS, BODY_MOST, COOKIE, HEADERS, LETS_IN, READING, Hosts
from controller.web.running import run_with_page
from controller.web.secrets_kept import FILE, Secrets, TooOften, Tries
from controller.words import sentence

TEMPLATES = Path(running.__file__).parent / "templates"
READS = frozenset({"GET", "HEAD", "OPTIONS"})


def changing_routes(hall: Hall) -> list[tuple[str, str]]:
    found = []
    for context in iter_route_contexts(hall.app.routes):
        route = context.original_route
        if isinstance(route, APIRoute):
            found += [(method, context.path) for method in route.methods - READS]
    return sorted(found)


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=lambda path: path.stem)
def test_a_form_that_a_script_sends_cannot_be_sent_without_it(path: Path) -> None:
    """The browser would load the page anew, with the PIN in the address."""
    for attributes, inside in re.findall(r"<form([^>]*)>(.*?)</form>", path.read_text(encoding="utf-8"), re.DOTALL):
        if "action=" in attributes or 'method="dialog"' in attributes:
            continue
        sends = [button for button in re.findall(r"<button[^>]*>", inside) if 'type="button"' not in button]
        assert sends and all(" disabled" in button for button in sends), attributes


def test_without_the_pin_nothing_can_be_changed_on_any_route(hall: Hall) -> None:
    assert READING == READS
    before = hall.table.now
    routes = changing_routes(hall)
    assert len(routes) > 15 and ("POST", "/api/acts/undo") in routes and ("POST", "/api/setup/start") in routes
    stranger = hall.client()
    for method, path in routes:
        address = path.replace("{", "").replace("}", "")
        for body in ({}, {"pin": "000000"}, {"token": "x"}):
            answer = stranger.request(method, address, json=body)
            allowed = {403, 422, 429} if path in LETS_IN else {401}
            assert answer.status_code in allowed, (method, path, answer.status_code)
            assert answer.json()["error"] and COOKIE not in answer.cookies
    assert hall.table.now.match is before.match and hall.kinds() == ["game_start"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "PURGE"])
def test_a_route_that_nobody_has_thought_of_is_refused_too(hall: Hall, method: str) -> None:
    assert hall.client().request(method, "/api/whatever").status_code == 401
    assert hall.client().request(method, "/").status_code == 401


def test_only_these_two_paths_are_open_to_strangers() -> None:
    assert {"/api/access/enter", "/api/access/link"} == LETS_IN


def test_the_pin_lets_in_and_the_name_goes_into_the_record(hall: Hall) -> None:
    after = hall.open_game()
    boss = hall.director("Dora")
    assert boss.get("/api/access/me").json()["name"] == "Dora"
    assert boss.post("/api/acts/position", json={"position": [*after.to_28()], "player": "A"}).status_code == 200
    assert hall.table.events()[-1][1].data["by"] == "Dora"
    assert boss.post("/api/access/leave").json() == {"name": None, "token": ""}
    assert boss.post("/api/acts/undo", json={}).status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(hall: Hall) -> None:
    answer = hall.client().post("/api/access/enter", json={"pin": PIN})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie


def test_a_session_without_the_pages_token_changes_nothing(hall: Hall) -> None:
    boss = hall.director()
    for token in ("", "0" * 64):
        boss.headers["x-gammonwatch-token"] = token
        assert boss.post("/api/acts/undo", json={}).status_code == 403
    del boss.headers["x-gammonwatch-token"]
    assert boss.post("/api/acts/undo", json={}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)
def test_what_comes_from_another_site_is_refused(hall: Hall, headers: dict[str, str]) -> None:
    boss = hall.director()
    for path in ("/api/acts/undo", "/api/access/enter"):
        assert boss.post(path, json={"pin": PIN}, headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "a b", "user@127.0.0.1", "127.0.0.1/x", "x" * 300])
def test_an_unknown_host_sees_nothing(hall: Hall, host: str) -> None:
    answer = httpx.get(hall.url + "/api/board", headers={"host": host}, verify=False)
    assert answer.status_code == 400 and "names" not in answer.json()


def test_hosts_that_are_this_computer() -> None:
    hosts = Hosts(["Board1.Club.example"])
    assert all(hosts.knows(h) for h in ("localhost:8000", "127.0.0.1", "192.168.1.20:8000", "[::1]:8000", "[fe80::1]", "board1.club.example", "BOARD1.club.example.:80"))
    assert not any(hosts.knows(h) for h in ("club.example", "localhost.evil.example", "[::1", "::1", "1.2.3", "127.0.0.1:99999999"))


def test_wrong_pins_are_counted_and_the_right_one_waits_too(hall: Hall) -> None:
    client = hall.client()
    answers = [client.post("/api/access/enter", json={"pin": f"{n:06}"}) for n in range(secrets_kept.TRIES + 1)]
    assert [a.status_code for a in answers] == [403] * secrets_kept.TRIES + [429]
    assert answers[0].json()["fields"] == {"pin": "That is not the PIN."}
    assert int(answers[-1].headers["retry-after"]) > 1 and "wait" in answers[-1].json()["error"]
    assert client.post("/api/access/enter", json={"pin": PIN}).status_code == 429


def test_tries_are_forgotten_after_a_while_and_counted_over_all() -> None:
    now = [0.0]
    tries = Tries(2, 5, 60.0, lambda: now[0])
    for _ in range(2):
        tries.check("a")
        tries.count("a")
    with pytest.raises(TooOften) as told:
        tries.check("a")
    assert told.value.seconds == 60 + 1 or told.value.seconds == 60
    for other in "bcd":
        tries.check(other)
        tries.count(other)
    with pytest.raises(TooOften):
        tries.check("stranger")
    now[0] = 61.0
    tries.check("a")
    tries.check("stranger")


def test_a_link_lets_one_person_in_once(hall: Hall) -> None:
    boss = hall.director()
    made = boss.post("/api/access/links").json()
    token = made["url"].partition("#")[2]
    assert made["url"].startswith(hall.url + "/enter#") and made["svg"].startswith("<svg") and len(token) > 20
    phone = hall.client()
    assert phone.post("/api/access/link", json={"token": token, "name": "Paul"}).json()["name"] == "Paul"
    again = hall.client().post("/api/access/link", json={"token": token})
    assert again.status_code == 403 and COOKIE not in again.cookies


def test_a_link_grows_old(tmp_path: Path) -> None:
    now = [1000.0]
    kept = Secrets(tmp_path, lambda: now[0])
    fresh, old = kept.link(), kept.link()
    assert kept.use_link(fresh, "a")
    now[0] += secrets_kept.LINK_SECONDS + 1
    assert not kept.use_link(old, "a")


def test_sessions_outlive_a_restart_but_not_the_day_nor_a_new_pin(tmp_path: Path) -> None:
    now = [1000.0]
    kept = Secrets(tmp_path, lambda: now[0])
    assert kept.new_pin and len(kept.new_pin) == secrets_kept.PIN_DIGITS and kept.right(kept.new_pin, "a")
    token, other = kept.enter("Dora"), kept.enter("Paul")
    again = Secrets(tmp_path, lambda: now[0])
    assert again.new_pin is None and again.who(token) == "Dora" and again.right(kept.new_pin, "a")
    again.set_pin("1234", keep=other)
    assert again.who(token) is None and again.who(other) == "Paul" and not again.right(kept.new_pin, "a")
    now[0] += secrets_kept.SESSION_SECONDS + 1
    assert again.who(other) is None


def test_no_secret_is_kept_in_the_clear_and_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    kept = Secrets(tmp_path)
    token, link = kept.enter("Dora"), kept.link()
    text = (tmp_path / FILE).read_text()
    assert kept.new_pin is not None and kept.new_pin not in text and token not in text and link not in text
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sessions": 3}'])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(Trouble, match="remove it"):
        Secrets(tmp_path)


def test_a_new_pin_sends_the_others_out(hall: Hall) -> None:
    boss, other = hall.director("Dora"), hall.director("Paul")
    assert boss.post("/api/access/pin", json={"pin": "12"}).json()["fields"] == {"pin": "This should have 4 letters or more."}
    assert boss.post("/api/access/pin", json={"pin": "998877"}).status_code == 200
    assert other.get("/api/access/me").json()["name"] is None and boss.get("/api/access/me").json()["name"] == "Dora"


def test_too_much_at_once_is_slowed_down(hall: Hall) -> None:
    boss = hall.director()
    answers = [boss.post("/api/access/camera", json={"open": True}).status_code for _ in range(ACTS + 5)]
    assert 429 in answers and answers[0] == 200


def test_what_is_too_long_is_refused_whether_it_says_so_or_not(hall: Hall) -> None:
    boss = hall.director()
    assert boss.post("/api/acts/undo", content=b"x" * (BODY_MOST + 1)).status_code == 413

    def pieces() -> Any:
        for _ in range(BODY_MOST // 1000 + 2):
            yield b" " * 1000

    assert boss.post("/api/acts/undo", content=pieces(), headers={"content-type": "application/json"}).status_code == 413
    assert hall.client().get("/api/board").status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/board", "/static/page.css", "/no/such/page", "/api/nothing"])
def test_every_answer_carries_the_safe_headers(hall: Hall, path: str) -> None:
    answer = hall.client().get(path)
    for name in HEADERS:
        assert name in answer.headers, name
    assert "unsafe" not in answer.headers["content-security-policy"] and "server" not in answer.headers


def test_the_camera_can_be_closed_to_viewers(hall: Hall) -> None:
    boss, viewer = hall.director(), hall.client()
    paths = ("/api/camera.jpg", "/api/reading")
    assert [viewer.get(p).status_code for p in paths] == [200, 200]
    assert boss.post("/api/access/camera", json={"open": False}).json() == {"open": False}
    assert [viewer.get(p).status_code for p in (*paths, "/api/camera.mjpg")] == [403, 403, 403]
    assert [boss.get(p).status_code for p in paths] == [200, 200]


def test_a_moving_picture_stops_when_the_camera_is_closed(hall: Hall) -> None:
    boss = hall.director()
    with hall.client().stream("GET", "/api/camera.mjpg", params={"fps": 4}) as answer:
        parts = answer.iter_bytes()
        assert b"image/jpeg" in next(parts)
        boss.post("/api/access/camera", json={"open": False})
        for _ in parts:
            pass
    hall.until(lambda: hall.app.state.pictures.streams == 0)


def test_the_devices_own_page_is_for_the_device_alone_and_only_where_it_is_wanted(make_hall: MakeHall, hall: Hall, tmp_path: Path) -> None:
    assert hall.client().get("/device").status_code == 403 and not Web().device_page  # a proxy on this computer looks like a browser on it
    assert hall.director().get("/device").status_code == 200
    wanted = Service(source="made up", players=("Ada", "Ben"), match_length=5, web=Web(port=0, device_page=True))
    folder = tmp_path / "other"
    folder.mkdir()
    hall = make_hall(folder=folder, settings=wanted)
    shown = hall.client().get("/device")
    assert shown.status_code == 200 and "/enter#" in shown.text and "<svg" in shown.text
    assert hall.client().get("/device").text == shown.text  # looking at it again and again makes no heap of links
    for headers in ({"x-forwarded-for": "10.0.0.9"}, {"forwarded": "for=10.0.0.9"}, {"via": "1.1 x"}, {"host": "192.168.1.5:80"}):
        assert hall.client().get("/device", headers=headers).status_code == 403


def test_nothing_secret_stands_in_an_address_that_a_server_sees(hall: Hall) -> None:
    """What lets somebody in stands behind the #, which no browser sends."""
    made = hall.director().post("/api/access/links").json()
    assert "?" not in made["url"] and made["url"].index("#") < len(made["url"]) - 20


def test_a_pin_made_beside_a_running_service_is_asked_for_at_once_and_stays(hall: Hall) -> None:
    boss, link = hall.director(), hall.secrets.link()
    pin = Secrets(hall.folder).make_pin()  # what `gammonwatch pin` does, in a process of its own
    assert boss.get("/api/access/me").json()["name"] is None
    client = hall.client()
    assert client.post("/api/access/enter", json={"pin": PIN}).status_code == 403
    assert client.post("/api/access/link", json={"token": link}).status_code == 403
    assert client.post("/api/access/enter", json={"pin": pin}).status_code == 200  # which writes the file, and must not write the old PIN into it
    assert Secrets(hall.folder).right(pin, "a") and not Secrets(hall.folder).right(PIN, "a")


def test_what_root_writes_the_service_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda *told: given.append(told))
    Secrets(tmp_path).make_pin()
    owner = tmp_path.stat()
    assert given[-1] == (tmp_path / FILE, owner.st_uid, owner.st_gid)


def test_a_file_of_secrets_that_cannot_be_read_stops_the_page_and_not_the_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / FILE).mkdir()
    frames: list[str] = []

    class Watched:
        def __init__(self, *given: Any, **more: Any) -> None: ...

        def frames(self) -> Any:
            frames.append("watched")
            return iter(())

    monkeypatch.setattr(running, "Table", Watched)
    said: list[str] = []
    run_with_page(Service(), tmp_path, Attendant(), ServiceManager(""), said.append, sentence)
    assert frames == ["watched"] and len(said) == 1 and "the watch goes on without it" in said[0] and "remove it" in said[0]


def test_many_who_try_at_once_have_no_more_tries_than_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, heard = Secrets(tmp_path), list[str]()
    slow = secrets_kept._stretched

    def stretched(pin: str, salt: str) -> str:
        time.sleep(0.03)
        return slow(pin, salt)

    monkeypatch.setattr(secrets_kept, "_stretched", stretched)

    def attempt() -> None:
        try:
            heard.append("wrong" if not kept.right("000000x", "a") else "right")
        except TooOften:
            heard.append("wait")

    threads = [threading.Thread(target=attempt) for _ in range(4 * secrets_kept.TRIES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard.count("wrong") == secrets_kept.TRIES and heard.count("wait") == 3 * secrets_kept.TRIES


@pytest.mark.parametrize("pin", ["", "    ", "\t\n ", " 1 2 ", "   a"])
def test_a_pin_that_is_nothing_but_blanks_is_none(hall: Hall, pin: str) -> None:
    boss = hall.director()
    assert boss.post("/api/access/pin", json={"pin": pin}).status_code == 422
    assert hall.secrets.right(PIN, "a") and not hall.secrets.right("", "a")


def test_a_pin_is_the_same_with_blanks_around_it(hall: Hall) -> None:
    assert hall.director().post("/api/access/pin", json={"pin": " 998877 "}).status_code == 200
    assert hall.client().post("/api/access/enter", json={"pin": "998877  "}).status_code == 200


@pytest.mark.parametrize("beside", ["bad[name]=1", "x=\"", "=; ,", "a b c=1", "gammonwatchx=1"])
def test_cookies_of_others_do_not_hide_our_own(hall: Hall, beside: str) -> None:
    session = hall.director().cookies[COOKIE]
    seen = hall.client().get("/api/access/me", headers={"cookie": f"{beside}; {COOKIE}={session}"})
    assert seen.json()["name"] == "Dora"


def test_the_moving_picture_of_a_session_that_has_ended_ends_too(hall: Hall) -> None:
    boss, other = hall.director("Dora"), hall.director("Paul")
    boss.post("/api/access/camera", json={"open": False})
    with other.stream("GET", "/api/camera.mjpg", params={"fps": 4}) as answer:
        parts = answer.iter_bytes()
        assert b"image/jpeg" in next(parts)
        boss.post("/api/access/pin", json={"pin": "998877"})  # sends the others out
        end = time.monotonic() + 30
        for _ in parts:
            assert time.monotonic() < end, "the pictures go on"
    hall.until(lambda: hall.app.state.pictures.streams == 0)


def test_static_files_are_kept_by_browsers_and_asked_for_anew(hall: Hall) -> None:
    client = hall.client()
    first = client.get("/static/page.css")
    assert first.headers["cache-control"] == "no-cache" and first.headers["etag"]
    again = client.get("/static/page.css", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    assert client.get("/").headers["cache-control"] == client.get("/api/board").headers["cache-control"] == "no-store"


BROWSER = {"accept": "text/html,application/xhtml+xml;q=0.9"}


@pytest.mark.parametrize(
    ("path", "status", "headers"),
    [
        ("/no/such/page", 404, {}),
        ("/device", 403, {}),
        ("/matches?q=" + "x" * 300, 422, {}),
        ("/matches/none.sqlite", 404, {}),
        ("/matches/none.sqlite/turns/x", 422, {}),
        ("/", 400, {"host": "evil.example"}),
    ],
)
def test_a_browser_is_told_what_is_wrong_by_a_page_and_a_program_by_json(hall: Hall, path: str, status: int, headers: dict[str, str]) -> None:
    page = hall.client().get(path, headers=BROWSER | headers)
    assert page.status_code == status and page.headers["content-type"].startswith("text/html") and "<h1>" in page.text and '{"' not in page.text
    assert "content-security-policy" in page.headers
    if not path.startswith("/matches/none.sqlite"):  # a page that is always one
        told = hall.client().get(path, headers=headers)
        assert told.status_code == status and told.json()["error"].endswith(".")
    assert hall.client().get("/api" + path, headers=BROWSER | headers).headers["content-type"].startswith("application/json")


def test_a_browser_that_sends_a_form_is_told_by_a_page(hall: Hall) -> None:
    answer = hall.client().post("/matches", headers=BROWSER, content=b"x=1")
    assert answer.status_code == 401 and "Only the director may do that" in answer.text and answer.headers["content-type"].startswith("text/html")


def test_the_devices_own_link_is_another_when_it_was_used_or_is_half_gone(tmp_path: Path) -> None:
    now = [1000.0]
    kept = Secrets(tmp_path, lambda: now[0])
    first = kept.standing_link()
    assert kept.standing_link() == first and kept.use_link(first, "a")
    second = kept.standing_link()
    assert second != first
    now[0] += secrets_kept.LINK_SECONDS / 2 + 1
    third = kept.standing_link()
    assert third != second and kept.use_link(second, "a") and kept.use_link(third, "a")
