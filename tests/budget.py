"""How much the tests try: everything in full, or enough to notice a mistake while working.

BUDGET=full in the environment is what `make test` and continuous integration run. Without it searches, random games and
examples are a tenth of that, and what repeats a test at great cost waits for the full run. No assertion differs.
"""

import os
from collections.abc import Sequence

import pytest

FULL = os.environ.get("BUDGET") == "full"


def budget(full: int, least: int = 1) -> int:
    """Return how many of something to try: all of them, or a tenth, but not fewer than `least`."""
    return full if FULL else max(full // 10, min(least, full))


EXAMPLES = budget(100, least=25)
"""What Hypothesis tries where a test does not say."""

full_only = pytest.mark.skipif(not FULL, reason="only with BUDGET=full")
"""For what is the same test once more, at great cost."""


def varied(name: str, values: Sequence[object], ids: Sequence[str] | None = None) -> pytest.MarkDecorator:
    """Run a test with each value in the full run, and with the first of them otherwise."""
    first, *others = values
    return pytest.mark.parametrize(name, [first, *(pytest.param(value, marks=full_only) for value in others)], ids=ids)
