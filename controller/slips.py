"""The slips that happen at a table, each with a look of its own: boards that a turn may have been left at, and how often it is.

One illegal board among all that a careless play can reach is unlikely (`thresholds.PLAUSIBLE_ILLEGAL`); a play that stops after one die is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from controller import thresholds as T
from controller.evidence import Key, key_of
from rules import engine
from rules.plays import Roll, legal_results
from rules.position import Player, Position


def on_the_way(position: Position, player: Player, roll: Roll) -> frozenset[Key]:
    """Every board that the player may leave the table at while he plays this roll, the untouched one included."""
    state, opposing = engine.pack(position, player)
    moves = {die: (engine.landings(opposing, die, engine.POINT_BITS), engine.entry(opposing, die)) for die in set(roll.dice)}
    reached = {state}
    for order in [roll.dice] if roll.double else [roll.dice, roll.dice[::-1]]:
        level = {state}
        for die in order:
            level = {after for one in level for after in engine.step(one, die, *moves[die])}
            reached |= level
    return frozenset(key_of(engine.unpack(one, opposing, position, player)) for one in reached)


@lru_cache(maxsize=4096)
def slips(before: Position, player: Player, roll: Roll) -> dict[Key, float]:
    """Prior of each board that is no legal play of this roll, but a slip: nothing played, stopped on the way, checkers left on the bar
    while others were moved, hit checkers not put on the bar. However many boards a slip can end at share its prior."""
    results = legal_results(before, player, roll)
    legal = {key_of(r) for r in results}
    found: dict[Key, float] = {}

    def add(keys: Iterable[Key], prior: float) -> None:
        wrong = [key for key in keys if key not in legal]
        for key in wrong:
            found[key] = found.get(key, 0.0) + prior / len(wrong)

    untouched = key_of(before)
    add([untouched], T.PRIOR_UNTOUCHED)
    add(on_the_way(before, player, roll) - {untouched}, T.PRIOR_HALF)
    add(_left_on_bar(before, player, roll), T.PRIOR_LEFT_ON_BAR)
    other = 24 + player.other.side
    for result in results:
        key = key_of(result)
        for n in range(1, key[other] - before.bar[other - 24] + 1):
            unhit = (*key[:other], key[other] - n, *key[other + 1 :])
            found[unhit] = found.get(unhit, 0.0) + T.PRIOR_UNHIT / len(results)
    return found


def _left_on_bar(before: Position, player: Player, roll: Roll) -> set[Key]:
    """Whole plays of the checkers that are not on the bar."""
    side = player.side
    waiting = before.bar[side]
    if not waiting:
        return set()
    bar, off = list(before.bar), list(before.off)
    bar[side], off[side] = 0, off[side] + waiting
    free = replace(before, bar=(bar[0], bar[1]), off=(off[0], off[1]))
    keys = (key_of(r) for r in legal_results(free, player, roll))
    return {(*key[: 24 + side], waiting, *key[25 + side :]) for key in keys} - {key_of(before)}
