"""Position names that fit in a line: gnubg's Position ID and Match ID, and XGID (research 2.1 to 2.3; gnubg manual).

In the Match ID, as in the XGID, player A is the side seen from below: XG's X, gnubg's player 1. (In `.mat` files A is the left
column, which gnubg reads as its player 0.)

>>> from rules.position import START
>>> position_id(START, Player.A)
'4HPwATDgc/ABMA'
>>> parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10").roll
Roll(first=3, second=1)
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, cast

from rules.plays import Roll
from rules.position import CHECKERS, Player, Position, PositionError


class IdError(ValueError):
    """The text is no such ID, or the ID cannot hold this."""

    def __init__(self, sentence: str) -> None:
        super().__init__("".join(c if c.isprintable() else " " for c in sentence))


def _whole(position: Position) -> None:
    if position.checkers != CHECKERS:
        raise IdError(f"an ID takes it that each side has 15 checkers, here each has {position.checkers}")


def _bytes(text: str, size: int, what: str) -> int:
    """The number behind base64 without padding, little-endian."""
    letters = -(-size * 8 // 6)
    try:
        raw = base64.b64decode(text + "=" * (-letters % 4), validate=True) if len(text) == letters else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != size:
        raise IdError(f"a {what} is {letters} letters, digits, + and /, not {text[:40]!r}")
    return int.from_bytes(raw, "little")


def _letters(number: int, size: int) -> str:
    return base64.b64encode(number.to_bytes(size, "little")).decode("ascii").rstrip("=")


def position_id(position: Position, on_roll: Player) -> str:
    """gnubg's 14 characters: first the player not on roll, then the one on roll; a one for each checker, a zero after each point."""
    _whole(position)
    bits = ""
    for player in (on_roll.other, on_roll):
        bits += "".join("1" * n + "0" for n in position.counts(player)[1:])
    return _letters(int(bits[::-1], 2), 10)


def parse_position_id(text: str, on_roll: Player) -> Position:
    """The position; checkers that are not named are off."""
    text = text.strip()
    number = _bytes(text, 10, "Position ID")
    sides: list[list[int]] = []
    for _ in range(2):
        counts = [0] * 26
        for point in range(1, 26):
            while number & 1:
                counts[point] += 1
                number >>= 1
            number >>= 1
        counts[0] = CHECKERS - sum(counts)
        sides.append(counts)
    other, mover = sides
    a, b = (mover, other) if on_roll is Player.A else (other, mover)
    if number:
        raise IdError(f"{text!r} is no position: something follows the 25 points of each side")
    return position_of(a, b, f"{text!r} is no position")


def position_of(a: list[int], b: list[int], what: str) -> Position:
    """The position of two sides' counts; `what` begins the sentence of the `IdError`."""
    for point in range(1, 25):
        if a[point] and b[25 - point]:
            raise IdError(f"{what}: both sides stand on A's {point}-point")
    try:
        return Position.from_counts(a, b)
    except PositionError:
        reason = "both sides have borne off all their checkers" if a[0] == b[0] == CHECKERS else "a side has more than 15 checkers"
        raise IdError(f"{what}: {reason}") from None


class GameState(IntEnum):
    """gnubg's state of the game in a Match ID."""

    NONE = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


