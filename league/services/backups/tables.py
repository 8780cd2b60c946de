"""Which tables a backup has: those of the migrations that a database has, as these describe them."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.db import connection, models
from django.db.migrations.loader import MigrationLoader

from league.services.backups.archive import Column, StoredTable

NOT_KEPT = {
    "django_session": "whoever has a log-in of these is logged in; everybody logs in again",
    "league_backup": "which backups lie on this machine",
    "league_edition": "counted anew, so that no page of before passes for one of now",
    "league_attempts": "who tried what is nobody's business later, and is over within a day",
    "league_signoflife": "when the workers of this machine last did something",
    "stats_keptmonth": "added up anew; until then pages read the seats",
    "stats_playermonth": "added up anew with its month",
    "stats_ratingmark": "every league is marked anew with the editions",
    "stats_ratingprogress": "replayed anew",
    "stats_ratingblock": "replayed anew",
    "stats_playerrating": "replayed anew",
    "stats_keptfeats": "put together anew; until then pages read the seats",
    "stats_playerfeats": "put together anew with its month",
    "stats_achievement": "follows anew from what players did in each month",
    "stats_achievementdue": "noted anew with what is kept",
    "stats_award": "follows anew from the boards",
}
"""Tables that a backup leaves out, each with the reason. Whatever else there is goes in, new tables without a word."""

KINDS: Mapping[str, str] = {
    "DateTimeField": "moment",
    "BooleanField": "truth",
    "BinaryField": "bytes",
    "UUIDField": "key",
    "JSONField": "text",
    "GenericIPAddressField": "text",
    "DateField": "text",
    "TimeField": "text",
}
"""What a column holds, where the databases do not write it alike."""


def applied_migrations() -> dict[str, list[str]]:
    return _by_app(MigrationLoader(connection).applied_migrations)


def known_migrations() -> dict[str, list[str]]:
    return _by_app(MigrationLoader(connection).disk_migrations)


def _by_app(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for app, name in sorted(names):
        found.setdefault(app, []).append(name)
    return found


def last_migrations(migrations: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return of each app the migration that needs all its others."""
    graph = MigrationLoader(connection).graph
    last = {}
    for app, names in migrations.items():
        needed = {
            parent.key[1] for name in names for parent in graph.node_map[app, name].parents if parent.key[0] == app
        }
        [last[app]] = set(names) - needed
    return last


def tables_at(migrations: Mapping[str, Iterable[str]], leaving_out: Collection[str] = NOT_KEPT) -> list[StoredTable]:
    made = _columns_at(tuple((app, name) for app, names in sorted(migrations.items()) for name in sorted(names)))
    return [
        StoredTable(name, f"rows/{name}.ndjson", list(columns)) for name, columns in made if name not in leaving_out
    ]


@lru_cache(maxsize=8)
def _columns_at(migrations: tuple[tuple[str, str], ...]) -> tuple[tuple[str, tuple[Column, ...]], ...]:
    """Return the same with their columns. Going through all migrations takes longer than a small backup."""
    # What the database has says nothing of what migrations make.
    loader = MigrationLoader(None)
    nodes = [node for node in migrations if node in loader.graph.nodes]
    known = loader.project_state(nodes).apps.get_models(include_auto_created=True)
    tables = [model._meta for model in known if model._meta.managed and not model._meta.proxy]
    return tuple(sorted((str(table.db_table), _columns(table)) for table in tables))


def _columns(table: Any) -> tuple[Column, ...]:
    columns = [Column(str(field.column), _kind(field)) for field in table.concrete_fields]
    return tuple(sorted(columns, key=lambda column: column.name != table.pk.column))


def _kind(field: models.Field[Any, Any]) -> str:
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    return KINDS.get(field.get_internal_type(), "plain")
