from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext, pgettext

from league import messages
from league.core.board_ranks import LineChange
from league.core.periods import (
    ALL_TIME,
    Period,
    PeriodKind,
    month_of,
    neighbours,
    parse_period,
    range_of,
    up_to,
    year_of,
)
from league.models import Hanchan, League, RulesetVersion, Standing
from league.permissions import hide_names
from league.selectors.board_parts import KnownBoards, hanchan_in
from league.selectors.boards import board_lines, board_lines_on, played_periods, trends
from league.selectors.standings_sql import minimum_for
from league.tables.board import MAIN, ROWS, BoardQuery, board_rows, board_table, heads, order_in_force


@dataclass(frozen=True, slots=True)
class PeriodChoice:
    key: str
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class PeriodStep:
    url: str
    label: str
    current: bool = False


def board_page(
    league: League, period: Period, query: BoardQuery, user: User | AnonymousUser, known: KnownBoards | None = None
) -> dict[str, Any]:
    """Return the context of the table. At most eight queries.

    `known`: result of `known_boards`.
    """
    lines, later, days = board_lines(league, period, known), NOTHING_SINCE, period
    if query.on:
        now, days = lines, up_to(period, query.on)
        lines = board_lines_on(league, period, query.on, known)
        later = since(lines, now)
    hide_names(user, league, [line.player for line in (*lines, *later.newcomers)])
    minimum, main = minimum_for(league, period), MAIN[League.Metric(league.metric)]
    table = board_table(league, board_rows(league, lines, minimum), query)
    ordered = sorted(table.data.data, key=lambda row: row.line.rank is None)
    shown = ordered[(query.page - 1) * ROWS : query.page * ROWS]
    curves = trends(league, days, [row.line.player_id for row in shown], known)
    moves = later.changes
    rows = [replace(row, curve=curves[row.line.player_id], since=moves.get(row.line.player_id)) for row in shown]
    return {
        "league": league,
        "period": period,
        "title": messages.period_title(period),
        "order": order_in_force(league, table, query),
        "heads": heads(table, query, main),
        "shows": {column.name for column in table.columns},
        "main": main,
        "ranked": [row for row in rows if row.line.rank is not None],
        "unranked": [row for row in rows if row.line.rank is None],
        "minimum": minimum,
        "has_sums": any(row.line.is_by_sums for row in rows),
        "newcomers": later.newcomers,
        "days": days,
        "query": query,
        "pages": -(-len(ordered) // ROWS),
        "other": None if lines else _latest_other(league, period),
    }


def files(league: League, period: Period) -> dict[str, str]:
    asked = f"?what=board&scope={period.key}"
    return {
        "csv_url": reverse("league:standings_csv", args=(league.slug, period.key)),
        "xlsx_url": f"{reverse('league:export_file', args=(league.slug,))}{asked}&format=xlsx",
        "export_url": f"{reverse('league:export', args=(league.slug,))}{asked}",
    }


def _latest_other(league: League, period: Period) -> PeriodStep | None:
    months = Standing.objects.filter(league=league, period__contains="-").exclude(period=period.key)
    key = months.order_by("-period").values_list("period", flat=True).first()
    return _step(league, parse_period(key)) if key else None


def _step(league: League, period: Period, label: str = "", *, current: bool = False) -> PeriodStep:
    url = reverse("league:standings", args=(league.slug, period.key))
    return PeriodStep(url, label or messages.period_title(period), current)


def kinds(league: League, period: Period, this_month: Period) -> list[PeriodStep]:
    """Return links to the month, year, all time and range around the shown period."""
    near = this_month if period.kind is PeriodKind.ALL or this_month.start in period else month_of(period.start)
    year = year_of(near.start, league.first_month)
    days = period if period.kind is PeriodKind.RANGE else range_of(near.start, near.last)
    choices = (
        (near, pgettext("period", "Month"), PeriodKind.MONTH),
        (year, pgettext("period", "Year"), PeriodKind.YEAR),
        (ALL_TIME, pgettext("period", "All time"), PeriodKind.ALL),
        (days, pgettext("period", "Range"), PeriodKind.RANGE),
    )
    return [
        _step(league, period if period.kind is kind else choice, label, current=period.kind is kind)
        for choice, label, kind in choices
    ]


def known_periods(league: League, period: Period) -> list[PeriodChoice]:
    """Return the months, or on a year's page the years, that have a board; latest first. One query."""
    keys = played_periods(league) - {ALL_TIME.key}
    wanted = PeriodKind.YEAR if period.kind is PeriodKind.YEAR else PeriodKind.MONTH
    periods = {key: parse_period(key, league.first_month) for key in keys}
    if period.kind is wanted:
        periods[period.key] = period
    kept = sorted((known for known in periods.values() if known.kind is wanted), key=lambda known: known.key)
    return [PeriodChoice(known.key, messages.period_title(known), known == period) for known in reversed(kept)]


def around(
    league: League, period: Period, this_month: Period, oldest: str
) -> tuple[PeriodStep | None, PeriodStep | None]:
    """Return links to the previous period, if not before `oldest`, and to the next, if it has begun."""
    before, after = neighbours(period)
    back = _step(league, before) if before and before.key >= oldest else None
    on = _step(league, after) if after and after.start <= this_month.start else None
    return back, on


def basis(league: League, period: Period) -> list[tuple[str, str]]:
    """Return what the standings rest on: the rules of the period's hanchan, or the current ones. One query."""
    played = Hanchan.objects.counted().in_period(period).filter(session__stage=None, ruleset_version=OuterRef("pk"))
    versions = RulesetVersion.objects.filter(Exists(played), ruleset__league=league).select_related("ruleset")
    return [
        (gettext("Ranked by"), messages.ranked_by(league)),
        (gettext("Points counted"), messages.counted_by(league, versions.order_by("-pk"))),
        (gettext("Equal scores"), messages.tie_order(league)),
        (gettext("Minimum hanchan"), messages.minimum_sentence(minimum_for(league, period))),
    ]


def hanchan_on(league: League, period: Period, stored: int, known: KnownBoards | None = None) -> int:
    return stored if period.is_stored else hanchan_in(league, period, known)


@dataclass(frozen=True, slots=True)
class BoardSince:
    """Changes since a day, by primary key of the player, and new players in board order."""

    changes: Mapping[int, LineChange]
    newcomers: Sequence[Standing]


NOTHING_SINCE = BoardSince({}, ())


def since(then: Sequence[Standing], now: Sequence[Standing]) -> BoardSince:
    """Return the changes between two boards. Players no longer listed have lost all their points."""
    known, later = {line.player_id for line in then}, {line.player_id: line for line in now}
    return BoardSince(
        changes={line.player_id: _change(line, later.get(line.player_id)) for line in then},
        newcomers=[line for line in now if line.player_id not in known],
    )


def _change(then: Standing, now: Standing | None) -> LineChange:
    if now is None:
        return LineChange(-then.total, then.rank, None)
    return LineChange(now.total - then.total, then.rank, now.rank)


WHOLE = 10_000
"""The width of a bar chart, in 1/100 percent."""


@dataclass(frozen=True, slots=True)
class PodiumLine:
    """A line with its bar: left end, width and zero, in 1/100 percent.

    All bars have the same zero; negative values extend to the left. No bars if ranked by average placement.
    """

    line: Standing
    bar: tuple[int, int, int] | None = None


def podium_lines(league: League, lines: Sequence[Standing]) -> list[PodiumLine]:
    """Return the lines with their bars, all on the same scale."""
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return [PodiumLine(line) for line in lines]
    amounts = [_amount(league, line) for line in lines]
    least, most = min((Fraction(0), *amounts)), max((Fraction(0), *amounts))
    span = most - least or Fraction(1)

    def place(amount: Fraction) -> int:
        return int((amount - least) * WHOLE / span)

    zero = place(Fraction(0))
    ends = [place(amount) for amount in amounts]
    return [PodiumLine(line, (min(zero, end), abs(end - zero), zero)) for line, end in zip(lines, ends, strict=True)]


def _amount(league: League, line: Standing) -> Fraction:
    if league.metric == League.Metric.AVERAGE_POINTS:
        return Fraction(line.averaged, line.all_hanchan or 1)
    return Fraction(line.total)
