"""SGF as GNU Backgammon writes it (E2, C3, S3, S5, S6, B5; research 2.5)."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_games import (
    MATCHES,
    complaints,
    gnubg,
    money_session,
    needs_gnubg,
    needs_matches,
    notations,
    plain,
    random_match,
)
from some_positions import stand

from rules.check import check_match, illegal_plays
from rules.cube import Cube
from rules.formats.mat import read_mat, write_mat
from rules.formats.sgf import NACKGAMMON, not_kept_in_sgf, parse_sgf, read_sgf, write_sgf
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

A, B = Player.A, Player.B
ROOT = "(;FF[4]GM[6]CA[UTF-8]AP[x]MI[length:7][game:0][ws:0][bs:0]PW[Joe]PB[Ann]RU[Crawford]"
FIRST = ROOT + ";W[31hefe]\n;B[42qusu]\n"


def one(*turns: AnyTurn, length: int = 7, **fields: object) -> MatchRecord:
    return MatchRecord(("Joe", "Ann"), length, [GameRecord((0, 0), turns, **fields)])  # type: ignore[arg-type]


def test_points_are_letters_seen_from_white() -> None:
    record = read_sgf(FIRST + ")")
    assert record.players == ("Joe", "Ann") and record.length == 7
    assert notations(record) == ["8/5 6/5", "8/4 6/4"]
    assert [turn.player for turn in record.games[0].turns] == [A, B]
    bar_and_off = ROOT + ";PL[W]AE[a:y]AW[a][b]AB[w][y];W[21azbz])"
    game = read_sgf(bar_and_off).games[0]
    assert game.start == Position.from_counts([13, 1, 1, *[0] * 23], [13, 0, 1, *[0] * 22, 1])
    assert notations(read_sgf(bar_and_off)) == ["2/0 1/0"] and game.result == GameResult(A, 1)
    entered = read_sgf(ROOT + ";PL[B]AE[a:y]AW[a][b]AB[w][y];B[61yg])")
    assert notations(entered) == ["25/19 19/18"]


def test_layout() -> None:
    record = one(PlayTurn(A, Roll(1, 3), "8/5 6/5"), Double(B, 2), Drop(A), result=GameResult(B, 1, Win.SINGLE, Ending.DROPPED))
    assert write_sgf(replace(record, players=("J:o]e\\", "Ann\n"), tags=[("Event", "Open]"), ("Elo", "9")])) == (
        "(;FF[4]GM[6]CA[UTF-8]AP[gammonwatch]MI[length:7][game:0][ws:0][bs:0]PW[J:o\\]e\\\\]PB[Ann ]EV[Open\\]]RU[Crawford]RE[B+1]\n"
        ";W[13hefe]\n;B[double]\n;W[drop])\n"
    )
    assert not_kept_in_sgf(replace(record, tags=[("Event", "Open"), ("Elo", "9")])) == ["the tag 'Elo' has no place in SGF"]


def test_E2_an_illegal_play_that_stood_is_a_position_after_its_roll() -> None:
    wrong = Position((*START.points[:3], 1, 1, 4, 0, 2, *START.points[8:]))
    record = one(IllegalTurn(A, Roll(3, 1), wrong), PlayTurn(B, Roll(5, 2), "13/8 13/11"))
    text = write_sgf(record)
    assert ";W[31" in text and "\n;PL[B]AE[a:y]AW[d][e]" in text
    assert re.search(r";W\[31[a-y]{4}\]", text)  # some legal play carries the roll
    again = read_sgf(text)
    assert plain(again.games[0])[0] == ("IllegalTurn", A, (3, 1), wrong)
    assert notations(again)[1] == "13/11 13/8"
    taken_back = one(IllegalTurn(A, Roll(3, 1), wrong, stood=False), PlayTurn(A, Roll(3, 1), "8/5 6/5"))
    assert write_sgf(taken_back) == write_sgf(one(PlayTurn(A, Roll(3, 1), "8/5 6/5")))
    passed = one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), IllegalTurn(B, Roll(5, 2), wrong.mirrored, text="x"), DanceTurn(A, Roll(6, 6)))
    assert plain(read_sgf(write_sgf(passed)).games[0])[1] == ("IllegalTurn", B, (5, 2), wrong.mirrored)


def test_E2_the_play_that_carries_the_roll_does_not_end_the_game() -> None:
    """A has two left and rolls 2-1: he can bear both off, or play 2/1 and one off; he wrongly took off the one from his 1-point alone."""
    before = stand({2: 1, 1: 1}, {6: 15})
    wrong = stand({2: 1}, {6: 15})
    record = one(IllegalTurn(A, Roll(2, 1), wrong), PlayTurn(B, Roll(5, 2), "6/1 6/4"), start=before)
    text = write_sgf(record)
    assert "RE[" not in text and ";W[21bzaz]" not in text
    assert plain(read_sgf(text).games[0]) == plain(record.games[0])
    # where every legal play ends it, none is written
    last = one(IllegalTurn(A, Roll(2, 1), stand({2: 1}, {6: 15})), start=stand({1: 1}, {6: 15}))
    assert ";W[21]" in write_sgf(last)


def test_E2_an_illegal_play_written_as_a_move_is_kept_too() -> None:
    game = read_sgf(ROOT + ";W[31hefd];B[42qusu])").games[0]
    turn = game.turns[0]
    assert isinstance(turn, IllegalTurn) and turn.text == "8/5 6/4" and isinstance(turn.result, Position) and turn.result.at(A, 4) == 1
    assert [f.clause for f in check_match(MatchRecord(("a", "b"), 7, [game]))] == ["M1"]


def test_C3_cube_beaver_and_raccoon() -> None:
    root = ROOT.replace("length:7", "length:0").replace("Crawford", "Jacoby")
    record = read_sgf(root + ";W[31hefe];B[double];W[double];B[double];W[take];B[42qusu];W[double];B[drop])")
    assert record.ruleset == RuleSet("money", crawford=False, jacoby=True, beavers=True, raccoons=True)
    assert record.games[0].turns[1:5] == (Double(B, 2), Beaver(W := A, 4), Beaver(B, 8), Take(W))
    assert record.games[0].turns[6:] == (Double(A, 16), Drop(B)) and record.games[0].result == GameResult(A, 8, Win.SINGLE, Ending.DROPPED)
    assert [plain(g) for g in read_sgf(write_sgf(record)).games] == [plain(g) for g in record.games]
    silent = one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), Double(B, 2), Beaver(A, 4), PlayTurn(B, Roll(4, 2), "8/4 6/4"), length=0)
    assert ";B[double]\n;W[double]\n;B[take]\n;B[42" in write_sgf(silent)


def test_S3_S5_S6_rules_and_results() -> None:
    assert read_sgf(FIRST + ")").games[0].crawford is False
    crawford = read_sgf(ROOT.replace("RU[Crawford]", "RU[Crawford:CrawfordGame]").replace("ws:0", "ws:6") + ";W[31hefe])")
    assert crawford.games[0].crawford is True and "RU[Crawford:CrawfordGame]" in write_sgf(crawford)
    assert read_sgf(ROOT.replace("RU[Crawford]", "") + ")").ruleset == RuleSet(crawford=False)
    automatic = read_sgf(ROOT.replace("length:7", "length:0").replace("RU[Crawford]", "CV[4]") + ";W[31hefe];B[double];W[drop])")
    assert automatic.games[0].automatic_doubles == 2 and automatic.games[0].result == GameResult(B, 4, Win.SINGLE, Ending.DROPPED)
    assert "CV[4]RE[B+4]\n" in write_sgf(automatic)
    assert read_sgf(write_sgf(automatic)).games[0].automatic_doubles == 2


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("RE[W+1R]", GameResult(A, 1, Win.SINGLE, Ending.RESIGNED)),
        ("RE[w+1r]", GameResult(A, 1, Win.SINGLE, Ending.RESIGNED)),
        ("RE[B+2Resign]", GameResult(B, 2, Win.GAMMON, Ending.RESIGNED)),
        ("RE[B+3R]", GameResult(B, 3, Win.BACKGAMMON, Ending.RESIGNED)),
        ("RE[B+3]", GameResult(B, 3, Win.BACKGAMMON, Ending.RESIGNED)),
        ("RE[W+5R]", GameResult(A, 1, Win.SINGLE, Ending.RESIGNED)),
        ("RE[?]", None),
        ("", None),
    ],
)
def test_S1_results(written: str, result: GameResult | None) -> None:
    record = read_sgf(FIRST.replace("RU[", f"{written}RU[") + ")")
    assert record.games[0].result == result and record.remarks == ()


def test_S1_a_result_that_says_nobody_won_is_remarked() -> None:
    for said in ("0", "W+0", "draw"):
        record = read_sgf(FIRST.replace("RU[", f"RE[{said}]RU[") + ")")
        assert record.games[0].result is None and record.remarks == (f"line 1: the result '{said}' says nobody won",)


def test_S1_a_resignation_on_the_table() -> None:
    assert read_sgf(FIRST + ";W[resign:2];B[accept])").games[0].result == GameResult(B, 2, Win.GAMMON, Ending.RESIGNED)
    refused = read_sgf(FIRST + ";W[resign:2];B[reject];W[61mghg])").games[0]
    assert refused.result is None and notations(MatchRecord(("", ""), 7, [refused]))[-1] == "13/7 8/7"


def test_B5_positions_and_cubes_set_by_hand() -> None:
    edited = ROOT + ";PL[W]DI[53];CV[2];CO[w];AE[a:x]AB[l][l][l][l][o][q][q][q][s][s][s][s][s][y][y]AW[a][a][c][c][f][f][f][h][m][m][m][m][m][x][x])"
    game = read_sgf(edited).games[0]
    assert game.start.bar == (0, 2) and game.start_cube == Cube(2, A) and game.turns == (RollTurn(A, Roll(5, 3)),)
    assert read_sgf(write_sgf(read_sgf(edited))).games == (game,)
    centred = read_sgf(ROOT + ";CP[c]\n;CV[4]\n;W[31hefe])").games[0]
    assert centred.start_cube == Cube(4)
    late = read_sgf(FIRST + ";CP[b])")
    assert late.remarks == ("line 3: the cube was set by hand in the middle of the game; that is left out",)


def test_B5_other_games_than_backgammon_on_the_same_board() -> None:
    nack = read_sgf(ROOT.replace("RU[Crawford]", "RU[Crawford:Nackgammon]") + ";W[31hefe])").games[0]
    assert nack.start == NACKGAMMON and NACKGAMMON.pips(A) == 194
    hyper = read_sgf(ROOT.replace("RU[Crawford]", "RU[Hypergammon2]") + ";W[31xuwv])")
    assert hyper.games[0].start.checkers == 2 and hyper.games[0].start.at(A, 24) == 1
    with pytest.raises(CannotHold, match="2 checkers a side"):
        write_sgf(hyper)


def test_rolls_set_by_hand() -> None:
    assert notations(read_sgf(ROOT + ";PL[W]DI[61];B[61lrqr])")) == ["13/7 8/7"]
    assert read_sgf(FIRST + ";PL[W]DI[52])").games[0].turns[-1] == RollTurn(A, Roll(5, 2))
    other = read_sgf(ROOT + ";PL[W]DI[21];B[61lrqr])")
    assert notations(other) == ["13/7 8/7"] and "2-1, was set and never played" in other.remarks[0]
    assert ";PL[W]DI[52])" in write_sgf(read_sgf(FIRST + ";PL[W]DI[52])"))
    assert read_sgf(ROOT + ";DI[61])").games[0].turns == (RollTurn(A, Roll(6, 1)),)  # White's, when nothing says whose
    assert read_sgf(ROOT.replace("MI[", "MI[author:7][") + ")").length == 7  # what MI says beyond the match is passed over


def test_the_main_line_is_read_and_variations_are_passed_over() -> None:
    text = ROOT + "(;W[31hefe](;B[42qusu];W[61mghg])(;B[42lplp]))(;W[31xufe];B[66]))" + ROOT + ";W[61mghg])"
    assert [notations(MatchRecord(("", ""), 7, [game])) for game in read_sgf(text).games] == [["8/5 6/5", "8/4 6/4", "13/7 8/7"], ["13/7 8/7"]]
    nodes = parse_sgf("(;A[1](;B[2](;C[3])(;D[4]))(;E[5](;F[6])))(;G[7](;H[8]))")
    assert [[name for _, node in game for name in node] for game in nodes] == [["A", "B", "C"], ["G", "H"]]
    assert parse_sgf("(;C[a\\]b\\\nc\\\\][d]\nC[e])") == [[(1, {"C": ["a]bc\\", "d", "e"]})]]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "expected a game"),
        ("\n\n", 3, "expected a game"),
        ("hello", 1, 'expected "("'),
        ("\n()", 2, "expected a game"),
        ("(;W[31", 1, "the value of W does not end"),
        ("(\n;FF[4]", 2, 'the text ends within a game: expected ")"'),
        (";FF[4])", 1, "where a game begins"),
        ("(FF[4])", 1, 'expected ";" before FF'),
        ("(;GM[1])", 1, "expected backgammon, GM[6], found GM[1]"),
        ("(;GM[6]MI[length:x])", 1, "expected a number after MI[length:, found 'x'"),
        ("(" * 1001, 1, "nested more than 1000 deep"),
        (ROOT + "\n;W[71hefe])", 2, "expected dice and points such as W[31hefe]"),
        (ROOT + "\n;W[31he fe zz])", 2, "expected dice and points"),
        (ROOT + "\n;W[31cbfe])", 2, "cannot be carried out"),
        (ROOT + "\n;W[61l\n?])", 2, "found W[61l ?]"),
        (ROOT + "\n;DI[7])", 2, "expected DI[] with two dice, found DI[7]"),
        (ROOT + "\n;PL[x])", 2, "expected PL[W] or PL[B], found PL[x]"),
        (ROOT + "\n;CV[3])", 2, "expected CV[] with 1, 2, 4, 8 and so on, found CV[3]"),
        (ROOT + "\n;CP[x])", 2, "expected CP[w], CP[b] or CP[c], found CP[x]"),
        (ROOT + "\n;AE[1:2])", 2, "expected points to empty such as AE[a:y], found AE[1:2]"),
        (ROOT + "\n;AW[z])", 2, "expected a point a to y, found AW[z]"),
        (ROOT + "\n;AB[a])", 2, "no position"),
        (ROOT + ";W[31hefe];B[double]\n;AE[a:y]AW[a]AB[w])", 2, "can only follow a roll"),
    ],
)
def test_errors_name_the_line(text: str, line: int, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as error:
        read_sgf(text)
    assert error.value.line == line


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (one(missing=(1, 0), start=stand({6: 14}, {6: 15})), "game 1 was begun with too few checkers"),
        (one(missing=(0, 1), start=stand({6: 15}, {6: 14})), "game 1 was begun with too few checkers"),
        (one(PlayTurn(A, Roll(3, 1), "8/5 6/5"), Double(B, 8)), "game 1, turn 2: the cube goes to 2 here, not to 8"),
        (one(Double(A, 4)), "game 1, turn 1: the cube goes to 2 here, not to 4"),
        (one(RollTurn(A, Roll(6, 1)), PlayTurn(B, Roll(6, 1), "13/7 8/7")), "6-1 was rolled and not played, yet the game goes on"),
        (one(IllegalTurn(A, Roll(6, 1), None)), "nobody knows the position"),
    ],
)
def test_what_sgf_cannot_hold(record: MatchRecord, says: str) -> None:
    with pytest.raises(CannotHold, match=says):
        write_sgf(record)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("illegal", [0.0, 0.2])
def test_E2_round_trip(seed: int, illegal: float) -> None:
    for record in (random_match(seed, 7, illegal=illegal), money_session(seed, 2, illegal=illegal)):
        again = read_sgf(write_sgf(record))
        assert (again.players, again.length) == (record.players, record.length)
        explicit = [with_takes(game) for game in record.games]
        assert [plain(game) for game in again.games] == [plain(game) for game in explicit]
        wrong = [turn for game in record.games for turn in game.turns if isinstance(turn, IllegalTurn)]
        assert bool(wrong) == bool(illegal) and len(illegal_plays(check_match(again))) == len(wrong)


def with_takes(game: GameRecord) -> GameRecord:
    """SGF says the take after a beaver in so many words."""
    turns: list[AnyTurn] = []
    for turn in game.turns:
        if turns and isinstance(turns[-1], Beaver) and not isinstance(turn, Take | Drop | Beaver):
            turns.append(Take(turns[-1].player.other))
        turns.append(turn)
    return replace(game, turns=tuple(turns))


FRAGMENTS = st.sampled_from(
    [";W[31hefe]", ";B[42qusu]", ";W[double]", ";B[take]", ";B[drop]", "(", ")", ";", "PL[W]", "AE[a:y]", "AW[a]", "AB[x]", "DI[61]", "CV[2]", "CP[w]",
     "\\", "]", "[", "RE[W+1]", "MI[length:5]", "W", ";B[66]", ";W[resign:1]", ";B[accept]", "RU[Hypergammon1]", "\n"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.lists(FRAGMENTS | st.text(max_size=3), max_size=40).map(lambda parts: ROOT + "".join(parts) + ")"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        record = read_sgf(text)
    except FormatError as error:
        assert error.line >= 1 and "\n" not in str(error)
        return
    check_match(record)
    try:
        write_sgf(record)
    except CannotHold as refusal:
        assert str(refusal).startswith("game ")


@needs_matches
def test_every_shared_sgf_is_read_with_no_false_illegal() -> None:
    files = sorted(MATCHES.glob("*.sgf"))
    assert len(files) == 5
    for path in files:
        record = read_sgf(path.read_text())
        wrong = [(f.game, f.turn, f.clause) for f in check_match(record)]
        assert wrong == ([(1, 2, "M1")] if path.name == "gnubg-generated-ill.sgf" else []), (path.name, wrong)
        assert read_sgf(write_sgf(record)).games == record.games, path.name


@needs_matches
def test_the_same_match_in_sgf_and_mat_is_the_same() -> None:
    stem = MATCHES / "gnubgparser-gnubg108_7pt_2305"
    sgf, mat = read_sgf(stem.with_suffix(".sgf").read_text()), read_mat(stem.with_suffix(".mat").read_text())
    assert [plain(game) for game in sgf.games] == [plain(game) for game in mat.games]
    assert notations(sgf)[0] == "24/23 13/9"


# --- the real gnubg ---


def sgf_through_gnubg(folder: Path, record: MatchRecord) -> tuple[MatchRecord, str]:
    """(the match as gnubg saves it again, its .mat) for our SGF."""
    (folder / "in.sgf").write_text(write_sgf(record))
    said = gnubg(folder, "load match in.sgf", "export match mat out.mat", "save match out.sgf")
    assert [line for line in complaints(said) if "edited during play" not in line] == [], said
    return read_sgf((folder / "out.sgf").read_text()), (folder / "out.mat").read_text()


@needs_gnubg
@pytest.mark.parametrize("seed", [1, 2])
def test_gnubg_saves_our_matches_as_they_are(tmp_path: Path, seed: int) -> None:
    record = random_match(seed, 7)
    again, mat = sgf_through_gnubg(tmp_path, record)
    assert [plain(game) for game in again.games] == [plain(game) for game in record.games]
    ours = [line.split() for line in write_mat(record).splitlines() if line.strip()]
    assert [line.split() for line in mat.splitlines() if line.strip() and not line.startswith(";")] == ours


@needs_gnubg
def test_E2_gnubg_keeps_our_illegal_plays(tmp_path: Path) -> None:
    record = random_match(5, 5, illegal=0.2)
    again, _ = sgf_through_gnubg(tmp_path, record)
    assert [plain(game) for game in again.games] == [plain(game) for game in record.games]


@needs_gnubg
def test_S5_S6_gnubg_keeps_money_games_with_beavers_and_resignations(tmp_path: Path) -> None:
    record = money_session(3, 6)
    assert any(isinstance(turn, Beaver) for game in record.games for turn in game.turns)
    assert any(game.result is not None and game.result.ending is Ending.RESIGNED for game in record.games)
    again, _ = sgf_through_gnubg(tmp_path, record)
    assert [plain(game) for game in again.games] == [plain(with_takes(game)) for game in record.games]


@needs_gnubg
@needs_matches
def test_gnubg_imports_what_we_write_of_every_shared_match(tmp_path: Path) -> None:
    """`.mat` and SGF of each, with equal scores; and what comes back is equal."""
    for path in sorted(MATCHES.iterdir()):
        record = read_sgf(path.read_text()) if path.suffix == ".sgf" else read_mat(path.read_text(encoding="utf-8-sig"))
        folder = tmp_path / path.name
        folder.mkdir()
        again, _ = sgf_through_gnubg(folder, record)
        assert [plain(game)[-1] for game in again.games] == [plain(game)[-1] for game in record.games], path.name
        assert [turns_of(game) for game in again.games] == [turns_of(with_takes(game)) for game in record.games], path.name
        assert [points(game) for game in again.games] == [points(game) for game in record.games], path.name
        try:
            text = write_mat(record)
        except CannotHold as refusal:
            assert path.name in ("gnubg-generated-ill.sgf", "gnubg-generated-ill_snowie.txt", "gnu_gibbon-edited.sgf"), (path.name, refusal)
            continue
        (folder / "m.mat").write_text(text)
        said = gnubg(folder, "import mat m.mat", "export match mat n.mat")
        assert complaints(said) == [], (path.name, said)
        back = read_mat((folder / "n.mat").read_text())
        assert [plain(game)[:-2] for game in back.games] == [plain(game)[:-2] for game in record.games], path.name
        assert [(game.scores, points(game)) for game in back.games] == [(game.scores, points(game)) for game in record.games], path.name


def turns_of(game: GameRecord) -> list[object]:
    return plain(game)[:-2]


def points(game: GameRecord) -> tuple[Player, int] | None:
    return (game.result.winner, game.result.points) if game.result else None
