from typing import Any

from django.conf import settings
from django.core import checks
from django.db import DatabaseError

from league.selectors.demo_accounts import PASSWORD, demo_accounts

DEMO_IS_ON = "tenbo.W001"
ACCOUNTS_LEFT = "tenbo.W002"


@checks.register(checks.Tags.security, deploy=True)
def check_demo_accounts(**_options: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    if settings.DEMO:
        found.append(checks.Warning("DEMO is on: the demo passwords are public.", "Set DEMO=off.", id=DEMO_IS_ON))
    try:
        names = [user.get_username() for user in demo_accounts()]
    except DatabaseError:
        # Without a connection or tables no demo accounts can be found.
        names = []
    if names:
        found.append(
            checks.Warning(
                f"These accounts came with the demo, with the password {PASSWORD!r}: {', '.join(names)}.",
                "No one can log in to them while DEMO is off. Delete them in /admin/, or start with an empty database.",
                id=ACCOUNTS_LEFT,
            )
        )
    return found
