"""Commands: what a person may tell the referee. What cannot be done now is refused in one sentence and changes nothing else."""

from __future__ import annotations

from dataclasses import replace

from controller import cube_watch, ending, turn
from controller.events import Command
from controller.step import Step
from rules.cube import Cube
from rules.position import Player, Position


def order(step: Step, command: Command) -> None:
    match command.command:
        case "resign" | "accept" | "refuse" | "end_match":
            ending.order(step, command)
        case "set_position":
            _set_position(step, command)
        case "commit":
            if step.state.throw is not None and step.state.phase == "lying":
                turn.press(step, step.state.throw)
            else:
                _refuse(step, "No dice lie that could end a turn.")
        case "new_game":
            _new_game(step)
        case "double" | "take" | "pass":
            cube_watch.order(step, command.command)
        case "call":
            _call(step)
        case "undo":
            _undo(step)
        case "set_cube":
            _set_cube(step, command)
        case "set_score":
            _set_score(step, command)
        case "rule":
            _rule(step, command)
        case "stand":
            if step.state.open is not None and step.state.open.illegal is not None:
                turn.stands(step)
            else:
                _refuse(step, "No illegal play was called that could stand.")


def _refuse(step: Step, sentence: str) -> None:
    step.say("refused", sentence=sentence)


def _set_position(step: Step, command: Command) -> None:
    """ "This is the position, Red to play.\""""
    try:
        numbers = [int(n) for n in command.data["position"]]
        position = Position.from_28(numbers, step.state.start.checkers)
        player = Player(command.data["player"])
    except (ValueError, KeyError, TypeError) as error:
        _refuse(step, f"That is no position: {error}.")
        return
    step.clear(position, player)
    step.set(phase="roll", missing=(0, 0), restore=True, ended=False)
    step.say("position_set", position=[*position.to_28()], player=player.value)


def _new_game(step: Step) -> None:
    """The game is broken off without a result; the next begins when its starting position is seen."""
    if step.state.phase in ("start", "over"):
        _refuse(step, "No game is being played.")
        return
    step.fresh_game()
    step.set(phase="start")
    step.say("broken_off")


def _set_cube(step: Step, command: Command) -> None:
    """ "The cube shows this and lies there": a double on offer is withdrawn."""
    try:
        owner = None if command.data["owner"] is None else Player(command.data["owner"])
        value = int(command.data["value"])
        cube = Cube(value, owner, turned=value > 1)
    except (ValueError, KeyError, TypeError) as error:
        _refuse(step, f"That is no cube: {error}.")
        return
    step.set(cube=cube, cube_hint=None)
    step.say("cube_set", value=cube.value, owner=owner.value if owner else None)


def _set_score(step: Step, command: Command) -> None:
    """ "This is the score of the games before this one." """
    try:
        a, b = (int(n) for n in command.data["score"])
        over = bool(command.data.get("crawford_over", False))
        taken_up = replace(step.state, games=(), start_score=(a, b), crawford_over=over)
        decided = taken_up.match.winner
    except (ValueError, KeyError, TypeError) as error:
        _refuse(step, f"That is no score: {error}.")
        return
    if decided is not None:
        _refuse(step, "With that score the match would be over.")
        return
    step.set(games=(), start_score=(a, b), crawford_over=over, ended=False)
    step.say("score_set", score=[a, b], crawford_over=over)


def _rule(step: Step, command: Command) -> None:
    """What the director decided on a turn, for the record: it moves no checker."""
    try:
        number, ruling = int(command.data["turn"]), str(command.data["ruling"])
        note = " ".join(str(command.data.get("note", "")).split())
    except (ValueError, KeyError, TypeError) as error:
        _refuse(step, f"That is no ruling: {error}.")
        return
    if number < 1 or not ruling:
        _refuse(step, "A ruling names a turn, and what was decided.")
        return
    step.say("ruling", turn=number, ruling=ruling, **({"note": note} if note else {}))


def _call(step: Step) -> None:
    """E1: whoever doubts the last play hears what the referee thinks of it."""
    state = step.state
    if state.open is None:
        _refuse(step, "The last play was legal." if state.last_said else "There is no play to call.")
        return
    turn.look(step, last=state.open.illegal is None)
    if step.state.open is not None and step.state.open.illegal is not None:
        before, player, roll, _ = step.state.open.ways[0]
        step.say("called", player=player.value, dice=[roll.first, roll.second], before=step.numbers(before))


def _undo(step: Step) -> None:
    """Back to the position before the last turn, with its roll to be thrown or played again; once more, and it is the turn before that."""
    state = step.state
    undo = state.undo if state.open is not None else state.turns[-1] if state.turns else None
    if undo is None or undo.turn is None:
        _refuse(step, "There is no turn to take back.")
        return
    earlier = state.turns if state.open is not None else state.turns[:-1]
    step.clear(undo.position, None if undo.opening else undo.turn)
    step.set(phase="opening" if undo.opening else "roll", turns=earlier, beliefs=undo.beliefs, missing=undo.missing, lost=undo.lost, restore=True)
    cube = {} if undo.cube == state.cube else {"cube": [undo.cube.value, undo.cube.owner.value if undo.cube.owner else None]}
    step.set(cube=undo.cube)
    step.say("taken_back", reason="asked for", position=step.numbers(undo.position), player=undo.turn.value, **cube)
