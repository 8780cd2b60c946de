"""Splits a period into months and years with up-to-date boards, and remaining days to be summed."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from operator import or_

from django.db.models import Exists, Max, OuterRef, Q

from league.core.board_lines import SUMS, Line, merged
from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.models import Board, Hanchan, League, Seat, StalePeriod, Standing
from league.selectors.standings_sql import Days, sums_of_days

MONTHS_AND_YEARS = frozenset({PeriodKind.MONTH, PeriodKind.YEAR})


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a period in chronological order.

    `stored`: keys of boards → index of the part. `last_day`: last day of play; `last`: index of its part.
    """

    stored: Mapping[str, int] = field(default_factory=dict)
    days: Sequence[Days] = ()
    hanchan: int = 0
    last_day: date | None = None
    last: int | None = None


KnownBoards = Sequence[tuple[Period, int]]
"""Periods whose boards are up to date, with their number of hanchan."""


def parts_of(league: League, period: Period, known: KnownBoards | None = None) -> Parts:
    """Return the parts of a period. Two queries for a custom range, one for a stored period.

    `known`: result of `known_boards`.
    """
    boards = {} if period.is_stored else _boards_within(league, period, MONTHS_AND_YEARS, known)
    stored, days = divided(period, boards)
    last_day, last = last_day_in(league, period), None
    if last_day is not None:
        of_boards = ((stored[part.key], part.start, part.end) for part in boards)
        of_days = ((each.place, each.start, each.end) for each in days)
        last = next(place for place, start, end in (*of_boards, *of_days) if start <= last_day < end)
    return Parts(stored, days, sum(boards.values()), last_day, last)


def division_of(
    league: League,
    period: Period,
    *,
    kinds: Collection[PeriodKind] = MONTHS_AND_YEARS,
    known: KnownBoards | None = None,
) -> tuple[Collection[str], Sequence[Days]]:
    """Return the keys of up-to-date boards within a period, and the days between them. One query.

    `kinds`: which boards to use. `known`: result of `known_boards`.
    """
    return divided(period, _boards_within(league, period, kinds, known))


def divided(period: Period, boards: Collection[Period]) -> tuple[dict[str, int], list[Days]]:
    """Return the indices of parts with a board, by period key, and the ranges of days between them."""
    stored: dict[str, int] = {}
    days: list[Days] = []
    at = period.start
    for place, part in enumerate(boards):
        if part.start > at:
            days.append(Days(2 * place, at, part.start))
        stored[part.key] = 2 * place + 1
        at = part.end
    if at < period.end:
        days.append(Days(2 * len(boards), at, period.end))
    return stored, days


def known_boards(league: League) -> KnownBoards:
    """Return the league's months and years with up-to-date boards, and their hanchan, in order. One query."""
    stale = StalePeriod.objects.filter(league=league, period=OuterRef("period"))
    boards = Board.objects.filter(~Exists(stale), league=league, computed_at__isnull=False)
    rows = boards.exclude(period=ALL_TIME.key).values_list("period", "hanchan")
    known = [(parse_period(key, league.first_month), hanchan) for key, hanchan in rows]
    return sorted(known, key=lambda each: (each[0].start, each[0].key))


def _boards_within(
    league: League, period: Period, kinds: Collection[PeriodKind], known: KnownBoards | None
) -> dict[Period, int]:
    """Return the up-to-date months and years within a period, with their hanchan, in order.

    Months of a year that is taken as a whole are left out. One query unless `known`.
    """
    found: dict[Period, int] = {}
    at = period.start
    for part, hanchan in known_boards(league) if known is None else known:
        if part.kind in kinds and at <= part.start and part.end <= period.end:
            found[part] = hanchan
            at = part.end
    return found


def last_day_in(league: League, period: Period) -> date | None:
    """Return the last day of a period with a counted hanchan, or None. One query."""
    seats = Seat.objects.counted().in_period(period).filter(league=league).order_by()
    last: date | None = seats.aggregate(last=Max("day"))["last"]
    return last


def lines_of_parts(league: League, parts: Parts) -> dict[int, Line]:
    found: dict[int, list[tuple[int, Line]]] = defaultdict(list)
    for part, player, *sums in sums_of_days(league, parts.days, parts.last_day) if parts.days else ():
        found[player].append((part, tuple(sums)))
    if parts.stored:
        lines = Standing.objects.filter(league=league, period__in=list(parts.stored)).order_by()
        for key, player, *sums in lines.values_list("period", "player_id", *SUMS):
            found[player].append((parts.stored[key], tuple(sums)))
    return {player: merged(lines, parts.last) for player, lines in found.items()}


def hanchan_in(league: League, period: Period, known: KnownBoards | None = None) -> int:
    boards = _boards_within(league, period, MONTHS_AND_YEARS, known)
    _, days = divided(period, boards)
    played = Hanchan.objects.counted().filter(on_days_of_play(days), league=league)
    return sum(boards.values()) + (played.count() if days else 0)


def on_days_of_play(ranges: Iterable[Days]) -> Q:
    return reduce(or_, (Q(day__gte=days.start, day__lt=days.end) for days in ranges), Q())
