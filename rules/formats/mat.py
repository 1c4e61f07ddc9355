"""`.mat` match files (research 2.4): written strictly as gnubg writes them, read generously in three dialects
(gnubg; Backgammon Galaxy; Backgammon Studio and XG).

The left column is player A. Writing replays each game: what the format cannot hold is refused with the reason, since gnubg
would otherwise show a wrong board for the rest of the game.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rules.cube import Cube
from rules.formats.gathering import Gathering, one_line, within
from rules.formats.ids import IdError, xgid_cells
from rules.formats.rows import not_kept_in_rows, write_rows
from rules.formats.snowie import parse_snowie
from rules.match import Ending, GameResult, Win
from rules.plays import Roll
from rules.position import Player
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
from rules.ruleset import DEFAULT, RuleSet

__all__ = [
    "AnyTurn",
    "Beaver",
    "CannotHold",
    "DanceTurn",
    "Double",
    "Drop",
    "FormatError",
    "GameRecord",
    "IllegalTurn",
    "MatchRecord",
    "PlayTurn",
    "RollTurn",
    "Take",
    "not_kept_in_mat",
    "read_mat",
    "write_mat",
]

# --- writing ---


def write_mat(record: MatchRecord) -> str:
    """The whole file; raises `CannotHold`."""
    return write_rows(record)


def not_kept_in_mat(record: MatchRecord) -> list[str]:
    """What the file leaves out, one sentence each."""
    return not_kept_in_rows(record)


# --- reading ---

_LONGEST = 2000
"""No line of a match file is longer; it keeps the patterns' work bounded."""

