"""Tiers of tests. Every test is in exactly one, set by its mark.

quick: no mark. Run by `make test`, `.ci/run` and `make test-long`.
merge: `pytest.mark.merge`. More expensive, but required for every merge. Run by `.ci/run` and `make test-long`.
long: `pytest.mark.long`, or `timing` for promises in seconds, or a variant (`tests.budget.varied`). Run by `make test-long`;
    `.ci/run` takes those for the code that a change touches.

`tests/costs.tsv` records the cost of each test; a quick one costs at most `LIMIT`.
"""

import pytest

QUICK, MERGE, LONG = "quick", "merge", "long"
TIERS = (QUICK, MERGE, LONG)
MARKS = {MERGE: MERGE, LONG: LONG, "timing": LONG}

LIMIT = 0.4
"""Maximum CPU seconds of a quick test, on an idle machine."""

BUDGETS = {QUICK: 650, MERGE: 600}
"""Maximum CPU seconds of all tests of a tier together."""


def tier_of(item: pytest.Item) -> str:
    if item.get_closest_marker("variant"):
        return LONG
    tiers = {tier for mark, tier in MARKS.items() if item.get_closest_marker(mark)}
    if len(tiers) > 1:
        message = f"{item.nodeid} is in two tiers: {' and '.join(sorted(tiers))}."
        raise pytest.UsageError(message)
    return tiers.pop() if tiers else QUICK


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tiers", default=",".join(TIERS), help="run only the tests of these tiers, such as quick,merge")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("tiers").split(",")
    if unknown := {*wanted} - {*TIERS}:
        message = f"There is no tier {', '.join(sorted(unknown))}; there are {', '.join(TIERS)}."
        raise pytest.UsageError(message)
    left_out = [item for item in items if tier_of(item) not in wanted]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if tier_of(item) in wanted]
