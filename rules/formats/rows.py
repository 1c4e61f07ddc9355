"""The rows that `.mat` and Snowie text share, written as gnubg writes them: two columns, one step a die, 25 and 0.

Writing replays each game: what the format cannot hold is refused with the reason, since a reader would otherwise show a wrong
board for the rest of the game.
"""

from __future__ import annotations

from collections.abc import Callable

from rules.cube import Cube
from rules.game import GameState
from rules.match import Ending, MatchState
from rules.notation import Hop, NotationError, find_play, steps, written_play
from rules.plays import Move, Play, legal_plays
from rules.position import START, Player, Position
from rules.record import Beaver, CannotHold, DanceTurn, Double, Drop, GameRecord, IllegalTurn, MatchRecord, PlayTurn, RollTurn, Take

LEFT_WIDTH = 27
"""Width of the left column's text, so that the right one starts at column 33."""

IllegalText = Callable[[GameState, int], str]
"""What is written for an illegal play that stood, given the state after it and the index of its turn."""


def write_rows(record: MatchRecord, illegal: Callable[[MatchRecord, GameRecord], IllegalText] | None = None) -> str:
    """The whole file; raises `CannotHold`. Without `illegal` an illegal play that stood is refused."""
    text = "".join(f'; [{_clean(key).strip("[]")} "{_clean(value)}"]\n' for key, value in record.tags)
    if text:
        text += "\n"
    text += f" {record.length} point match\n\n"
    match: MatchState | None = None
    games = []
    for number, game in enumerate(record.games, start=1):
        if match is None or match.score != game.scores:
            match = MatchState(record.length, record.ruleset, (), game.scores)
        games.append(_write_game(number, game, record, match, illegal(record, game) if illegal else None))
        if game.result is not None and match.winner is None:
            match = match.after(game.result)
    return text + "\n".join(games)


def not_kept_in_rows(record: MatchRecord) -> list[str]:
    """What such a file leaves out, one sentence each."""
    lost = [f"the name {name!r} is written as {row_name(name)!r}" for name in record.players if row_name(name) != name]
    if record.length and not record.ruleset.crawford:
        lost.append("that there is no Crawford game; programs take it that there is")
    if not record.length and record.ruleset.jacoby:
        lost.append("that Jacoby's rule holds; programs go by their own setting")
    for number, game in enumerate(record.games, start=1):
        if game.result is not None and game.result.ending is Ending.RESIGNED:
            lost.append(f"game {number}: that it was resigned, as a {game.result.win}; only the points are written")
        back = [turn for turn in game.turns if isinstance(turn, IllegalTurn) and not turn.stood]
        lost += [f"game {number}: {turn.player}'s illegal play of {turn.roll} that was taken back" for turn in back]
    return lost


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).replace('"', "'").split())


def row_name(text: str) -> str:
    """gnubg 1.07 aborts on an empty name, and reads a name up to the colon; names keep within their column."""
    return _clean(_clean(text).replace(":", " "))[:LEFT_WIDTH].strip() or "Anonymous"


def _write_game(number: int, game: GameRecord, record: MatchRecord, match: MatchState, illegal: IllegalText | None) -> str:
    if any(game.missing):
        raise CannotHold(f"game {number} was begun with too few checkers; .mat would count the missing ones as borne off")
    if game.start.checkers != START.checkers:
        raise CannotHold(f"game {number} is played with {game.start.checkers} checkers a side; .mat always has 15")
    if game.start != START:
        raise CannotHold(f"game {number} does not begin from the standard setup; .mat has no word for another")
    if game.start_cube != Cube():
        raise CannotHold(f"game {number} begins with a cube set by hand; .mat has no word for it")
    if game.automatic_doubles:
        raise CannotHold(f"game {number} begins with an automatic double; .mat has no word for it")
    left = f"{row_name(record.players[0])} : {game.scores[0]}"
    out = [f" Game {number}\n", f" {left:<31}{row_name(record.players[1])} : {game.scores[1]}\n"]
    row, open_row = 1, False
    for player, text in _cells(number, game, match, illegal):
        if open_row and text.startswith("Illegal play"):
            out.append(f"{text} ")  # in the right column, before what the right player then does
            continue
        if open_row and player is Player.A:
            out.append("\n")
            row, open_row = row + 1, False
        if not open_row:
            out.append(f"{row:3d}) {text if player is Player.A else '':<{LEFT_WIDTH}} ")
            open_row = True
        if player is Player.B:
            out.append(f"{text}\n")
            row, open_row = row + 1, False
    if game.result is not None:
        points = game.result.points
        words = f" Wins {points} point{'' if points == 1 else 's'}"
        last = game.turns[-1] if game.turns else None
        if isinstance(last, Drop) and last.player is Player.A:
            out.append(f"{words} \n")
        else:
            out.append("\n" if open_row else "")
            out.append(f"{' ' * (5 if game.result.winner is Player.A else 33)}{words}\n")
    elif open_row:
        out.append("\n")
    return "".join(out)


