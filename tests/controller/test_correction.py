"""Guided correction: what to lift and where to put it, until the board is right."""

from __future__ import annotations

import random

from test_referee_clauses import AFTER_31, SHORT, opened, to_b

from controller.correction import Lift, correction
from rules.plays import Roll, legal_plays
from rules.position import START, Board, Player, Position


def carried_out(board: Board, lifts: tuple[Lift, ...]) -> list[tuple[int, ...]]:
    """The counts of both sides after the lifts were made; what stands beside the board is not counted."""
    found = []
    for player in Player:
        counts = list(board.counts(player))
        for lift in lifts:
            if lift.player is player:
                counts[lift.start] -= lift.checkers
                counts[lift.end] += lift.checkers
        assert all(n >= 0 for n in counts[1:])
        found.append(tuple(counts[1:]))
    return found


def test_following_the_steps_always_ends_at_the_board_wanted() -> None:
    chance, position = random.Random(5), START
    for number in range(300):
        seen = position.board
        player = Player.A if number % 2 else Player.B
        results = list(legal_plays(position, player, Roll(chance.randint(1, 6), chance.randint(1, 6))))
        target = position
        position = chance.choice(results) if results else position
        if 15 in position.off:
            position = START
        steps = correction(seen, position)
        assert carried_out(seen, steps) == [position.board.counts(p)[1:] for p in Player]
        assert bool(steps) == (seen != position.board), target


def test_a_board_with_too_many_and_too_few_checkers_is_put_right() -> None:
    points = [list(pair) for pair in START.board.points]
    points[5] = [3, 0]
    points[0] = [2, 2]
    steps = correction(Board(tuple((a, b) for a, b in points), (1, 0)), START)
    assert steps == (Lift(Player.A, 25, 6), Lift(Player.A, 1, 6), Lift(Player.A, 1, 0))
    assert steps[0].sentence(("Ada", "Ben")) == "Ada: a checker from the bar to the 6-point"


def test_e3_after_an_illegal_play_the_nearest_legal_one_is_shown_until_it_stands() -> None:
    table = opened().look(SHORT)
    assert table.state.correction == ()
    table.look(SHORT)
    assert [(lift.player, lift.start - lift.end, lift.checkers) for lift in table.state.correction] == [(Player.A, 1, 1)], "the 1 is still to play"
    assert table.look(AFTER_31).state.correction == ()


def test_a_position_set_by_hand_is_shown_until_it_stands() -> None:
    table = opened().order("set_position", position=list(AFTER_31.to_28()), player="B")
    assert table.state.waiting == "waiting for the board to be put right: A: a checker from the 8-point to the 5-point; A: a checker from the 6-point to the 5-point"
    half = Position.from_28([-2, 0, 0, 0, 1, 4, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
    assert [(lift.start, lift.end) for lift in table.look(half).state.correction] == [(8, 5)]
    assert table.look(AFTER_31).state.waiting == "waiting for B's dice"
    assert table.look(half).state.correction == (), "the guide leaves for good once the board was right"


def test_after_an_undo_the_way_back_is_shown() -> None:
    table = to_b().order("undo")
    assert [(lift.start, lift.end) for lift in table.state.correction] == [(5, 8), (5, 6)]
    assert table.look(START).state.correction == ()
