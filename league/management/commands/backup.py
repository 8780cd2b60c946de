"""manage.py backup [FILE]."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from league.management.arguments import progress_line, silent
from league.models import Backup
from league.selectors.backups import recent_backups
from league.services.backups.archive import BackupError
from league.services.backups.making import write_backup
from league.services.backups.schedule import back_up_into, back_up_to
from league.services.boards import OnProgress

LISTED = 20


class Command(BaseCommand):
    """Write the whole site into one file."""

    help = (
        "Writes the whole site into one file while it goes on: leagues, accounts, tournaments, photos, history. "
        "Keep it as you keep the database; `manage.py restore` brings it back."
    )
    # The database may be older than the code: that is when a backup is wanted most.
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", help="where to; - writes to standard output; none: into BACKUP_DIR")
        parser.add_argument("--list", action="store_true", help="tell which backups were made, and how old they are")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        shown = silent if options["quiet"] else progress_line("backup", self.stderr)
        try:
            if options["list"]:
                self._list()
            elif options["file"]:
                self._write(options["file"], shown)
            elif settings.BACKUP_DIR:
                self._tell(back_up_into(Path(settings.BACKUP_DIR), shown))
            else:
                raise CommandError("Name a file, - for standard output, or set BACKUP_DIR.")
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _write(self, file: str, shown: OnProgress) -> None:
        if file == "-":
            write_backup(sys.stdout.buffer, shown)
        else:
            self._tell(back_up_to(Path(file), shown))

    def _tell(self, made: Backup) -> None:
        self.stdout.write(f"{made.file} {made.size} bytes sha256:{made.digest}")

    def _list(self) -> None:
        for each in recent_backups(LISTED):
            age = str(each.age).partition(".")[0]
            outcome = f"{each.size} bytes" if each.ok else each.error or "not finished"
            self.stdout.write(f"{timezone.localtime(each.at):%Y-%m-%d %H:%M} {age:>16} ago  {each.file}  {outcome}")
