"""OGXM through the library `ogxm` (E2, C3, S1, S5, S6, M5, B5; research 2.7)."""

import builtins
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_games import MATCHES, money_session, needs_matches, plain, random_match
from some_positions import stand

from rules.check import check_match, illegal_plays
from rules.cube import Cube
from rules.formats.any_format import read_match
from rules.formats.mat import read_mat
from rules.formats.ogxm import MissingLibrary, not_kept_in_ogxm, read_ogxm, write_ogxm
from rules.formats.sgf import read_sgf
from rules.match import Ending, GameResult, Win
from rules.plays import Roll
from rules.position import START, Player, Position
from rules.record import (
    AnyTurn,
    Beaver,
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

codec = pytest.importorskip("ogxm", reason="the extra ogxm is not installed")
A, B = Player.A, Player.B
MONEY = RuleSet("money", crawford=False, beavers=True, raccoons=True)
WRONG = Position((*START.points[:3], 1, 1, 4, 0, 2, *START.points[8:]))
"""3-1 played 8/5 6/4."""


def one(*turns: AnyTurn, length: int = 7, ruleset: RuleSet | None = None, **fields: object) -> MatchRecord:
    rules = ruleset or (RuleSet() if length else MONEY)
    return MatchRecord(("Joe", "Ann"), length, [GameRecord((0, 0), turns, **fields)], ruleset=rules)  # type: ignore[arg-type]


def same(record: MatchRecord) -> MatchRecord:
    """The record as it comes back, having been compared: OGXM keeps the numbers of a roll, not their order."""
    again = read_ogxm(write_ogxm(record))
    assert [plain(game, ordered=False) for game in again.games] == [plain(without_takes(game), ordered=False) for game in record.games]
    assert (again.players, again.length) == (record.players, record.length)
    return again


def without_takes(game: GameRecord) -> GameRecord:
    """OGXM has no word for taking a beaver: whoever rolls on has taken it."""
    turns: list[AnyTurn] = []
    for turn in game.turns:
        if not (isinstance(turn, Take) and turns and isinstance(turns[-1], Beaver)):
            turns.append(turn)
    return replace(game, turns=tuple(turns))


def test_the_codec_sees_what_we_mean() -> None:
    """White is A; the second move of A's opening and B's reply in the codec's own replay."""
    document = codec.binary_to_json(write_ogxm(one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), PlayTurn(B, Roll(6, 3), "24/18 13/10"))))
    assert (document["player_white"], document["player_black"], document["match_length"], document["crawford"]) == ("Joe", "Ann", 7, True)
    first, second = document["games"][0]["plies"]
    assert first["color"] == 1 and first["moves"] == [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}]
    assert second["color"] == 0 and second["moves"] == [{"from": 24, "pips": 6}, {"from": 13, "pips": 3}]
    assert document["replay_complete"] and second["ogid_after"].startswith("11ccccchhjjjjkk:66666888addddio:")


def test_E2_an_illegal_play_that_stood_keeps_dice_order_and_board() -> None:
    record = one(IllegalTurn(A, Roll(1, 3), WRONG), PlayTurn(B, Roll(5, 2), "13/8 13/11"))
    again = same(record)
    assert plain(again.games[0])[0] == ("IllegalTurn", A, (1, 3), WRONG)
    ply = codec.binary_to_json(write_ogxm(record))["games"][0]["plies"][0]
    assert ply["illegal"] is True and (ply["d1"], ply["d2"]) == (1, 3)
    passed = IllegalTurn(A, Roll(3, 1), START)
    assert plain(same(one(passed, PlayTurn(B, Roll(5, 2), "13/8 13/11"))).games[0])[0] == ("IllegalTurn", A, (3, 1), START)


