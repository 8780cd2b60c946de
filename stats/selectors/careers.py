"""The careers of players: months as they are kept, and other days put together from their seats."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import reduce
from operator import attrgetter, itemgetter, or_
from typing import Any

from django.db.models import Case, F, JSONField, OuterRef, Q, Subquery, When

from league.core.periods import FIRST_DAY, LAST_DAY, Period, parse_period
from league.models import League, Player, Seat
from league.selectors.board_parts import divided
from league.selectors.standings_sql import FAR, Days
from stats.core.careers import HELD, Career, from_json, joined
from stats.models import KeptSums
from stats.selectors.career_seats import CareerRows, careers_of, seat_rows
from stats.selectors.kept import still_true


def careers_in(league: League, period: Period, players: Collection[int] | None = None) -> dict[int, Career]:
    """Return what the hanchan of a period come to for everybody who has any, or for these players. At most five queries.

    Of months that are kept no seat is looked at.
    """
    kept = _kept(league, period, Q() if players is None else Q(player=None) | Q(player__in=players))
    places, days = divided(period, sorted((month for month, pk, _ in kept if pk is None), key=attrgetter("start")))
    parts: dict[int, list[tuple[int, Career]]] = {player: [] for player in players or ()}
    for month, pk, sums in kept:
        if pk is not None:
            parts.setdefault(pk, []).append((places[month.key], from_json(sums)))
    within = on_days_of_play(days)
    condition = Q(league=league) & within
    if players is not None:
        own = Seat.objects.counted().filter(on_days(days), league=league, player__in=players).order_by()
        condition = Q(hanchan_id__in=own.values("hanchan_id"))
    rows = seat_rows(league, condition, within) if days else CareerRows()
    for span in days:
        for pk, career in careers_of(rows.between(span.start, span.end), players).items():
            parts.setdefault(pk, []).append((span.place, career))
    held = tuple(sorted({*rows.held, *(session for _, pk, held in kept if pk is None for session in held or ())}))
    in_order = {pk: [career for _, career in sorted(found, key=itemgetter(0))] for pk, found in parts.items()}
    return {pk: replace(joined(careers), held=held) for pk, careers in in_order.items()}


def latest_career(league: League, player: Player, latest: int) -> Career:
    """Return what so many of a player's latest hanchan come to. Two queries."""
    own = Seat.objects.counted().filter(league=league, player=player).order_by("-played_at", "-hanchan_id")
    rows = seat_rows(league, Q(hanchan_id__in=list(own.values_list("hanchan_id", flat=True)[:latest])))
    return careers_of(rows, [player.pk]).get(player.pk, Career())


def _kept(league: League, period: Period, wanted: Q) -> list[tuple[Period, int | None, Any]]:
    """Return what is kept of the months of a period: for nobody the sessions held, for a player a career as JSON."""
    within = (f"{period.start:%Y-%m}", f"{period.last:%Y-%m}")
    months = KeptSums.objects.filter(wanted, league=league, period__range=within, period__contains="-")
    careers = KeptSums.objects.filter(league=league, period=OuterRef("period"), player__isnull=False)
    held = Subquery(careers.values(f"sums__{HELD}")[:1])
    sums = Case(When(player=None, then=held), default=F("sums"), output_field=JSONField())
    rows = ((parse_period(key), pk, told) for key, pk, told in still_true(months).values_list("period", "player", sums))
    return [row for row in rows if period.start <= row[0].start and row[0].end <= period.end]


def on_days(ranges: Iterable[Days]) -> Q:
    """Return the condition that a seat's day lies in one of these ranges, as the index of players' seats can be asked."""
    return reduce(or_, (_on(days) for days in ranges), Q())


def _on(days: Days) -> Q:
    condition = Q(day__gte=days.start, day__lt=days.end)
    if days.start > FIRST_DAY + FAR:
        condition &= Q(played_at__gte=_midnight(days.start - FAR))
    if days.end < LAST_DAY - FAR:
        condition &= Q(played_at__lt=_midnight(days.end + FAR))
    return condition


def on_days_of_play(ranges: Iterable[Days]) -> Q:
    return reduce(or_, (Q(day__gte=days.start, day__lt=days.end) for days in ranges), Q())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)
