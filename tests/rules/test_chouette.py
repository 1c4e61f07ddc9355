"""Chouette (clauses H1 to H5)."""

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.chouette import BOX, TEAM, BoxStays, Chouette, ChouetteGame, ChouetteRules, Consultation, Seating
from rules.cube import Cube, Refused
from rules.match import Win
from rules.ruleset import RuleSet

FOUR = ("Ann", "Bo", "Cy", "Di")
BEAVERS = RuleSet(beavers=True, raccoons=True)
FREE = ChouetteRules(ruleset=BEAVERS, unanimous=False)


def refused(clause: str, says: str) -> pytest.RaisesExc[Refused]:
    return pytest.RaisesExc(Refused, match=says, check=lambda error: error.clause == clause)


def test_H1_the_highest_is_the_box_the_second_the_captain() -> None:
    seating = Seating.of(FOUR).rolled({"Ann": 2, "Bo": 6, "Cy": 3, "Di": 5})
    assert seating.order == ("Bo", "Di", "Cy", "Ann") and not seating.to_roll
    table = Chouette(seating.order)
    assert (table.game().box, table.game().captain, table.game().team) == ("Bo", "Di", ("Di", "Cy", "Ann"))


def test_H1_ties_roll_again_among_themselves() -> None:
    seating = Seating.of(FOUR).rolled({"Ann": 4, "Bo": 6, "Cy": 4, "Di": 4})
    assert seating.to_roll == {"Ann", "Cy", "Di"}
    with refused("H1", "Still tied: Ann, Cy, Di"):
        _ = seating.order
    with refused("H1", "One die from each of Ann, Cy, Di is wanted"):
        seating.rolled({"Ann": 4, "Bo": 6, "Cy": 4, "Di": 4})
    seating = seating.rolled({"Ann": 1, "Cy": 5, "Di": 1}).rolled({"Ann": 1, "Di": 2})
    assert seating.order == ("Bo", "Cy", "Di", "Ann")
    with refused("H1", "nobody is wanted"):
        seating.rolled({"Ann": 1})
    with refused("H1", "1 to 6"):
        Seating.of(("a", "b", "c")).rolled({"a": 1, "b": 7, "c": 2})
    with refused("H1", "1 to 6"):
        Seating.of(("a", "b", "c")).rolled({"a": 1, "b": 0, "c": 2})


@pytest.mark.parametrize("number", [2, 9])
def test_H1_three_to_eight_players(number: int) -> None:
    names = tuple("abcdefghi"[:number])
    for make in (Chouette, Seating.of):
        with refused("H1", f"3 to 8 players, not {number}"):
            make(names)
    assert Seating.of(names[:8] if number > 8 else "abc").to_roll
    with refused("H1", "one name"):
        Chouette(("a", "b", "a"))


def test_H2_the_captain_decides_and_the_rest_advise_as_the_house_says() -> None:
    for consultation, before, after in ((Consultation.ALWAYS, True, True), (Consultation.NEVER, False, False), (Consultation.AFTER_OWN_CUBE, False, True)):
        game = Chouette(FOUR, ChouetteRules(unanimous=False, consultation=consultation)).game()
        assert game.may_consult("Bo") and game.may_consult("Cy") is before
        turned = game.team_doubles({"Cy"}).box_answers({"Cy"})
        assert turned.may_consult("Cy") is after and turned.may_consult("Di") is before
    dropped = Chouette(FOUR, ChouetteRules(consultation=Consultation.AFTER_OWN_CUBE)).game().box_doubles().team_answers({"Bo", "Cy"})
    assert dropped.may_consult("Di")  # who is out has no cube to protect


