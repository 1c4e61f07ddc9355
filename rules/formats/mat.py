"""`.mat` match files (research 2.4): written strictly as gnubg writes them, read generously in three dialects
(gnubg; Backgammon Galaxy; Backgammon Studio and XG).

The left column is player A. Writing replays each game: what the format cannot hold is refused with the reason, since gnubg
would otherwise show a wrong board for the rest of the game.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.cube import Cube
from rules.match import Ending, GameResult, Win, game_result
from rules.notation import Hop, NotationError, apply_hops, find_play, parse_hops, parse_play, steps
from rules.plays import Move, Play, Roll, legal_plays, winner
from rules.position import START, Board, Player, Position

LEFT_WIDTH = 27
"""Width of the left column's text, so that the right one starts at column 33."""


class CannotHold(ValueError):
    """The format cannot express this game."""


class FormatError(ValueError):
    """The text is no match file; names the line and what was expected."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """A roll and its play: notation, single moves, or a `Play`. No moves is a dance."""

    player: Player
    roll: Roll
    moves: Play | tuple[Move, ...] | str = ()


@dataclass(frozen=True, slots=True)
class DanceTurn:
    """A roll that cannot be played."""

    player: Player
    roll: Roll


@dataclass(frozen=True, slots=True)
class RollTurn:
    """A roll after which nothing was played: the game was resigned, or the record ends there."""

    player: Player
    roll: Roll


@dataclass(frozen=True, slots=True)
class IllegalTurn:
    """An illegal play. One that stood (clause E2) decides the position from then on; one that was taken back (E3) leaves no trace."""

    player: Player
    roll: Roll
    result: Position | Board | None
    stood: bool = True
    text: str = ""
    """The play as it was written, when it comes from a file."""


@dataclass(frozen=True, slots=True)
class Double:
    player: Player
    value: int = 0
    """The new value, once taken; 0 to have it worked out."""


@dataclass(frozen=True, slots=True)
class Beaver:
    """A beaver, or a raccoon in answer to one."""

    player: Player
    value: int = 0


@dataclass(frozen=True, slots=True)
class Take:
    player: Player


@dataclass(frozen=True, slots=True)
class Drop:
    player: Player


AnyTurn = PlayTurn | DanceTurn | RollTurn | IllegalTurn | Double | Beaver | Take | Drop


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. Two turns running by one player mean that the other was shut out and did not roll (clause M5)."""

    scores: tuple[int, int]
    """(A, B) before the game."""
    turns: Sequence[AnyTurn]
    result: GameResult | None = None
    """None while the game is unfinished."""
    start: Position = START
    automatic_doubles: int = 0
    stated_points: int | None = None
    """The points a file gave; programs cap them at the match length, or err, so `result` is worked out from board and cube."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    players: tuple[str, str]
    """(A: left column, B)."""
    length: int
    """0 for money."""
    games: Sequence[GameRecord]
    tags: Sequence[tuple[str, str]] = ()
    """`; [key "value"]` lines."""


# --- writing ---


def write_mat(record: MatchRecord) -> str:
    """The whole file; raises `CannotHold`."""
    text = "".join(f'; [{_clean(key).strip("[]")} "{_clean(value)}"]\n' for key, value in record.tags)
    if text:
        text += "\n"
    text += f" {record.length} point match\n\n"
    return text + "\n".join(_write_game(number, game, record) for number, game in enumerate(record.games, start=1))


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).replace('"', "'").split())


def _name(text: str) -> str:
    """gnubg 1.07 aborts on an empty name, and reads a name up to the colon; names keep within their column."""
    return _clean(_clean(text).replace(":", " "))[:LEFT_WIDTH].strip() or "Anonymous"


def _write_game(number: int, game: GameRecord, record: MatchRecord) -> str:
    if game.start.checkers != START.checkers:
        raise CannotHold(f"game {number} is played with {game.start.checkers} checkers a side; .mat always has 15")
    if game.start != START:
        raise CannotHold(f"game {number} does not begin from the standard setup; .mat has no word for another")
    if game.automatic_doubles:
        raise CannotHold(f"game {number} begins with an automatic double; .mat has no word for it")
    left = f"{_name(record.players[0])} : {game.scores[0]}"
    out = [f" Game {number}\n", f" {left:<31}{_name(record.players[1])} : {game.scores[1]}\n"]
    row, open_row = 1, False
    for player, text in _cells(number, game):
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


def _cells(number: int, game: GameRecord) -> list[tuple[Player, str]]:
    """The text of each turn, the game being replayed."""
    position, value = game.start, 1
    cells: list[tuple[Player, str]] = []
    for n, turn in enumerate(game.turns):
        where = f"game {number}, turn {n + 1}: "
        if isinstance(turn, IllegalTurn):
            if turn.stood:
                raise CannotHold(f"{where}{turn.player}'s illegal play of {turn.roll} stood; .mat would replay it to a wrong board")
            continue
        if isinstance(turn, Double | Beaver):
            value *= 2
            if turn.value not in (0, value):
                raise CannotHold(f"{where}the cube goes to {value} here, not to {turn.value}")
            cells.append((turn.player, f" {'Doubles' if isinstance(turn, Double) else 'Beavers'} => {value}"))
        elif isinstance(turn, Take | Drop):
            cells.append((turn.player, " Takes" if isinstance(turn, Take) else " Drops"))
        else:
            rolled = f"{turn.roll.first}{turn.roll.second}: "
            if isinstance(turn, RollTurn):
                # A reader cannot tell it from a dance unless the record ends here.
                if n != len(game.turns) - 1:
                    raise CannotHold(f"{where}{turn.roll} was rolled and not played, yet the game goes on")
                cells.append((turn.player, rolled))
                continue
            play = _play(turn, position, where)
            position = play.result
            # gnubg leaves a space after each move but the fourth.
            cells.append((turn.player, rolled + steps(play.moves) + (" " if 0 < len(play.moves) < 4 else "")))
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


def written_play(text: str, position: Position, player: Player, roll: Roll) -> Play:
    """As `parse_play`, but what is written is carried out literally first: Galaxy writes one step a die and no stars, so
    "18/16 16/15" hits on the 16-point although nothing says so."""
    hops = parse_hops(text)
    if hops:
        result = apply_hops(hops, position, player)
        plays = legal_plays(position, player, roll)
        if result is not None and result in plays:
            return plays[result]
    return parse_play(text, position, player, roll)


# --- reading ---

_LONGEST = 2000
"""No line of a match file is longer; it keeps the patterns' work bounded."""

