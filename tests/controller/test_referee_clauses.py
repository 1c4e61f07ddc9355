"""The referee clause by clause, on short invented scenes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from referee_scenes import peaked, reading

from controller.events import Command, Event
from controller.referee import RefereeState, finish, new_game, step
from rules.position import START, Player, Position
from vision.scene import CUBE_FACES, DIE_STATES, BoardReading, CubeSeen, DieSeen, Scene

Dice = tuple[tuple[int, str, str], ...]
AFTER_31 = Position.from_28([-2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
SHORT = Position.from_28([-2, 0, 0, 0, 1, 5, 0, 2, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""Only the 3 of 31 was played."""
B_65 = Position.from_28([-1, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -6, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0, 0, 0])
"""B ran 24/13 with 65."""
LEFT65: Dice = ((6, "left", "flat"), (5, "left", "flat"))


class Table:
    """A table where a test puts things; every `look` is one settled scene."""

    def __init__(self, state: RefereeState | None = None) -> None:
        self.state = state or new_game()
        self.events: list[Event] = []
        self.frame = -1
        self.cube: CubeSeen | None = None

    def look(self, position: Position, dice: Dice = (), throw: int = 0, board: BoardReading | None = None) -> Table:
        """`throw` tells one throw of the same dice from another: they lie elsewhere."""
        self.frame += 1
        seen = tuple(
            DieSeen(
                (100.0 + 40 * value + 400 * (where == "right"), 200.0 + 60 * throw), peaked(6, value - 1, 0.995),
                peaked(4, DIE_STATES.index(state), 0.99), where, 18.0,
            )  # type: ignore[arg-type]
            for value, where, state in dice
        )  # fmt: skip
        scene = Scene(self.frame, float(self.frame), board or reading(position.to_28(), "right"), seen, self.cube)
        self.state, said = step(self.state, scene)
        self.events += said
        return self

    def order(self, name: str, **data: object) -> Table:
        self.state, said = step(self.state, Command(name, data))  # type: ignore[arg-type]
        self.events += said
        return self

    def press(self, time: float) -> Table:
        """The clock's button."""
        self.state, said = step(self.state, Command("commit", time=time))
        self.events += said
        return self

    def end(self) -> Table:
        self.state, said = finish(self.state)
        self.events += said
        return self

    @property
    def kinds(self) -> list[str]:
        return [e.event for e in self.events if e.event != "game_start"]


def opened() -> Table:
    """A won the opening with 31, which still lies."""
    dice: Dice = ((3, "right", "flat"), (1, "left", "flat"))
    return Table().look(START).look(START, dice).look(START, dice)


def to_b() -> Table:
    """A has played 31; B is to roll."""
    return opened().look(AFTER_31)


def test_d1_the_higher_die_plays_first_with_both_numbers() -> None:
    table = opened()
    assert table.kinds == ["opening_roll"]
    assert table.events[-1].data == {"player": "A", "dice": [3, 1], "a": 3, "b": 1}
    assert table.state.waiting == "waiting for A to play 3-1 and lift the dice"


def test_d1_a_tie_is_rolled_again() -> None:
    tie: Dice = ((3, "right", "flat"), (3, "left", "flat"))
    table = Table().look(START).look(START, tie).look(START, ((2, "right", "flat"), (5, "left", "flat")), throw=1)
    assert table.kinds == ["opening_tie", "opening_roll"]
    assert table.events[-1].data["player"] == "B"


def test_d5_a_play_may_be_changed_until_the_dice_are_lifted() -> None:
    dice: Dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = opened().look(SHORT, dice).look(AFTER_31)
    assert table.kinds == ["opening_roll", "play"]
    assert table.events[-1].data["position"] == list(AFTER_31.to_28())
    assert table.events[-1].data["moves"] == "8/5 6/5"


def test_d5_dice_overlooked_for_one_scene_end_no_turn() -> None:
    dice: Dice = ((3, "right", "flat"), (1, "left", "flat"))
    table = opened().look(SHORT).look(SHORT, dice).look(AFTER_31, dice).look(AFTER_31)
    assert table.kinds == ["opening_roll", "play"]


def test_m6_e3_an_illegal_play_is_called_and_corrected() -> None:
    table = opened().look(SHORT).look(AFTER_31)
    assert table.kinds == ["opening_roll", "illegal", "play"]
    illegal, play = table.events[-2:]
    assert illegal.data["clause"] == "M6" and illegal.data["position"] == list(SHORT.to_28())
    assert play.data["corrected"] is True


def test_e2_an_illegal_play_stands_when_the_next_roll_comes_first() -> None:
    table = opened().look(SHORT).look(SHORT).look(SHORT, LEFT65)
    assert table.kinds == ["opening_roll", "illegal", "stands", "roll"]
    assert table.state.position == SHORT and table.state.turn is Player.B


