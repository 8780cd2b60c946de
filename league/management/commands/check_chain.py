"""manage.py check_chain [SLUG ...]."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.core.chain import SHORT, read_head, shortened
from league.management.arguments import find_leagues
from league.models import League
from league.selectors.chain import check_chain, head_of, link_with, redactions_in
from league.services.chain import chain_history


class Command(BaseCommand):
    """Chain what waits, and say whether the history is as it was chained."""

    help = "Checks that the history of the named leagues, or of all, is as it was chained."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="slug", help="leagues; none means all")
        parser.add_argument("--head", default="", help="a head that somebody noted; of one league")

    def handle(self, *args: Any, **options: Any) -> None:
        head = read_head(options["head"])
        if options["head"] and not head:
            raise CommandError(
                f"A head has at least {SHORT} characters, all of them 0-9 or a-f. Type it as it was noted."
            )
        if head and len(options["slugs"]) != 1:
            raise CommandError(
                "A head belongs to one league; name it: manage.py check_chain camarade --head 0123456789ab"
            )
        outcomes = [self._checked(league, head) for league in find_leagues(options["slugs"])]
        if not all(outcomes):
            sys.exit(1)

    def _checked(self, league: League, head: str) -> bool:
        """Tell of a league, and return whether all is well."""
        chain_history(league.pk)
        faults = 0
        for fault in check_chain(league, head):
            faults += 1
            self.stdout.write(f"{league.slug}: {fault}.")
        for each in redactions_in(league):
            self.stdout.write(f"{league.slug}: {each}.")
        self.stdout.write(f"{league.slug}: {self._state(league)}, {faults or 'no'} faults.")
        if head and (link := link_with(league, head)) is not None:
            self.stdout.write(f"{league.slug}: the noted head is link {link.number} of {link.at:%Y-%m-%d %H:%M} UTC.")
        return not faults

    @staticmethod
    def _state(league: League) -> str:
        newest = head_of(league)
        return f"{newest.number} links, head {shortened(newest.hash)}" if newest else "nothing chained yet"
