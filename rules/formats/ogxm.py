"""OGXM, the one file format that holds everything a table sees (research 2.7), through the library `ogxm` (docs/decisions/0006).

White is player A, Black player B. In the codec's numbering White travels from 1 up to 24: his own n-point is 25-n there, his bar 0;
Black's numbers are his own, his bar 25. A ply's colour is 1 for White and 0 for Black; a winner is 0 for White and 1 for Black.
An illegal play that stood is a set position that carries the dice and the illegal flag.

The library is an extra, `pip install gammonwatch[ogxm]`; without it both functions raise `MissingLibrary`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.cube import Cube
from rules.formats.gathering import Gathering, one_line, within
from rules.formats.ids import IdError, position_of
from rules.game import GameState
from rules.match import Ending, MatchState, Win
from rules.plays import Move, Roll, is_shut_out, legal_plays
from rules.position import BAR, CHECKERS, OFF, START, Player, Position
from rules.record import (
    AnyTurn,
    Beaver,
    CannotHold,
    DanceTurn,
    Double,
    Drop,
    FormatError,
    GameRecord,
    IllegalTurn,
    MatchRecord,
    PlayTurn,
    RollTurn,
    Take,
)
from rules.ruleset import RuleSet

MAGIC = b"OGXM"
_DICE = {pair: n for n, pair in enumerate((low, high) for low in range(1, 7) for high in range(low, 7))}
"""A roll's number: 0 for 1-1, 1 for 2-1, up to 20 for 6-6."""
_DOUBLE, _TAKE, _DROP, _OVER, _FINAL, _RESIGN, _RESIGN_MATCH = 21, 22, 23, (24, 25), 26, 27, 28
_FORFEIT, _NO_DICE, _SET, _BEAVER, _RACCOON, _PASS = 29, 30, 31, 32, 33, 37
_COLOURS = {Player.A: 1, Player.B: 0}
_WINNERS = {Player.A: 0, Player.B: 1}
_LEVELS = {"single": Win.SINGLE, "gammon": Win.GAMMON, "backgammon": Win.BACKGAMMON}
_DEFAULT_LIMIT = 1024
"""What the codec takes the cube's limit to be when a file says nothing."""

Ply = dict[str, Any]


class MissingLibrary(RuntimeError):
    """The library `ogxm` is not installed."""

    def __init__(self) -> None:
        super().__init__("OGXM needs the library ogxm: pip install 'gammonwatch[ogxm]'")


def _codec() -> Any:
    try:
        import ogxm
    except ImportError:
        raise MissingLibrary from None
    return ogxm


# --- writing ---


def write_ogxm(record: MatchRecord) -> bytes:
    """The whole file; raises `CannotHold`, `MissingLibrary`."""
    codec = _codec()
    document = _document(record)
    problem = codec.v2_problem(document)
    if problem is None:
        try:
            data: bytes = codec.json_to_binary(document)
            again = codec.binary_to_json(data)
        except codec.OgxmError as error:
            raise CannotHold(f"OGXM cannot hold this match: {error}") from None
        if again["replay_complete"]:
            return data
        problem = f"its own replay stops in game {again['replay_failed_game'] + 1}"
    raise CannotHold(f"OGXM cannot hold this match: {problem}")


def not_kept_in_ogxm(record: MatchRecord) -> list[str]:
    """What the file leaves out, one sentence each."""
    lost = [f"the tag {key!r} has no place in OGXM" for key, _ in record.tags if key != "Event"]
    rolls = any(isinstance(turn, PlayTurn | DanceTurn) and turn.roll.first < turn.roll.second for game in record.games for turn in game.turns)
    if rolls:
        lost.append("the order in which two dice were rolled; OGXM keeps the numbers")
    for number, game in enumerate(record.games, start=1):
        back = [turn for turn in game.turns if isinstance(turn, IllegalTurn) and not turn.stood]
        lost += [f"game {number}: {turn.player}'s illegal play of {turn.roll} that was taken back" for turn in back]
    return lost


