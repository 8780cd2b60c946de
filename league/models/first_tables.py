"""How the first migration of an app makes its tables: all of them at once."""

from collections.abc import Sequence
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from league.models.triggers import drop_triggers


class MakeTables(Operation):
    """Makes the tables of many models, each with its indexes and constraints. The way back deletes them.

    Django draws the models of all apps again for each `CreateModel`, and again for each field that one adds later. That
    was most of the time that an empty database took. Here the models are drawn once, when all of them are known, so a
    model may also point to a later one.
    """

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # What was drawn so far would be drawn again with each model that comes.
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in self._drawn(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Delete every table, and what belongs to triggers. Those of other tables are made again after the migration."""
        drop_triggers()
        for model in self._drawn(app_label, schema_editor, from_state):
            schema_editor.delete_model(model)

    def describe(self) -> str:
        return f"Make {len(self.models)} tables"

    def _drawn(self, app_label: str, schema_editor: Any, state: ProjectState) -> list[Any]:
        drawn = [state.apps.get_model(app_label, model.name) for model in self.models]
        return [model for model in drawn if self.allow_migrate_model(schema_editor.connection.alias, model)]
