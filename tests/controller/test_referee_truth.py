"""The referee on the scenes of the rendered games and of the real sequence, scored with the shared tool."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import referee_scenes as truth

from controller.events import Event
from controller.referee import RefereeState, finish, new_game, step
from rules.position import Position
from rules.ruleset import preset
from vision.scene import Scene

TOOL = truth.SHARED / "tools/score_game.py"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="the shared files are not here")


def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_game", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def referee(state: RefereeState, scenes: list[Scene], *, resumed: bool = False) -> list[dict[str, Any]]:
    events: list[Event] = []
    for scene in scenes:
        if resumed:
            state = RefereeState.from_json(json.loads(json.dumps(state.to_json())))
        state, said = step(state, scene)
        events += said
        assert state.waiting
    events += finish(state)[1]
    return [json.loads(e.to_json()) for e in events]


def score(game: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, Any]:
    tool = scorer()
    want = [e for e in game["events"] if e["event"] in tool.SCORED]
    got = [e for e in events if e["event"] in tool.SCORED]
    pairs = tool.align([tool.token(e) for e in want], [tool.token(e) for e in got])
    hit = {j for _, j in pairs}
    verdicts = ("play", "illegal", "dance")
    return {
        "all_right": len(pairs) == len(want) == len(got),
        "reasons": all(want[i].get("reason") == got[j].get("reason") for i, j in pairs if want[i]["event"] == "roll_void"),
        "false": [e for j, e in enumerate(got) if j not in hit],
        "wrong": sum(e["event"] in verdicts for j, e in enumerate(got) if j not in hit),
        "plies": sum(e["event"] in verdicts for e in want),
        "right": sum(want[i]["event"] in verdicts for i, _ in pairs),
        "unsure": sum(e["event"] == "unsure" for e in events),
    }


@pytest.mark.parametrize("name", truth.GAMES)
@pytest.mark.parametrize("resumed", [False, True])
def test_a_game_seen_surely_is_all_right(name: str, resumed: bool) -> None:
    """Also when the program is stopped and started again before every scene."""
    game = truth.load_game(name)
    events = referee(new_game(home=game["home"]), list(truth.scenes(game)), resumed=resumed)
    result = score(game, events)
    assert result["all_right"] and result["reasons"] and result["unsure"] == 0, result


@pytest.mark.parametrize(
    ("spoilt", "right"),
    [({"noise": 0.05}, 0.95), ({"noise": 0.1}, 0.9), ({"dropped": 0.1}, 0.9), ({"dropped": 0.3}, 0.6), ({"dice_missed": 0.1}, 0.9)],
)
def test_spoilt_scenes_may_be_unsure_but_not_wrong(spoilt: dict[str, float], right: float) -> None:
    """No wrong verdict on four games; the share judged right falls gently."""
    total = {"wrong": 0, "plies": 0, "right": 0}
    for name in truth.GAMES:
        game = truth.load_game(name)
        result = score(game, referee(new_game(home=game["home"]), list(truth.scenes(game, 1, **spoilt))))
        total = {key: total[key] + result[key] for key in total}
    assert total["wrong"] == 0
    assert total["right"] >= right * total["plies"], total


def test_the_real_sequence_with_dice_in_either_half() -> None:
    """Five completed plays; the starter is whoever moved first; the sixth turn's dice still lie, so it is not judged."""
    scenes, counts, _ = truth.sequence()
    order = truth.lane_order("left")
    start = Position(tuple(counts[lane] for lane in order), checkers=12)
    events = referee(new_game(start, preset("either half"), "left"), scenes)
    plays = [e for e in events if e["event"] == "play"]
    assert [(e["player"], e["dice"]) for e in plays] == [
        ("A", [3, 2]), ("B", [4, 3]), ("A", [2, 1]), ("B", [1, 2]), ("A", [3, 6]),
    ]  # fmt: skip
    assert [e["event"] for e in events if e["event"] not in ("roll", "play", "game_start")] == []
    assert [e["dice"] for e in events if e["event"] == "roll"] == [[3, 2], [4, 3], [2, 1], [1, 2], [3, 6], [4, 1]]
