"""Position IDs, Match IDs and XGIDs: values from the real gnubg (research 2.1 to 2.3), and round trips (C1, S3, S5)."""

import base64
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from some_positions import PLAYERS, ROLLS, positions

from rules.formats.ids import GameState, IdError, MatchId, Xgid, parse_match_id, parse_position_id, parse_xgid, position_id, position_of
from rules.plays import Roll, legal_plays, winner
from rules.position import START, Player, Position

A, B = Player.A, Player.B
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
MIDDLE = "XGID=ab----E-C---eE---c-d----A-:0:0:1:52:2:4:0:9:10"
GNUBG = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")

XGIDS = st.builds(
    lambda position, turn, roll, cube, owner, offer, score, length, flags, limit: Xgid(
        position, turn, None if offer else roll, 1 << cube, owner, offer, score, length,
        crawford=bool(length) and flags[0], jacoby=not length and flags[1], beavers=not length and flags[2], max_cube_log2=limit,
    ),
    positions(), PLAYERS, st.none() | ROLLS, st.integers(0, 15), st.none() | PLAYERS, st.sampled_from(["", "D", "B", "R"]),
    st.tuples(st.integers(0, 99), st.integers(0, 99)), st.integers(0, 99), st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.integers(0, 15),
)  # fmt: skip

MATCH_IDS = st.builds(
    lambda on_roll, roll, cube, owner, score, length, crawford, doubled, state, resigned, jacoby: MatchId(
        on_roll, roll, 1 << cube, owner, score, length, crawford, doubled, on_roll.other if doubled else None, state, resigned, jacoby,
    ),
    PLAYERS, st.none() | ROLLS, st.integers(0, 15), st.none() | PLAYERS, st.tuples(st.integers(0, 32767), st.integers(0, 32767)),
    st.integers(0, 32767), st.booleans(), st.booleans(), st.sampled_from(GameState), st.integers(0, 3), st.booleans(),
)  # fmt: skip


def test_start_ids() -> None:
    assert position_id(START, A) == "4HPwATDgc/ABMA"
    assert parse_position_id("4HPwATDgc/ABMA", B) == START
    assert str(Xgid(START, A, Roll(3, 1))) == OPENING
    assert str(parse_xgid(OPENING)) == OPENING == str(parse_xgid(OPENING.removeprefix("XGID=")))


def test_the_player_on_roll_comes_second() -> None:
    roller, other = [0] * 26, [0] * 26
    for place, n in {24: 1, 25: 1, 13: 5, 8: 3, 6: 5}.items():
        roller[place] = n
    for place, n in {24: 1, 18: 1, 13: 5, 8: 3, 6: 5}.items():
        other[place] = n
    position = Position.from_counts(roller, other)
    assert position_id(position, A) == position_id(position.mirrored, B) == "4HPwQSDgc/ABUA"
    assert parse_position_id("4HPwQSDgc/ABUA", A) == position


def test_match_ids_of_gnubg() -> None:
    one = parse_xgid(MIDDLE)
    assert (position_id(one.position, A), one.match_id) == ("4Dn4AFjgc/ABEA", "cIkqAUAAEAAE")
    assert parse_match_id("cIkqAUAAEAAE") == MatchId(A, Roll(5, 2), score=(2, 4), length=9)
    # The manual's example: cube 2 of player 0, player 1 to play 5-2, 9 points, 2-4.
    assert parse_match_id("QYkqASAAIAAA") == MatchId(A, Roll(5, 2), 2, B, (4, 2), 9, jacoby=True)
    assert parse_xgid(OPENING).match_id == "cIkFAAAAAAAE"
    assert not parse_match_id("cIkFAAAAAAAE").jacoby and parse_match_id("cIkFAAAAAAAA").jacoby
    assert parse_match_id("cIgUAAAAAAAA").roll == Roll(1, 5)


@settings(max_examples=200, deadline=None)
@given(positions(), PLAYERS)
def test_position_id_round_trip(position: Position, player: Player) -> None:
    text = position_id(position, player)
    assert len(text) == 14 and parse_position_id(text, player) == position


