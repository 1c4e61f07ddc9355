"""Calling errors (clauses B5, E1 to E3) and the rule sets' differences."""

from dataclasses import fields
from pathlib import Path

import pytest

from rules.calling import Settled, Since, in_time, may_call, must_call, settle, setup_stands
from rules.position import Player
from rules.ruleset import DEFAULT, PRESETS, CallUntil, IllegalPlays, RuleSet, RuleSetError, preset

A, B = Player.A, Player.B


@pytest.mark.parametrize(
    ("until", "last"),
    [
        (CallUntil.OPPONENT_ROLLS_OR_DOUBLES, Since.NOTHING),
        (CallUntil.OPPONENT_ROLLS, Since.DOUBLED),
        (CallUntil.OPPONENT_PLAYED, Since.ROLLED),
    ],
)
def test_E1_until_when(until: CallUntil, last: Since) -> None:
    for since in Since:
        assert in_time(since, RuleSet(call_until=until)) is (since <= last)
    assert in_time(Since.DOUBLED) and not in_time(Since.ROLLED)


def test_E1_who_may_and_who_must() -> None:
    legal, responsible = preset("usbgf legal moves"), preset("responsible moves")
    for ruleset, offender_may, must in ((DEFAULT, True, False), (legal, True, True), (responsible, False, False)):
        assert may_call(A, A, ruleset) is offender_may and may_call(B, A, ruleset) and may_call(A, B, ruleset)
        assert must_call(ruleset) is must


def test_E2_not_called_in_time_it_stands() -> None:
    assert settle(Since.NOTHING, called=False) == Settled("E2", False)
    assert settle(Since.ROLLED, called=True) == settle(Since.PLAYED, called=True) == Settled("E2", False)


def test_E3_called_it_is_taken_back() -> None:
    assert settle(Since.NOTHING, called=True) == settle(Since.DOUBLED, called=True) == Settled("E3", True)
    late = RuleSet(call_until=CallUntil.OPPONENT_PLAYED)
    assert settle(Since.ROLLED, called=True, ruleset=late) == Settled("E3", True, roll_withdrawn=True)


def test_B5_a_wrong_setup_stands_in_the_end() -> None:
    assert [setup_stands(n) for n in (0, 1, 2)] == [False, True, True]
    assert [setup_stands(n, preset("WBGT-2010")) for n in (0, 1, 2, 3)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("club", {}),
        ("tournament", {"clock_ends_turn": True}),
        ("either half", {"either_half": True}),
        ("us 2008", {"call_until": CallUntil.OPPONENT_ROLLS_OR_DOUBLES, "premature_stands": True}),
        ("wbgf", {"illegal_plays": IllegalPlays.LEGAL_MOVES, "clock_ends_turn": True}),
        ("wbgt 2010", {"illegal_plays": IllegalPlays.LEGAL_MOVES, "setup_stands_after": 2, "clock_ends_turn": True}),
        ("responsible moves", {"illegal_plays": IllegalPlays.RESPONSIBLE_MOVES, "clock_ends_turn": True}),
        ("money", {"crawford": False, "jacoby": True, "beavers": True, "automatic_doubles": 1}),
        ("money without extras", {"crawford": False, "jacoby": True}),
        *[
            (name, {
                "illegal_plays": IllegalPlays.LEGAL_MOVES, "call_until": CallUntil.OPPONENT_ROLLS_OR_DOUBLES,
                "premature_stands": True, "clock_ends_turn": True,
            })
            for name in ("usbgf legal moves", "ukbgf")
        ],
    ],
)  # fmt: skip
def test_D7_presets_differ_from_the_seeds_only_where_they_say(name: str, changed: dict[str, object]) -> None:
    made = preset(name)
    assert made.name == name
    assert {f.name: getattr(made, f.name) for f in fields(made) if f.name != "name" and getattr(made, f.name) != getattr(DEFAULT, f.name)} == changed
    page = (Path(__file__).parents[2] / "docs/rulesets.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert {word for word in changed if f"`{word}`" in row} == set(changed)


def test_D7_every_field_and_name_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs/rulesets.md").read_text()
    words = {True: "yes", False: "no"}
    for field in fields(RuleSet):
        default = getattr(DEFAULT, field.name)
        assert f"\n| `{field.name}` | {words.get(default, default) if isinstance(default, bool) else default} |" in page, field.name
    assert [name for name in PRESETS if f"\n| `{name}` |" not in page] == []


@pytest.mark.parametrize("name", ["USBGF-style legal moves", "usbgf", "USBGF_LEGAL_MOVES"])
def test_D7_names_in_any_spelling(name: str) -> None:
    assert preset(name) == preset("usbgf legal moves")
    assert preset("WBGF-style") == preset("wbgf")


def test_D7_settings_files() -> None:
    assert RuleSet.from_mapping({}) == DEFAULT
    for least, most in (({"checkers": 1}, {"checkers": 15}), ({"setup_stands_after": 1}, {"backgammon_points": 2}), ({"cube_limit": 1}, {"cube_limit": 0})):
        assert RuleSet.from_mapping(least) == RuleSet(**least) and RuleSet.from_mapping(most) == RuleSet(**most)
    made = RuleSet.from_mapping({"preset": "money", "raccoons": True, "call_until": "opponent played", "cube_limit": 64, "name": "Ours"})
    assert (made.jacoby, made.raccoons, made.call_until, made.cube_limit, made.name) == (True, True, CallUntil.OPPONENT_PLAYED, 64, "Ours")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"preset": "chess"}, "no rule set is called 'chess'; there are club, "),
        ({"preset": 3}, "preset: a name, not 3"),
        ({"jacobi": True}, "jacobi: no such rule; the rules are name, checkers, "),
        ({"jacoby": 1}, "jacoby: true or false, not 1"),
        ({"cube_limit": True}, "cube_limit: a whole number, not True"),
        ({"name": 5}, "name: a text, not 5"),
        ({"call_until": "never"}, "call_until: one of 'opponent rolls', 'opponent rolls or doubles', 'opponent played', not 'never'"),
        ({"checkers": 0}, "checkers: a side has 1 to 15 checkers, not 0"),
        ({"checkers": 16}, "checkers: a side has 1 to 15 checkers, not 16"),
        ({"setup_stands_after": 0}, "setup_stands_after: a number of turns, 1 or more, not 0"),
        ({"backgammon_points": 4}, "backgammon_points: a backgammon counts 2 or 3 times, not 4"),
        ({"automatic_doubles": -1}, "automatic_doubles: a number of doubles, 0 or more, not -1"),
        ({"cube_limit": 3}, "cube_limit: a power of two, or 0 for none, not 3"),
        ({"cube_limit": -2}, "cube_limit: a power of two, or 0 for none, not -2"),
        ({"split_stands": True}, "split_stands: needs either_half as well"),
        ({"raccoons": True}, "raccoons: needs beavers as well"),
    ],
)
def test_D7_bad_settings_get_one_sentence(values: dict[str, object], says: str) -> None:
    with pytest.raises(RuleSetError) as error:
        RuleSet.from_mapping(values)
    assert str(error.value).startswith(says)
