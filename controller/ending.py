"""Games and matches that end otherwise than on the board: a resignation offered and accepted, a match won or broken off."""

from __future__ import annotations

from dataclasses import replace

from controller.events import Command
from controller.state import RefereeState
from controller.step import Step
from rules.match import GameResult, Win, resigned
from rules.position import Player


def order(step: Step, command: Command) -> None:
    match command.command:
        case "resign":
            _resign(step, command)
        case "accept":
            _accept(step)
        case "refuse":
            _refuse_resignation(step)
        case "end_match":
            end_match(step)


def _refuse(step: Step, sentence: str) -> None:
    step.say("refused", sentence=sentence)


def _resign(step: Step, command: Command) -> None:
    """A player offers to lose a single game, a gammon or a backgammon; the other accepts or plays on."""
    if step.state.phase not in ("roll", "lying"):
        _refuse(step, "No game is being played that could be resigned.")
        return
    try:
        player, how = Player(command.data["player"]), Win(command.data.get("how", "single"))
    except (ValueError, KeyError, TypeError):
        _refuse(step, "A resignation names the player, A or B, and how: single, gammon or backgammon.")
        return
    step.set(resigning=(player, how))
    step.say("resign", player=player.value, how=how.value)


def _accept(step: Step) -> None:
    state = step.state
    if state.resigning is None:
        _refuse(step, "No resignation is offered.")
        return
    player, how = state.resigning
    result = resigned(state.cube, player, how, state.ruleset, money=state.length == 0)
    step.say("game_over", winner=result.winner.value, how=how.value, points=result.points, resigned=True)
    over(step, result)


def _refuse_resignation(step: Step) -> None:
    if step.state.resigning is None:
        _refuse(step, "No resignation is offered.")
        return
    player, _ = step.state.resigning
    step.set(resigning=None)
    step.say("resign_refused", player=player.other.value)


def over(step: Step, result: GameResult) -> None:
    """The game has ended with this result, whatever was open or on offer in it: nothing of it can be answered or taken back any more."""
    step.clear(step.state.position, None)
    step.set(phase="over", games=(*step.state.games, result), cube=replace(step.state.cube, offered_by=None))


def end_match(step: Step) -> None:
    """The players leave off: no more games are refereed."""
    if step.state.ended:
        _refuse(step, "The match is over already.")
        return
    a, b = step.state.score
    step.clear(step.state.position, None)
    step.set(phase="over", ended=True, cube=replace(step.state.cube, offered_by=None))
    step.say("match_over", winner=None, score=[a, b])


def match_won(step: Step, before: RefereeState) -> None:
    """Said with the game that wins the match; after it the board may be set up without a game beginning (S2)."""
    if step.state.ended or len(step.state.games) == len(before.games):
        return
    winner = step.state.match.winner
    if winner is not None:
        a, b = step.state.score
        step.set(ended=True)
        step.say("match_over", winner=winner.value, score=[a, b])
