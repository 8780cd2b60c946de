"""Site-wide rate limits, counted in the database so that they hold across processes and cache restarts."""

# ruff: noqa: S608 - only the table name is formatted into the SQL; every value is a parameter

from dataclasses import dataclass
from hashlib import blake2b

from django.db import connection
from django.utils import timezone

from league.models import Attempts

TABLE = Attempts._meta.db_table

USE = f"""
    INSERT INTO {TABLE} (key, count, ends_at) VALUES (%s, 1, %s)
    ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN {TABLE}.ends_at BETWEEN %s AND excluded.ends_at THEN {TABLE}.count + 1 ELSE 1 END,
        ends_at = CASE WHEN {TABLE}.ends_at BETWEEN %s AND excluded.ends_at THEN {TABLE}.ends_at ELSE excluded.ends_at END
    RETURNING count
"""
"""Upsert in one statement on both databases, so that concurrent attempts are all counted.

An entry that ends later than a new one would was written by a clock that ran ahead; its count starts again at 1.
"""


@dataclass(frozen=True, slots=True)
class TryLimit:
    """At most `tries` in a window of `seconds`, which starts with the first try."""

    name: str
    tries: int
    seconds: int

    def use(self, caller: str) -> bool:
        """Use one try; return whether it was within the limit. One query."""
        now = _now()
        with connection.cursor() as cursor:
            cursor.execute(USE, [self._key(caller), now + self.seconds, now + 1, now + 1])
            return bool(cursor.fetchone()[0] <= self.tries)

    def give_back(self, caller: str) -> None:
        """Refund one try, because the attempt turned out to be legitimate."""
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE {TABLE} SET count = count - 1 WHERE key = %s AND count > 0", [self._key(caller)])

    def forget(self, caller: str) -> None:
        Attempts.objects.filter(key=self._key(caller)).delete()

    def _key(self, caller: str) -> str:
        return blake2b(f"{self.name}:{caller}".encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def forget_ended_attempts() -> int:
    count, _ = Attempts.objects.filter(ends_at__lte=_now()).delete()
    return count


def forget_all_attempts() -> int:
    count, _ = Attempts.objects.all().delete()
    return count


def _now() -> int:
    return int(timezone.now().timestamp())
