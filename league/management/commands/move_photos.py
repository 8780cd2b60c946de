"""manage.py move_photos."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from league.background import unsent
from league.management.arguments import progress_line, silent
from league.selectors.photos import count_in_store
from league.services.boards import Progress
from league.services.photo_moves import bring_back, in_database, move_photos
from league.services.photo_store import StoreError


class Command(BaseCommand):
    help = (
        "Moves photos from the database to the store that PHOTOS_URL names; workers do so by themselves, a minute after each "
        "was added. May be stopped at any time, beside a site that serves, and goes on where it was. --back brings them "
        "into the database again: take PHOTOS_URL from the site first, and give it to this command."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--back", action="store_true", help="from the store into the database")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        self.shown = silent if options["quiet"] else progress_line("photos", self.stderr)
        self.done = self.total = 0
        try:
            with unsent():
                missing = self._back() if options["back"] else self._there()
        except StoreError as error:
            raise CommandError(
                f"{self.done} of {self.total} photos moved. {error} Run the command again to go on."
            ) from error
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped: {self.done} of {self.total} photos moved. Run the command again to go on."
            ) from None
        where = "the database" if options["back"] else "the store"
        self.stdout.write(f"{self.done} photos moved to {where}.")
        if missing:
            raise CommandError(
                f"{missing} pictures are not in the store, or are others than were put there; see verify."
            )

    def _there(self) -> int:
        """Move photos to the store, where none is missing. Raises StoreError."""
        now = timezone.now()
        self.total = in_database(now).count()
        move_photos(now, None, self._count)
        return 0

    def _back(self) -> int:
        """Bring photos back; return how many the store does not have. Raises StoreError."""
        self.total = count_in_store()
        return bring_back(self._count)[1]

    def _count(self) -> None:
        self.done += 1
        self.shown(Progress(self.done, max(self.done, self.total), "moved"))
