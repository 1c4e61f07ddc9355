"""Checking whole records (D1, D2, M1 to M10, C1 to C4, S1 to S7)."""

from dataclasses import replace

import pytest
from played_games import money_session, random_match
from some_positions import stand

from rules.check import Finding, check_match, illegal_plays
from rules.cube import Cube
from rules.formats.any_format import FORMATS, LARGEST, read_match
from rules.match import Ending, GameResult, Win
from rules.notation import short
from rules.plays import Roll
from rules.position import START, Player, Position
from rules.record import (
    AnyTurn,
    CannotHold,
    DanceTurn,
    Double,
    Drop,
    FormatError,
    GameRecord,
    IllegalTurn,
    MatchRecord,
    PlayTurn,
    RollTurn,
    Take,
)
from rules.ruleset import RuleSet

A, B = Player.A, Player.B
OPENED = PlayTurn(A, Roll(3, 1), "8/5 6/5")
REPLY = PlayTurn(B, Roll(6, 3), "24/18 13/10")
WON_A, WON_B = (GameResult(player, 1, Win.SINGLE, Ending.RESIGNED) for player in (A, B))


def game(*turns: AnyTurn, scores: tuple[int, int] = (0, 0), result: GameResult | None = None, **more: object) -> GameRecord:
    return GameRecord(scores, turns, result, **more)  # type: ignore[arg-type]


def match(*games: GameRecord, length: int = 5, ruleset: RuleSet | None = None) -> MatchRecord:
    return MatchRecord(("Ann", "Bo"), length, games, ruleset=ruleset or RuleSet())


def found(*games: GameRecord, length: int = 5, ruleset: RuleSet | None = None) -> list[tuple[int, int, str, str]]:
    return [(f.game, f.turn, f.clause, f.sentence) for f in check_match(match(*games, length=length, ruleset=ruleset))]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_found_in_what_was_played_by_the_rules(seed: int) -> None:
    assert check_match(random_match(seed, 11)) == []
    assert check_match(money_session(seed, 5)) == []
    assert check_match(match()) == []


def test_M6_an_illegal_play_with_its_position_and_the_nearest_plays() -> None:
    (one,) = check_match(match(game(PlayTurn(A, Roll(5, 2), "13/11"), REPLY)))
    assert (one.game, one.turn, one.clause, one.before, one.roll) == (1, 1, "M6", START, Roll(5, 2))
    assert one.sentence == "Ann played only the 2; the 5 could also be played: 13/8."
    assert [short(play.moves) for play in one.nearest][0] == "13/11 13/8" and illegal_plays([one]) == [one]  # noqa: RUF015
    wrong = Position((*START.points[:3], 1, 1, 4, 0, 2, *START.points[8:]))
    assert [f[:3] for f in found(game(IllegalTurn(A, Roll(3, 1), wrong), REPLY))] == [(1, 1, "M1")]
    assert found(game(DanceTurn(A, Roll(3, 1))))[0][2] == "M7"
    assert found(game(PlayTurn(A, Roll(3, 1), "7/4"))) == [(1, 1, "M1", "A's play of 3-1 cannot be carried out from this position.")]


def test_D1_D2_order() -> None:
    assert found(game(OPENED, OPENED))[0] == (1, 2, "D2", "It is B's turn, not A's.")
    assert found(game(PlayTurn(A, Roll(3, 3), "8/5(2) 6/3(2)")))[0][2] == "D1"
    assert found(game(OPENED, RollTurn(B, Roll(6, 3)), PlayTurn(B, Roll(6, 2), "24/18 13/11")))[0][1:3] == (3, "D2")


def test_M10_turns_after_the_end() -> None:
    over = game(OPENED, Double(B), Drop(A), REPLY, PlayTurn(A, Roll(2, 1), "13/10"), result=GameResult(B, 1, Win.SINGLE, Ending.DROPPED))
    assert found(over) == [(1, 4, "M10", "The game was over before this turn.")]


def test_C1_to_C4_the_cube() -> None:
    assert found(game(OPENED, Double(B), Take(B)))[0][:3] == (1, 3, "C3")
    assert found(game(OPENED, Double(B, 4))) == [(1, 2, "C1", "The cube goes to 2 here, not to 4.")]
    crawford = [game(OPENED, result=replace(WON_A, points=4, win=Win.GAMMON), start_cube=Cube(2)), game(OPENED, Double(B), scores=(4, 0))]
    assert found(*crawford) == [(2, 2, "C4", "This is the Crawford game; nobody may double.")]
    (one,) = check_match(match(*crawford))
    assert one.event == Double(B) and one.before is not None and one.roll is None and illegal_plays([one]) == []


@pytest.mark.parametrize("scores", [(5, 0), (0, 5), (2026, 0), (7, 9)])
def test_S2_a_score_that_has_won_the_match_already(scores: tuple[int, int]) -> None:
    """In the first game and in a later one; what follows is not looked at, and every format writes it or refuses it in a sentence."""
    name = "Ann" if scores[0] >= 5 else "Bo"
    begun = game(OPENED, scores=scores, result=WON_A)
    assert found(begun) == [(1, 0, "S2", f"{name} had won the match before this game.")]
    later = found(game(OPENED, result=WON_A), begun, game(OPENED, scores=scores))
    assert later == [
        (2, 0, "S2", f"The score is written as {scores[0]}-{scores[1]}; the games before make it 1-0."),
        (2, 0, "S2", f"With that score {name} had won the match before this game."),
    ]
    for kind in FORMATS.values():
        for record in (match(begun), match(game(OPENED, result=WON_A), begun, game(OPENED, scores=scores))):
            try:
                kind.write(record)
            except CannotHold as refusal:
                assert str(refusal).startswith("game ")


