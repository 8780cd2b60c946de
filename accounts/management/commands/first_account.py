from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from accounts.selectors.league_hooks import waits_for_first_account
from accounts.services.beginning import first_code


class Command(BaseCommand):
    """Print the link to create the first account, if no account can log in."""

    help = "Print the address for creating the first account, while no account can log in. For `make run DEMO=off`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", default="", help="the site's address, such as http://127.0.0.1:8000")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        if waits_for_first_account():
            site, path = options["site"].rstrip("/"), f"{reverse('accounts:begin')}?code={first_code()}"
            self.stdout.write(f"Create the first account: {site}{path} (English: {site}/en{path})")
