from typing import Any

from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    """Let SQLite write the table anew; the triggers are made after every migration."""
    if schema_editor.connection.vendor == "sqlite":
        drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0032_no_key_marks'),
    ]

    operations = [
        migrations.RunPython(take_triggers_away, migrations.RunPython.noop),
        migrations.AddField(
            model_name='photo',
            name='key',
            field=models.CharField(blank=True, db_default='', default='', max_length=100, verbose_name='in the store as'),
        ),
        migrations.AddField(
            model_name='photo',
            name='size',
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name='bytes'),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(fields=['digest'], name='photo_by_digest'),
        ),
        migrations.AddIndex(
            model_name='photo',
            index=models.Index(condition=models.Q(('key', '')), fields=['id'], name='photo_in_database'),
        ),
    ]