_TAG = re.compile(r";\s*\[([^\"\]]*)\"([^\"]*)\"\s*\]")
_LENGTH = re.compile(r"\s*(\d{1,5})\s+point\s+match\b", re.IGNORECASE | re.ASCII)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*", re.IGNORECASE | re.ASCII)
_SCORES = re.compile(r"(.*?)\s*:\s*(\d{1,6})\s+(.*?)\s*:\s*(\d{1,6})", re.ASCII)
_NUMBER = re.compile(r"\s*\d{1,6}\)", re.ASCII)
_CELL = re.compile(
    r"(?<!\S)(?:([1-6])([1-6]):|(Doubles|Redoubles|Beavers?|Raccoons?)\b\s*=>\s*(\d{1,10})|(Takes|Drops|Passes)\b"
    r"|(Wins|Losses|Loses)\s+(\d{1,9})\s+points?\b(?:\s+and the match\b)?)",
    re.IGNORECASE | re.ASCII,
)
_RIGHT_FROM = 15
"""A cell that starts this far behind the row number belongs to the right column; the left one starts at 1 or 2, the right at 28 or more."""


def read_mat(text: str) -> MatchRecord:
    """A match from any of the three dialects; raises `FormatError`. Plays that are not legal come as `IllegalTurn`."""
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.length: int | None = None
        self.players: tuple[str, str] | None = None
        self.games: list[GameRecord] = []
        self.game: _Game | None = None
        self.headed = False
        """The line after " Game n", with names and scores, has been read."""

    def read(self, text: str) -> MatchRecord:
        number = 0
        for number, raw in enumerate(re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")), start=1):
            if len(raw) > _LONGEST:
                raise FormatError(number, f"expected a line of a match file, found one of {len(raw)} characters")
            line = raw.expandtabs().rstrip()
            if line:
                self.line(number, line)
        self.close()
        if self.length is None:
            raise FormatError(number, 'expected a line such as "7 point match" before the end of the text')
        return MatchRecord(self.players or ("", ""), self.length, tuple(self.games), tuple(self.tags))

    def close(self) -> None:
        if self.game is not None:
            self.games.append(self.game.record(money=self.length == 0))

    def line(self, number: int, line: str) -> None:
        if line.lstrip().startswith(";"):
            tag = _TAG.match(line.strip())
            if tag:
                self.tags.append((tag[1].strip(), tag[2]))
            elif "set pos" in line.lower():
                raise FormatError(number, "this game starts from a position of its own, which is not read")
        elif self.length is None:
            length = _LENGTH.fullmatch(line)
            if not length:
                raise FormatError(number, f'expected a line such as "7 point match", found {line.strip()[:40]!r}')
            self.length = int(length[1])
        elif _GAME.fullmatch(line):
            self.close()
            self.game, self.headed = _Game(), False
        elif self.game is None:
            raise FormatError(number, f'expected "Game 1", found {line.strip()[:40]!r}')
        elif not self.headed:
            scores = _SCORES.fullmatch(line.strip())
            if not scores:
                raise FormatError(number, f'expected both names and scores, such as "Ann : 0   Bob : 0", found {line.strip()[:40]!r}')
            self.headed = True
            self.game.scores = (int(scores[2]), int(scores[4]))
            if self.players is None:
                self.players = (scores[1], scores[3])
        else:
            self.row(number, line, self.game)

    def row(self, number: int, line: str, game: _Game) -> None:
        head = _NUMBER.match(line)
        body = line[head.end() :] if head else line
        found = list(_CELL.finditer(body))
        before = (body[: found[0].start()] if found else body).strip()
        if before:
            raise FormatError(number, f'expected a roll such as "31: 8/5 6/5", a cube action or a result, found {before[:40]!r}')
        ends = [cell.start() for cell in found[1:]] + [len(body)]
        for cell, end in zip(found, ends[: len(found)], strict=True):
            player = Player.A if cell.start() < _RIGHT_FROM else Player.B
            game.cell(number, player, cell, body[cell.end() : end].strip(), in_row=head is not None)


class _Game:
    """A game while its rows are read."""

    def __init__(self) -> None:
        self.scores = (0, 0)
        self.turns: list[AnyTurn] = []
        self.position = START
        self.cube = Cube()
        self.stated: int | None = None
        self.winner: Player | None = None
        self.won = False
        """A "Wins" has been read; it counts more than a "Losses"."""

    def cell(self, number: int, player: Player, cell: re.Match[str], rest: str, *, in_row: bool) -> None:
        if cell[1]:
            self.roll(number, player, Roll(int(cell[1]), int(cell[2])), rest)
            return
        if rest:
            raise FormatError(number, f"expected nothing after {cell[0].strip()!r}, found {rest[:40]!r}")
        if cell[3]:
            self.double(number, player, cell[3].lower(), int(cell[4]))
        elif cell[5]:
            if cell[5].lower() == "takes":
                self.turns.append(Take(player))
                self.taken(player)
            else:
                self.turns.append(Drop(player))
        else:
            self.result(player, cell[6].lower(), int(cell[7]), in_row=in_row)

    def double(self, number: int, player: Player, word: str, value: int) -> None:
        if value < 2 or value & value - 1:
            raise FormatError(number, f"expected a cube of 2, 4, 8 and so on, found {value}")
        beaver = word.startswith(("beaver", "raccoon"))
        self.turns.append(Beaver(player, value) if beaver else Double(player, value))
        kept_by = (self.cube.kept_by or player) if beaver else None
        self.cube = Cube(value // 2, self.cube.owner, player, turned=True, kept_by=kept_by)

    def taken(self, player: Player) -> None:
        if self.cube.offered_by is not None:
            self.cube = Cube(self.cube.value * 2, self.cube.kept_by or player, turned=True)

    def result(self, player: Player, word: str, points: int, *, in_row: bool) -> None:
        if word == "wins":
            self.won, self.winner, self.stated = True, player, points
        elif not self.won:
            # Galaxy writes a "Losses" line of its own at the left margin, whoever lost; there a "Wins" line follows.
            self.winner, self.stated = (player.other if in_row else None), points

    def roll(self, number: int, player: Player, roll: Roll, text: str) -> None:
        # After a beaver no "Takes" is written; whoever rolls on has accepted it.
        if self.cube.offered_by is not None:
            self.taken(self.cube.offered_by.other)
        last = self.turns[-1] if self.turns else None
        if isinstance(last, IllegalTurn) and (last.player, last.roll) == (player, roll) and not parse_hops(last.text):
            self.turns.pop()  # gnubg writes a roll set by hand once more before its play
        if "?" in text and not text.strip("?. "):
            self.turns.append(RollTurn(player, roll))
            return
        try:
            play = written_play(text, self.position, player, roll)
        except NotationError as error:
            self.illegal(number, player, roll, text, error)
            return
        self.position = play.result
        self.turns.append(PlayTurn(player, roll, play) if play.moves else DanceTurn(player, roll))

    def illegal(self, number: int, player: Player, roll: Roll, text: str, error: NotationError) -> None:
        try:
            result = apply_hops(parse_hops(text), self.position, player)
        except NotationError:
            raise FormatError(number, str(error)) from None
        except ValueError:
            result = None
        if result is None:
            raise FormatError(number, f"{roll.first}{roll.second}: {text[:40]} cannot be carried out: there is no such checker, or no room")
        self.position = result
        self.turns.append(IllegalTurn(player, roll, result, text=text))

    def record(self, *, money: bool) -> GameRecord:
        last = self.turns[-1] if self.turns else None
        if isinstance(last, IllegalTurn) and not parse_hops(last.text):
            self.turns[-1] = RollTurn(last.player, last.roll)
        return GameRecord(self.scores, tuple(self.turns), self.worked_out(money=money), stated_points=self.stated)

    def worked_out(self, *, money: bool) -> GameResult | None:
        last = self.turns[-1] if self.turns else None
        value = self.cube.value
        if isinstance(last, Drop):
            return GameResult(last.player.other, value, Win.SINGLE, Ending.DROPPED)
        on_board = winner(self.position)
        if on_board is not None:
            win = game_result(self.position, on_board)
            # Nothing in the file says whether Jacoby was played but the points themselves.
            jacoby = money and not self.cube.turned and self.stated == value
            return GameResult(on_board, value * (1 if jacoby else win.times()), win)
        if self.stated is None:
            return None
        won = self.winner
        if won is None:  # whoever was to play gave up
            won = Player.A if last is None else last.player.other if isinstance(last, RollTurn) else last.player
        # Galaxy caps the points at what the match needs, so the level is the least that reaches them; nonsense counts single.
        win = next((w for w in Win if self.stated <= value * w.times()), Win.SINGLE)
        return GameResult(won, value * win.times(), win, Ending.RESIGNED)
