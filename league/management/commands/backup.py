import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from league.selectors.backups import daily_backups, failed_backup
from league.services.backups import BackupError, back_up_into, back_up_to, write_backup


class Command(BaseCommand):
    help = (
        "Write the whole site to one file while it is running: a copy of the SQLite database, or a pg_dump archive. "
        "Keep it as safe as the database. `manage.py restore` restores it."
    )
    # A backup is needed most before migrating, when the schema is older than the code.
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", help="file to write; - for standard output; default: into BACKUP_DIR")
        parser.add_argument("--list", action="store_true", help="list the backups in BACKUP_DIR")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["list"]:
                self._list()
            elif options["file"] == "-":
                write_backup(sys.stdout.buffer)
            elif options["file"]:
                self._tell(back_up_to(Path(options["file"])))
            elif settings.BACKUP_DIR:
                self._tell(back_up_into(Path(settings.BACKUP_DIR)))
            else:
                raise CommandError("Name a file, - for standard output, or set BACKUP_DIR.")
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _tell(self, made: Path) -> None:
        self.stdout.write(f"{made} {made.stat().st_size} bytes")

    def _list(self) -> None:
        for each in daily_backups():
            age = str(timezone.now() - each.at).partition(".")[0]
            self.stdout.write(
                f"{timezone.localtime(each.at):%Y-%m-%d %H:%M} {age:>16} ago  {each.file}  {each.size} bytes"
            )
        if failed := failed_backup():
            self.stdout.write(f"The last attempt failed: {failed}")
