"""Chain the history. Its guards and what notes new facts are triggers, made after every migration."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers

POSTGRESQL = (
    "DROP TRIGGER IF EXISTS league_revision_only_grows ON league_revision",
    "DROP FUNCTION IF EXISTS league_revision_refuse_change()",
)
SQLITE = ("DROP TRIGGER IF EXISTS league_revision_only_grows",)

BEFORE_ON_POSTGRESQL = """
    CREATE FUNCTION league_revision_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'league_revision only grows: % is refused', TG_OP;
    END $$;
    CREATE TRIGGER league_revision_only_grows BEFORE UPDATE OR DELETE ON league_revision
        FOR EACH ROW EXECUTE FUNCTION league_revision_refuse_change();
"""
BEFORE_ON_SQLITE = """
    CREATE TRIGGER league_revision_only_grows BEFORE UPDATE ON league_revision
    BEGIN
        SELECT RAISE(ABORT, 'league_revision only grows: UPDATE is refused');
    END
"""


def give_over(apps: Any, schema_editor: Any) -> None:
    """Take the first guard of the history away: those that follow refuse more, on more tables."""
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if is_postgresql else SQLITE:
        schema_editor.execute(statement, params=None)


def take_back(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    schema_editor.execute(BEFORE_ON_POSTGRESQL if is_postgresql else BEFORE_ON_SQLITE, params=None)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0018_backups'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(give_over, take_back),
        migrations.AlterField(
            model_name='confirmation',
            name='by',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='ChainLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(verbose_name='number')),
                ('at', models.DateTimeField(verbose_name='chained at')),
                ('facts', models.JSONField(default=list, verbose_name='facts')),
                ('digests', models.BinaryField()),
                ('salts', models.BinaryField()),
                ('previous', models.CharField(max_length=64, verbose_name='link before')),
                ('hash', models.CharField(max_length=64, verbose_name='head')),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chain', to='league.league')),
            ],
            options={
                'verbose_name': 'link of the chain',
                'verbose_name_plural': 'links of the chain',
                'ordering': ('league', 'number'),
                'constraints': [models.UniqueConstraint(fields=('league', 'number'), name='chainlink_number_once'), models.UniqueConstraint(fields=('league', 'hash'), name='chainlink_hash_once')],
            },
        ),
        migrations.CreateModel(
            name='UnchainedFact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=12)),
                ('fact', models.BigIntegerField()),
                ('league', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.league')),
            ],
            options={
                'indexes': [models.Index(fields=['league', 'id'], name='unchained_league')],
            },
        ),
    ]
