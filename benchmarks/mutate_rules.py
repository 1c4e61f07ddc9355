#!/usr/bin/env python3
"""Mutation testing of `rules/`: one small change at a time, and some test has to notice.

`mutate_rules.py [MODULE ...] [--sample N] [--seed S] [--seconds T] [--list]`. Each mutant runs in a forked child in which only the changed
module differs; a child that fails, or uses more than a minute of the processor, has been killed. What is changed: comparisons, `and`/`or`,
arithmetic, numbers, `True`/`False`, `not`, conditions. Text and docstrings are left alone. Survivors are printed with their line, and
kept in `benchmarks/mutants.json`, which also says of each that is known why it cannot be told apart. Exit 1 below 90 %.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks/mutants.json"
FLOOR = 0.90
CPU_SECONDS = 60
"""What one mutant may use; an endless loop is noticed too."""

# The tests that answer for a module, the quick ones first.
TESTS = {
    "rules.position": ["clauses", "ids", "judge", "agreement", "check"],
    "rules.engine": ["clauses", "public_bugs", "judge", "agreement"],
    "rules.plays": ["clauses", "public_bugs", "judge", "mat", "agreement"],
    "rules.judge": ["judge"],
    "rules.calling": ["calling"],
    "rules.ruleset": ["calling"],
    "rules.dice": ["agreement"],
    "rules.cube": ["cube", "game"],
    "rules.match": ["match", "game", "check"],
    "rules.notation": ["public_bugs", "mat", "judge", "sgf"],
    "rules.record": ["sgf", "ogxm"],
    "rules.game": ["game", "sgf"],
    "rules.check": ["check"],
    "rules.chouette": ["chouette"],
    "rules.drawing": ["drawing"],
    "rules.formats.ids": ["ids"],
    "rules.formats.gathering": ["mat", "sgf", "ogxm"],
    "rules.formats.rows": ["mat", "snowie"],
    "rules.formats.mat": ["mat", "snowie"],
    "rules.formats.sgf": ["sgf"],
    "rules.formats.snowie": ["snowie"],
    "rules.formats.ogxm": ["ogxm"],
    "rules.formats.any_format": ["check"],
}

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip


def changes(node: ast.AST) -> list[str]:
    """What can be changed at this node, in words."""
    match node:
        case ast.Compare(ops=ops):
            return [f"op {n}" for n, op in enumerate(ops) if type(op) in COMPARISONS]
        case ast.BoolOp():
            return ["and/or"]
        case ast.BinOp(op=op, left=left) if type(op) in ARITHMETIC and not (isinstance(left, ast.Constant) and isinstance(left.value, str)):
            return ["arithmetic"]
        case ast.UnaryOp(op=ast.Not()):
            return ["not"]
        case ast.Constant(value=bool()):
            return ["flip"]
        case ast.Constant(value=int()):
            return ["+1"]
        case ast.IfExp() | ast.If() | ast.While():
            return ["condition"]
    return []


def change(node: ast.AST, what: str) -> ast.AST:
    """The node with that change made in place, or another in its stead."""
    match node:
        case ast.Compare():
            place = int(what.split()[1])
            node.ops[place] = COMPARISONS[type(node.ops[place])]()
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BinOp():
            node.op = ARITHMETIC[type(node.op)]()
        case ast.UnaryOp():
            return node.operand
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant():
            node.value += 1
        case ast.IfExp() | ast.If() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def places(tree: ast.Module) -> list[tuple[int, str]]:
    """(index of the node in a walk, change) of every mutant; annotations and `__all__` do nothing and are left out."""
    idle: set[int] = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if part is not None:
                idle |= {id(inner) for inner in ast.walk(part)}
    return [(n, what) for n, node in enumerate(ast.walk(tree)) if id(node) not in idle for what in changes(node)]


def mutate(tree: ast.Module, place: int, what: str) -> tuple[ast.Module, int]:
    """(the changed module, the line)."""
    other = copy.deepcopy(tree)
    target = list(ast.walk(other))[place]
    line = getattr(target, "lineno", 0)

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return change(node, what) if node is target else super().generic_visit(node)

    return ast.fix_missing_locations(Swap().visit(other)), line


class Mutant(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the changed module to whoever imports it."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, origin=str(self.path)) if name == self.name else None

    def exec_module(self, module) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def survives(name: str, path: Path, tree: ast.Module) -> bool:
    """Run the module's tests against the mutant in a child."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        sys.meta_path.insert(0, Mutant(name, path, tree))
        import pytest

        tests = [str(ROOT / f"tests/rules/test_{test}.py") for test in TESTS[name]]
        code = 1
        try:
            code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-k", "not gnubg", f"--rootdir={ROOT}", *tests])
        finally:
            os._exit(int(code))
    return os.waitpid(child, 0)[1] == 0


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("modules", nargs="*", help="such as rules.judge; without a name, all")
    arguments.add_argument("--sample", type=int, default=0, help="so many mutants, drawn at random; 0 for all")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    arguments.add_argument("--list", action="store_true", help="only count the mutants")
    asked = arguments.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests/rules")]
    import hypothesis
    import hypothesis.strategies  # noqa: F401  imported once, before the children are forked
    import pytest  # noqa: F401

    work = []
    for name in asked.modules or TESTS:
        path = ROOT / f"{name.replace('.', '/')}.py"
        tree = ast.parse(path.read_text())
        found = places(tree)
        if asked.list:
            print(f"{name}: {len(found)}")
        work += [(name, path, tree, *place) for place in found]
    if asked.list:
        print(f"{len(work)} mutants")
        return 0
    if asked.sample:
        random.Random(asked.seed).shuffle(work)
        work = work[: asked.sample]
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {"explained": {}}
    began, killed, alive = time.monotonic(), 0, []
    for done, (name, path, tree, place, what) in enumerate(work, start=1):
        if time.monotonic() - began > asked.seconds:
            print(f"stopped after {asked.seconds:.0f} s with {len(work) - done + 1} mutants left")
            break
        mutant, line = mutate(tree, place, what)
        if survives(name, path, mutant):
            source = path.read_text().splitlines()[line - 1].strip()
            alive.append({"module": name, "line": line, "change": what, "source": source})
            explained = known["explained"].get(f"{name}: {source} ({what})", "")
            print(f"SURVIVES {name}:{line} {what}: {source}" + (f"   [{explained}]" if explained else ""), flush=True)
        else:
            killed += 1
    tried = killed + len(alive)
    share = killed / tried if tried else 0.0
    print(f"{killed} of {tried} mutants killed ({share:.1%})")
    RESULTS.write_text(json.dumps(known | {"tried": tried, "killed": killed, "survivors": alive}, indent=1) + "\n")
    return 0 if share >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
