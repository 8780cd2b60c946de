from typing import Any

from django.core.management.base import BaseCommand

from league.services.attempts import forget_all_attempts


class Command(BaseCommand):
    help = "Reset all rate limits on passwords, mails and codes, so that people can try again immediately."

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"{forget_all_attempts()} counts removed.")
