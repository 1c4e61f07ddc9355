"""Finding the thread: turns that nobody saw, whole or in part. Never an invented play: unique explanations, or a question."""

from __future__ import annotations

from math import log

import numpy as np

from controller import doubt, rolling, turn
from controller import thresholds as T
from controller.evidence import Evidence, Key, key_of
from controller.state import OpenTurn, board_of
from controller.step import Step, all_home, position_of, ways_of
from controller.throw import ROLLS, Throw
from controller.two_plies import explained, look_back
from controller.weigh import MOST_OFF, Answer, Turn, Weighed, attempted, is_board, weigh, whole_again
from rules.judge import shifts
from rules.plays import Roll, is_shut_out, legal_plays, legal_results
from rules.position import Player, Position


def refine(step: Step) -> None:
    """The positions in mind after an unsure verdict, weighed once more while the board is still one of them."""
    state, evidence = step.state, step.state.evidence
    if len(state.beliefs) < 2 or evidence is None or state.open is not None or not step.unmoved():
        return
    scores = evidence.loglik([key_of(p) for p, _ in state.beliefs]) + np.asarray([log(c) for _, c in state.beliefs])
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    ranked = sorted(((p, float(c)) for (p, _), c in zip(state.beliefs, chances, strict=True)), key=lambda pair: -pair[1])
    if ranked[0][1] >= T.SURE and _played_to(step, ranked[0][0]):
        step.set(position=ranked[0][0], beliefs=())
        step.settle(ranked[0][0])


def _played_to(step: Step, position: Position) -> bool:
    """The last turn may have led there, if only carelessly. What no play leads to is a row misread as often as a checker moved by hand, and a
    misread row reads alike in the next look: the plays to come tell, looks do not."""
    last = step.state.turns[-1] if step.state.turns else None
    if last is None or last.turn is None:
        return True
    player = last.turn
    return any(attempted(p, player, key_of(position)) for p, _ in last.beliefs or ((last.position, 1.0),))


def again(step: Step, throw: Throw) -> bool | None:
    """Is this throw by the player of the open turn (True) or by the other (False)? None when its place does not tell."""
    who = None if step.state.ruleset.either_half else rolling.roller(throw)
    opened = step.state.open
    if who is None or opened is None or not opened.ways:
        return None
    return who is opened.ways[0][1]


def shut_out(step: Step, throw: Throw) -> None:
    """Clause M5: against a closed board the player does not roll. Said when the other player's dice come instead."""
    state = step.state
    if state.turn and state.open is None and not state.beliefs and is_shut_out(state.position, state.turn):
        if rolling.roller(throw) is not state.turn or state.ruleset.either_half:
            step.say("shut_out", player=state.turn.value)
            step.set(turn=state.turn.other)


def _dances(step: Step) -> float:
    """Share of rolls that leave the player on turn without a play."""
    state = step.state
    if state.turn is None:
        return 0.0
    return sum((1 if r.double else 2) / 36 for r in ROLLS if not legal_plays(state.position, state.turn, r))


def may_have_danced(step: Step, throw: Throw) -> bool:
    """Dice in the wrong half may also be the other player's: after a dance that was missed, or after his own turn in which nothing moved, for
    that roll may have been void and no dance."""
    state = step.state
    if state.turn is None or rolling.roller(throw) is not state.turn.other:
        return False
    return _moved_nothing(step) or _dances(step) >= T.DANCE_LIKELY


def _moved_nothing(step: Step) -> bool:
    """In the last turn, the other player's, the board stayed as it was."""
    state = step.state
    last = state.turns[-1] if state.turns else None
    return last is not None and state.turn is not None and (last.turn, last.position) == (state.turn.other, state.position)


