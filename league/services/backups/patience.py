"""Work that takes as long as the site is large, in a database that ends what takes long."""

from django.db import connection

LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")


def take_your_time() -> None:
    """Let the statements of the present transaction take as long as they do."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for limit in LIMITS:
                cursor.execute(f"SET LOCAL {limit} = 0")
