"""A game as a fold over events (D1, D2, M5, M10, C1 to C4, S1, S4, S6, E2, E3, B5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_games import money_session, random_match
from some_positions import stand

from rules.cube import Cube, Refused
from rules.game import GameState, IllegalPlay, literal_result
from rules.match import Ending, GameResult, MatchState, Win
from rules.plays import Move, Play, Roll, legal_plays
from rules.position import START, Player, Position
from rules.record import (
    Beaver,
    DanceTurn,
    Double,
    Drop,
    Event,
    IllegalTurn,
    OpeningTie,
    PlayTurn,
    Resign,
    RollTurn,
    Take,
)
from rules.ruleset import RuleSet

A, B = Player.A, Player.B
MONEY = MatchState(0, RuleSet(jacoby=True, beavers=True, raccoons=True, automatic_doubles=1, crawford=False))
OPENED = PlayTurn(A, Roll(3, 1), "8/5 6/5")
REPLY = PlayTurn(B, Roll(6, 3), "24/18 13/10")


SEVEN = MatchState(7)


def after(*events: Event, match: MatchState = SEVEN, start: Position = START) -> GameState:
    state = GameState(match, start)
    for event in events:
        state = state.after(event)
    return state


def refused(state: GameState, event: Event) -> tuple[str, str]:
    with pytest.raises(Refused) as error:
        state.after(event)
    return error.value.clause, error.value.sentence


def test_D1_the_opening_roll_is_no_double() -> None:
    assert refused(GameState(MatchState(7)), PlayTurn(A, Roll(3, 3), "8/5(2) 6/3(2)")) == (
        "D1",
        "The opening roll is one die each, both different; 3-3 is a tie.",
    )
    assert refused(after(OPENED), OpeningTie()) == ("D1", "Only the opening roll is rolled again after a tie.")
    assert after(OPENED, PlayTurn(B, Roll(3, 3), "8/5(2) 6/3(2)")).rolls == (1, 1)


def test_D2_the_players_alternate() -> None:
    state = after(OPENED)
    assert state.on_turn is B and state.rolls == (1, 0) and state.board.at(A, 5) == 2
    assert refused(state, PlayTurn(A, Roll(3, 1), "8/5 6/5")) == ("D2", "It is B's turn, not A's.")
    assert refused(state, Double(A)) == ("D2", "It is B's turn, not A's.")
    lies = state.after(RollTurn(B, Roll(6, 3)))
    assert lies.rolled == Roll(6, 3) and lies.board == state.board and lies.on_turn is B
    assert refused(lies, PlayTurn(B, Roll(6, 2), "24/18 13/11")) == ("D2", "B has rolled 6-3 already.")
    assert lies.after(REPLY).rolls == (1, 1) and lies.after(REPLY).rolled is None


def test_D5_until_the_turn_has_ended_any_play_of_the_roll_may_be_made() -> None:
    """While the dice lie it is still the roller's turn: nothing is decided, and the other side may neither roll nor double."""
    lies = after(RollTurn(A, Roll(3, 1)))
    assert (lies.on_turn, lies.board, lies.result) == (A, START, None)
    assert refused(lies, RollTurn(B, Roll(6, 3))) == refused(lies, Double(B)) == ("D2", "It is A's turn, not B's.")
    ends = [lies.after(PlayTurn(A, Roll(3, 1), legal_plays(START, A, Roll(3, 1))[result])) for result in legal_plays(START, A, Roll(3, 1))]
    assert len({state.board for state in ends}) == 16 and {state.on_turn for state in ends} == {B}


def test_M5_who_is_shut_out_does_not_roll() -> None:
    shut = stand({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 3}, {25: 1, 6: 14})
    state = GameState(MatchState(7), shut).after(PlayTurn(A, Roll(2, 1), "8/5"))
    assert state.on_turn is B
    again = state.after(PlayTurn(A, Roll(2, 1), "8/5"))
    assert again.rolls == (2, 0) and state.after(Double(A)).cube.offered_by is A


def test_M6_an_illegal_play_is_refused_with_the_judge_s_words() -> None:
    with pytest.raises(IllegalPlay) as error:
        after(PlayTurn(A, Roll(5, 2), "13/11"))
    assert error.value.clause == "M6" and error.value.sentence == "A played only the 2; the 5 could also be played: 13/8."
    assert len(error.value.verdict.nearest) == 3
    assert refused(GameState(MatchState(7)), DanceTurn(A, Roll(3, 1)))[0] == "M7"
    assert refused(GameState(MatchState(7)), PlayTurn(A, Roll(3, 1), "7/4")) == ("M1", "A's play of 3-1 cannot be carried out from this position.")


