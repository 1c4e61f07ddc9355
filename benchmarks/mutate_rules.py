#!/usr/bin/env python3
"""Mutation testing of `rules/`: one small change at a time, and some test has to notice.

`mutate_rules.py [MODULE ...] [--sample N] [--seed S] [--seconds T] [--again] [--list]`. The tests of `tests/rules` are run once to see which lines
each of them reaches. Then each mutant runs in a forked child, in which only the tests that reach its line are run, those that have killed
most in that module first; a child in which one fails, or never ends, has been killed. (gnubg's tests are left out: slow.)
What is changed: comparisons, `and`/`or`, arithmetic, numbers, `True`/`False`, `not`, conditions; text and docstrings are left alone.
A sample is drawn from each module by its share. Survivors are printed with their line, and kept in `benchmarks/mutants.json`. Why one
cannot be told apart is written there by hand, under "explained"; it is not run again, and counts as a survivor. Exit 1 below 90 %.
"""

import argparse
import ast
import copy
import functools
import gc
import hashlib
import importlib.abc
import importlib.util
import json
import os
import random
import re
import resource
import signal
import sys
import time
from collections import Counter
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks/mutants.json"
BASELINE = ROOT / "mutants/baseline.json"
"""What each test reaches and needs, kept from run to run; not committed."""
FLOOR = 0.90
PATIENCE = (3.0, 20.0)
"""Seconds of the processor, and times what the test needs without a mutant: longer than both is an endless loop."""
ENOUGH = 10.0
"""Seconds that a mutant's tests may need without it, quickest first. A slower one might have noticed a survivor yet: the share is at least what is said."""
GIGABYTES = 2
"""Of memory for a child."""
MODULES = [
    "rules." + ".".join(path.relative_to(ROOT / "rules").with_suffix("").parts)
    for path in sorted((ROOT / "rules").rglob("*.py"))
    if path.stem != "__init__"
]

EXPLAINED = {
    r"(?:Error\(|remarks).*\[:(\d+)\].*\(\1 -> \d+\)$": "how many letters of what was found a refusal quotes",
}
"""Kinds of survivor, as patterns over "source (change)"; single ones stand in `mutants.json`."""

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


def mutate(tree: ast.Module, place: int, what: str) -> tuple[ast.Module, int, str]:
    """(the changed module, the line, what stood there and what stands there now)."""
    other = copy.deepcopy(tree)
    target = list(ast.walk(other))[place]
    line = getattr(target, "lineno", 0)
    named = next((f"{node.arg}=" for node in ast.walk(other) if isinstance(node, ast.keyword) and node.value is target), "")
    old, new = (named + ast.unparse(shown(part)) for part in (target, change(copy.deepcopy(target), what)))

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return change(node, what) if node is target else super().generic_visit(node)

    return ast.fix_missing_locations(Swap().visit(other)), line, f"{old} -> {new}"


def shown(node: ast.AST) -> ast.AST:
    """Of a statement with a body only its condition: the rest has not changed."""
    return node.test if isinstance(node, ast.If | ast.While) else node


