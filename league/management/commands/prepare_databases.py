"""manage.py prepare_databases."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from league.databases import working_in
from league.services.database_numbers import number_on_from


class Command(BaseCommand):
    """Bring the databases of leagues to where the home database is."""

    help = "Migrates every database of LEAGUE_DATABASES and sees to it that no two databases give rows the same key."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        for database in settings.LEAGUE_DATABASES:
            with working_in(database):
                call_command("migrate", database=database, interactive=False, verbosity=0, stdout=self.stdout)
            self.stdout.write(f"{database}: keys begin at {number_on_from(database):,}.")
        if not settings.LEAGUE_DATABASES:
            self.stdout.write("LEAGUE_DATABASES names none: every league lives in the home database.")
