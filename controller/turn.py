"""The turn's end: the dice are lifted, the board is judged, an illegal play is called, corrected, or stands."""

from __future__ import annotations

from dataclasses import replace

from controller import thresholds as T
from controller.evidence import Evidence, Key, key_of
from controller.state import OpenTurn, RefereeState, Undo, board_of
from controller.step import Step, dice_of, position_of, same_numbers, ways_of
from controller.throw import Throw, opening_numbers, weigh_roll
from controller.weigh import Answer, Turn, Weighed, weigh
from rules.judge import Legal, judge
from rules.match import finished
from rules.notation import short, steps
from rules.plays import Roll, legal_plays
from rules.position import Player, Position


def ways(state: RefereeState, throw: Throw) -> dict[Turn, float]:
    """How the turn may have been: the positions in mind, the player (by the opening dice where unknown), the roll."""
    found: dict[Turn, float] = {}
    opening = opening_numbers(throw) if state.opening and not state.ruleset.either_half else None
    if opening:
        for a, pa in enumerate(opening[0].value_chances, 1):
            for b, pb in enumerate(opening[1].value_chances, 1):
                if a != b and pa * pb > T.ROLLS_WEIGHED:
                    player = Player.A if a > b else Player.B
                    found[Turn(state.position, player, Roll(max(a, b), min(a, b)))] = pa * pb
        return found
    players = (state.turn,) if state.turn else tuple(Player)
    sure = state.announced is not None or throw.best_roll()[1] >= T.VALUE_SURE
    for position, belief in state.beliefs or ((state.position, 1.0),):
        for player in players:
            for roll, chance in throw.rolls(0.0 if sure else T.MISREAD).items():
                if chance > T.ROLLS_WEIGHED or not sure:
                    found[Turn(position, player, roll)] = belief * chance / len(players)
    return found


def commit(step: Step, throw: Throw, before_last: Evidence | None = None) -> None:
    """The dice of `throw` are gone: open the turn for its verdict, unless the roll was void. `before_last`: the board while
    they lay, when other dice lie already."""
    state = step.state
    undo = Undo(state.position, state.beliefs, state.turn, throw, state.announced, state.opening, state.missing)
    step.set(throw=None, said="nothing", announced=None, opening=False, phase="roll", undo=undo, last_said=None)
    if state.said == "void":
        if state.turn is None:
            step.set(phase="opening", undo=None)
        return
    if state.turn is None and not state.ruleset.either_half and opening_numbers(throw) is None:
        step.set(phase="opening", undo=None)
        return
    if state.turn is None and state.opening and step.unmoved():
        _opened_nothing(step, throw)
        return
    weighed = weigh_roll(throw, state.turn, state.ruleset, state.names) if state.turn and not state.opening else None
    step.set(
        open=OpenTurn(
            ways_of(ways(state, throw)),
            state.announced,
            0.0 if weighed is None else sum(weighed.void.values()),
            weighed.why if weighed else None,
            state.opening,
            before_last=before_last,
        ),
        turn=state.turn.other if state.turn else None,
    )


def _opened_nothing(step: Step, throw: Throw) -> None:
    """Opening dice that were lifted with nothing played: a tie, where their numbers say so (D1)."""
    numbers = opening_numbers(throw)
    if numbers is not None:
        tie = sum(p * q for p, q in zip(numbers[0].value_chances, numbers[1].value_chances, strict=True))
        a, b = (max(range(6), key=die.value_chances.__getitem__) + 1 for die in numbers)
        if tie > 0.5 and a == b:
            step.say("opening_tie", dice=[a, b], inferred=True)
    step.set(phase="opening", undo=None)


