"""Whose time runs, from what the referee knows; what the clock has to say."""

from __future__ import annotations

from controller.state import RefereeState
from controller.step import Step
from rules.position import Player


def thinker(state: RefereeState) -> Player | None:
    """Who has to act: the player on turn, or the one who has been doubled. Nobody before the opening roll and after a game."""
    if state.phase not in ("roll", "lying") or state.turn is None:
        return None
    if state.cube.offered_by is not None:
        return state.cube.offered_by.other
    return state.turn


def keep_time(step: Step, before: RefereeState) -> None:
    """Pass the clock on when it is another's turn now than `before`, and report a fallen flag."""
    clock, now = step.state.clock, step.state.time
    if clock is None:
        return
    who = thinker(step.state)
    if who is not clock.running:
        back = clock.last is not None and clock.last[0] is who and _goes_on(step, before)
        if clock.running is not None and not back:
            player, used = clock.running, clock.used(now)
            clock = clock.stopped(now) if who is None else clock.passed(who, now)
            step.say("turn_time", player=player.value, seconds=round(used, 1), reserve=[round(r, 1) for r in clock.reserve])
        elif back:
            clock = clock.resumed()
        elif who is not None:
            clock = clock.started(who, now)
    fallen = clock.fallen(now)
    if fallen is not None:
        clock = clock.reported(fallen)
        step.say("flag_fall", player=fallen.value, reserve=round(clock.left(fallen, now), 1))
    step.set(clock=clock)


def _goes_on(step: Step, before: RefereeState) -> bool:
    """The same throw lies again that was taken for lifted, or the roll turned out to be void."""
    said = {e.event for e in step.events}
    overlooked = step.state.throw is not None and before.throw is None and before.undo is not None and step.state.throw.same(before.undo.throw)
    return overlooked or "roll_void" in said or "taken_back" in said
