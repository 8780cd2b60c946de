"""What there is to tell is found here, from the links of a league's history, and told when its time has come.

A link holds what was committed, in an order that nothing slips into later. How far it was read is stored in the transaction
that stores what was found: a crash between the two loses nothing and finds nothing twice (docs/adr/0049).
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import override

from accounts.models import MutedLeague, Notice, NoticeChoices, NoticeKind, NoticeMark
from accounts.selectors.notice_sources import News, NoticeSource, sources
from league.models import ChainLink, League, Revision

logger = logging.getLogger(__name__)

LOOKS_BACK = timedelta(days=7)
"""What happened before is no news."""

LINKS_AT_ONCE = 20
KEPT = timedelta(days=60)


def look_for_news(now: datetime | None = None) -> None:
    """Look through the histories that have grown since one last looked. One query where none has."""
    latest = ChainLink.objects.filter(league=OuterRef("pk")).order_by("-number").values("number")[:1]
    read = NoticeMark.objects.filter(league=OuterRef("pk")).values("link")
    grown = League.objects.annotate(last=Subquery(latest), read=Subquery(read)).filter(
        Q(read=None) | Q(last__gt=F("read")), last__isnull=False
    )
    for number in list(grown.order_by("pk").values_list("pk", flat=True)):
        try:
            while _read_on(number, now or timezone.now()):
                pass
        except OperationalError:
            raise
        except Exception:
            # One league in which something is amiss keeps the others from nothing; it is looked at again in a minute.
            logger.exception("The news of league %s cannot be read.", number)


@transaction.atomic
def _read_on(league_id: int, now: datetime) -> bool:
    """Read the next links of a league's history; return whether there may be more."""
    mark = _mark(league_id, now)
    links = ChainLink.objects.filter(league=league_id, number__gt=mark.link).order_by("number")
    rows = list(links.values_list("number", "facts")[:LINKS_AT_ONCE])
    if not rows:
        return False
    numbers = [fact for _, facts in rows for kind, fact in facts if kind == "revision"]
    revisions = list(Revision.objects.filter(pk__in=numbers, at__gt=now - LOOKS_BACK).order_by("pk"))
    if revisions:
        _note_news(League.objects.get(pk=league_id), revisions, now)
    mark.link = rows[-1][0]
    mark.save(update_fields=["link"])
    return len(rows) == LINKS_AT_ONCE


def _mark(league_id: int, now: datetime) -> NoticeMark:
    """Return how far a league's history was read, for nobody else to read on meanwhile."""
    if not NoticeMark.objects.filter(league=league_id).exists():
        old = ChainLink.objects.filter(league=league_id, at__lt=now - LOOKS_BACK)
        begin = NoticeMark(league_id=league_id, link=old.aggregate(last=Max("number"))["last"] or 0)
        NoticeMark.objects.bulk_create([begin], ignore_conflicts=True)
    return NoticeMark.objects.select_for_update(of=("self",)).get(league=league_id)


def _note_news(league: League, revisions: Sequence[Revision], now: datetime) -> None:
    for source in sources.values():
        told = (each for each in revisions if each.subject == source.subject and source.is_touched(each))
        subjects = {each.subject_id for each in told}
        if subjects:
            _note(league, source, found_now(source, league, subjects, now), now)


def found_now(source: NoticeSource, league: League, subjects: Collection[int], now: datetime) -> list[News]:
    """Return what is to be told of these subjects as they stand, to whoever may read it and wants to know it."""
    with override(settings.LANGUAGE_CODE):
        found = list(source.present(league, subjects, now))
    unwilling = _unwilling(league, source.kind, {each.user for each in found}) if found else set()
    return [each for each in found if each.user not in unwilling]


def _unwilling(league: League, kind: NoticeKind, users: Collection[int]) -> set[int]:
    muted = set(MutedLeague.objects.filter(league=league, user__in=users).values_list("user", flat=True))
    chosen = NoticeChoices.objects.filter(user__in=users).values_list("user", "unwanted")
    unwanted = {user for user, kinds in chosen if kind in kinds}
    if league.is_public and league.state != League.State.TAKEN_DOWN:
        return muted | unwanted
    members = league.members.filter(user__in=users)
    if league.state == League.State.TAKEN_DOWN:
        members = members.filter(role="owner")
    return muted | unwanted | (set(users) - set(members.values_list("user", flat=True)))


def _note(league: League, source: NoticeSource, found: Iterable[News], now: datetime) -> None:
    """Store what was found; what waits already for the same person and subject follows the facts."""
    rows = [
        Notice(
            user_id=each.user,
            league=league,
            kind=source.kind,
            subject=each.subject,
            session_id=each.session,
            facts=each.facts,
            path=each.path,
            at=now,
            changed_at=now,
        )
        for each in found
    ]
    waiting = Notice.objects.filter(waits=True, kind=source.kind, subject__in={each.subject for each in rows})
    known = {(each.user_id, each.subject): each for each in waiting}
    for row in rows:
        if (before := known.get((row.user_id, row.subject))) is not None:
            before.facts, before.path, before.changed_at = row.facts, row.path, now
    Notice.objects.bulk_update(known.values(), ["facts", "path", "changed_at"])
    Notice.objects.bulk_create(row for row in rows if (row.user_id, row.subject) not in known)


# --- What has become of it -------------------------------------------------------------------------------------------


def brought_up_to_date(notices: Sequence[Notice], now: datetime) -> list[Notice]:
    """Return those of one person's notices that still tell something new, as the facts stand; the others are forgotten."""
    groups: dict[tuple[int, str], list[Notice]] = defaultdict(list)
    for each in notices:
        groups[each.league_id, each.kind].append(each)
    kept = [each for group in groups.values() for each in _still_news(group, now)]
    Notice.objects.filter(pk__in={each.pk for each in notices} - {each.pk for each in kept}).delete()
    Notice.objects.bulk_update(kept, ["facts", "path"])
    return sorted(kept, key=lambda each: (each.league_id, each.session_id or 0, each.pk))


def _still_news(group: Sequence[Notice], now: datetime) -> Iterable[Notice]:
    first = group[0]
    source = sources[NoticeKind(first.kind)]
    found = found_now(source, first.league, {each.subject for each in group}, now)
    current = {each.subject: each for each in found if each.user == first.user_id}
    told = _told_before(first, list(current))
    for notice in group:
        if (now_found := current.get(notice.subject)) is None:
            continue
        before = told.get(notice.subject)
        facts = _compared(now_found.facts, before)
        if facts is not None:
            notice.facts, notice.path = facts, now_found.path
            yield notice


def _told_before(notice: Notice, subjects: Collection[int]) -> Mapping[int, dict[str, object]]:
    told = Notice.objects.filter(user=notice.user_id, kind=notice.kind, subject__in=subjects, waits=False)
    return dict(told.order_by("pk").values_list("subject", "facts"))


def _compared(facts: dict[str, object], before: Mapping[str, object] | None) -> dict[str, object] | None:
    """Return what to tell, given what was told before; None where that is nothing new."""
    if before is None:
        return None if facts.get("off") else facts
    plain = {name: value for name, value in before.items() if name != "moved"}
    if plain == facts:
        return None
    is_moved = (plain.get("date"), plain.get("time")) != (facts.get("date"), facts.get("time"))
    return facts | {"moved": True} if is_moved else facts


def forget_old_notices(now: datetime) -> None:
    """Forget what was told long ago."""
    Notice.objects.filter(waits=False, at__lt=now - KEPT).delete()