@settings(max_examples=200, deadline=None)
@given(XGIDS)
def test_xgid_round_trip(xgid: Xgid) -> None:
    assert parse_xgid(str(xgid)) == xgid
    match = parse_match_id(xgid.match_id)
    assert (match.on_roll, match.roll, match.cube, match.owner, match.score) == (xgid.turn, xgid.roll, xgid.cube, xgid.owner, xgid.score)
    assert (match.length, match.crawford, match.jacoby, match.doubled) == (xgid.length, xgid.crawford, xgid.jacoby, bool(xgid.offer))


def test_the_states_of_a_game_are_numbered_as_gnubg_numbers_them() -> None:
    assert [int(state) for state in GameState] == [0, 1, 2, 3, 4]
    for state in GameState:
        raw = base64.b64decode(str(MatchId(A, state=state)))
        assert int.from_bytes(raw, "little") >> 8 & 7 == state


@settings(max_examples=200, deadline=None)
@given(MATCH_IDS)
def test_match_id_round_trip(match: MatchId) -> None:
    assert len(str(match)) == 12 and parse_match_id(str(match)) == match


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80) | st.text("ABCabc-:=0123456789+/XGIDoO", max_size=60) | st.text("AgQw/+4", min_size=12, max_size=14))
def test_any_text_gives_an_id_or_one_plain_sentence(text: str) -> None:
    parsers: list[Callable[[str], object]] = [parse_xgid, parse_match_id, lambda t: parse_position_id(t, A)]
    for parse in parsers:
        try:
            parse(text)
        except IdError as error:
            assert "\n" not in str(error) and len(str(error)) < 400


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "26 signs"),
        ("XGID=", "26 signs"),
        (OPENING.replace(":31:", ":99:"), "the dice of an XGID"),
        (OPENING.replace(":31:", ":³1:"), "the dice of an XGID"),
        (OPENING.replace("eE", "zE"), "'z' cannot stand at place 12"),
        (OPENING.replace("=-", "=A"), "'A' cannot stand at place 0"),
        (OPENING.replace("B-:", "Ba:"), "'a' cannot stand at place 25"),
        (OPENING.replace("B-:", "BA:"), "more than 15"),
        ("XGID=" + "-" * 26 + OPENING[31:], "both sides have borne off"),
        (OPENING.replace(":0:0:1:", ":0:2:1:"), "owner of the cube of an XGID cannot be 2"),
        (OPENING.replace(":0:0:1:", ":0:0:0:"), "turn of an XGID cannot be 0"),
        (OPENING.replace(":0:0:1:", ":99:0:1:"), "cube"),
        (OPENING.replace(":10", ":99"), "highest cube"),
        (OPENING.replace("31:0:0:0:", "31:0:0:4:"), "rule of an XGID cannot be 4"),
        (OPENING.replace("31:0:0:0:", "31:0:-1:0:"), "score"),
        (OPENING.replace("31:0:0:0:0", "31:0:0:0:-1"), "match length"),
        (OPENING.replace("31:0:0:0:0", "31:0:0:0:x"), "whole numbers"),
    ],
)
def test_bad_xgids(text: str, says: str) -> None:
    with pytest.raises(IdError, match=re.escape(says)):
        parse_xgid(text)


def test_S3_S5_the_rule_of_an_xgid_says_different_things_in_a_match_and_for_money() -> None:
    money = [parse_xgid(OPENING.replace("31:0:0:0:0", f"31:0:0:{rule}:0")) for rule in range(4)]
    assert [(one.crawford, one.jacoby, one.beavers) for one in money] == [(False, bool(n & 1), n > 1) for n in range(4)]
    match = [parse_xgid(OPENING.replace("31:0:0:0:0", f"31:0:0:{rule}:1")) for rule in range(2)]
    assert [(one.crawford, one.jacoby, one.beavers, one.length) for one in match] == [(n == 1, False, False, 1) for n in range(2)]
    with pytest.raises(IdError, match="rule of an XGID cannot be 2"):
        parse_xgid(OPENING.replace("31:0:0:0:0", "31:0:0:2:1"))


@pytest.mark.parametrize(("old", "new", "what"), [(":0:0:1:", ":{}:0:1:", "cube"), (":10", ":{}", "highest cube")])
def test_C1_the_cubes_an_xgid_may_show(old: str, new: str, what: str) -> None:
    for power in (0, 30):
        one = parse_xgid(OPENING.replace(old, new.format(power)))
        assert (one.cube if what == "cube" else 1 << one.max_cube_log2) == 1 << power
    for power in (-1, 31):
        with pytest.raises(IdError, match=rf"the {what} \(a power of two\) of an XGID cannot be {power}"):
            parse_xgid(OPENING.replace(old, new.format(power)))


