from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league import messages
from league.core.board_lines import TWELFTHS, recent_placements
from league.core.board_ranks import SCALE, LineChange, Ranking
from league.core.numbers import decimal_text, small_number
from league.models import League, Player, Standing
from scoring.core import TieBreakReason
from scoring.messages import decision_sentence

MAIN = {League.Metric.POINTS: "total", League.Metric.AVERAGE_POINTS: "mean", League.Metric.AVERAGE_PLACEMENT: "average"}
"""The column by which the standings are ranked."""

NEVER = Fraction(10**6)
"""Sorts after every average, for players without hanchan."""

ROWS = 50
"""Players per page; more would keep a phone busy for seconds."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of the table: the stored line, further values, and sort keys."""

    line: Standing
    player: Player
    order: int
    gap: str
    needed: int
    why: str
    curve: tuple[int, ...] = ()
    since: LineChange | None = None

    @property
    def name(self) -> str:
        """The sort key of the column of players: their reading."""
        return str(self.player.sort_key)

    @property
    def total(self) -> int:
        """All points that count, in 1/1000 pt."""
        return self.line.total

    @property
    def hanchan(self) -> int:
        return self.line.all_hanchan

    @property
    def average(self) -> Fraction:
        return Fraction(self.line.all_halves, 2 * self.line.placed) if self.line.placed else NEVER

    @property
    def recent(self) -> Fraction:
        places = recent_placements(self.line.recent)
        return Fraction(sum(places), len(places)) if places else NEVER

    @property
    def mean(self) -> Fraction:
        """Points per hanchan, in 1/1000 pt."""
        return _share(self.line.averaged, self.hanchan)

    @property
    def first(self) -> Fraction:
        return _share(self.line.first, self.line.placed)

    @property
    def top_two_count(self) -> int:
        return self.line.first + self.line.second

    @property
    def top_two(self) -> Fraction:
        return _share(self.top_two_count, self.line.placed)

    @property
    def not_last_count(self) -> int:
        """Number of hanchan not finished last, in twelfths."""
        return self.line.placed * TWELFTHS - self.line.fourth

    @property
    def not_last(self) -> Fraction:
        return _share(self.not_last_count, self.line.placed)

    @property
    def busts(self) -> Fraction:
        """The share of hanchan finished below zero; points without hanchan do not record busts."""
        return _share(self.line.busts, self.line.hanchan)

    @property
    def best(self) -> int:
        return self.line.raw_best if self.line.raw_best is not None else -(10**9)

    @property
    def lowest(self) -> int:
        return min(self.curve, default=0)

    @property
    def highest(self) -> int:
        return max(self.curve, default=0)


def _share(amount: int, hanchan: int) -> Fraction:
    return Fraction(amount, hanchan) if hanchan else -NEVER


class ThreePlayerRow(BoardRow):
    """A row of a league with three-player tables, where third place is last."""

    __slots__ = ()

    @property
    def not_last_count(self) -> int:
        return self.line.placed * TWELFTHS - self.line.third - self.line.fourth


def _figure(name: object, *, more: bool = False, up: bool = False, wide: bool = True) -> tables.Column:
    """Return a numeric column; `up`: sort ascending first, `more`: shown only on request."""
    return tables.Column(
        verbose_name=name,
        attrs={"th": {"class": "num wide" if wide else "num"}, "more": more},
        initial_sort_descending=not up,
    )


class BoardTable(tables.Table):  # type: ignore[misc]
    """The table's columns. The template renders the cells, which is many times faster than django-tables2."""

    rank = tables.Column(verbose_name=_("Rank"), order_by="order", attrs={"th": {"class": "num"}})
    player = tables.Column(verbose_name=_("Player"), order_by="name")
    total = _figure(pgettext_lazy("column", "Points"), wide=False)
    mean = _figure(pgettext_lazy("column", "Per hanchan"), more=True)
    since = tables.Column(verbose_name=_("Since then"), orderable=False, attrs={"th": {"class": "num wide"}})
    gap = tables.Column(verbose_name=_("Gap"), orderable=False, attrs={"th": {"class": "num wide"}})
    hanchan = _figure(_("Hanchan"))
    average = _figure(_("Average placement"), up=True)
    recent = tables.Column(verbose_name=_("Last five"), attrs={"th": {"class": "wide"}})
    trend = tables.Column(verbose_name=_("Trend"), orderable=False, attrs={"th": {"class": "wide trend"}})
    first = _figure(_("1st rate"), more=True)
    top_two = _figure(_("Top-2 rate"), more=True)
    not_last = _figure(_("Last avoidance"), more=True)
    busts = _figure(_("Below zero"), more=True, up=True)
    best = _figure(_("Best score"), more=True)
    distribution = tables.Column(
        verbose_name=_("1-2-3-4"), orderable=False, attrs={"th": {"class": "num wide"}, "more": True}
    )

    class Meta:
        template_name = "league/standings/table.html"
        order_by_field = "sort"
        orderable = True


