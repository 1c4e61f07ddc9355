"""The pages in a real headless Chromium: followed, set up, corrected, on a phone and on a tablet; by keyboard, by ear, and without help from outside."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import MakeHall
from hall import LEARNED, PIN, Hall, Stage

from rules.notation import parse_play
from rules.plays import Roll
from rules.position import START, Player

playwright = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not installed (pip install playwright)")
CHROMIUM = shutil.which("chromium")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed (apt-get install chromium)")]

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
SIZES = {"phone": (390, 844), "tablet": (1024, 768)}
FIRST_VIEW_BYTES = 150_000
SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
PAGES = ("/", "/camera", "/setup", "/director", "/enter", "/device", "/correct")

MakePage = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def make_page(browser: Any) -> Iterator[MakePage]:
    """Pages that fail the test when anything goes wrong in them: an exception, a broken rule of the policy, a request to elsewhere."""
    contexts, wrong = [], list[str]()

    def make(hall: Hall, size: str = "phone", scheme: str = "dark", *, director: bool = False) -> Any:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, base_url=hall.url)
        context.set_default_timeout(90_000)
        if director:
            token = hall.director().cookies["gammonwatch"]
            context.add_cookies([{"name": "gammonwatch", "value": token, "url": hall.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"exception: {error}"))
        page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
        page.on("request", lambda request: wrong.append(f"elsewhere: {request.url}") if not request.url.startswith((hall.url, "blob:", "data:")) else None)
        contexts.append(context)
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []


def shown(page: Any, text: str) -> None:
    page.get_by_text(text).first.wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_a_game_is_followed_an_illegal_play_is_seen_and_put_right(hall: Hall, make_page: MakePage, size: str) -> None:
    page = make_page(hall, size)
    page.goto("/")
    shown(page, "waiting for the opening roll")
    after, _ = hall.wrong_play()
    page.locator(".verdict.illegal").wait_for()
    assert page.locator("#board .point.lit").count() >= 2 and page.locator("#board .arrow").count() >= 1
    assert "Ben: a checker from" in page.locator(".lifts").inner_text()
    right = parse_play("24/14", after, Player.B, Roll(6, 4)).result
    hall.put(right, looks=6)
    page.locator(".verdict.play").wait_for()
    assert page.locator("#board .arrow").count() == 0 and page.locator(".lifts").count() == 0
    assert "Ben" in page.locator(".verdict.play").inner_text() and "(put right)" in page.locator("#list").inner_text()
    # the whole board and whose turn it is are seen without scrolling
    box = page.locator("#board").bounding_box()
    assert box["y"] + box["height"] < SIZES[size][1] and page.locator("#waiting").bounding_box()["y"] < SIZES[size][1] - 60
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_event_is_on_the_page_within_three_tenths_of_a_second(hall: Hall, make_page: MakePage) -> None:
    """From the table's telling to the drawn page, in the middle of several."""
    if os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("this machine is too busy to tell (benchmarks/page_load.py measures it)")
    page = make_page(hall)
    page.goto("/")
    shown(page, "waiting for the opening roll")
    page.evaluate("""() => { window.late = []; new MutationObserver(() => {
        window.late.push(Date.now() / 1000 - Number(document.documentElement.dataset.at)); }).observe(document.documentElement, { attributes: true }); }""")
    after = hall.open_game()
    hall.play(after, Player.B, (6, 4), "24/14")
    hall.until(lambda: hall.kinds().count("play") == 2)
    page.locator("#list button").nth(1).wait_for()
    late = sorted(page.evaluate("window.late"))
    assert len(late) > 3 and late[len(late) // 2] < 0.3, late


def test_any_position_of_the_game_can_be_looked_at_and_the_present_comes_back(hall: Hall, make_page: MakePage) -> None:
    page = make_page(hall, "tablet")
    after = hall.open_game()
    hall.play(after, Player.B, (6, 4), "24/14")
    hall.until(lambda: hall.kinds().count("play") == 2)
    page.goto("/")
    page.locator("#list button").nth(0).click()
    shown(page, "You look at turn 1 of game 1")
    assert "6 on 24" not in page.locator("#board").get_attribute("aria-label")
    assert page.locator("#board").get_attribute("aria-label").endswith("Ben: 2 on 24, 5 on 13, 3 on 8, 5 on 6.")
    page.keyboard.press("ArrowRight")
    shown(page, "You look at turn 2 of game 1")
    page.keyboard.press("End")
    page.locator("#past").wait_for(state="hidden")
    page.keyboard.press("Home")
    page.locator("#past").wait_for()


def test_the_board_can_be_turned_round(hall: Hall, make_page: MakePage) -> None:
    page = make_page(hall)
    page.goto("/")
    shown(page, "waiting for the opening roll")
    assert page.locator("#near .name").inner_text().startswith("Ada")
    page.locator("#turn").click()
    assert page.locator("#near .name").inner_text().startswith("Ben")
    numbers = page.locator("#board .number").all_text_contents()
    assert sorted(int(n) for n in numbers if n.isdigit()) == list(range(1, 25))
    page.reload()
    shown(page, "waiting for the opening roll")
    assert page.locator("#near .name").inner_text().startswith("Ben")


def test_a_page_comes_back_by_itself_when_the_server_was_restarted(make_hall: MakeHall, hall: Hall, make_page: MakePage) -> None:
    page = make_page(hall)
    after = hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    page.goto("/")
    page.locator("#list button").first.wait_for()
    hall.close()
    page.locator("#link").wait_for()
    again = make_hall(port=hall.server.port)
    page.locator("#link").wait_for(state="hidden")
    again.until(lambda: again.table.watching)
    again.play(after, Player.B, (6, 4), "24/14")
    page.locator("#list button").nth(1).wait_for()


def test_the_director_comes_in_sets_up_a_match_and_starts_it(make_hall: MakeHall, stage: Stage, make_page: MakePage) -> None:
    hall = make_hall(patient=True)
    wrong = [*START.to_28()]
    wrong[5] = 4
    stage.position = wrong
    page = make_page(hall)
    page.goto("/setup")
    page.get_by_role("link", name="Give the PIN").click()
    page.get_by_label("PIN").fill("000000")
    page.get_by_role("button", name="Let me in").click()
    shown(page, "That is not the PIN.")
    assert page.evaluate("document.activeElement.name") == "pin"
    page.get_by_label("PIN").fill(PIN)
    page.get_by_label("Your name").fill("Dora")
    page.get_by_role("button", name="Let me in").click()
    page.wait_for_url("**/setup")
    shown(page, "A checker is missing on point 6: 5 should stand there, 4 seen.")
    stage.position = START.to_28()
    shown(page, "the opening reads exactly")
    page.locator("[name='names.0']").fill("Xaver")
    page.locator("[name='names.1']").fill("Xaver")
    page.locator("[name='length']").select_option("5")
    page.locator("[name='clock']").select_option("12+120")
    page.get_by_role("button", name="Start the match").click()
    shown(page, "two different names")
    page.locator("[name='names.1']").fill("Yvonne")
    page.get_by_role("button", name="Start the match").click()
    page.wait_for_url(hall.url + "/")
    shown(page, "Match to 5")
    shown(page, "10:00")
    hall.until(lambda: "game_start" in hall.kinds())
    hall.open_game()
    page.locator(".verdict.play").wait_for()


def test_a_form_is_not_sent_before_anybody_listens(hall: Hall, make_page: MakePage) -> None:
    page = make_page(hall)
    held = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/static/director.js", hold)
    page.goto("/director?then=setup", wait_until="commit")
    field = page.get_by_label("PIN")
    field.fill("000000")
    field.press("Enter")
    button = page.get_by_role("button", name="Let me in")
    assert button.is_disabled()
    held[0].continue_()
    button.click()
    shown(page, "That is not the PIN.")
    assert page.url == hall.url + "/director?then=setup"


def test_corners_are_dragged_with_the_finger_and_with_keys(make_hall: MakeHall, stage: Stage, make_page: MakePage) -> None:
    hall = make_hall(patient=True)
    page = make_page(hall, "tablet", director=True)
    page.goto("/setup")
    shown(page, "the opening reads exactly")
    page.get_by_role("button", name="Drag the corners").click()
    handle = page.locator("[data-handle='0']")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 20, box["y"] + box["height"] / 2 - 10)
    page.mouse.up()
    before = float(page.locator("[data-handle='2']").get_attribute("cx"))
    page.locator("[data-handle='2']").focus()
    page.keyboard.press("ArrowRight")
    assert float(page.locator("[data-handle='2']").get_attribute("cx")) == before + 4
    page.get_by_role("button", name="The board lies there").click()
    hall.until(lambda: hall.table.marked)
    page.get_by_role("button", name="Find it by itself").click()
    hall.until(lambda: not hall.table.marked)


