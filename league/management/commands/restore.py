import sys
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.selectors.photos import count_in_store
from league.services.backups import BackupError
from league.services.restoring import check_backup, restore_backup


class Command(BaseCommand):
    help = (
        "Restore a backup into an empty database of the same kind. A damaged backup, one from a newer version of Tenbo, or a "
        "database that is not empty is refused without changes."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="file that `manage.py backup` wrote; - for standard input")
        parser.add_argument("--replace", action="store_true", help="delete everything in the database first")
        parser.add_argument(
            "--check", action="store_true", help="only check that the file is complete and can be restored"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["file"] != Path("-"):
                self._restore(options["file"], check=options["check"], replace=options["replace"])
                return
            # A pipe is copied to a file first, because it is read twice.
            with NamedTemporaryFile(prefix="tenbo-") as aside:
                copyfileobj(sys.stdin.buffer, aside)
                aside.flush()
                self._restore(Path(aside.name), check=options["check"], replace=options["replace"])
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _restore(self, path: Path, *, check: bool, replace: bool) -> None:
        if check:
            check_backup(path)
            self.stdout.write(f"{path} is whole.")
            return
        restore_backup(path, replaces=replace)
        self.stdout.write(f"{path} is restored.")
        if count := count_in_store():
            self.stdout.write(
                f"{count} photos are in a store, not in the backup; `manage.py verify` looks for each of them."
            )