def _document(record: MatchRecord) -> dict[str, Any]:
    rules, money = record.ruleset, record.length == 0
    scores = record.games[0].scores if record.games else (0, 0)
    document: dict[str, Any] = {
        "ogxm": {"major": 2, "minor": 1},
        "variant": "backgammon",
        "match_length": record.length,
        "player_white": record.players[0],
        "player_black": record.players[1],
        "crawford": not money and rules.crawford,
        "jacoby": money and rules.jacoby,
    }
    if money:
        document |= {"beavers": rules.beavers, "raccoons": rules.raccoons}
    if rules.cube_limit:
        document["cube_limit"] = rules.cube_limit
    if any(scores):
        document |= {"white_score_start": scores[0], "black_score_start": scores[1]}
    event = dict(record.tags).get("Event")
    if event:
        document["event"] = event
    match = MatchState(record.length, rules, (), scores)
    games = []
    for number, game in enumerate(record.games, start=1):
        if game.scores != match.score:
            raise CannotHold(f"game {number} begins at {game.scores[0]}-{game.scores[1]}, but the games before it make {match.score[0]}-{match.score[1]}")
        if match.winner is not None:
            raise CannotHold(f"game {number} follows after the match was won")
        games.append(_write_game(number, game, match))
        if game.result is not None:
            match = match.after(game.result)
    return document | {"games": games}


def _write_game(number: int, game: GameRecord, match: MatchState) -> dict[str, Any]:
    if any(game.missing):
        raise CannotHold(f"game {number} was begun with too few checkers; OGXM would count the missing ones as borne off")
    if game.start.checkers != CHECKERS:
        raise CannotHold(f"game {number} is played with {game.start.checkers} checkers a side; OGXM's backgammon has 15")
    out: dict[str, Any] = {"game_index": number - 1, "plies": _plies(number, game, match)}
    if game.start != START:
        out["initial_board"] = _numbers(game.start)
    if game.start_cube.value > 1:
        out["initial_cube_value"] = game.start_cube.value
    if game.start_cube.owner is not None:
        out["initial_cube_owner"] = "white" if game.start_cube.owner is Player.A else "black"
    if game.automatic_doubles:
        out["auto_doubles"] = game.automatic_doubles
    result = game.result
    if result is not None:
        ending = {Ending.PLAYED: "played_out", Ending.DROPPED: "dropped", Ending.RESIGNED: "resigned"}[result.ending]
        out |= {"winner": _WINNERS[result.winner], "points_won": result.points, "termination": ending}
    return out


def _numbers(position: Position) -> list[int]:
    """26 counts as the codec numbers them: White's above zero, his bar at 0; Black's below zero, his bar at 25."""
    a, b = position.counts(Player.A), position.counts(Player.B)
    return [a[BAR], *(a[25 - p] - b[p] for p in range(1, 25)), -b[BAR]]


def _plies(number: int, game: GameRecord, match: MatchState) -> list[Ply]:
    state = GameState(match, game.start, game.missing, cube=game.first_cube)
    plies: list[Ply] = []
    for n, turn in enumerate(game.turns):
        where = f"game {number}, turn {n + 1}: "
        if isinstance(turn, IllegalTurn) and not turn.stood:
            continue
        if isinstance(turn, Double | Beaver | Take | Drop):
            plies += _cube_plies(where, turn, state)
        else:
            if state.on_turn is turn.player.other and is_shut_out(state.board, turn.player.other):
                plies.append({"action_id": _PASS, "color": _COLOURS[turn.player.other]})
            last = n == len(game.turns) - 1
            resigns = game.result is not None and game.result.ending is Ending.RESIGNED
            plies.append(_roll_ply(where, turn, state, last=last, resigns=resigns))
        state = state.as_it_happened(turn)
    result = game.result
    if result is not None and result.ending is Ending.RESIGNED:
        plies.append({"action_id": _RESIGN, "color": _COLOURS[result.winner.other], "resign_value": str(result.win)})
    return plies


def _cube_plies(where: str, turn: Double | Beaver | Take | Drop, state: GameState) -> list[Ply]:
    colour = _COLOURS[turn.player]
    if isinstance(turn, Take | Drop):
        if isinstance(turn, Take) and state.cube.kept_by is not None:
            return []  # whoever rolls on has taken the beaver
        return [{"action_id": _TAKE if isinstance(turn, Take) else _DROP, "color": colour}]
    value = state.as_it_happened(replace(turn, value=0)).cube.stake
    if turn.value not in (0, value):
        raise CannotHold(f"{where}the cube goes to {value} here, not to {turn.value}")
    if isinstance(turn, Beaver):
        return [{"action_id": _BEAVER if state.cube.kept_by is None else _RACCOON, "color": colour}]
    return [{"action_id": _DOUBLE, "color": colour}]


