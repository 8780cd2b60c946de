"""The careers of players: months as they are kept, and other days put together from their seats."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import reduce
from operator import itemgetter, or_

from django.db.models import OuterRef, Q, Subquery

from league.core.periods import FIRST_DAY, LAST_DAY, Period, parse_period
from league.models import League, Player, Seat
from league.selectors.board_parts import divided
from league.selectors.standings_sql import FAR, Days
from stats.core.careers import HELD, Career, from_json, joined
from stats.models import KeptSums
from stats.selectors.career_seats import CareerRows, careers_of, seat_rows
from stats.selectors.kept import kept_within, still_true


def career_in(league: League, player: Player, period: Period) -> Career:
    kept = _kept(league, player, period)
    places, days = divided(period, list(kept))
    parts = [(places[month.key], career) for month, career in kept.items()]
    own = Seat.objects.counted().filter(on_days(days), league=league, player=player).order_by()
    rows = (
        seat_rows(league, Q(hanchan_id__in=own.values("hanchan_id")), on_days_of_play(days)) if days else CareerRows()
    )
    for each in days:
        of_days = rows.between(each.start, each.end)
        parts += [(each.place, career) for career in careers_of(of_days, player.pk).values()]
    career = joined([career for _, career in sorted(parts, key=itemgetter(0))])
    return replace(career, held=tuple(sorted({*career.held, *rows.held})))


def careers_in(league: League, period: Period, players: Collection[int] | None = None) -> dict[int, Career]:
    """Return what the hanchan of a period come to for everybody who has any, or for these players. At most seven queries."""
    months = {month.key: month for month in kept_within(league, period)}
    _, days = divided(period, list(months.values()))
    parts: dict[int, list[tuple[date, Career]]] = {player: [] for player in players or ()}
    kept = KeptSums.objects.filter(league=league, period__in=months, player__isnull=False)
    condition = Q(league=league) & on_days_of_play(days)
    if players is not None:
        kept = kept.filter(player__in=players)
        own = Seat.objects.counted().filter(on_days(days), league=league, player__in=players).order_by()
        condition = Q(hanchan_id__in=own.values("hanchan_id"))
    for key, pk, career in kept.values_list("period", "player", "sums"):
        parts.setdefault(pk, []).append((months[key].start, from_json(career)))
    rows = seat_rows(league, condition, on_days_of_play(days)) if days else CareerRows()
    for span in days:
        for pk, career in careers_of(rows.between(span.start, span.end)).items():
            if players is None or pk in players:
                parts.setdefault(pk, []).append((span.start, career))
    in_order = {pk: sorted(found, key=itemgetter(0)) for pk, found in parts.items()}
    return {pk: joined([career for _, career in found]) for pk, found in in_order.items()}


def latest_career(league: League, player: Player, latest: int) -> Career:
    """Return what so many of a player's latest hanchan come to. Two queries."""
    own = Seat.objects.counted().filter(league=league, player=player).order_by("-played_at", "-hanchan_id")
    rows = seat_rows(league, Q(hanchan_id__in=list(own.values_list("hanchan_id", flat=True)[:latest])))
    return careers_of(rows, player.pk).get(player.pk, Career())


def _kept(league: League, player: Player, period: Period) -> dict[Period, Career]:
    """Return the months of a period that are kept; where the player did not play, the sessions held."""
    within = (f"{period.start:%Y-%m}", f"{period.last:%Y-%m}")
    months = KeptSums.objects.filter(league=league, player=None, period__range=within, period__contains="-")
    careers = KeptSums.objects.filter(league=league, period=OuterRef("period"))
    own = careers.filter(player=player).values("sums")
    anybody = careers.filter(player__isnull=False).values(f"sums__{HELD}")[:1]
    rows = still_true(months).order_by("period").values_list("period", Subquery(own), Subquery(anybody))
    found = ((parse_period(key, league.first_month), career, held) for key, career, held in rows)
    return {
        month: from_json(career) if career else Career(held=tuple(held or ()))
        for month, career, held in found
        if period.start <= month.start and month.end <= period.end
    }


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