@dataclass(frozen=True, slots=True)
class MatchId:
    """What gnubg's Match ID holds beside the position."""

    on_roll: Player
    roll: Roll | None = None
    cube: int = 1
    owner: Player | None = None
    score: tuple[int, int] = (0, 0)
    """(A, B)."""
    length: int = 0
    crawford: bool = False
    doubled: bool = False
    decides: Player | None = None
    """Whose decision it is, when that is not the player on roll: the one doubled."""
    state: GameState = GameState.PLAYING
    resigned: int = 0
    """Level of a resignation on offer: 1 single, 2 gammon, 3 backgammon."""
    jacoby: bool = False
    """gnubg's setting; it says nothing in a match (clause S7), where gnubg writes it all the same."""

    def __str__(self) -> str:
        """The 12 characters; raises `IdError` when a number does not fit."""
        turn = self.decides or self.on_roll
        dice = (self.roll.first, self.roll.second) if self.roll else (0, 0)
        values = {
            "cube": self.cube.bit_length() - 1,
            "owner": 3 if self.owner is None else _gnubg(self.owner),
            "on_roll": _gnubg(self.on_roll),
            "crawford": int(self.crawford),
            "state": int(self.state),
            "turn": _gnubg(turn),
            "doubled": int(self.doubled),
            "resigned": self.resigned,
            "die1": dice[0],
            "die2": dice[1],
            "length": self.length,
            "score0": self.score[1],
            "score1": self.score[0],
            "no_jacoby": int(not self.jacoby),
        }
        number = 0
        for name, (offset, width) in _FIELDS.items():
            value = values[name]
            if not 0 <= value < 1 << width:
                raise IdError(f"a Match ID holds no {name} of {value}; the most is {(1 << width) - 1}")
            number |= value << offset
        return _letters(number, 9)


_FIELDS = {
    "cube": (0, 4),
    "owner": (4, 2),
    "on_roll": (6, 1),
    "crawford": (7, 1),
    "state": (8, 3),
    "turn": (11, 1),
    "doubled": (12, 1),
    "resigned": (13, 2),
    "die1": (15, 3),
    "die2": (18, 3),
    "length": (21, 15),
    "score0": (36, 15),
    "score1": (51, 15),
    "no_jacoby": (66, 1),
}
"""(offset, width) in bits: research 2.2; the last one is not in gnubg's manual."""


def _gnubg(player: Player) -> int:
    return 1 if player is Player.A else 0


def parse_match_id(text: str) -> MatchId:
    """From the 12 characters."""
    text = text.strip()
    number = _bytes(text, 9, "Match ID")
    got = {name: number >> offset & (1 << width) - 1 for name, (offset, width) in _FIELDS.items()}
    dice = (got["die1"], got["die2"])
    if max(dice) > 6 or (0 in dice and any(dice)):
        raise IdError(f"the dice of the Match ID {text!r} are {dice[0]} and {dice[1]}")
    if got["owner"] == 2:
        raise IdError(f"the cube of the Match ID {text!r} belongs to nobody")
    if got["state"] > max(GameState):
        raise IdError(f"the Match ID {text!r} has an unknown state of the game, {got['state']}")
    sides = (Player.B, Player.A)
    on_roll, turn = sides[got["on_roll"]], sides[got["turn"]]
    return MatchId(
        on_roll=on_roll,
        roll=Roll(*dice) if all(dice) else None,
        cube=1 << got["cube"],
        owner=None if got["owner"] == 3 else sides[got["owner"]],
        score=(got["score1"], got["score0"]),
        length=got["length"],
        crawford=bool(got["crawford"]),
        doubled=bool(got["doubled"]),
        decides=None if turn is on_roll else turn,
        state=GameState(got["state"]),
        resigned=got["resigned"],
        jacoby=not got["no_jacoby"],
    )


Offer = Literal["", "D", "B", "R"]
"""A double, beaver or raccoon on offer."""


