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
from league.management.demo.people import ACCOUNTS
from league.management.demo.stories import camarade, cinderella, sanma
from league.models import League
from league.selectors.demo_accounts import ADMIN, PASSWORD, demo_accounts, with_known_password
from league.services.boards import rebuild_boards, unwatched
from league.services.demo_accounts import mark
from league.services.history import Actor
from tournaments.management.demo.stories import open_to_all, tournaments


class Command(BaseCommand):
    help = "Load fictional leagues, people and log-ins for a demo. Not for real use."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing if there is a league or an account")
        parser.add_argument(
            "--today",
            metavar="YYYY-MM-DD",
            type=date.fromisoformat,
            help="date of the demo's current session (default: today)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not (settings.DEMO or settings.DEBUG):
            raise CommandError("The demo has known passwords, so it is loaded only with DEMO=on or DEBUG=on.")
        is_begun = options["if_empty"] and User.objects.exclude(pk__in=demo_accounts()).exists()
        if not (is_begun or League.objects.exists()):
            self.stdout.write("Loading invented leagues and tournaments. This takes a few seconds.")
            self.stdout.flush()
            names = ", ".join(league.slug for league in load(options["today"]))
            self.stdout.write(f"Loaded the invented leagues {names}.")
        elif not options["if_empty"]:
            raise CommandError("There are leagues already; the demo is for an empty database.")
        self._tell_log_ins()

    def _tell_log_ins(self) -> None:
        known = {user.get_username() for user in with_known_password(demo_accounts())}
        if known:
            self.stdout.write("Log in as one of these:")
        roles = {account.username: str(account.role) for account in ACCOUNTS} | {ADMIN: "everything, and /admin/"}
        for name, role in roles.items():
            if name in known:
                self.stdout.write(f"  {name:8} {PASSWORD}  {role}")


def load(today: date | None) -> list[League]:
    now = timezone.now()
    fresh = League()
    today = today or league_day(now, fresh.time_zone, fresh.day_boundary)
    with unsent(), transaction.atomic():
        users = _accounts()
        by = Actor(users["ishida"], "demo")
        leagues = [camarade(users, by, today, now), cinderella(users, by, today), sanma(users, by, today)]
        tournaments(leagues[1], by, today, now)
        open_to_all(leagues[0], by, today)
        for league in leagues:
            rebuild_boards(league, unwatched)
    return leagues


def _accounts() -> dict[str, User]:
    # Hash the password only once: it is public, and hashing is slow by design.
    known = make_password(PASSWORD)
    names = [account.username for account in ACCOUNTS]
    host = {"password": known, "is_staff": True, "is_superuser": True}
    admin, _ = User.objects.get_or_create(username=ADMIN, defaults=host)
    users = {name: User.objects.get_or_create(username=name, defaults={"password": known})[0] for name in names}
    mark(with_known_password([admin, *users.values()]))
    return users
