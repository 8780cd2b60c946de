"""A backup is written while people go on entering results: it is of the one moment at which it begins."""

import tomllib
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import connection
from django.utils import timezone

from league.selectors.moment import one_moment
from league.services.backups.archive import FORMAT, Manifest, Sealed, new_archive
from league.services.backups.patience import take_your_time
from league.services.backups.rows import last_number, row_chunks
from league.services.backups.tables import applied_migrations, tables_at
from league.services.boards import OnProgress, Progress


def write_backup(stream: BinaryIO, on_progress: OnProgress) -> Sealed:
    """Write everything that is to be kept of the site to a stream; the checksum is known when it is done.

    Memory does not grow with the site, and nobody waits for it.
    """
    with one_moment():
        take_your_time()
        migrations = applied_migrations()
        manifest = Manifest(FORMAT, timezone.now().isoformat(), tenbo_version(), connection.vendor, migrations)
        manifest.tables = tables_at(migrations)
        with new_archive(stream) as (archive, sealed):
            for number, table in enumerate(manifest.tables, start=1):
                for _ in archive.add(table, row_chunks(table)):
                    on_progress(Progress(number - 1, len(manifest.tables), f"{table.name} {table.rows}"))
                table.last_number = last_number(table)
                on_progress(Progress(number, len(manifest.tables), f"{table.name} {table.rows}"))
            archive.finish(manifest)
    return sealed


def tenbo_version() -> str:
    project = tomllib.loads(Path(settings.BASE_DIR, "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])
