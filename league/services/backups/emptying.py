"""A site that begins anew: everything goes into a backup, and nothing is left."""

from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from league.models import Backup
from league.models.triggers import count_anew
from league.services.backups.patience import take_your_time
from league.services.backups.restoring import STAYS, clear_tables
from league.services.backups.schedule import back_up_to
from league.services.backups.tables import applied_migrations, tables_at
from league.services.backups.triggers import triggers_set_aside
from league.services.boards import unwatched

OF_THE_MODELS = frozenset({"django_content_type", "auth_permission"})
"""Tables that tell of the program and of nobody."""


@transaction.atomic
def put_everything_aside(path: Path) -> Backup:
    """Write everything into a backup and leave nothing, of one moment. Raises BackupError, and leaves everything then."""
    take_your_time()
    tables = [each.name for each in tables_at(applied_migrations(), leaving_out=STAYS)]
    if connection.vendor == "postgresql":
        # On SQLite only one writes anyway.
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE")
    backup = back_up_to(path, unwatched)
    # A table that waits for a constraint to be checked cannot be emptied.
    connection.check_constraints()
    with triggers_set_aside():
        clear_tables(leaving_out=STAYS | OF_THE_MODELS)
    count_anew(connection)
    ContentType.objects.clear_cache()
    return backup