class Mutant(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the changed module to whoever imports it."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, origin=str(self.path)) if name == self.name else None

    def exec_module(self, module) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


class Mutants:
    """A pytest plugin: instead of running the tests once it runs them against each mutant."""

    def __init__(self, asked: argparse.Namespace, cover) -> None:
        self.asked, self.cover = asked, cover
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, dict[int, set[str]]] = {}
        self.kills: dict[str, Counter[str]] = {}
        self.share = 0.0

    def pytest_runtestloop(self, session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        baseline = json.loads(BASELINE.read_text()) if BASELINE.is_file() else {}
        keys = {path: key_of(path) for path in {name.partition("::")[0] for name in self.items}}
        missing = [name for name in self.items if baseline.get(name, {}).get("key") != keys[name.partition("::")[0]]]
        failed = []
        for name in missing:
            self.cover.switch_context(name)
            began = time.process_time()
            if not passes(self.items[name]):
                failed.append(name)
            baseline[name] = {"key": keys[name.partition("::")[0]], "seconds": time.process_time() - began, "lines": {}}
        self.cover.stop()
        if failed:
            raise SystemExit(f"without any mutant these fail: {', '.join(failed)}")
        data = self.cover.get_data()
        for path in data.measured_files():
            for line, names in data.contexts_by_lineno(path).items():
                for name in {*names} & {*missing}:
                    baseline[name]["lines"].setdefault(path, []).append(line)
                if "" in names:
                    self.reached.setdefault(path, {}).setdefault(line, set()).add("")
        baseline = {name: baseline[name] for name in self.items}
        BASELINE.parent.mkdir(exist_ok=True)
        BASELINE.write_text(json.dumps(baseline))
        for name, one in baseline.items():
            self.seconds[name] = one["seconds"]
            for path, lines in one["lines"].items():
                for line in lines:
                    self.reached.setdefault(path, {}).setdefault(line, set()).add(name)
        self.lookers = {name for name, one in baseline.items() if not one["lines"]}
        print(f"{len(self.items)} tests, {sum(self.seconds.values()):.0f} s, {len(missing)} run anew", flush=True)
        self.share = self.hunt()
        return True

    def contexts(self, path: Path, lines: range) -> set[str]:
        """The tests that reach one of the lines; "" is among them when the import does."""
        reached = self.reached.get(str(path), {})
        return set().union(*(reached.get(line, set()) for line in lines))

    def order(self, module: str, names: set[str]) -> list[str]:
        kills = self.kills.setdefault(module, Counter())
        ranked = sorted(names, key=lambda name: (-kills[name] / (self.seconds[name] + 0.02), self.seconds[name]))
        spent = list(accumulate(self.seconds[name] for name in ranked))
        return [name for name, seconds in zip(ranked, spent, strict=True) if seconds <= max(ENOUGH, spent[0])]

    def killer(self, module: str, path: Path, tree: ast.Module, lines: range) -> str:
        """The test that notices, or "" when none does."""
        reached = self.contexts(path, lines)
        if reached and "" not in reached:
            return self.child(lambda say: self.patched(module, path, tree, reached, say))
        everywhere = self.contexts(path, range(1, 10_000)) - {""}
        # A test that reaches no line looks at what the import has made; and some that reach other modules only look at this one's.
        near = ((reached - {""}) or everywhere) | self.lookers
        others = set(self.items) - near
        found = self.child(lambda say: self.imported_anew(module, path, tree, near, say))
        return found or self.child(lambda say: self.imported_anew(module, path, tree, others, say))

    def child(self, work) -> str:
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
            gc.disable()
            try:
                survived = work(lambda name: os.write(send, name.encode() + b"\n"))
            except BaseException:
                survived = False
            os._exit(0 if survived else 1)
        os.close(send)
        with os.fdopen(receive) as said:
            last = said.read().split("\n")
        survived = os.waitpid(child, 0)[1] == 0
        # The last test that was begun is the one that failed.
        return "" if survived else next((name for name in reversed(last) if name), "the import")

    def patched(self, module: str, path: Path, tree: ast.Module, tests: set[str], say) -> bool:
        """The changed code is put into the functions that are there; nothing is imported again."""
        codes = {}

        def gather(code: CodeType) -> None:
            for part in code.co_consts:
                if isinstance(part, CodeType):
                    codes.setdefault((part.co_qualname, part.co_firstlineno), []).append(part)
                    if "<locals>" not in part.co_qualname:
                        gather(part)

        gather(compile(tree, str(path), "exec"))
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename == str(path):
                new = codes.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno), [])
                if len(new) == 1 and len(new[0].co_freevars) == len(thing.__code__.co_freevars):
                    thing.__code__ = new[0]
            elif isinstance(thing, functools._lru_cache_wrapper):
                thing.cache_clear()
        return self.all_pass([self.items[name] for name in self.order(module, tests)], say)

    def imported_anew(self, module: str, path: Path, tree: ast.Module, tests: set[str], say) -> bool:
        """For what is worked out when a module is imported: `rules` and the tests are imported again."""
        import pytest

        for name in list(sys.modules):
            if name.partition(".")[0] in ("rules", "played_games", "some_positions") or name.startswith("test_"):
                del sys.modules[name]
        sys.meta_path.insert(0, Mutant(module, path, tree))
        outer = self

        class Chosen:
            def pytest_runtestloop(self, session) -> bool:
                found = {item.nodeid: item for item in session.items}
                if session.testsfailed:
                    os._exit(1)
                good = outer.all_pass([found[name] for name in outer.order(module, tests & set(found))], say)
                os._exit(0 if good else 1)

        files = sorted({name.partition("::")[0] for name in tests})
        pytest.main([*OPTIONS, *files], plugins=[WithoutGnubg(), Chosen()])
        return False

    def all_pass(self, items, say) -> bool:
        for item in items:
            say(item.nodeid)
            signal.setitimer(signal.ITIMER_PROF, max(PATIENCE[0], PATIENCE[1] * self.seconds[item.nodeid]))
            if not passes(item):
                return False
        return True

    def hunt(self) -> float:
        known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
        explained = known.get("explained", {})
        work = again(known) if self.asked.again else sample(self.asked)
        began, killed, tried, alive, left = time.monotonic(), Counter(), Counter(), [], 0
        for done, (module, path, place, what) in enumerate(work):
            if time.monotonic() - began > self.asked.seconds:
                left = len(work) - done
                if self.asked.again:
                    places = [(one[0], *mutate(parsed(one[1])[1], *one[2:])[1:]) for one in work[done:]]
                    alive += [one for one in known["survivors"] if (one["module"], one["line"], one["change"]) in places]
                print(f"stopped after {self.asked.seconds:.0f} s with {left} mutants left")
                break
            source, tree = parsed(path)
            mutant, line, what = mutate(tree, place, what)
            text = source.splitlines()[line - 1].strip()
            by_kind = (why for pattern, why in EXPLAINED.items() if re.search(pattern, f"{text} ({what})"))
            why = explained.get(f"{module}: {text} ({what})") or next(by_kind, "")
            # What is known to change nothing would have every test run in vain; it counts as a survivor.
            name = "" if why else self.killer(module, path, mutant, statement(tree, line))
            tried[module] += 1
            if tried.total() % 50 == 0:
                print(f"... {killed.total() + bool(name)} of {tried.total()} of {len(work)}, {time.monotonic() - began:.0f} s", flush=True)
            if name:
                killed[module] += 1
                self.kills.setdefault(module, Counter())[name] += 1
                continue
            alive.append({"module": module, "line": line, "change": what, "source": text, "why": why})
            print(f"SURVIVES {module}:{line} {what}: {text}" + (f"   [{why}]" if why else ""), flush=True)
        print(f"{killed.total()} of {tried.total()} killed, {time.monotonic() - began:.0f} s")
        alive.sort(key=lambda one: (one["module"], one["line"], one["change"]))
        counts = {module: [killed[module], tried[module]] for module in sorted(tried)}
        if self.asked.again:
            counts = {module: [dead + killed[module], all_] for module, (dead, all_) in known["modules"].items()}
            new = {**known, "killed": known["killed"] + killed.total(), "modules": counts, "survivors": alive}
        else:
            asked = {
                "there_are": self.asked.out_of,
                "sample": self.asked.sample or self.asked.out_of,
                "seed": self.asked.seed,
                "rules": rules_now(),
            }
            new = asked | {
                "tried": tried.total(),
                "left": left,
                "killed": killed.total(),
                "modules": counts,
                "survivors": alive,
                "explained": explained,
            }
        for module, (dead, all_) in new["modules"].items():
            print(f"{module}: {dead} of {all_}")
        share = new["killed"] / max(new["tried"], 1)
        print(
            f"{new['killed']} of {new['tried']} mutants killed ({share:.1%}) of a sample of {new['sample']}; {new['there_are']} there are; seed {new['seed']}"
        )
        if not self.asked.modules:
            RESULTS.write_text(json.dumps(new, indent=1) + "\n")
        return share


