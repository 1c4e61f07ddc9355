"""The play generator's inner loop: level sets over packed integers.

A turn is seen from the mover. Its state is one integer: byte p (0..25) is the number of the mover's checkers on his p-point
(0 off, 25 bar), and bit `HITS + p` says that the blot on his p-point has been hit in this turn. Opposing points never change
within a turn but for hit blots, so which landings are open is fixed when the turn begins, a move is one addition, and two
states are equal exactly when the positions are.

Playing the most dice (clause M6): all maximal sequences of a double have one length, since a move of one checker never
disables another's, so the last level that is not empty is the answer. For two different dice the results are
(high then low) and (low then high); when neither exists the high die's, and failing that the low die's.
"""

from __future__ import annotations

from operator import sub
from struct import Struct

from rules.position import Player, Position, _trusted

HITS = 208
"""The first of 25 bits that mark hit points, above the 26 bytes of counts."""
COUNTS = (1 << HITS) - 1
HIT_BIT = [1 << (HITS + p) for p in range(26)]
MASK = [255 << (8 * p) for p in range(26)]
ONE = [1 << (8 * p) for p in range(26)]
ON_BAR = MASK[25]
OUTSIDE = sum(MASK[7:26])
"""Any checker here (bar included) forbids bearing off."""
ABOVE = [sum(MASK[p + 1 : 7]) for p in range(7)]
"""Home points above p."""
BELOW = [tuple(range(p - 1, 0, -1)) for p in range(7)]
BEAR_OFF = [1 - ONE[p] for p in range(7)]
SHIFT = [[0] * 26] + [[0] * (die + 1) + [ONE[p - die] - ONE[p] for p in range(die + 1, 26)] for die in range(1, 7)]
"""SHIFT[die][p]: what a move of one checker from p adds to the state."""

POINT_BITS = (1 << 25) - 2
"""Points 1..24 as a bit set."""

Landings = list[tuple[int, int, int]]
"""Moves of one die that may come up in this turn: (mask of the source, sum to add, hit bit or 0)."""
Entry = tuple[int, int] | None
"""(sum, hit bit) of entering with this die, or None when the point is held."""

_SIGNED = Struct("24b")
_PLUS = bytes(n if n < 128 else 0 for n in range(256))
_MINUS = bytes(256 - n if n >= 128 else 0 for n in range(256))


def pack(position: Position, player: Player) -> tuple[int, bytes]:
    """(state, opposing counts): the second is indexed by the mover's own point, 0..24."""
    signed = _SIGNED.pack(*position.points)
    if player is Player.A:
        own, opposing, side = signed.translate(_PLUS), signed.translate(_MINUS), 0
    else:
        signed = signed[::-1]
        own, opposing, side = signed.translate(_MINUS), signed.translate(_PLUS), 1
    counts = bytes((position.off[side],)) + own + bytes((position.bar[side],))
    return int.from_bytes(counts, "little"), b"\0" + opposing


def unpack(state: int, opposing: bytes, before: Position, player: Player) -> Position:
    """The position that a state stands for."""
    own = (state & COUNTS).to_bytes(26, "little")
    hits = state >> HITS
    hit_count = hits.bit_count()
    if hits:
        left = bytearray(opposing)
        while hits:
            left[hits.bit_length() - 1] = 0
            hits &= (1 << hits.bit_length() - 1) - 1
        opposing = bytes(left)
    if player is Player.A:
        points = tuple(map(sub, own[1:25], opposing[1:]))
        return _trusted(points, (own[25], before.bar[1] + hit_count), (own[0], before.off[1]), before.checkers)
    points = tuple(map(sub, opposing[24:0:-1], own[24:0:-1]))
    return _trusted(points, (before.bar[0] + hit_count, own[25]), (before.off[0], own[0]), before.checkers)


