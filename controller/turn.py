"""The turn's end: the dice are lifted, the board is judged, an illegal play is called, corrected, or stands."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller import doubt, ending
from controller import thresholds as T
from controller.evidence import Evidence, Key, key_of
from controller.state import OpenTurn, RefereeState, Undo, board_of
from controller.step import Step, all_home, dice_of, position_of, same_numbers, ways_of
from controller.throw import Throw, opening_numbers, weigh_roll
from controller.two_plies import look_back
from controller.weigh import Answer, Turn, Weighed, weigh
from rules.judge import Legal, judge
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
        for before, share in _with_what_came_back(position, state.missing):
            for player in players:
                for roll, chance in throw.rolls(0.0 if sure else T.MISREAD).items():
                    if chance > T.ROLLS_WEIGHED or not sure:
                        turn = Turn(before, player, roll)
                        found[turn] = found.get(turn, 0.0) + belief * share * chance / len(players)
    return found


def _with_what_came_back(position: Position, missing: tuple[int, int]) -> list[tuple[Position, float]]:
    """The position, and, where a checker may be missing since an illegal play (or is off though its side cannot bear off), the same with
    it on the bar: it was put there late, or had been there and was not seen."""
    found = [(position, 1.0)]
    for player in Player:
        side = player.side
        if position.off[side] > 0 and (missing[side] > 0 or not all_home(position, player)):
            bar, off = list(position.bar), list(position.off)
            bar[side], off[side] = bar[side] + 1, off[side] - 1
            found.append((replace(position, bar=(bar[0], bar[1]), off=(off[0], off[1])), T.CAME_BACK))
    return found


def press(step: Step, throw: Throw, *, seen_once: bool = False) -> None:
    """A person said that the turn is over (the clock's button, a double): its dice still lie, and lifting them ends nothing more.
    `seen_once`: the play as it lies may only have been tried, and is asked about."""
    commit(step, throw)
    opened = step.state.open
    if seen_once and opened is not None and step.state.evidence is not None:
        turns = {Turn(b, p, r): chance for b, p, r, chance in opened.ways}
        _unsure(step, opened, turns, weigh(step.state.evidence, turns))
    else:
        look(step)
    step.set(pressed=tuple(d.xy for d in throw.in_play))


def commit(step: Step, throw: Throw, before_last: Evidence | None = None) -> None:
    """The dice of `throw` are gone: open the turn for its verdict, unless the roll was void. `before_last`: the board while
    they lay, when other dice lie already."""
    step.forget_covered()
    state = step.state
    undo = Undo(state.position, state.beliefs, state.turn, throw, state.announced, state.opening, state.missing, state.lost, state.cube)
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


def played_out(step: Step) -> bool:
    """The dice still lie, by the last look, but the board shows surely a whole play of them (or they cannot be played)."""
    state = step.state
    if state.phase != "lying" or state.throw is None or state.said == "void" or state.turn is None or state.evidence is None:
        return False
    verdict = weigh(state.evidence, ways(state, state.throw))
    if state.said != "valid" and verdict.result == state.position:
        return False
    return verdict.answer is Answer.LEGAL and verdict.posterior >= T.PLAYED_ON


def _opened_nothing(step: Step, throw: Throw) -> None:
    """Opening dice that were lifted with nothing played: a tie, where their numbers say so (D1)."""
    numbers = opening_numbers(throw)
    if numbers is not None:
        tie = sum(p * q for p, q in zip(numbers[0].value_chances, numbers[1].value_chances, strict=True))
        a, b = (max(range(6), key=die.value_chances.__getitem__) + 1 for die in numbers)
        if tie > 0.5 and a == b:
            step.say("opening_tie", dice=[a, b], inferred=True)
    step.set(phase="opening", undo=None)


@dataclass(frozen=True, slots=True)
class Next:
    """The next roll, which ends what was open: its dice; whose they are by where they lie, the same player's again (True) or the
    other's (False), None when it cannot be told; the board as it was before they were seen."""

    throw: Throw | None = None
    again: bool | None = None
    board: Evidence | None = None


def look(step: Step, *, last: bool = False, then: Next | None = None) -> None:
    """Weigh the open turn with all that was seen since the board last changed.

    `last`: decide now, for the next roll is here (`then`), or a double, or the source has ended.
    """
    opened, evidence = step.state.open, step.state.evidence
    then = then or Next()
    if opened is None or evidence is None:
        return
    if not last:
        opened = replace(opened, lifted=opened.lifted + 1)
        step.set(open=opened)
    turns = {Turn(b, p, r): chance for b, p, r, chance in opened.ways}
    if not turns:
        _lost(step, opened, last)
        return
    moved_on = last and then.board is not None and then.board.differs(evidence)
    # The next player may have begun to move: the last board without dice is the one that was committed.
    committed = then.board if moved_on and opened.lifted else None
    shown = committed or evidence
    verdict = doubt.careful(weigh(shown, turns, keep=opened.illegal or opened.held), shown, opened, turns)
    if opened.illegal is not None:
        if then.again and opened.announced is None and opened.illegal in {key_of(t.before) for t in turns}:
            _rolled_again(step, opened, likeliest(turns, opened.announced), surely=True)
        else:
            _correction(step, opened, turns, _put_right(step, opened, turns, verdict, then) if moved_on else verdict, last)
        return
    if opened.held is not None and verdict.answer is Answer.LEGAL and verdict.result and key_of(verdict.result) != opened.held:
        _call(step, opened, turns, opened.held, 1.0)
        if step.state.open is not None:
            _correction(step, step.state.open, turns, verdict, last)
        return
    danced = doubt.danced(verdict, {key_of(t.before) for t in turns})
    rolls_again = then.again or (then.again is None and then.throw is not None and opened.announced is None and not danced)
    told = verdict.answer is Answer.LEGAL and (opened.announced is not None or opened.void < T.AGAIN_VOID)
    if last and rolls_again and step.unmoved() and not told:
        _rolled_again(step, opened, likeliest(turns, opened.announced), surely=bool(then.again) and not danced)
        return
    if last and then.again and opened.announced is None and not told and then.throw is not None and doubt.thrown_anew(evidence, turns, then.throw):
        _rolled_again(step, opened, likeliest(turns, opened.announced))
        return
    unseen = opened.before_last is not None and not opened.lifted
    if last and then.throw is not None and then.again is not True and (moved_on or unseen) and not doubt.settled(verdict, committed, unseen):
        rolls = {r: p for r, p in then.throw.rolls().items() if p > T.ROLLS_WEIGHED}
        stayed = doubt.illegal_while_they_lay(opened.before_last, evidence, turns) if unseen else None
        verdict = doubt.by_a_roll(stayed or look_back(evidence, turns, rolls, committed=committed, lay=opened.before_last), opened, turns)
    elif last and then.again and verdict.answer is not Answer.LEGAL and not step.unmoved():
        if verdict.answer is Answer.UNSURE or moved_on or not opened.lifted:
            verdict = doubt.over_a_turn(evidence, turns, verdict)
    if _unplayed(verdict, opened, turns):
        _nothing_played(step, opened, turns, verdict, last, then.again)
    elif verdict.answer is Answer.LEGAL:
        legal(step, opened, verdict)
    elif verdict.answer is Answer.ILLEGAL and verdict.board is not None and doubt.one_before(turns):
        if last or (opened.lifted >= T.ILLEGAL_SCENES and opened.held == verdict.board):
            _call(step, opened, turns, verdict.board, verdict.posterior)
            if last:
                stands(step)
        else:
            step.set(open=replace(opened, held=verdict.board))
    elif last:
        _unsure(step, opened, turns, verdict, then)
    elif opened.lifted >= T.ASK_AFTER and not opened.asked:
        ask(step, opened, likeliest(turns, opened.announced), verdict)
        step.set(open=replace(opened, asked=True))


def _put_right(step: Step, opened: OpenTurn, turns: dict[Turn, float], before: Weighed, then: Next) -> Weighed:
    """After a called illegal play, when the board changed and the next dice lie: it was put right before they were thrown, or it
    stands and the next player has begun. `before`: the verdict on the board as it was."""
    evidence = step.state.evidence
    assert evidence is not None and opened.illegal is not None
    now = weigh(evidence, turns)
    standing = position_of(opened.illegal, next(iter(turns)).before.checkers)
    if now.answer is Answer.LEGAL or then.throw is None:
        return now
    rolls = {r: p for r, p in then.throw.rolls().items() if p > T.ROLLS_WEIGHED}
    found = look_back(evidence, turns, rolls, standing=standing)
    return found if found.answer is not Answer.UNSURE or before.answer is not Answer.ILLEGAL else before


def _rolled_again(step: Step, opened: OpenTurn, turn: Turn, *, surely: bool = False, danced: bool = False) -> None:
    """The same player's dice once more, on the board as it was: the roll was void, or nobody knows why. What was never surely two dice
    was none. `surely`: these dice are his and the roll could be played, so void it was, however it looked."""
    dice = step.state.undo.throw.dice if step.state.undo else ()
    if opened.why_void is not None and (surely or opened.void >= (T.AGAIN_DANCED if danced else T.AGAIN_VOID)):
        if opened.void >= T.VOID_SURE or all(die.certainty >= T.DIE_SURE for die in dice):
            step.say_void(turn.player, opened.why_void)
    else:
        step.say("unsure", player=turn.player.value, question=f"Why does {step.name(turn.player)} roll again?")
    step.set(open=None, turn=turn.player)


def _unplayed(verdict: Weighed, opened: OpenTurn, turns: dict[Turn, float]) -> bool:
    """The board is as it was before the roll, which can be played (or may have been void)."""
    befores = {key_of(t.before) for t in turns}
    if verdict.answer is Answer.ILLEGAL:
        return verdict.board in befores
    return doubt.danced(verdict, befores) and opened.announced is None and opened.void > T.ROLL_DOUBT


def _nothing_played(step: Step, opened: OpenTurn, turns: dict[Turn, float], verdict: Weighed, last: bool, again: bool | None) -> None:
    """The dice were lifted and nothing was played: a roll void after all, or an illegal pass (M7)."""
    turn = likeliest(turns, opened.announced)
    danced = doubt.danced(verdict, {key_of(t.before) for t in turns})
    if danced and opened.void < T.VOID_SURE and not (last and again and opened.void >= T.AGAIN_DANCED):
        # A dance or a void roll: whose dice come next tells, unless they may be anybody's.
        if last and again is None and opened.void >= T.AGAIN_VOID:
            _unsure(step, opened, turns, verdict)
        elif last:
            legal(step, opened, verdict)
        return
    void = opened.announced is None and opened.void >= T.VOID_UNPLAYED and opened.why_void is not None and opened.why_void.reason != "one_die"
    if void or (last and again):
        _rolled_again(step, opened, turn, surely=bool(again) and verdict.answer is Answer.ILLEGAL, danced=danced)
    elif not last and opened.lifted >= T.NOTHING_SCENES and opened.announced is not None and opened.void <= T.ROLL_DOUBT and verdict.board is not None:
        if verdict.answer is Answer.ILLEGAL:
            _call(step, opened, turns, verdict.board, verdict.posterior)
    elif last and again is False and doubt.passed(opened, verdict):
        assert verdict.board is not None
        _call(step, opened, turns, verdict.board, verdict.posterior)
        stands(step)
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
        step.settle(turn.before)
        close(step, result, turn.player.other)
        return
    _announce(step, opened, turn)
    step.settle(turn.before)
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
    step.settle(turn.before)
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
        stands(step)
    elif last and opened.before_last is None and step.state.evidence is not None and verdict.legal < 0.5:
        stands(step)
    elif last:
        _unsure(step, opened, turns, verdict)


def stands(step: Step) -> None:
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


def _unsure(step: Step, opened: OpenTurn, turns: dict[Turn, float], verdict: Weighed, then: Next | None = None) -> None:
    """The next roll comes and the board is not explained: ask, keep every position it may be in mind, and go on."""
    turn, then = verdict.turn or likeliest(turns, opened.announced), then or Next()
    if not opened.asked:
        _announce_if_known(step, opened, turns)
        ask(step, opened, turn, verdict)
    if then.again and verdict.legal < 0.5 and not step.unmoved() and _adopted(step, turn, then):
        return
    beliefs = dict(verdict.results)
    # A board first seen with the next dice on it may have been played on already: nothing is built on that.
    lay, seen = opened.before_last, verdict.seen or step.state.evidence
    begun = then.throw is not None and not opened.lifted and lay is not None and seen is not None and lay.differs(seen)
    for strange, share in () if begun else verdict.others:
        for key, chance in doubt.as_meant(strange, share, turn, verdict.seen or step.state.evidence):
            left = position_of(key, turn.before.checkers)
            if left is not None:
                beliefs[left] = max(beliefs.get(left, 0.0), chance)
    if not beliefs or max(beliefs.values()) < 0.01:
        results = {r: p for t, p in turns.items() for r in (*legal_plays(t.before, t.player, t.roll), t.before)}
        beliefs |= {r: p / len(results) for r, p in results.items()}
    kept = doubt.before_the_look(doubt.likeliest_of(beliefs), verdict.seen)
    step.settle(turn.before)
    close(step, kept[0][0], turn.player.other, beliefs=kept, lost=doubt.lost_by(turn, kept, step.state.missing))


def _adopted(step: Step, turn: Turn, then: Next) -> bool:
    """The same player rolls again and nothing explains the board: his opponent has played unseen. On from the board as it lies."""
    evidence = then.board if then.board is not None and step.state.evidence and then.board.differs(step.state.evidence) else step.state.evidence
    seen = doubt.as_it_lies(step, evidence)
    if seen is None:
        return False
    close(step, seen, turn.player)
    return True


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
    lost: tuple[tuple[Position, tuple[int, int]], ...] = (),
    said: tuple[Position, Player] | None = None,
) -> None:
    """The turn is over: the board is `position`, and `following` is to roll, unless the game is over."""
    kept = beliefs if len(beliefs) > 1 else ()
    turn = step.state.undo
    if turn is not None and step.state.turns[-1:] != (turn,):
        step.set(turns=(*step.state.turns, turn)[-T.TURNS_KEPT :])
    step.set(resigning=None)
    step.set(position=position, beliefs=kept, lost=lost, turn=following, open=None, phase="roll", last_said=said)
    known = dict(lost).get(position, step.state.missing) if kept else step.state.missing
    a, b = (min(n, off) for n, off in zip(known, position.off, strict=True))
    step.set(missing=(a, b))
    if not kept:
        step.settle(position)
    state = step.state
    result = state.match.played_out(position, state.cube, state.missing)
    if result is not None and not kept:
        step.say("game_over", winner=result.winner.value, how=result.win.name.lower(), points=result.points)
        ending.over(step, result)
