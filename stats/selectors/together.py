"""The careers of several players at once: months as they are kept, and other days put together from their seats."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import date
from operator import itemgetter
from typing import Any

from django.db.models import Q

from league.core.periods import Period, month_of
from league.models import League, Player, Seat
from league.selectors.board_parts import divided
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import Days
from stats.core.careers import Career, from_json, joined
from stats.core.statistics import HeadToHead
from stats.models import KeptMonth, PlayerMonth
from stats.selectors.career_seats import CareerRows, careers_of, seat_rows
from stats.selectors.careers import on_days, on_days_of_play, up_to_date

PARTS = [field.name for field in fields(Career)]
"""What a career has, in the order in which it is kept."""


@dataclass(frozen=True, slots=True)
class KeptMonths:
    """The months inside a period that are kept and up to date: their place in time by primary key, and the other days."""

    places: Mapping[int, int]
    days: tuple[Days, ...]


def kept_months(league: League, period: Period) -> KeptMonths:
    """Return what of a period need not be looked at again. One query."""
    within = (f"{period.start:%Y-%m}", f"{period.last:%Y-%m}")
    rows = up_to_date(KeptMonth.objects.filter(league=league, period__range=within)).order_by("period")
    found = ((month_of(date.fromisoformat(f"{key}-01")), pk) for key, pk in rows.values_list("period", "pk"))
    months = {month: pk for month, pk in found if period.start <= month.start and month.end <= period.end}
    places, days = divided(period, list(months))
    return KeptMonths({pk: places[month.key] for month, pk in months.items()}, tuple(days))


def careers_together(league: League, players: Collection[Player], period: Period) -> dict[int, Career]:
    """Return what the hanchan of these players come to in a period, by player. Three queries, whatever was played."""
    wanted = {player.pk for player in players}
    kept = kept_months(league, period)
    parts: dict[int, list[tuple[int, Career]]] = {player: [] for player in wanted}
    rows = PlayerMonth.objects.filter(month__in=list(kept.places), player__in=wanted)
    for month, player, career in rows.values_list("month_id", "player_id", "career"):
        parts[player].append((kept.places[month], from_json(career)))
    own = Seat.objects.counted().filter(on_days(kept.days), league=league, player__in=wanted).order_by()
    days_of_play = on_days_of_play(kept.days)
    seats = seat_rows(league, Q(hanchan_id__in=own.values("hanchan_id")), days_of_play) if kept.days else CareerRows()
    for days in kept.days:
        careers = careers_of(seats.between(days.start, days.end))
        for player in wanted & careers.keys():
            parts[player].append((days.place, careers[player]))
    return {player: joined([career for _, career in sorted(own, key=itemgetter(0))]) for player, own in parts.items()}


Gains = dict[date, int]
"""Points in 1/1000 pt by day."""


def gains_by_day(league: League, period: Period) -> dict[int, Gains]:
    """Return what each day of a period brought everybody who has points in it, with and without hanchan. Four queries."""
    kept = kept_months(league, period)
    gains: dict[int, Gains] = defaultdict(lambda: defaultdict(int))
    for player, days in _kept_part(kept, "days"):
        for day, _, _, points in days:
            gains[player][date.fromordinal(day)] += sum(points)
    if kept.days:
        for seat in seat_rows(league, on_days(kept.days) & Q(league=league)).seats:
            gains[seat.player][seat.day] += seat.points + seat.total_only
    for line in points_without_hanchan(league, period):
        gains[line.player][line.day] += line.points
    return {player: dict(days) for player, days in gains.items()}


def meetings_among(league: League, players: Collection[int], period: Period) -> dict[tuple[int, int], HeadToHead]:
    """Return how each of these players did against each of the others that they met. Three queries."""
    kept, wanted = kept_months(league, period), set(players)
    found: dict[tuple[int, int], list[int]] = {}
    for player, met in _kept_part(kept, "met", wanted):
        for opponent, counts in met.items():
            if int(opponent) in wanted:
                _add(found, (player, int(opponent)), counts)
    seats = seat_rows(league, on_days(kept.days) & Q(league=league)) if kept.days else CareerRows()
    for player, career in careers_of(seats).items():
        for opponent, counts in career.met.items():
            if player in wanted and opponent in wanted:
                _add(found, (player, opponent), counts)
    return {pair: HeadToHead(pair[1], *counts) for pair, counts in found.items()}


def _add(found: dict[tuple[int, int], list[int]], pair: tuple[int, int], counts: Collection[int]) -> None:
    known = found.get(pair)
    found[pair] = [one + other for one, other in zip(known, counts, strict=True)] if known else list(counts)


def _kept_part(kept: KeptMonths, part: str, players: Collection[int] | None = None) -> list[tuple[int, Any]]:
    """Return one part of the careers that are kept, by player and month, as JSON. One query."""
    rows = PlayerMonth.objects.filter(month__in=list(kept.places))
    if players is not None:
        rows = rows.filter(player__in=players)
    return list(rows.values_list("player_id", f"career__{PARTS.index(part)}"))


def gains_of_careers(
    league: League, players: Collection[Player], period: Period, careers: Mapping[int, Career]
) -> dict[int, Gains]:
    """Return what each day of a period brought these players, whose careers are known. One query."""
    gains = {
        player.pk: defaultdict(int, {each.on: sum(each.gains) for each in careers[player.pk].days})
        for player in players
    }
    for line in points_without_hanchan(league, period, gains):
        gains[line.player][line.day] += line.points
    return {player: dict(days) for player, days in gains.items()}
