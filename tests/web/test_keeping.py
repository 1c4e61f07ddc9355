"""Past matches and rulings over HTTP: what is shown to whom, and that no address leads elsewhere."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pypdf
import pytest
from hall import Hall

from controller.keeping import analysis as thinking
from controller.match import Match
from controller.web.keeping import Shelf
from rules.notation import apply_hops, parse_hops
from rules.position import Player, Position

sys.path.insert(0, str(Path(__file__).parents[1] / "keeping"))

MakeHall = Callable[..., Hall]


@pytest.fixture
def ruled(hall: Hall) -> Hall:
    """Ada opened; Ben's play is illegal and was called by the referee."""
    illegal(hall)
    return hall


def illegal(hall: Hall) -> None:
    after = hall.open_game()
    wrong = apply_hops(parse_hops("13/9"), after, Player.B)
    assert isinstance(wrong, Position)
    thrown = ((6, "left"), (5, "left"))
    hall.put(after, thrown)
    hall.put(wrong, thrown)
    hall.put(wrong, looks=4)
    hall.until(lambda: "illegal" in hall.kinds())


def test_a_match_is_listed_searched_and_told(ruled: Hall) -> None:
    with ruled.client() as viewer:
        listed = viewer.get("/api/matches").json()
        assert len(listed) == 1 and listed[0]["running"] and listed[0]["illegal"] == 1 and listed[0]["names"] == ["Ada", "Ben"]
        assert viewer.get("/api/matches", params={"q": "nobody"}).json() == []
        name = listed[0]["id"]
        told = viewer.get(f"/api/matches/{name}").json()
        assert [turn["kind"] for turn in told["turns_told"]] == ["play", "illegal"] and [one["kind"] for one in told["incidents"]] == ["illegal"]
        for address in ("/matches", f"/matches/{name}", f"/matches/{name}/turns/2"):
            page = viewer.get(address)
            assert page.status_code == 200 and "Ada" in page.text and "http://" not in page.text and "https://" not in page.text
            assert 'style="' not in page.text  # the page's policy would not let it be shown
        turn = viewer.get(f"/api/matches/{name}/turns/2").json()
        assert turn["verdict"].startswith("Illegal: Ben") and turn["plays"] and turn["reading"]["dice"][0]["value"] in (5, 6)
        picture = viewer.get(turn["still_roll"])
        assert picture.headers["content-type"] == "image/jpeg" and picture.content[:2] == b"\xff\xd8"


