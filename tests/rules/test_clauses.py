"""The clauses of board and movement (B1 to B5, D1 to D3, M1 to M10), each by the smallest position that shows it."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from some_positions import PLAYERS, ROLLS, positions, stand, written

from rules.notation import short
from rules.plays import Move, Roll, is_forced, legal_plays, legal_results, winner
from rules.position import START, Board, Player, Position, PositionError, Status, own_point, setup_differences

A, B = Player.A, Player.B
SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "rules"


def test_B1_twenty_four_points() -> None:
    with pytest.raises(PositionError, match="24 points") as error:
        Position(START.points[:23])
    assert error.value.status is Status.POINT_COUNT
    with pytest.raises(PositionError, match="24 points"):
        Board(START.board.points[:23])


def test_B2_fifteen_a_side_on_their_points() -> None:
    for player in Player:
        counts = START.counts(player)
        assert {p: n for p, n in enumerate(counts) if n} == {24: 2, 13: 5, 8: 3, 6: 5}
        assert START.pips(player) == 167
    short_of_one = list(START.points)
    short_of_one[23] = 1
    with pytest.raises(PositionError, match=r"^A has too few checkers$"):
        Position(tuple(short_of_one))


def test_B3_one_travels_down_and_the_other_up() -> None:
    assert [own_point(p, B) for p in (1, 6, 24)] == [24, 19, 1] and own_point(7, A) == 7
    position = stand({20: 1}, {20: 1})
    assert written(legal_plays(position, A, Roll(2, 1))) == {"20/17"}
    for player in Player:
        for play in legal_plays(position, player, Roll(2, 1)).values():
            assert all(move.end < move.start for move in play.moves)
            assert play.result.pips(player) == 17 and play.result.pips(player.other) == 20
    assert stand({25: 1}, {}).pips(A) == 25  # the bar costs no pip of its own: entering with a 1 lands on the 24-point
    assert [play.result.pips(A) for play in legal_plays(stand({25: 1}, {1: 1}), A, Roll(1, 1)).values()] == [21]


def test_B5_what_is_wrong_point_by_point() -> None:
    points = [list(pair) for pair in START.board.points]
    points[5] = [4, 0]
    points[11] = [1, 5]
    board = Board(tuple((a, b) for a, b in points), (0, 1))
    assert setup_differences(board, names=("Ann", "Bo")) == [
        "Ann's 12-point has 1 Ann checker; it should have 0.",
        "Ann's 6-point has 4 Ann checkers; it should have 5.",
        "The bar has 1 Bo checker; it should have 0.",
    ]
    points[12] = [5, 0]
    points[18] = [0, 0]
    board = Board(tuple((a, b) for a, b in points), (0, 0))
    assert setup_differences(board)[0] == "B's 6-point has no B checker; it should have 5."


def test_D2_two_dice_each() -> None:
    assert Roll(5, 3).dice == (5, 3) and (Roll(3, 5).high, Roll(3, 5).low) == (5, 3)
    assert written(legal_plays(stand({20: 1}, {1: 1}), A, Roll(5, 3))) == {"20/12"}


def test_D3_a_double_is_four_moves() -> None:
    assert Roll(4, 4).dice == (4, 4, 4, 4) and Roll(4, 4).double and not Roll(4, 3).double
    plays = legal_plays(stand({24: 1}, {2: 1}), A, Roll(4, 4))
    assert plays.dice_played == 4 and written(plays) == {"24/8"}


def test_M1_every_landing_must_be_open() -> None:
    position = stand({20: 1}, {25 - 17: 2, 25 - 15: 2})
    assert written(legal_plays(position, A, Roll(5, 3))) == set()
    position = stand({20: 1}, {25 - 17: 2})
    assert written(legal_plays(position, A, Roll(5, 3))) == {"20/12"}
    assert next(iter(legal_plays(position, A, Roll(5, 3)).values())).moves == (Move(20, 15), Move(15, 12))


def test_M2_where_a_move_may_land() -> None:
    roll = Roll(2, 1)
    assert written(legal_plays(stand({10: 1, 8: 4}, {1: 1}), A, roll)) >= {"10/7"}  # an empty point
    assert written(legal_plays(stand({10: 1, 7: 4}, {1: 1}), A, roll)) >= {"10/7"}  # any number of own checkers
    assert written(legal_plays(stand({10: 1}, {25 - 7: 1}), A, roll)) == {"10/7*"}  # a single opposing one
    held = stand({10: 1}, {25 - 7: 2})
    assert written(legal_plays(held, A, roll)) == {"10/8"}  # not two; the higher die is played
    assert written(legal_plays(stand({13: 1}, {25 - 9: 2, 25 - 8: 2, 25 - 6: 2}), A, Roll(3, 3))) == {"13/1"}  # over them it may pass


def test_M3_a_hit_goes_to_the_bar_and_is_never_compulsory() -> None:
    position = stand({10: 1, 4: 2}, {25 - 8: 1})
    plays = legal_plays(position, A, Roll(2, 1))
    assert "10/8*/7" in written(plays) and "4/3 4/2" in written(plays)
    hit = next(play.result for play in plays.values() if short(play.moves) == "10/8*/7")
    assert (hit.bar, hit.at(A, 8)) == ((0, 1), 0)
    unhit = next(play.result for play in plays.values() if short(play.moves) == "4/3 4/2")
    assert (unhit.bar, unhit.at(A, 8)) == ((0, 0), -1)


def test_M4_the_bar_first_and_each_with_one_die() -> None:
    assert written(legal_plays(stand({25: 1, 6: 1}, {1: 1}), A, Roll(4, 3))) == {"bar/18", "bar/21 6/3", "bar/22 6/2"}
    # The sum does not enter: 21 and 22 are held, 18 is open.
    shut = stand({25: 1, 6: 1}, {4: 2, 3: 2})
    assert written(legal_plays(shut, A, Roll(4, 3))) == set()
    # Two on the bar and one number that enters: nothing else may move.
    two = stand({25: 2, 6: 1}, {4: 2})
    assert written(legal_plays(two, A, Roll(4, 3))) == {"bar/22"}
    assert written(legal_plays(stand({25: 2, 6: 1}, {1: 1}), A, Roll(2, 2))) == {"bar/21(2)", "bar/23(2) 6/2", "bar/23 bar/21 6/4", "bar/23 bar/19"}


def test_M5_nobody_enters_the_turn_is_lost() -> None:
    closed = stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2))
    for high in range(1, 7):
        for low in range(1, high + 1):
            assert not legal_plays(closed, A, Roll(high, low)) and legal_results(closed, A, Roll(high, low)) == {closed}


def test_M6_both_dice_else_the_larger() -> None:
    # 8/2 with the 6 leaves no 2 but 24/22: both must be played.
    both = stand({24: 1, 8: 1, 6: 13}, {21: 2, 9: 2, 7: 3, 6: 4, 5: 4})
    assert written(legal_plays(both, A, Roll(6, 2))) == {"24/22 8/2"}
    either = stand({12: 1}, {25 - 3: 2})
    assert written(legal_plays(either, A, Roll(6, 3))) == {"12/6"}
    assert legal_plays(either, A, Roll(6, 3)).dice_played == 1
    lower = stand({12: 1}, {25 - 3: 2, 25 - 6: 2})
    assert written(legal_plays(lower, A, Roll(3, 6))) == {"12/9"}
    assert legal_plays(stand({20: 1}, {25 - 8: 2}), A, Roll(4, 4)).dice_played == 2


def test_M6_the_last_checker_too_plays_both_dice_when_it_can() -> None:
    """Off with the 3 at once, or the blot hit with the 1 and then off: both dice can be played, so both are (docs/decisions/0011)."""
    hits = legal_plays(stand({3: 1}, {25 - 2: 1}), A, Roll(3, 1))
    assert written(hits) == {"3/2*/off"} and hits.dice_played == 2
    assert written(legal_plays(stand({3: 1}, {25 - 2: 2}), A, Roll(3, 1))) == {"3/off"}  # the 1 is blocked
    # Without a blot both ways end in one position, the game won.
    assert [play.result.off for play in legal_plays(stand({3: 1}, {1: 1}), A, Roll(3, 1)).values()] == [(15, 14)]


def test_M7_what_cannot_be_played_is_lost() -> None:
    stuck = stand({7: 2}, {25 - 1: 2, 25 - 2: 2})
    assert legal_results(stuck, A, Roll(6, 5)) == {stuck} and is_forced(stuck, A, Roll(6, 5))
    assert not is_forced(START, A, Roll(6, 5)) and is_forced(stand({20: 1}, {1: 1}), A, Roll(2, 1))


def test_M8_bearing_off() -> None:
    assert written(legal_plays(stand({8: 1, 6: 2}, {1: 1}), A, Roll(6, 1))) == {"8/2 6/5", "8/1"}  # not all home
    assert written(legal_plays(stand({7: 1, 6: 2}, {1: 1}), A, Roll(6, 1))) == {"7/1 6/5", "7/off"}
    assert written(legal_plays(stand({5: 1, 3: 1}, {1: 1}), A, Roll(5, 3))) == {"5/off 3/off", "5/2 3/off"}
    assert written(legal_plays(stand({4: 1, 3: 1}, {1: 1}), A, Roll(6, 5))) == {"4/off 3/off"}  # larger than the highest
    assert written(legal_plays(stand({6: 1, 3: 1}, {1: 1}), A, Roll(5, 4))) == {"6/1 3/off", "6/2 3/off"}
    # Not compulsory while the number can be moved within the board.
    assert written(legal_plays(stand({6: 1, 2: 1}, {1: 1}), A, Roll(2, 1))) == {"6/3", "6/4 2/1", "6/5 2/off"}
    # Held points leave nothing.
    assert written(legal_plays(stand({6: 2}, {25 - 1: 2, 25 - 2: 2}), A, Roll(5, 4))) == set()


def test_M9_hit_in_the_bear_off() -> None:
    position = stand({25: 1, 6: 1}, {1: 1})
    assert position.off == (13, 14)
    for play in legal_plays(position, A, Roll(6, 5)).values():
        assert play.result.off == (13, 14)  # he must first come home


def test_M10_the_first_to_bear_off_all() -> None:
    assert winner(START) is None and winner(stand({1: 1}, {1: 1})) is None  # fourteen are not all
    last = legal_plays(stand({1: 1}, {1: 2}), A, Roll(2, 1))
    (play,) = last.values()
    assert winner(play.result) is A and winner(play.result.mirrored) is B
    assert last.dice_played == 1 and not legal_plays(play.result, A, Roll(2, 1))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared positions are not here")
def test_D3_M1_start_position_counts_to_depth_two() -> None:
    """The counts of research 1.4: after each roll the sum over the 21 replies, and how many of them differ."""
    wanted = json.loads((SHARED / "start_position_counts.json").read_text())
    rolls = [Roll(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    assert len([key for key in wanted if len(key) == 2]) == 21
    for roll in rolls:
        first = legal_results(START, A, roll)
        nodes, distinct = 0, set[Position]()
        for position in first:
            for reply in rolls:
                results = legal_results(position, B, reply)
                nodes += len(results)
                distinct |= results
        want = wanted[f"{roll.first}{roll.second}"]
        assert (len(first), nodes, len(distinct)) == (want["depth1"], want["depth2_nodes"], want["depth2_distinct"]), roll


# --- properties ---


@settings(max_examples=150, deadline=None)
@given(positions(), PLAYERS, ROLLS)
def test_M1_to_M9_whatever_is_played_keeps_every_checker(position: Position, player: Player, roll: Roll) -> None:
    plays = legal_plays(position, player, roll)
    for result, play in plays.items():
        Position.from_28(result.to_28())  # adds up
        used = [move.pips for move in play.moves]
        assert len(used) == plays.dice_played == len(play.moves)
        assert result.pips(player) == position.pips(player) - sum(used)
        hits = sum(move.hit for move in play.moves)
        assert result.bar[player.other.side] == position.bar[player.other.side] + hits
        assert result.off[player.side] >= position.off[player.side] and result.off[player.other.side] == position.off[player.other.side]
        assert all(move.start != move.end and (move.pips in roll.dice or (move.end == 0 and move.pips < roll.high)) for move in play.moves)


@settings(max_examples=150, deadline=None)
@given(positions(), PLAYERS, ROLLS)
def test_B4_both_directions_are_alike(position: Position, player: Player, roll: Roll) -> None:
    mirrored = legal_plays(position.mirrored, player.other, roll)
    assert {p.mirrored for p in legal_plays(position, player, roll)} == set(mirrored)
    assert position.mirrored.mirrored == position and position.mirrored.pips(player.other) == position.pips(player)


@settings(max_examples=150, deadline=None)
@given(positions(), PLAYERS, ROLLS)
def test_M6_the_order_of_the_dice_does_not_matter(position: Position, player: Player, roll: Roll) -> None:
    turned = Roll(roll.second, roll.first)
    assert set(legal_plays(position, player, roll)) == set(legal_plays(position, player, turned))


def literal(position: Position, player: Player, roll: Roll) -> set[Position]:
    """The rule as it is written: every sequence tried one die at a time, the longest kept, of single dice the larger."""

    def moves(here: Position, die: int) -> list[Position]:
        own, other = list(here.counts(player)), list(here.counts(player.other))
        found = []
        for start in [25] if own[25] else [p for p in range(1, 25) if own[p]]:
            end = start - die
            if end > 0:
                if other[25 - end] > 1:
                    continue
            elif any(own[7:]) or (end < 0 and any(own[start + 1 : 7])):
                continue
            mine, his = own.copy(), other.copy()
            mine[start] -= 1
            mine[max(end, 0)] += 1
            if end > 0 and his[25 - end]:
                his[25 - end] -= 1
                his[25] += 1
            found.append(Position.from_counts(*((mine, his) if player is A else (his, mine))))
        return found

    orders = [roll.dice] if roll.double else [(roll.high, roll.low), (roll.low, roll.high)]
    best: dict[int, set[Position]] = {}
    for order in orders:
        level = {position}
        for n, die in enumerate(order, start=1):
            level = {after for one in level for after in moves(one, die)}
            if level and not (n == 1 and order[0] == roll.low and best.get(1)):
                best.setdefault(n, set()).update(level)
    return best[max(best)] if best else set()


@settings(max_examples=150, deadline=None)
@given(positions(), PLAYERS, ROLLS)
def test_M6_the_results_are_those_of_the_rule_read_literally(position: Position, player: Player, roll: Roll) -> None:
    assert set(legal_plays(position, player, roll)) == literal(position, player, roll)
