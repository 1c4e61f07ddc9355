"""The examples in the README and in the docstrings of `rules` are true."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import rules

MODULES = ["rules", *sorted(module.name for module in pkgutil.walk_packages(rules.__path__, "rules."))]


def test_the_readme() -> None:
    failures, tried = doctest.testfile(str(Path(__file__).parents[2] / "README.md"), module_relative=False)
    assert tried >= 15 and failures == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_docstrings_have_examples() -> None:
    found = [name for name in MODULES if any(test.examples for test in doctest.DocTestFinder().find(importlib.import_module(name)))]
    assert len(found) >= 8
