"""Tries, signs of life, guests of a table link and the key of its code are counted and kept; hidden characters leave names.

What the library that counted log-ins before wrote down of visitors goes.
"""

import re
from typing import Any

from django.db import migrations, models

DROP_TABLES = [
    f'DROP TABLE IF EXISTS {table}'
    for table in ('axes_accessattemptexpiration', 'axes_accessattempt', 'axes_accessfailurelog', 'axes_accesslog')
]


# What the site refuses in names at the day of this migration, with the ends of lines; what is written here does not change with it.
HIDDEN = re.compile(
    '[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e'
    '\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3'
    '\U0001d173-\U0001d17a\U000e0000-\U000e007f]'
    '|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\ufe00-\ufe0f\U000e0100-\U000e01ef]'
)


def clean_names(apps: Any, schema_editor: Any) -> None:
    """Take out of names what nobody sees; a name of nothing else becomes a question mark."""
    player, alias = apps.get_model('league', 'Player'), apps.get_model('league', 'PlayerAlias')
    for each in player.objects.order_by('pk').iterator(2000):
        texts = {name: getattr(each, name) for name in ('name', 'kana', 'romanised')}
        clean = {name: HIDDEN.sub('', text).strip() for name, text in texts.items() if HIDDEN.search(text)}
        if clean:
            clean |= {'name': clean.get('name', each.name) or '?'}
            player.objects.filter(pk=each.pk).update(**clean)
    for each in alias.objects.order_by('pk').iterator(2000):
        if HIDDEN.search(each.name):
            name = HIDDEN.sub('', each.name).strip()
            if not name or alias.objects.filter(player=each.player_id, name=name).exists():
                each.delete()
            else:
                alias.objects.filter(pk=each.pk).update(name=name)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0019_chain'),
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
        migrations.CreateModel(
            name='SignOfLife',
            fields=[
                ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'sign of life',
                'verbose_name_plural': 'signs of life',
            },
        ),
        migrations.AddField(
            model_name='tablelink',
            name='key_mark',
            field=models.CharField(blank=True, default='', editable=False, max_length=16),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='tablelink',
            name='guests',
            field=models.PositiveIntegerField(default=0, editable=False, verbose_name='guests so far'),
        ),
        migrations.AddField(
            model_name='tablelink',
            name='most_guests',
            field=models.PositiveIntegerField(default=8, editable=False, verbose_name='guests at most'),
        ),
        migrations.AddConstraint(
            model_name='tablelink',
            constraint=models.CheckConstraint(condition=models.Q(('guests__lte', models.F('most_guests'))), name='table_link_guests_capped'),
        ),
        migrations.RunPython(clean_names, migrations.RunPython.noop),
        migrations.RunSQL(DROP_TABLES, migrations.RunSQL.noop),
        migrations.RunSQL("DELETE FROM django_migrations WHERE app = 'axes'", migrations.RunSQL.noop),
    ]