def turns_missed(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """Dice in the half of the player who is not on turn, on a board that has moved on: his opponent's whole turn was missed."""
    state = step.state
    if state.turn is None:
        if not state.ruleset.either_half:
            step.set(turn=rolling.roller(throw))
        return
    if state.ruleset.either_half:
        return  # where the dice lie does not tell whose they are
    who = rolling.roller(throw)
    if who is state.turn.other and (len(step.beliefs) > 1 or step.moved(off=True)):
        unseen(step, throw, lay)
    elif who is state.turn and step.moved():
        _lost_thread(step, throw, lay)


def late(step: Step, throw: Throw) -> bool:
    """Dice that lie in the wrong half, of which nothing was said: that a turn was missed may be clear now, and was not when they were
    first seen. True when that turn has been explained or asked about."""
    state = step.state
    if state.said != "nothing" or state.turn is None or state.ruleset.either_half or rolling.roller(throw) is not state.turn.other:
        return False
    if state.beliefs or not step.moved(off=True):
        return False
    if not _rolled_again(step, throw):
        unseen(step, throw, None)
    return True


def _rolled_again(step: Step, throw: Throw) -> bool:
    """What was told as a dance was no roll: the same player's next dice are played from the position before it."""
    state, evidence = step.state, step.state.evidence
    if not _moved_nothing(step) or evidence is None or state.turn is None:
        return False
    player = state.turn.other
    roll, _, fits = _his_play(step, throw, player, evidence)
    if roll is None or not fits:
        return False
    step.say("taken_back", reason="rolled again", position=step.numbers(state.position), player=player.value)
    step.say("unsure", player=player.value, question=f"Was {step.name(player)}'s last roll void?")
    rolling.told_by_the_play(step, player, throw, roll)
    step.set(turns=state.turns[:-1])
    return True


def _lost_thread(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """Dice of the player on turn on a board that neither stands as it stood nor shows the beginning of his play: both players have
    played unseen. Ask, and go on from the board as it lies."""
    state, evidence = step.state, step.state.evidence
    assert evidence is not None and state.turn is not None
    rolls = {roll: p for roll, p in throw.rolls().items() if p > T.ROLLS_WEIGHED}
    if lay is None or min(explained(evidence, p, state.turn, rolls) for p, _ in step.beliefs) < T.THREAD_LOST:
        return
    # What was first seen with the dice on it may have been played on already.
    seen = doubt.as_it_lies(step, lay)
    if seen is None or seen in {p for p, _ in step.beliefs}:
        return
    step.say("unsure", player=state.turn.value, question="What was played? I have missed a turn of each player.")
    turn.close(step, seen, state.turn)


def unseen(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """Explain the board by one turn of the player to move, whatever he rolled, and perhaps the beginning of a play of `throw`, if
    the board has changed since the look before (`lay`). A single way is written down, else it is asked."""
    state, evidence = step.state, step.state.evidence
    player = state.turn
    if player is None or evidence is None:
        return
    turns = {Turn(p, player, r): c * (1 if r.double else 2) / 36 for p, c in step.beliefs[:12] for r in ROLLS}
    verdict = weigh(evidence, turns)
    opened = OpenTurn(ways_of(turns), None)
    begun = lay is None or lay.differs(evidence)
    if begun and verdict.answer is not Answer.LEGAL:
        verdict = look_back(evidence, turns, {r: p for r, p in throw.rolls().items() if p > T.ROLLS_WEIGHED})
    if verdict.answer is Answer.LEGAL and verdict.result is not None:
        fitting = [t for t in turns if verdict.result in legal_plays(t.before, t.player, t.roll)]
        if len(fitting) == 1:
            turn.legal(step, opened, verdict)
        else:
            # None fits where the board is what the position was: a dance, which is no play.
            turn.ask(step, opened, fitting[0] if fitting else next(iter(turns)), verdict)
            if verdict.turn is not None:
                step.settle(verdict.turn.before)
            turn.close(step, verdict.result, player.other)
        return
    _adopt(step, opened, next(iter(turns)), verdict, begun)


def _adopt(step: Step, opened: OpenTurn, way: Turn, verdict: Weighed, begun: bool) -> None:
    """No single turn explains the board: ask, and go on from the board as it is seen, when that can be a position and nobody has
    begun to play on it."""
    evidence, checkers = step.state.evidence, step.state.start.checkers
    assert evidence is not None
    seen = position_of(whole_again(evidence, evidence.literal(key_of(step.state.position))[0], way.before), checkers)
    turn.ask(step, opened, way, verdict)
    if seen is not None and not begun and is_board(evidence, seen) >= T.SURE:
        turn.close(step, seen, way.player.other)
        return
    beliefs = dict(verdict.results)
    if seen is not None:
        beliefs[seen] = max(beliefs.get(seen, 0.0), 1 - verdict.legal, T.SEEN_MAYBE)
    ranked = doubt.likeliest_of(beliefs)
    turn.close(step, ranked[0][0] if ranked else step.state.position, way.player.other, beliefs=ranked)


def opening(step: Step, throw: Throw, lay: Evidence | None) -> None:
    """The first dice seen lie both in one half and the board has moved: the other player's opening turn was missed."""
    who = rolling.roller(throw)
    if who is not None:
        step.set(turn=who.other, phase="roll")
        unseen(step, throw, lay)


def game_missed(step: Step) -> bool:
    """The board is set up for a new game though this one has not been seen to end: ask how it ended, and go on with the new one."""
    state, evidence = step.state, step.state.evidence
    if evidence is None or state.position == state.start or evidence.seen(key_of(state.position)) != key_of(state.start):
        return False
    if min(evidence.looks) < T.RESET_SCENES or is_board(evidence, state.start) < T.START_SURE:
        return False
    if min(len(shifts(p.board, state.start)) for p, _ in step.beliefs) < T.RESET_CHECKERS:
        return False
    if not _borne_off(step):
        step.say("unsure", question="How did the last game end? The board is set up for a new one.")
    return True


def _borne_off(step: Step) -> bool:
    """The roll that lay last takes the last checkers off, however it is played: nobody saw it done, but so the game ended."""
    opened = step.state.open
    if opened is None or len(opened.ways) != 1 or opened.announced is None:
        return False
    before, player, roll, _ = opened.ways[0]
    results = legal_results(before, player, roll)
    if any(r.off[player.side] < r.checkers for r in results):
        return False
    result = min(results, key=Position.to_28)
    turn.legal(step, opened, Weighed(Answer.LEGAL, T.SURE, Turn(before, player, roll), 1.0, result))
    return True


def _bore_off(before: Position, seen: Key, player: Player) -> bool:
    """Fewer of the player's checkers are seen than stood there, and he may have borne them off."""
    return all_home(before, player) and 0 < before.board.on_table(player) - board_of(seen).on_table(player) <= MOST_OFF


def other_played(step: Step, throw: Throw) -> bool:
    """Dice called void for lying in the wrong half were played by the other player: a turn without a play was missed."""
    state, evidence = step.state, step.state.evidence
    if state.turn is None or evidence is None or rolling.roller(throw) is not state.turn.other:
        return False
    other = state.turn.other
    roll, result, fits = _his_play(step, throw, other, evidence)
    if roll is None:
        return False
    if _bore_off(state.position, evidence.literal(key_of(result))[0], state.turn):
        unseen(step, throw, None)
        if step.state.phase == "over":
            return True
        step.set(phase="lying", throw=throw)
    elif not fits:
        return False
    else:
        step.say("unsure", player=state.turn.value, question=f"What did {step.name(state.turn)} roll? I saw no turn.")
    rolling.told_by_the_play(step, other, throw, roll)
    return True


def _his_play(step: Step, throw: Throw, player: Player, evidence: Evidence) -> tuple[Roll | None, Position, bool]:
    """The roll by which the board is surely a play of this player's with the dice that lie, from a position in mind, and the board; None when
    it is none, or nothing moved. And whether every row fits: one that does not may be a checker that the other player bore off."""
    position = step.state.position
    turns = {Turn(p, player, r): c * q for p, c in step.beliefs for r, q in throw.rolls().items() if q > T.ROLLS_WEIGHED}
    verdict = weigh(evidence, turns)
    if verdict.answer is Answer.ILLEGAL or verdict.posterior < T.SURE or verdict.turn is None or verdict.result in (None, position):
        return None, position, True
    assert verdict.result is not None
    return verdict.turn.roll, verdict.result, verdict.fits
