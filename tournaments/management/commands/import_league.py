"""manage.py import_league FILE."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from league.background import unsent
from league.interchange.problems import InterchangeError
from league.interchange.reading import MAX_BYTES
from league.management.arguments import content_of, find_user, progress_line
from league.models import League
from league.services.boards import rebuild_boards, unwatched
from league.services.history import Actor
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file


class Command(BaseCommand):
    help = (
        "Import a league from a JSON file (tenbo/1), all or nothing, and update its standings. "
        "The file has no users; --by names the owner of the new league."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="file to read; - for standard input")
        parser.add_argument("--slug", help="import under this address instead of the one in the file")
        parser.add_argument("--by", metavar="USER", help="owner of the new league")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        by = Actor(find_user(options["by"]), "import")
        content = self._content(options["file"])
        try:
            if options["slug"] is not None:
                validate_slug(options["slug"])
        except ValidationError as error:
            raise CommandError("--slug may contain only letters, digits, hyphens and underscores.") from error
        with unsent():
            try:
                league = store_file(read_file(content), by=by, slug=options["slug"])
            except InterchangeError as error:
                raise CommandError(f"Nothing was imported.\n{error}") from error
            on_progress = unwatched if options["quiet"] else progress_line("leaderboards", self.stderr)
            rebuild_boards(league, on_progress)
        self.stdout.write(_summary(league))

    def _content(self, name: str) -> bytes:
        try:
            return content_of(name, MAX_BYTES)
        except OSError as error:
            raise CommandError(f"{name} cannot be read: {error.strerror}.") from error


def _summary(league: League) -> str:
    players, sessions, hanchan = league.players.count(), league.sessions.count(), league.hanchan.count()
    tournaments = league.tournaments.count()
    counts = f"{players} players, {sessions} sessions, {hanchan} hanchan"
    return f"Imported {league.slug}: {counts}" + (f", {tournaments} tournaments." if tournaments else ".")