_TAG = re.compile(r";\s*\[([^\"\]]*)\"([^\"]*)\"\s*\]")
_LENGTH = re.compile(r"\s*(\d{1,5})\s+point\s+match\b", re.IGNORECASE | re.ASCII)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*", re.IGNORECASE | re.ASCII)
_SCORES = re.compile(r"(.*?)\s*:\s*(\d{1,6})\s+(.*?)\s*:\s*(\d{1,6})", re.ASCII)
_SET_POSITION = re.compile(r";\s*Set Pos=([-A-Oa-o]{26})/(-?\d{1,2})", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"\s*\d{1,6}\)", re.ASCII)
_CELL = re.compile(
    r"(?<!\S)(?:([1-6])([1-6]):|(Doubles|Redoubles|Beavers?|Raccoons?)\b\s*=>\s*(\d{1,10})|(Takes|Drops|Passes)\b"
    r"|(Wins|Losses|Loses)\s+(\d{1,9})\s+points?\b(?:\s+and the match\b)?|Illegal play \((.*?;)\s*\))",
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
        self.jacoby = False
        self.remarks: list[str] = []
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
        return MatchRecord(self.players or ("", ""), self.length, tuple(self.games), tuple(self.tags), self.ruleset(), tuple(self.remarks))

    def ruleset(self) -> RuleSet:
        """What the tags say; beyond that a money game may have beavers, and has Jacoby's rule if its points say so."""
        money = self.length == 0
        rules = RuleSet("money", crawford=False, beavers=True, raccoons=True, jacoby=self.jacoby) if money else DEFAULT
        said = {key.lower(): value.strip().lower() for key, value in self.tags}
        on = {"on": True, "off": False}
        if not money and said.get("crawford") in on:
            rules = replace(rules, crawford=on[said["crawford"]])
        if money and said.get("jacoby") in on:
            rules = replace(rules, jacoby=on[said["jacoby"]])
        limit = said.get("cubelimit", "")
        if re.fullmatch(r"[0-9]{1,9}", limit) and int(limit).bit_count() == 1:
            rules = replace(rules, cube_limit=int(limit))
        return rules

    def close(self) -> None:
        if self.game is not None:
            self.games.append(self.game.record(money=self.length == 0))
            self.jacoby |= self.game.jacoby
            self.remarks += self.game.game.remarks

    def line(self, number: int, line: str) -> None:
        if line.lstrip().startswith(";"):
            tag = _TAG.match(line.strip())
            if tag:
                self.tags.append((one_line(tag[1]), one_line(tag[2])))
            elif "set pos" in line.lower():
                self.set_position(number, line)
        elif self.length is None:
            length = _LENGTH.fullmatch(line)
            if not length:
                raise FormatError(number, f'expected a line such as "7 point match", found {line.strip()[:40]!r}')
            self.length = int(length[1])
        elif _GAME.fullmatch(line):
            self.close()
            within(number, len(self.games) + 1)
            self.game, self.headed = _Game(self.length), False
        elif self.game is None:
            raise FormatError(number, f'expected "Game 1", found {line.strip()[:40]!r}')
        elif not self.headed:
            scores = _SCORES.fullmatch(line.strip())
            if not scores:
                raise FormatError(number, f'expected both names and scores, such as "Ann : 0   Bob : 0", found {line.strip()[:40]!r}')
            self.headed = True
            self.game.game.scores = (int(scores[2]), int(scores[4]))
            if self.players is None:
                self.players = (one_line(scores[1]), one_line(scores[3]))
        else:
            self.row(number, line, self.game)

    def set_position(self, number: int, line: str) -> None:
        """XG's start from a position of its own: upper case is the left column; the cube as a power of two, above zero the right
        column's (as gnubg 1.07 reads it)."""
        found = _SET_POSITION.fullmatch(line.strip())
        if not found:
            raise FormatError(number, 'expected "; Set Pos=" with 26 signs of an XGID, a slash and the cube')
        if self.game is None or not self.headed or self.game.game.turns:
            raise FormatError(number, 'expected "; Set Pos=" between the names and the first row of a game')
        try:
            position = xgid_cells(found[1])
        except IdError as error:
            raise FormatError(number, str(error)) from None
        cube = int(found[2])
        self.game.game.begins(position, Cube(1 << abs(cube), (Player.B if cube > 0 else Player.A) if cube else None))

    def row(self, number: int, line: str, game: _Game) -> None:
        head = _NUMBER.match(line)
        body = line[head.end() :] if head else line
        found = list(_CELL.finditer(body))
        before = (body[: found[0].start()] if found else body).strip()
        if before:
            raise FormatError(number, f'expected a roll such as "31: 8/5 6/5", a cube action or a result, found {before[:40]!r}')
        ends = [cell.start() for cell in found[1:]] + [len(body)]
        for n, (cell, end) in enumerate(zip(found, ends[: len(found)], strict=True)):
            # A numbered row has one cell a side; gnubg does not pad the first one after a roll set by hand.
            player = Player.A if cell.start() < _RIGHT_FROM and not (n and head) else Player.B
            game.cell(number, player, cell, body[cell.end() : end].strip(), in_row=head is not None)


class _Game:
    """A game while its rows are read."""

    def __init__(self, length: int) -> None:
        # Nothing in the file says whether Jacoby was played but the points themselves, so it is seen to at the end.
        self.game = Gathering(length, RuleSet())
        self.stated: int | None = None
        self.winner: Player | None = None
        self.jacoby = False
        """A gammon on an unturned cube counted single."""
        self.won = False
        """A "Wins" has been read; it counts more than a "Losses"."""

    def cell(self, number: int, player: Player, cell: re.Match[str], rest: str, *, in_row: bool) -> None:
        if cell[1]:
            self.roll(number, player, Roll(int(cell[1]), int(cell[2])), rest)
            return
        if rest:
            raise FormatError(number, f"expected nothing after {cell[0].strip()[:20]!r}, found {rest[:40]!r}")
        if cell[3]:
            self.double(number, player, cell[3].lower(), int(cell[4]))
        elif cell[5]:
            self.game.answered(player, takes=cell[5].lower() == "takes")
        elif cell[6]:
            self.result(player, cell[6].lower(), int(cell[7]), in_row=in_row)
        else:
            self.illegal_play(number, cell[8])

    def double(self, number: int, player: Player, word: str, value: int) -> None:
        if value < 2 or value & value - 1:
            raise FormatError(number, f"expected a cube of 2, 4, 8 and so on, found {value}")
        self.game.add(Beaver(player, value) if word.startswith(("beaver", "raccoon")) else Double(player, value))

    def result(self, player: Player, word: str, points: int, *, in_row: bool) -> None:
        if word == "wins":
            self.won, self.winner, self.stated = True, player, points
        elif not self.won:
            # Galaxy writes a "Losses" line of its own at the left margin, whoever lost; there a "Wins" line follows.
            self.winner, self.stated = (player.other if in_row else None), points

    def roll(self, number: int, player: Player, roll: Roll, text: str) -> None:
        if "?" in text and not text.strip("?. "):
            self.game.overtake(player, roll, number)
            self.game.add(RollTurn(player, roll))
        else:
            self.game.rolled(number, player, roll, text)

    def illegal_play(self, number: int, text: str) -> None:
        """Snowie text: where an illegal play led, seen by the other player."""
        last = self.game.turns[-1] if self.game.turns else None
        if not isinstance(last, PlayTurn | DanceTurn | IllegalTurn | RollTurn):
            raise FormatError(number, 'expected a roll before "Illegal play"')
        try:
            position = parse_snowie(text, last.player.other).position
        except IdError as error:
            raise FormatError(number, str(error)) from None
        self.game.stands(number, position)

    def record(self, *, money: bool) -> GameRecord:
        game = self.game
        ended = game.state.result
        said: GameResult | None
        if ended is not None and ended.ending is Ending.PLAYED:
            cube = game.state.cube
            self.jacoby = money and ended.win is not Win.SINGLE and not cube.turned and self.stated == cube.value
            said = replace(ended, points=cube.value) if self.jacoby else ended
        elif ended is not None or self.stated is None:
            said = ended
        else:
            last = game.turns[-1] if game.turns else None
            won = self.winner
            if won is None:  # whoever was to play gave up
                unplayed = isinstance(last, RollTurn) or game.unplayed is not None
                won = Player.A if last is None else last.player.other if unplayed else last.player
            said = game.resigned(won, self.stated)
        return replace(game.record(said), result=said, stated_points=self.stated)
