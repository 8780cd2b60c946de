"""Boards for pages and commands: stored boards, custom ranges, and curves of points."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import accumulate

from django.db.models import Exists, OuterRef, QuerySet, Subquery, Sum

from league.core.board_lines import SUMS
from league.core.board_ranks import Ranking, board_places, ties_among
from league.core.numbers import thinned
from league.core.periods import ALL_TIME, Period, PeriodKind, month_of, up_to
from league.models import Board, League, Player, Seat, StalePeriod, Standing
from league.selectors.board_parts import KnownBoards, division_of, lines_of_parts, on_days_of_play, parts_of
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import Days, points_column, ranking_on
from league.selectors.ties import order_of_ties


@dataclass(frozen=True, slots=True)
class BoardState:
    """How up to date a board is. `version` increases whenever one of its lines changes."""

    version: int
    computed_at: datetime | None
    hanchan: int
    is_stale: bool
    marks: int = 0


def board_state(league: League, period: Period) -> BoardState:
    """Return the state of a period's stored board; a custom range uses that of all time. One query.

    `marks`: the latest StalePeriod of all time, for custom ranges only.
    """
    key = period.key if period.is_stored else ALL_TIME.key
    boards = Board.objects.filter(league=OuterRef("pk"), period=key)
    stale = StalePeriod.objects.filter(league=OuterRef("pk"), period=key).order_by("-pk")
    found = League.objects.filter(pk=league.pk).values_list(
        *(Subquery(boards.values(name)) for name in ("version", "computed_at", "hanchan")),
        Subquery(stale.values("pk")[:1]),
    )
    version, computed_at, hanchan, mark = found.get()
    is_stored = period.is_stored
    return BoardState(
        version=version or 0,
        computed_at=computed_at,
        hanchan=hanchan or 0,
        is_stale=is_stored and mark is not None,
        marks=0 if is_stored else mark or 0,
    )


def board_lines(league: League, period: Period, known: KnownBoards | None = None) -> list[Standing]:
    """Return the lines of a board: ranked players, then those below the minimum, each by score.

    Stored boards cost one query; for custom ranges see `live_lines`.
    """
    if not period.is_stored:
        return in_board_order(live_lines(league, period, known))
    # The redundant condition lets the database search only this league's players.
    lines = Standing.objects.filter(league=league, player__league=league, period=period.key)
    return in_board_order(lines.select_related("player"))


def board_lines_on(league: League, period: Period, day: date, known: KnownBoards | None = None) -> list[Standing]:
    """Return the standings as of the end of a day, computed from current results, in board order.

    Whole months come from their boards, so only the days after the last whole month are summed. Queries as in
    `live_lines` for a custom range.
    """
    return in_board_order(live_lines(league, up_to(period, day), known, ranking_on(league, period)))


def in_board_order(lines: Iterable[Standing]) -> list[Standing]:
    return sorted(lines, key=_board_order)


def _board_order(line: Standing) -> tuple[bool, int, int, str, int]:
    return (line.rank is None, line.rank or 0, -line.score, line.player.sort_key, line.player_id)


def live_lines(
    league: League, period: Period, known: KnownBoards | None = None, ranking: Ranking | None = None
) -> list[Standing]:
    """Return unsaved lines for any period, computed from current results, with ties broken.

    In custom ranges, whole months and years come from their boards if those are up to date. Three queries, four for a
    custom range, plus those for breaking ties. `ranking`: the ranking of another period, to use instead.
    """
    lines = lines_of_parts(league, parts_of(league, period, known))
    players = Player.objects.in_bulk(lines)
    places = board_places(ranking or ranking_on(league, period), lines)
    ties = order_of_ties(league, period, ties_among(places))
    return [
        Standing(
            league=league,
            period=period.key[:7],
            player=players[player],
            score=place.score,
            rank=place.rank and place.rank + (ties[player].offset if player in ties else 0),
            shared_rank=place.rank,
            previous_rank=place.previous,
            decided_by=reason.as_json() if player in ties and (reason := ties[player].decided_by) else None,
            **dict(zip(SUMS, lines[player], strict=True)),
        )
        for player, place in places.items()
    ]


def played_periods(league: League) -> set[str]:
    """Return the keys of all periods with points: months, years and all time. One query."""
    anybody = Standing.objects.filter(league=league, period=OuterRef("period"))
    return set(Board.objects.filter(Exists(anybody), league=league).values_list("period", flat=True))


@dataclass(frozen=True, slots=True)
class Evenings:
    """Days of play in a period: the first, the last, and the neighbours of a given day (played or not)."""

    first: date | None
    last: date | None
    before: date | None
    after: date | None


def evenings_around(league: League, period: Period, day: date | None = None) -> Evenings:
    """Return the days of play around a day, by default the last one of the period. One index-only query."""
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


MAX_STEPS = 24
"""Most points of a curve; more would be invisible at this size."""

DAYS_BY_DAY = timedelta(days=93)
"""Custom ranges longer than this (a quarter) have one step per month, like years."""

Gains = Mapping[int, Mapping[str, int]]
"""Points in 1/1000 pt: primary key of the player → step → points. A step is an ISO day or month."""


Sums = defaultdict[int, Counter[str]]


Curves = dict[int, tuple[int, ...]]
"""Cumulative points in 1/1000 pt by primary key of the player, starting at zero."""


def trends(league: League, period: Period, players: Iterable[int], known: KnownBoards | None = None) -> Curves:
    """Return the curves of these players: by day for a month or short custom range, else by month.

    Two queries; four for a long custom range, where incomplete months are summed by day. `known`: result of
    `known_boards`.
    """
    players = list(players)
    gains, steps = gains_in(league, period, players, known)
    return drawn(gains, steps, players)


def gains_in(
    league: League, period: Period, players: Collection[int], known: KnownBoards | None = None
) -> tuple[Gains, list[str]]:
    """Return the points that players gained in each step of a period, and the steps in order. Queries as in `trends`."""
    played = set[str]()
    if period.kind in {PeriodKind.YEAR, PeriodKind.ALL}:
        gains, played = _by_month(league, period, players)
    elif period.end - period.start <= DAYS_BY_DAY:
        gains = _by_day(league, period)
    else:
        gains = _by_part(league, period, known)
    return gains, sorted(played.union(*gains.values()))


def drawn(gains: Gains, steps: Sequence[str], players: Iterable[int]) -> Curves:
    kept = thinned(len(steps) + 1, MAX_STEPS)
    return {player: _curve(gains.get(player, {}), steps, kept) for player in players}


def _curve(gained: Mapping[str, int], steps: Sequence[str], kept: Sequence[int]) -> tuple[int, ...]:
    sums = [*accumulate((gained.get(step, 0) for step in steps), initial=0)]
    return tuple(sums[index] for index in kept)


def _by_day(league: League, period: Period) -> Gains:
    gains: Sums = defaultdict(Counter)
    for player, day, points in _points_on(league, period, [Days(0, period.start, period.end)]):
        gains[player][day.isoformat()] += points
    return gains


def _by_part(league: League, period: Period, known: KnownBoards | None) -> Gains:
    """Return the points per month of a custom range; incomplete months are summed by day."""
    months, days = division_of(league, period, kinds={PeriodKind.MONTH}, known=known)
    gains: Sums = defaultdict(Counter)
    stored = Standing.objects.filter(league=league, period__in=list(months))
    for player, month, total in stored.values_list("player_id", "period", "total"):
        gains[player][month] = total
    for player, day, points in _points_on(league, period, days):
        gains[player][month_of(day).key] += points
    return gains


def _points_on(league: League, period: Period, ranges: Sequence[Days]) -> Iterator[tuple[int, date, int]]:
    if ranges:
        seats = Seat.objects.counted().filter(on_days_of_play(ranges), league=league).order_by()
        sums = seats.values_list("player_id", "day").annotate(Sum(points_column(league)), Sum("total_only"))
        for player, day, points, total_only in sums:
            yield player, day, points + total_only
        for line in points_without_hanchan(league, period):
            if any(days.start <= line.day < days.end for days in ranges):
                yield line.player, line.day, line.points


def _by_month(league: League, period: Period, players: Collection[int]) -> tuple[Gains, set[str]]:
    """Return the points per month of these players, and the months with hanchan of any player."""
    within = {}
    if period.kind is PeriodKind.YEAR:
        within = {"period__gte": f"{period.start:%Y-%m}", "period__lte": f"{period.last:%Y-%m}"}
    boards = Board.objects.filter(league=league, period__contains="-", hanchan__gt=0, **within)
    lines = Standing.objects.filter(league=league, period__contains="-", player__in=players, **within)
    gains: dict[int, dict[str, int]] = defaultdict(dict)
    for player, month, total in lines.values_list("player_id", "period", "total"):
        gains[player][month] = total
    return gains, set(boards.values_list("period", flat=True))
