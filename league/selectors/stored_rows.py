"""Rows of a statement that was written once, as model instances: for what every request asks."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)


class StoredRow(Generic[M]):
    """The columns of a model in a statement of our own, and the way back from values to an instance."""

    def __init__(self, model: type[M], alias: str) -> None:
        self._model = model
        self._fields = model._meta.concrete_fields
        self._names = [field.attname for field in self._fields]
        self.columns = ", ".join(f"{alias}.{connection.ops.quote_name(str(field.column))}" for field in self._fields)
        self.width = len(self._fields)

    @cached_property
    def _converters(self) -> list[tuple[int, Any, list[Any]]]:
        """What the database's values pass through, by position; most need nothing."""
        found = []
        for position, field in enumerate(self._fields):
            column = field.get_col(self._model._meta.db_table)
            steps = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
            if steps:
                found.append((position, column, steps))
        return found

    def read(self, values: Sequence[Any]) -> M:
        row = list(values)
        for position, column, steps in self._converters:
            for step in steps:
                row[position] = step(row[position], column, connection)
        return self._model.from_db(connection.alias, self._names, row)