def test_a_position_is_tapped_and_set_and_too_many_checkers_are_refused(hall: Hall, make_page: MakePage) -> None:
    after = hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    page = make_page(hall, director=True)
    page.goto("/correct")
    shown(page, "Ada: 15, as it should be")
    page.locator("[data-place='4']").click()
    shown(page, "Ada: 16, 1 too many")
    page.get_by_role("button", name="This is the position").click()
    page.locator("#position [data-problem], #position .wrong").filter(has_text=".").first.wait_for()
    assert hall.table.now.state.position == after
    page.get_by_role("button", name="Take one off").click()
    page.locator("[data-place='6']").focus()
    page.keyboard.press("Enter")
    shown(page, "Ada: 15, as it should be")
    page.locator("#position").get_by_label("Ada").check()
    page.get_by_role("button", name="This is the position").click()
    hall.until(lambda: hall.kinds()[-1] == "position_set")
    state = hall.table.now.state
    assert state.position.points[3] == 1 and state.position.points[5] == 3 and state.turn is Player.A
    page.locator("#score [name='score.0']").fill("9")
    page.get_by_role("button", name="This is the score").click()
    shown(page, "a match to 5 would be over")


def test_what_is_typed_is_not_overwritten_by_the_next_news(hall: Hall, make_page: MakePage) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    boss, page = hall.director(), make_page(hall, director=True)
    page.goto("/correct")
    shown(page, "Ada: 15, as it should be")
    points, cube = page.locator("#score [name='score.0']"), page.locator("#cube [name='value']")
    points.fill("3")
    cube.select_option("4")
    assert boss.post("/api/acts/score", json={"score": [1, 1]}).status_code == 200
    page.wait_for_timeout(700)
    assert (points.input_value(), cube.input_value()) == ("3", "4")
    page.get_by_role("button", name="This is the score").click()
    shown(page, "moved on")
    assert (points.input_value(), cube.input_value()) == ("3", "4")
    page.get_by_role("button", name="This is the score").click()
    hall.until(lambda: hall.table.now.state.start_score == (3, 0))


