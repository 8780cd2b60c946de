"""Careers of players: stored months, plus other days computed from seats."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import attrgetter, itemgetter, or_
from typing import Any, NamedTuple

from django.db.models import Case, Exists, F, JSONField, OuterRef, Q, QuerySet, Subquery, When

from league.core.periods import FIRST_DAY, LAST_DAY, Period, PeriodKind, month_of, parse_period
from league.models import Board, League, Player, Seat, StalePeriod
from league.selectors.board_parts import divided, on_days_of_play
from league.selectors.standings_sql import FAR, Days
from stats.core.careers import HELD, Career, from_json, joined
from stats.models import KeptSums
from stats.selectors.career_seats import CareerRows, careers_of, seat_rows


def careers_in(league: League, period: Period, players: Collection[int] | None = None) -> dict[int, Career]:
    """Return careers in a period, of all players or of some. At most five queries; stored months need no seats."""
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
    """Return a player's career over their latest hanchan. Two queries."""
    own = Seat.objects.counted().filter(league=league, player=player).order_by("-played_at", "-hanchan_id")
    rows = seat_rows(league, Q(hanchan_id__in=list(own.values_list("hanchan_id", flat=True)[:latest])))
    return careers_of(rows, [player.pk]).get(player.pk, Career())


def _kept(league: League, period: Period, wanted: Q) -> list[tuple[Period, int | None, Any]]:
    """Return stored months of a period: sessions held (player None), or a player's career as JSON."""
    within = (f"{period.start:%Y-%m}", f"{period.last:%Y-%m}")
    months = KeptSums.objects.filter(wanted, league=league, period__range=within, period__contains="-")
    careers = KeptSums.objects.filter(league=league, period=OuterRef("period"), player__isnull=False)
    held = Subquery(careers.values(f"sums__{HELD}")[:1])
    sums = Case(When(player=None, then=held), default=F("sums"), output_field=JSONField())
    rows = ((parse_period(key), pk, told) for key, pk, told in still_true(months).values_list("period", "player", sums))
    return [row for row in rows if period.start <= row[0].start and row[0].end <= period.end]


def on_days(ranges: Iterable[Days]) -> Q:
    """Return a Q for seats in these ranges that can use the index on players' seats."""
    return reduce(or_, (_on(days) for days in ranges), Q())


def _on(days: Days) -> Q:
    condition = Q(day__gte=days.start, day__lt=days.end)
    if days.start > FIRST_DAY + FAR:
        condition &= Q(played_at__gte=_midnight(days.start - FAR))
    if days.end < LAST_DAY - FAR:
        condition &= Q(played_at__lt=_midnight(days.end + FAR))
    return condition


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


COMES_LATE = timedelta(days=2)
"""A month is stored only after this delay, because results of its last session are still entered and corrected."""


def earliest_open_day(now: datetime) -> date:
    """Return the first day of the earliest month that is not over or whose delay has not passed."""
    return month_of((now - COMES_LATE).date()).start


def still_true(kept: QuerySet[KeptSums]) -> QuerySet[KeptSums]:
    of_period = {"league": OuterRef("league"), "period": OuterRef("period")}
    followed = Board.objects.filter(**of_period, followed=True)
    return kept.filter(Exists(followed), ~Exists(StalePeriod.objects.filter(**of_period)))


def kept_within(league: League, period: Period, *, years: bool = False) -> list[Period]:
    """Return the stored months within a period, in order. One query.

    `years`: include stored years other than the period itself.
    """
    rows = still_true(KeptSums.objects.filter(league=league, player=None))
    if years:
        rows = rows.exclude(period=period.key)
    known = (parse_period(key, league.first_month) for key in rows.values_list("period", flat=True))
    found: list[Period] = []
    at = period.start
    for part in sorted(known, key=lambda part: (part.start, part.key)):
        is_wanted = years or part.kind is PeriodKind.MONTH
        if is_wanted and at <= part.start and part.end <= period.end:
            found.append(part)
            at = part.end
    return found


def due_leagues(now: datetime) -> list[int]:
    """Return primary keys of leagues with pending derived data. One query."""
    closed = f"{earliest_open_day(now):%Y-%m}"
    kept = KeptSums.objects.filter(league=OuterRef("league"), period=OuterRef("period"), player=None)
    is_due = Q(followed=False) | Q(~Exists(kept), period__contains="-", period__lt=closed)
    rows = Board.objects.filter(is_due, computed_at__isnull=False).order_by("league")
    return list(rows.values_list("league", flat=True).distinct())


class FollowedBoard(NamedTuple):
    """A board: when it was refreshed, whether derived data is up to date with it, and whether its period is stored."""

    period: Period
    computed_at: datetime
    followed: bool
    is_kept: bool


def boards_to_follow(league: League) -> list[FollowedBoard]:
    """Return boards with pending derived data or a period not yet stored: months, years, all time. One query."""
    kept = KeptSums.objects.filter(league=league, period=OuterRef("period"), player=None)
    boards = Board.objects.filter(Q(followed=False) | ~Exists(kept), league=league, computed_at__isnull=False)
    rows = boards.values_list("period", "computed_at", "followed", Exists(kept))
    found = [FollowedBoard(parse_period(key, league.first_month), *rest) for key, *rest in rows]
    return sorted(found, key=lambda board: (-len(board.period.key), board.period.key))
