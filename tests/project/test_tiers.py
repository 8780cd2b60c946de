"""Every test is in one tier, costs what its tier allows, and is run by `make test-long`."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests import long
from tests.budget import pairwise
from tests.conftest import ROOT
from tests.costs import COSTS, SHARED, Cost, Costs, complaints, functions, read, summed, updated, written
from tests.tiers import BUDGETS, LIMIT, TIERS
from tests.touched import chosen, files_about

GAME = "tests/scoring/test_game.py"
CHEAP = Cost(3, 0.02, 0.05)


# --- Tiers are a partition -------------------------------------------------------------------------------------------

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


@pytest.mark.merge
def test_a_test_in_two_tiers_stops_the_run(tmp_path: Path) -> None:
    file = tmp_path / "test_two.py"
    file.write_text(FOUR.replace("@pytest.mark.timing", "@pytest.mark.merge\n@pytest.mark.long"), "utf-8")
    ended = collected(file)
    assert ended.returncode
    assert "is in two tiers: long and merge" in ended.stdout + ended.stderr


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
    # If marks went missing, SQLite would prove less and nothing would fail.
    assert sum(on_both for *_, on_both in rows) > 1_500


def test_all_folders_of_tests_belong_to_one_part_of_the_long_run() -> None:
    there = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    parts = [folder for folders in long.FOLDERS.values() for folder in folders]
    assert sorted(parts) == sorted(there)


# --- Variants and second tries ---------------------------------------------------------------------------------------


def test_each_two_values_occur_together_in_few_combinations() -> None:
    languages, themes, sizes = ("ja", "en"), ("light", "dark"), (360, 1280)
    chosen = pairwise(languages, themes, sizes)
    assert len(chosen) == 4
    assert {each[:2] for each in chosen} == {*product(languages, themes)}
    assert {each[1:] for each in chosen} == {*product(themes, sizes)}
    assert {each[::2] for each in chosen} == {*product(languages, sizes)}


TWICE = """
import itertools
import pytest
times = itertools.count(1)

@pytest.mark.browser
def test_passes_at_second_try():
    assert next(times) == 2

@pytest.mark.browser
def test_never_passes():
    assert False, "always"

def test_has_one_try():
    assert next(times) > 99
"""


@pytest.mark.merge
def test_browser_tests_are_tried_twice_and_the_summary_names_them() -> None:
    file = ROOT / "tests" / "project" / f"test_twice_{os.getpid()}.py"
    file.write_text(TWICE, "utf-8")
    try:
        line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
        ended = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        file.unlink()
    assert "2 failed, 1 passed, 2 rerun" in ended.stdout
    assert f"RERUN tests/project/{file.name}::test_passes_at_second_try" in ended.stdout
    assert f"RERUN tests/project/{file.name}::test_has_one_try" not in ended.stdout


# --- What tests may cost ---------------------------------------------------------------------------------------------


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
def test_check_names_what_is_wrong(costs: Costs, marked: dict[str, set[str]], complaint: str) -> None:
    [told] = complaints(costs, marked)
    assert complaint in told


def test_check_is_content_with_cheap_tests_and_dear_long_ones() -> None:
    costs = {
        (f"{GAME}::test_cheap", "quick"): Cost(1, LIMIT, LIMIT),
        (f"{GAME}::test_dear", "long"): Cost(1, 9.0, 9.0),
        (f"{GAME}::{SHARED}", "quick"): Cost(1, 9.0, 9.0),
    }
    assert [*complaints(costs, {f"{GAME}::test_cheap": set(), f"{GAME}::test_dear": {"long"}})] == []


def test_marks_are_read_from_the_file_and_from_each_test() -> None:
    source = "import pytest\npytestmark = [pytest.mark.django_db, pytest.mark.merge]\ndef test_a(): ...\n"
    assert dict(functions("f.py", source)) == {"f.py::test_a": {"merge"}}
    source = (
        "@pytest.mark.long\n@pytest.mark.parametrize('x', [1])\ndef test_b(x): ...\ndef test_c(): ...\ndef d(): ...\n"
    )
    assert dict(functions("f.py", source)) == {"f.py::test_b": {"long"}, "f.py::test_c": set()}


def test_costs_of_items_add_up_to_those_of_their_function() -> None:
    rows = [
        {"test": f"{GAME}::test_a[1]", "tier": "quick", "seconds": 0.1, "shared": 0.5},
        {"test": f"{GAME}::test_a[2]", "tier": "quick", "seconds": 0.3, "shared": 0.0},
    ]
    assert summed(rows) == {
        (f"{GAME}::test_a", "quick"): Cost(2, 0.3, 0.4),
        (f"{GAME}::{SHARED}", "quick"): Cost(1, 0.5, 0.5),
    }


def test_costs_are_read_as_they_were_written() -> None:
    costs = {(f"{GAME}::test_a", "quick"): CHEAP, (f"{GAME}::test_a", "long"): Cost(1, 2.5, 2.5)}
    assert read(written(costs)) == costs


def test_noise_changes_no_cost() -> None:
    old = {("f.py::test_a", "quick"): Cost(1, 0.20, 0.20), ("f.py::test_b", "quick"): CHEAP}
    assert updated(old, {("f.py::test_a", "quick"): Cost(1, 0.26, 0.26)}) == {
        ("f.py::test_a", "quick"): Cost(1, 0.2, 0.2)
    }
    assert updated(old, {("f.py::test_a", "quick"): Cost(1, 0.60, 0.60)}) == {
        ("f.py::test_a", "quick"): Cost(1, 0.6, 0.6)
    }


# --- What a change touches -------------------------------------------------------------------------------------------

THERE = {
    "tests/league/results/test_races.py",
    "tests/league/managing/test_rescoring.py",
    "tests/league/people/test_erasing.py",
    "tests/scoring/test_game.py",
}


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("league/services/results/storing.py", {"tests/league/results/test_races.py"}),
        ("league/services/rescoring.py", {"tests/league/managing/test_rescoring.py"}),
        ("league/apps.py", {each for each in THERE if "/league/" in each}),
        ("tests/scoring/test_game.py", {"tests/scoring/test_game.py"}),
        ("tests/league/people/factories.py", {"tests/league/people/test_erasing.py"}),
        ("docs/rules.md", set()),
        ("CHANGELOG.md", set()),
    ],
)
def test_tests_about_a_file_share_a_name_with_it(path: str, files: set[str]) -> None:
    assert {*files_about(path, THERE)} == files


def test_changed_tests_come_first_then_the_cheapest_until_nothing_is_left() -> None:
    dear, cheap, dearer = (f"tests/league/a/test_{name}.py" for name in "abc")
    costs = {dear: 90.0, dearer: 8.0, cheap: 5.0}
    assert chosen(["league/apps.py", dear], costs, most=100) == ([dear, cheap], [dearer])


# --- The closing table -----------------------------------------------------------------------------------------------


def test_closing_table_tells_what_passed_failed_and_was_not_run() -> None:
    outcomes = {
        "cores": long.Outcome("abc", 0, 60, 90, "10 passed in 60 s"),
        "league": long.Outcome("abc", 1, 60, 90, "1 failed, 9 passed in 60 s"),
        "browser": long.Outcome("old", 0, 60, 90, "10 passed in 60 s"),
    }
    lines = [*long.table(outcomes, "abc")]
    assert "passed" in lines[1]
    assert "FAILED" in lines[2]
    assert any("browser" in line and "(not abc)" in line for line in lines)
    assert any("torture" in line and "not run" in line for line in lines)
    assert lines[-1].startswith(f"1 of {len(long.PARTS)} parts passed on abc")
