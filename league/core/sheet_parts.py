"""A sheet that is too large for one page, divided: as many hanchan as fit, and as many people as have a column."""

from collections.abc import Collection, Iterator, Sequence


def parts(rows: Sequence[Collection[int]], most_rows: int, most_people: int) -> list[range]:
    """Return which rows stand on each page, all in order; `rows` are the people of each. One empty part for no rows.

    A row with more people than fit stands alone.
    """
    return list(_parts(rows, most_rows, most_people)) or [range(0)]


def _parts(rows: Sequence[Collection[int]], most_rows: int, most_people: int) -> Iterator[range]:
    start, people = 0, set[int]()
    for number, row in enumerate(rows):
        together = people.union(row)
        if number > start and (number - start == most_rows or len(together) > most_people):
            yield range(start, number)
            start, together = number, set(row)
        people = together
    if start < len(rows):
        yield range(start, len(rows))