def test_H3_the_team_doubles_unanimously_or_not_at_all() -> None:
    game = Chouette(FOUR).game()
    with refused("H3", "only unanimously; Cy, Di is against it"):
        game.team_doubles({"Bo"})
    offered = game.team_doubles({"Bo", "Cy", "Di"})
    assert offered.offered(TEAM) == ("Bo", "Cy", "Di") and offered.offered(BOX) == ()
    with refused("H3", "takes or passes as one"):
        offered.box_answers({"Bo"})
    taken = offered.box_answers({"Bo", "Cy", "Di"})
    assert taken.cube("Cy") == Cube(2, BOX, None, True) and not taken.ended
    with refused("C2", "owns the cube"):
        taken.team_doubles({"Bo", "Cy", "Di"})
    passed = offered.box_answers(())
    assert passed.ended and passed.settlement == {"Ann": -3, "Bo": 1, "Cy": 1, "Di": 1}
    assert passed.winner is TEAM


def test_H3_whose_cube_the_box_holds_has_no_say() -> None:
    rules = ChouetteRules(ruleset=BEAVERS)
    game = Chouette(FOUR, rules).game().box_doubles({"Bo"}).team_answers({"Bo"})
    game = game.team_doubles({"Bo", "Cy", "Di"}).box_answers({"Bo", "Cy", "Di"})
    again = game.box_doubles({"Bo"}).team_answers({"Bo"})
    assert again.cube("Bo").value == 8
    with refused("H3", "Nobody doubles"):
        game.team_doubles(())
    assert again.team_doubles({"Bo"}).offered(TEAM) == ("Bo",)


def test_H3_each_takes_or_drops_for_himself() -> None:
    game = Chouette(FOUR).game().box_doubles()
    assert game.offered(BOX) == ("Bo", "Cy", "Di")
    answered = game.team_answers({"Cy", "Di"})
    assert (answered.captain, answered.members, answered.paid) == ("Cy", ("Cy", "Di"), {"Bo": -1})
    assert answered.cube("Di") == Cube(2, TEAM, None, True)
    with refused("H3", "Bo is not in this game"):
        answered.cube("Bo")
    again = answered.team_doubles({"Cy", "Di"}).box_answers({"Cy", "Di"}).box_doubles({"Di"}).team_answers(())
    assert again.paid == {"Bo": -1, "Di": -4} and again.members == ("Cy",) and again.captain == "Cy"
    everybody = game.team_answers(())
    assert everybody.ended and everybody.settlement == {"Ann": 3, "Bo": -1, "Cy": -1, "Di": -1} and everybody.winner is BOX
    assert everybody.captain == "Bo"


def test_H3_refusals() -> None:
    game = Chouette(FOUR, FREE).game()
    with refused("H3", "Eve is not in this game"):
        game.team_doubles({"Eve"})
    with refused("H3", "Nobody is doubled"):
        game.box_doubles(())
    for answer in (game.team_answers, game.box_answers):
        with refused("C3", "No double is offered"):
            answer({"Bo"})
    doubled = game.box_doubles({"Bo"})
    with refused("H3", "Cy was not doubled"):
        doubled.team_answers({"Cy"})
    with refused("C3", "No double is offered"):
        doubled.box_answers({"Bo"})
    with refused("H3", "Only who takes"):
        doubled.team_answers((), {"Bo"})
    with refused("H3", "Only a cube that is taken"):
        game.team_doubles({"Bo"}).box_answers((), {"Bo"})
    for late in (lambda: doubled.over(TEAM, Win.SINGLE), lambda: doubled.box_doubles({"Cy"}), lambda: doubled.settle("Cy", 1)):
        with refused("C3", "Bo's cube is offered"):
            late()
    with refused("H3", "The game is over"):
        game.over(TEAM, Win.SINGLE).over(TEAM, Win.SINGLE)
    with refused("H5", "not over"):
        _ = game.settlement


def test_H3_how_many_cubes_a_box_must_take() -> None:
    game = Chouette(FOUR, ChouetteRules(unanimous=False, least_takes=Fraction(1, 2))).game().team_doubles({"Bo", "Cy", "Di"})
    with refused("H3", "takes 1/2 of the cubes or more"):
        game.box_answers({"Bo"})
    some = game.box_answers({"Bo", "Di"})
    assert some.paid == {"Cy": 1} and some.members == ("Bo", "Di")
    assert game.box_answers(()).ended
    with pytest.raises(ValueError, match="a share from 0 to 1"):
        ChouetteRules(least_takes=Fraction(3, 2))


