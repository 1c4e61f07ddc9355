"""SGF as GNU Backgammon writes it (GM[6]; research 2.5, red-bean.com/sgf/backgammon.html), read generously and written strictly.

White is player A (gnubg's player 0). Points are letters, a to x, seen from White: a is his 1-point; y is the bar, z off.
An illegal play that stood is a legal play of the same roll with the position it really led to set by hand after it, as gnubg does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rules.cube import Cube
from rules.formats.gathering import MOST_GAMES, Gathering, one_line, within
from rules.game import GameState
from rules.match import Ending, GameResult, MatchState
from rules.plays import Move, Roll, legal_plays, winner
from rules.position import BAR, CHECKERS, OFF, START, Player, Position, PositionError
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

Node = dict[str, list[str]]

_NACK = (0, 0, 0, 0, 0, 0, 4, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0)
NACKGAMMON = Position.from_counts(_NACK, _NACK)
"""Two on the 24-point, two on the 23, four on the 13, three on the 8, four on the 6."""
_TAGS = {"Event": "EV", "Site": "PC", "EventDate": "DT", "Round": "RO", "Transcriber": "US", "Comment": "GC"}
"""What `.mat` calls by a word and SGF by two letters."""
_SIDES = {"W": Player.A, "B": Player.B}
_LETTERS = {player: letter for letter, player in _SIDES.items()}


def _letter(point: int, player: Player) -> str:
    """A player's own point as SGF writes it."""
    if point == BAR:
        return "y"
    if point == OFF:
        return "z"
    return chr(ord("a") + (point if player is Player.A else 25 - point) - 1)


def _point(letter: str, player: Player) -> int:
    if letter == "y":
        return BAR
    if letter == "z":
        return OFF
    white = ord(letter) - ord("a") + 1
    return white if player is Player.A else 25 - white


# --- the text ---