def test_E2_E3_what_stands_and_what_is_taken_back() -> None:
    wrong = Position((*START.points[:3], 1, 1, 4, 0, 2, *START.points[8:]))
    stood = GameState(MatchState(7)).as_it_happened(IllegalTurn(A, Roll(3, 1), wrong))
    assert stood.board == wrong and stood.on_turn is B
    called = after(IllegalTurn(A, Roll(3, 1), wrong, stood=False))
    assert called.board == START and called.on_turn is A and called.rolled == Roll(3, 1)
    assert called.after(OPENED).board == after(OPENED).board and called.after(OPENED).rolls == (1, 0)
    with pytest.raises(IllegalPlay):
        after(IllegalTurn(A, Roll(3, 1), wrong))


def test_M10_S1_the_last_checker_off_ends_the_game() -> None:
    last = GameState(MatchState(7), stand({1: 1}, {6: 15}))
    over = last.after(PlayTurn(A, Roll(2, 1), "1/off"))
    assert over.result == GameResult(A, 2, Win.GAMMON) and over.next_match.score == (2, 0)
    for event in (REPLY, Double(B), OpeningTie(), Resign(B, Win.SINGLE)):
        assert refused(over, event) == ("M10", "The game is over.")
    with pytest.raises(Refused, match="not over"):
        _ = last.next_match


def test_B5_S1_missing_checkers_were_borne_off_by_nobody() -> None:
    start = stand({1: 1}, {6: 14})
    assert GameState(MatchState(7), start).after(PlayTurn(A, Roll(2, 1), "1/off")).result == GameResult(A, 1)
    assert GameState(MatchState(7), start, missing=(0, 1)).after(PlayTurn(A, Roll(2, 1), "1/off")).result == GameResult(A, 2, Win.GAMMON)
    assert GameState(MatchState(7), start, missing=(1, 0)).after(PlayTurn(A, Roll(2, 1), "1/off")).result == GameResult(A, 1)


def test_S1_resignation_at_an_agreed_level() -> None:
    state = after(OPENED, Double(B), Take(A))
    for level, points in zip(Win, (2, 4, 6), strict=True):
        assert state.after(Resign(A, level)).result == GameResult(B, points, level, Ending.RESIGNED)
    assert after(OPENED, match=MONEY).after(Resign(B, Win.GAMMON)).result == GameResult(A, 1, Win.GAMMON, Ending.RESIGNED)


def test_C1_to_C3_the_cube_of_a_game() -> None:
    offered = after(OPENED, Double(B, 2))
    assert offered.cube == Cube(1, None, B, True)
    assert refused(offered, REPLY) == ("C3", "A double is offered; it must be taken or passed before anybody rolls.")
    taken = offered.after(Take(A))
    assert taken.cube == Cube(2, A, None, True) and taken.after(REPLY).after(Double(A, 4)).cube.stake == 4
    assert offered.after(Drop(A)).result == GameResult(B, 1, Win.SINGLE, Ending.DROPPED)
    assert refused(taken, Double(B))[0] == "C2"
    assert refused(after(OPENED), Double(B, 4)) == ("C1", "The cube goes to 2 here, not to 4.")
    assert refused(after(OPENED), Take(A))[0] == refused(after(OPENED), Drop(A))[0] == "C3"


def test_C2_C4_when_nobody_may_double() -> None:
    assert refused(GameState(MatchState(7)), Double(A)) == ("C4", "Only the player whose turn it is may double.")
    assert refused(after(OPENED, RollTurn(B, Roll(6, 3))), Double(B)) == ("C4", "The dice are thrown; a double comes before the roll.")
    crawford = GameState(MatchState(7, start_score=(6, 0))).after(OPENED)
    assert refused(crawford, Double(B)) == ("C4", "This is the Crawford game; nobody may double.")
    strict = MatchState(7, RuleSet(double_when_shut_out=False))
    shut = stand({25: 1, 6: 14}, dict.fromkeys(range(1, 7), 2) | {8: 3})
    assert refused(GameState(strict, shut, on_turn=A), Double(A))[0] == "C2"
    assert GameState(MatchState(7), shut, on_turn=A).after(Double(A)).cube.offered_by is A


def test_S4_holland_counts_the_rolls_of_this_game() -> None:
    match = MatchState(3, RuleSet(holland=True)).after(GameResult(A, 2)).after(GameResult(B, 1))
    state = GameState(match).after(OPENED).after(REPLY).after(PlayTurn(A, Roll(2, 1), "13/11 6/5"))
    assert state.rolls == (2, 1)
    assert refused(state, Double(B)) == ("S4", "After the Crawford game both sides roll twice before a double.")
    later = state.after(PlayTurn(B, Roll(2, 1), "13/11 6/5")).after(PlayTurn(A, Roll(2, 1), "24/22 6/5"))
    assert later.rolls == (3, 2) and later.after(Double(B)).cube.offered_by is B


