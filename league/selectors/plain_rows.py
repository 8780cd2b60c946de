"""Reads many hanchan as plain rows, because model instances would cost more than the query.

Callers pass the columns and a constructor for the rows.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from league.models import Incident, Seat
from league.models.play import HanchanQuerySet

HANCHAN_AT_ONCE = 500
"""Number of hanchan loaded into memory at a time."""


class HanchanFacts(Protocol):
    @property
    def pk(self) -> int:
        """The primary key."""


Facts = TypeVar("Facts", bound=HanchanFacts)
SeatFacts = TypeVar("SeatFacts", bound=tuple[Any, ...])
Made = Callable[[Sequence[Any]], SeatFacts]


class IncidentRow(NamedTuple):
    hanchan_id: int
    seat: int
    kind: str
    detail: dict[str, Any]
    note: str


class WholeHanchan(NamedTuple, Generic[Facts, SeatFacts]):
    """A hanchan with its seats, first dealer first, and incidents in the order they were added."""

    row: Facts
    seats: Sequence[SeatFacts]
    incidents: Sequence[IncidentRow]


def walk(
    hanchan: HanchanQuerySet,
    columns: tuple[Sequence[str], Callable[[Sequence[Any]], Facts]],
    of_seats: tuple[Sequence[str], Made[SeatFacts]],
) -> Iterator[WholeHanchan[Facts, SeatFacts]]:
    """Yield hanchan in order, HANCHAN_AT_ONCE at a time; three queries for each of these.

    `columns`, `of_seats`: column names and a constructor; the first column of seats must be "hanchan_id".
    """
    names, made = columns
    rows = map(made, hanchan.values_list(*names).iterator(HANCHAN_AT_ONCE))
    while some := list(islice(rows, HANCHAN_AT_ONCE)):
        keys = [row.pk for row in some]
        seats, incidents = seat_rows(keys, *of_seats), incident_rows(keys)
        for row in some:
            yield WholeHanchan(row, seats.get(row.pk, ()), incidents.get(row.pk, ()))


def seat_rows(keys: Iterable[int], columns: Sequence[str], made: Made[SeatFacts]) -> Mapping[int, list[SeatFacts]]:
    """Return the seats by primary key of the hanchan, first dealer first. One query."""
    lines = Seat.objects.filter(hanchan__in=list(keys)).order_by("hanchan_id", "seat").values_list(*columns)
    found: dict[int, list[SeatFacts]] = defaultdict(list)
    for row in lines if made is tuple else map(made, lines):
        found[row[0]].append(row)
    return found


def incident_rows(keys: Iterable[int]) -> Mapping[int, list[IncidentRow]]:
    """Return incidents in the order they were added, keyed by hanchan primary key. One query."""
    lines = Incident.objects.filter(hanchan__in=list(keys)).order_by("pk").values_list(*IncidentRow._fields)
    found: dict[int, list[IncidentRow]] = defaultdict(list)
    for row in map(IncidentRow._make, lines):
        found[row.hanchan_id].append(row)
    return found
