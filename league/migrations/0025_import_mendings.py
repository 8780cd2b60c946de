"""Cells of an upload that were changed in the table of its check are kept beside the file."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0024_rules_by_day'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='importbatch',
            name='mended',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.CreateModel(
            name='ImportMending',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line', models.PositiveIntegerField(blank=True, null=True, verbose_name='line')),
                ('column', models.PositiveSmallIntegerField(verbose_name='column')),
                ('before', models.TextField(blank=True, verbose_name='before')),
                ('after', models.TextField(blank=True, verbose_name='after')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mendings', to='league.importbatch')),
                ('by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'mended cell',
                'verbose_name_plural': 'mended cells',
                'ordering': ('pk',),
            },
        ),
    ]
