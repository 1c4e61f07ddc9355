"""The story of a match: nothing that was out of the ordinary is missing from it, whatever the referee wrote."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from some_matches import COMMANDS, simulated
from test_referee_clauses import AFTER_31, B_65, LEFT65, SHORT, opened

from controller.events import Event
from controller.keeping.story import TITLES, lit, tell
from controller.past import moments
from controller.referee import step
from rules.position import START


@pytest.mark.parametrize("seed", range(2))
def test_turns_are_numbered_as_replay_numbers_them(seed: int) -> None:
    _, events = simulated(seed)
    turns, known = tell(events).turns, moments(events)
    assert [(t.number, t.after) for t in turns] == [(m.number, m.position) for m in known]
    assert all(t.events == m.events for t, m in zip(turns, known, strict=True))


@pytest.mark.parametrize("seed", range(2))
def test_every_illegal_play_void_roll_and_question_is_told_with_a_board(seed: int) -> None:
    _, events = simulated(seed, noise=float(seed))
    story = tell(events)
    for kind in ("illegal", "roll_void", "unsure", "stands"):
        there = [e.frame for e in events if e.event == kind]
        assert [i.frame for i in story.incidents if i.kind == kind] == there
    assert story.count("illegal") + story.count("roll_void") > 3
    assert all(i.boards and i.title == TITLES[i.kind] for i in story.incidents if i.kind in ("illegal", "roll_void", "unsure"))


def test_games_rows_and_score_are_those_of_the_events() -> None:
    state, events = simulated(1, length=2)
    story = tell(events, start=state.start.to_28())
    assert story.score == state.score and len(story.games) == sum(e.event == "game_start" for e in events)
    turns = [row.turn for game in story.games for row in game.rows if row.turn]
    assert turns == list(range(1, len(story.turns) + 1))
    doubles = [row.text for game in story.games for row in game.rows if row.kind == "double"]
    assert len(doubles) == sum(e.event == "double" for e in events)


def test_a_play_put_right_is_told_before_and_after() -> None:
    table = opened().look(SHORT).look(SHORT).look(AFTER_31).look(AFTER_31, LEFT65).look(B_65)
    story = tell(table.events, ("Ada", "Ben"))
    assert [i.kind for i in story.incidents] == ["illegal", "corrected"]
    illegal = story.incidents[0]
    assert illegal.clause == "M6" and illegal.nearest and [name for name, _ in illegal.boards] == ["before the play", "as it was played"]
    assert illegal.boards[1][1].lit == lit(START.to_28(), SHORT.to_28()) == (5, 8)
    assert [t.text for t in story.turns] == ["an illegal play", "8/5 6/5", "24/13"] and story.turns[1].corrected


def test_a_resignation_ends_the_game_in_words() -> None:
    table = opened().look(AFTER_31).order("resign", player="B", how="gammon").order("accept")
    game = tell(table.events, ("Ada", "Ben")).games[0]
    assert (game.winner, game.points, game.resigned) == ("A", 2, True)
    assert [row.text for row in game.rows] == ["8/5 6/5", "offers to resign a gammon"]


def test_the_time_of_a_turn_stands_beside_it() -> None:
    rows = [Event("turn_time", 4, 9.0, {"player": "A", "seconds": 7.5, "reserve": [300, 300]})]
    table = opened().look(AFTER_31)
    story = tell([*table.events, *rows])
    assert story.turns[0].seconds == 7.5 and story.games[0].rows[0].seconds == 7.5


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.command)
@pytest.mark.parametrize("after", [0, 7, 40, 41, 43])
def test_any_act_at_any_time_has_its_place(command: object, after: int) -> None:
    """A command may come at any moment; the referee's answer always fits into the story."""
    state, events = simulated(0)
    state, said = step(state, command)  # type: ignore[arg-type]
    story = tell([*events[:after], *said, *events[after:]])
    by = [i.by for i in story.incidents if i.by]
    assert by == [e.data["by"] for e in said if e.data.get("by")]