def look(step: Step, *, last: bool = False, again: bool | None = None) -> None:
    """Weigh the open turn with all that was seen since the board last changed.

    `last`: the next roll is here (or the source has ended), decide now. `again`: that roll is the same player's (True), the
    other's (False), or it cannot be told.
    """
    opened, evidence = step.state.open, step.state.evidence
    if opened is None or evidence is None:
        return
    if not last:
        opened = replace(opened, lifted=opened.lifted + 1)
        step.set(open=opened)
    turns = {Turn(b, p, r): chance for b, p, r, chance in opened.ways}
    if not turns:
        _lost(step, opened, last)
        return
    verdict = weigh(evidence, turns, keep=opened.illegal or opened.held)
    if opened.illegal is not None:
        _correction(step, opened, turns, verdict, last)
        return
    if opened.held is not None and verdict.answer is Answer.LEGAL and verdict.result and key_of(verdict.result) != opened.held:
        _call(step, opened, turns, opened.held, 1.0)
        if step.state.open is not None:
            _correction(step, step.state.open, turns, verdict, last)
        return
    if verdict.answer is not Answer.LEGAL and opened.before_last is not None and last:
        verdict = _while_they_lay(opened.before_last, evidence, turns, verdict)
    if _unplayed(verdict, opened, turns):
        _nothing_played(step, opened, turns, verdict, last, again)
    elif verdict.answer is Answer.LEGAL:
        legal(step, opened, verdict)
    elif verdict.answer is Answer.ILLEGAL and verdict.board is not None and len({t.before for t in turns}) == 1:
        if last or (opened.lifted >= T.ILLEGAL_SCENES and opened.held == verdict.board):
            _call(step, opened, turns, verdict.board, verdict.posterior)
            if last:
                _stands(step)
        else:
            step.set(open=replace(opened, held=verdict.board))
    elif last:
        _unsure(step, opened, turns, verdict)
    elif opened.lifted >= T.ASK_AFTER and not opened.asked:
        ask(step, opened, likeliest(turns, opened.announced), verdict)
        step.set(open=replace(opened, asked=True))


def _while_they_lay(lay: Evidence, now: Evidence, turns: dict[Turn, float], verdict: Weighed) -> Weighed:
    """Nobody saw the board between two rolls: the last look at it with the old dice decides, if a whole play lay there."""
    then = weigh(lay, turns)
    if then.answer is Answer.LEGAL and then.turn and then.result and then.result != then.turn.before:
        return then
    if then.answer is Answer.ILLEGAL and then.board != key_of(next(iter(turns)).before) and not lay.differs(now):
        return then
    return replace(verdict, answer=Answer.UNSURE)


def _unplayed(verdict: Weighed, opened: OpenTurn, turns: dict[Turn, float]) -> bool:
    """The board is as it was before the roll, which can be played (or may have been void)."""
    befores = {key_of(t.before) for t in turns}
    if verdict.answer is Answer.ILLEGAL:
        return verdict.board in befores
    dance = verdict.answer is Answer.LEGAL and verdict.result is not None and key_of(verdict.result) in befores
    return dance and opened.announced is None and opened.void > 0.5


def _nothing_played(step: Step, opened: OpenTurn, turns: dict[Turn, float], verdict: Weighed, last: bool, again: bool | None) -> None:
    """The dice were lifted and nothing was played: a roll void after all, or an illegal pass (M7)."""
    turn = likeliest(turns, opened.announced)
    void = opened.announced is None and opened.void >= 1 - T.ROLL_SURE and opened.why_void is not None and opened.why_void.reason != "one_die"
    if void or (last and again):
        if opened.why_void is not None:
            step.say_void(turn.player, opened.why_void)
        elif opened.announced is not None:
            step.say("unsure", player=turn.player.value, question=f"Why does {step.name(turn.player)} roll again?")
        step.set(open=None, turn=turn.player)
    elif last and again is False and opened.announced is not None and verdict.board is not None and opened.lifted:
        _call(step, opened, turns, verdict.board, verdict.posterior)
        _stands(step)
    elif last:
        _unsure(step, opened, turns, verdict)
    elif opened.lifted >= T.ASK_AFTER and not opened.asked:
        ask(step, opened, turn, verdict)
        step.set(open=replace(opened, asked=True))


def likeliest(turns: dict[Turn, float], announced: Roll | None) -> Turn:
    same = [t for t in turns if same_numbers(announced, t.roll)]
    return max(same or turns, key=turns.__getitem__)