def sample(asked: argparse.Namespace) -> list[tuple[str, Path, int, str]]:
    """The mutants to be tried, in no order."""
    work, rng = [], random.Random(asked.seed)
    for module, path, found in all_places(asked.modules):
        if asked.sample:
            found = rng.sample(found, min(len(found), round(asked.sample * len(found) / asked.out_of)))
        work += [(module, path, *place) for place in found]
    rng.shuffle(work)
    return work


def again(known: dict) -> list[tuple[str, Path, int, str]]:
    """The mutants that survived the last run."""
    if known.get("rules") != rules_now():
        raise SystemExit("rules/ has changed since the survivors were found: run the sample anew")
    wanted = Counter((one["module"], one["line"], one["change"]) for one in known["survivors"])
    work = []
    for module, path, found in all_places([]):
        _, tree = parsed(path)
        nodes = list(ast.walk(tree))
        lines = {line for name, line, _ in wanted if name == module}
        for place, what in (one for one in found if getattr(nodes[one[0]], "lineno", 0) in lines):
            _, line, change = mutate(tree, place, what)
            if wanted[module, line, change]:
                wanted[module, line, change] -= 1
                work.append((module, path, place, what))
    return work


@functools.cache
def parsed(path: Path) -> tuple[str, ast.Module]:
    source = path.read_text()
    return source, ast.parse(source)


