from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from league.selectors.demo_accounts import is_shut_out


class Command(BaseCommand):
    """Print a link to set a new password for one account, valid once and for three days."""

    help = "Print a link to choose a new password. Give it only to the account's owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="user name")
        parser.add_argument("--site", default="", help="the site's address, such as https://tenbo.example.org")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        user = User.objects.filter(username=options["name"], is_active=True).first()
        if user is not None and is_shut_out(user):
            raise CommandError(f"{options['name']!r} is a demo account, and DEMO is off.")
        if user is None:
            raise CommandError(f"No open account is named {options['name']!r}.")
        key = {"uidb64": urlsafe_base64_encode(force_bytes(user.pk)), "token": default_token_generator.make_token(user)}
        path = reverse("password_reset_confirm", kwargs=key)
        self.stdout.write(f"For {user.get_username()}, once, within three days:\n{options['site'].rstrip('/')}{path}")