@pytest.mark.parametrize("text", ["", "4HPw", "4HPwATDgc/ABM!", "//////////////", "AAAAAAAAAAAAAA", "4HPwATDgc/ABMQ==", "4HPwATDgc/AB8P"])
def test_bad_position_ids(text: str) -> None:
    with pytest.raises(IdError):
        parse_position_id(text, A)


def test_a_point_cannot_be_shared() -> None:
    """B's one checker on his 1-point, A's on his 24-point."""
    bits = "10" + "0" * 24 + "0" * 23 + "10" + "0"
    text = base64.b64encode(int(bits[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")
    with pytest.raises(IdError, match="A's 24-point"):
        parse_position_id(text, A)
    for point in range(1, 25):
        a, b = [14, *[0] * 25], [14, *[0] * 25]
        a[point] = b[25 - point] = 1
        with pytest.raises(IdError, match=f"^this: both sides stand on A's {point}-point$"):
            position_of(a, b, "this")


@pytest.mark.parametrize(
    ("match", "says"),
    [
        (MatchId(A, cube=1 << 16), "cube of 16"),
        (MatchId(A, length=32768), "length of 32768"),
        (MatchId(A, score=(40000, 0)), "score1 of 40000"),
        (MatchId(A, resigned=4), "resigned of 4"),
    ],
)
def test_what_a_match_id_cannot_hold(match: MatchId, says: str) -> None:
    with pytest.raises(IdError, match=says):
        str(match)


@pytest.mark.parametrize(
    ("text", "says"), [("x", "12 letters"), ("////////////", "dice"), ("IAAAAAAAAAAA", "nobody"), ("AAcAAAAAAAAA", "unknown state"), ("AIAAAAAAAAAA", "dice")]
)  # fmt: skip
def test_bad_match_ids(text: str, says: str) -> None:
    with pytest.raises(IdError, match=says):
        parse_match_id(text)


def test_fewer_checkers_have_no_id() -> None:
    position = Position((0,) * 23 + (2,), (0, 2), checkers=2)
    names: list[Callable[[], str]] = [lambda: position_id(position, A), lambda: str(Xgid(position, A))]
    for name in names:
        with pytest.raises(IdError, match="15 checkers"):
            name()


@pytest.mark.skipif(GNUBG is None, reason="gnubg is not here")
def test_gnubg_gives_the_same_ids(tmp_path: Path) -> None:
    """200 positions of random games through the real program."""
    rng = random.Random(7)
    wanted: list[tuple[str, str]] = []
    script: list[str] = ["set output rawboard off", "set automatic game off", "set automatic roll off"]
    position, player = START, A
    while len(wanted) < 200:
        roll = Roll(rng.randint(1, 6), rng.randint(1, 6))
        length = rng.choice([3, 5, 7, 9])
        score = (rng.randrange(length), rng.randrange(length))
        crawford = length - 1 in score and rng.random() < 0.5
        cube = 0 if crawford else rng.randrange(3)
        # gnubg asks to swap the players when O is on roll, so the roller is always shown as A; it writes dice high first
        shown = position if player is A else position.mirrored
        owner = rng.choice([A, B]) if cube else None
        xgid = Xgid(shown, A, Roll(roll.high, roll.low), 1 << cube, owner, "", score, length, crawford)
        script += [f"set xgid {xgid}", "show board"]
        wanted.append((position_id(shown, A), xgid.match_id))
        plays = legal_plays(position, player, roll)
        position = rng.choice(list(plays)) if plays else position
        player = player.other
        if winner(position):
            position = START
    commands = tmp_path / "ids.cmd"
    commands.write_text("\n".join(script) + "\n")
    out = subprocess.run(
        [str(GNUBG), "-t", "-q", "-r", "-c", str(commands)], check=False, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, env={"HOME": str(tmp_path), "LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    ).stdout  # fmt: skip
    got = list(zip(re.findall(r"Position ID: (\S+)", out), re.findall(r"Match ID   : (\S+)", out), strict=True))
    assert set(wanted) <= set(got), [w for w in wanted if w not in got][:5]