@functools.cache
def rules_now() -> str:
    """Changes when `rules/` does."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted((ROOT / "rules").rglob("*.py")))).hexdigest()[:16]


@functools.cache
def key_of(path: str) -> str:
    """Changes when the tests of this file, what they share, or the rules do."""
    files = [ROOT / path, *(ROOT / "tests/rules").glob("[!t]*.py"), *sorted((ROOT / "rules").rglob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def passes(item) -> bool:
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def statement(tree: ast.Module, line: int) -> range:
    """The lines of the innermost statement around a line; of a compound one only its head."""
    best = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else node.end_lineno + 1
            if node.lineno <= line < max(end, node.lineno + 1):
                best = range(node.lineno, max(end, node.lineno + 1))
    return best


def all_places(modules: list[str]):
    """(module, path, its mutants)."""
    for name in modules or MODULES:
        path = ROOT / f"{name.replace('.', '/')}.py"
        yield name, path, places(ast.parse(path.read_text()))


OPTIONS = ["-q", "-x", "-s", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]


class WithoutGnubg:
    """A pytest plugin: the tests that start the real gnubg are slow, and are left out."""

    def pytest_collection_modifyitems(self, items) -> None:
        items[:] = [item for item in items if not any("gnubg" in mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif"))]


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("modules", nargs="*", help="such as rules.judge; without a name, all")
    arguments.add_argument("--sample", type=int, default=0, help="about so many mutants, drawn from each module by its share; 0 for all")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    arguments.add_argument("--again", action="store_true", help="only the survivors of the last run, for new tests")
    arguments.add_argument("--list", action="store_true", help="only count the mutants")
    asked = arguments.parse_args()
    counts = {name: len(found) for name, _, found in all_places(asked.modules)}
    asked.out_of = sum(counts.values())
    if asked.list:
        print("\n".join(f"{name}: {count}" for name, count in counts.items()))
        print(f"{asked.out_of} mutants")
        return 0
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests/rules")]
    import coverage
    import hypothesis
    import pytest

    # The same examples for each mutant; a failure is not made smaller.
    generate = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile(
        "mutants", derandomize=True, database=None, deadline=None, phases=generate, report_multiple_bugs=False
    )
    hypothesis.settings.load_profile("mutants")
    cover = coverage.Coverage(data_file=None, config_file=False, source=[str(ROOT / "rules")])
    cover.start()
    mutants = Mutants(asked, cover)
    pytest.main([*OPTIONS, "tests/rules"], plugins=[WithoutGnubg(), mutants])
    return 0 if mutants.share >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