def test_S6_S7_automatic_doubles() -> None:
    once = GameState(MONEY).after(OpeningTie())
    assert once.cube == Cube(2) and once.ties == 1
    twice = once.after(OpeningTie())
    assert twice.cube == Cube(2) and twice.ties == 1
    assert GameState(MatchState(7)).after(OpeningTie()).cube == Cube()
    assert once.after(OPENED).after(Double(B, 4)).after(Drop(A)).result == GameResult(B, 2, Win.SINGLE, Ending.DROPPED)


def test_C3_beavers_belong_to_money() -> None:
    doubled = GameState(MONEY).after(OPENED).after(Double(B, 2))
    beaver = doubled.after(Beaver(A, 4))
    assert beaver.cube == Cube(2, None, B.other, True, kept_by=A) and beaver.cube.stake == 4
    played = beaver.after(REPLY)  # whoever rolls on has taken the beaver
    assert played.cube == Cube(4, A, None, True)
    assert beaver.after(Take(B)).cube == Cube(4, A, None, True)
    assert beaver.after(Beaver(B, 8)).after(Take(A)).cube == Cube(8, A, None, True)
    assert refused(doubled, Beaver(A, 8)) == ("C1", "The cube goes to 4 here, not to 8.")
    assert refused(after(OPENED, Double(B)), Beaver(A)) == ("C3", "Beavers belong to money play.")


def test_what_a_record_says_of_the_cube_counts_even_against_the_rules() -> None:
    state = GameState(MatchState(7)).as_it_happened(Double(A, 8))
    assert state.cube == Cube(4, None, A, True) and state.on_turn is A
    assert state.as_it_happened(Take(B)).cube == Cube(8, B, None, True)
    assert GameState(MatchState(7)).as_it_happened(Take(B)).cube == Cube()
    assert GameState(MatchState(7)).as_it_happened(Drop(B)).result == GameResult(A, 1, Win.SINGLE, Ending.DROPPED)
    over = GameState(MatchState(7)).as_it_happened(Drop(B)).as_it_happened(OPENED)
    assert over.result == GameResult(A, 1, Win.SINGLE, Ending.DROPPED)


def test_what_a_turn_says_it_leads_to() -> None:
    play = next(iter(legal_plays(START, A, Roll(3, 1)).values()))
    assert literal_result(PlayTurn(A, Roll(3, 1), play), START) == play.result
    assert literal_result(PlayTurn(A, Roll(3, 1), play.moves), START) == play.result
    assert literal_result(PlayTurn(A, Roll(3, 1), (Move(7, 4),)), START) is None
    assert literal_result(PlayTurn(A, Roll(3, 1), "nonsense"), START) is None
    assert literal_result(PlayTurn(A, Roll(3, 1), (Move(26, 23),)), START) is None
    assert literal_result(PlayTurn(A, Roll(3, 1), "13/12 24/18"), START) is None
    assert literal_result(IllegalTurn(A, Roll(3, 1), START.board), START) is None
    assert literal_result(IllegalTurn(A, Roll(3, 1), START), START) == START
    assert literal_result(DanceTurn(A, Roll(3, 1)), START) == literal_result(RollTurn(A, Roll(3, 1)), START) == START
    assert literal_result(PlayTurn(A, Roll(2, 1), Play((), START)), START) == START


def test_the_turn_to_a_position() -> None:
    state = GameState(MatchState(7))
    result = next(iter(legal_plays(START, A, Roll(3, 1))))
    turn = state.legal_turn(A, Roll(3, 1), result)
    assert isinstance(turn, PlayTurn) and isinstance(turn.moves, Play) and turn.moves.result == result
    assert state.legal_turn(A, Roll(3, 1), START) == IllegalTurn(A, Roll(3, 1), START)
    closed = stand({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2))
    assert GameState(MatchState(7), closed).legal_turn(A, Roll(3, 1), closed) == DanceTurn(A, Roll(3, 1))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_C1_to_S6_random_games_are_allowed_event_by_event(seed: int, money: bool) -> None:
    record = money_session(seed, 1) if money else random_match(seed, 1)
    game = record.games[0]
    state = GameState(MatchState(0, record.ruleset) if money else MatchState(25))
    for event in game.turns:
        before = state
        state = state.after(event)
        assert before is not state
    if game.result is not None and game.result.ending is Ending.RESIGNED:
        state = state.after(Resign(game.result.winner.other, game.result.win))
    assert state.result == game.result
