"""Doubt: boards that no single play explains, what may lie behind them and what stays in mind; and answers that are not to be trusted.
Values in, values out; what is said of it is `turn`'s and `missed`'s."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from controller import thresholds as T
from controller.evidence import Evidence, Key, key_of
from controller.state import Beliefs, Lost, OpenTurn
from controller.step import Step, all_home, position_of, same_numbers
from controller.throw import ROLLS, Throw
from controller.two_plies import explained, look_back
from controller.weigh import MOST_OFF, Answer, Turn, Weighed, attempted, is_board, weigh, whole_again
from rules.plays import Roll, legal_plays, legal_results
from rules.position import Player, Position


def thrown_anew(evidence: Evidence, turns: dict[Turn, float], throw: Throw) -> bool:
    """The roll that nobody was told of was void: the same player's next throw is being played on the board before it."""
    rolls = {roll: p for roll, p in throw.rolls().items() if p > T.ROLLS_WEIGHED}
    return min(explained(evidence, before, player, rolls) for before, player in {(t.before, t.player) for t in turns}) < T.HARDLY_LESS


def over_a_turn(evidence: Evidence, turns: dict[Turn, float], verdict: Weighed) -> Weighed:
    """The same player's dice again, on a board that his play alone does not explain: his opponent's whole turn was missed, and the play
    is looked for behind it. As it was when that explains nothing either."""
    found = look_back(evidence, turns, {roll: 1.0 if roll.double else 2.0 for roll in ROLLS})
    return found if found.answer is Answer.LEGAL or found.legal > verdict.legal else verdict


def illegal_while_they_lay(lay: Evidence | None, now: Evidence, turns: dict[Turn, float]) -> Weighed | None:
    """The board did not change between the last look with the old dice and the first with the new ones, and is no legal play."""
    if lay is None or lay.differs(now):
        return None
    then = weigh(lay, turns)
    return then if then.answer is Answer.ILLEGAL and then.board != key_of(next(iter(turns)).before) else None


def as_meant(key: Key, chance: float, turn: Turn, seen: Evidence | None) -> list[tuple[Key, float]]:
    """A board that no legal play gives, and the same with the checkers that it lacks, where a stack was misread. By itself it stays in
    mind only when a play may have led there."""
    whole = key if seen is None else whole_again(seen, key, turn.before)
    if seen is None or whole == key:
        return [(key, chance)]
    raw, mended = seen.loglik([key, whole])
    found = [(whole, chance * min(float(np.exp(mended - raw)) / T.VANISHED, 1.0))]
    return [*found, (key, chance)] if attempted(turn.before, turn.player, key) else found


def lost_by(turn: Turn, kept: Beliefs, missing: tuple[int, int]) -> Lost:
    """What is missing on each board: a checker that is gone though its owner could not bear it off, or that a careless play of his opponent's may have
    taken off the table. Else, on a board that no single play explains, he has more likely borne it off himself, in a turn that was missed."""
    found = []
    for p, _ in kept:
        careless = attempted(turn.before, turn.player, key_of(p))
        counts = list(missing)
        for owner in Player:
            gone = p.off[owner.side] - turn.before.off[owner.side]
            if gone > 0 and (not all_home(p, owner) or (careless and owner is not turn.player)):
                counts[owner.side] += gone
        found.append((p, (counts[0], counts[1])))
    return tuple(found) if any(m != missing for _, m in found) else ()


def as_it_lies(step: Step, evidence: Evidence | None) -> Position | None:
    """The position that is surely seen, when no checker has gone but such as may have been borne off; else None."""
    before = step.state.position
    if evidence is None or not evidence.whole:
        return None
    seen = position_of(whole_again(evidence, evidence.literal(key_of(before))[0], before), before.checkers)
    if seen is None or is_board(evidence, seen) < T.SURE:
        return None
    whole = all(seen.off[p.side] == before.off[p.side] or (0 < seen.off[p.side] - before.off[p.side] <= MOST_OFF and all_home(seen, p)) for p in Player)
    return seen if whole else None


def before_the_look(beliefs: tuple[tuple[Position, float], ...], seen: Evidence | None) -> tuple[tuple[Position, float], ...]:
    """The same with half of what this look at the board says taken out again, the likeliest first as before: the next looks will mostly say it
    once more, and doubt must not grow into certainty by being counted twice."""
    if seen is None or len(beliefs) < 2:
        return beliefs
    scores = np.log([c for _, c in beliefs]) - T.TAKEN_OUT * seen.loglik([key_of(p) for p, _ in beliefs])
    chances = np.exp(scores - scores.max())
    return tuple((p, float(c)) for (p, _), c in zip(beliefs, chances / chances.sum(), strict=True))


