from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from league.background import unsent
from league.management.arguments import progress_line
from league.selectors.photos import count_in_store
from league.services.boards import Progress
from league.services.photo_moves import bring_back, in_database, move_photos
from league.services.photo_store import StoreError


class Command(BaseCommand):
    help = (
        "Move photos from the database to the store at PHOTOS_URL. Workers do this automatically a minute after each "
        "is added. It can run beside a live site, be stopped at any time, and resume. --back moves them "
        "back into the database: first remove PHOTOS_URL from the site, and set it only for this command."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--back", action="store_true", help="move from the store into the database")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        self.shown = (lambda _: None) if options["quiet"] else progress_line("photos", self.stderr)
        self.done = self.total = 0
        try:
            with unsent():
                if options["back"]:
                    self.total = count_in_store()
                    _, missing = bring_back(self._count)
                else:
                    now = timezone.now()
                    self.total, missing = in_database(now).count(), 0
                    move_photos(now, None, self._count)
        except StoreError as error:
            raise CommandError(
                f"{self.done} of {self.total} photos moved. {error} Run the command again to resume."
            ) from error
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped: {self.done} of {self.total} photos moved. Run the command again to resume."
            ) from None
        where = "the database" if options["back"] else "the store"
        self.stdout.write(f"{self.done} photos moved to {where}.")
        if missing:
            raise CommandError(
                f"{missing} pictures are missing from the store or differ from the originals. Run manage.py verify."
            )

    def _count(self) -> None:
        self.done += 1
        self.shown(Progress(self.done, max(self.done, self.total), "moved"))