def test_a_cube_past_64_is_shown_and_can_be_set(hall: Hall, make_page: MakePage) -> None:
    hall.open_game()
    boss = hall.director()
    assert boss.post("/api/acts/cube", json={"value": 4096, "owner": "A"}).status_code == 200
    page = make_page(hall, director=True)
    page.goto("/correct")
    shown(page, "Ada: 15, as it should be")
    value = page.locator("#cube [name='value']")
    assert value.input_value() == "4096" and page.locator("#cube [name='owner']").input_value() == "A"
    value.select_option("128")
    page.get_by_role("button", name="This is the cube").click()
    hall.until(lambda: hall.table.now.state.cube.value == 128)


def test_the_page_is_drawn_by_the_darker_side_as_soon_as_it_is_known(make_hall: MakeHall, stage: Stage, make_page: MakePage, monkeypatch: Any) -> None:
    monkeypatch.setattr("hall.LEARNED", replace(LEARNED, colours=("#3a2018", "#efe6d2")))
    stage.position = [0] * 24 + [0, 0, 15, 15]
    hall = make_hall(patient=True)
    pages = [make_page(hall, director=True) for _ in range(2)]
    for page, path in zip(pages, ("/", "/setup"), strict=True):
        page.goto(path)
        page.locator("body[data-darker='B']").wait_for()
    stage.position = START.to_28()
    for page in pages:
        page.locator("body[data-darker='A']").wait_for()


def test_no_letter_alone_does_anything(hall: Hall, make_page: MakePage) -> None:
    """WCAG 2.1.4: whoever speaks to his phone says letters all the time."""
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    page = make_page(hall, director=True)
    name = hall.table.now.match.journal
    for path in ("/", f"/matches/{name}", f"/matches/{name}/turns/1", "/correct", "/setup"):
        page.goto(path)
        page.wait_for_timeout(500)
        before = page.locator("main").inner_html()
        for letter in "abcdefghijklmnopqrstuvwxyz0123456789":
            page.keyboard.press(letter)
        assert page.url == hall.url + path or "#turn-" in page.url
        assert page.evaluate("localStorage.getItem('near')") is None
        if path.startswith("/matches"):
            assert page.locator("main").inner_html() == before
    assert hall.kinds()[-1] == "play"


def test_the_match_is_ended_after_a_question(hall: Hall, make_page: MakePage) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    page = make_page(hall, director=True)
    page.goto("/")
    button = page.get_by_role("button", name="End the match")
    page.once("dialog", lambda asked: asked.dismiss())
    button.click()
    page.wait_for_timeout(300)
    assert not hall.table.now.state.ended
    page.once("dialog", lambda asked: asked.accept())
    button.click()
    hall.until(lambda: hall.table.now.state.ended)
    shown(page, "the match is over")
    page.locator("[data-act='end-match']:disabled").wait_for()


def test_acts_beside_the_board(hall: Hall, make_page: MakePage) -> None:
    hall.open_game()
    hall.until(lambda: "play" in hall.kinds())
    page = make_page(hall, director=True)
    page.goto("/")
    page.get_by_role("button", name="Double").click()
    page.locator("#board .cube.offered").wait_for()
    page.get_by_role("button", name="Take", exact=True).click()
    shown(page, "takes")
    page.get_by_role("button", name="Take back").click()
    hall.until(lambda: "taken_back" in hall.kinds())
    viewer = make_page(hall)
    viewer.goto("/")
    shown(viewer, "waiting for")
    assert viewer.locator("#acts").count() == 0