def _roll_ply(where: str, turn: AnyTurn, state: GameState, *, last: bool, resigns: bool) -> Ply:
    assert isinstance(turn, PlayTurn | DanceTurn | RollTurn | IllegalTurn)
    roll, player = turn.roll, turn.player
    dice = {"action_id": _DICE[roll.low, roll.high], "color": _COLOURS[player], "d1": roll.low, "d2": roll.high}
    if isinstance(turn, RollTurn):
        if not last:
            raise CannotHold(f"{where}{roll} was rolled and not played, yet the game goes on")
        if resigns:
            return dice | {"moves": [], "unplayed_roll": True}
        return _set_ply(state.board, turn)
    if isinstance(turn, IllegalTurn) and not isinstance(turn.result, Position):
        raise CannotHold(f"{where}nobody knows the position after the illegal play of {roll}")
    after = state.as_it_happened(turn).board
    plays = legal_plays(state.board, player, roll)
    if after in plays:
        return dice | {"moves": [_step(move, player) for move in plays[after].moves]}
    if not plays and after == state.board:
        return dice | {"moves": []}
    return _set_ply(after, turn) | {"illegal": True}


def _set_ply(position: Position, turn: RollTurn | PlayTurn | DanceTurn | IllegalTurn) -> Ply:
    """The position set by hand, its dice in the order they fell; the colour is whose turn it is then."""
    dice = {"d1": turn.roll.first, "d2": turn.roll.second}
    return {"action_id": _SET, "color": _COLOURS[turn.player.other], **dice, "set_position": _numbers(position)}


def _step(move: Move, player: Player) -> dict[str, int]:
    return {"from": 25 - move.start if player is Player.A else move.start, "pips": move.pips}


# --- reading ---


def read_ogxm(data: bytes) -> MatchRecord:
    """A match from either major version; raises `FormatError` (line 0: the file has no lines), `MissingLibrary`."""
    codec = _codec()
    if data[:4] != MAGIC:
        raise FormatError(0, f"expected a file that begins with OGXM, found {data[:4]!r}")
    try:
        document = codec.binary_to_json(data)
    except (codec.OgxmError, ValueError) as error:
        raise FormatError(0, f"this is no whole OGXM file: {error}") from None
    return _match(document)


def _match(document: dict[str, Any]) -> MatchRecord:
    if document.get("variant", "backgammon") != "backgammon":
        raise FormatError(0, f"expected backgammon, found {str(document['variant'])[:30]!r}")
    length = int(document.get("match_length", 0))
    games_in = document.get("games", [])
    within(0, len(games_in))
    limit = int(document.get("cube_limit", 0))
    rules = RuleSet(
        "money" if not length else "club",
        crawford=bool(length) and bool(document.get("crawford")),
        jacoby=not length and bool(document.get("jacoby")),
        beavers=not length and bool(document.get("beavers")),
        raccoons=not length and bool(document.get("beavers") and document.get("raccoons")),
        automatic_doubles=max((int(game.get("auto_doubles", 0)) for game in games_in), default=0) if not length else 0,
        cube_limit=limit if limit != _DEFAULT_LIMIT and limit.bit_count() == 1 else 0,
    )
    score = (int(document.get("white_score_start", 0)), int(document.get("black_score_start", 0)))
    games: list[GameRecord] = []
    remarks: list[str] = []
    for number, one in enumerate(games_in, start=1):
        game = _read_game(number, one, length, rules, score, remarks)
        games.append(game)
        if game.result is not None:
            side = game.result.winner.side
            score = (score[0] + game.result.points * (side == 0), score[1] + game.result.points * (side == 1))
    players = (one_line(str(document.get("player_white", ""))), one_line(str(document.get("player_black", ""))))
    tags = [("Event", one_line(str(document["event"])))] if document.get("event") else []
    return MatchRecord(players, length, tuple(games), tuple(tags), rules, tuple(remarks))


