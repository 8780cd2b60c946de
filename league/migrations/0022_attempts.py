"""Tries are counted for the whole site in a table of our own; what the library before wrote down of visitors goes."""

from django.db import migrations, models

DROP_TABLES = [
    f'DROP TABLE IF EXISTS {table}'
    for table in ('axes_accessattemptexpiration', 'axes_accessattempt', 'axes_accessfailurelog', 'axes_accesslog')
]


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0016_session_editions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Attempts',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('count', models.PositiveIntegerField(default=0)),
                ('ends_at', models.BigIntegerField(db_index=True)),
            ],
            options={
                'verbose_name': 'attempts',
                'verbose_name_plural': 'attempts',
            },
        ),
        migrations.RunSQL(DROP_TABLES, migrations.RunSQL.noop),
        migrations.RunSQL("DELETE FROM django_migrations WHERE app = 'axes'", migrations.RunSQL.noop),
    ]
