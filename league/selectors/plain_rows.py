"""Reads many hanchan a few hundred at a time: whole, or as plain rows where instances would cost too much."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db.models import Prefetch

from league.models import Hanchan, Incident, Seat
from league.models.play import HanchanQuerySet

HANCHAN_AT_ONCE = 500
"""Number of hanchan loaded into memory at a time."""

SeatFacts = TypeVar("SeatFacts", bound=tuple[Any, ...])
Made = Callable[[Sequence[Any]], SeatFacts]


class IncidentRow(NamedTuple):
    hanchan_id: int
    seat: int
    kind: str
    detail: dict[str, Any]
    note: str


def walk(hanchan: HanchanQuerySet, *related: str) -> Iterator[Hanchan]:
    """Yield hanchan, their seats (first dealer first), incidents (in the order they were added) and `related` rows.

    HANCHAN_AT_ONCE at a time, with one query for each kind of row.
    """
    seats = Prefetch("seats", Seat.objects.order_by("seat"))
    incidents = Prefetch("incidents", Incident.objects.order_by("pk"))
    for row in hanchan.prefetch_related(seats, incidents, *related).iterator(HANCHAN_AT_ONCE):
        yield row
        # These rows refer back to the hanchan; without this the memory of both would be freed late.
        vars(row).pop("_prefetched_objects_cache")


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
