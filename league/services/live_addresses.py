"""The secret address under which spreadsheets read a private league: made, renewed, taken back, and what it opens."""

from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from league.models import League, LiveAddress, Revision
from league.selectors.away import is_away
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from league.services.secret_addresses import hash_of, shown_again, worked_out

PURPOSE = "tenbo.live-address"
USE_NOTED_EVERY = timedelta(hours=1)


@transaction.atomic
def renew_live_address(*, league: League, by: Actor) -> LiveAddress:
    """Give the league a new secret address; the one before, if there is one, opens nothing from now on."""
    lock_league(league.pk)
    _revoke(league, by)
    nonce = uuid4()
    made = LiveAddress.objects.create(
        league=league,
        nonce=nonce,
        secret_hash=hash_of(worked_out(PURPOSE, nonce, settings.SECRET_KEY)),
        created_by=by.user,
    )
    write_revision(league, made, Change(Revision.Action.CREATED, after=_snapshot(made)), by)
    return made


@transaction.atomic
def revoke_live_address(*, league: League, by: Actor) -> None:
    """Take the league's secret address back, if it has one: it opens nothing from now on."""
    lock_league(league.pk)
    _revoke(league, by)


def _revoke(league: League, by: Actor) -> None:
    known = league.live_addresses.filter(revoked_at=None).first()
    if known is None:
        return
    before = _snapshot(known)
    known.revoked_at = timezone.now()
    known.save(update_fields=["revoked_at"])
    write_revision(league, known, Change(Revision.Action.WITHDRAWN, before, _snapshot(known)), by)


def _snapshot(address: LiveAddress) -> dict[str, object]:
    return {"revoked_at": address.revoked_at.isoformat() if address.revoked_at else None}


def secret_of(address: LiveAddress) -> str:
    """Return what stands in the address; nothing where the site has lost the key that it was made with."""
    return shown_again(PURPOSE, address.nonce, address.secret_hash)


def live_address_for(secret: str) -> LiveAddress | None:
    """Return what a secret opens, with its league; None where it opens nothing, or nothing any more. One query."""
    known = LiveAddress.objects.select_related("league").filter(revoked_at=None)
    return known.filter(secret_hash=hash_of(secret)).first()


def note_use(address: LiveAddress, now: datetime) -> None:
    """Remember that an address was used, at most once an hour; what is read is read where nothing can be written now."""
    if address.used_at is not None and now - address.used_at <= USE_NOTED_EVERY:
        return
    try:
        with transaction.atomic():
            LiveAddress.objects.filter(pk=address.pk).update(used_at=now)
    except DatabaseError as error:
        if not is_away(error):
            raise
