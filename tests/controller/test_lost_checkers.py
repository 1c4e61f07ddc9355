"""A checker that is missing, and one that was borne off, are told apart by whether its owner could bear off."""

from controller.doubt import lost_by
from controller.weigh import Turn
from rules.plays import Roll
from rules.position import Player, Position

BEFORE = Position.from_28([9, 0, 0, 0, 0, -2, -1, 0, 0, -3, 0, 0, 0, 0, 0, 1, -1, 0, 0, -3, 0, -2, 1, -3, 2, 0, 2, 0])
"""A has two on the bar and two borne off."""
GONE = Position.from_28([9, 0, 0, 0, 0, -2, -1, 0, 0, -3, 0, 0, 0, 0, 0, 1, -1, 0, 0, -3, 0, -2, 1, -3, 1, 0, 3, 0])
HOME = Position.from_28([9, 2, 0, 0, 0, 0, 0, 0, 0, -3, 0, 0, 0, 0, 0, 0, -2, 0, 0, -3, 0, -4, 0, -3, 0, 0, 4, 0])
HOME_ONE_LESS = Position.from_28([9, 1, 0, 0, 0, 0, 0, 0, 0, -3, 0, 0, 0, 0, 0, 0, -2, 0, 0, -3, 0, -4, 0, -3, 0, 0, 5, 0])


def turn(before: Position) -> Turn:
    return Turn(before, Player.B, Roll(5, 2))


def test_who_has_a_checker_on_the_bar_has_borne_none_off() -> None:
    """Else it would count as borne off for the rest of the game, and every position told after it would be wrong by one."""
    assert lost_by(turn(BEFORE), ((GONE, 0.6), (BEFORE, 0.4)), (0, 0)) == ((GONE, (1, 0)), (BEFORE, (0, 0)))


def test_the_mover_s_own_checker_is_missing_when_he_could_not_bear_it_off() -> None:
    own = Position.from_28([9, 0, 0, 0, 0, -1, -1, 0, 0, -3, 0, 0, 0, 0, 0, 1, -1, 0, 0, -3, 0, -2, 1, -3, 2, 0, 2, 1])
    assert lost_by(turn(BEFORE), ((own, 0.6), (BEFORE, 0.4)), (0, 0)) == ((own, (0, 1)), (BEFORE, (0, 0)))


def test_who_stands_at_home_may_have_borne_one_off_unseen() -> None:
    assert lost_by(turn(HOME), ((HOME_ONE_LESS, 0.6), (HOME, 0.4)), (0, 0)) == ()


def test_what_was_missing_before_stays_so() -> None:
    assert lost_by(turn(BEFORE), ((GONE, 0.6), (BEFORE, 0.4)), (0, 1)) == ((GONE, (1, 1)), (BEFORE, (0, 1)))
