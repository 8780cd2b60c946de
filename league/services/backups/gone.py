"""What earlier versions had and this one has no more: nothing of it is wanted back."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

GONE = {
    "axes": "counted log-ins that failed, whose tries Tenbo now counts itself (league_attempts) and keeps in no backup"
}
"""Apps whose migrations and tables a database or a backup may still name, each with what became of it."""


class _Named(Protocol):
    name: str


Table = TypeVar("Table", bound=_Named)


def migrations_left(migrations: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the migrations of the apps that there still are."""
    return {app: names for app, names in migrations.items() if app not in GONE}


def tables_left(tables: Iterable[Table]) -> list[Table]:
    """Return the tables of the apps that there still are; Django names each after its app."""
    return [table for table in tables if not table.name.startswith(tuple(f"{app}_" for app in GONE))]
