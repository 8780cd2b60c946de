"""Rows as plain values: what many hanchan are read with, where a model for each would cost more than the reading."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol, TypeVar

from django.db import connection
from django.db.models.expressions import RawSQL

from league.models import Incident


class OfHanchan(Protocol):
    """A row that belongs to a hanchan."""

    @property
    def hanchan_id(self) -> int:
        """The hanchan's primary key."""


OfOne = TypeVar("OfOne", bound=OfHanchan)


def by_hanchan(rows: Iterable[tuple[Any, ...]], made: Callable[[tuple[Any, ...]], OfOne]) -> dict[int, list[OfOne]]:
    """Return what is made of rows, in their order, by the hanchan they belong to."""
    found: dict[int, list[OfOne]] = {}
    for row in map(made, rows):
        found.setdefault(row.hanchan_id, []).append(row)
    return found


class IncidentRow(NamedTuple):
    """What the row of an incident says."""

    hanchan_id: int
    seat: int
    kind: str
    detail: dict[str, Any]
    note: str


def incident_rows(**of_which: Any) -> dict[int, list[IncidentRow]]:
    """Return the incidents of these hanchan in the order they were noted, by hanchan. One query."""
    found = Incident.objects.filter(**of_which).order_by("pk").values_list(*IncidentRow._fields)
    return by_hanchan(found, IncidentRow._make)


def these_keys(keys: Iterable[int]) -> RawSQL:
    """Return primary keys for an `__in` filter: one parameter, however many there are, for queries by the thousand."""
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::bigint[])", [f"{{{','.join(map(str, keys))}}}"])
    return RawSQL("SELECT value FROM json_each(%s)", [f"[{','.join(map(str, keys))}]"])
