"""`.mat` files: written as gnubg writes them, read in three dialects (E2, E3, C1, C3, S1; research 2.4)."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_games import MATCHES, complaints, gnubg, needs_gnubg, needs_matches, notations, random_game, random_match
from some_positions import stand

from rules.check import check_match, illegal_plays
from rules.cube import Cube
from rules.formats.mat import (
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
    not_kept_in_mat,
    read_mat,
    write_mat,
)  # fmt: skip
from rules.match import Ending, GameResult, Win
from rules.plays import Move, Play, Roll
from rules.position import START, Player, Position
from rules.ruleset import RuleSet

A, B = Player.A, Player.B

def one(*turns: AnyTurn, **fields: object) -> MatchRecord:
    return MatchRecord(("Joe", "Ann"), 7, [GameRecord((0, 0), turns, **fields)])  # type: ignore[arg-type]


def test_layout_is_gnubg_s() -> None:
    """Rolled order is kept, 25 and 0, one step a die, hits starred; the opener B leaves the left cell blank."""
    record = one(
        PlayTurn(B, Roll(4, 2), "8/4 6/4"),
        PlayTurn(A, Roll(3, 2), (Move(24, 22), Move(13, 10))),
        PlayTurn(B, Roll(3, 4), "24/20 13/10"),
        PlayTurn(A, Roll(1, 3), "8/5*, 6/5"),
        Double(B),
        Take(A),
    )
    assert write_mat(record).splitlines() == [
        " 7 point match",
        "",
        " Game 1",
        " Joe : 0                        Ann : 0",
        "  1)                             42: 8/4 6/4 ",
        "  2) 32: 24/22 13/10             34: 24/20 13/10 ",
        "  3) 13: 8/5* 6/5                 Doubles => 2",
        "  4)  Takes                      ",
    ]


def test_M5_a_player_who_is_shut_out_leaves_his_cell_blank() -> None:
    shut = stand({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 3}, {25: 1, 6: 14})
    turns = [PlayTurn(A, Roll(3, 1), "8/5 8/7"), PlayTurn(A, Roll(4, 2), "8/4 7/5"), PlayTurn(A, Roll(2, 1), "6/4 6/5")]
    # .mat has no start of its own, so the rows are made from the cells.
    from rules.formats import rows

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(rows, "START", shut)
        lines = write_mat(one(*turns, start=shut)).splitlines()
        # A space follows each move but the fourth, as gnubg has it.
        blank = " " * rows.LEFT_WIDTH
        for men, roll, play, cell in (
            ({1: 1}, Roll(2, 1), "1/off", "21: 1/0 "),
            ({6: 2, 4: 2}, Roll(2, 1), "6/4 6/5", "21: 6/5 6/4 "),
            ({6: 2, 4: 2}, Roll(1, 1), "6/5(2) 4/3(2)", "11: 6/5 6/5 4/3 4/3"),
        ):
            start = stand({6: 15}, men)
            changed.setattr(rows, "START", start)
            assert write_mat(one(PlayTurn(B, roll, play), start=start)).splitlines()[4] == f"  1) {blank} {cell}"
    assert [line.rstrip() for line in lines[4:]] == ["  1) 31: 8/7 8/5", "  2) 42: 8/4 7/5", "  3) 21: 6/5 6/4"]


@pytest.mark.parametrize(
    ("ending", "lines"),
    [
        ([Double(A), Drop(B)], ["  2)  Doubles => 2                Drops", "      Wins 1 point"]),
        ([PlayTurn(A, Roll(2, 1), "13/10"), Double(B), Drop(A)], ["  3)  Drops                       Wins 1 point "]),
    ],
)
def test_C3_results_of_dropped_doubles(ending: list[AnyTurn], lines: list[str]) -> None:
    opening = [PlayTurn(A, Roll(3, 1), "8/5 6/5"), PlayTurn(B, Roll(4, 2), "8/4 6/4")]
    result = GameResult(A if isinstance(ending[0], Double) else B, 1, Win.SINGLE, Ending.DROPPED)
    text = write_mat(one(*opening, *ending, result=result))
    assert text.splitlines()[-len(lines) :] == lines
    game = read_mat(text).games[0]
    assert game.result == result and game.stated_points == 1


def test_names_and_tags_are_made_harmless() -> None:
    record = MatchRecord(("", 'A:\n"b" ' + "x" * 60), 3, [GameRecord((0, 1), ())], [("Site", 'a "b"\nc')])
    lines = write_mat(record).splitlines()
    assert lines[0] == "; [Site \"a 'b' c\"]" and lines[2] == " 3 point match"
    assert lines[5] == " Anonymous : 0                  A 'b' xxxxxxxxxxxxxxxxxxxxx : 1"
    again = read_mat("\n".join(lines))
    assert again.players == ("Anonymous", "A 'b' xxxxxxxxxxxxxxxxxxxxx") and again.tags == (("Site", "a 'b' c"),)


def test_E2_E3_illegal_plays() -> None:
    with pytest.raises(CannotHold, match="A's illegal play of 6-1 stood"):
        write_mat(one(IllegalTurn(A, Roll(6, 1), START)))
    right = PlayTurn(A, Roll(6, 1), "13/7 8/7")
    assert write_mat(one(IllegalTurn(A, Roll(6, 1), START, stood=False), right)) == write_mat(one(right))


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (one(automatic_doubles=1), "automatic double"),
        (one(start=Position((0,) * 23 + (15,), (0, 15))), "standard setup"),
        (one(start=Position((0,) * 23 + (2,), (0, 2), checkers=2)), "2 checkers a side"),
        (one(missing=(1, 0), start=stand({6: 14}, {6: 15})), "too few checkers"),
        (one(missing=(0, 1), start=stand({6: 15}, {6: 14})), "too few checkers"),
        (one(PlayTurn(A, Roll(6, 1), "13/8 6/5")), "not a legal play"),
        (one(PlayTurn(A, Roll(6, 1), "13/2x")), "expected a move"),
        (one(PlayTurn(A, Roll(6, 1), (Move(13, 8), Move(6, 5)))), "this play is not legal"),
        (one(PlayTurn(A, Roll(6, 1), Play((Move(13, 8),), START))), "this play is not legal"),
        (one(PlayTurn(A, Roll(6, 1))), "there is a legal play"),
        (one(DanceTurn(A, Roll(6, 1))), "there is a legal play"),
        (one(RollTurn(A, Roll(6, 1)), PlayTurn(B, Roll(6, 1), "13/7 8/7")), "the game goes on"),
        (one(Double(A, 4)), "game 1, turn 1: the cube goes to 2 here, not to 4"),
        (one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), Double(B, 8)), "game 1, turn 2: the cube goes to 2 here, not to 8"),
    ],
)
def test_refusals(record: MatchRecord, says: str) -> None:
    with pytest.raises(CannotHold, match=says) as refused:
        write_mat(record)
    assert str(refused.value).startswith("game 1")


def test_S3_S5_what_mat_leaves_out_is_said() -> None:
    assert not_kept_in_mat(one()) == []
    assert not_kept_in_mat(replace(one(), ruleset=RuleSet(crawford=False))) == ["that there is no Crawford game; programs take it that there is"]
    money = replace(one(), length=0, ruleset=RuleSet(crawford=False, jacoby=True))
    assert not_kept_in_mat(money) == ["that Jacoby's rule holds; programs go by their own setting"]


@pytest.mark.parametrize("seed", range(4))
def test_round_trip(seed: int) -> None:
    record = random_match(seed)
    text = write_mat(record)
    again = read_mat(text)
    assert (again.players, again.length) == (record.players, record.length)
    for before, after in zip(record.games, again.games, strict=True):
        assert before.result is not None
        assert (after.scores, after.turns, after.result) == (before.scores, before.turns, before.result)
        assert after.stated_points == before.result.points
    assert write_mat(again) == text


# --- reading ---

HEAD = " 7 point match\n\n Game 1\n Joe : 0                        Ann : 0\n"
FIRST = "  1) 31: 8/5 6/5                 63: 24/18 13/10 \n"


def plays_of(text: str) -> list[str]:
    return notations(read_mat(text))


def test_three_dialects_are_one_game() -> None:
    gnubg = """\
  1) 31: 8/5 6/5                 63: 24/18 18/15
  2) 64: 24/18 18/14             42: 13/11* 13/9
  3) 33: 25/22 13/10* 13/10 8/5  11:
