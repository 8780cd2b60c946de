"""The first and the last day of a version of rules, and its hanchan from a day on, are found in one index."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0023_sums_on_boards'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='hanchan',
            index=models.Index(fields=['ruleset_version', 'day'], name='hanchan_version_day'),
        ),
        migrations.AlterField(
            model_name='hanchan',
            name='ruleset_version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='hanchan', to='league.rulesetversion', verbose_name='rules'),
        ),
    ]