def test_C3_cube_beaver_and_raccoon() -> None:
    first = PlayTurn(A, Roll(3, 1), "8/5 6/5")
    same(one(first, Double(B, 2), Drop(A), result=GameResult(B, 1, Win.SINGLE, Ending.DROPPED)))
    same(one(first, Double(B, 2), Take(A), PlayTurn(B, Roll(4, 2), "8/4 6/4"), Double(A, 4), Take(B)))
    beavered = one(first, Double(B, 2), Beaver(A, 4), PlayTurn(B, Roll(4, 2), "8/4 6/4"), length=0)
    same(beavered)
    same(one(first, Double(B, 2), Beaver(A, 4), Take(B), PlayTurn(B, Roll(4, 2), "8/4 6/4"), length=0))
    same(one(first, Double(B, 2), Beaver(A, 4), Beaver(B, 8), PlayTurn(B, Roll(4, 2), "8/4 6/4"), length=0))
    with pytest.raises(CannotHold, match="turn order"):
        write_ogxm(one(first, Double(B, 2), Beaver(A, 4)))  # the codec, too, knows no beavers in a match


def test_S1_endings() -> None:
    first, unplayed = PlayTurn(A, Roll(3, 1), "8/5 6/5"), RollTurn(B, Roll(5, 2))
    for level in Win:
        result = GameResult(A, level.times(), level, Ending.RESIGNED)
        same(one(first, unplayed, result=result))
        same(one(first, result=result))
    same(one(first, unplayed))
    shut = stand({25: 1, 6: 14}, dict.fromkeys(range(1, 7), 2) | {8: 3})
    dance = one(DanceTurn(A, Roll(6, 5)), start=shut, result=GameResult(B, 2, Win.GAMMON, Ending.RESIGNED))
    assert isinstance(same(dance).games[0].turns[0], DanceTurn)
    off = one(PlayTurn(A, Roll(2, 1), "1/off"), start=stand({1: 1}, {6: 15}), result=GameResult(A, 2, Win.GAMMON))
    same(off)
    overshoot = one(PlayTurn(B, Roll(6, 5), "4/off 3/off"), start=stand({6: 15}, {4: 1, 3: 1, 1: 1}))
    same(overshoot)


def test_S1_a_resignation_in_the_codecs_words() -> None:
    resigned = GameResult(A, 2, Win.GAMMON, Ending.RESIGNED)
    record = one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), result=resigned)
    last = codec.binary_to_json(write_ogxm(record))["games"][0]["plies"][-1]
    assert (last["action_id"], last["color"], last["resign_value"]) == (27, 0, "gammon")
    for action in (27, 28):  # of the game, of the match
        plies = [{"action_id": action, "color": 0, "resign_value": "gammon"}]
        assert altered(game={"plies": plies, "points_won": 2}).games[0].result == resigned
        assert altered(game={"plies": [plies[0] | {"resign_value": "?"}], "points_won": 0}).games[0].result == GameResult(A, 1, Win.SINGLE, Ending.RESIGNED)


def test_E3_an_illegal_play_that_was_taken_back_leaves_nothing() -> None:
    right = PlayTurn(A, Roll(3, 1), "8/5 6/5")
    written = write_ogxm(one(right))
    assert write_ogxm(one(IllegalTurn(A, Roll(3, 1), WRONG, stood=False), right)) == written
    assert read_match(written) == read_ogxm(written)  # known by its first bytes


def test_what_the_codec_itself_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(document: object) -> bytes:
        raise codec.OgxmError("writing", 3)

    with monkeypatch.context() as changed:
        changed.setattr(codec, "json_to_binary", refuses)
        with pytest.raises(CannotHold, match=r"^OGXM cannot hold this match: writing failed"):
            write_ogxm(one())
    monkeypatch.setattr(codec, "binary_to_json", lambda data: {"replay_complete": False, "replay_failed_game": 2})
    with pytest.raises(CannotHold, match=r"^OGXM cannot hold this match: its own replay stops in game 3$"):
        write_ogxm(one())


def test_games_are_numbered_from_0() -> None:
    from rules.formats import ogxm as ours

    games = ours._document(random_match(2, 5))["games"]
    assert len(games) > 1 and [game["game_index"] for game in games] == list(range(len(games)))


def test_S5_S6_rules() -> None:
    jacoby = replace(MONEY, jacoby=True, automatic_doubles=2, cube_limit=64)
    again = same(one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), length=0, ruleset=jacoby, automatic_doubles=2))
    assert again.ruleset == jacoby and again.games[0].automatic_doubles == 2 and again.games[0].crawford is None
    assert same(one(ruleset=RuleSet(crawford=False))).ruleset == RuleSet(crawford=False)
    assert same(one(length=0, ruleset=RuleSet(crawford=False))).ruleset == RuleSet("money", crawford=False)


