"""Finds notices in the histories of leagues and sends them when due.

The position in the history is stored in the same transaction as the notices, so a crash neither loses nor repeats any
(docs/adr/0049).
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db import OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import override

from accounts.models import Notice, NoticeKind, Preferences
from accounts.selectors.notices import News, NoticeSource, sources
from league.models import Job, League, Revision

logger = logging.getLogger(__name__)

LOOKS_BACK = timedelta(days=7)
"""Older events are not announced."""

SETTLES = timedelta(minutes=1)
"""Minimum age of revisions read. By then no open transaction can still add a lower number."""

AT_ONCE = 1_000
KEPT = timedelta(days=60)


def look_for_news(now: datetime | None = None) -> None:
    """Scan histories that have grown. One query if there is none.

    Skipped while a long task runs, because it writes its revisions at its end.
    """
    now = now or timezone.now()
    latest = Revision.objects.filter(league=OuterRef("pk"), at__lte=now - SETTLES).order_by("-pk").values("pk")[:1]
    works = Job.objects.filter(league=OuterRef("pk"), state=Job.State.RUNNING)
    grown = League.objects.annotate(last=Subquery(latest)).filter(~Exists(works), last__gt=F("news_read"))
    for league in list(grown.order_by("pk")):
        try:
            while _read_on(league, now):
                pass
        except OperationalError:
            raise
        except Exception:
            # An error in one league must not stop the others; it is retried in a minute.
            logger.exception("The changes of league %s cannot be read.", league.pk)


@transaction.atomic
def _read_on(league: League, now: datetime) -> bool:
    """Read the next part of a league's history; return whether there may be more."""
    unread = Revision.objects.filter(league=league, pk__gt=league.news_read).order_by("pk")
    part = list(takewhile(lambda each: each.at <= now - SETTLES, unread[:AT_ONCE]))
    # A concurrent process has already stored these notices.
    if not part or not League.objects.filter(pk=league.pk, news_read=league.news_read).update(news_read=part[-1].pk):
        return False
    if news := [each for each in part if each.at > now - LOOKS_BACK]:
        _note_news(league, news, now)
    league.news_read = part[-1].pk
    return len(part) == AT_ONCE


def _note_news(league: League, revisions: Sequence[Revision], now: datetime) -> None:
    for source in sources.values():
        told = (each for each in revisions if each.subject == source.subject and source.is_touched(each))
        subjects = {each.subject_id for each in told}
        if subjects:
            _note(league, source, found_now(source, league, subjects, now), now)


def found_now(source: NoticeSource, league: League, subjects: Collection[int], now: datetime) -> list[News]:
    """Return current notices about these subjects, for users who may read them and want them."""
    with override(settings.LANGUAGE_CODE):
        found = list(source.present(league, subjects, now))
    unwilling = _unwilling(league, source.kind, {each.user for each in found}) if found else set()
    return [each for each in found if each.user not in unwilling]


def _unwilling(league: League, kind: NoticeKind, users: Collection[int]) -> set[int]:
    chosen = Preferences.objects.filter(user__in=users).values_list("user", "unwanted", "muted")
    unwilling = {user for user, kinds, muted in chosen if kind in kinds or league.pk in muted}
    if league.is_public and league.state != League.State.TAKEN_DOWN:
        return unwilling
    members = league.members.filter(user__in=users)
    if league.state == League.State.TAKEN_DOWN:
        members = members.filter(role="owner")
    return unwilling | (set(users) - set(members.values_list("user", flat=True)))


def _note(league: League, source: NoticeSource, found: Iterable[News], now: datetime) -> None:
    """Store notices. A waiting notice for the same user and subject is updated instead."""
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


def brought_up_to_date(notices: Sequence[Notice], now: datetime) -> list[Notice]:
    """Return the notices that still apply, updated to the current facts; delete the others."""
    groups: dict[tuple[int, str], list[Notice]] = defaultdict(list)
    for each in notices:
        groups[each.league_id, each.kind].append(each)
    kept = [each for group in groups.values() for each in _still_news(group, now)]
    Notice.objects.filter(pk__in={each.pk for each in notices} - {each.pk for each in kept}).delete()
    Notice.objects.bulk_update(kept, ["facts", "path"])
    return sorted(kept, key=lambda each: (each.league_id, each.session_id or 0, each.pk))


def _still_news(group: Sequence[Notice], now: datetime) -> Iterable[Notice]:
    first = group[0]
    found = found_now(sources[NoticeKind(first.kind)], first.league, {each.subject for each in group}, now)
    current = {each.subject: each for each in found if each.user == first.user_id}
    told = Notice.objects.filter(user=first.user_id, kind=first.kind, subject__in=list(current), waits=False)
    before = dict(told.order_by("pk").values_list("subject", "facts"))
    for notice in group:
        if (now_found := current.get(notice.subject)) is None:
            continue
        facts = _compared(now_found.facts, before.get(notice.subject))
        if facts is not None:
            notice.facts, notice.path = facts, now_found.path
            yield notice


def _compared(facts: dict[str, object], before: Mapping[str, object] | None) -> dict[str, object] | None:
    """Return `facts` if they are news compared with `before`, else None. Sets "moved" if the date or time changed."""
    if before is None:
        return None if facts.get("off") else facts
    plain = {name: value for name, value in before.items() if name != "moved"}
    if plain == facts:
        return None
    is_moved = (plain.get("date"), plain.get("time")) != (facts.get("date"), facts.get("time"))
    return facts | {"moved": True} if is_moved else facts


def forget_old_notices(now: datetime) -> None:
    Notice.objects.filter(waits=False, at__lt=now - KEPT).delete()


SALT = "tenbo.stop-notices"


def choose_notices(
    *, user: User, by_mail: bool | None, kinds: Collection[str], muted: Collection[League], told: tuple[str, str]
) -> None:
    """Store notice settings; with `by_mail` None the mail setting is unchanged.

    `told`: site URL, such as "https://league.example/", and language.
    """
    chosen = {
        "unwanted": [kind for kind in NoticeKind.values if kind not in kinds],
        "muted": [league.pk for league in muted],
        "origin": told[0],
        "notice_language": told[1],
    }
    if by_mail is not None:
        chosen["by_mail"] = by_mail
    Preferences.objects.update_or_create(user=user, defaults=chosen)


def stop_code(user: User) -> str:
    return signing.Signer(salt=SALT).sign(str(user.pk)).replace(":", "-", 1)


def user_to_stop(code: str) -> User | None:
    """Return the user whose mails a signed unsubscribe code stops, or None."""
    try:
        number = signing.Signer(salt=SALT).unsign(code.replace("-", ":", 1))
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=int(number)).first()


def stop_mails(user: User) -> None:
    Preferences.objects.filter(user=user).update(by_mail=False)
