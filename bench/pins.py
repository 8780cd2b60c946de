"""Counts of the smallest size that miss their goal, at their present value: they may not become worse.

A line goes when its goal is met; the table says so. Growth depends a little on the day of the month.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bench.race import Row

GROWTH = "P8 rows touched, growth in percent"

PINS: dict[str, float] = {}


def pinned(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows with the values at which they are pinned."""
    for row in rows:
        yield replace(row, pin=PINS[row.name]) if row.name in PINS else row
