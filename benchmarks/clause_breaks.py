#!/usr/bin/env python3
"""Each clause of the rules, broken on purpose in `rules/`: a test that names the clause has to fail. `clause_breaks.py [CLAUSE ...]`;
exit 1 when a break goes unnoticed, or a clause of `../shared/rules.md` has no break here.

Only the tests of `tests/rules` whose name or docstring holds the id are run; gnubg's are left out, as in `mutate_rules.py`.
"""

import argparse
import ast
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutate_rules import OPTIONS, ROOT, Mutant, WithoutGnubg

CLAUSES = ROOT.parent / "shared/rules.md"

# clause: (module, what stands there, what stands there when the clause is broken)
BREAKS = {
    "B1": ("position", "if len(points) != POINTS or len(bar)", "if len(bar)"),
    "B2": ("position", "START = Position((-2, 0, 0, 0, 0, 5, 0, 3,", "START = Position((-2, 0, 0, 0, 0, 3, 0, 5,"),
    "B3": ("position", "return point if player is Player.A else 25 - point", "return point"),
    "B4": ("engine", "        signed = signed[::-1]\n", ""),
    "B5": ("position", "            if have != need:", "            if have < need:"),
    "D1": ("dice", "return None if a == b else", "return Player.A if a == b else"),
    "D2": ("game", "if self.on_turn is player.other and not is_shut_out", "if self.on_turn is player and not is_shut_out"),
    "D3": ("plays", "return (self.first,) * 4 if", "return (self.first,) * 2 if"),
    "D4": ("dice", 'if any(die.state == "cocked" for die in in_play):', "if not dice:"),
    "D5": ("game", "rolls=rolls, on_turn=turn.player, rolled=turn.roll)", "rolls=rolls, on_turn=turn.player.other, rolled=turn.roll)"),
    "D6": ("dice", " or both_bearing_off(before) or is_forced(before, opponent, opponents_roll)", " or both_bearing_off(before)"),
    "D7": ("dice", "if not ruleset.on_checker_stands and any(", "if any("),
    "M1": ("engine", "landings(opposing, high, (here | here >> low) & POINT_BITS)", "landings(opposing, high, here & POINT_BITS)"),
    "M2": ("engine", "            if men < 2:", "            if men < 3:"),
    "M3": ("engine", "shift[point], HIT_BIT[target] if men else 0))", "shift[point], 0))"),
    "M4": ("engine", "    if state & ON_BAR:\n        return []", "    if state & ON_BAR and enter is not None:\n        return []"),
    "M5": ("plays", "position.at(player, point) <= -2", "position.at(player, point) <= -3"),
    "M6": ("engine", "single = first_high or first_low", "single = first_low or first_high"),
    "M7": ("judge", "if not plays and result == before:", "if result == before:"),
    "M8": ("engine", "if not state & ABOVE[die]:", "if die:"),
    "M9": ("engine", "OUTSIDE = sum(MASK[7:26])", "OUTSIDE = ON_BAR"),
    "M10": ("plays", "if position.off[player.side] == position.checkers:", "if position.off[player.side] >= position.checkers - 1:"),
    "E1": ("calling", "return since < _CLOSED_BY", "return since <= _CLOSED_BY"),
    "E2": ("calling", 'return Settled("E2", False)', 'return Settled("E2", True)'),
    "E3": ("calling", 'return Settled("E3", True,', 'return Settled("E3", False,'),
    "C1": ("cube", "return 64 if value == 1 else value", "return value"),
    "C2": ("cube", "if self.owner is player.other:", "if self.owner is player:"),
    "C3": ("cube", "        self._answered_by(player)\n        return self.value\n", "        self._answered_by(player)\n        return self.stake\n"),
    "C4": ("match", "        if self.crawford:\n            raise", "        if not self.length:\n            raise"),
    "S1": ("match", "if any(counts[19:25]) or counts[BAR] else", "if any(counts[19:25]) else"),
    "S2": ("match", "max(a, b) < self.length:", "max(a, b) <= self.length:"),
    "S3": ("match", "if points == self.length - 1)", "if points == self.length - 2)"),
    "S4": ("match", "min(rolls) < 2:", "min(rolls) < 1:"),
    "S5": ("match", "if money and ruleset.jacoby and not turned:", "if money and ruleset.jacoby and turned:"),
    "S6": ("cube", "if done < limit and", "if done <= limit and"),
    "S7": ("match", "return self.ruleset.automatic_doubles if self.money else 0", "return self.ruleset.automatic_doubles"),
    "H1": ("chouette", "for player in group}, reverse=True)", "for player in group})"),
    "H2": ("chouette", "            case Consultation.NEVER:\n                return False", "            case Consultation.NEVER:\n                return True"),
    "H3": ("chouette", "if self.rules.unanimous and against:", "if not self.rules.unanimous and against:"),
    "H4": ("chouette", "return (self.box, *line, self.captain)", "return (self.box, self.captain, *line)"),
    "H5": ("chouette", "return {self.box: -sum(points.values())", "return {self.box: sum(points.values())"),
}


def names(clause: str, name: str, words: str | None) -> bool:
    """Does a test with this name and docstring name the clause? "M1_to_M9" names both ends and what lies between."""
    letter, number = clause[0], int(clause[1:])
    for text in (name, words or ""):
        if re.search(rf"(?<![A-Za-z0-9]){clause}(?![0-9])", text):
            return True
        for first, last in re.findall(rf"(?<![A-Za-z0-9]){letter}(\d+)(?:_to_| to ){letter}(\d+)(?![0-9])", text):
            if int(first) <= number <= int(last):
                return True
    return False


def noticed(clause: str) -> bool:
    """Does some test that names the clause fail when it is broken?"""
    module, old, new = BREAKS[clause]
    path = ROOT / f"rules/{module}.py"
    source = path.read_text()
    if source.count(old) < 1:
        sys.exit(f"{clause}: {old!r} does not stand in {path.name} any more")
    files = [str(file) for file in sorted((ROOT / "tests/rules").glob("test_*.py")) if names(clause, file.read_text(), None)]
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.meta_path.insert(0, Mutant(f"rules.{module}", path, ast.parse(source.replace(old, new, 1))))
        import pytest

        class Named:
            def pytest_collection_modifyitems(self, items) -> None:
                items[:] = [item for item in items if names(clause, item.name, item.function.__doc__)]

        code = 0
        try:
            code = int(pytest.main([*OPTIONS, *files], plugins=[WithoutGnubg(), Named()]))
        finally:
            os._exit(code)
    # 1 is pytest's word for a failed test; 5 would be that there is none
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (1, 2)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("clauses", nargs="*")
    asked = arguments.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests/rules")]
    import hypothesis.strategies  # noqa: F401  imported once, before the children are forked
    import pytest  # noqa: F401

    wanted = re.findall(r"\*\*([A-Z]\d+)\*\*", CLAUSES.read_text()) if CLAUSES.is_file() else list(BREAKS)
    missing = [clause for clause in wanted if clause not in BREAKS]
    unnoticed = []
    for clause in asked.clauses or BREAKS:
        if not noticed(clause):
            unnoticed.append(clause)
            print(f"{clause}: broken, and no test that names it fails", flush=True)
    tried = len(asked.clauses or BREAKS)
    print(f"{tried - len(unnoticed)} of {tried} broken clauses are noticed by a test that names them; without a break: {', '.join(missing) or 'none'}")
    return 1 if unnoticed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
