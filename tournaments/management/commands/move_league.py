"""manage.py move_league SLUG --to DATABASE."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.databases import HOME
from league.interchange.text import text_of
from league.services.moving.moving import move_league
from league.services.moving.plans import SETTLED, MoveError, Moving
from tournaments.interchange.writing import write_file


class Command(BaseCommand):
    """Have a league live in another database."""

    help = (
        "Moves a league to another database of LEAGUE_DATABASES, or home, while people play. Nobody can write in it for a "
        "moment; both sides are compared as files and row by row before it switches. May be begun again after a crash."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league's address, such as camarade")
        parser.add_argument("--to", required=True, help="a name of LEAGUE_DATABASES, or home")
        parser.add_argument(
            "--settle",
            type=int,
            default=int(SETTLED.total_seconds()),
            metavar="SECONDS",
            help="for so long what the league left behind stays for whoever is reading it; 10 without this",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        target = HOME if options["to"] == "home" else options["to"]
        settled = timedelta(seconds=options["settle"])
        how = Moving(lambda league: text_of(write_file(league)), self.stdout.write, settled)
        try:
            move = move_league(options["slug"], target, how)
        except MoveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['slug']} lives in {options['to']}: {sum(move.counts.values())} rows moved.")