def test_one_link_lets_one_phone_in(hall: Hall, make_page: MakePage) -> None:
    boss = make_page(hall, director=True)
    boss.goto("/director")
    boss.get_by_role("button", name="Make a link").click()
    boss.locator("#link-place svg").wait_for()
    url = boss.locator("#link-place p").inner_text()
    phone = make_page(hall)
    phone.goto(url)
    phone.get_by_role("button", name="Go on").click()
    phone.wait_for_url("**/director")
    assert "#" not in phone.url
    other = make_page(hall)
    other.goto(url)
    other.get_by_role("button", name="Go on").click()
    shown(other, "ask for another")


def test_the_first_view_is_light(hall: Hall, make_page: MakePage) -> None:
    page = make_page(hall)
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.setdefault(answer.url, int(answer.headers.get("content-length", 0)) + 400))
    page.goto("/")
    shown(page, "waiting for the opening roll")
    assert sum(sizes.values()) < FIRST_VIEW_BYTES and len(sizes) < 15, sizes


def axe_source() -> Path | None:
    """axe-core is fetched for the test when npm is there; it is no part of the program."""
    given = os.environ.get("GAMMONWATCH_AXE")
    if given:
        return Path(given)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gammonwatch-axe"
    script = cache / "node_modules/axe-core/axe.min.js"
    if not script.exists() and shutil.which("npm"):
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "axe-core@4"], cwd=cache, check=False, timeout=120, capture_output=True)
    return script if script.exists() else None


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious(hall: Hall, make_page: MakePage, scheme: str) -> None:
    script = axe_source()
    if script is None:
        pytest.skip("axe-core cannot be had (npm install axe-core)")
    hall.wrong_play()
    found = []
    for director in (False, True):
        page = make_page(hall, scheme=scheme, director=director)
        for path in PAGES:
            page.goto(path)
            page.wait_for_timeout(700)
            page.evaluate(script.read_text(encoding="utf-8"))
            result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            found += [
                (path, director, v["id"], v["nodes"][0]["html"][:120]) for v in result["violations"] if v["impact"] in ("serious", "critical")
            ]
    assert found == []


@pytest.mark.skipif(not (SHARED / "renders/games/sharp1").is_dir(), reason="needs the rendered games")
def test_a_rendered_game_is_read_by_the_real_eye_from_set_up_to_a_corrected_play(tmp_path: Path, make_page: MakePage) -> None:
    """Everything real: pictures, networks, referee, page. The game's first illegal play is seen, and put right."""
    import threading

    from controller.panel.attendant import Attendant
    from controller.playback import Playback
    from controller.service import ServiceManager
    from controller.settings import Service, Web
    from controller.table import Table
    from controller.web.app import create_app
    from controller.web.secrets_kept import Secrets
    from controller.web.server import Server
    from controller.words import sentence

    game = SHARED / "renders/games/sharp1"
    frames = tmp_path / "frames"
    frames.mkdir()
    for picture in sorted(game.glob("*.jpg"))[:25]:
        (frames / picture.name).symlink_to(picture)
    folder = tmp_path / "state"
    folder.mkdir()
    shutil.copyfile(game / "geometry.jsonl", folder / "geometry.jsonl")
    settings = Service(source=str(frames), start="when told", web=Web(port=0))
    table = Table(settings, folder, Attendant(), ServiceManager(""), print, lasting=True, patient=True)
    table.opens = lambda text: Playback(Path(text), seconds=1.0, playing=lambda: table.watching)
    secrets = Secrets(folder)
    secrets.set_pin(PIN)
    loop = threading.Thread(target=lambda: [None for _ in table.frames()], daemon=True)
    loop.start()
    server = Server(create_app(table, settings.web, sentence, secrets), "127.0.0.1", 0)

    class Real:
        url = f"http://127.0.0.1:{server.port}"

    page = make_page(Real, "tablet")
    page.set_default_timeout(400_000)
    try:
        for _ in range(100):
            try:
                page.goto("/director?then=setup")
                break
            except playwright.Error:
                time.sleep(0.1)
        page.get_by_label("PIN").fill(PIN)
        page.get_by_role("button", name="Let me in").click()
        page.wait_for_url("**/setup")
        shown(page, "the opening reads exactly")
        page.locator("[name='names.0']").fill("Ada")
        page.locator("[name='names.1']").fill("Ben")
        page.locator("[name='length']").select_option("3")
        page.get_by_role("button", name="Start the match").click()
        page.locator(".verdict.illegal").wait_for()
        assert page.locator("#board .point.lit").count() >= 1
        page.locator("#list").filter(has_text="put right").wait_for()
        plays = [e for _, e in table.events() if e.event in ("play", "illegal")]
        assert [e.event for e in plays][-2:] == ["illegal", "play"]
    finally:
        table.stop()
        loop.join(60)
        server.close()