"""
    galaxy = """\
         1) 31: 8/5 6/5                 63: 24/18 18/15
  2) 64: 24/18 18/14             42: 13/11 13/9
  3) 33: 25/22 13/10 13/10 8/5   11:
"""
    studio = """\
  1) 31: 8/5 6/5                        63: 24/15
  2) 64: 24/14                          42: 13/11* 13/9
  3) 33: bar/22 13/10(2) 8/5            11: ????
"""
    read = [plays_of(HEAD + gnubg), plays_of("\ufeff" + HEAD.replace("\n", "\r\n") + galaxy), plays_of(HEAD + studio)]
    assert read[0] == read[1] == read[2]
    assert read[0][3:5] == ["13/11* 13/9", "25/22 13/10* 13/10 8/5"]


def test_unstarred_steps_hit_where_they_land() -> None:
    """Galaxy names every landing and stars none; 24/22 22/18 would have gone past the blot."""
    rows = "  1) 21: 13/11 6/5               42: 24/20 20/18\n"
    assert plays_of(HEAD + rows) == ["13/11 6/5", "24/20* 20/18"]
    assert plays_of(HEAD + rows.replace("24/20 20/18", "24/18")) == ["13/11 6/5", "24/22 22/18"]
    assert plays_of(HEAD + rows.replace("24/20 20/18", "24/20*/18")) == ["13/11 6/5", "24/20* 20/18"]


def test_E2_an_illegal_play_in_a_file_is_kept() -> None:
    game = read_mat(HEAD + "  1) 31: 8/5 6/4                 63: 24/18 13/10 \n").games[0]
    first, second = game.turns
    assert isinstance(first, IllegalTurn) and first.text == "8/5 6/4" and isinstance(second, PlayTurn)
    assert isinstance(first.result, Position) and first.result.at(A, 4) == first.result.at(A, 5) == 1
    with pytest.raises(CannotHold):
        write_mat(MatchRecord(("a", "b"), 1, [game]))


def test_M7_passing_with_a_play_is_illegal_but_at_the_end_a_roll() -> None:
    rows = "  2) 31:                         63: 24/18 13/10 \n  3) 52: ????\n"
    game = read_mat(HEAD + FIRST + rows).games[0]
    assert isinstance(game.turns[2], IllegalTurn) and game.turns[4] == RollTurn(A, Roll(5, 2))
    assert read_mat(HEAD + "  1) 31: \n").games[0].turns == (RollTurn(A, Roll(3, 1)),)


def test_rolls_set_by_hand_before_the_first_play_are_left_out() -> None:
    """gnubg's, which stands unpadded at the left whoever plays it; another first roll that nobody played gets a remark."""
    own = read_mat(HEAD + "  1) 61: 61: 13/7 8/7 \n  2) 31: 8/5 6/5\n")
    assert plays_of(HEAD + "  1) 61: 61: 13/7 8/7 \n") == ["13/7 8/7"] and own.remarks == ()
    assert [turn.player for turn in own.games[0].turns if isinstance(turn, PlayTurn)] == [B, A]
    other = read_mat(HEAD + "  1) 21:                         31: 8/5 6/5 \n")
    assert plays_of(HEAD + "  1) 21:                         31: 8/5 6/5 \n") == ["8/5 6/5"]
    assert other.remarks == ("line 5: the first roll, 2-1, was set and never played; it is left out",)


