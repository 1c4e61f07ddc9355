"""Which levels of a line are told, by its edges alone."""

from __future__ import annotations

import pytest

gpiod_pins = pytest.importorskip("controller.panel.gpiod_pins", reason="gpiod is not installed", exc_type=ImportError)
Contact = gpiod_pins.Contact
UP, DOWN = True, False


def told(contact: object, edges: list[tuple[float, bool]], until: float) -> list[bool]:
    levels: list[bool] = []
    for at, level in edges:
        levels += contact.edge(at, level)  # type: ignore[attr-defined]
    return levels + contact.rest(until)  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(
    ("edges", "levels"),
    [
        ([], []),
        ([(1.0, DOWN)], [DOWN]),
        ([(1.0, DOWN), (1.3, UP)], [DOWN, UP]),
        ([(1.0, DOWN), (1.005, UP), (1.01, DOWN), (1.015, UP), (1.02, DOWN)], [DOWN]),
        ([(1.0, DOWN), (1.005, UP)], []),
        ([(1.0, DOWN), (1.3, UP), (1.305, DOWN), (1.31, UP)], [DOWN, UP]),
        ([(1.0, DOWN), (1.3, UP), (1.6, DOWN)], [DOWN, UP, DOWN]),
        ([(1.0, UP)], []),
        ([(1.0, DOWN), (1.3, DOWN)], [DOWN]),
    ],
    ids=["nothing", "press", "press and release read late", "chatter", "spark", "release that chatters", "two presses", "no change", "lost edge"],
)
def test_what_lasted_is_told_however_late_the_edges_are_read(edges: list[tuple[float, bool]], levels: list[bool]) -> None:
    assert told(Contact(UP, 0.02), edges, 9.0) == levels


def test_nothing_is_told_before_the_line_was_quiet_for_long_enough() -> None:
    contact = Contact(UP, 0.02)
    assert contact.due is None
    assert contact.edge(1.0, DOWN) == [] and contact.due == pytest.approx(1.02)
    assert contact.rest(1.019) == [] and contact.rest(1.021) == [DOWN] and contact.due is None


def test_without_a_bounce_time_every_edge_is_told_and_a_lost_one_is_made_up() -> None:
    assert told(Contact(UP, 0.0), [(1.0, DOWN), (1.001, UP)], 2.0) == [DOWN, UP]
    assert told(Contact(UP, 0.0), [(1.0, UP)], 2.0) == [DOWN, UP]