def _read_game(number: int, one: dict[str, Any], length: int, rules: RuleSet, score: tuple[int, int], remarks: list[str]) -> GameRecord:
    start = START
    if "initial_board" in one:
        start = _position(f"game {number}", one["initial_board"])
    owner = {"white": Player.A, "black": Player.B}.get(str(one.get("initial_cube_owner")))
    try:
        cube = Cube(int(one.get("initial_cube_value", 1)), owner)
    except ValueError as error:
        raise FormatError(0, f"game {number}: {error}") from None
    automatic = int(one.get("auto_doubles", 0))
    if automatic > 64:
        raise FormatError(0, f"game {number}: expected a few automatic doubles, found {automatic}")
    game = Gathering(length, rules, score, start, cube, automatic, bool(one.get("is_crawford")) if length else None, rolls_set_by_hand=False)
    level: Win | None = None
    for n, ply in enumerate(one.get("plies", []), start=1):
        level = _read_ply(f"game {number}, ply {n}: ", ply, game, remarks) or level
    if one.get("winner") not in (0, 1):
        return game.record()
    winner = Player.A if one["winner"] == 0 else Player.B
    points = int(one.get("points_won", 0))
    ended = game.state.result
    if ended is not None:
        return game.record(replace(ended, points=points) if points else ended)
    if level is not None:
        return game.record(replace(game.state.match.resigned(game.state.cube, winner.other, level), points=points or 1))
    return game.record(game.resigned(winner, points) if points else None)


def _read_ply(where: str, ply: Ply, game: Gathering, remarks: list[str]) -> Win | None:
    """Add one ply; a resignation gives its level."""
    action = int(ply.get("action_id", -1))
    player = Player.A if ply.get("color") == 1 else Player.B
    if 0 <= action <= 20:
        roll = _roll(where, ply, high_first=True)
        # The codec says so of a dance before a resignation too.
        if ply.get("unplayed_roll") and legal_plays(game.state.board, player, roll):
            game.add(RollTurn(player, roll))
        else:
            _played(where, ply, player, roll, game)
    elif action in (_DOUBLE, _BEAVER, _RACCOON):
        try:
            game.doubled(0, player)
        except FormatError as error:
            raise FormatError(0, f"{where}{error.sentence}") from None
    elif action in (_TAKE, _DROP):
        game.answered(player, takes=action == _TAKE)
    elif action == _SET and "d1" in ply:
        _set_position(where, ply, player.other, game)
    elif action in (_RESIGN, _RESIGN_MATCH):
        return _LEVELS.get(str(ply.get("resign_value")), Win.SINGLE)
    elif action not in (*_OVER, _FINAL, _PASS, _NO_DICE, _FORFEIT):
        raise FormatError(0, f"{where}a position or cube set by hand, or action {action}, is not kept in our records")
    elif action == _FORFEIT:
        remarks.append(f"{where}the match was forfeited; that is not kept")
    return None


def _roll(where: str, ply: Ply, *, high_first: bool) -> Roll:
    dice = [int(ply.get("d1", 0)), int(ply.get("d2", 0))]
    if high_first:
        dice.sort(reverse=True)  # the order they fell in is not kept in a file
    try:
        return Roll(dice[0], dice[1])
    except ValueError as error:
        raise FormatError(0, f"{where}{error}") from None


def _played(where: str, ply: Ply, player: Player, roll: Roll, game: Gathering) -> None:
    moves = []
    for step in ply.get("moves", []):
        start, pips = int(step["from"]), int(step["pips"])
        own = 25 - start if player is Player.A else start
        if not 1 <= own <= BAR:
            raise FormatError(0, f"{where}there is no point {start} to move from")
        moves.append(f"{own}/{max(own - pips, OFF)}")
    try:
        game.rolled(0, player, roll, " ".join(moves))
    except FormatError as error:
        raise FormatError(0, f"{where}{error.sentence}") from None


def _set_position(where: str, ply: Ply, player: Player, game: Gathering) -> None:
    roll = _roll(where, ply, high_first=False)
    position = _position(where.rstrip(": "), ply.get("set_position", []))
    if position == game.state.board and not ply.get("illegal"):
        game.add(RollTurn(player, roll))
    else:
        game.add(game.state.legal_turn(player, roll, position))


def _position(where: str, numbers: list[int]) -> Position:
    if len(numbers) != 26:
        raise FormatError(0, f"{where}: a position has 26 numbers, not {len(numbers)}")
    a = [0, *(max(numbers[25 - p], 0) for p in range(1, 25)), max(numbers[0], 0)]
    b = [0, *(max(-numbers[p], 0) for p in range(1, 25)), max(-numbers[25], 0)]
    a[OFF], b[OFF] = CHECKERS - sum(a), CHECKERS - sum(b)
    try:
        return position_of(a, b, f"{where}: this is no position")
    except IdError as error:
        raise FormatError(0, str(error)) from None
