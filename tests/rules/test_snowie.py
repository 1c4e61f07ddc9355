"""Snowie text: positions in 40 fields and matches that keep illegal plays (E2; research 2.4 and 2.6)."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_games import MATCHES, complaints, gnubg, money_session, needs_gnubg, needs_matches, plain, random_match
from some_positions import PLAYERS, ROLLS, positions

from rules.check import check_match, illegal_plays
from rules.formats.ids import IdError, parse_xgid
from rules.formats.mat import read_mat
from rules.formats.sgf import read_sgf, write_sgf
from rules.formats.snowie import SnowiePosition, not_kept_in_snowie, parse_snowie, write_snowie
from rules.match import Ending, GameResult, Win
from rules.plays import Roll, legal_plays, winner
from rules.position import START, Player, Position
from rules.record import CannotHold, FormatError, GameRecord, IllegalTurn, MatchRecord, PlayTurn, RollTurn

A, B = Player.A, Player.B
LINE = "9;0;0;0;1;Ann;Bo;0;2;4;1;0;-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;0;5;2;"
"""As the real gnubg wrote XGID=ab----E-C---eE---c-d----A-:0:0:1:52:2:4:0:9:10."""


def test_the_fields_are_gnubg_s() -> None:
    xgid = parse_xgid("XGID=ab----E-C---eE---c-d----A-:0:0:1:52:2:4:0:9:10")
    one = parse_snowie(LINE)
    assert one == SnowiePosition(xgid.position, A, ("Ann", "Bo"), Roll(5, 2), score=(2, 4), length=9)
    assert str(one) == LINE
    # X on the bar and on roll, O owns the cube, money with Jacoby: gnubg's own line
    money = parse_snowie("0;1;0;1;1;Ex;Oh;0;0;0;2;-1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;1;1;6;1;")
    assert (money.position.bar, money.owner, money.cube, money.jacoby, money.length) == ((1, 0), B, 2, True, 0)
    assert parse_snowie(str(money)) == money
    crawford = parse_snowie(LINE.replace("Bo;0;2;4", "Bo;1;8;4"))
    assert crawford.crawford and crawford.score == (8, 4)


def test_the_other_side_sees_the_same_board() -> None:
    theirs = parse_snowie(LINE.replace(";0;0;0;1;Ann", ";0;0;0;0;Ann"))
    mine = parse_snowie(LINE)
    assert theirs.on_roll is B and theirs.position == mine.position.mirrored and theirs.names == ("Bo", "Ann")
    assert theirs.score == (4, 2) and parse_snowie(LINE, B) == theirs
    assert str(SnowiePosition(START, A, ("a;b", "c\nd"))).split(";")[5:7] == ["a b", "c d"]


POSITIONS = st.builds(
    lambda position, roller, roll, cube, owner, score, length, flags: SnowiePosition(
        position, roller, ("Ann", "Bo"), roll, 1 << cube, owner, score, length, flags[0], flags[1] and not length
    ),
    positions(), PLAYERS, st.none() | ROLLS, st.integers(0, 12), st.none() | PLAYERS,
    st.tuples(st.integers(0, 99), st.integers(0, 99)), st.integers(0, 99), st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(POSITIONS)
def test_position_round_trip(one: SnowiePosition) -> None:
    assert parse_snowie(str(one)) == one


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "40 fields between semicolons, here are 1"),
        (LINE + "1;", "40 fields between semicolons, here are 41"),
        (LINE.replace("9;0;0", "x;0;0"), "field 1 of a Snowie position is a whole number, not 'x'"),
        (LINE.replace("9;0;0", "-9;0;0"), "match length of a Snowie position cannot be -9"),
        (LINE.replace(";1;Ann", ";2;Ann"), "player on roll of a Snowie position cannot be 2"),
        (LINE.replace("Bo;0", "Bo;2"), "Crawford flag of a Snowie position cannot be 2"),
        (LINE.replace(";2;4;", ";-2;4;"), "score of a Snowie position cannot be -2"),
        (LINE.replace(";2;4;1;", ";2;4;3;"), "cube of a Snowie position cannot be 3"),
        (LINE.replace(";2;4;1;", ";2;4;0;"), "cube of a Snowie position cannot be 0"),
        (LINE.replace(";1;0;-1;", ";1;2;-1;"), "owner of the cube of a Snowie position cannot be 2"),
        (LINE.replace(";5;2;", ";5;0;"), "the dice of a Snowie position are 5 and 0"),
        (LINE.replace(";5;2;", ";7;2;"), "the dice of a Snowie position are 7 and 2"),
        (LINE.replace(";-1;-2", ";1;-2"), "the bar of the player on roll is 0 or more"),
        (LINE.replace(";5;0;3", ";15;0;3"), "more than 15"),
    ],
)
def test_bad_positions_get_one_sentence(line: str, says: str) -> None:
    with pytest.raises(IdError, match=re.escape(says)):
        parse_snowie(line)


def test_fewer_checkers_have_no_line() -> None:
    with pytest.raises(IdError, match="15 checkers, here each has 2"):
        str(SnowiePosition(Position((0,) * 23 + (2,), (0, 2), checkers=2), A))


WRONG = Position((*START.points[:3], 1, 1, 4, 0, 2, *START.points[8:]))
"""3-1 played 8/5 6/4."""


def match(*turns: object) -> MatchRecord:
    return MatchRecord(("Al", "Be"), 5, [GameRecord((0, 0), turns)])  # type: ignore[arg-type]


def test_E2_the_layout_of_illegal_plays_is_gnubg_s() -> None:
    left = match(IllegalTurn(A, Roll(3, 1), WRONG), PlayTurn(B, Roll(5, 2), "13/8 13/11"), PlayTurn(A, Roll(6, 5), "24/13"))
    assert write_snowie(left).splitlines()[4:] == [
        "  1) 31:                         Illegal play (5;0;0;0;0;Be;Al;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-2;0;-4;-1;-1;0;0;2;0;5;2;) 52: 13/11 13/8 ",
        "  2) 65: 24/18 18/13             ",
    ]
    right = match(PlayTurn(A, Roll(6, 1), "13/7 8/7"), IllegalTurn(B, Roll(3, 1), WRONG.mirrored), PlayTurn(A, Roll(5, 2), "13/8 13/11"))
    assert write_snowie(right).splitlines()[4] == (
        "  1) 61: 13/7 8/7                31: Illegal play (5;0;0;0;1;Al;Be;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-2;0;-4;-1;-1;0;0;2;0;5;2;)"
    )
    for record in (left, right):
        assert [plain(g) for g in read_mat(write_snowie(record)).games] != [] and len(illegal_plays(check_match(read_mat(write_snowie(record))))) == 1
    ends = match(IllegalTurn(A, Roll(3, 1), WRONG))
    assert write_snowie(ends).splitlines()[4].endswith(";2;0;0;0;) ")
    assert plain(read_mat(write_snowie(ends)).games[0])[0] == ("IllegalTurn", A, (3, 1), WRONG)


@pytest.mark.parametrize("seed", range(4))
def test_E2_round_trip(seed: int) -> None:
    for record in (random_match(seed, 7, illegal=0.2), money_session(seed, 2, illegal=0.2)):
        again = read_mat(write_snowie(record))
        assert [plain(game)[:-2] for game in again.games] == [plain(game)[:-2] for game in record.games]
        assert [game.result and (game.result.winner, game.result.points) for game in again.games] == [
            game.result and (game.result.winner, game.result.points) for game in record.games
        ]
        wrong = [turn for game in record.games for turn in game.turns if isinstance(turn, IllegalTurn)]
        assert wrong and len(illegal_plays(check_match(again))) == len(wrong)


def test_what_snowie_text_cannot_hold() -> None:
    with pytest.raises(CannotHold, match="nobody knows the position"):
        write_snowie(match(IllegalTurn(A, Roll(3, 1), None)))
    with pytest.raises(CannotHold, match="the game goes on"):
        write_snowie(match(RollTurn(A, Roll(3, 1)), PlayTurn(B, Roll(3, 1), "8/5 6/5")))
    record = MatchRecord(("A:l", "Be"), 5, [GameRecord((0, 0), (IllegalTurn(A, Roll(3, 1), WRONG, stood=False),), GameResult(B, 2, Win.GAMMON, Ending.RESIGNED))])
    assert not_kept_in_snowie(record) == [
        "the name 'A:l' is written as 'A l'",
        "game 1: that it was resigned, as a gammon; only the points are written",
        "game 1: A's illegal play of 3-1 that was taken back",
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("  1) Illegal play (5;0;)", 'expected a roll before "Illegal play"'),
        ("  1) 31:                         Illegal play (5;0;)", "40 fields between semicolons, here are 2"),
    ],
)
def test_bad_rows_name_the_line(row: str, says: str) -> None:
    with pytest.raises(FormatError, match=re.escape(says)) as error:
        read_mat(f" 5 point match\n\n Game 1\n Al : 0                         Be : 0\n{row}\n")
    assert error.value.line == 5


@needs_matches
def test_E2_gnubg_s_own_illegal_play_is_read() -> None:
    text, sgf = (MATCHES / "gnubg-generated-ill_snowie.txt").read_text(), (MATCHES / "gnubg-generated-ill.sgf").read_text()
    record = read_mat(text)
    assert [plain(game) for game in record.games] == [plain(game) for game in read_sgf(sgf).games]
    assert [(f.turn, f.clause, f.sentence) for f in check_match(record)] == [(2, "M1", "Alpha played 8/5 6/4, 5 pips; that is not a play of 3-1.")]


# --- the real gnubg ---


@needs_gnubg
def test_E2_gnubg_writes_the_same_text_and_reads_ours(tmp_path: Path) -> None:
    record = random_match(5, 5, illegal=0.2)
    (tmp_path / "in.sgf").write_text(write_sgf(record))
    (tmp_path / "ours.txt").write_text(write_snowie(record))
    said = gnubg(tmp_path, "load match in.sgf", "export match snowietxt theirs.txt", "import mat ours.txt", "save match again.sgf")
    assert complaints(said) == [], said
    theirs = [line.split() for line in (tmp_path / "theirs.txt").read_text().splitlines() if line.strip()]
    assert [line.split() for line in write_snowie(record).splitlines() if line.strip()] == theirs
    again = read_sgf((tmp_path / "again.sgf").read_text())
    assert [plain(game)[:-2] for game in again.games] == [plain(game)[:-2] for game in record.games]


@needs_gnubg
def test_gnubg_writes_the_same_positions(tmp_path: Path) -> None:
    rng = random.Random(11)
    commands, wanted = ["set player 0 name Oh", "set player 1 name Ex"], []
    position, player = START, A
    for n in range(40):
        roll = Roll(rng.randint(1, 6), rng.randint(1, 6))
        length = rng.choice([0, 5, 7])
        score = (rng.randrange(length), rng.randrange(length)) if length else (0, 0)
        cube = 0 if length and length - 1 in score else rng.randrange(3)
        owner = rng.choice([A, B]) if cube else None
        shown = position if player is A else position.mirrored
        one = SnowiePosition(shown, A, ("Ex", "Oh"), Roll(roll.high, roll.low), 1 << cube, owner, score, length, jacoby=not length)
        xgid = parse_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10")
        text = f"{type(xgid)(shown, A, one.roll, one.cube, owner, '', score, length, False, not length, not length)}"
        commands += [f"set xgid {text}", f"export position snowietxt {n}.txt"]
        wanted.append(str(one))
        plays = legal_plays(position, player, roll)
        position = rng.choice(list(plays)) if plays else position
        player = player.other
        position = START if winner(position) else position
    gnubg(tmp_path, *commands)
    assert [(tmp_path / f"{n}.txt").read_text().strip() for n in range(40)] == wanted
