"""Past matches and rulings in a real headless Chromium, on a phone and a tablet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pypdf
import pytest
from conftest import MakeHall
from hall import Hall
from test_browser import MakePage, axe_source, browser, make_page, pytestmark, shown
from test_keeping import illegal

__all__ = ["browser", "make_page", "pytestmark"]


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("tablet", "dark")])
def test_a_ruling_is_made_and_the_report_downloaded_and_opened(hall: Hall, make_page: MakePage, size: str, scheme: str, tmp_path: Path) -> None:
    illegal(hall)
    page = make_page(hall, size, scheme, director=True)
    page.goto("/matches")
    page.get_by_role("link", name="Ada – Ben").click()
    shown(page, "Turn 2: Ben 6-5 an illegal play")
    fits(page)
    page.get_by_role("button", name="One turn back").click()
    shown(page, "Turn 1: Ada 3-1 8/5 6/5")
    page.keyboard.press("End")
    shown(page, "Turn 2: Ben 6-5")
    page.get_by_role("link", name="Look at this turn closely").click()
    page.get_by_role("heading", name="Turn 2").wait_for()
    fits(page)
    assert all(page.locator("figure img").nth(n).evaluate("image => image.complete && image.naturalWidth > 100") for n in range(2))
    page.get_by_role("button", name="Record the ruling").click()
    shown(page, "Choose what is decided.")
    page.get_by_label("The play is illegal and was called").check()
    page.get_by_label("Note").fill("Ada saw it")
    page.get_by_role("button", name="Record the ruling").click()
    page.locator(".ruled", has_text="Ada saw it").wait_for()
    page.locator(".plays button").first.click()
    assert page.locator("#play-board").is_visible()
    page.get_by_role("link", name="Ada – Ben").click()
    for name, ending in (("report, one HTML file", "html"), ("report as PDF", "pdf")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        download.value.save_as(tmp_path / f"report.{ending}")
    assert len(pypdf.PdfReader(tmp_path / "report.pdf").pages) >= 2
    page.get_by_role("link", name=".mat").click()
    shown(page, "was not put right")
    opened = page.context.new_page()  # a file of its own: nothing of the table is needed to read it
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto((tmp_path / "report.html").as_uri())
    shown(opened, "Ada saw it")
    assert opened.title().startswith("Ada – Ben") and opened.locator("section.card").count() == 2
    assert opened.locator("img").first.evaluate("image => image.complete && image.naturalWidth > 100")
    assert all(address.startswith(("file:", "data:")) for address in asked)
    fits(opened)


def fits(page: Any) -> None:
    """Nothing sticks out to the side."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_viewer_finds_matches_and_rules_nothing(make_hall: MakeHall, make_page: MakePage, tmp_path: Path) -> None:
    (tmp_path / "broken.sqlite").write_text("no journal")
    hall = make_hall()
    hall.until(lambda: "game_start" in hall.kinds())
    illegal(hall)
    page = make_page(hall)
    page.goto("/matches")
    shown(page, "Cannot be read")
    page.get_by_role("searchbox").fill("ben m1")
    page.keyboard.press("Enter")
    shown(page, "1 match for")
    page.get_by_role("searchbox").fill("nobody")
    page.keyboard.press("Enter")
    shown(page, "0 matches for")
    page.goto(f"/matches/{hall.table.now.match.journal}/turns/2")
    shown(page, "The director rules")
    assert page.get_by_role("button", name="Record the ruling").count() == 0
    page.goto("/matches/none.sqlite")
    shown(page, "There is no such match.")


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious_here(hall: Hall, make_page: MakePage, scheme: str) -> None:
    script = axe_source()
    if script is None:
        pytest.skip("axe-core cannot be had (npm install axe-core)")
    illegal(hall)
    name, found = hall.table.now.match.journal, []
    for director in (False, True):
        page = make_page(hall, scheme=scheme, director=director)
        for path in ("/matches", "/matches?q=ada", f"/matches/{name}", f"/matches/{name}/turns/1", f"/matches/{name}/turns/2", "/matches/none"):
            page.goto(path)
            page.wait_for_timeout(500)
            page.evaluate(script.read_text(encoding="utf-8"))
            result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            found += [(path, director, v["id"], v["nodes"][0]["html"][:160]) for v in result["violations"] if v["impact"] in ("serious", "critical")]
    assert found == []