def landings(opposing: bytes, die: int, sources: int) -> Landings:
    """The moves of `die` from the points in the bit set `sources` (bit p: point p) that land on open points (clause M2)."""
    found: Landings = []
    shift = SHIFT[die]
    sources >>= die + 1
    target = 1
    while sources:
        if sources & 1:
            men = opposing[target]
            if men < 2:
                point = target + die
                found.append((MASK[point], shift[point], HIT_BIT[target] if men else 0))
        sources >>= 1
        target += 1
    return found


def entry(opposing: bytes, die: int) -> Entry:
    """Entering from the bar with `die` (clause M4), or None when the point is held."""
    target = 25 - die
    men = opposing[target]
    return None if men > 1 else (SHIFT[die][25], HIT_BIT[target] if men else 0)


def bear_off_point(state: int, die: int) -> int:
    """The point `die` bears off from when all are home (clause M8): its own, else the highest if that is lower; 0 if none."""
    if state & MASK[die]:
        return die
    if not state & ABOVE[die]:
        for point in BELOW[die]:
            if state & MASK[point]:
                return point
    return 0


def step(state: int, die: int, moves: Landings, enter: Entry) -> list[int]:
    """Every state after one more move with `die` (clauses M1 to M4, M8)."""
    if state & ON_BAR:
        return [] if enter is None else [state + enter[0] | enter[1]]
    after = [state + shift | hit for mask, shift, hit in moves if state & mask]
    if not state & OUTSIDE:
        point = bear_off_point(state, die)
        if point:
            after.append(state + BEAR_OFF[point])
    return after


def occupied(state: int) -> int:
    """Bit set of the mover's points, 1..25."""
    bits = 0
    for point, n in enumerate(((state & COUNTS) >> 8).to_bytes(25, "little")):
        if n:
            bits |= 2 << point
    return bits


def double_results(state: int, opposing: bytes, die: int) -> tuple[list[int], int]:
    """As `results` for a double. Only sequences from the rearmost source forward are walked: any play of equal dice can be put
    in that order, and each result then comes up once."""
    here = occupied(state)
    reach = here | here >> die
    reach |= reach >> 2 * die
    moves, enter = landings(opposing, die, reach & POINT_BITS)[::-1], entry(opposing, die)
    last = len(moves)
    tails = [[(i, *moves[i]) for i in range(first, last)] for first in range(last + 1)]
    level = [(state, 0)]
    for played in range(4):
        following = []
        for one, first in level:
            if one & ON_BAR:
                if enter:
                    following.append((one + enter[0] | enter[1], 0))
                continue
            following += [(one + shift | hit, i) for i, mask, shift, hit in tails[first] if one & mask]
            if not one & OUTSIDE:
                point = bear_off_point(one, die)
                if point:
                    following.append((one + BEAR_OFF[point], last))
        if not following:
            return ([one for one, _ in level], played) if played else ([], 0)
        level = following
    return [one for one, _ in level], 4


def results(state: int, opposing: bytes, dice: tuple[int, int]) -> tuple[list[int], int]:
    """(the distinct states after every legal play, how many dice each uses); nothing and 0 for a dance."""
    high, low = max(dice), min(dice)
    if high == low:
        return double_results(state, opposing, high)
    here = occupied(state)
    enter_high, enter_low = entry(opposing, high), entry(opposing, low)
    moves_high = landings(opposing, high, (here | here >> low) & POINT_BITS)
    moves_low = landings(opposing, low, (here | here >> high) & POINT_BITS)
    first_high = step(state, high, moves_high, enter_high)
    first_low = step(state, low, moves_low, enter_low)
    both = {after for one in first_high for after in step(one, low, moves_low, enter_low)}
    both.update([after for one in first_low for after in step(one, high, moves_high, enter_high)])
    if both:
        return list(both), 2
    single = first_high or first_low
    return single, 1 if single else 0


def own_counts(state: int) -> bytes:
    """The mover's 26 counts."""
    return (state & COUNTS).to_bytes(26, "little")
