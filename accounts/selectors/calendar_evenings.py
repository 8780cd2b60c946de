from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db.models import Count, Exists, Max, OuterRef, Q

from league.models import Hanchan, League, PlannedSeat, Revision, Session
from league.selectors.sessions import start_of

KEPT_BACK = timedelta(days=366)
"""Past sessions stay in a calendar for this long."""

MOST = 2000
"""Maximum number of sessions in a calendar; the latest ones are kept."""


@dataclass(frozen=True, slots=True)
class Evening:
    """A session in a calendar.

    `starts`: local time of the league, None if only the day is known. `changes`: number of changes; `changed_at`: time
    of the last one. `is_off`: it does not take place on that day. `seats`: the user's seats.
    """

    session: Session
    league: League
    starts: datetime | None
    changes: int
    changed_at: datetime
    is_off: bool
    seats: tuple[PlannedSeat, ...] = ()


def evenings_of(
    leagues: Iterable[League], now: datetime, user: User | None = None, *, seated_only: bool = False
) -> list[Evening]:
    """Return sessions from a year ago on, earliest first. Two queries, three with `user`."""
    known = {league.pk: league for league in leagues}
    sessions = list(_sessions(known, now))
    changes = _changes(known, [session.pk for session in sessions])
    seats = _seats(user, sessions) if user is not None else {}
    evenings = [_evening(known[each.league_id], each, changes, tuple(seats.get(each.pk, ()))) for each in sessions]
    return [each for each in reversed(evenings) if each.seats or not seated_only]


def _sessions(leagues: Mapping[int, League], now: datetime) -> Iterable[Session]:
    parts = Session.objects.kept().filter(postponed_from=OuterRef("pk"))
    seats, played = (each.filter(session=OuterRef("pk")) for each in (PlannedSeat.objects, Hanchan.objects.valid()))
    is_moved = Q(Exists(parts)) & ~Q(Exists(seats)) & ~Q(Exists(played))
    recent = Session.objects.filter(league__in=leagues, date__gte=now.date() - KEPT_BACK)
    return recent.annotate(is_moved=is_moved).order_by("-date", "-start_time", "-pk")[:MOST]


def _changes(leagues: Collection[int], sessions: Collection[int]) -> dict[int, tuple[int, datetime]]:
    told = Revision.objects.filter(league__in=leagues, subject="session", subject_id__in=sessions).order_by()
    counted = told.values("subject_id").annotate(count=Count("pk"), last=Max("at"))
    return {row["subject_id"]: (row["count"], row["last"]) for row in counted}


def _seats(user: User, sessions: Sequence[Session]) -> Mapping[int, list[PlannedSeat]]:
    found: dict[int, list[PlannedSeat]] = defaultdict(list)
    for seat in PlannedSeat.objects.filter(player__user=user, session__in=[each.pk for each in sessions]):
        found[seat.session_id].append(seat)
    return found


def _evening(
    league: League, session: Session, changes: Mapping[int, tuple[int, datetime]], seats: tuple[PlannedSeat, ...]
) -> Evening:
    count, last = changes.get(session.pk, (1, session.created_at))
    begins = start_of(league, session)
    return Evening(
        session=session,
        league=league,
        starts=begins and begins.astimezone(ZoneInfo(league.time_zone)),
        changes=count - 1,
        changed_at=last,
        is_off=session.state == Session.State.WITHDRAWN or bool(getattr(session, "is_moved", False)),
        seats=seats,
    )