def _cells(number: int, game: GameRecord, match: MatchState, illegal: IllegalText | None) -> list[tuple[Player, str]]:
    """The text of each turn, the game being replayed."""
    state = GameState(match, game.start, game.missing)
    cells: list[tuple[Player, str]] = []
    for n, turn in enumerate(game.turns):
        where = f"game {number}, turn {n + 1}: "
        if isinstance(turn, Double | Beaver):
            state = state.as_it_happened(type(turn)(turn.player))
            value = state.cube.stake
            if turn.value not in (0, value):
                raise CannotHold(f"{where}the cube goes to {value} here, not to {turn.value}")
            cells.append((turn.player, f" {'Doubles' if isinstance(turn, Double) else 'Beavers'} => {value}"))
            continue
        if isinstance(turn, Take | Drop):
            cells.append((turn.player, " Takes" if isinstance(turn, Take) else " Drops"))
        elif isinstance(turn, IllegalTurn):
            if turn.stood:
                if illegal is None:
                    raise CannotHold(f"{where}{turn.player}'s illegal play of {turn.roll} stood; .mat would replay it to a wrong board")
                if not isinstance(turn.result, Position):
                    raise CannotHold(f"{where}nobody knows the position after the illegal play of {turn.roll}")
                words = illegal(state.as_it_happened(turn), n)
                rolled = f"{turn.roll.first}{turn.roll.second}: "
                cells += [(turn.player, rolled), (turn.player, words)] if turn.player is Player.A else [(turn.player, rolled + words)]
        else:
            rolled = f"{turn.roll.first}{turn.roll.second}: "
            if isinstance(turn, RollTurn):
                # A reader cannot tell it from a dance unless the record ends here.
                if n != len(game.turns) - 1:
                    raise CannotHold(f"{where}{turn.roll} was rolled and not played, yet the game goes on")
                cells.append((turn.player, rolled))
                continue
            play = _play(turn, state.board, where)
            # gnubg leaves a space after each move but the fourth.
            cells.append((turn.player, rolled + steps(play.moves) + (" " if 0 < len(play.moves) < 4 else "")))
        state = state.as_it_happened(turn)
    return cells


def _play(turn: PlayTurn | DanceTurn, position: Position, where: str) -> Play:
    """The legal play of this turn, single moves in natural order."""
    plays = legal_plays(position, turn.player, turn.roll)
    moves: Play | tuple[Move, ...] | str = () if isinstance(turn, DanceTurn) else turn.moves
    found: Play | None = None
    if isinstance(moves, str):
        try:
            found = written_play(moves, position, turn.player, turn.roll)
        except NotationError as error:
            raise CannotHold(f"{where}{error}; .mat holds legal plays only") from None
    elif isinstance(moves, Play):
        found = plays.get(moves.result) or (Play((), position) if not plays and moves.result == position else None)
    elif moves:
        hops = [Hop((m.start, m.end), frozenset((m.end,)) if m.hit else frozenset()) for m in moves]
        found = find_play(hops, plays)
    elif not plays:
        found = Play((), position)
    if found is None:
        what = "this play is not legal" if moves else "there is a legal play"
        raise CannotHold(f"{where}{turn.player} rolled {turn.roll}, but {what}; .mat holds legal plays only")
    return found
