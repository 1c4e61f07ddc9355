"""Reports: self-contained, complete, and never an exception, whatever the referee wrote."""

from __future__ import annotations

import io
import sys
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from some_matches import COMMANDS, PICTURE, found, keep, simulated

from controller.events import Event
from controller.keeping import report_pdf
from controller.keeping.downloads import file_of
from controller.keeping.library import read_still
from controller.keeping.report import Report, build, smaller
from controller.keeping.report_html import html
from controller.keeping.report_pdf import pdf
from controller.past import Past
from controller.referee import step
from controller.state import RefereeState

VOID = {"meta", "img", "br", "link", "input", "circle", "rect", "polygon"}


class Page(HTMLParser):
    """What a page is made of; fails on tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.cards: list[tuple[str, int]] = []
        self.words = ""
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in at.items() if name in ("src", "href", "srcset", "action", "data")]
        if "data-kind" in at:
            self.cards.append((str(at["data-kind"]), int(at["data-frame"] or 0)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def past_of(state: RefereeState, events: tuple[Event, ...] | list[Event], names: tuple[str, str] = ("Ada", "Ben")) -> Past:
    from dataclasses import replace

    return Past(Path("x.sqlite"), {}, tuple(events), replace(state, names=names))


def a_report(state: RefereeState, events: tuple[Event, ...] | list[Event], names: tuple[str, str] = ("Ada", "Ben")) -> Report:
    return build(past_of(state, events, names), when=datetime(2026, 11, 30, 14, 5))


def text_of(data: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages).split())


def test_the_html_needs_nothing_else_and_tells_everything(tmp_path: Path) -> None:
    state, events = simulated(0)
    path = keep(tmp_path / "a.sqlite", state, events)
    text = file_of(found(path), "html", lambda frame: read_still(path, frame)).decode()
    page = Page(text)
    assert all(address.startswith("data:image/jpeg;base64,") for address in page.addresses) and page.addresses
    assert not page.tags & {"script", "link", "iframe", "object", "embed"} and "url(" not in text and "@import" not in text
    told = [e for e in events if e.event in ("illegal", "roll_void", "unsure", "stands")]
    assert len(told) > 3
    for event in told:
        assert (event.event, event.frame) in page.cards
        assert str(event.data.get("sentence", event.data.get("question", ""))) in page.words
    assert page.words.count("Nearest legal plays") == sum(bool(e.data.get("nearest")) for e in events)
    assert "svg" in page.tags


def test_the_pdf_opens_and_tells_the_same(tmp_path: Path) -> None:
    state, events = simulated(0)
    path = keep(tmp_path / "a.sqlite", state, events)
    data = file_of(found(path), "pdf", lambda frame: read_still(path, frame))
    text = text_of(data)
    for event in events:
        if event.event in ("illegal", "roll_void"):
            assert " ".join(str(event.data["sentence"]).split()) in text
    reader = pypdf.PdfReader(io.BytesIO(data))
    assert len(reader.pages) >= 3 and f"1 / {len(reader.pages)}" in text and reader.metadata is not None
    assert sum(len(page.images) for page in reader.pages) > 3


@pytest.mark.parametrize("names", [("<b>Ann & Co</b>", '"Bo"'), ("Łukasz Żak", "Ñandú Ørsted"), ("李小龍", "אבג"), ("A" * 40, "B" * 40)])
@pytest.mark.parametrize("folder", [None, Path("/no/such/fonts")])
def test_any_name_can_stand_in_a_report(names: tuple[str, str], folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    state, events = simulated(0)
    report = a_report(state, events[:60], names)
    assert names[0] in Page(html(report)).words and "<b>" not in html(report)
    if folder is not None:
        monkeypatch.setattr(report_pdf, "FONTS", (folder,))
    assert len(pypdf.PdfReader(io.BytesIO(pdf(report))).pages) >= 1


def test_letters_a_font_lacks_lose_their_accents_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_pdf, "FONTS", ())
    state, events = simulated(0)
    assert "Zofia Swiateczna" in text_of(pdf(a_report(state, events[:20], ("Zofia Świąteczna", "Bo"))))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 1),
    noise=st.sampled_from([0.0, 1.0]),
    cuts=st.tuples(st.integers(0, 400), st.integers(0, 400)),
    given_at=st.lists(st.tuples(st.integers(0, 400), st.sampled_from(range(len(COMMANDS)))), max_size=3),
)
def test_whatever_the_referee_writes_makes_a_report(seed: int, noise: float, cuts: tuple[int, int], given_at: list[tuple[int, int]]) -> None:
    """A journal may begin and end anywhere, and people may act at any moment."""
    state, whole = simulated(seed, noise=noise)
    events = list(whole[min(cuts) : max(cuts)])
    for place, number in given_at:
        _, said = step(state, COMMANDS[number])
        events[place:place] = said
    report = a_report(state, events)
    page = Page(html(report))
    wanted = [(e.event, e.frame) for e in events if e.event in ("illegal", "roll_void", "unsure", "stands", "position_set")]
    assert [card for card in page.cards if card[0] in ("illegal", "roll_void", "unsure", "stands", "position_set")] == wanted
    assert len(pypdf.PdfReader(io.BytesIO(pdf(report))).pages) >= 1


def test_no_event_at_all_makes_a_report() -> None:
    state, _ = simulated(0)
    assert "Nothing: every roll was valid" in Page(html(a_report(state, []))).words
    assert build(Past(Path("x"), {"players": "Ada - Ben", "length": "5"}, (), None)).played_to == "match to 5 points"


def test_pictures_are_made_small_and_are_bounded() -> None:
    import cv2

    large = cv2.resize(PICTURE, (3000, 2250))
    data = cv2.imencode(".jpg", large)[1].tobytes()
    small = smaller(data)
    assert small is not None and cv2.imdecode(__import__("numpy").frombuffer(small, "uint8"), 1).shape == (675, 900, 3)
    assert smaller(b"no picture") is None and smaller(b"") is None
    state, events = simulated(0)
    report = build(past_of(state, events), lambda frame: data, most=3 * len(small))
    assert len(report.stills) == 3 and report.left_out == len({i.frame for i in report.story.incidents}) - 3
    assert "too large" in Page(html(report)).words


def test_a_picture_that_is_broken_is_left_out() -> None:
    state, events = simulated(0)
    report = build(past_of(state, events), lambda frame: b"\xff\xd8 cut short")
    assert not report.stills and "No picture is kept" in Page(html(report)).words and pdf(report)