def test_S3_scores_and_crawford() -> None:
    record = replace(random_match(1, 7), tags=[("Event", "Open"), ("Site", "Here")])
    again = read_ogxm(write_ogxm(record))
    assert [game.scores for game in again.games] == [game.scores for game in record.games] and again.tags == (("Event", "Open"),)
    midway = one(PlayTurn(A, Roll(3, 1), "8/5 6/5"))
    midway = replace(midway, games=[replace(midway.games[0], scores=(6, 2))])
    assert same(midway).games[0].crawford is True


def test_B5_set_up_games() -> None:
    start = stand({25: 1, 13: 5, 8: 4, 6: 5}, {24: 1, 13: 5, 8: 3, 6: 5})
    again = same(one(PlayTurn(A, Roll(3, 1), "bar/22 6/5"), start=start, start_cube=Cube(4, B)))
    assert again.games[0].start == start and again.games[0].start_cube == Cube(4, B)
    assert same(one(start_cube=Cube(2))).games[0].start_cube == Cube(2)


def test_M5_a_player_shut_out_passes() -> None:
    shut = stand({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 3}, {25: 1, 6: 14})
    same(one(PlayTurn(A, Roll(2, 1), "8/5"), PlayTurn(A, Roll(2, 1), "8/5"), start=shut))
    plies = codec.binary_to_json(write_ogxm(one(PlayTurn(A, Roll(2, 1), "8/5"), PlayTurn(A, Roll(2, 1), "8/5"), start=shut)))["games"][0]["plies"]
    assert [(ply["action_id"], ply["color"]) for ply in plies] == [(1, 1), (37, 0), (1, 1)]


@pytest.mark.parametrize("seed", range(3))
def test_E2_round_trip(seed: int) -> None:
    for record in (random_match(seed, 7, illegal=0.1), money_session(seed, 3, illegal=0.1)):
        again = same(record)
        wrong = [turn for game in record.games for turn in game.turns if isinstance(turn, IllegalTurn)]
        assert wrong and len(illegal_plays(check_match(again))) == len(wrong)


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (one(start=Position((0,) * 23 + (2,), (0, 2), checkers=2)), "2 checkers a side"),
        (one(missing=(1, 0), start=stand({6: 14}, {6: 15})), "too few checkers"),
        (one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), Double(B, 8)), "game 1, turn 2: the cube goes to 2 here, not to 8"),
        (one(Double(A, 4)), "game 1, turn 1: the cube goes to 2 here, not to 4"),
        (one(RollTurn(A, Roll(6, 1)), PlayTurn(B, Roll(6, 1), "13/7 8/7")), "6-1 was rolled and not played, yet the game goes on"),
        (one(IllegalTurn(A, Roll(6, 1), None)), "nobody knows the position"),
        (replace(one(), games=[GameRecord((0, 0), ()), GameRecord((2, 0), ())]), "game 2 begins at 2-0, but the games before it make 0-0"),
        (replace(one(), length=1, games=[GameRecord((0, 0), (), GameResult(A, 1)), GameRecord((1, 0), ())]), "game 2 follows after the match was won"),
        (replace(one(), players=("x" * 5000, "")), "OGXM cannot hold this match: string"),
        (one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), PlayTurn(A, Roll(3, 1), "8/5 6/5")), "turn order"),
    ],
)
def test_what_ogxm_cannot_hold(record: MatchRecord, says: str) -> None:
    with pytest.raises(CannotHold, match=re.escape(says)):
        write_ogxm(record)


def test_what_is_left_out_is_said() -> None:
    record = one(IllegalTurn(B, Roll(6, 1), START, stood=False), PlayTurn(A, Roll(1, 3), "8/5 6/5"))
    assert not_kept_in_ogxm(replace(record, tags=[("Event", "x"), ("Elo", "y")])) == [
        "the tag 'Elo' has no place in OGXM",
        "the order in which two dice were rolled; OGXM keeps the numbers",
        "game 1: B's illegal play of 6-1 that was taken back",
    ]
    assert not_kept_in_ogxm(one(PlayTurn(A, Roll(3, 1), "8/5 6/5"))) == []