def test_S5_S6_what_the_tags_and_points_say_of_the_rules() -> None:
    def rules(tags: str, length: int = 0, rows: str = "") -> RuleSet:
        return read_mat(tags + HEAD.replace("7 point", f"{length} point") + rows).ruleset

    assert rules("", 7) == RuleSet() and rules('; [Crawford "Off"]\n', 7) == RuleSet(crawford=False)
    assert rules('; [Crawford "On"]\n; [Jacoby "On"]\n; [CubeLimit "64"]\n', 7) == RuleSet(cube_limit=64)
    money = RuleSet("money", crawford=False, beavers=True, raccoons=True)
    assert rules("") == money and rules('; [CubeLimit "100"]\n') == money
    assert rules('; [Jacoby "On"]\n') == replace(money, jacoby=True)
    assert rules('; [Jacoby "Off"]\n') == money


@pytest.mark.parametrize(("length", "stated", "points", "jacoby"), [(0, 1, 1, True), (0, 2, 2, False), (7, 1, 2, False), (7, 2, 2, False)])
def test_S5_S7_points_tell_of_jacoby_in_money_games_alone(length: int, stated: int, points: int, jacoby: bool) -> None:
    """A bears off his last checker, B has borne off none, nobody has doubled."""
    rows = f"; Set Pos=-A----------o-------------/0\n  1) 21: 1/off\n      Wins {stated} point{'s' * (stated > 1)}\n"
    record = read_mat(HEAD.replace("7 point", f"{length} point") + rows)
    assert record.ruleset.jacoby is jacoby and record.games[0].stated_points == stated
    assert record.games[0].result == GameResult(A, points, Win.GAMMON)


