"""Is every play in this record legal, does the cube go as it may, and are the scores right (clauses D1 to S7)?

>>> from rules.plays import Roll
>>> from rules.position import Player
>>> from rules.record import GameRecord, MatchRecord, PlayTurn
>>> record = MatchRecord(("Ann", "Bo"), 7, [GameRecord((0, 0), [PlayTurn(Player.A, Roll(5, 2), "13/11 6/5")])])
>>> print(check_match(record)[0].sentence)
Ann played 13/11 6/5, 3 pips; that is not a play of 5-2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.cube import Refused
from rules.game import GameState, Rolled, literal_result
from rules.judge import Illegal, judge
from rules.match import Ending, GameResult, MatchState
from rules.plays import Play, Roll
from rules.position import Position
from rules.record import AnyTurn, DanceTurn, GameRecord, IllegalTurn, MatchRecord, PlayTurn, RollTurn


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in a record that the rules do not allow."""

    game: int
    """1 and on."""
    turn: int
    """The turn of the game, 1 and on; 0 for its score or result."""
    clause: str
    sentence: str
    before: Position | None = None
    """The position that the turn began from."""
    roll: Roll | None = None
    event: AnyTurn | None = None
    nearest: tuple[Play, ...] = ()
    """Legal plays nearest to the one played."""


def check_match(record: MatchRecord) -> list[Finding]:
    """Everything that is wrong, in order. A turn that was wrong stands as it was played, and the check goes on from there."""
    found: list[Finding] = []
    start_score = record.games[0].scores if record.games else (0, 0)
    # A match taken up midway says by its flag, or not at all, whether the Crawford game is over.
    first = record.games[0].crawford if record.games else None
    crawford_over = first is False and record.length > 1 and max(start_score) == record.length - 1
    match = MatchState(record.length, record.ruleset, (), start_score, crawford_over)
    for number, game in enumerate(record.games, start=1):
        if match.winner is not None:
            found.append(Finding(number, 0, "S2", f"{record.players[match.winner.side]} had won the match before this game."))
            break
        if game.scores != match.score:
            said, counted = (f"{a}-{b}" for a, b in (game.scores, match.score))
            found.append(Finding(number, 0, "S2", f"The score is written as {said}; the games before make it {counted}."))
            match = MatchState(record.length, record.ruleset, (), game.scores, crawford_over or match.post_crawford)
            if match.winner is not None:
                found.append(Finding(number, 0, "S2", f"With that score {record.players[match.winner.side]} had won the match before this game."))
                break
        if game.crawford is not None and game.crawford != match.crawford:
            is_it = "is the Crawford game" if match.crawford else "is not the Crawford game"
            found.append(Finding(number, 0, "S3", f"By the score this {is_it}; the file says otherwise."))
        found += _check_game(number, game, match, record)
        if game.result is None:
            if number < len(record.games):
                found.append(Finding(number, 0, "M10", "This game has no end, yet another follows."))
            continue
        match = match.after(game.result)
    return found


def _check_game(number: int, game: GameRecord, match: MatchState, record: MatchRecord) -> list[Finding]:
    found: list[Finding] = []
    state = GameState(match, game.start, game.missing)
    if game.automatic_doubles > match.automatic_doubles:
        allowed = match.automatic_doubles
        what = "in a match there are none" if not match.money else f"the rule set allows {allowed}"
        found.append(Finding(number, 0, "S7" if not match.money else "S6", f"The cube begins at {2**game.automatic_doubles}, but {what}."))
    state = replace(state, cube=game.first_cube, ties=game.automatic_doubles)
    for n, turn in enumerate(game.turns, start=1):
        try:
            state.check(turn)
        except Refused as refused:
            if state.result is not None:
                found.append(Finding(number, n, refused.clause, "The game was over before this turn."))
                return found
            found.append(_refused(number, n, turn, state, refused, record.players))
        state = state.as_it_happened(turn)
    result = game.result
    if result is None:
        return found
    ended = state.result
    if ended is None:
        ended = match.resigned(state.cube, result.winner.other, result.win)
        if result.ending is not Ending.RESIGNED:
            found.append(Finding(number, 0, "M10", f"The game is {result.ending}, but neither borne off nor passed."))
    found += _check_result(number, game, ended, match, record)
    return found


def _refused(number: int, n: int, turn: AnyTurn, state: GameState, refused: Refused, names: tuple[str, str]) -> Finding:
    if not isinstance(turn, PlayTurn | DanceTurn | RollTurn | IllegalTurn):
        return Finding(number, n, refused.clause, refused.sentence, state.board, None, turn)
    sentence = refused.sentence
    nearest: tuple[Play, ...] = ()
    verdict = _verdict(turn, state, names)
    if verdict is not None:
        sentence, nearest = verdict.sentence, verdict.nearest
    return Finding(number, n, refused.clause, sentence, state.board, turn.roll, turn, nearest)


def _verdict(turn: Rolled, state: GameState, names: tuple[str, str]) -> Illegal | None:
    """The judge's words, with the players' names."""
    result = literal_result(turn, state.board)
    if result is None or isinstance(turn, RollTurn):
        return None
    verdict = judge(state.board, turn.player, turn.roll, result, names)
    return verdict if isinstance(verdict, Illegal) else None


def _check_result(number: int, game: GameRecord, ended: GameResult, match: MatchState, record: MatchRecord) -> list[Finding]:
    """Winner and points against board and cube (clauses S1, S5)."""
    found: list[Finding] = []
    result = game.result
    assert result is not None
    name = record.players[ended.winner.side]
    if result.winner is not ended.winner:
        found.append(Finding(number, 0, "M10", f"{name} won the game, not {record.players[result.winner.side]}."))
    elif result.points != ended.points:
        found.append(Finding(number, 0, "S1", f"{name} won {_points(ended.points)} ({ended.win}), not {result.points}."))
    elif game.stated_points is not None and not _stated(game.stated_points, ended, match):
        found.append(Finding(number, 0, "S1", f"{name} won {_points(ended.points)} ({ended.win}); the file says {game.stated_points}."))
    return found


def _stated(stated: int, ended: GameResult, match: MatchState) -> bool:
    """Programs cap the points at what the match needs, and in money play a file may have been played with Jacoby's rule."""
    needed = match.length - match.score[ended.winner.side]
    return stated == ended.points or (not match.money and stated == min(ended.points, needed))


def _points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


def illegal_plays(findings: Sequence[Finding]) -> list[Finding]:
    """Those that are about how checkers were moved."""
    return [one for one in findings if isinstance(one.event, PlayTurn | DanceTurn | IllegalTurn)]
