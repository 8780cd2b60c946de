from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from league.engine import one_moment
from league.interchange.text import text_of
from league.management.arguments import find_league
from tournaments.interchange.writing import write_file


class Command(BaseCommand):
    help = (
        "Export a whole league as JSON (tenbo/1): settings, rules with every version, players, sessions, hanchan, "
        "adjustments, and tournaments with every decision. Users, roles and the history of changes are not included."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league's address, such as camarade")

    def handle(self, *args: Any, **options: Any) -> None:
        with one_moment():
            for piece in text_of(write_file(find_league(options["slug"]))):
                self.stdout.write(piece, ending="")
