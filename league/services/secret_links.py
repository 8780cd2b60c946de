"""Secret links: the secret is derived from a stored nonce and the secret key, and looked up by its hash."""

import base64
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from league.database_errors import is_away
from league.models import AttendanceLink, League, LiveAddress, Player, Revision, Session
from league.models.secret_links import Link, SecretLink
from league.selectors.link_keys import believed_keys
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league, locked

Secret = TypeVar("Secret", bound=SecretLink)

SECRET_BYTES = 16


def worked_out(purpose: str, nonce: UUID, key: str, row: int | None = None) -> str:
    """Return the 128-bit secret derived from a nonce with `key`, for a purpose and optionally a row's primary key."""
    message = nonce.hex if row is None else f"{row}:{nonce.hex}"
    digest = salted_hmac(purpose, message, secret=key, algorithm="sha256").digest()
    return base64.b32encode(digest[:SECRET_BYTES]).decode().rstrip("=").lower()


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def shown_again(purpose: str, nonce: UUID, secret_hash: str) -> str:
    """Return the secret with this hash; "" if it was derived with a key the site no longer has."""
    secrets = (worked_out(purpose, nonce, key) for key in believed_keys())
    return next((secret for secret in secrets if hash_of(secret) == secret_hash), "")


def secret_of(link: SecretLink) -> str:
    """Return the link's secret; "" if it was derived with a key the site no longer has."""
    return shown_again(link.PURPOSE, link.nonce, link.secret_hash)


def opened_by(secret: str, rows: QuerySet[Secret]) -> Secret | None:
    """Return the link with this secret, revoked or not, or None. One query."""
    return rows.filter(secret_hash=hash_of(secret)).first()


def make_link(model: type[Secret], league: League, by: Actor, /, **facts: Any) -> Secret:
    nonce = uuid4()
    digest = hash_of(worked_out(model.PURPOSE, nonce, settings.SECRET_KEY))
    made: Secret = model._default_manager.create(nonce=nonce, secret_hash=digest, created_by=by.user, **facts)
    write_revision(league, made, Change(Revision.Action.CREATED, after=made.snapshot()), by)
    return made


def take_back(link: Link | None, league: League, by: Actor) -> bool:
    """Revoke a link; return whether it was valid."""
    if link is None or link.revoked_at is not None:
        return False
    before = link.snapshot()
    link.revoked_at = timezone.now()
    link.save(update_fields=["revoked_at"])
    write_revision(league, link, Change(Revision.Action.WITHDRAWN, before, link.snapshot()), by)
    return True


def note_use(link: Link, now: datetime, every: timedelta = timedelta(minutes=1)) -> None:
    """Record that a link was used, at most once per interval. Ignored while the database cannot be written."""
    if link.used_at is not None and now - link.used_at <= every:
        return
    try:
        with transaction.atomic():
            type(link)._default_manager.filter(pk=link.pk).update(used_at=now)
    except DatabaseError as error:
        if not is_away(error):
            raise


@transaction.atomic
def renew_attendance_link(*, session: Session, by: Actor, player: Player | None = None) -> AttendanceLink:
    """Create an attendance link for a player or, without one, for everyone; the previous one is revoked."""
    revoke_attendance_link(session=session, by=by, player=player)
    return make_link(AttendanceLink, session.league, by, session=session, player=player)


@transaction.atomic
def revoke_attendance_link(*, session: Session, by: Actor, player: Player | None = None) -> bool:
    """Revoke the attendance link of a player or of everyone; return whether there was one."""
    locked(Session.objects.all(), session.pk)
    return take_back(session.attendance_links.filter(player=player, revoked_at=None).first(), session.league, by)


@transaction.atomic
def renew_live_address(*, league: League, by: Actor) -> LiveAddress:
    """Create a secret URL for the league's live data; the previous one is revoked."""
    revoke_live_address(league=league, by=by)
    return make_link(LiveAddress, league, by, league=league)


@transaction.atomic
def revoke_live_address(*, league: League, by: Actor) -> None:
    lock_league(league.pk)
    take_back(league.live_addresses.filter(revoked_at=None).first(), league, by)
