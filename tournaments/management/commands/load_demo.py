"""manage.py load_demo."""

from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from league.background import unsent
from league.core.periods import league_day
from league.management.arguments import silent
from league.management.demo.people import ACCOUNTS, PASSWORD
from league.management.demo.stories import camarade, cinderella, sanma
from league.models import League
from league.services.boards import rebuild_boards
from league.services.history import Actor

ADMIN = "admin"


class Command(BaseCommand):
    """Fill an empty database with invented leagues and known log-ins."""

    help = "Loads invented leagues, people and log-ins, so that there is something to look at. Never for real use."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing if there is a league already")
        parser.add_argument("--today", metavar="YYYY-MM-DD", type=date.fromisoformat, help="the day that tonight is")

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.DEMO or settings.DEBUG):
            raise CommandError("The demo has known passwords, so it is loaded only with DEMO=on or DEBUG=on.")
        if League.objects.exists():
            if options["if_empty"]:
                return
            raise CommandError("There are leagues already; the demo is for an empty database.")
        leagues = load(options["today"])
        names = ", ".join(league.slug for league in leagues)
        self.stdout.write(f"Loaded the invented leagues {names}.")
        for account in ACCOUNTS:
            self.stdout.write(f"  {account.username:8} {PASSWORD}  {account.role}")
        self.stdout.write(f"  {ADMIN:8} {PASSWORD}  everything, and /admin/")


def load(today: date | None) -> list[League]:
    """Store the invented leagues, all or nothing, with their boards up to date."""
    now = timezone.now()
    fresh = League()
    today = today or league_day(now, fresh.time_zone, fresh.day_boundary)
    with unsent(), transaction.atomic():
        users = _accounts()
        by = Actor(users["ishida"], "demo")
        leagues = [camarade(users, by, today, now), cinderella(users, by, today), sanma(users, by, today)]
        for league in leagues:
            rebuild_boards(league, silent)
    return leagues


def _accounts() -> dict[str, User]:
    """Return the users who can log in, made where they are missing; the superuser is not needed further."""
    # One hash for all: known to everybody anyway, and hashing is slow on purpose.
    known = make_password(PASSWORD)
    names = [account.username for account in ACCOUNTS]
    User.objects.get_or_create(username=ADMIN, defaults={"password": known, "is_staff": True, "is_superuser": True})
    return {name: User.objects.get_or_create(username=name, defaults={"password": known})[0] for name in names}
