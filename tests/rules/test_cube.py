"""The cube (clauses C1 to C4), beavers and raccoons."""

from collections.abc import Callable

import pytest

from rules.cube import Cube, Refused
from rules.match import GameResult, MatchState
from rules.position import Player
from rules.ruleset import RuleSet, preset

A, B = Player.A, Player.B
BEAVERS = RuleSet(beavers=True, raccoons=True)
FACES = [(1, 64), (2, 2), (4, 4), (8, 8), (16, 16), (32, 32), (64, 64), (128, 2), (2048, 32), (4096, 64), (8192, 2)]


@pytest.mark.parametrize(("value", "face"), FACES)
def test_C1_face(value: int, face: int) -> None:
    assert Cube(value).face == face


def test_C1_starts_in_the_middle_and_has_no_limit() -> None:
    cube = Cube()
    assert (cube.value, cube.owner, cube.offered_by, cube.turned) == (1, None, None, False)
    for n in range(12):
        doubler = (A, B)[n % 2]
        cube = cube.offer(doubler)
        assert cube.stake == 2 ** (n + 1)
        cube = cube.take(doubler.other)
    assert (cube.value, cube.owner, cube.stake) == (4096, A, 4096)


def test_C1_a_beaver_may_reach_the_limit_and_not_pass_it() -> None:
    doubled = Cube().offer(A)
    assert doubled.beaver(B, RuleSet(beavers=True, cube_limit=4)).stake == 4
    with pytest.raises(Refused, match="may not go beyond 2"):
        doubled.beaver(B, RuleSet(beavers=True, cube_limit=2))


def test_C1_limit_of_a_rule_set() -> None:
    rules = RuleSet(cube_limit=4)
    assert Cube(2, A).offer(A, ruleset=rules).stake == 4
    with pytest.raises(Refused, match="beyond 4"):
        Cube(4, A).offer(A, ruleset=rules)
    with pytest.raises(Refused, match="beyond 4"):
        Cube(2, A).offer(A).beaver(B, RuleSet(cube_limit=4, beavers=True))


@pytest.mark.parametrize("value", [0, -2, 3, 12])
def test_C1_no_such_value(value: int) -> None:
    with pytest.raises(ValueError, match="a cube's value"):
        Cube(value)


def test_C2_the_owner_alone() -> None:
    assert Cube().offer(A).offered_by is A
    assert Cube().offer(B).offered_by is B
    assert Cube(2, A).offer(A).offered_by is A
    with pytest.raises(Refused) as refused:
        Cube(2, B).offer(A)
    assert refused.value.clause == "C2" and str(refused.value) == "The other player owns the cube. (C2)"


def test_C2_shut_out_may_double_unless_the_rule_set_says_no() -> None:
    assert Cube().offer(A, shut_out=True).offered_by is A
    strict = RuleSet(double_when_shut_out=False)
    assert Cube().offer(A, ruleset=strict).offered_by is A
    with pytest.raises(Refused, match="shut out"):
        Cube().offer(A, shut_out=True, ruleset=strict)


def test_C3_take_and_pass() -> None:
    offered = Cube(2, A, turned=True).offer(A)
    assert offered.take(B) == Cube(4, B, None, True)
    assert offered.drop(B) == 2
    answers: list[Callable[[Player], object]] = [offered.take, offered.drop]
    for answer in answers:
        with pytest.raises(Refused, match="his own double"):
            answer(A)
    answers = [Cube().take, Cube().drop]
    for answer in answers:
        with pytest.raises(Refused, match="No double"):
            answer(A)
    with pytest.raises(Refused, match="C3"):
        offered.offer(A)


def test_C4_refusals() -> None:
    for late in ({"rolled": True}, {"on_turn": False}):
        with pytest.raises(Refused) as refused:
            Cube().offer(A, **late)  # type: ignore[arg-type]
        assert refused.value.clause == "C4"
    with pytest.raises(Refused, match="Crawford") as refused:
        MatchState(3).after(GameResult(B, 2)).double(Cube(), A)
    assert refused.value.clause == "C4"


@pytest.mark.parametrize(("value", "dead"), [(1, False), (2, True), (4, True)])
def test_C4_dead_cube(value: int, dead: bool) -> None:
    """A has 3 of 5: a win at 2 wins the match already."""
    match = MatchState(5, games=(GameResult(A, 3),))
    cube = Cube(value, A if value > 1 else None)
    if not dead:
        assert match.double(cube, A).offered_by is A
        return
    with pytest.raises(Refused, match="beyond what the match allows") as refused:
        match.double(cube, A)
    assert refused.value.clause == "C4"
    assert match.double(Cube(value, B), B).offered_by is B


def test_C3_beaver_and_raccoon() -> None:
    double = Cube().offer(A)
    with pytest.raises(Refused, match="beaver"):
        double.beaver(B)
    beaver = double.beaver(B, BEAVERS)
    assert (beaver.value, beaver.stake, beaver.drop(A)) == (2, 4, 2)
    assert beaver.take(A) == Cube(4, B, None, True)
    with pytest.raises(Refused, match="raccoon"):
        beaver.beaver(A, preset("money"))
    raccoon = beaver.beaver(A, BEAVERS)
    assert (raccoon.value, raccoon.stake, raccoon.drop(B)) == (4, 8, 4)
    assert raccoon.take(B) == Cube(8, B, None, True)
    with pytest.raises(Refused, match="raccoon"):
        raccoon.beaver(B, BEAVERS)
    with pytest.raises(Refused, match="his own"):
        double.beaver(A, BEAVERS)


def test_S7_no_beavers_in_a_match() -> None:
    with pytest.raises(Refused, match="money"):
        MatchState(5, BEAVERS).beaver(Cube().offer(A), B)
    assert MatchState(0, BEAVERS).beaver(Cube().offer(A), B).kept_by is B
