"""What holds of every part of `rules`: values never change, and every clause is named by a test."""

import ast
import dataclasses
import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

import rules
from rules.formats.gathering import Gathering

SHARED = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared"))
BUILDERS = {Gathering}
"""What is filled while a file is read."""
VALUES = sorted(
    {
        thing
        for module in pkgutil.walk_packages(rules.__path__, "rules.")
        for thing in vars(importlib.import_module(module.name)).values()
        if isinstance(thing, type) and dataclasses.is_dataclass(thing) and thing.__module__.startswith("rules.")
    }
    - BUILDERS,
    key=lambda kind: (kind.__module__, kind.__name__),
)


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_value_never_changes(kind: type) -> None:
    """A position, a game, a match is a value: what happens makes another one. None carries a dictionary of its own."""
    assert kind.__dataclass_params__.frozen, kind  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind), kind


def test_there_are_many_values() -> None:
    assert len(VALUES) > 30


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared clauses are not here")
def test_every_clause_is_named_by_a_test_of_the_rules() -> None:
    """`benchmarks/clause_breaks.py` breaks each of them and sees such a test fail."""
    clauses = re.findall(r"\*\*([A-Z]\d+)\*\*", (SHARED / "rules.md").read_text())
    named: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                named |= set(re.findall(r"(?<![A-Za-z0-9])[BCDEHMS]\d+(?![0-9])", f"{node.name} {ast.get_docstring(node) or ''}"))
    assert len(clauses) > 40 and [clause for clause in clauses if clause not in named] == []