_DEEPEST = 1000
"""Variations within variations; gnubg writes one line of play and none."""
_TOKEN = re.compile(r"\s*(?:([A-Za-z]+)\s*(?=\[)|([();]))", re.ASCII)
_VALUE = re.compile(r"\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def parse_sgf(text: str) -> list[list[tuple[int, Node]]]:
    """The main line of each game tree, as (line, properties) a node; variations are passed over. Raises `FormatError`."""
    games: list[list[tuple[int, Node]]] = []
    line, place, depth = 1, 0, 0
    closed = 0
    """Depth from which everything is a side line: the first child is the main line, a later one is not."""
    skip_at: int | None = None
    text = text.removeprefix("\ufeff")
    while place < len(text):
        token = _TOKEN.match(text, place)
        if not token:
            rest = text[place:].strip()
            if not rest:
                break
            line += text.count("\n", place, len(text) - len(text[place:].lstrip()))
            raise FormatError(line, f'expected "(", ";", a property such as "B[31hefe]" or ")", found {rest[:30]!r}')
        line += text.count("\n", place, token.end())
        place = token.end()
        name, sign = token[1], token[2]
        if sign == "(":
            depth += 1
            if depth > _DEEPEST:
                raise FormatError(line, f"the variations are nested more than {_DEEPEST} deep")
            if depth == 1:
                games.append([])
                closed = 0
            elif closed >= depth and skip_at is None:
                skip_at = depth
            continue
        if depth == 0:
            raise FormatError(line, 'expected "(" where a game begins')
        if sign == ")":
            if skip_at == depth:
                skip_at = None
            elif skip_at is None:
                closed = max(closed, depth)
            depth -= 1
            continue
        if sign == ";":
            if skip_at is None:
                games[-1].append((line, {}))
            continue
        values: list[str] = []
        while value := _VALUE.match(text, place):
            values.append(_unescaped(value[1]))
            line += text.count("\n", place, value.end())
            place = value.end()
        if not values:
            raise FormatError(line, f"the value of {name[:20]} does not end: expected a closing bracket")
        if skip_at is None:
            if not games[-1]:
                raise FormatError(line, f'expected ";" before {name[:20]}')
            games[-1][-1][1].setdefault(name.upper(), []).extend(values)
    if depth:
        raise FormatError(line, 'the text ends within a game: expected ")"')
    return games


def _unescaped(text: str) -> str:
    # A backslash before a line's end makes it vanish (FF[4]); before anything else it takes its meaning away.
    return re.sub(r"\\(\r\n|\n\r|\n|\r|.)", lambda found: "" if found[1][0] in "\r\n" else found[1], text, flags=re.DOTALL)


def _escaped(text: str, *, colon: bool = False) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    return re.sub(r"[\\\]:]" if colon else r"[\\\]]", lambda found: "\\" + found[0], plain)


# --- reading ---


def read_sgf(text: str) -> MatchRecord:
    """A match, one game tree a game; raises `FormatError` with the line."""
    trees = [tree for tree in parse_sgf(text) if tree]
    if not trees:
        raise FormatError(text.count("\n") + 1, 'expected a game such as "(;FF[4]GM[6]..." before the end of the text')
    within(trees[min(len(trees) - 1, MOST_GAMES)][0][0], len(trees))
    games: list[GameRecord] = []
    remarks: list[str] = []
    line, first = trees[0][0]
    info = _match_info(line, first)
    rules = _rules(first, info.get("length", 0))
    for tree in trees:
        game, said = _read_game(tree, rules)
        games.append(game)
        remarks += said
    players = (one_line(_one(first, "PW")), one_line(_one(first, "PB")))
    tags = [(word, _one(first, letters)) for word, letters in _TAGS.items() if _one(first, letters)]
    return MatchRecord(players, info.get("length", 0), tuple(games), tuple(tags), rules, tuple(remarks))


def _one(node: Node, name: str) -> str:
    return " ".join(node.get(name, [""])[0].split())


def _match_info(line: int, node: Node) -> dict[str, int]:
    """MI[length:7][game:0][ws:0][bs:0]."""
    if _one(node, "GM") not in ("6", ""):
        raise FormatError(line, f"expected backgammon, GM[6], found GM[{_one(node, 'GM')[:10]}]")
    info: dict[str, int] = {}
    for item in node.get("MI", []):
        key, _, value = item.partition(":")
        if key.strip() in ("length", "game", "ws", "bs"):
            if not re.fullmatch(r"\s*[0-9]{1,5}\s*", value):
                raise FormatError(line, f"expected a number after MI[{key.strip()}:, found {value[:20]!r}")
            info[key.strip()] = int(value.strip())
    return info


def _rules(node: Node, length: int) -> RuleSet:
    items = _rule_items(node)
    if length:
        return RuleSet(crawford="crawford" in items)
    # SGF says nothing of beavers, so a money game may have them.
    return RuleSet("money", crawford=False, jacoby="jacoby" in items, beavers=True, raccoons=True)


def _rule_items(node: Node) -> set[str]:
    return {item.strip().lower() for value in node.get("RU", []) for item in value.split(":")}


def _start(line: int, items: set[str]) -> Position:
    if "nackgammon" in items:
        return NACKGAMMON
    hyper = next((item for item in sorted(items) if re.fullmatch(r"hypergammon[123]", item)), None)
    if hyper:
        men = int(hyper[-1])
        counts = [0] * (25 - men) + [1] * men + [0]
        return Position.from_counts(counts, counts, men)
    return START


def _read_game(tree: Sequence[tuple[int, Node]], rules: RuleSet) -> tuple[GameRecord, list[str]]:
    line, root = tree[0]
    info, items = _match_info(line, root), _rule_items(root)
    length = info.get("length", 0)
    game = Gathering(length, rules, (info.get("ws", 0), info.get("bs", 0)), _start(line, items))
    game.crawford = ("crawfordgame" in items) if length else None
    if "CV" in root:
        game.automatic_doubles = _cube_value(line, root).bit_length() - 1
    turn_of: Player | None = None
    for number, node in tree:
        turn_of = _set_up(number, node, game, turn_of, root=node is root)
        turn_of = _played(number, node, game, turn_of)
    return game.record(_result(line, root, game)), game.remarks


def _set_up(line: int, node: Node, game: Gathering, turn_of: Player | None, *, root: bool) -> Player | None:
    """Whatever was set by hand: whose turn, the cube, the checkers, the dice."""
    if "PL" in node:
        turn_of = _side(line, _one(node, "PL"))
    if {"AW", "AB", "AE"} & set(node):
        position = _placed(line, node, game.state.board)
        if not game.begins(position, game.start_cube):
            game.stands(line, position)
    cube = game.start_cube
    if "CV" in node and not root:
        cube = replace(cube, value=_cube_value(line, node))
    for name in {"CP", "CO"} & set(node):
        owner = _one(node, name).lower()
        if owner not in ("w", "b", "c"):
            raise FormatError(line, f"expected {name}[w], {name}[b] or {name}[c], found {name}[{owner[:10]}]")
        cube = replace(cube, owner=_SIDES.get(owner.upper()))
    if cube != game.start_cube and not game.begins(game.start, cube):
        game.remarks.append(f"line {line}: the cube was set by hand in the middle of the game; that is left out")
    if "DI" in node:
        dice = _one(node, "DI")
        if not re.fullmatch("[1-6][1-6]", dice):
            raise FormatError(line, f"expected DI[] with two dice, found DI[{dice[:10]}]")
        game.add(RollTurn(turn_of or Player.A, Roll(int(dice[0]), int(dice[1]))))
    return turn_of


def _side(line: int, text: str) -> Player:
    side = _SIDES.get(text[:1].upper())
    if side is None:
        raise FormatError(line, f"expected PL[W] or PL[B], found PL[{text[:10]}]")
    return side


def _cube_value(line: int, node: Node) -> int:
    text = _one(node, "CV")
    if not re.fullmatch("[0-9]{1,9}", text) or int(text).bit_count() != 1:
        raise FormatError(line, f"expected CV[] with 1, 2, 4, 8 and so on, found CV[{text[:12]}]")
    return int(text)


def _placed(line: int, node: Node, before: Position) -> Position:
    """AE empties points, AW and AB add a checker each."""
    counts = {player: list(before.counts(player)) for player in Player}
    for value in node.get("AE", []):
        first, _, last = value.partition(":")
        if not re.fullmatch("[a-y](:[a-y])?", value):
            raise FormatError(line, f"expected points to empty such as AE[a:y], found AE[{value[:10]}]")
        for letter in range(ord(first), ord(last or first) + 1):
            for player in Player:
                counts[player][_point(chr(letter), player)] = 0
    for name, player in (("AW", Player.A), ("AB", Player.B)):
        for value in node.get(name, []):
            if not re.fullmatch("[a-y]", value):
                raise FormatError(line, f"expected a point a to y, found {name}[{value[:10]}]")
            counts[player][_point(value, player)] += 1
    for player in Player:
        counts[player][OFF] = 0
        counts[player][OFF] = before.checkers - sum(counts[player])
    try:
        return Position.from_counts(counts[Player.A], counts[Player.B], before.checkers)
    except PositionError as error:
        raise FormatError(line, f"what was set by hand is no position: {str(error).replace('A ', 'White ').replace('B ', 'Black ')}") from None


_MOVE = re.compile(r"([1-6])([1-6])((?:[a-y][a-z]){0,4})")


def _played(line: int, node: Node, game: Gathering, turn_of: Player | None) -> Player | None:
    for name, player in _SIDES.items():
        for value in node.get(name, []):
            text = "".join(value.split())
            word = text.lower()
            if word in ("double", "redouble", "beaver", "raccoon"):
                game.doubled(line, player)
            elif word in ("take", "accept"):
                game.answered(player, takes=True)
            elif word in ("drop", "pass", "reject"):
                game.answered(player, takes=False)
            elif resigns := re.fullmatch("resign:([0-9]{1,9})", word):
                game.offer = (player, int(resigns[1]))
            else:
                move = _MOVE.fullmatch(text)
                if not move:
                    raise FormatError(line, f"expected dice and points such as {name}[31hefe], double, take or drop, found {name}[{value[:20]}]")
                pairs = [(_point(a, player), _point(b, player)) for a, b in zip(move[3][::2], move[3][1::2], strict=True)]
                game.rolled(line, player, Roll(int(move[1]), int(move[2])), " ".join(f"{a}/{b}" for a, b in pairs))
                turn_of = player.other
    return turn_of


def _result(line: int, root: Node, game: Gathering) -> GameResult | None:
    """RE[W+2], RE[B+1R], RE[W+2Resign]; anything else says nothing."""
    text = _one(root, "RE")
    found = re.fullmatch(r"([WB])\+([0-9]{1,9})(R(?:esign)?)?", text, re.IGNORECASE | re.ASCII)
    if not found or found[2].strip("0") == "":
        if text not in ("", "?", "Void"):
            game.remarks.append(f"line {line}: the result {text[:20]!r} says nobody won")
        return None
    winner, points = _SIDES[found[1].upper()], int(found[2])
    if game.state.result is not None:
        return replace(game.state.result, points=points)
    return replace(game.resigned(winner, points), ending=Ending.RESIGNED)


# --- writing ---


def write_sgf(record: MatchRecord) -> str:
    """The whole file; raises `CannotHold`."""
    out = []
    match: MatchState | None = None
    for number, game in enumerate(record.games, start=1):
        if match is None or match.score != game.scores:
            match = MatchState(record.length, record.ruleset, (), game.scores)
        out.append(_write_game(number, game, record, match))
        if game.result is not None and match.winner is None:
            match = match.after(game.result)
    return "\n".join(out)


def not_kept_in_sgf(record: MatchRecord) -> list[str]:
    """What the file leaves out, one sentence each."""
    return [f"the tag {key!r} has no place in SGF" for key, _ in record.tags if key not in _TAGS]


def _write_game(number: int, game: GameRecord, record: MatchRecord, match: MatchState) -> str:
    if any(game.missing):
        raise CannotHold(f"game {number} was begun with too few checkers; SGF would count the missing ones as borne off")
    if game.start.checkers != CHECKERS:
        raise CannotHold(f"game {number} is played with {game.start.checkers} checkers a side; gnubg's SGF always has 15")
    crawford = match.crawford if game.crawford is None else game.crawford
    rules = ["Crawford"] * record.ruleset.crawford if record.length else ["Jacoby"] * record.ruleset.jacoby
    rules += ["CrawfordGame"] * bool(record.length and crawford)
    root = "FF[4]GM[6]CA[UTF-8]AP[gammonwatch]"
    root += f"MI[length:{record.length}][game:{number - 1}][ws:{game.scores[0]}][bs:{game.scores[1]}]"
    root += f"PW[{_escaped(record.players[0])}]PB[{_escaped(record.players[1])}]"
    said = dict(record.tags)
    root += "".join(f"{letters}[{_escaped(said[word])}]" for word, letters in _TAGS.items() if said.get(word))
    root += f"RU[{':'.join(rules)}]" if rules else ""
    root += f"CV[{1 << game.automatic_doubles}]" if game.automatic_doubles else ""
    if game.result is not None:
        result = game.result
        root += f"RE[{_LETTERS[result.winner]}+{result.points}{'R' if result.ending is Ending.RESIGNED else ''}]"
    nodes = [root]
    if game.start_cube != Cube():
        nodes += [f"CP[{'c' if game.start_cube.owner is None else _LETTERS[game.start_cube.owner].lower()}]", f"CV[{game.start_cube.value}]"]
    if game.start != START:
        first = next((turn.player for turn in game.turns), Player.A)
        nodes.append(_set_position(game.start, first))
    nodes += _nodes(number, game, match)
    return "(" + "\n".join(f";{node}" for node in nodes) + ")\n"


def _set_position(position: Position, on_turn: Player) -> str:
    placed = ""
    for player in Player:
        men = "".join(f"[{_letter(p, player)}]" * n for p, n in enumerate(position.counts(player)) if p)
        placed += f"A{_LETTERS[player]}{men}" if men else ""
    return f"PL[{_LETTERS[on_turn]}]AE[a:y]{placed}"


def _nodes(number: int, game: GameRecord, match: MatchState) -> Iterator[str]:
    state = GameState(match, game.start, game.missing, cube=game.first_cube)
    for n, turn in enumerate(game.turns):
        where = f"game {number}, turn {n + 1}: "
        side = _LETTERS[turn.player]
        if isinstance(turn, IllegalTurn) and not turn.stood:
            continue
        if isinstance(turn, Double | Beaver):
            value = state.as_it_happened(replace(turn, value=0)).cube.stake
            if turn.value not in (0, value):
                raise CannotHold(f"{where}the cube goes to {value} here, not to {turn.value}")
            yield f"{side}[double]"
        elif isinstance(turn, Take | Drop):
            yield f"{side}[{'take' if isinstance(turn, Take) else 'drop'}]"
        else:
            # `.mat` leaves out the take after a beaver; SGF does not.
            if state.cube.offered_by is not None:
                yield f"{_LETTERS[state.cube.offered_by.other]}[take]"
            yield from _roll_nodes(where, turn, state, last=n == len(game.turns) - 1)
        state = state.as_it_happened(turn)


def _roll_nodes(where: str, turn: AnyTurn, state: GameState, *, last: bool) -> Iterator[str]:
    assert isinstance(turn, PlayTurn | DanceTurn | RollTurn | IllegalTurn)
    side, roll = _LETTERS[turn.player], turn.roll
    if isinstance(turn, RollTurn):
        if not last:
            raise CannotHold(f"{where}{roll} was rolled and not played, yet the game goes on")
        yield f"PL[{side}]DI[{roll.first}{roll.second}]"
        return
    after = state.as_it_happened(turn).board
    if isinstance(turn, IllegalTurn) and not isinstance(turn.result, Position):
        raise CannotHold(f"{where}nobody knows the position after the illegal play of {roll}")
    plays = legal_plays(state.board, turn.player, roll)
    if after in plays:
        yield _move_node(turn.player, roll, plays[after].moves)
        return
    # The legal play is only there to carry the roll, so it must not end the game; the position after it is what counts (E2).
    carrier = next((play.moves for result, play in plays.items() if winner(result) is None), ())
    yield _move_node(turn.player, roll, carrier)
    if plays or after != state.board:
        yield _set_position(after, turn.player.other)


def _move_node(player: Player, roll: Roll, moves: Sequence[Move]) -> str:
    pairs = "".join(_letter(move.start, player) + _letter(move.end, player) for move in moves)
    return f"{_LETTERS[player]}[{roll.first}{roll.second}{pairs}]"
