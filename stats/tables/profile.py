"""A player's page: the selected part of the results, and how certain the figures are."""

from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import ngettext, pgettext_lazy

from league.core.board_lines import TWELFTHS
from league.core.numbers import decimal_text
from league.core.periods import ALL_TIME, PeriodError, parse_period, year_of
from league.messages import period_title
from league.models import League
from stats.core.careers import Stretch
from stats.core.statistics import PROVISIONAL_BELOW, Run, Tally, placement_margin
from stats.selectors.profiles import LATEST, MonthPart, PlayerProfile, ProfileScope
from stats.tables.period_switch import Preset, address_of, usual_periods

MAX_MONTHS, MAX_OPPONENTS = 12, 3
"""Number of items shown until the full list is requested."""


def read_scope(league: League, text: str) -> ProfileScope | None:
    for latest in LATEST:
        if text == f"last-{latest}":
            return ProfileScope(ALL_TIME, latest)
    try:
        return ProfileScope(parse_period(text, league.first_month))
    except PeriodError:
        return None


def period_choices(league: League, scope: ProfileScope, today: date) -> tuple[list[Preset], dict[str, str]]:
    """Return the switch, where an unusual scope comes first, and the other usual periods by key."""
    others = usual_periods(league, today)
    for count in LATEST:
        others[f"last-{count}"] = ngettext("Latest %(count)s", "Latest %(count)s", count) % {"count": count}
    shown = {key: others.pop(key) for key in (ALL_TIME.key, *list(others)[1:4:2], f"last-{LATEST[0]}")}
    if scope.key not in shown:
        shown = {scope.key: others.pop(scope.key, "") or period_title(scope.period), **shown}
    return [Preset(address_of(key), label, key == scope.key) for key, label in shown.items()], others


@dataclass(frozen=True, slots=True)
class PlacementMargin:
    """How far luck alone moves the average placement, and whether there are too few hanchan to be meaningful."""

    margin: str
    is_provisional: bool


def placement_margin_of(profile: PlayerProfile) -> PlacementMargin | None:
    if not profile.gains:
        return None
    hanchan = profile.placements.hanchan
    margin = placement_margin(hanchan, profile.players)
    return PlacementMargin(decimal_text(margin, 2) if margin is not None else "", hanchan < PROVISIONAL_BELOW)


class MonthLines(NamedTuple):
    """The months, latest first. `is_whole`: the full list was requested."""

    lines: tuple[MonthPart, ...]
    of: int
    is_whole: bool


class SeasonLine(NamedTuple):
    """A year's points; see MonthPart."""

    label: str
    hanchan: int
    halves: int
    points: int
    total: int


def month_lines(profile: PlayerProfile, *, whole: bool) -> MonthLines:
    latest = profile.months[::-1]
    return MonthLines(latest if whole else latest[:MAX_MONTHS], len(latest), whole)


def season_lines(profile: PlayerProfile, league: League) -> list[SeasonLine]:
    lines = []
    for year, together in groupby(profile.months, key=lambda part: year_of(part.month, league.first_month)):
        parts = list(together)
        hanchan, halves, points = (sum(getattr(part, name) for part in parts) for name in SeasonLine._fields[1:4])
        lines.append(SeasonLine(period_title(year), hanchan, halves, points, parts[-1].total))
    return lines[::-1] if len(lines) > 1 else []


class BustLine(NamedTuple):
    """Busts in a number of hanchan; labelled differently where play continues below zero."""

    label: Promise
    twelfths: int
    hanchan: int


def bust_line(tally: Tally) -> BustLine:
    if 2 * tally.bustable >= tally.with_raw:
        return BustLine(pgettext_lazy("statistic", "Bust rate"), TWELFTHS * tally.busts, tally.bustable)
    return BustLine(pgettext_lazy("statistic", "Below-zero rate"), TWELFTHS * tally.below_zero, tally.with_raw)


STREAKS: dict[Run, Promise] = {
    Run.FIRST: pgettext_lazy("streak", "1st"),
    Run.TOP_TWO: pgettext_lazy("streak", "Top two"),
    Run.NOT_LAST: pgettext_lazy("streak", "Not last"),
    Run.NOT_FIRST: pgettext_lazy("streak", "No 1st"),
    Run.BOTTOM_HALF: pgettext_lazy("streak", "Third or lower"),
    Run.LAST: pgettext_lazy("streak", "Last"),
}

WINDS: tuple[Promise, ...] = (
    pgettext_lazy("seat", "East, first dealer"),
    pgettext_lazy("seat", "South"),
    pgettext_lazy("seat", "West"),
    pgettext_lazy("seat", "North"),
)


def streak_lines(profile: PlayerProfile) -> list[tuple[str, Stretch]]:
    return [(str(label), profile.streaks[run]) for run, label in STREAKS.items()]


def seat_lines(profile: PlayerProfile) -> list[tuple[str, Tally]]:
    return [(str(WINDS[seat]), tally) for seat, tally in profile.seats.items()]
