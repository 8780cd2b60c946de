"""What sums stand for, and boards that know it: points without hanchan rank and count like what they stand for."""

import django.db.models.expressions
from django.db import migrations, models

MARK_BOARDS_WITH_SUMS = """
    INSERT INTO league_staleperiod (league_id, period, marked_at)
    SELECT board.league_id, board.period, CURRENT_TIMESTAMP FROM league_board AS board
    WHERE EXISTS (SELECT 1 FROM league_sessionpoints AS points WHERE points.league_id = board.league_id)
"""
"""Lines that were stored before ranked nobody by sums. In leagues without any, nothing is to be worked out."""


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0022_clubs_and_the_order_of_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='sessionpoints',
            name='first',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='1st places'),
        ),
        migrations.AddField(
            model_name='sessionpoints',
            name='fourth',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='4th places'),
        ),
        migrations.AddField(
            model_name='sessionpoints',
            name='second',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='2nd places'),
        ),
        migrations.AddField(
            model_name='sessionpoints',
            name='third',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='3rd places'),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_sums_halves',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_sums_hanchan',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_sums_left_out',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_sums_placed',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='earlier_sums_unknown',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='sums_halves',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='sums_hanchan',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='sums_left_out',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='sums_placed',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='standing',
            name='sums_unknown',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='sessionpoints',
            name='hanchan',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='hanchan they stand for'),
        ),
        migrations.AddConstraint(
            model_name='sessionpoints',
            constraint=models.CheckConstraint(condition=models.Q(('hanchan', 0), _negated=True), name='session_points_stand_for_some'),
        ),
        migrations.AddConstraint(
            model_name='sessionpoints',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('first__isnull', True), ('fourth__isnull', True), ('second__isnull', True), ('third__isnull', True)), models.Q(('first__isnull', False), ('fourth__isnull', False), ('hanchan', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('first'), '+', models.F('second')), '+', models.F('third')), '+', models.F('fourth'))), ('hanchan__isnull', False), ('second__isnull', False), ('third__isnull', False)), _connector='OR'), name='session_points_places_add_up'),
        ),
        migrations.RunSQL(MARK_BOARDS_WITH_SUMS, migrations.RunSQL.noop),
    ]
