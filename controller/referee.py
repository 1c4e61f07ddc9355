"""The referee: settled scenes and commands in, events out. Pure: no clock, no files, no pixels, no chance.

A scene is taken in this order: do the dice still lie (or are they lifted: then the turn is committed and judged, D5), was the
cube turned, is there a new throw, is it valid. What is not sure yet is held, with the evidence, for the next scene.
"""

from __future__ import annotations

from dataclasses import replace

from controller import cube_watch, ending, missed, rolling, turn
from controller import thresholds as T
from controller.clock import Clock
from controller.commands import order
from controller.events import Command, Event
from controller.evidence import Evidence
from controller.lanes_to_points import Home
from controller.state import RefereeState
from controller.step import Step
from controller.throw import Throw, at, beside_board, ghosts_of, throw_of
from controller.timing import keep_time
from controller.weigh import is_board
from rules.position import START, Position, setup_differences
from rules.ruleset import DEFAULT, RuleSet
from vision.scene import Scene

__all__ = ["RefereeState", "finish", "new_game", "step"]

Stepped = tuple[RefereeState, tuple[Event, ...]]


def new_game(
    start: Position = START,
    ruleset: RuleSet = DEFAULT,
    home: Home = "right",
    names: tuple[str, str] = ("A", "B"),
    length: int = 0,
    clock: Clock | None = None,
) -> RefereeState:
    """Before the first scene. `length`: points of the match, 0 for money."""
    return RefereeState(start, ruleset, home, names, length, position=start, clock=clock)


def step(state: RefereeState, what: Scene | Command) -> Stepped:
    """One settled scene, or one command."""
    change = Step(state)
    if isinstance(what, Command):
        if what.time is not None:
            change.set(time=max(what.time, state.time))
        order(change, what)
        if what.by:
            change.events = [replace(event, data={**event.data, "by": what.by}) for event in change.events]
    else:
        change.set(frame=what.frame, time=what.time)
        _scene(change, what)
    ending.match_won(change, state)
    keep_time(change, state)
    return change.state, tuple(change.events)


def finish(state: RefereeState) -> Stepped:
    """The source has ended: what is still open is decided by what was seen. Dice that still lie commit nothing (D5)."""
    change = Step(state)
    opened = state.open
    if opened is not None and opened.illegal is None and state.phase == "roll":
        turn.look(change, last=True)
    ending.match_won(change, state)
    return change.state, tuple(change.events)


def _scene(step: Step, scene: Scene) -> None:
    now, lay = Evidence.of(scene.board, step.state.home), step.state.evidence
    step.see(now)
    if step.state.restore and not step.state.correction:
        step.set(restore=False)
    if step.state.pressed and not any(at(die, step.state.pressed) for die in scene.dice):
        step.set(pressed=())
    seen = throw_of(scene.dice, step.state.resting, step.state.ghosts, step.state.throw, step.state.pressed)
    if seen and not seen.certain and not (step.state.throw and step.state.throw.same(seen)):
        seen = None
    if step.state.phase in ("start", "over"):
        if not _setup(step) or lay is None:
            # What looks like dice before a game is none of its rolls.
            step.set(ghosts=_ghosts(step, scene, before_game=True), resting=beside_board(scene.dice))
            return
    if step.state.phase == "opening":
        if seen:
            _begin(step, seen, lay)
    else:
        _play(step, scene, seen, lay)
    if seen is None:
        step.set(resting=beside_board(scene.dice), ghosts=_ghosts(step, scene))


def _ghosts(step: Step, scene: Scene, *, before_game: bool = False) -> tuple[tuple[float, float], ...]:
    """The ghosts known and those of this scene; the dice of a turn that was ended by a button are none, however poorly they are seen."""
    pressed = step.state.pressed
    dice = [die for die in scene.dice if not at(die, pressed)]
    return ghosts_of(dice, step.state.ghosts, before_game=before_game)


def _setup(step: Step) -> bool:
    """A game begins (True) when its starting position is seen (B2); what is wrong is said once (B5)."""
    state, evidence = step.state, step.state.evidence
    if evidence is None or state.ended:
        return False
    if is_board(evidence, state.start, in_play=False) >= T.START_SURE:
        _new_game(step)
        return True
    if not state.setup_said and state.phase == "start":
        step.say("setup", differences=setup_differences(state.board_shown, state.start, state.names))
        step.set(setup_said=True)
    return False


def _new_game(step: Step) -> None:
    step.fresh_game()
    step.set(phase="opening")
    step.say("game_start", position=[*step.state.start.to_28()])


def _play(step: Step, scene: Scene, seen: Throw | None, lay: Evidence | None) -> None:
    lying = step.state.throw
    if lying is None and seen and rolling.overlooked(step, seen):
        lying = step.state.throw
    if lying is not None:
        if seen and lying.same(seen):
            _still_lying(step, scene, lying.plus(seen))
            return
        if seen and not step.state.ruleset.either_half and step.state.said != "void" and lying.nudged(seen):
            _still_lying(step, scene, seen)
            return
        if step.state.said == "nothing":
            missed.other_played(step, lying)
        turn.commit(step, lying, lay if seen else None)
    if step.state.phase != "roll":
        if seen and step.state.phase == "opening":
            _begin(step, seen, lay)
        return
    if seen is None:
        if missed.game_missed(step):
            _new_game(step)
            return
        turn.look(step)
        missed.refine(step)
    if seen and step.state.open is not None:
        turn.look(step, last=True, then=turn.Next(seen, missed.again(step, seen), lay))
    if step.state.phase == "roll":
        cube_watch.watch(step, scene.cube)
        if seen:
            _begin(step, seen, lay)


def _still_lying(step: Step, scene: Scene, throw: Throw) -> None:
    step.set(throw=throw)
    rolling.early(step, scene)
    if missed.late(step, throw):
        if step.state.phase == "over":
            return
        step.set(phase="lying", throw=throw)
    missed.refine(step)
    rolling.consider(step)
    rolling.played_on(step)
    cube_watch.watch(step, scene.cube)


def _begin(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """A throw is seen for the first time."""
    step.set(restore=False)
    if step.state.phase == "opening":
        rolling.begin_opening(step, throw, lay)
        return
    missed.shut_out(step, throw)
    missed.turns_missed(step, throw, lay)
    if step.state.phase == "over":
        return
    void = step.state.early is not None and step.state.early.same(throw)
    step.set(phase="lying", throw=throw, said="void" if void else "nothing", announced=None, early=None, undo=None, last_said=None)
    missed.refine(step)
    rolling.consider(step)
