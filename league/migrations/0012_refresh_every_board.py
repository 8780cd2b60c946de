from django.db import migrations

MARK_EVERY_BOARD = """
    INSERT INTO league_staleperiod (league_id, period, marked_at)
    SELECT league_id, period, CURRENT_TIMESTAMP FROM league_board
"""
"""Lines that were stored before know nothing of what was earlier, and boards nothing of their last day of play."""


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0011_boards_that_add_up'),
    ]

    operations = [
        migrations.RunSQL(MARK_EVERY_BOARD, migrations.RunSQL.noop),
    ]
