"""Which days of a period were played on, as far as a board as of a day needs to know."""

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet, Subquery

from league.core.periods import Period
from league.models import League, Seat


@dataclass(frozen=True, slots=True)
class Evenings:
    """Days of play of a period: the first and the last, and those next to a day, which need not be one itself."""

    first: date | None
    last: date | None
    before: date | None
    after: date | None


def evenings_around(league: League, period: Period, day: date | None = None) -> Evenings:
    """Return the evenings of a period around a day, or around the last of them. One query, by an index alone."""
    seats = Seat.objects.counted().in_period(period).filter(league=league)
    last = _latest(seats)
    earlier = seats.filter(day__lt=last if day is None else day)
    later = seats.filter(day__gt=day) if day else seats.none()
    found = League.objects.filter(pk=league.pk).values_list(_earliest(seats), last, _latest(earlier), _earliest(later))
    return Evenings(*found.get())


def _earliest(seats: QuerySet[Seat]) -> Subquery:
    return Subquery(seats.order_by("day").values("day")[:1])


def _latest(seats: QuerySet[Seat]) -> Subquery:
    return Subquery(seats.order_by("-day").values("day")[:1])
