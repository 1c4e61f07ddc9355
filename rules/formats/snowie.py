"""Snowie text (research 2.4 and 2.6): a position in 40 fields, and a match in rows as `.mat` has them, illegal plays kept.

In a position, as in an XGID, player A is the side that gnubg calls player 1 (X). In a match A is the left column.

>>> one = parse_snowie("9;0;0;0;1;Ann;Bo;0;2;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;0;5;2;", Player.A)
>>> one.roll, one.score, one.position.bar
(Roll(first=5, second=2), (2, 4), (0, 1))
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.formats.gathering import one_line
from rules.formats.ids import IdError, position_of
from rules.formats.rows import IllegalText, not_kept_in_rows, row_name, write_rows
from rules.game import GameState
from rules.plays import Roll
from rules.position import BAR, CHECKERS, Player, Position
from rules.record import DanceTurn, GameRecord, IllegalTurn, MatchRecord, PlayTurn, RollTurn

FIELDS = 40


@dataclass(frozen=True, slots=True)
class SnowiePosition:
    """What the 40 fields hold."""

    position: Position
    on_roll: Player
    names: tuple[str, str] = ("A", "B")
    roll: Roll | None = None
    cube: int = 1
    owner: Player | None = None
    score: tuple[int, int] = (0, 0)
    """(A, B)."""
    length: int = 0
    """0 for money."""
    crawford: bool = False
    jacoby: bool = False

    def __str__(self) -> str:
        """One line. Raises `IdError` for a set of other than 15 checkers."""
        if self.position.checkers != CHECKERS:
            raise IdError(f"Snowie text takes it that each side has 15 checkers, here each has {self.position.checkers}")
        roller = self.on_roll
        own, other = self.position.counts(roller), self.position.counts(roller.other)
        owner = 0 if self.owner is None else 1 if self.owner is roller else -1
        dice = (self.roll.first, self.roll.second) if self.roll else (0, 0)
        side = roller.side
        fields: list[object] = [
            self.length, int(self.jacoby and not self.length), 0, int(not self.length), 1 - side,
            _plain(self.names[side]), _plain(self.names[1 - side]), int(self.crawford), self.score[side], self.score[1 - side],
            self.cube, owner, -other[BAR], *(own[p] - other[25 - p] for p in range(1, 25)), own[BAR], *dice,
        ]  # fmt: skip
        return "".join(f"{field};" for field in fields)


def _plain(name: str) -> str:
    return "".join(c if c.isprintable() and c != ";" else " " for c in name)


def parse_snowie(text: str, on_roll: Player | None = None) -> SnowiePosition:
    """From one line; raises `IdError`. `on_roll`: who it is, where the reader knows better than the fifth field (gnubg writes that
    one the other way round inside a match)."""
    parts = text.strip().removesuffix(";").split(";")
    if len(parts) != FIELDS:
        raise IdError(f"a Snowie position is {FIELDS} fields between semicolons, here are {len(parts)}")
    numbers: list[int] = []
    for place, part in enumerate(parts):
        if place in (5, 6):
            numbers.append(0)
        elif re.fullmatch(r"\s*-?[0-9]{1,9}\s*", part):
            numbers.append(int(part.strip()))  # int() itself does not know all that \s and strip() call blank
        else:
            raise IdError(f"field {place + 1} of a Snowie position is a whole number, not {part[:20]!r}")
    length, jacoby, _, _, side, _, _, crawford, score, other_score, cube, owner = numbers[:12]
    for what, number, fits in (
        ("match length", length, length >= 0),
        ("player on roll", side, side in (0, 1)),
        ("Crawford flag", crawford, crawford in (0, 1)),
        ("score", min(score, other_score), min(score, other_score) >= 0),
        ("cube", cube, cube > 0 and cube.bit_count() == 1),
        ("owner of the cube", owner, owner in (-1, 0, 1)),
    ):
        if not fits:
            raise IdError(f"the {what} of a Snowie position cannot be {number}")
    dice = numbers[38:]
    if not (dice == [0, 0] or all(1 <= die <= 6 for die in dice)):
        raise IdError(f"the dice of a Snowie position are {dice[0]} and {dice[1]}")
    roller = on_roll or (Player.A if side else Player.B)
    points = numbers[13:37]
    # gnubg writes the bars as they are here; old descriptions name the two fields the other way round (research 2.6).
    bars = (numbers[37], -numbers[12])
    if min(bars) < 0:
        raise IdError("the bar of the player on roll is 0 or more, that of the other 0 or less")
    own = [0, *(max(n, 0) for n in points), bars[0]]
    other = [0, *(max(-n, 0) for n in reversed(points)), bars[1]]
    own[0], other[0] = CHECKERS - sum(own), CHECKERS - sum(other)
    a, b = (own, other) if roller is Player.A else (other, own)
    mine, theirs = one_line(parts[5]), one_line(parts[6])
    first = roller is Player.A
    return SnowiePosition(
        position_of(a, b, "this Snowie line is no position"),
        roller,
        (mine, theirs) if first else (theirs, mine),
        Roll(dice[0], dice[1]) if dice[0] else None,
        cube,
        None if owner == 0 else roller if owner == 1 else roller.other,
        (score, other_score) if first else (other_score, score),
        length,
        bool(crawford),
        bool(jacoby) and not length,
    )


# --- matches ---


def write_snowie(record: MatchRecord) -> str:
    """A match as gnubg's Snowie text; raises `CannotHold`. `mat.read_mat` reads it."""
    return write_rows(record, _illegal)


def not_kept_in_snowie(record: MatchRecord) -> list[str]:
    """What the file leaves out, one sentence each."""
    return not_kept_in_rows(record)


def _illegal(record: MatchRecord, game: GameRecord) -> IllegalText:
    """The words for an illegal play: the position it led to, as the other player sees it with the roll that he then threw."""

    def words(state: GameState, index: int) -> str:
        roller = game.turns[index].player.other
        following = next((turn for turn in game.turns[index + 1 :]), None)
        roll = following.roll if isinstance(following, PlayTurn | DanceTurn | RollTurn | IllegalTurn) else None
        names = (row_name(record.players[0]), row_name(record.players[1]))
        match = state.match
        line = SnowiePosition(
            state.board, roller, names, roll, state.cube.value, state.cube.owner, match.score, match.length, match.crawford, match.jacoby
        )
        # Inside a match gnubg numbers the player on roll the other way round: 1 is the left column, as here A is.
        return f"Illegal play ({line})"

    return words