@pytest.mark.parametrize(
    ("rows", "result"),
    [
        ("  2) 32: ????                    Wins 4016 point\n", GameResult(B, 1, Win.SINGLE, Ending.RESIGNED)),
        (" Losses 1 point\n\n      Wins 1 point and the match\n", GameResult(A, 1, Win.SINGLE, Ending.RESIGNED)),
        (" Losses 1 point\n", GameResult(B, 1, Win.SINGLE, Ending.RESIGNED)),
        ("  2)  Losses 2 points\n", GameResult(B, 2, Win.GAMMON, Ending.RESIGNED)),
        ("  2) 32: ????\n Losses 1 point\n", GameResult(B, 1, Win.SINGLE, Ending.RESIGNED)),
        ("                                  Wins 3 points\n", GameResult(B, 3, Win.BACKGAMMON, Ending.RESIGNED)),
        ("  2)  Doubles => 2                Takes\n      Wins 3 points\n", GameResult(A, 4, Win.GAMMON, Ending.RESIGNED)),
        ("  2)  Doubles => 2                Drops\n", GameResult(A, 1, Win.SINGLE, Ending.DROPPED)),
        ("", None),
    ],
)
def test_S1_results(rows: str, result: GameResult | None) -> None:
    assert read_mat(HEAD + FIRST + rows).games[0].result == result


@pytest.mark.parametrize(("number", "cube"), [("0", Cube()), ("1", Cube(2, B)), ("2", Cube(4, B)), ("-1", Cube(2, A))])
def test_B5_a_game_from_a_position_of_its_own(number: str, cube: Cube) -> None:
    """As the real gnubg 1.07 understands XG's line: upper case is the left column."""
    rows = f"; Set Pos=-b----E-C---eE---c-d----AA/{number}\n  1) 31: bar/22 6/5                61: 13/7 8/7\n      Wins 3 points\n"
    record = read_mat(HEAD + rows)
    game = record.games[0]
    assert (game.start_cube, game.start.bar, game.start.off, game.start.at(A, 24)) == (cube, (1, 0), (0, 1), 1)
    assert plays_of(HEAD + rows) == ["25/22 6/5", "13/7 8/7"]
    assert read_mat(HEAD + rows.replace("Set Pos", "set pos")) == record
    assert game.result is not None and game.result.points == (3 if number == "0" else 4)
    with pytest.raises(CannotHold, match="standard setup"):
        write_mat(record)
    with pytest.raises(CannotHold, match="cube set by hand"):
        write_mat(one(start_cube=Cube(2, A)))


