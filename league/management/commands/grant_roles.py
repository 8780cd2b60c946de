import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.services.roles import RoleError, grant_role, makes_roles

PASSWORD = "SERVING_PASSWORD"  # noqa: S105 - name of an environment variable


class Command(BaseCommand):
    help = (
        "Grant a role the rights that serving pages needs, and no others. Run it as the migrating role after each "
        f"migration. Creates the role if it is missing, with the password in {PASSWORD}, if the migrating role "
        "may create roles."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("role", help="the role in DATABASE_URL of web, workers and beat")

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get(PASSWORD, "")
        try:
            tables = grant_role(options["role"], password)
            keeps_its_own = bool(password) and not makes_roles()
        except RoleError as error:
            raise CommandError(str(error)) from error
        if keeps_its_own:
            self.stdout.write(f"{options['role']} keeps its password; the migrating role may not change passwords.")
        self.stdout.write(f"{options['role']} may use {tables} tables, and cannot rewrite the history.")
