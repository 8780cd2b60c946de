"""Cost of each test, and whether its tier allows it: `make costs` measures, `make check` compares.

`tests/costs.tsv` has a row for each test function and tier: the number of items, the cost of the most expensive one, and the
total, in CPU seconds as `tests.meter` measures them.
"""

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tiers import BUDGETS, LIMIT, MARKS, QUICK, TIERS

ROOT = Path(__file__).resolve().parent.parent
COSTS = ROOT / "tests" / "costs.tsv"

SHARED = "fixtures"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a test function in one tier: its most expensive item, and all of them."""

    items: int
    dearest: float
    total: float


Costs = dict[tuple[str, str], Cost]
"""Costs by (test function, such as tests/scoring/test_game.py::test_a_tie; tier)."""


def read(text: str) -> Costs:
    rows = (line.split("\t") for line in text.splitlines())
    return {(name, tier): Cost(int(items), float(dearest), float(total)) for name, tier, items, dearest, total in rows}


def summed(rows: Iterable[Mapping[str, Any]]) -> Costs:
    """Sum the costs of items, as `Meter` wrote them, by test function."""
    seconds: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        name = row["test"].partition("[")[0]
        seconds[name, row["tier"]].append(row["seconds"])
        if row["shared"] >= 0.05:
            seconds[f"{name.partition('::')[0]}::{SHARED}", row["tier"]].append(row["shared"])
    return {key: Cost(len(each), max(each), sum(each)) for key, each in seconds.items()}


def _is_noise(old: Cost, new: Cost) -> bool:
    return old.items == new.items and abs(old.dearest - new.dearest) <= max(0.05, 0.4 * old.dearest)


def functions(path: str, source: str) -> Iterator[tuple[str, set[str]]]:
    """Yield (test name, tiers) for each test of a file, with the tiers that its marks name."""
    tree = ast.parse(source)
    of_file = {
        tier
        for node in tree.body
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "pytestmark" for target in node.targets)
        for tier in _tiers_in(node.value)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield (f"{path}::{node.name}", of_file | {tier for mark in node.decorator_list for tier in _tiers_in(mark)})


def _tiers_in(marks: ast.expr) -> Iterator[str]:
    parts = marks.elts if isinstance(marks, ast.List | ast.Tuple) else [marks]
    for part in parts:
        name = ast.unparse(part)
        if name.startswith("pytest.mark.") and (tier := MARKS.get(name.removeprefix("pytest.mark."))):
            yield tier


def complaints(costs: Costs, marked: Mapping[str, set[str]]) -> Iterator[str]:
    yield from _misplaced(costs, marked)
    for (name, tier), cost in sorted(costs.items()):
        if tier == QUICK and cost.dearest > LIMIT and not _is_shared(name):
            yield f"{name} costs {cost.dearest:.2f} s of CPU; a quick test may cost {LIMIT}. Make it cheaper or mark it long."
    for tier, most in BUDGETS.items():
        if (total := total_of(costs, tier)) > most:
            yield f"The {tier} tests cost {total:.0f} s of CPU together; {most} are allowed. Mark some of them long."


def _misplaced(costs: Costs, marked: Mapping[str, set[str]]) -> Iterator[str]:
    measured = defaultdict(set)
    for name, tier in costs:
        if not _is_shared(name):
            measured[name].add(tier)
    for name in sorted(marked.keys() | measured.keys()):
        if name not in measured:
            yield f"{name} is in no tier. Measure it: make costs"
        elif name not in marked:
            yield f"{name} is gone. Forget what it cost: make costs"
        elif not (marked[name] or {QUICK}) <= measured[name]:
            yield f"{name} was measured in another tier than its mark names. Measure it again: make costs TESTS={name}"


def _is_shared(name: str) -> bool:
    return name.endswith(f"::{SHARED}")


def total_of(costs: Costs, tier: str) -> float:
    return sum(cost.total for (_, each), cost in costs.items() if each == tier)


def all_marked() -> dict[str, set[str]]:
    return {
        name: tiers
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for name, tiers in functions(str(path.relative_to(ROOT)), path.read_text("utf-8"))
    }


def check() -> int:
    costs = read(COSTS.read_text("utf-8"))
    wrong = [*complaints(costs, all_marked())]
    sys.stdout.write("\n".join(wrong or [told(costs)]) + "\n")
    return int(bool(wrong))


def told(costs: Costs) -> str:
    counts = {
        each: sum(cost.items for (name, tier), cost in costs.items() if tier == each and not _is_shared(name))
        for each in TIERS
    }
    sums = (f"{tier} {count:,} tests in {total_of(costs, tier):,.0f} s" for tier, count in counts.items())
    return f"Tests and their CPU seconds on a quiet machine: {'; '.join(sums)}."


def measure(tests: list[str]) -> int:
    costs = read(COSTS.read_text("utf-8")) if COSTS.exists() else {}
    marked = all_marked()
    tests = tests or sorted(marked.keys() - {name for name, _ in costs})
    new: Costs = {}
    if tests:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "costs"
            line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--costs", str(file), *tests]
            subprocess.run(line, cwd=ROOT, check=False)
            new = summed(map(json.loads, file.read_text("utf-8").splitlines()))
    again = {name for name, _ in new}
    kept = {key: cost for key, cost in costs.items() if key[0] not in again and _is_there(key[0], marked)}
    same = {key: costs[key] for key, cost in new.items() if key in costs and _is_noise(costs[key], cost)}
    rows = sorted((kept | new | same).items())
    lines = [f"{name}\t{tier}\t{cost.items}\t{cost.dearest:.2f}\t{cost.total:.2f}\n" for (name, tier), cost in rows]
    COSTS.write_text("".join(lines), "utf-8")
    return check()


def _is_there(name: str, marked: Mapping[str, set[str]]) -> bool:
    path, _, function = name.partition("::")
    return name in marked or (function == SHARED and (ROOT / path).exists())


def main() -> int:
    reads = argparse.ArgumentParser(prog="python -m tests.costs", description=__doc__)
    reads.add_argument("command", choices=("check", "measure"))
    reads.add_argument("tests", nargs="*", help="what to measure; without any, the tests that are in no tier")
    asked = reads.parse_args()
    return check() if asked.command == "check" else measure(asked.tests)


if __name__ == "__main__":
    sys.exit(main())
