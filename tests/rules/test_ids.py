"""Position IDs and XGIDs against values from the real gnubg (research 2.1, 2.3), and `.mat` (C1, S2)."""

import pytest

from rules.formats.ids import IdError, Xgid, parse_position_id, parse_xgid, position_id
from rules.formats.mat import CannotHold, Game, Match, Turn, write
from rules.match import GameResult
from rules.plays import Move, Roll
from rules.position import START, Player

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def test_start_ids() -> None:
    assert position_id(START, Player.A) == "4HPwATDgc/ABMA"
    assert parse_position_id("4HPwATDgc/ABMA", Player.B) == START
    assert str(Xgid(START, Player.A, Roll(3, 1))) == OPENING
    one = parse_xgid("XGID=ab----E-C---eE---c-d----A-:0:0:1:52:2:4:0:9:10")
    assert position_id(one.position, Player.A) == "4Dn4AFjgc/ABEA" and one.score == (2, 4)
    assert str(parse_xgid(OPENING)) == OPENING


@pytest.mark.parametrize("text", ["", "XGID=", "4HPw", OPENING.replace("31", "99"), OPENING.replace("eE", "zE")])
def test_bad_ids(text: str) -> None:
    with pytest.raises(IdError):
        parse_xgid(text)
    with pytest.raises(IdError):
        parse_position_id(text, Player.A)


def test_E2_mat_refuses_an_illegal_play_that_stood() -> None:
    turn = Turn(Player.A, Roll(6, 1), (Move(13, 7), Move(8, 7)))
    text = write(Match(("Joe", "Ann"), 7, [Game([turn], GameResult(Player.A, 1))]))
    assert "  1) 61: 13/7 8/7" in text and " Wins 1 point" in text
    with pytest.raises(CannotHold, match="illegal"):
        write(Match(("Joe", "Ann"), 7, [Game([Turn(Player.A, Roll(6, 1), illegal=True)])]))
