from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import Preferences
from league.permissions import let_in
from league.services.secret_links import hash_of, shown_again, worked_out

PURPOSE = "tenbo.calendar-address"


def renew_calendar_address(user: User) -> Preferences:
    nonce = uuid4()
    digest = hash_of(worked_out(PURPOSE, nonce, settings.SECRET_KEY))
    address = {"calendar_nonce": nonce, "calendar_hash": digest}
    return Preferences.objects.update_or_create(user=user, defaults=address)[0]


def revoke_calendar_address(user: User) -> None:
    Preferences.objects.filter(user=user).update(calendar_nonce=None, calendar_hash=None)


def calendar_secret_of(chosen: Preferences) -> str:
    """Return the secret part of the calendar URL, or "" if there is none or its key was removed."""
    nonce, digest = chosen.calendar_nonce, chosen.calendar_hash
    return shown_again(PURPOSE, nonce, digest) if nonce and digest else ""


def calendar_user(secret: str) -> User | None:
    """Return the active user with this calendar secret, or None. One query."""
    known = Preferences.objects.select_related("user").filter(calendar_hash=hash_of(secret), user__in=let_in())
    address = known.first()
    return None if address is None else address.user
