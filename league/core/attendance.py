"""Who comes to a session: until when that can be said, and how many tables it gives."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from league.core.periods import moment_on

MAX_WORD_LENGTH = 60
"""Of the word that somebody adds to their answer."""


@dataclass(frozen=True, slots=True)
class TablesOfThose:
    """What those who come give: so many `full` tables, `short` people of as many as are planned, `over` who take turns."""

    full: int
    short: int
    over: int


def tables_of(coming: int, size: int, planned: int) -> TablesOfThose:
    """Return what so many people give at tables of `size`, `planned` of which are wanted."""
    full = coming // size
    return TablesOfThose(full, max(planned * size - coming, 0), coming - full * size if full >= planned else 0)


def day_ends(day: date, zone: str, boundary: time) -> datetime:
    return moment_on(day + timedelta(days=1), boundary, zone, boundary)


def answers_end(ends: datetime, begins: datetime | None, until: datetime | None) -> datetime:
    """Return until when a session can be answered: its start or the end of its day, or earlier where that was said."""
    latest = ends if begins is None else begins
    return latest if until is None else min(latest, until)
