"""The newest revision of a league is found by an index of its own; the site goes on writing while it is made."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class AddIndexBesideWork(AddIndexConcurrently):
    """Adds an index without keeping writers waiting, where the database can do that."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make the index."""
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        # One that was left, whole or half made, by a migration that was stopped, goes first.
        schema_editor.execute(f'DROP INDEX {"CONCURRENTLY " if is_postgresql else ""}IF EXISTS "{self.index.name}"')
        adding = super() if is_postgresql else super(AddIndexConcurrently, self)
        adding.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Take it away."""
        adding = super() if schema_editor.connection.vendor == "postgresql" else super(AddIndexConcurrently, self)
        adding.database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("league", "0012_refresh_every_board")]

    operations = [
        AddIndexBesideWork(
            model_name="revision", index=models.Index(fields=["league", "-id"], name="revision_newest")
        ),
    ]
