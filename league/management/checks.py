from typing import Any

from django.conf import settings
from django.core import checks
from django.db import DatabaseError

from league.selectors.demo_accounts import PASSWORD, demo_accounts, unmarked_accounts

DEMO_IS_ON = "tenbo.W001"
ACCOUNTS_LEFT = "tenbo.W002"


@checks.register(checks.Tags.security, deploy=True)
def check_demo_accounts(**_options: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    if settings.DEMO:
        found.append(
            checks.Warning("DEMO is on: everybody knows the passwords of the demo.", "Set DEMO=off.", id=DEMO_IS_ON)
        )
    try:
        names = [user.get_username() for user in (*demo_accounts(), *unmarked_accounts())]
    except DatabaseError:
        # Without a connection or tables no demo accounts can be found.
        names = []
    if names:
        found.append(
            checks.Warning(
                f"These accounts came with the demo, with the password {PASSWORD!r}: {', '.join(names)}.",
                "Nobody logs in to them while DEMO is off. Delete them in /admin/, or begin with an empty database.",
                id=ACCOUNTS_LEFT,
            )
        )
    return found
