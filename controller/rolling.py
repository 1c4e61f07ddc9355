"""Rolls: valid, void and why, the opening, dice thrown too early, dice overlooked."""

from __future__ import annotations

from controller import missed, turn
from controller import thresholds as T
from controller.evidence import Evidence
from controller.lanes_to_points import right_half
from controller.step import Step, dice_of
from controller.throw import Lying, Throw, at, high_first, opening_numbers, weigh_roll
from controller.weigh import Answer, weigh
from rules.dice import opening_winner, premature
from rules.plays import Roll
from rules.position import Player
from vision.scene import Scene


def begin_opening(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """D1: one die in each half. Two dice in one half are an opening only where the rule set lets dice lie anywhere; else the
    opening turn may have been missed."""
    pair = len(throw.in_play) == 2
    if (opening_numbers(throw) is not None and pair) or (pair and step.state.ruleset.either_half):
        step.set(phase="lying", throw=throw, said="nothing", announced=None, opening=True)
        consider(step)
    elif pair and len(throw.halves) == 1 and "bar" not in throw.halves and step.moved():
        missed.opening(step, throw, lay)
        if step.state.phase == "roll":
            step.set(phase="lying", throw=throw, said="nothing", announced=None, opening=False)
            consider(step)


def consider(step: Step) -> None:
    """Say whether the roll is valid, and what it is, as soon as that is sure."""
    state = step.state
    if state.throw is None or state.said != "nothing":
        return
    if state.turn is None:
        if not state.ruleset.either_half:
            _consider_opening(step, state.throw)
        return
    weighed = weigh_roll(state.throw, state.turn, state.ruleset, state.names)
    roll, chance = state.throw.best_roll()
    if weighed.valid >= T.ROLL_SURE:
        if chance >= T.VALUE_SURE and len(state.throw.dice) == 2:
            step.say("roll", player=state.turn.value, dice=dice_of(roll), confidence=round(chance * weighed.valid, 4))
            step.set(said="valid", announced=roll)
        return
    surely_dice = len(state.throw.dice) == 2 and all(d.certainty >= T.DIE_SURE for d in state.throw.dice)
    why, chance = weighed.why, sum(weighed.void.values())
    if why is not None and surely_dice and chance >= T.VOID_SURE and step.unmoved(off=True) and not missed.may_have_danced(step, state.throw):
        step.say_void(state.turn, why, confidence=round(chance, 4))
        step.set(said="void")


def _consider_opening(step: Step, throw: Throw) -> None:
    numbers = opening_numbers(throw)
    if numbers is None:
        return
    flat = numbers[0].state_chances[0] * numbers[1].state_chances[0]
    if flat < 1 - T.ROLL_SURE and step.unmoved():
        step.say("roll_void", player=None, reason="cocked", clause="D4", sentence="A die of the opening roll does not lie flat; both roll again.", opening=True)
        step.set(said="void")
        return
    (a, sure_a), (b, sure_b) = _number(numbers[0]), _number(numbers[1])
    if sure_a * sure_b < T.VALUE_SURE or flat < T.ROLL_SURE:
        return
    first = opening_winner(a, b)
    if first is None:
        step.say("opening_tie", dice=[a, b])
        # Before the first play the middle cube is above 1 by automatic doubles alone (S6); in a match there are none (S7).
        cube = step.state.match.automatic(step.state.cube, step.state.cube.value.bit_length() - 1)
        step.set(said="void", cube=cube)
        return
    roll = Roll(max(a, b), min(a, b))
    step.say("opening_roll", player=first.value, dice=dice_of(roll), a=a, b=b)
    step.set(said="valid", announced=roll, turn=first)


def _number(die: Lying) -> tuple[int, float]:
    chances = die.value_chances
    best = max(range(6), key=chances.__getitem__)
    return best + 1, chances[best]


def played_on(step: Step) -> None:
    """A roll that was called void (or not called), but that was surely played: it stands."""
    state = step.state
    if state.said != "void" or state.throw is None or state.turn is None or state.evidence is None or len(state.throw.dice) < 2:
        return
    if not step.moved():
        return
    verdict = weigh(state.evidence, turn.ways(state, state.throw))
    if verdict.answer is Answer.LEGAL and verdict.turn and verdict.result != state.position and verdict.posterior >= T.PLAYED_ON:
        step.say("roll_stands", player=state.turn.value)
        step.say("roll", player=state.turn.value, dice=dice_of(verdict.turn.roll), inferred=True)
        step.set(said="valid", announced=verdict.turn.roll)
        return
    missed.other_played(step, state.throw)


def early(step: Step, scene: Scene) -> None:
    """Two more dice in the other player's half while these lie: a premature roll (D6)."""
    state = step.state
    if state.throw is None or state.turn is None or state.announced is None or state.said != "valid" or state.opening or state.early:
        return
    half = right_half(state.turn.other)
    extra = [Lying.of(d) for d in scene.dice if d.certainty >= T.DIE_SURE and d.where == half and not at(d, state.ghosts)]
    extra = [d for d in extra if not any(d.same(old) for old in state.throw.dice)]
    if len(extra) != 2 or any(d.where != right_half(state.turn) for d in state.throw.dice):
        return
    void = premature(state.position, state.turn, state.announced, state.ruleset, names=state.names)
    if void is not None:
        step.say_void(state.turn.other, void)
        step.set(early=Throw(tuple(extra)))


def overlooked(step: Step, seen: Throw) -> bool:
    """The very dice of the turn just ended lie where they lay: they were only overlooked, and the turn goes on. So does it when one of them
    alone had been seen, and lies there still."""
    state, undo = step.state, step.state.undo
    if undo is None or state.phase != "roll" or len(seen.dice) < 2:
        return False
    if not all(any(a.same(b) and a.where == b.where for b in seen.dice) for a in undo.throw.dice):
        return False
    other = len(undo.throw.dice) == 2 and undo.throw.rolls().get(high_first(seen.best_roll()[0]), 0.0) < 0.5
    if other or (state.open and state.open.illegal):
        return False
    if state.turns and state.turns[-1] == undo:
        step.set(turns=state.turns[:-1])
    if state.last_said is not None:
        step.say("taken_back", reason="the dice still lie", position=step.numbers(undo.position))
    step.set(
        position=undo.position, beliefs=undo.beliefs, turn=undo.turn, throw=undo.throw.plus(seen), announced=undo.announced,
        said="valid" if undo.announced else "nothing", opening=undo.opening, missing=undo.missing, lost=undo.lost, open=None, phase="lying",
    )  # fmt: skip
    return True


def told_by_the_play(step: Step, player: Player, throw: Throw, roll: Roll) -> None:
    """The dice that lie are this player's, and his play shows what was rolled."""
    read = throw.best_roll()[0]
    read = read if high_first(read) == high_first(roll) else roll
    step.say("roll", player=player.value, dice=dice_of(read), inferred=True)
    step.set(turn=player, said="valid", announced=read)


def roller(throw: Throw) -> Player | None:
    """Whose right half all the dice seen lie in."""
    return next((p for p in Player if throw.halves == {right_half(p)}), None)
