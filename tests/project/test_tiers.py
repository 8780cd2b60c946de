"""Each test has one tier, stays within its limit, and runs in `make test-long`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import long
from tests.conftest import ROOT
from tests.costs import COSTS, SHARED, Cost, Costs, complaints, read
from tests.tiers import BUDGETS, TIERS
from tests.touched import chosen

GAME = "tests/scoring/test_game.py"
CHEAP = Cost(3, 0.02, 0.05)


FOUR = """
import pytest

def test_unmarked(): ...

@pytest.mark.merge
def test_before_merging(): ...

@pytest.mark.merge
@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.variant)])
def test_its_variant_is_long(number): ...

@pytest.mark.timing
def test_by_the_clock(): ...
"""


def collected(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pytest", "--co", "-q", "-p", "tests.tiers", "-c", os.devnull, "-W", "ignore"]
    line += ["-p", "no:django", "-p", "no:cacheprovider", f"--rootdir={file.parent}", *options, str(file)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


def names(file: Path, *options: str) -> set[str]:
    return {line.partition("::")[2] for line in collected(file, *options).stdout.splitlines() if "::" in line}


@pytest.mark.merge
def test_each_test_is_selected_by_exactly_one_tier(tmp_path: Path) -> None:
    file = tmp_path / "test_four.py"
    file.write_text(FOUR, "utf-8")
    by_tier = {tier: names(file, "--tiers", tier) for tier in TIERS}
    assert by_tier == {
        "quick": {"test_unmarked"},
        "merge": {"test_before_merging", "test_its_variant_is_long[1]"},
        "long": {"test_its_variant_is_long[2]", "test_by_the_clock"},
    }
    assert names(file) == set.union(*by_tier.values())


DUMPED = """
import json, pathlib, sys
import pytest

class Dump:
    def pytest_collection_finish(self, session):
        from tests.tiers import tier_of
        rows = [[item.nodeid, tier_of(item), "both_databases" in item.keywords] for item in session.items]
        pathlib.Path(sys.argv[1]).write_text(json.dumps(rows))

sys.exit(pytest.main(["--co", "-q", "-p", "no:cacheprovider", "tests"], plugins=[Dump()]))
"""


@pytest.mark.merge
def test_every_test_is_measured_in_the_tier_of_its_marks(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    ended = subprocess.run([sys.executable, "-c", DUMPED, file], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
    rows = json.loads(file.read_text("utf-8"))
    assert {(node.partition("[")[0], tier) for node, tier, _ in rows} == {
        (name, tier) for name, tier in read(COSTS.read_text("utf-8")) if not name.endswith(SHARED)
    }
    # Without the marks, SQLite would be tested less and no test would fail.
    assert sum(on_both for *_, on_both in rows) > 1_400


def test_each_test_folder_belongs_to_one_part_of_the_long_run() -> None:
    there = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    parts = [folder for folders in long.FOLDERS.values() for folder in folders]
    assert sorted(parts) == sorted(there)


@pytest.mark.parametrize(
    ("costs", "marked", "complaint"),
    [
        pytest.param({}, {f"{GAME}::test_new": set()}, "test_new is in no tier", id="never measured"),
        pytest.param({(f"{GAME}::test_old", "quick"): CHEAP}, {}, "test_old is gone", id="deleted"),
        pytest.param(
            {(f"{GAME}::test_slow", "quick"): Cost(1, 1.0, 1.0)},
            {f"{GAME}::test_slow": set()},
            "test_slow costs 1.00 s of CPU",
            id="dear and unmarked",
        ),
        pytest.param(
            {(f"{GAME}::test_slow", "quick"): CHEAP},
            {f"{GAME}::test_slow": {"long"}},
            "was measured in another tier",
            id="marked since",
        ),
        pytest.param(
            {(f"{GAME}::test_many", "quick"): Cost(10_000, 0.1, BUDGETS["quick"] + 1)},
            {f"{GAME}::test_many": set()},
            f"The quick tests cost {BUDGETS['quick'] + 1} s of CPU together",
            id="too much together",
        ),
    ],
)
def test_cost_check_names_the_faulty_test(costs: Costs, marked: dict[str, set[str]], complaint: str) -> None:
    [told] = complaints(costs, marked)
    assert complaint in told


def test_changed_tests_run_first_then_the_cheapest_within_the_limit() -> None:
    dear, cheap, dearer = (f"tests/league/a/test_{name}.py" for name in "abc")
    costs = {dear: 90.0, dearer: 8.0, cheap: 5.0}
    assert chosen(["league/apps.py", dear], costs, most=100) == ([dear, cheap], [dearer])