def _announce(step: Step, opened: OpenTurn, turn: Turn) -> None:
    """Say the roll, if it could not be read surely before the play told it."""
    if opened.announced is None:
        kind = "opening_roll" if opened.opening and not step.state.ruleset.either_half else "roll"
        dice = [turn.roll.high, turn.roll.low] if opened.opening else dice_of(_as_read(step, turn.roll))
        step.say(kind, player=turn.player.value, dice=dice, inferred=True)  # type: ignore[arg-type]


def _as_read(step: Step, roll: Roll) -> Roll:
    """The roll in the order its dice were read."""
    undo = step.state.undo
    read = undo.throw.best_roll()[0] if undo else roll
    return read if same_numbers(read, roll) else roll


def _dice(step: Step, turn: Turn, opened: OpenTurn) -> dict[str, object]:
    if same_numbers(opened.announced, turn.roll) and opened.announced:
        return {"dice": dice_of(opened.announced)}
    return {"dice": dice_of(_as_read(step, turn.roll)), "inferred": True}


def legal(step: Step, opened: OpenTurn, verdict: Weighed, *, corrected: bool = False) -> None:
    turn, result = verdict.turn, verdict.result
    assert turn is not None and result is not None
    said = step.state.last_said
    if said == (result, turn.player):
        close(step, result, turn.player.other)
        return
    if verdict.way < T.WAY_SURE:
        ask(step, opened, turn, verdict)
        close(step, result, turn.player.other)
        return
    _announce(step, opened, turn)
    plays = legal_plays(turn.before, turn.player, turn.roll)
    row: dict[str, object] = {"player": turn.player.value, **_dice(step, turn, opened)}
    before, position = step.numbers(turn.before), step.numbers(result)
    sure = {"before": before, "confidence": round(verdict.posterior, 4)}
    if not plays:
        step.say("dance", **row, moves="", position=position, **sure)
    else:
        moves = plays[result].moves
        extra = {"corrected": True} if corrected or said is not None else {}
        step.say("play", **row, moves=steps(moves, bar="bar", off="off"), position=position, short=short(moves), **sure, **extra)
    close(step, result, turn.player.other, said=(result, turn.player))


def _call(step: Step, opened: OpenTurn, turns: dict[Turn, float], key: Key, posterior: float) -> None:
    """Say that the play is illegal, and why."""
    turn = likeliest(turns, opened.announced)
    state = step.state
    why = judge(turn.before, turn.player, turn.roll, board_of(key), state.names)
    if isinstance(why, Legal):
        _unsure(step, opened, turns, Weighed(Answer.UNSURE, posterior, turn, 1.0, why.play.result))
        return
    _announce_if_known(step, opened, turns, T.ROLL_LIKELY)
    step.say(
        "illegal",
        player=turn.player.value,
        **_dice(step, turn, opened),
        reason=why.reason,
        clause=why.clause,
        sentence=why.sentence,
        position=step.key_numbers(key, turn.before, turn.player),
        before=step.numbers(turn.before),
        nearest=[short(p.moves) for p in why.nearest],
        confidence=round(posterior, 4),
    )
    way = ((turn.before, turn.player, turn.roll, 1.0),)
    called = replace(opened, ways=way, announced=opened.announced or turn.roll, illegal=key, held=None)
    step.set(open=called, turn=turn.player.other)


def _correction(step: Step, opened: OpenTurn, turns: dict[Turn, float], verdict: Weighed, last: bool) -> None:
    """After a called illegal play: a legal board is its correction (E3); at the next roll it stands as it lies (E2)."""
    if verdict.answer is Answer.LEGAL:
        legal(step, opened, verdict, corrected=True)
    elif last and verdict.answer is Answer.ILLEGAL:
        step.set(open=replace(opened, illegal=verdict.board))
        _stands(step)
    elif last and opened.before_last is None and step.state.evidence is not None and verdict.legal < 0.5:
        _stands(step)
    elif last:
        _unsure(step, opened, turns, verdict)


