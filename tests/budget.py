"""How much the tests try: everything in full, or enough to notice a mistake while working.

BUDGET=full in the environment is what `make test-long` runs. Without it searches, random games and examples are a tenth of
that, and combinations of language, theme and size are tried by pairs. No assertion differs.
"""

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import pytest

FULL = os.environ.get("BUDGET") == "full"


def budget(full: int, least: int = 1) -> int:
    """Return how many of something to try: all of them, or a tenth, but not fewer than `least`."""
    return full if FULL else max(full // 10, min(least, full))


EXAMPLES = budget(100, least=25)
"""What Hypothesis tries where a test does not say."""


def varied(name: str, values: Sequence[object], ids: Sequence[str] | None = None) -> pytest.MarkDecorator:
    """Run a test with each value; with all but the first of them it is a variant, and long."""
    first, *others = values
    marked = [first, *(pytest.param(value, marks=pytest.mark.variant) for value in others)]
    return pytest.mark.parametrize(name, marked, ids=ids)


def combined(*dimensions: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the combinations to try: all of them in full, else enough for each pair of values to occur together."""
    return [*product(*dimensions)] if FULL else pairwise(*dimensions)


def pairwise(*dimensions: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return few combinations in which each two values of different dimensions occur together."""
    every = [*product(*(range(len(values)) for values in dimensions))]
    chosen: list[tuple[int, ...]] = []
    missing = {pair for each in every for pair in combinations(enumerate(each), 2)}
    while missing:
        best = max(every, key=lambda each: len(missing & {*combinations(enumerate(each), 2)}))
        chosen.append(best)
        missing -= {*combinations(enumerate(best), 2)}
    return [tuple(values[index] for values, index in zip(dimensions, each, strict=True)) for each in chosen]
