"""manage.py restore FILE."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.management.arguments import progress_line, silent
from league.services.backups.archive import BackupError, Manifest
from league.services.backups.elsewhere import what_is_elsewhere
from league.services.backups.restoring import check_backup, restore_backup
from league.services.demo_accounts import mark_demo_accounts


class Command(BaseCommand):
    """Bring a backup back."""

    help = (
        "Brings a backup back into an empty database, whichever kind either is; one that is damaged, newer than this "
        "Tenbo, or meant for a database that is not empty is refused and nothing is written."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` wrote; - reads standard input")
        parser.add_argument("--replace", action="store_true", help="throw away what the database holds")
        parser.add_argument(
            "--check", action="store_true", help="only look whether the file is whole and can be restored"
        )
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["file"] != Path("-"):
                self._restore(options["file"], options)
                return
            # An archive is read from its end; what comes through a pipe is put aside first.
            with NamedTemporaryFile(prefix="tenbo-", suffix=".zip") as aside:
                copyfileobj(sys.stdin.buffer, aside)
                aside.flush()
                self._restore(Path(aside.name), options)
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _restore(self, path: Path, options: Mapping[str, Any]) -> None:
        if options["check"]:
            self._tell("is whole", path, check_backup(path))
            return
        shown = silent if options["quiet"] else progress_line("restore", self.stderr)
        manifest = restore_backup(path, shown, replaces=options["replace"])
        mark_demo_accounts()
        self._tell("is restored", path, manifest)
        for sentence in what_is_elsewhere():
            self.stdout.write(sentence)

    def _tell(self, what: str, path: Path, manifest: Manifest) -> None:
        self.stdout.write(
            f"{path} {what}: {manifest.rows} rows of {manifest.made_at}, by Tenbo {manifest.tenbo} on {manifest.database}."
        )