def test_m7_lifting_without_playing_is_illegal_once_the_other_rolls() -> None:
    table = opened().look(START).look(START, LEFT65)
    assert table.kinds == ["opening_roll", "illegal", "stands", "roll"]
    assert table.events[-3].data["reason"] == "nothing_played"


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        (((6, "left", "flat"), (5, "left", "cocked")), "cocked"),
        (((6, "left", "flat"), (5, "left", "on_checker")), "on_checker"),
        (((6, "right", "flat"), (5, "right", "flat")), "wrong_half"),
        (((6, "left", "flat"), (5, "right", "flat")), "split"),
        (((6, "left", "flat"), (5, "off", "flat")), "off_board"),
    ],
)
def test_d4_a_void_roll_is_told_with_its_reason_and_rolled_again(dice: Dice, reason: str) -> None:
    table = to_b().look(AFTER_31, dice).look(AFTER_31).look(AFTER_31, ((2, "left", "flat"), (1, "left", "flat")), throw=1)
    assert table.kinds == ["opening_roll", "play", "roll_void", "roll"]
    assert table.events[-2].data["reason"] == reason and table.events[-1].data["player"] == "B"


def test_d6_a_roll_before_the_opponent_lifted_is_void() -> None:
    mine: Dice = ((3, "right", "flat"), (1, "right", "flat"))
    table = to_b().look(AFTER_31, LEFT65).look(B_65, LEFT65).look(B_65, (*LEFT65, *mine)).look(B_65, mine).look(B_65)
    assert table.kinds == ["opening_roll", "play", "roll", "roll_void", "play"]
    assert table.events[-2].data["player"] == "A" and table.events[-2].data["reason"] == "premature"
    assert table.state.turn is Player.A


def test_m3_a_hit_checker_that_vanished_is_missed_on_to_the_end() -> None:
    before = Position.from_28([-1, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, -1, 2, 0, 0, 0, 0])
    after = Position.from_28([-1, 0, 0, 0, 0, 5, 0, 2, 1, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 1, 1, 0, 1, 0, 0])
    table = Table().look(START).order("set_position", position=list(before.to_28()), player="A")
    table.look(before, ((1, "right", "flat"), (4, "right", "flat")))
    lost = list(after.to_28())
    lost[7], lost[8], lost[12], lost[8] = 3, 0, 4, 1
    lost[25] = 0
    gone = reading(lost, "right")
    table.look(after, board=gone).look(after, board=gone).look(after, LEFT65, board=gone)
    assert table.kinds[-4:] == ["roll", "illegal", "stands", "roll"]
    assert table.events[-3].data["reason"] == "hit_checker_missing"
    assert table.state.missing == (0, 1) and table.events[-3].data["position"] == lost


def test_c2_the_cube_turned_before_the_roll() -> None:
    table = to_b()
    table.cube = CubeSeen((9.0, 9.0), peaked(6, CUBE_FACES.index(2), 0.95), "bottom", 20.0)
    table.look(AFTER_31).look(AFTER_31, LEFT65)
    assert table.kinds == ["opening_roll", "play", "double", "take", "roll"]
    assert table.state.cube.value == 2 and table.state.cube.owner is Player.A


def test_c3_double_and_pass_by_command() -> None:
    table = to_b().order("double").order("pass")
    assert table.kinds == ["opening_roll", "play", "double", "pass", "game_over"]
    assert table.events[-1].data == {"winner": "B", "how": "pass", "points": 1}
    assert table.state.waiting.startswith("the game is over") and table.state.score == (0, 1)


def test_c4_a_double_after_the_roll_is_refused() -> None:
    assert to_b().look(AFTER_31, LEFT65).order("double").kinds[-1] == "refused"


def test_m5_a_player_shut_out_does_not_roll() -> None:
    shut = Position.from_28([2, 2, 2, 2, 2, 2, 0, 3, 0, 0, 0, -5, 0, 0, 0, 0, -3, 0, -6, 0, 0, 0, 0, 0, 0, 1, 0, 0])
    table = Table().look(START).order("set_position", position=list(shut.to_28()), player="B")
    table.look(shut).look(shut, ((2, "right", "flat"), (1, "right", "flat")))
    assert table.kinds == ["position_set", "shut_out", "roll"]


def test_m10_s1_the_last_checker_off_wins_a_gammon() -> None:
    before = Position.from_28([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 0])
    after = Position.from_28([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0])
    table = Table().look(START).order("set_position", position=list(before.to_28()), player="A")
    table.look(before, ((2, "right", "flat"), (1, "right", "flat"))).look(after)
    assert table.kinds[-2:] == ["play", "game_over"]
    assert table.events[-1].data == {"winner": "A", "how": "gammon", "points": 2}
    assert table.look(START).kinds[-1] == "game_over" and table.state.phase == "opening"


def test_a_board_nobody_can_read_is_asked_about_not_invented() -> None:
    import numpy as np

    blank = BoardReading(np.full((24, 31), 1 / 31, np.float32), np.full((2, 16), 1 / 16, np.float32))
    assert opened().look(START, board=blank).end().kinds == ["opening_roll", "unsure"]


def test_a_covered_lane_carries_nothing() -> None:
    read = reading(AFTER_31.to_28(), "right")
    hidden = BoardReading(read.lanes, read.bar, frozenset({"bottom8", "top3"}))
    assert opened().look(AFTER_31, board=hidden).kinds == ["opening_roll", "play"]


def test_undo_takes_the_last_turn_back() -> None:
    table = to_b().order("undo")
    assert table.kinds[-1] == "taken_back" and table.state.position == START and table.state.phase == "opening"
