"""Boards know their last day of play, lines what there was before it, marks whose lines they are about."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0010_editions'),
    ]

    operations = [
        migrations.AddField(
            model_name='board',
            name='last_day',
            field=models.DateField(null=True),
        ),
        migrations.AddField(
            model_name='staleperiod',
            name='players',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_halves',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_hanchan',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_total',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