def _stands(step: Step) -> None:
    opened = step.state.open
    if opened is None or opened.illegal is None:
        return
    before, player, roll, _ = opened.ways[0]
    position = position_of(opened.illegal, before.checkers)
    if position is None:
        step.say("stands", player=player.value, dice=dice_of(roll), position=step.key_numbers(opened.illegal, before, player))
        step.say("unsure", player=player.value, question="There are too many checkers on the board; set the position.")
        close(step, before, player.other)
        return
    missing, other = list(step.state.missing), player.other.side
    missing[other] += position.off[other] - before.off[other]
    step.set(missing=(missing[0], missing[1]))
    step.say("stands", player=player.value, dice=dice_of(roll), position=step.numbers(position))
    close(step, position, player.other)


def ask(step: Step, opened: OpenTurn, turn: Turn, verdict: Weighed) -> None:
    who = step.name(turn.player)
    roll = f" with {opened.announced}" if opened.announced else ""
    options = [{"position": step.numbers(p), "chance": round(c, 3)} for p, c in verdict.results[:3] if c > 0.01]
    known = verdict.answer is Answer.LEGAL
    question = f"What did {who} roll?" if known and not opened.announced else f"What did {who} play{roll}?"
    step.say("unsure", player=turn.player.value, question=question, options=options)


def _unsure(step: Step, opened: OpenTurn, turns: dict[Turn, float], verdict: Weighed) -> None:
    """The next roll comes and the board is not explained: ask, keep every position it may be in mind, and go on."""
    turn = verdict.turn or likeliest(turns, opened.announced)
    if not opened.asked:
        _announce_if_known(step, opened, turns)
        ask(step, opened, turn, verdict)
    beliefs = dict(verdict.results)
    if not beliefs or max(beliefs.values()) < 0.01:
        results = {r: p for t, p in turns.items() for r in (*legal_plays(t.before, t.player, t.roll), t.before)}
        beliefs = {r: p / len(results) for r, p in results.items()}
    observed = position_of(verdict.board, turn.before.checkers) if verdict.board else None
    if observed is not None and observed.off[turn.player.other.side] == turn.before.off[turn.player.other.side]:
        beliefs[observed] = max(beliefs.get(observed, 0.0), 1 - verdict.legal, 0.01)
    kept = sorted(((p, c) for p, c in beliefs.items() if c > T.BELIEF), key=lambda pair: -pair[1])[: T.BELIEFS]
    total = sum(c for _, c in kept)
    close(step, kept[0][0], turn.player.other, beliefs=tuple((p, c / total) for p, c in kept))


def _announce_if_known(step: Step, opened: OpenTurn, turns: dict[Turn, float], enough: float = T.VALUE_SURE) -> None:
    """The roll was not announced, but the dice alone leave little doubt."""
    by_roll: dict[tuple[Player, Roll], float] = {}
    for turn, chance in turns.items():
        by_roll[turn.player, turn.roll] = by_roll.get((turn.player, turn.roll), 0.0) + chance
    (player, roll), chance = max(by_roll.items(), key=lambda pair: pair[1])
    if chance / sum(by_roll.values()) >= enough and opened.void < 0.5:
        _announce(step, opened, Turn(step.state.position, player, roll))


def _lost(step: Step, opened: OpenTurn, last: bool) -> None:
    """No way at all is in mind (dice that cannot be an opening roll): ask."""
    if last:
        step.say("unsure", question="Which dice were rolled?")
        step.set(open=None)


def close(
    step: Step,
    position: Position,
    following: Player,
    *,
    beliefs: tuple[tuple[Position, float], ...] = (),
    said: tuple[Position, Player] | None = None,
) -> None:
    """The turn is over: the board is `position`, and `following` is to roll, unless the game is over."""
    kept = beliefs if len(beliefs) > 1 else ()
    step.set(position=position, beliefs=kept, turn=following, open=None, phase="roll", last_said=said)
    state = step.state
    result = finished(position, state.cube, state.ruleset, money=state.length == 0)
    if result is not None and not kept:
        step.say("game_over", winner=result.winner.value, how=result.win.name.lower(), points=result.points)
        step.set(phase="over", turn=None, games=(*state.games, result), undo=None, last_said=None)
