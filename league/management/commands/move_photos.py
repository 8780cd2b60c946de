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
    """Move photos from the database to the store, or back."""

    help = (
        "Moves photos from the database to the store that PHOTOS_URL names; workers do so by themselves, a minute after each "
        "was added. May be stopped at any time, beside a site that serves, and goes on where it was. --back brings all of them "
        "into the database again: take PHOTOS_URL from the site first, and give it to this command."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--back", action="store_true", help="from the store into the database")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        total = count_in_store() if options["back"] else in_database(now).count()
        shown = silent if options["quiet"] else progress_line("photos", self.stderr)
        done = missing = 0

        def on_moved() -> None:
            nonlocal done
            done += 1
            shown(Progress(done, max(done, total), "moved"))

        try:
            with unsent():
                if options["back"]:
                    _, missing = bring_back(on_moved)
                else:
                    move_photos(now, None, on_moved)
        except StoreError as error:
            raise CommandError(f"{done} of {total} photos moved. {error} Run the command again to go on.") from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped: {done} of {total} photos moved. Run the command again to go on.") from None
        where = "the database" if options["back"] else "the store"
        self.stdout.write(f"{done} photos moved to {where}.")
        if missing:
            raise CommandError(
                f"{missing} pictures are not in the store, or are others than were put there; see verify."
            )
