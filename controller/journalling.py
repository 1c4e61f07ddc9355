"""Which frames are worth writing down: a memory card wears out, and most looks at a board show what the look before showed. Pure.

What is not written is seen again: a file is read again from the last frame that was written, and a board still lies there.

>>> from controller.state import RefereeState
>>> before = RefereeState(phase="roll", time=3.0)
>>> worth_keeping(RefereeState(phase="roll", time=4.0), before, ()), worth_keeping(RefereeState(phase="over", time=4.0), before, ())
(False, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.events import Event
from controller.state import RefereeState

EVERY = 10.0
"""s at least between two states that differ only in what lies there: a pile in doubt may be read as another at every look."""


def worth_keeping(state: RefereeState, kept: RefereeState | None, events: Sequence[Event]) -> bool:
    """Whether the frame that led to `state` and `events` goes into the journal; `kept`: the state that was written last."""
    if events or kept is None:
        return True
    if _stands(state) != _stands(kept):
        return True
    return abs(state.time - kept.time) >= EVERY and _shows(state) != _shows(kept)


LOOKS = RefereeState()
"""What looks at one board change goes back to what it is here before two states are compared; whatever else a state holds counts."""


def _stands(state: RefereeState) -> tuple[object, ...]:
    """How the game stands: what another look at the same board leaves as it is."""
    opened, clock, hint = state.open, state.clock, state.cube_hint
    rest = replace(
        state,
        **{name: getattr(LOOKS, name) for name in ("frame", "time", "evidence", "throw", "early", "resting", "ghosts", "undo")},
        **{name: getattr(LOOKS, name) for name in ("open", "cube_hint", "beliefs", "clock")},
    )
    return (
        *(rest, state.early is None, state.undo is None, hint and hint.owner),
        opened and (opened.announced, opened.opening, opened.held, opened.illegal, opened.asked),
        frozenset(position for position, _ in state.beliefs),
        clock and (clock.running, clock.since, clock.flags),
    )


def _shows(state: RefereeState) -> tuple[object, ...]:
    """What lies there: board and dice as they most likely are."""
    return state.board_shown, state.throw and state.throw.best_roll()[0]