def test_beavers() -> None:
    rows = "  2)  Doubles => 2                Beavers => 4\n  3)  Beavers => 8                 \n  4) 52: 13/8 13/11 \n      Wins 8 points\n"
    game = read_mat(HEAD.replace("7 point", "0 point") + FIRST + rows).games[0]
    assert game.turns[2:5] == (Double(A, 2), Beaver(B, 4), Beaver(A, 8))
    assert game.result == GameResult(A, 8, Win.SINGLE, Ending.RESIGNED)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "point match"),
        ("hello\n", 1, "point match"),
        (" 7 point match\n\nhello", 3, 'expected "Game 1"'),
        (" 7 point match\n Game 1\nhello", 3, "names and scores"),
        (HEAD + "  1) hello", 5, "expected a roll"),
        (HEAD + "  1) 31: 8/5 hello", 5, "expected a move"),
        (HEAD + "  1) 31: 7/4 6/5", 5, "cannot be carried out"),
        (HEAD + "  1) 31: 13/12 24/18", 5, "cannot be carried out"),
        (HEAD + "  1) 31: 8/27", 5, "no 27-point"),
        (HEAD + "  1)  Takes 4", 5, "nothing after 'Takes'"),
        (HEAD + "  1)  Doubles => 3", 5, "a cube of 2, 4, 8"),
        ("; Set Pos=-b----E-C---eE---c-e----B-/0\n" + HEAD, 1, "between the names and the first row"),
        (HEAD + FIRST + "; Set Pos=-b----E-C---eE---c-e----B-/0\n", 6, "between the names and the first row"),
        (HEAD + "; Set Pos=-b----E-C---eE---c-e----B-\n", 5, "26 signs of an XGID"),
        (HEAD + "; Set Pos=-b----E-C---eE---c-e----BB/0\n", 5, "more than 15"),
        (HEAD + "x" * 3000, 5, "3000 characters"),
    ],
)
def test_errors_name_the_line(text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as error:
        read_mat(text)
    assert error.value.line == line and str(error.value).startswith(f"line {line}: ")


FRAGMENTS = st.sampled_from(
    ["  1) ", "31: 8/5 6/5", "63: 24/18* ", " Doubles => 2", " Takes", " Drops", " Wins 2 points", "Losses 1 point", "\n", " Beavers => 4",
     " " * 20, "11: ????", "bar/22", "6/off(2)", '; [a "b"]', " Game 2\n a : 1    b : 2\n", "0", ":", "/", "(", "*", "31:", " Wins 0 points"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.lists(FRAGMENTS | st.text(max_size=3), max_size=40).map(lambda parts: HEAD + "".join(parts)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_mat(text)
    except FormatError as error:
        assert error.line >= 1 and "\n" not in str(error)


@needs_matches
def test_every_shared_match_is_read_with_no_false_illegal() -> None:
    files = [p for p in MATCHES.iterdir() if p.suffix == ".mat" or (p.suffix == ".txt" and "snowie" not in p.name)]
    assert len(files) >= 16
    for path in files:
        record = read_mat(path.read_text(encoding="utf-8-sig"))
        for game, following in zip(record.games, record.games[1:], strict=False):
            assert game.result is not None, path.name
            scores = list(game.scores)
            scores[game.result.winner.side] += game.result.points
            assert tuple(scores) == following.scores, path.name
        assert illegal_plays(check_match(record)) == [], path.name
        assert [t for g in record.games for t in g.turns if isinstance(t, IllegalTurn)] == [], path.name
        nonsense = [(f.clause, f.sentence) for f in check_match(record)]
        wanted = [("S1", "Alpha won 4 points (single); the file says 4016.")] if path.name == "bglab-studio_3pt.txt" else []
        assert nonsense == wanted, path.name


# --- the real gnubg ---


def through_gnubg(tmp_path: Path, text: str) -> str:
    """What the real program exports again of a .mat text."""
    (tmp_path / "in.mat").write_text(text)
    said = gnubg(tmp_path, "import mat in.mat", "export match mat out.mat")
    assert complaints(said) == [], said
    exported = (tmp_path / "out.mat").read_text()
    return exported[exported.index(" point match") - 2 :].lstrip("\n")


def plies(text: str) -> int:
    return len(re.findall(r"\b[1-6][1-6]:", text))


@needs_gnubg
@pytest.mark.parametrize("first", [A, B])
def test_gnubg_imports_a_random_game_of_40_plies(tmp_path: Path, first: Player) -> None:
    text = write_mat(MatchRecord(("Joe", "Ann"), 7, [random_game(first.side + 40, 40, first=first)]))
    exported = through_gnubg(tmp_path, text)
    assert plies(text) == plies(exported) == 40
    assert [line.split() for line in exported.splitlines()] == [line.split() for line in text.splitlines()]


@needs_gnubg
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gnubg_exports_our_matches_byte_for_byte(tmp_path: Path, seed: int) -> None:
    text = write_mat(random_match(seed))
    exported = through_gnubg(tmp_path, text)
    assert exported.strip("\n").split("\n")[1:] == text.strip("\n").split("\n")[1:]