def likeliest_of(beliefs: dict[Position, float]) -> tuple[tuple[Position, float], ...]:
    """The positions to keep in mind, the likeliest first, their chances summing to 1; none of none. However thinly the chance is
    spread, some are kept: what is dropped is what is unlikely beside the likeliest."""
    if not beliefs:
        return ()
    ranked = sorted(beliefs.items(), key=lambda pair: -pair[1])[: T.BELIEFS]
    kept = [(p, c) for p, c in ranked if c > T.BELIEF * ranked[0][1]] or [(p, 1.0) for p, _ in ranked]
    total = sum(c for _, c in kept)
    return tuple((p, c / total) for p, c in kept)


def one_before(turns: dict[Turn, float]) -> bool:
    """It is as good as certain from where the turn began."""
    chances: dict[Position, float] = {}
    for turn, chance in turns.items():
        chances[turn.before] = chances.get(turn.before, 0.0) + chance
    return max(chances.values()) >= T.SURE * sum(chances.values())


def careful(verdict: Weighed, shown: Evidence, opened: OpenTurn, turns: dict[Turn, float]) -> Weighed:
    """No play is legal by dice that were hardly rolled when others had been announced, and none illegal while a part of the board
    has not been seen: then it is asked."""
    if verdict.answer is Answer.LEGAL and verdict.turn is not None:
        if opened.announced is not None and not same_numbers(opened.announced, verdict.turn.roll) and verdict.result not in _results_of(turns, opened.announced):
            total = sum(turns.values())
            if sum(p for t, p in turns.items() if same_numbers(verdict.turn.roll, t.roll)) < T.FLIPPED * total:
                return replace(verdict, answer=Answer.UNSURE)
        if opened.announced is None and verdict.result == verdict.turn.before:
            # Nothing moved, which says nothing of the roll: the dice alone must allow a dance.
            dances = sum(p for t, p in turns.items() if not legal_plays(t.before, t.player, t.roll))
            if dances < T.FLIPPED * sum(turns.values()):
                return replace(verdict, answer=Answer.UNSURE)
    nothing = verdict.answer is Answer.ILLEGAL and verdict.board in {key_of(t.before) for t in turns}
    if nothing and opened.illegal is None and verdict.posterior < T.PASSED_SURE:
        return replace(verdict, answer=Answer.UNSURE)
    if verdict.answer is Answer.ILLEGAL and opened.illegal is None and not shown.whole:
        return replace(verdict, answer=Answer.UNSURE)
    return by_a_roll(verdict, opened, turns)


def by_a_roll(verdict: Weighed, opened: OpenTurn, turns: dict[Turn, float]) -> Weighed:
    """No play is illegal by dice that were likely no roll at all: whose they were is asked."""
    played = verdict.answer is Answer.ILLEGAL and opened.illegal is None and verdict.board not in {key_of(t.before) for t in turns}
    return replace(verdict, answer=Answer.UNSURE) if played and opened.announced is None and opened.void >= T.VOID_UNPLAYED else verdict


def _results_of(turns: dict[Turn, float], roll: Roll) -> frozenset[Position]:
    return frozenset(r for t in turns if same_numbers(roll, t.roll) for r in legal_results(t.before, t.player, t.roll))


def settled(verdict: Weighed, committed: Evidence | None, unseen: bool) -> bool:
    """The verdict needs no looking back: the board was seen when the dice had been lifted, or it is a whole legal play as it lies."""
    return verdict.answer is Answer.LEGAL or (verdict.answer is Answer.ILLEGAL and committed is not None and not unseen)


def danced(verdict: Weighed, befores: set[Key]) -> bool:
    return verdict.answer is Answer.LEGAL and verdict.result is not None and key_of(verdict.result) in befores


def passed(opened: OpenTurn, verdict: Weighed) -> bool:
    """The other player's dice lie, and nothing was played with a roll that could be: whatever it was, it was not thrown again."""
    surely = opened.announced is not None or (verdict.answer is Answer.ILLEGAL and opened.void < T.VOID_UNPLAYED)
    return surely and verdict.board is not None and opened.lifted > 0