def test_H3_beavers() -> None:
    rules = ChouetteRules(ruleset=BEAVERS, lone_taker_beavers=True)
    game = Chouette(FOUR, rules).game().box_doubles()
    with refused("H3", "Cy takes alone and must beaver"):
        game.team_answers({"Cy"})
    beavered = game.team_answers({"Cy"}, {"Cy"})
    assert beavered.cube("Cy").stake == 4 and beavered.offered(TEAM) == ("Cy",)
    taken = beavered.box_answers({"Cy"})
    assert taken.cube("Cy") == Cube(4, TEAM, None, True)
    assert beavered.box_answers(()).settlement == {"Ann": 0, "Bo": -1, "Cy": 2, "Di": -1}
    raccoon = beavered.box_answers({"Cy"}, {"Cy"}).team_answers({"Cy"})
    assert raccoon.cube("Cy") == Cube(8, TEAM, None, True)
    assert game.team_answers({"Cy", "Di"}).members == ("Cy", "Di")
    both = game.team_answers({"Cy", "Di"}, {"Cy", "Di"})
    assert both.box_answers({"Di"}).paid == {"Bo": -1, "Cy": 2}  # beavers are answered one by one
    with pytest.raises(ValueError, match="needs beavers"):
        ChouetteRules(lone_taker_beavers=True)


def test_H4_the_box_stays_when_it_wins_and_goes_last_when_it_loses() -> None:
    table = Chouette(FOUR)
    assert table.after(table.game().over(BOX, Win.SINGLE)).order == ("Ann", "Cy", "Di", "Bo")
    assert table.after(table.game().over(TEAM, Win.GAMMON)).order == ("Bo", "Cy", "Di", "Ann")
    # The captain dropped: the next taker is captain at the end, and it is him the box has to beat.
    game = table.game().box_doubles().team_answers({"Cy", "Di"})
    assert table.after(game.over(TEAM, Win.SINGLE)).order == ("Cy", "Bo", "Di", "Ann")
    assert table.after(game.over(BOX, Win.SINGLE)).order == ("Ann", "Bo", "Di", "Cy")
    with refused("H4", "another order"):
        table.after(Chouette(("Bo", "Ann", "Cy", "Di")).game().over(BOX, Win.SINGLE))


@pytest.mark.parametrize(
    ("stays", "winner", "took", "expected"),
    [
        (BoxStays.BEATS_CAPTAIN, TEAM, "Bo", False),
        (BoxStays.BEATS_CAPTAIN, TEAM, "Di", False),
        (BoxStays.BEATS_ALL, BOX, "Bo", True),
        (BoxStays.BEATS_ALL, TEAM, "Bo", False),
        (BoxStays.BREAKS_EVEN, TEAM, "Bo", True),
        (BoxStays.BREAKS_EVEN, BOX, "Bo", True),
    ],
)
def test_H4_what_the_box_must_do_to_stay(stays: BoxStays, winner: object, took: str, expected: bool) -> None:
    """One takes and two drop: the box has two points and wins or loses two more."""
    game = Chouette(FOUR, ChouetteRules(box_stays=stays)).game().box_doubles().team_answers({took}).over(winner, Win.SINGLE)  # type: ignore[arg-type]
    assert game.box_stays is expected


def test_H5_each_at_his_own_stake() -> None:
    jacoby = ChouetteRules(unanimous=False, ruleset=RuleSet(jacoby=True))
    game = Chouette(FOUR, jacoby).game().team_doubles({"Cy", "Di"}).box_answers({"Cy"})
    ended = game.over(TEAM, Win.GAMMON)
    assert ended.settlement == {"Ann": -6, "Bo": 1, "Cy": 4, "Di": 1}  # Bo's cube was not turned: by Jacoby his gammon is single
    assert game.over(BOX, Win.BACKGAMMON).settlement == {"Ann": 1 + 6 - 1, "Bo": -1, "Cy": -6, "Di": 1}