def test_S2_scores() -> None:
    assert found(game(OPENED, result=WON_A), game(OPENED, scores=(1, 0), result=WON_B), game(OPENED, scores=(2, 1))) == [
        (3, 0, "S2", "The score is written as 2-1; the games before make it 1-1.")
    ]
    assert found(game(OPENED, result=WON_A), game(scores=(1, 0)), length=1) == [(2, 0, "S2", "Ann had won the match before this game.")]
    assert found(game(OPENED), game(OPENED)) == [(1, 0, "M10", "This game has no end, yet another follows.")]


def test_S3_the_crawford_flag() -> None:
    midway = game(OPENED, Double(B), scores=(4, 2), crawford=False)
    assert found(midway) == []
    assert found(replace(midway, scores=(1, 0)), length=2) == []
    assert found(replace(midway, crawford=True))[0][2] == "C4" and found(replace(midway, crawford=None))[0][2] == "C4"
    assert found(game(OPENED, crawford=True)) == [(1, 0, "S3", "By the score this is not the Crawford game; the file says otherwise.")]
    said = game(OPENED, scores=(4, 0), crawford=False)
    gammon = GameResult(A, 4, Win.GAMMON, Ending.RESIGNED)
    assert found(game(OPENED, result=gammon, start_cube=Cube(2)), said) == [
        (2, 0, "S3", "By the score this is the Crawford game; the file says otherwise.")
    ]


def test_S1_S5_results() -> None:
    off = game(PlayTurn(A, Roll(2, 1), "1/off"), start=stand({1: 1}, {6: 15}), result=GameResult(A, 2, Win.GAMMON))
    assert found(off) == []
    assert found(replace(off, result=GameResult(B, 2, Win.GAMMON))) == [(1, 0, "M10", "Ann won the game, not Bo.")]
    assert found(replace(off, result=GameResult(A, 1))) == [(1, 0, "S1", "Ann won 2 points (gammon), not 1.")]
    assert found(replace(off, result=GameResult(A, 1, Win.GAMMON)), length=0, ruleset=RuleSet(jacoby=True)) == []
    assert found(replace(off, stated_points=3)) == [(1, 0, "S1", "Ann won 2 points (gammon); the file says 3.")]
    assert found(replace(off, stated_points=1, scores=(4, 0)), length=5) == []  # capped at what the match needs
    assert found(replace(off, stated_points=1), length=0) == [(1, 0, "S1", "Ann won 2 points (gammon); the file says 1.")]
    assert found(replace(off, stated_points=2)) == []
    assert found(game(OPENED, result=GameResult(A, 1))) == [(1, 0, "M10", "The game is played, but neither borne off nor passed.")]
    assert found(game(OPENED, result=replace(WON_A, points=2)))[0][3] == "Ann won 1 point (single), not 2."


def test_S6_S7_automatic_doubles() -> None:
    twice = game(OPENED, Double(B, 8), automatic_doubles=2)
    assert found(twice, length=5) == [(1, 0, "S7", "The cube begins at 4, but in a match there are none.")]
    one = RuleSet(automatic_doubles=1)
    assert found(twice, length=0, ruleset=one) == [(1, 0, "S6", "The cube begins at 4, but the rule set allows 1.")]
    assert found(twice, length=0, ruleset=RuleSet(automatic_doubles=2)) == []


def test_B5_a_game_begun_with_too_few_checkers() -> None:
    start = stand({1: 1}, {6: 14})
    result = GameResult(A, 2, Win.GAMMON)
    assert found(game(PlayTurn(A, Roll(2, 1), "1/off"), start=start, missing=(0, 1), result=result)) == []
    assert found(game(PlayTurn(A, Roll(2, 1), "1/off"), start=start, result=result))[0][2] == "S1"


def test_a_finding_knows_what_it_is_about() -> None:
    one = Finding(1, 0, "S2", "x")
    assert illegal_plays([one, replace(one, turn=1, event=DanceTurn(A, Roll(6, 5)))]) == [replace(one, turn=1, event=DanceTurn(A, Roll(6, 5)))]


# --- any file ---


def test_any_file_is_known_by_its_content() -> None:
    record = random_match(1, 3)
    for ending in (".mat", ".sgf", ".txt"):
        data = FORMATS[ending].write(record)
        again = read_match(data)
        assert [g.scores for g in again.games] == [g.scores for g in record.games] and again.remarks == ()
        assert read_match(b"\xef\xbb\xbf" + data).players == record.players
    assert FORMATS[".txt"].left_out(record) == FORMATS[".mat"].left_out(record) == FORMATS[".sgf"].left_out(record) == []
    latin = FORMATS[".mat"].write(replace(record, players=("Jo", "Åke"))).decode().encode("latin-1")
    assert read_match(latin).players == ("Jo", "Åke") and read_match(latin).remarks[0].startswith("line 4: this is not UTF-8")


def test_no_file_is_read_that_is_too_large() -> None:
    with pytest.raises(FormatError, match="the most that is read is 4,000,000") as error:
        read_match(bytes(LARGEST + 1))
    assert error.value.line == 0
    with pytest.raises(FormatError, match="point match"):
        read_match(bytes(1000))