def test_the_page_never_opens_the_file_that_the_watch_writes_to(ruled: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing it would give up SQLite's locks, which belong to the process and not to a descriptor."""
    journal, opened = ruled.table.journal.name, list[str]()
    real = os.open

    def watched(path: Any, *rest: Any, **more: Any) -> int:
        opened.append(str(path))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", watched)
    with ruled.client() as viewer:
        for address in ("/api/matches", f"/api/matches/{journal}", f"/api/matches/{journal}/turns/2", f"/api/matches/{journal}/download/html"):
            assert viewer.get(address).status_code == 200
        assert viewer.get("/api/matches").json()[0]["running"]
    assert not [path for path in opened if path.endswith(journal)]


def test_what_is_not_there_is_a_sentence(ruled: Hall) -> None:
    name = ruled.table.now.match.journal
    with ruled.client() as viewer:
        for address in ("none.sqlite", "..%2F..%2Fetc%2Fpasswd", "%2e%2e", "secrets.json", f"{name}%00", f"{name}-wal", "x" * 3000):
            for path in (f"/api/matches/{address}", f"/api/matches/{address}/download/jsonl", f"/api/matches/{address}/stills/0", f"/api/matches/{address}/turns/1", f"/matches/{address}"):
                answer = viewer.get(path)
                assert answer.status_code in (400, 404), (path, answer.status_code)
                assert "root:" not in answer.text and "Traceback" not in answer.text
        assert viewer.get(f"/api/matches/{name}/turns/77").json()["error"] == "This match has 2 turns; there is no turn 77."
        assert viewer.get(f"/matches/{name}/turns/77").status_code == 404
        assert viewer.get(f"/api/matches/{name}/stills/99999").status_code == 404
        assert viewer.get(f"/api/matches/{name}/stills/-1").status_code == 404
        assert viewer.get(f"/api/matches/{name}/download/exe").status_code == 422
        assert viewer.get(f"/api/matches/{name}/turns/abc").status_code == 422


def test_files_are_given_or_refused_with_the_reason(ruled: Hall) -> None:
    name = ruled.table.now.match.journal
    with ruled.client() as viewer:
        report = viewer.get(f"/api/matches/{name}/download/html")
        assert report.status_code == 200 and "attachment" in report.headers["content-disposition"] and "data:image/jpeg" in report.text
        assert "script-src" not in report.headers["content-security-policy"] and "sandbox" in report.headers["content-security-policy"]
        assert "only the 4" in report.text or "not a play of 6-5" in report.text
        pdf = viewer.get(f"/api/matches/{name}/download/pdf")
        assert pypdf.PdfReader(io.BytesIO(pdf.content)).pages
        lines = viewer.get(f"/api/matches/{name}/download/jsonl").text.splitlines()
        assert [json.loads(line)["event"] for line in lines] == ruled.kinds()
        refused = viewer.get(f"/api/matches/{name}/download/mat")
        assert refused.status_code == 409 and "was not put right" in refused.json()["error"]


def test_a_ruling_is_recorded_by_the_director_alone(ruled: Hall) -> None:
    name = ruled.table.now.match.journal
    address = f"/api/matches/{name}/turns/2/ruling"
    with ruled.client() as viewer, closing(ruled.director("Dora")) as boss:
        assert viewer.post(address, json={"ruling": "stands"}).status_code == 401
        assert "ruling" not in ruled.kinds()
        assert boss.post(address, json={"ruling": "flogging"}).json()["fields"]
        assert boss.post(f"/api/matches/{name}/turns/9/ruling", json={"ruling": "stands"}).status_code == 404
        late = boss.post(address, json={"ruling": "stands", "match": name, "number": 1})
        assert late.status_code == 409 and "moved on" in late.json()["error"]
        done = boss.post(address, json={"ruling": "illegal play called", "note": "Ada saw it"})
        assert done.status_code == 200, done.text
        event = next(event for _, event in ruled.table.events() if event.event == "ruling")
        assert event.data == {"turn": 2, "ruling": "illegal play called", "note": "Ada saw it", "by": "Dora"}
        turn = viewer.get(f"/api/matches/{name}/turns/2").json()
        assert turn["rulings"] == [{"ruling": "illegal play called", "by": "Dora", "note": "Ada saw it"}]
        assert "Ada saw it" in viewer.get(f"/api/matches/{name}/download/html").text


def test_a_match_that_is_over_is_not_written_to(ruled: Hall) -> None:
    name = ruled.table.now.match.journal
    ruled.table.start(Match(names=("Cy", "Di"), length=3)).result(20)
    ruled.until(lambda: ruled.table.now.match.names == ("Cy", "Di") and ruled.table.watching)
    with closing(ruled.director()) as boss:
        assert {one["names"][0]: one["running"] for one in boss.get("/api/matches").json()} == {"Ada": False, "Cy": True}
        refused = boss.post(f"/api/matches/{name}/turns/2/ruling", json={"ruling": "stands"})
        assert refused.status_code == 409 and "at the table" in refused.json()["error"]
        assert boss.get(f"/api/matches/{name}/turns/2").status_code == 200


def test_a_silent_match_is_told_to_the_director_alone(make_hall: MakeHall) -> None:
    hall = make_hall()
    hall.until(lambda: "game_start" in hall.kinds())
    hall.table.start(Match(names=("Cy", "Di"), length=3, speaks="silent")).result(20)
    hall.until(lambda: hall.table.now.match.names == ("Cy", "Di") and hall.kinds() == ["game_start"])
    illegal(hall)
    name = hall.table.now.match.journal
    with hall.client() as viewer, closing(hall.director()) as boss:
        for address in (f"/api/matches/{name}", f"/api/matches/{name}/turns/2", f"/api/matches/{name}/download/jsonl", f"/matches/{name}", f"/matches/{name}/turns/2"):
            assert viewer.get(address).status_code == 403 and boss.get(address).status_code == 200, address
        shown = {one["id"]: one["illegal"] for one in viewer.get("/api/matches").json()}
        assert shown[name] == 0 and boss.get("/api/matches").json()[0]["illegal"] == 1
        assert name not in [one["id"] for one in viewer.get("/api/matches", params={"q": "illegal"}).json()]


def test_pictures_are_the_directors_when_the_camera_is_closed(ruled: Hall) -> None:
    name = ruled.table.now.match.journal
    ruled.secrets.camera_open = False
    with ruled.client() as viewer, closing(ruled.director()) as boss:
        still = boss.get(f"/api/matches/{name}/turns/2").json()["still_roll"]
        assert still and boss.get(still).status_code == 200 and viewer.get(still).status_code == 403
        assert viewer.get(f"/api/matches/{name}/turns/2").json()["still_roll"] == ""
        assert "data:image" not in viewer.get(f"/api/matches/{name}/download/html").text
        assert "data:image" in boss.get(f"/api/matches/{name}/download/html").text


@pytest.mark.skipif(thinking.installed() is None, reason="gnubg is not installed")
def test_an_analysis_is_started_by_the_director_and_seen_by_all(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "NICE", 0)
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    address = f"/api/matches/{hall.table.now.match.journal}/analysis"
    with hall.client() as viewer, closing(hall.director()) as boss:
        assert viewer.get(address).json()["state"] == "none" and viewer.post(address, json={}).status_code == 401
        assert boss.post(address, json={"plies": 7}).status_code == 422
        assert boss.post(address, json={"plies": 0}).json()["state"] in ("running", "done")
        end = time.monotonic() + 60
        view: dict[str, Any] = {}
        while view.get("state") != "done":
            view = viewer.get(address).json()
            assert view["state"] != "failed" and time.monotonic() < end, view
            time.sleep(0.1)
        assert [side["name"] for side in view["result"]["sides"]] == ["Ada", "Ben"]
        assert viewer.delete(address).status_code == 401 and boss.delete(address).json()["state"] == "done"


def test_the_interface_is_described(hall: Hall) -> None:
    with hall.client() as viewer:
        paths = viewer.get("/openapi.json").json()["paths"]
    for path in ("/api/matches", "/api/matches/{match}", "/api/matches/{match}/turns/{number}", "/api/matches/{match}/turns/{number}/ruling",
                 "/api/matches/{match}/download/{ending}", "/api/matches/{match}/stills/{frame}", "/api/matches/{match}/analysis"):  # fmt: skip
        assert path in paths and all(act.get("summary") for act in paths[path].values()), path


def test_a_start_of_the_page_imports_nothing_that_only_a_report_needs() -> None:
    code = "import sys, controller.web.keeping, controller.web.ruling; print([name for name in ('fpdf', 'fontTools') if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=True, capture_output=True, text=True, timeout=120)
    assert told.stdout.strip() == "[]"


def test_there_is_one_shelf_from_the_beginning(hall: Hall) -> None:
    """Two who came first at once would have had one each, with an analysis that the other knows nothing of."""
    assert isinstance(hall.app.state.shelf, Shelf)


def test_a_ruling_names_its_turn_and_is_recorded_however_far_the_game_is(ruled: Hall) -> None:
    boss, name = ruled.director(), ruled.table.now.match.journal
    address = f"/api/matches/{name}/turns/1/ruling"
    page = boss.get(f"/matches/{name}/turns/1")
    assert page.status_code == 200
    boss.post("/api/acts/score", json={"score": [1, 1]})  # somebody else does something meanwhile
    assert boss.post(address, json={"ruling": "legal"}).status_code == 200
    stale = {"ruling": "stands", "match": name, "number": 1}
    assert boss.post(address, json=stale).status_code == 409  # unless it says what it is based on
    told = ruled.table.events()[-1][1]
    assert told.event == "ruling" and told.data["turn"] == 1 and told.data["by"] == "Dora"