def altered(change: dict[str, Any] | None = None, ply: dict[str, Any] | None = None, game: dict[str, Any] | None = None) -> MatchRecord:
    """What the reader makes of a document of the codec's with something in it changed."""
    from rules.formats import ogxm as ours

    document = codec.binary_to_json(write_ogxm(one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), result=GameResult(A, 1, Win.SINGLE, Ending.RESIGNED))))
    document |= change or {}
    document["games"][0] |= game or {}
    document["games"][0]["plies"][0] |= ply or {}
    return ours._match(document)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"change": {"variant": "nackgammon"}}, "expected backgammon, found 'nackgammon'"),
        ({"game": {"initial_board": [0] * 25}}, "game 1: a position has 26 numbers, not 25"),
        ({"game": {"initial_board": [16] + [0] * 25}}, "game 1: this is no position: a side has more than 15 checkers"),
        ({"game": {"initial_cube_value": 3}}, "game 1: a cube's value is 1, 2, 4"),
        ({"game": {"auto_doubles": 65}}, "game 1: expected a few automatic doubles, found 65"),
        ({"game": {"initial_cube_value": 1 << 30, "plies": [{"action_id": 21, "color": 1}]}}, "game 1, ply 1: the cube is doubled beyond 1,073,741,824"),
        ({"ply": {"d1": 0}}, "game 1, ply 1: a die shows 1 to 6"),
        ({"ply": {"moves": [{"from": 25, "pips": 1}]}}, "game 1, ply 1: there is no point 25 to move from"),
        ({"ply": {"moves": [{"from": 2, "pips": 1}]}}, "game 1, ply 1: 31: 23/22 cannot be carried out"),
        ({"ply": {"action_id": 36}}, "game 1, ply 1: a position or cube set by hand, or action 36"),
    ],
)
def test_documents_that_are_not_ours_get_one_sentence(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as error:
        altered(**changes)
    assert error.value.line == 0


def test_documents_of_others_are_read_generously() -> None:
    assert altered(ply={"action_id": 29}).remarks == ("game 1, ply 1: the match was forfeited; that is not kept",)
    assert altered(game={"winner": 255}).games[0].result is None
    assert altered(change={"cube_limit": 1024}).ruleset.cube_limit == 0
    unresigned = altered(game={"plies": [{"action_id": 24}], "points_won": 2}).games[0]
    assert unresigned.result == GameResult(A, 2, Win.GAMMON, Ending.RESIGNED)
    assert altered(game={"plies": [{"action_id": 24}], "points_won": 0}).games[0].result is None


@pytest.mark.parametrize(("data", "says"), [(b"", "begins with OGXM, found b''"), (b"OGXM" + bytes(60), "no whole OGXM file"), (b"PK\x03\x04x", "found b'PK")])
def test_bad_files_get_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as error:
        read_ogxm(data)
    assert error.value.line == 0 and not str(error.value).startswith("line")


WHOLE = write_ogxm(one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), Double(B, 2), Take(A), PlayTurn(B, Roll(6, 3), "24/18 13/10")))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=3)).map(lambda c: WHOLE[: c[0]] + c[1] + WHOLE[c[0] + len(c[1]) :]))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        check_match(read_ogxm(data))
    except FormatError as error:
        assert "\n" not in str(error)


def test_without_the_library_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ogxm":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for work in (lambda: read_ogxm(WHOLE), lambda: write_ogxm(one())):
        with pytest.raises(MissingLibrary, match=re.escape("pip install 'gammonwatch[ogxm]'")):
            work()


@needs_matches
def test_every_shared_match_comes_back_equal() -> None:
    for path in sorted(MATCHES.iterdir()):
        record = read_sgf(path.read_text()) if path.suffix == ".sgf" else read_mat(path.read_text(encoding="utf-8-sig"))
        again = read_ogxm(write_ogxm(record))
        assert [plain(game, ordered=False) for game in again.games] == [plain(without_takes(game), ordered=False) for game in record.games], path.name
