"""The light bar: where a checker is too many and where one is missing, as 26 colours, and as the bits of an APA102 chain. Pure.

>>> len(chain_bits([DARK] * 26, 0.5)) % 8
0
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.state import RefereeState
from rules.position import Board

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""
PLACES = 26
DARK: Colour = (0, 0, 0)
TAKE_FROM: Colour = (255, 0, 0)
PUT_ON: Colour = (0, 255, 0)
BOTH_WRONG: Colour = (255, 120, 0)


def guidance(state: RefereeState) -> tuple[Colour, ...]:
    """While the board has to be put right: red where a checker must be taken from, green where one must go. Dark else.

    Places: A's points 1 to 24, then the bar for A and for B. Orange: a point that one side must leave and the other must enter.
    """
    wanted = state.wanted
    return (DARK,) * PLACES if wanted is None else differences(state.board_shown, wanted.board)


def differences(seen: Board, wanted: Board) -> tuple[Colour, ...]:
    """The colour of each place for what must change from `seen` to `wanted`."""
    colours = []
    for place in range(PLACES):
        change = [_standing(wanted, place, side) - _standing(seen, place, side) for side in (0, 1)]
        if min(change) < 0 < max(change):
            colours.append(BOTH_WRONG)
        else:
            colours.append(TAKE_FROM if min(change) < 0 else PUT_ON if max(change) > 0 else DARK)
    return tuple(colours)


def _standing(board: Board, place: int, side: int) -> int:
    if place < 24:
        return board.points[place][side]
    return board.bar[side] if side == place - 24 else 0


def chain_bits(colours: Sequence[Colour], brightness: float) -> tuple[bool, ...]:
    """What goes down the wire: 32 zeros, 32 bits a lamp (111, 5 bits of brightness, blue, green, red), and ones to push it through."""
    level = max(1, round(31 * brightness))
    words = [0] + [(0b111 << 29) | (level << 24) | (b << 16) | (g << 8) | r for r, g, b in colours]
    bits = [bool(word >> shift & 1) for word in words for shift in range(31, -1, -1)]
    tail = -(-len(colours) // 16) * 8
    return (*bits, *[True] * tail)
