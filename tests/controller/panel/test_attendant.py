"""The helper beside the board: silent when the wiring file says so, or the match at the table was agreed to be."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from test_lamps import A_TO_ROLL, ILLEGAL

from controller.events import Event
from controller.panel.attendant import Attendant
from controller.panel.lamps import Lights, Rhythm, lit
from controller.panel.light_bar import DARK, PLACES, Colour
from controller.panel.pins import NoPanel
from controller.panel.settings import WIRING


class Recorder(NoPanel):
    """A panel that keeps what it shows."""

    def __init__(self) -> None:
        self.lit: list[str] = []
        self.beeped: list[Rhythm] = []
        self.colours: list[Colour] = []

    def show(self, lights: Lights) -> None:
        self.lit = lit(lights)

    def beep(self, rhythm: Rhythm) -> None:
        self.beeped += [rhythm] if rhythm else []

    def points(self, colours: Sequence[Colour]) -> None:
        self.colours = [*colours]


@pytest.mark.parametrize("wired", [False, True])
@pytest.mark.parametrize("agreed", [False, True])
def test_it_speaks_of_plays_only_where_neither_the_wiring_nor_the_match_is_silent(wired: bool, agreed: bool) -> None:
    panel = Recorder()
    helper = Attendant(panel, WIRING.model_copy(update={"silent": wired}))
    helper.match_silent = agreed
    helper.show(ILLEGAL, [Event("illegal", 1)])
    speaks = not wired and not agreed
    assert helper.silent is not speaks
    assert ("illegal" in panel.lit, bool(panel.beeped), set(panel.colours) != {DARK}) == (speaks, speaks, speaks)


def test_a_light_bar_that_showed_the_way_goes_dark_when_a_silent_match_begins() -> None:
    panel = Recorder()
    helper = Attendant(panel)
    helper.show(ILLEGAL, [Event("illegal", 1)])
    assert set(panel.colours) != {DARK}
    helper.match_silent = True
    helper.show(ILLEGAL)
    assert panel.colours == [DARK] * PLACES and "illegal" not in panel.lit
    helper.show(A_TO_ROLL)
    assert "all_well" in panel.lit
