from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.utils.crypto import salted_hmac

from league.models import TableLink

LATE_RESULTS = timedelta(days=14)
"""How long an expired link still accepts results that were entered before it expired."""


def believed_keys() -> tuple[str, ...]:
    """Return the site's secret keys, the current one first."""
    return (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


def key_of(link: TableLink) -> str:
    """Return the secret key with which a link was issued, or the current one if that was removed."""
    return next((key for key in believed_keys() if mark_of_key(key) == link.key_mark), settings.SECRET_KEY)


@cache
def mark_of_key(key: str) -> str:
    return salted_hmac("tenbo.key-mark", "", secret=key, algorithm="sha256").hexdigest()[:16]


def old_key_needed_until(now: datetime) -> datetime | None:
    """Return until when printed links may need a previous secret key, or None. One query."""
    if not settings.SECRET_KEY_FALLBACKS:
        return None
    links = TableLink.objects.filter(revoked_at=None, expires_at__gt=now - LATE_RESULTS)
    last = links.exclude(key_mark=mark_of_key(settings.SECRET_KEY)).order_by("-expires_at").first()
    return None if last is None else last.expires_at + LATE_RESULTS
