"""The secret address under which a calendar reads a person's evenings: made, renewed, taken back, and whom it is of."""

from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User

from accounts.models import CalendarAddress
from league.selectors.demo_accounts import let_in
from league.services.secret_addresses import hash_of, shown_again, worked_out

PURPOSE = "tenbo.calendar-address"


def renew_calendar_address(user: User) -> CalendarAddress:
    """Give somebody a new secret address; the one before, if there is one, opens nothing from now on."""
    nonce = uuid4()
    digest = hash_of(worked_out(PURPOSE, nonce, settings.SECRET_KEY))
    address, _ = CalendarAddress.objects.update_or_create(user=user, defaults={"nonce": nonce, "secret_hash": digest})
    return address


def revoke_calendar_address(user: User) -> None:
    """Take somebody's secret address back, if they have one."""
    CalendarAddress.objects.filter(user=user).delete()


def calendar_secret_of(address: CalendarAddress) -> str:
    """Return what stands in the address; nothing where the site has lost the key that it was made with."""
    return shown_again(PURPOSE, address.nonce, address.secret_hash)


def calendar_user(secret: str) -> User | None:
    """Return whose evenings a secret opens; None where it opens nothing, or its account is shut. One query."""
    known = CalendarAddress.objects.select_related("user").filter(secret_hash=hash_of(secret), user__in=let_in())
    address = known.first()
    return None if address is None else address.user
