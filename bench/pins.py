"""Counts of the smallest size that miss their goal, at their present value: they may not become worse.

A line goes when its goal is met; the table says so. Growth depends a little on the day of the month.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bench.race import Row

GROWTH = "P8 rows touched, growth in percent"

PINS: dict[str, float] = {
    # The rows for what is decided by hanchan, beside the evenings of the range.
    "P7 queries of board of a range, 200 rows: too many": 1,
    # What the evening changed on the month's board, in words.
    "P7 queries of session, 200 rows: too many": 1,
    "P7 queries of session of 320 hanchan: too many": 1,
    # By what the tournament may end: the rules of its stages, the hanchan that say what places bring, and who is how strong.
    "P7 queries of tournament: too many": 3,
    # The same, who sits with whom next, what is typed at tables, whose accounts are closed.
    "P7 queries of stage: too many": 10,
    # The hall and its tables that are ready, what is typed there, what is needed and by which rules.
    "P7 queries of projector: too many": 8,
}


def pinned(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows with the values at which they are pinned."""
    for row in rows:
        yield replace(row, pin=PINS[row.name]) if row.name in PINS else row
