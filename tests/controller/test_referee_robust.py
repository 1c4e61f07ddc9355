"""Whatever the scenes, the referee never raises, its state survives the journal, and it is a pure function."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.events import Command, Event
from controller.referee import RefereeState, finish, new_game, step
from rules.position import START
from rules.ruleset import preset
from vision.scene import CUBE_FACES, BoardReading, CubeSeen, DieSeen, Scene

probabilities = st.sampled_from([0.2, 0.6, 0.9, 0.999])
halves = st.sampled_from(["left", "right", "bar", "off"])


def peaked(n: int, at: int, sure: float) -> tuple[float, ...]:
    return tuple(sure if i == at else (1 - sure) / (n - 1) for i in range(n))


@st.composite
def dice(draw: st.DrawFn) -> DieSeen:
    xy = (draw(st.sampled_from([100.0, 108.0, 160.0, 400.0])), draw(st.sampled_from([100.0, 300.0])))
    return DieSeen(
        xy,
        peaked(6, draw(st.integers(0, 5)), draw(probabilities)),
        peaked(4, draw(st.integers(0, 3)), draw(probabilities)),
        draw(halves),
        20.0,
        draw(probabilities),
    )


@st.composite
def boards(draw: st.DrawFn) -> BoardReading:
    seed = draw(st.integers(0, 5))
    rng = np.random.default_rng(seed)
    counts = [0] * 24
    for point, lane in enumerate([*range(23, 11, -1), *range(12)]):
        counts[lane] = START.points[point]
    for _ in range(draw(st.sampled_from([0, 0, 1, 2, 6]))):
        counts[int(rng.integers(24))] = int(rng.integers(-6, 7))
    board = BoardReading.certain(counts, (0, draw(st.integers(0, 2))), draw(st.sampled_from([0.001, 0.2, 0.9])))
    return BoardReading(board.lanes, board.bar, frozenset(draw(st.lists(st.sampled_from(["top1", "bottom6", "bar"]), max_size=2))))


@st.composite
def cubes(draw: st.DrawFn) -> CubeSeen:
    where = draw(st.sampled_from(["top", "bottom", "middle", "left", "other"]))
    return CubeSeen((500.0, 500.0), peaked(len(CUBE_FACES), draw(st.integers(0, 5)), draw(probabilities)), where, 20.0, draw(probabilities))


commands = st.one_of(
    st.sampled_from(["commit", "double", "take", "pass", "new_game", "call", "undo", "stand", "accept", "refuse", "end_match"]).map(Command),
    st.sampled_from(["A", "B", "C"]).map(lambda who: Command("resign", {"player": who, "how": "gammon"})),
    st.sampled_from([[0, 0], [1, 2], [9, 0], "x"]).map(lambda score: Command("set_score", {"score": score})),
    st.sampled_from([1, 2, 3]).map(lambda value: Command("set_cube", {"value": value, "owner": "A" if value > 1 else None})),
    st.sampled_from([0, 3]).map(lambda turn: Command("rule", {"turn": turn, "ruling": "stands"})),
    st.sampled_from(["A", "B", "C"]).map(lambda who: Command("set_position", {"position": list(START.to_28()), "player": who})),
    st.just(Command("set_position", {"position": [1, 2]})),
)
looks = st.tuples(boards(), st.lists(dice(), max_size=4), st.none() | cubes())
steps = st.lists(st.one_of(looks, looks, looks, commands), min_size=1, max_size=14)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps, st.sampled_from(["club", "either half", "money"]), st.sampled_from(["right", "left"]))
def test_any_scenes_and_commands(given: list[object], rules: str, home: str) -> None:
    state = new_game(START, preset(rules), "left" if home == "left" else "right")
    for number, one in enumerate(given):
        what = one if isinstance(one, Command) else Scene(number, number * 0.5, one[0], tuple(one[1]), one[2])  # type: ignore[index]
        before = json.dumps(state.to_json())
        after, events = step(state, what)
        assert json.dumps(state.to_json()) == before, "the state given was changed"
        resumed = RefereeState.from_json(json.loads(before))
        assert resumed.to_json() == state.to_json()
        again, repeated = step(resumed, what)
        assert repeated == events and again.to_json() == after.to_json()
        for event in events:
            assert Event.from_json(event.to_json()).to_dict() == event.to_dict()
            assert len(event.data.get("position") or [0] * 28) == 28
        ends = sum(event.event == "game_over" for event in events)
        assert ends == len(after.games) - len(state.games) or any(event.event == "score_set" for event in events)
        assert ends <= (state.phase != "over"), "a game that is over ends once more"
        assert after.phase != "over" or after.cube.offered_by is None
        state = after
        assert state.waiting and state.board_shown
    finish(state)
