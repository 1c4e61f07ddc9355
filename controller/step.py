"""One scene's (or command's) worth of change: the state as it becomes, and the events said on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from controller import thresholds as T
from controller.events import Event, Kind
from controller.evidence import Evidence, Key, key_of
from controller.state import RefereeState, Ways, board_of
from controller.weigh import Turn, is_board
from rules.cube import Cube
from rules.dice import VoidRoll
from rules.judge import infer
from rules.plays import Roll
from rules.position import Player, Position


class Step:
    """A state under change. The caller's state is never touched: states are immutable, and each change makes a new one."""

    def __init__(self, state: RefereeState) -> None:
        self.state = state
        self.events: list[Event] = []

    def say(self, kind: Kind, **data: Any) -> None:
        self.events.append(Event(kind, self.state.frame, self.state.time, data))

    def say_void(self, player: Player, why: VoidRoll, **more: Any) -> None:
        """A void roll, with the reason in the rules' own words."""
        self.say("roll_void", player=player.value, reason=why.reason, clause=why.clause, sentence=why.sentence, **more)

    def set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)

    def see(self, evidence: Evidence) -> None:
        """Add one more look at the board."""
        old = self.state.evidence
        self.set(evidence=old.plus(evidence) if old else evidence, covered=evidence.covered)

    def forget_covered(self) -> None:
        """What the last look did not show may have changed since it was last seen: a play was just ended."""
        if self.state.covered and self.state.evidence is not None:
            self.set(evidence=self.state.evidence.without(self.state.covered))

    def name(self, player: Player) -> str:
        return self.state.names[player.side]

    def numbers(self, position: Position) -> list[int]:
        """28 integers as the records have them: checkers lost to an illegal play that stood are nowhere, not off."""
        missing = self.state.missing
        return [*position.points, *position.bar, *(max(position.off[side] - missing[side], 0) for side in (0, 1))]

    def key_numbers(self, key: Key, before: Position, player: Player) -> list[int]:
        """28 integers of an observed board: the mover's missing checkers are off, the opponent's off is as it was."""
        off = self.numbers(before)[26:]
        off[player.side] += max(board_of(key_of(before)).on_table(player) - board_of(key).on_table(player), 0)
        return [*key, *off]

    def settle(self, position: Position) -> None:
        """The turn did begin at `position`, one of those in mind: what was missing there is missing, and what stands there again is not."""
        missing = dict(self.state.lost).get(position)
        known = next((p.off for p, _ in self.beliefs if p.points == position.points), None)
        if missing is None and known is not None:
            a, b = (max(n + now - of, 0) for n, now, of in zip(self.state.missing, position.off, known, strict=True))
            missing = (a, b)
        if missing is not None:
            self.set(missing=missing)
        self.set(lost=())

    @property
    def beliefs(self) -> tuple[tuple[Position, float], ...]:
        return self.state.beliefs or ((self.state.position, 1.0),)

    def moved(self, *, off: bool = False) -> bool:
        """The board is surely none of the positions in mind. `off`: checkers that are gone may have been borne off unseen."""
        evidence = self.state.evidence
        players = self._bearing_off if off else lambda _: ()
        return evidence is not None and all(is_board(evidence, p, off=players(p)) < 1 - T.PLAYED_ON for p, _ in self.beliefs)

    def unmoved(self, *, off: bool = False) -> bool:
        """The board is surely the position in mind. `off`: even though checkers may have been borne off unseen."""
        evidence = self.state.evidence
        players = self._bearing_off if off else lambda _: ()
        return evidence is not None and any(is_board(evidence, p, off=players(p)) >= T.PLAYED_ON for p, _ in self.beliefs)

    @staticmethod
    def _bearing_off(position: Position) -> tuple[Player, ...]:
        return tuple(p for p in Player if all_home(position, p))

    def clear(self, position: Position, turn: Player | None) -> None:
        """Forget the turn under way; cube, games and the look of the board stay."""
        self.set(
            position=position, turn=turn, beliefs=(), lost=(), throw=None, said="nothing", announced=None, opening=False, early=None,
            open=None, undo=None, last_said=None, cube_hint=None, turns=(), pressed=(), resigning=None,
        )  # fmt: skip

    def fresh_game(self) -> None:
        self.clear(self.state.start, None)
        self.set(cube=Cube(), missing=(0, 0), setup_said=False, resting=())


def dice_of(roll: Roll) -> list[int]:
    return [roll.first, roll.second]


def all_home(position: Position, player: Player) -> bool:
    """May the player bear off (M8)?"""
    return not any(position.counts(player)[7:])


def same_numbers(a: Roll | None, b: Roll) -> bool:
    return a is not None and (a.high, a.low) == (b.high, b.low)


def position_of(key: Key, checkers: int) -> Position | None:
    """The position when missing checkers are taken as off; None when it cannot be one."""
    return infer(board_of(key), checkers)


def ways_of(ways: Mapping[Turn, float]) -> Ways:
    total = sum(ways.values()) or 1.0
    return tuple((t.before, t.player, t.roll, p / total) for t, p in ways.items() if p / total > T.BELIEF)
