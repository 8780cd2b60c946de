"""How much the tests try: everything in full, or a sample while developing.

With BUDGET=full in the environment (`make test-long`), everything is tried. Without it, searches, random games and examples
are cut to a tenth, and combinations of language, theme and size to a pairwise sample. The assertions are the same.
"""

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import pytest

FULL = os.environ.get("BUDGET") == "full"


def budget(full: int, least: int = 1) -> int:
    """Return how many samples to try: all of them, or a tenth, but at least `least`."""
    return full if FULL else max(full // 10, min(least, full))


EXAMPLES = budget(100, least=25)
"""Number of Hypothesis examples unless a test sets its own."""


def varied(name: str, values: Sequence[object], ids: Sequence[str] | None = None) -> pytest.MarkDecorator:
    """Parametrize a test; with values other than the first it is a variant, in the long tier."""
    first, *others = values
    marked = [first, *(pytest.param(value, marks=pytest.mark.variant) for value in others)]
    return pytest.mark.parametrize(name, marked, ids=ids)


def pairwise(*dimensions: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return few combinations that contain every pair of values from different dimensions."""
    every = [*product(*(range(len(values)) for values in dimensions))]
    chosen: list[tuple[int, ...]] = []
    missing = {pair for each in every for pair in combinations(enumerate(each), 2)}
    while missing:
        best = max(every, key=lambda each: len(missing & {*combinations(enumerate(each), 2)}))
        chosen.append(best)
        missing -= {*combinations(enumerate(best), 2)}
    return [tuple(values[index] for values, index in zip(dimensions, each, strict=True)) for each in chosen]