def test_H5_agreed_settlements() -> None:
    game = Chouette(FOUR).game().settle("Bo", -2)
    assert game.captain == "Cy" and game.over(TEAM, Win.SINGLE).settlement == {"Ann": 0, "Bo": -2, "Cy": 1, "Di": 1}
    all_agreed = game.settle("Cy", 1).settle("Di", 1)
    assert all_agreed.ended and all_agreed.winner is TEAM and all_agreed.settlement["Ann"] == 0
    with refused("H5", "no settlements"):
        Chouette(FOUR, ChouetteRules(settlements=False)).game().settle("Bo", 1)


def test_H4_a_member_who_settled_for_nothing_is_not_beaten() -> None:
    game = Chouette(FOUR, ChouetteRules(box_stays=BoxStays.BEATS_ALL)).game().settle("Bo", 0).over(BOX, Win.SINGLE)
    assert game.settlement == {"Ann": 2, "Bo": 0, "Cy": -1, "Di": -1} and not game.box_stays


def test_S6_an_automatic_double_turns_every_cube() -> None:
    game = Chouette(FOUR, ChouetteRules(ruleset=RuleSet(automatic_doubles=1))).game().opening_tie().opening_tie()
    assert [game.cube(name) for name in game.members] == [Cube(2)] * 3
    assert game.over(BOX, Win.SINGLE).settlement == {"Ann": 6, "Bo": -2, "Cy": -2, "Di": -2}
    assert Chouette(FOUR).game().opening_tie() == Chouette(FOUR).game()


def random_game(game: ChouetteGame, rng: random.Random) -> ChouetteGame:
    """Whatever a table may do until the game ends."""

    def some(names: tuple[str, ...]) -> set[str]:
        return {name for name in names if rng.random() < 0.6}

    for _ in range(12):
        if game.ended:
            return game
        try:
            if game.offered(BOX):
                takers = some(game.offered(BOX))
                game = game.team_answers(takers, takers if rng.random() < 0.2 else ())
            elif game.offered(TEAM):
                takers = some(game.offered(TEAM)) if rng.random() < 0.5 else set(game.offered(TEAM))
                game = game.box_answers(takers, takers if rng.random() < 0.2 else ())
            elif rng.random() < 0.15:
                game = game.settle(rng.choice(game.members), rng.randint(-5, 5))
            elif rng.random() < 0.5:
                game = game.box_doubles(some(game.members))
            else:
                game = game.team_doubles(game.members if rng.random() < 0.5 else some(game.members))
        except Refused:
            continue
    while game.offered(BOX):
        game = game.team_answers(game.offered(BOX))
    if game.offered(TEAM):
        game = game.box_answers(game.offered(TEAM))
    return game if game.ended else game.over(rng.choice([TEAM, BOX]), rng.choice(list(Win)))


RULES = st.builds(
    ChouetteRules,
    ruleset=st.builds(RuleSet, jacoby=st.booleans(), beavers=st.just(True), raccoons=st.booleans(), backgammon_points=st.sampled_from([2, 3])),
    unanimous=st.booleans(),
    consultation=st.sampled_from(Consultation),
    least_takes=st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]),
    lone_taker_beavers=st.booleans(),
    box_stays=st.sampled_from(BoxStays),
)


@settings(max_examples=200, deadline=None)
@given(st.integers(3, 8), RULES, st.integers(0, 2**32))
def test_H5_every_settlement_sums_to_zero(players: int, rules: ChouetteRules, seed: int) -> None:
    """An evening of random games, random doubles, beavers, drops and settlements."""
    rng = random.Random(seed)
    table = Chouette(tuple("abcdefgh"[:players]), rules)
    for _ in range(6):
        game = random_game(table.game(), rng)
        assert sum(game.settlement.values()) == 0
        assert set(game.settlement) == set(table.order)
        following = table.after(game)
        assert sum(following.totals.values()) == 0
        assert sorted(following.order) == sorted(table.order)
        assert following.order[0] == (game.box if game.box_stays else game.captain)
        table = following
