"""Table links: issued for a session, revocable at any time, with a signed code in their URL."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import int_to_base36

from league.core.limits import MAX_GUESTS_OF_LINK
from league.core.periods import moment_on
from league.models import Revision, Session, TableLink
from league.selectors.link_keys import LATE_RESULTS, believed_keys, key_of, mark_of_key
from league.services.history import Actor, Change, write_revision
from league.services.secret_links import take_back, worked_out

OPEN_AFTER = timedelta(hours=24)
"""A link expires this long after its session's day."""

MAX_PK = 2**63 - 1


@transaction.atomic
def issue_link(*, session: Session, table: int, by: Actor, expires_at: datetime | None = None) -> TableLink:
    """Return the table's current link, or a new one if that has expired or `expires_at` is given."""
    Session.objects.select_for_update().get(pk=session.pk)
    now = timezone.now()
    known = session.table_links.filter(table=table, revoked_at=None).first()
    if known is not None and known.expires_at > now and expires_at is None:
        return known
    if known is not None:
        revoke_link(link=known, by=by)
    link = TableLink.objects.create(
        session=session,
        table=table,
        expires_at=expires_at or default_end(session, now),
        created_by=by.user,
        key_mark=mark_of_key(settings.SECRET_KEY),
    )
    write_revision(session.league, link, Change(Revision.Action.CREATED, after=link.snapshot()), by)
    return link


@transaction.atomic
def issue_links(*, session: Session, by: Actor) -> list[TableLink]:
    return [issue_link(session=session, table=table, by=by) for table in range(1, session.tables + 1)]


@transaction.atomic
def revoke_link(*, link: TableLink, by: Actor) -> TableLink:
    current = TableLink.objects.select_for_update(of=("self",)).select_related("session__league").get(pk=link.pk)
    take_back(current, current.session.league, by)
    return current


@transaction.atomic
def allow_guests(*, link: TableLink, by: Actor) -> TableLink:
    """Raise the number of guests that can be added through a link by MAX_GUESTS_OF_LINK."""
    current = TableLink.objects.select_for_update(of=("self",)).select_related("session__league").get(pk=link.pk)
    before = {"most_guests": current.most_guests}
    current.most_guests += MAX_GUESTS_OF_LINK
    current.save(update_fields=["most_guests"])
    change = Change(Revision.Action.CHANGED, before, {"most_guests": current.most_guests})
    write_revision(current.session.league, current, change, by)
    return current


def default_end(session: Session, now: datetime) -> datetime:
    """Return when a session's link expires: a day after the session's day has ended, at least a day from now."""
    league = session.league
    evening = moment_on(session.date + timedelta(days=1), league.day_boundary, league.time_zone, league.day_boundary)
    return max(evening, now) + OPEN_AFTER


def code_of(link: TableLink, key: str = "") -> str:
    """Return a link's code: its primary key in base 36, and 128 bits derived from the secret key.

    `key`: another secret key than the one used when issuing; previous keys give the codes printed under them.
    """
    return f"{int_to_base36(link.pk)}-{worked_out('tenbo.table-link', link.nonce, key or key_of(link), link.pk)}"


def link_for(code: str) -> TableLink | None:
    """Return the link of a code, also if expired or revoked; None if the code is invalid.

    Codes printed under a previous secret key that the site still accepts are valid.
    """
    number, _, secret = code.partition("-")
    if not (number.isascii() and number.isalnum() and len(number) <= 13 and secret.isascii()):
        return None
    pk = int(number, 36)
    links = TableLink.objects.select_related("session__league", "session__ruleset_version__ruleset")
    found = links.filter(pk=pk).first() if pk <= MAX_PK else None
    if found is None:
        return None
    codes = [code_of(found, key) for key in believed_keys()]
    return found if any(constant_time_compare(each, code) for each in codes) else None


def opens_pages(link: TableLink, now: datetime) -> bool:
    return link.revoked_at is None and now < link.expires_at


def takes_late_results(link: TableLink, now: datetime) -> bool:
    """Return whether a link accepts results that a phone could not send in time."""
    return link.revoked_at is None and now < link.expires_at + LATE_RESULTS
