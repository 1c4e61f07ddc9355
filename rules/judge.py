"""Was that play legal, and if not, why: in the rules' clauses and a sentence a club player understands.

Three steps: a legal result is legal however it was reached; then what no play could do (counts, the other side's checkers);
then the mistake that explains the board with the fewest rules broken, tried from the mildest on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rules import engine
from rules.notation import point_name, short
from rules.plays import LegalPlays, Play, Roll, legal_plays, single_moves
from rules.position import BAR, OFF, Board, Player, Position, PositionError

NEAREST = 3
"""How many corrections are offered."""


@dataclass(frozen=True, slots=True)
class Legal:
    """The board shows a legal play (an empty one for a dance)."""

    play: Play
    notation: str


@dataclass(frozen=True, slots=True)
class Illegal:
    """The board shows no legal play."""

    clause: str
    reason: str
    sentence: str
    nearest: tuple[Play, ...]
    """Legal plays, those that need the fewest checkers moved from the board as it stands first."""


Verdict = Legal | Illegal


def judge(
    before: Position,
    player: Player,
    roll: Roll,
    after: Board | Position,
    names: tuple[str, str] = ("A", "B"),
) -> Verdict:
    """Judge the board `after` the play of `roll` from `before`. Checkers missing from a Board count as borne off.

    No rule set comes in: how checkers move is the same everywhere. What differs is who may call the play and until when (`calling`).
    """
    plays = legal_plays(before, player, roll)
    board = after if isinstance(after, Board) else after.board
    result = after if isinstance(after, Position) else infer(board, before.checkers)
    if result is not None:
        if not plays and result == before:
            return Legal(Play((), before), short(()))
        if result in plays:
            play = plays[result]
            return Legal(play, short(play.moves))
    clause, reason, sentence = _Why(before, player, roll, board, result, plays, names).find()
    return Illegal(clause, reason, sentence, nearest(board, plays))


def infer(board: Board, checkers: int) -> Position | None:
    """The position of an observed board, the missing checkers taken as borne off; None when it cannot be one."""
    if any(a and b for a, b in board.points):
        return None
    off = (checkers - board.on_table(Player.A), checkers - board.on_table(Player.B))
    try:
        return Position(tuple(a - b for a, b in board.points), board.bar, off, checkers)
    except PositionError:
        return None


@dataclass(frozen=True, slots=True)
class Shift:
    """One checker that a hand must carry: from where to where, in its owner's numbering.

    25 is the bar. 0 is off: the tray, or wherever a checker lies that is missing from the board.
    """

    player: Player
    start: int
    end: int


def shifts(board: Board, target: Position) -> tuple[Shift, ...]:
    """Which checkers to carry so that the board shows `target`: as few as can be, and no two ways crossing (B5, E3)."""
    found: list[Shift] = []
    for player in Player:
        have, want = board.counts(player), target.board.counts(player)
        take = [p for p in range(BAR, OFF, -1) for _ in range(have[p] - want[p])]
        put = [p for p in range(BAR, OFF, -1) for _ in range(want[p] - have[p])]
        # What is over comes off the board; what lacks comes from beside it.
        take += [OFF] * (len(put) - len(take))
        put += [OFF] * (len(take) - len(put))
        found += [Shift(player, start, end) for start, end in zip(take, put, strict=True)]
    return tuple(found)


def nearest(board: Board, plays: LegalPlays, limit: int = NEAREST) -> tuple[Play, ...]:
    """The legal plays closest to the board: fewest checkers to carry, then the shortest way; after a dance, the position before."""
    if not plays:
        return (Play((), plays.before),)

    def effort(result: Position) -> tuple[int, int, tuple[int, ...]]:
        carried = shifts(board, result)
        return len(carried), sum(abs(shift.start - shift.end) for shift in carried), result.counts(plays.player)

    return tuple(plays[result] for result in sorted(plays, key=effort)[:limit])


@dataclass(frozen=True, slots=True)
class _Why:
    before: Position
    player: Player
    roll: Roll
    board: Board
    result: Position | None
    plays: LegalPlays
    names: tuple[str, str]

    @property
    def me(self) -> str:
        return self.names[self.player.side]

    @property
    def them(self) -> str:
        return self.names[self.player.other.side]

    def find(self) -> tuple[str, str, str]:
        return self.unchanged() or self.other_side() or self.own_count() or self.partial() or self.broken() or self.pips()

    def unchanged(self) -> tuple[str, str, str] | None:
        if self.board != self.before.board:
            return None
        return "M7", "nothing_played", f"{self.me} played nothing; {self.roll} can be played: {self.example()}."

    def example(self) -> str:
        options = nearest(self.board, self.plays, 1)
        return short(options[0].moves)

    def other_side(self) -> tuple[str, str, str] | None:
        """Whatever happened to the opponent's checkers must be explained by hits."""
        before, after = self.before.counts(self.player.other), self.board.counts(self.player.other)
        mine = self.board.counts(self.player)
        gone = [p for p in range(1, 25) for _ in range(before[p] - after[p])]
        new = [p for p in range(1, 25) for _ in range(after[p] - before[p])]
        to_bar = after[BAR] - before[BAR]
        both = [25 - p for p in range(1, 25) if after[p] and mine[25 - p]]
        for point in both:
            if before[25 - point] >= 2:
                return "M2", "blocked", f"{self.me} landed on the {point}-point, which {self.them} holds."
            if before[25 - point] == 1:
                return "M3", "hit_checker_missing", f"{self.me} hit on the {point}-point; {self.them}'s checker belongs on the bar."
        if len(gone) > len(new) + to_bar:
            hit = self.could_hit()
            unhit = [25 - p for p in gone if before[p] == 1 and 25 - p in hit]
            if unhit and to_bar >= 0 and not new:
                return "M3", "hit_checker_missing", f"The checker of {self.them} hit on the {unhit[0]}-point is not on the bar."
            return "M9", "checker_count", f"{self.them} has {_checkers(len(gone) - len(new) - to_bar)} too few on the board."
        if len(gone) < len(new) + to_bar:
            return "M9", "checker_count", f"{self.them} has {_checkers(len(new) + to_bar - len(gone))} too many on the board."
        if new or any(before[p] != 1 for p in gone):
            return "D2", "wrong_player_moved", f"{self.them}'s checkers were moved, but it is {self.me}'s turn."
        return None

    def could_hit(self) -> frozenset[int]:
        """Points, in the mover's numbering, that this roll could hit on: a blot elsewhere vanished by other hands."""
        state, opposing = engine.pack(self.before, self.player)
        hit = set[int]()
        orders = [self.roll.dice] if self.roll.double else [self.roll.dice, self.roll.dice[::-1]]
        for order in orders:
            level = {state}
            for die in order:
                steps = [step for one in level for step in single_moves(one, opposing, die)]
                hit |= {move.end for _, move in steps if move.hit}
                level = {after for after, _ in steps}
        return frozenset(hit)

    def own_count(self) -> tuple[str, str, str] | None:
        before, after = self.before.counts(self.player), self.board.counts(self.player)
        extra = sum(after) - (sum(before) - before[OFF])
        if extra > 0:
            return "M9", "checker_count", f"{self.me} has {_checkers(extra)} too many on the board."
        if after[BAR] > before[BAR]:
            return "M3", "checker_count", f"{self.me} has put a checker of his own on the bar."
        return None

    def partial(self) -> tuple[str, str, str] | None:
        """A lawful start of a play that should have gone on (clause M6)."""
        if self.result is None or not self.plays:
            return None
        state, opposing = engine.pack(self.before, self.player)
        orders = [self.roll.dice] if self.roll.double else [self.roll.dice, self.roll.dice[::-1]]
        for order in orders:
            level = {state}
            for n, die in enumerate(order[: self.plays.dice_played], start=1):
                level = {after for one in level for after, _ in single_moves(one, opposing, die)}
                for one in level:
                    if engine.unpack(one, opposing, self.before, self.player) == self.result:
                        return self.unfinished(one, opposing, n, order)
        return None

    def unfinished(self, state: int, opposing: bytes, played: int, order: tuple[int, ...]) -> tuple[str, str, str]:
        if self.before.bar[self.player.side] and self.board.bar[self.player.side] and self.plays.dice_played > played:
            return "M4", "left_on_bar", f"{self.me} still has a checker on the bar that can enter: {self.example()}."
        if self.roll.double:
            full = self.plays.dice_played
            return "M6", "one_die_unplayed", f"{self.me} played {played} of the {full} {order[0]}s that can be played: {self.example()}."
        rest = order[1]
        following = single_moves(state, opposing, rest)
        if following:
            move = short((max((m for _, m in following), key=lambda m: m.start),))
            return "M6", "one_die_unplayed", f"{self.me} played only the {order[0]}; the {rest} could also be played: {move}."
        if self.plays.dice_played == 2:
            return "M6", "both_dice", f"Both dice can be played, so {self.me} must play both: {self.example()}."
        return "M6", "higher_die", f"Only one die can be played, and it must be the {self.roll.high}: {self.example()}."

    def moved(self) -> tuple[list[int], list[int]]:
        """(where own checkers left, where they arrived), the mover's numbering; missing ones arrived off."""
        before, after = self.before.counts(self.player), self.board.counts(self.player)
        left = [p for p in range(BAR, 0, -1) for _ in range(before[p] - after[p])]
        arrived = [p for p in range(BAR, 0, -1) for _ in range(after[p] - before[p])]
        return left, arrived + [OFF] * (len(left) - len(arrived))

    def broken(self) -> tuple[str, str, str] | None:
        left, arrived = self.moved()
        if any(end > start for start, end in zip(left, arrived, strict=True)):
            return "B3", "moved_backwards", f"{self.me} moved a checker backwards to the {max(arrived)}-point."
        if self.board.bar[self.player.side] and BAR not in left[self.before.bar[self.player.side] :] and left:
            if any(p != BAR for p in left):
                return "M4", "left_on_bar", f"{self.me} moved with a checker still on the bar; it must enter first."
        for start, end in _pairs(left, arrived):
            path = self.path(start, end)
            if path:
                return path
        return None

    def path(self, start: int, end: int) -> tuple[str, str, str] | None:
        """The rule a single journey breaks, when its pips are right."""
        counts = self.board.counts(self.player)
        journey = f"{point_name(start)}/{point_name(end)}"
        if end == OFF:
            if any(counts[7:]):
                return "M8", "bore_off_early", f"{self.me} bore off a checker before all were home."
            if start <= 6 and start not in self.roll.dice and start < self.roll.high and any(counts[start + 1 : 7]):
                return "M8", "wrong_bear_off", f"{self.me} bore off from the {start}-point with a higher point still occupied."
            return None
        ways = {(d,) * n for d in set(self.roll.dice) for n in range(1, len(self.roll.dice) + 1) if self.roll.double or n == 1}
        if not self.roll.double:
            ways |= {(self.roll.high, self.roll.low), (self.roll.low, self.roll.high)}
        fitting = [way for way in ways if sum(way) == start - end]
        if fitting and all(self.stopped(start, way) for way in fitting):
            return "M1", "blocked", f"{self.me} played {journey}, but the points between are held by {self.them}."
        return None

    def stopped(self, start: int, way: tuple[int, ...]) -> bool:
        here = start
        for die in way:
            here -= die
            if self.before.at(self.player, here) <= -2:
                return True
        return False

    def pips(self) -> tuple[str, str, str]:
        left, arrived = self.moved()
        journeys = Counter(_pairs(left, arrived))
        written = " ".join(
            f"{point_name(a)}/{point_name(b)}" + (f"({n})" if n > 1 else "") for (a, b), n in sorted(journeys.items(), reverse=True)
        )
        if not self.plays:
            return "M7", "no_play", f"{self.me} played {written or 'something'}, but {self.roll} cannot be played at all."
        total = sum(left) - sum(arrived)
        return "M1", "wrong_pips", f"{self.me} played {written}, {total} pips; that is not a play of {self.roll}."


def _pairs(left: list[int], arrived: list[int]) -> list[tuple[int, int]]:
    """Departures and arrivals joined from the rear; both lists run from high to low."""
    return list(zip(left, arrived, strict=True))


def _checkers(count: int) -> str:
    return f"{count} checker{'s' * (count != 1)}"
