import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from league.management.arguments import find_leagues, progress_line
from league.services.boards import rebuild_boards, unwatched

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class Command(BaseCommand):
    help = "Recalculate the stored standings of these leagues, or of all. Safe at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="slug", help="leagues (default: all)")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        for league in find_leagues(options["slugs"]):
            shown = unwatched if options["quiet"] else progress_line(league.slug, self.stderr)
            try:
                changed = rebuild_boards(league, shown)
            except KeyboardInterrupt:
                self.stderr.write(
                    f"\nStopped in {league.slug}: finished standings are right, the others are as they were. "
                    f"Run the command again to finish."
                )
                sys.exit(INTERRUPTED)
            if not options["quiet"]:
                self.stdout.write(f"{league.slug}: standings rebuilt, {changed} changed.")
