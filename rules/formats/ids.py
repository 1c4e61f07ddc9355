"""Position names that fit in a line: gnubg's Position ID and XGID (research 2.1 and 2.3)."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from rules.plays import Roll
from rules.position import Player, Position, PositionError


class IdError(ValueError):
    """The text is no such ID."""


def position_id(position: Position, on_roll: Player) -> str:
    """gnubg's 14 characters: first the player not on roll, then the one on roll; a one for each checker, a zero after each point."""
    bits = ""
    for player in (on_roll.other, on_roll):
        bits += "".join("1" * n + "0" for n in position.counts(player)[1:])
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(10, "little")).decode("ascii").rstrip("=")


def parse_position_id(text: str, on_roll: Player) -> Position:
    """The position; checkers that are not named are off."""
    text = text.strip()
    try:
        raw = base64.b64decode(text + "==", validate=True) if len(text) == 14 else b""
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 10:
        raise IdError(f"a Position ID is 14 letters, digits, + and /, not {text[:40]!r}")
    number = int.from_bytes(raw, "little")
    sides: list[list[int]] = []
    for _ in range(2):
        counts = [0] * 26
        for point in range(1, 26):
            while number & 1:
                counts[point] += 1
                number >>= 1
            number >>= 1
        counts[0] = 15 - sum(counts)
        sides.append(counts)
    other, mover = sides
    a, b = (mover, other) if on_roll is Player.A else (other, mover)
    try:
        return Position.from_counts(a, b)
    except PositionError as error:
        raise IdError(f"{text!r} is no position: {error}") from error


@dataclass(frozen=True, slots=True)
class Xgid:
    """What an XGID holds. A is X (bottom, upper case), B is O."""

    position: Position
    turn: Player
    roll: Roll | None = None
    cube: int = 1
    owner: Player | None = None
    doubled: bool = False
    score: tuple[int, int] = (0, 0)
    length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False
    max_cube_log2: int = 10

    def __str__(self) -> str:
        cells = ["-"] * 26
        for point, n in enumerate(self.position.points, start=1):
            if n:
                cells[point] = chr(ord("A" if n > 0 else "a") + abs(n) - 1)
        if self.position.bar[1]:
            cells[0] = chr(ord("a") + self.position.bar[1] - 1)
        if self.position.bar[0]:
            cells[25] = chr(ord("A") + self.position.bar[0] - 1)
        owner = {None: 0, Player.A: 1, Player.B: -1}[self.owner]
        dice = "D" if self.doubled else f"{self.roll.first}{self.roll.second}" if self.roll else "00"
        rule = int(self.crawford) if self.length else int(self.jacoby) + 2 * int(self.beavers)
        numbers = (self.cube.bit_length() - 1, owner, 1 if self.turn is Player.A else -1, dice, *self.score, rule, self.length)
        return f"XGID={''.join(cells)}:{':'.join(map(str, numbers))}:{self.max_cube_log2}"


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
    if not 0 <= cube <= 30 or owner not in (-1, 0, 1) or turn not in sides or min(score_a, score_b, length) < 0:
        raise IdError("cube, owner, turn, score or length of the XGID is out of range")
    a, b = [0] * 26, [0] * 26
    for place, sign in enumerate(parts[0]):
        if sign == "-":
            continue
        if "A" <= sign <= "O" and place:
            a[place] = ord(sign) - 64
        elif "a" <= sign <= "o" and place < 25:
            b[25 - place] = ord(sign) - 96
        else:
            raise IdError(f"the sign {sign!r} cannot stand at place {place} of an XGID")
    a[0], b[0] = 15 - sum(a), 15 - sum(b)
    dice = parts[4].upper()
    if dice not in {"00", "D"} and not (len(dice) == 2 and all("1" <= d <= "6" for d in dice)):
        raise IdError(f"the dice of an XGID are two digits 1 to 6, 00 or D, not {parts[4][:20]!r}")
    try:
        position = Position.from_counts(a, b)
    except PositionError as error:
        raise IdError(f"the XGID is no position: {error}") from error
    roll = None if dice in {"00", "D"} else Roll(int(dice[0]), int(dice[1]))
    money = length == 0
    return Xgid(
        position, sides[turn], roll, 1 << cube, sides.get(owner), dice == "D", (score_a, score_b), length,
        not money and bool(rule & 1), money and bool(rule & 1), money and bool(rule & 2), limit,
    )  # fmt: skip