MORE = tuple(name for name, column in BoardTable.base_columns.items() if column.attrs.get("more"))
SORTABLE = tuple(name for name, column in BoardTable.base_columns.items() if column.orderable is not False)


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """Query parameters of a standings page. Unknown values are ignored."""

    sort: str = ""
    columns: str = ""
    view: str = ""
    page: int = 1
    on: date | None = None

    @classmethod
    def read(cls, query: Mapping[str, str], on: date | None = None) -> "BoardQuery":
        """Read the query string. `on`: the requested day, if valid."""
        sort = query.get("sort", "")
        return cls(
            sort=sort if sort.removeprefix("-") in SORTABLE and sort != "rank" else "",
            columns="all" if query.get("columns") == "all" else "",
            view="table" if query.get("view") == "table" else "",
            page=small_number(query.get("page", ""), 1, digits=4),
            on=on,
        )

    def url(self, **changes: str | int) -> str:
        on = self.on.isoformat() if self.on else ""
        asked = {"on": on, "sort": self.sort, "columns": self.columns, "view": self.view, "page": 1, **changes}
        return "?" + urlencode({name: value for name, value in asked.items() if value not in {"", 1}})

    @property
    def key(self) -> str:
        return f"{self.sort}.{self.columns}.{self.view}.{self.page}.{self.on or ''}"


@dataclass(frozen=True, slots=True)
class ColumnHeading:
    name: str
    label: str
    css: str
    href: str
    aria_sort: str


def board_rows(league: League, lines: Sequence[Standing], minimum: int) -> list[BoardRow]:
    """Return the rows in board order, without curves."""
    kind = ThreePlayerRow if players_at_a_table(league) == 3 else BoardRow
    ranking = Ranking(league.metric, minimum)
    rows: list[BoardRow] = []
    above: Standing | None = None
    for number, line in enumerate(lines):
        ranked = line.rank is not None
        rows.append(
            kind(
                line=line,
                player=line.player,
                order=number,
                gap=gap_text(league, above.score - line.score) if ranked and above else "",
                needed=0 if ranked else max(minimum, 1) - ranking.counted(line.basis),
                why=str(decision_sentence(TieBreakReason(**line.decided_by))) if line.decided_by else "",
            )
        )
        above = line if ranked else None
    return rows


def players_at_a_table(league: League) -> int:
    version = league.current_version
    return int(version.parameters.get("players", 4)) if version else 4


def gap_text(league: League, distance: int) -> str:
    match league.metric:
        case League.Metric.AVERAGE_PLACEMENT:
            lead = Fraction(distance, 2 * SCALE)
            # Two decimals as averages have; more where these would make a small lead look like a tie.
            return decimal_text(lead, 4 if 0 < lead < Fraction(1, 200) else 2)
        case League.Metric.AVERAGE_POINTS:
            return decimal_text(Fraction(distance, 1000 * SCALE), 1)
    exact = f"{distance // 1000}.{distance % 1000:03d}".rstrip("0")
    return f"{exact}0" if exact.endswith(".") else exact


def board_table(league: League, rows: Sequence[BoardRow], query: BoardQuery) -> BoardTable:
    main = MAIN[League.Metric(league.metric)]
    hidden = [] if query.columns else [name for name in MORE if name != main]
    hidden += [] if query.on else ["since"]
    return BoardTable(list(rows), order_by=query.sort or "rank", exclude=hidden)


def order_in_force(league: League, table: BoardTable, query: BoardQuery) -> str:
    if not query.sort:
        return messages.ranked_by(league)
    column = next(column for column in table.columns if column.is_ordered)
    if column.order_by_alias.is_descending:
        text = gettext("Sorted by “%(column)s”, descending")
    else:
        text = gettext("Sorted by “%(column)s”, ascending")
    return text % {"column": column.verbose_name}


def heads(table: BoardTable, query: BoardQuery, main: str) -> list[ColumnHeading]:
    return [_head(column, query, main) for column in table.columns]


def _head(column: Any, query: BoardQuery, main: str) -> ColumnHeading:
    alias = column.order_by_alias
    css = column.column.attrs.get("th", {}).get("class", "")
    if column.name == main:
        css = css.replace(" wide", "")
    elif column.name == "total" and main != "total":
        css = f"{css} wide"
    direction = "descending" if alias.is_descending else "ascending"
    return ColumnHeading(
        name=column.name,
        label=str(column.verbose_name),
        css=css,
        href=query.url(sort="" if alias.next == "rank" else str(alias.next)) if column.orderable else "",
        aria_sort=direction if column.is_ordered else "",
    )
