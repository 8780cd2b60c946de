"""Links by which a session is answered without an account: made, replaced, taken back, and what they open."""

from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from league.models import AttendanceLink, Player, Revision, Session
from league.selectors.attendance import end_of
from league.services.history import Actor, Change, write_revision
from league.services.locking import locked
from league.services.secret_addresses import hash_of, shown_again, worked_out

PURPOSE = "tenbo.attendance-link"
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def renew_attendance_link(*, session: Session, by: Actor, player: Player | None = None) -> AttendanceLink:
    """Return a new link for a player, or for everybody; the one before, if there is one, opens nothing from now on."""
    _lock(session)
    _revoke(session, player, by)
    nonce = uuid4()
    made = AttendanceLink.objects.create(
        session=session,
        player=player,
        nonce=nonce,
        code_hash=hash_of(worked_out(PURPOSE, nonce, settings.SECRET_KEY)),
        created_by=by.user,
    )
    write_revision(session.league, made, Change(Revision.Action.CREATED, after=_snapshot(made)), by)
    return made


@transaction.atomic
def revoke_attendance_link(*, session: Session, by: Actor, player: Player | None = None) -> bool:
    """Take the link of a player, or of everybody, back; return whether there was one."""
    _lock(session)
    return _revoke(session, player, by)


def _lock(session: Session) -> None:
    locked(Session.objects.all(), session.pk)


def _revoke(session: Session, player: Player | None, by: Actor) -> bool:
    known = session.attendance_links.filter(player=player, revoked_at=None).first()
    if known is None:
        return False
    before = _snapshot(known)
    known.revoked_at = timezone.now()
    known.save(update_fields=["revoked_at"])
    write_revision(session.league, known, Change(Revision.Action.WITHDRAWN, before, _snapshot(known)), by)
    return True


def _snapshot(link: AttendanceLink) -> dict[str, object]:
    return {
        "session": str(link.session),
        "name": link.player.name if link.player else "",
        "revoked_at": link.revoked_at.isoformat() if link.revoked_at else None,
    }


def code_of(link: AttendanceLink) -> str:
    """Return what stands in the address of a link; nothing where the site has lost the key that it was made with."""
    return shown_again(PURPOSE, link.nonce, link.code_hash)


def attendance_link_for(code: str) -> AttendanceLink | None:
    """Return what a code opens, over or not; None for one that opens nothing. One query."""
    links = AttendanceLink.objects.select_related("player", "session__league", "session__ruleset_version__ruleset")
    return links.filter(code_hash=hash_of(code)).first()


def opens(link: AttendanceLink, now: datetime) -> bool:
    """Return whether a link opens its page: until the day of its session is over, unless it was taken back."""
    is_standing = link.revoked_at is None and link.session.state != Session.State.WITHDRAWN
    is_somebody = link.player is None or link.player.merged_into_id is None
    return is_standing and is_somebody and now < end_of(link.session)


def note_use(link: AttendanceLink, now: datetime) -> None:
    """Remember that somebody answered through a link, at most once a minute."""
    if link.used_at is None or now - link.used_at > USE_NOTED_EVERY:
        AttendanceLink.objects.filter(pk=link.pk).update(used_at=now)
