"""A referee's events against the truth of a simulated match."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from simulated_eye import SimulatedEye
from simulated_match import Happened, Look

from controller.events import Command, Event
from controller.referee import RefereeState, finish, new_game, step
from rules.ruleset import DEFAULT, RuleSet

VERDICTS = ("play", "illegal", "dance")
SCORED = (*VERDICTS, "opening_roll", "roll", "roll_void", "double", "take", "pass", "game_over")


def what(event: dict[str, Any]) -> tuple[Any, ...]:
    """What must agree."""
    kind, who = event["event"], event.get("player")
    if kind in ("roll", "opening_roll"):
        return kind, who, tuple(sorted(event["dice"]))
    if kind in ("play", "illegal"):
        return kind, who, tuple(event["position"])
    if kind == "double":
        return kind, who, event["value"]
    if kind == "game_over":
        return kind, event["winner"], event["points"]
    return kind, who


def pairs(true: list[tuple[Any, ...]], said: list[tuple[Any, ...]]) -> list[tuple[int, int]]:
    """The longest common subsequence, as pairs of places; equal heads and tails are paired first."""
    head = 0
    while head < min(len(true), len(said)) and true[head] == said[head]:
        head += 1
    tail = 0
    while tail < min(len(true), len(said)) - head and true[-1 - tail] == said[-1 - tail]:
        tail += 1
    a, b = true[head : len(true) - tail], said[head : len(said) - tail]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        row, below = longest[i], longest[i + 1]
        for j in reversed(range(len(b))):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    found = [(n, n) for n in range(head)]
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append((head + i, head + j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return found + [(len(true) - tail + n, len(said) - tail + n) for n in range(tail)]


@dataclass
class Score:
    """Counts over matches; `add` takes one match, `plus` another score."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """What was said and is not so, one line each."""

    silent: list[str] = field(default_factory=list)
    """What is so and was not said."""

    def add(self, true: list[dict[str, Any]], said: list[dict[str, Any]], name: str = "") -> None:
        want = [e for e in true if e["event"] in SCORED]
        got = [e for e in said if e["event"] in SCORED]
        found = pairs([what(e) for e in want], [what(e) for e in got])
        paired_true, paired_said = {i for i, _ in found}, {j for _, j in found}
        count = self.counts
        count["matches"] += 1
        count["matches_right"] += len(found) == len(want) == len(got)
        count["unsure"] += sum(e["event"] == "unsure" for e in said)
        for i, e in enumerate(want):
            count[f"{e['event']}_true"] += 1
            count[f"{e['event']}_right"] += i in paired_true
            if i not in paired_true and e["event"] in (*VERDICTS, "roll_void"):
                self.silent.append(f"{name} look {e['look']}: {what(e)} {e.get('reason', '')}")
            if e["event"] in VERDICTS:
                count["plies"] += 1
                count["missed"] += i not in paired_true
        for j, e in enumerate(got):
            if j not in paired_said:
                count[f"{e['event']}_false"] += 1
                count["wrong_verdicts"] += e["event"] in VERDICTS
                if e["event"] in (*VERDICTS, "roll_void", "game_over", "double", "take", "pass"):
                    self.wrong.append(f"{name} frame {e['frame']}: {what(e)}")
        count["reasons_right"] += sum(want[i]["event"] == "roll_void" and want[i]["reason"] == got[j].get("reason") for i, j in found)

    def plus(self, other: Score) -> None:
        self.counts.update(other.counts)
        self.wrong += other.wrong
        self.silent += other.silent

    def figures(self) -> dict[str, Any]:
        c = self.counts
        plies = max(c["plies"], 1)
        return {
            "matches": c["matches"],
            "matches_all_right": c["matches_right"],
            "plies": c["plies"],
            "wrong_verdicts": c["wrong_verdicts"],
            "plies_per_wrong": round(c["plies"] / c["wrong_verdicts"]) if c["wrong_verdicts"] else None,
            "unsure_share": round(c["unsure"] / plies, 5),
            "missed_share": round(c["missed"] / plies, 5),
            "illegal": [c["illegal_true"], c["illegal_right"], c["illegal_false"]],
            "void": [c["roll_void_true"], c["roll_void_right"], c["roll_void_false"]],
            "void_reasons_right": c["reasons_right"],
            "rolls": [c["roll_true"] + c["opening_roll_true"], c["roll_right"] + c["opening_roll_right"], c["roll_false"] + c["opening_roll_false"]],
            "cube": [c["double_true"], c["double_right"], c["double_false"] + c["take_false"] + c["pass_false"]],
            "games": [c["game_over_true"], c["game_over_right"], c["game_over_false"]],
        }


def refereed(
    given: list[Look | Command], eye: SimulatedEye, *, ruleset: RuleSet = DEFAULT, length: int = 0
) -> tuple[RefereeState, list[dict[str, Any]]]:
    """The events that the referee makes of it, as the records have them."""
    state, events = new_game(ruleset=ruleset, home=eye.home, length=length), list[Event]()
    for frame, one in enumerate(given):
        state, said = step(state, one if isinstance(one, Command) else eye.see(one, frame))
        events += said
    state, said = finish(state)
    events += said
    return state, [e.to_dict() for e in events]


def one_match(happened: Happened, given: list[Look | Command], eye: SimulatedEye, length: int, name: str) -> Score:
    score = Score()
    score.add(happened.events, refereed(given, eye, length=length)[1], name)
    return score
