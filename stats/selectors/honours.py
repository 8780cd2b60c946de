"""A player's titles in past periods, sessions won, and achievements."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import attrgetter

from django.db.models import Exists, F, OuterRef, Q

from league.core.periods import ALL_TIME, Period, PeriodKind, month_of, neighbours, parse_period
from league.models import Incident, League, Player, Seat
from league.selectors.board_parts import divided
from league.selectors.standings_sql import Days, points_column
from stats.core.careers import PARTS, Career, from_parts
from stats.core.feats import Achieved, Feat, FeatSeat, PlayedMonth, earned, in_question
from stats.core.titles import load_titles
from stats.models import Award, KeptSums, OwnTitle
from stats.selectors.careers import earliest_open_day, on_days, still_true
from stats.selectors.titles import given_titles

KINDS = (PeriodKind.ALL, PeriodKind.YEAR, PeriodKind.MONTH)
"""Titles of the longest periods come first."""


@dataclass(frozen=True, slots=True)
class HeldTitle:
    """A title held `times` times in one kind of period, most recently in `latest`.

    `own`: name of a league's own title.
    """

    key: str
    own: Mapping[str, str]
    kind: PeriodKind
    times: int
    latest: Period


@dataclass(frozen=True, slots=True)
class Honours:
    """A player's titles and achievements. `evenings`: number of sessions won."""

    titles: tuple[HeldTitle, ...]
    evenings: int
    achievements: tuple[Achieved, ...]

    @property
    def are_any(self) -> bool:
        return bool(self.titles or self.evenings or self.achievements)


def honours_of(league: League, player: Player, now: datetime) -> Honours:
    """Return a player's honours. At most seven queries, two more in the days after the end of a month."""
    rows = still_true(KeptSums.objects.filter(league=league, player=player)).order_by("period")
    columns = (f"sums__{PARTS.index(part)}" for part in ("seats", "runs", "records", "met"))
    kept = {parse_period(key): from_parts(*parts) for key, *parts in rows.values_list("period", *columns)}
    _, between = divided(ALL_TIME, list(kept))
    played, won = _by_month(league, player, on_days(between), earliest_open_day(now))
    achieved = _achieved(league, player, kept, played, now)
    awards = list(Award.objects.filter(league=league, player=player).values_list("key", "period", "count"))
    months = {month.key for month in kept}
    evenings = sum(count for key, period, count in awards if key == Award.EVENINGS and period in months)
    return Honours(
        _titles(league, player, [(key, name) for key, name, _ in awards if key != Award.EVENINGS], now),
        evenings + won,
        tuple(achieved[feat] for feat in Feat if feat in achieved),
    )


def _titles(league: League, player: Player, awards: Sequence[tuple[str, str]], now: datetime) -> tuple[HeldTitle, ...]:
    """Return titles of finished periods, and all-time titles from the current board."""
    today, open_from = league.day_of(now), earliest_open_day(now)
    before = (neighbours(period)[0] for period in league.periods_of(today)[:2])
    # A month is stored some days after its end; until then its board is read.
    on_boards = [ALL_TIME, *(period for period in before if period is not None and period.end > open_from)]
    own = {title.key: title for title in OwnTitle.objects.filter(league=league)}
    held = [(key, parse_period(name, league.first_month)) for key, name in awards]
    held = [(key, period) for key, period in held if period.end <= today and period not in on_boards]
    given = [*load_titles(), *(title.read() for title in own.values() if not title.withdrawn)]
    for period in on_boards:
        standings = given_titles(league, period, given)
        held += [(each.rule.key, period) for each in standings if player.pk in each.standing.holders]
    by_kind: dict[tuple[str, PeriodKind], list[Period]] = {}
    for key, period in held:
        by_kind.setdefault((key, period.kind), []).append(period)
    titles = [
        HeldTitle(
            key, own[key].read().name if key in own else {}, kind, len(periods), max(periods, key=attrgetter("start"))
        )
        for (key, kind), periods in by_kind.items()
    ]
    return tuple(sorted(titles, key=lambda title: (KINDS.index(title.kind), title.key != "overall", title.key)))


def _achieved(
    league: League, player: Player, kept: Mapping[Period, Career], played: Mapping[Period, PlayedMonth], now: datetime
) -> dict[Feat, Achieved]:
    open_from = earliest_open_day(now)
    months = {month: PlayedMonth(month.last, month.end <= open_from, career) for month, career in kept.items()}
    months = dict(sorted((months | dict(played)).items(), key=lambda each: each[0].start))
    asked = {month.last for month in in_question(months.values())}
    wanted = [month for month in months if month.last in asked]
    if wanted:
        days = on_days([Days(0, month.start, month.end) for month in wanted])
        for month, found in _by_month(league, player, days, open_from, part="hanchan_id")[0].items():
            months[month] = months[month]._replace(seats=found.seats)
    return earned(months.values(), league.minimum_month)


def _by_month(
    league: League, player: Player, days: Q, open_from: date, part: str = "hanchan__session_id"
) -> tuple[dict[Period, PlayedMonth], int]:
    """Return a player's hanchan by month, and the number of sessions won (not with `part` "hanchan_id"). One query."""
    own = Seat.objects.counted().filter(days, league=league, player=player).order_by()
    yakuman = Incident.objects.filter(kind=Incident.Kind.YAKUMAN, hanchan=OuterRef("hanchan"), seat=OuterRef("seat"))
    seats = Seat.objects.counted().filter(days, Q(**{f"{part}__in": own.values(part)}), league=league)
    rows = seats.order_by("day", "played_at", "hanchan_id").values_list(
        *("hanchan__session_id", "hanchan_id", "day", "player_id"),
        *(F(points_column(league)) + F("total_only"), "seat", "placement", "raw_score", Exists(yakuman)),
    )
    evenings: dict[tuple[int, date], Counter[int]] = {}
    found: dict[Period, list[FeatSeat]] = {}
    for (session, hanchan, day), together in groupby(rows, lambda row: row[:3]):
        table = {row[3]: row[4:] for row in together}
        evenings.setdefault((session, day), Counter()).update({each: row[0] for each, row in table.items()})
        if player.pk not in table:
            continue
        _, seat, placement, raw, has_yakuman = table.pop(player.pk)
        found.setdefault(month_of(day), []).append(
            FeatSeat(
                hanchan=hanchan,
                day=day,
                seat=seat,
                placement=placement,
                players=len(table) + 1,
                raw=raw,
                has_yakuman=has_yakuman,
                met=tuple(table),
                beaten=tuple(other for other, (_, _, place, *_) in table.items() if placement < place),
            )
        )
    months = {month: PlayedMonth(month.last, month.end <= open_from, seats=own) for month, own in found.items()}
    return months, sum(sums.get(player.pk) == max(sums.values()) for sums in evenings.values())
