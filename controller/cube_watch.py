"""The cube: turned on the table (it changes sides before a roll) or by command (clauses C1 to C4)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Literal

from controller import ending, turn
from controller import thresholds as T
from controller.state import CubeHint, RefereeState
from controller.step import Step
from rules.calling import Since, in_time
from rules.cube import Cube, Refused
from rules.match import dropped
from rules.plays import is_shut_out
from rules.position import Player
from vision.scene import CUBE_FACES, CubeSeen

_SIDES = {"bottom": Player.A, "top": Player.B}


def watch(step: Step, seen: CubeSeen | None) -> None:
    """The cube now lies on the side of the player who is not to roll: he was doubled and took."""
    state = step.state
    if seen is None or seen.certainty < T.CUBE_SURE or state.turn is None or state.phase not in ("roll", "lying"):
        return
    owner = _SIDES.get(seen.where)
    if owner is None or owner is state.cube.owner:
        step.set(cube_hint=None)
        return
    if owner.other is not state.turn or state.cube.owner not in (None, owner.other):
        return
    face = replace(state.cube, value=state.cube.value * 2).face
    read = seen.values[CUBE_FACES.index(face)]
    hint = state.cube_hint if state.cube_hint and state.cube_hint.owner is owner else CubeHint(owner, 0, 0.0)
    hint = CubeHint(owner, hint.scenes + 1, max(read, hint.read))
    step.set(cube_hint=hint)
    if hint.scenes >= T.CUBE_SCENES or hint.read >= T.CUBE_SURE:
        _turned(step, owner.other)


def _turned(step: Step, doubler: Player) -> None:
    """Doubled and taken, by the place of the cube. A double also closes what was open before it."""
    if step.state.open is not None:
        turn.look(step, last=True, then=turn.Next(again=False))
    state = step.state
    if state.turn is not doubler:
        return
    try:
        offered = state.cube if state.cube.offered_by else _offered(step, doubler)
        cube = offered.take(doubler.other)
    except Refused as refused:
        step.say("refused", player=doubler.value, clause=refused.clause, sentence=_sentence(refused))
        step.set(cube=replace(state.cube, owner=doubler.other), cube_hint=None)
        return
    if state.cube is not offered:
        step.say("double", player=doubler.value, value=cube.value)
    step.say("take", player=doubler.other.value, value=cube.value)
    step.set(cube=cube, cube_hint=None)


def _offered(step: Step, player: Player, *, rolled: bool = False) -> Cube:
    """The cube on offer once this player has doubled, if match and rule set let him; raises `Refused` (C1 to C4, S3, S4)."""
    state = step.state
    return state.match.double(state.cube, player, rolled=rolled, shut_out=is_shut_out(state.position, player), rolls=_rolls(state))


def _rolls(state: RefereeState) -> tuple[int, int]:
    """How often A and B have rolled in this game, for S4; twice each where that is not known: the game was taken up midway, a turn was missed."""
    if not state.turns or not state.turns[0].opening or state.turn is None:
        return 2, 2
    later = [turn.turn for turn in state.turns[1:]]
    opener = state.turns[0].turn or (later[0] or state.turn if later else state.turn).other
    players = [opener, *later]
    if any(a is b for a, b in pairwise(players)):
        return 2, 2
    return players.count(Player.A), players.count(Player.B)


def _sentence(refused: Refused) -> str:
    text = refused.sentence.rstrip(".")
    return text[:1].upper() + text[1:] + "."


def order(step: Step, what: Literal["double", "take", "pass"]) -> None:
    """A double, take or pass said with a button. What is not allowed is refused with the reason. A double also ends a turn that was
    played out while its dice still lie, as far as was seen."""
    if what == "double" and turn.played_out(step):
        assert step.state.throw is not None and step.state.evidence is not None
        turn.press(step, step.state.throw, seen_once=max(step.state.evidence.looks) == 1)
    if what == "double" and step.state.open is not None:
        if step.state.open.illegal is not None and in_time(Since.DOUBLED, step.state.ruleset):
            # By this rule set a double does not accept what was played.
            step.say("refused", clause="E1", sentence="The illegal play comes first: put it right or let it stand, then double.")
            return
        turn.look(step, last=True, then=turn.Next(again=False))
    state = step.state
    player = state.cube.offered_by or state.turn
    try:
        if player is None:
            raise Refused("C2", "Nobody is on turn.")
        if what == "double":
            offered = _offered(step, player, rolled=state.phase == "lying")
            step.say("double", player=player.value, value=state.cube.value * 2)
            step.set(cube=offered)
        elif what == "take":
            taken = state.cube.take(player.other)
            step.say("take", player=player.other.value, value=taken.value)
            step.set(cube=taken)
        else:
            result = dropped(state.cube, player.other)
            step.say("pass", player=player.other.value, value=result.points)
            step.say("game_over", winner=player.value, how="pass", points=result.points)
            ending.over(step, result)
    except Refused as refused:
        step.say("refused", clause=refused.clause, sentence=_sentence(refused))