@dataclass(frozen=True, slots=True)
class Xgid:
    """What an XGID holds. A is X (bottom, upper case), B is O."""

    position: Position
    turn: Player
    roll: Roll | None = None
    cube: int = 1
    owner: Player | None = None
    offer: Offer = ""
    score: tuple[int, int] = (0, 0)
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    max_cube_log2: int = 10

    def __str__(self) -> str:
        _whole(self.position)
        cells = ["-"] * 26
        for point, n in enumerate(self.position.points, start=1):
            if n:
                cells[point] = chr(ord("A" if n > 0 else "a") + abs(n) - 1)
        if self.position.bar[1]:
            cells[0] = chr(ord("a") + self.position.bar[1] - 1)
        if self.position.bar[0]:
            cells[25] = chr(ord("A") + self.position.bar[0] - 1)
        owner = {None: 0, Player.A: 1, Player.B: -1}[self.owner]
        dice = self.offer or (f"{self.roll.first}{self.roll.second}" if self.roll else "00")
        rule = int(self.crawford) if self.length else int(self.jacoby) + 2 * int(self.beavers)
        numbers = (self.cube.bit_length() - 1, owner, 1 if self.turn is Player.A else -1, dice, *self.score, rule, self.length)
        return f"XGID={''.join(cells)}:{':'.join(map(str, numbers))}:{self.max_cube_log2}"

    @property
    def match_id(self) -> str:
        """gnubg's Match ID of the same moment (without beavers and the cube's limit, which it cannot hold)."""
        decides = self.turn.other if self.offer else None
        return str(
            MatchId(
                self.turn, self.roll, self.cube, self.owner, self.score, self.length, self.crawford, bool(self.offer), decides,
                jacoby=self.jacoby,
            )
        )  # fmt: skip


def parse_xgid(text: str) -> Xgid:
    """From an XGID, with or without "XGID=" in front."""
    body = text.strip().removeprefix("XGID=")
    parts = body.split(":")
    if len(parts) != 10 or len(parts[0]) != 26:
        raise IdError(f"an XGID is 26 signs and nine numbers between colons, not {text.strip()[:60]!r}")
    try:
        cube, owner, turn, score_a, score_b, rule, length, limit = (int(parts[i]) for i in (1, 2, 3, 5, 6, 7, 8, 9))
    except ValueError:
        raise IdError(f"expected whole numbers after the position of {text.strip()[:60]!r}") from None
    sides = {1: Player.A, -1: Player.B}
    for what, number, fits in (
        ("cube (a power of two)", cube, 0 <= cube <= 30),
        ("owner of the cube", owner, owner in (-1, 0, 1)),
        ("turn", turn, turn in sides),
        ("score", min(score_a, score_b), min(score_a, score_b) >= 0),
        ("rule", rule, 0 <= rule <= (1 if length else 3)),
        ("match length", length, length >= 0),
        ("highest cube (a power of two)", limit, 0 <= limit <= 30),
    ):
        if not fits:
            raise IdError(f"the {what} of an XGID cannot be {str(number)[:12]}")
    dice = parts[4].upper()
    if dice not in {"00", "D", "B", "R"} and not (len(dice) == 2 and all(d in "123456" for d in dice)):
        raise IdError(f"the dice of an XGID are two digits 1 to 6, 00, D, B or R, not {parts[4][:20]!r}")
    money = length == 0
    return Xgid(
        position=xgid_cells(parts[0]),
        turn=sides[turn],
        roll=Roll(int(dice[0]), int(dice[1])) if dice[0] in "123456" else None,
        cube=1 << cube,
        owner=sides.get(owner),
        offer=cast(Offer, dice if len(dice) == 1 else ""),
        score=(score_a, score_b),
        length=length,
        crawford=not money and rule == 1,
        jacoby=money and bool(rule & 1),
        beavers=money and bool(rule & 2),
        max_cube_log2=limit,
    )


def xgid_cells(cells: str) -> Position:
    """The position of an XGID's 26 signs; A is upper case."""
    a, b = [0] * 26, [0] * 26
    for place, sign in enumerate(cells):
        if sign == "-":
            continue
        if "A" <= sign <= "O" and place:
            a[place] = ord(sign) - 64
        elif "a" <= sign <= "o" and place < 25:
            b[25 - place] = ord(sign) - 96
        else:
            raise IdError(f"the sign {sign!r} cannot stand at place {place} of an XGID")
    a[0], b[0] = CHECKERS - sum(a), CHECKERS - sum(b)
    return position_of(a, b, "the XGID is no position")
