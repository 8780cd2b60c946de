"""The tiers of the tests. Every test is in exactly one, by its mark.

quick: no mark. Run by `make test`, `.ci/run` and `make test-long`.
merge: `pytest.mark.merge`. Costs more, but must never be merged broken. Run by `.ci/run` and `make test-long`.
long: `pytest.mark.long`, or `timing` for promises in seconds, or a variant (`tests.budget.varied`). Run by `make test-long`;
    `.ci/run` takes those that are about what a change touches.

`tests/costs.tsv` keeps what each test costs; a quick one costs at most `LIMIT`.
"""

import pytest

QUICK, MERGE, LONG = "quick", "merge", "long"
TIERS = (QUICK, MERGE, LONG)
MARKS = {MERGE: MERGE, LONG: LONG, "timing": LONG}
"""The tier that a mark means."""

LIMIT = 0.4
"""CPU seconds that a quick test may cost at most, on a quiet machine."""

BUDGETS = {QUICK: 650, MERGE: 600}
"""CPU seconds that all tests of a tier may cost together."""


def tier_of(item: pytest.Item) -> str:
    """Return the tier of a test. Raises UsageError where marks name two."""
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
