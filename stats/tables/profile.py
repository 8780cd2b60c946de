"""A player's page: which part of the results it is about, and the curve with its labels."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy

from league.core.numbers import decimal_text
from league.core.periods import ALL_TIME, Period, PeriodError, month_of, parse_period, year_of
from league.core.series import running, thinned
from league.models import League
from league.templatetags.tenbo.days import period_title
from stats.core.curves import path, scale_for, ticks, x_of
from stats.core.statistics import PROVISIONAL_BELOW, Run, Streak, Tally, placement_margin
from stats.selectors.profiles import LATEST, CurveStep, MonthPart, PlayerProfile, ProfileScope

HEIGHT, MARGIN = 220, 18
"""CSS pixels of the curve's drawing; its width is the page's."""

MAX_CURVE_STEPS, MAX_LABELS = 240, 4

MAX_MONTHS, MAX_OPPONENTS = 6, 5
"""So many are on the page before somebody asks for all."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A part of the results to switch to."""

    url: str
    label: str
    current: bool


def read_scope(league: League, text: str) -> ProfileScope | None:
    """Return the scope that an address names; None when it names none."""
    for latest in LATEST:
        if text == f"last-{latest}":
            return ProfileScope(ALL_TIME, latest)
    try:
        return ProfileScope(parse_period(text, league.first_month))
    except PeriodError:
        return None


def presets(league: League, scope: ProfileScope, today: date) -> list[Preset]:
    """Return the switch of the page; a period that is not among the usual ones comes last."""
    month, year = month_of(today), year_of(today, league.first_month)
    choices = [
        (ALL_TIME.key, pgettext("period", "All time")),
        (year.key, gettext("This year")),
        (_before(year, league).key, gettext("Last year")),
        (month.key, gettext("This month")),
        (month_of(month.start - timedelta(days=1)).key, gettext("Last month")),
        *(
            (f"last-{count}", ngettext("Latest %(count)s", "Latest %(count)s", count) % {"count": count})
            for count in LATEST
        ),
    ]
    return [Preset(f"?period={key}", label, key == scope.key) for key, label in choices]


def _before(year: Period, league: League) -> Period:
    return year_of(year.start - timedelta(days=1), league.first_month)


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across the curve: its height and the value it stands for, 1/1000 pt."""

    y: int
    value: int

    @property
    def text_y(self) -> int:
        """Where its label stands: just above the line."""
        return self.y - 4


@dataclass(frozen=True, slots=True)
class DayLabel:
    """A day under the curve, so many tenths of a percent from the left."""

    x: str
    day: date
    anchor: str


@dataclass(frozen=True, slots=True)
class PointsCurve:
    """The curve of cumulative points, ready to be drawn."""

    height: int
    path: str
    zero: int
    ticks: tuple[Tick, ...]
    labels: tuple[DayLabel, ...]
    end: int
    total: int
    lowest: int
    highest: int
    months: tuple[MonthPart, ...]
    margin: str
    is_provisional: bool


def points_curve(profile: PlayerProfile) -> PointsCurve | None:
    """Return what the page draws of a player's profile; None when nothing was played."""
    gains = profile.gains
    if not gains:
        return None
    sums = (0, *running([gain.points for gain in gains]))
    scale = scale_for(sums, HEIGHT, MARGIN)
    kept = thinned(len(sums), MAX_CURVE_STEPS)
    return PointsCurve(
        height=HEIGHT,
        path=path([sums[index] for index in kept], scale),
        zero=scale.y(0),
        ticks=tuple(Tick(scale.y(value), value) for value in ticks(scale)),
        labels=_labels(gains),
        end=scale.y(sums[-1]),
        total=sums[-1],
        lowest=min(sums),
        highest=max(sums),
        months=profile.months,
        margin=margin_text(profile),
        is_provisional=profile.placements.hanchan < PROVISIONAL_BELOW,
    )


class MonthLines(NamedTuple):
    """The latest months first, of so many that there are."""

    lines: tuple[MonthPart, ...]
    of: int

    @property
    def more(self) -> bool:
        """Whether some are left out."""
        return self.of > len(self.lines)


class SeasonLine(NamedTuple):
    """What a year of the league brought; as a MonthPart."""

    label: str
    hanchan: int
    halves: int
    points: int
    total: int


def month_lines(profile: PlayerProfile, *, whole: bool) -> MonthLines:
    """Return the months of a profile, the latest first: all of them, or as many as the page has room for."""
    latest = profile.months[::-1]
    return MonthLines(latest if whole else latest[:MAX_MONTHS], len(latest))


def season_lines(profile: PlayerProfile, league: League) -> list[SeasonLine]:
    """Return the years of a profile, the latest first; nothing where there is one at most."""
    lines = []
    for year, together in groupby(profile.months, key=lambda part: year_of(part.month, league.first_month)):
        parts = list(together)
        hanchan, halves, points = (sum(getattr(part, name) for part in parts) for name in SeasonLine._fields[1:4])
        lines.append(SeasonLine(period_title(year), hanchan, halves, points, parts[-1].total))
    return lines[::-1] if len(lines) > 1 else []


class BustLine(NamedTuple):
    """How often the player went bust in so many hanchan; called otherwise where play goes on below zero."""

    label: Promise
    times: int
    hanchan: int


def bust_line(tally: Tally) -> BustLine:
    """Return how often a player went bust, or below zero where most hanchan go on then."""
    if 2 * tally.bustable >= tally.with_raw:
        return BustLine(pgettext_lazy("statistic", "Bust rate"), tally.busts, tally.bustable)
    return BustLine(pgettext_lazy("statistic", "Below-zero rate"), tally.below_zero, tally.with_raw)


def margin_text(profile: PlayerProfile) -> str:
    """Return how far luck alone moves the average placement; empty without hanchan."""
    margin = placement_margin(profile.placements.hanchan, profile.players)
    return decimal_text(margin, 2) if margin is not None else ""


STREAKS: dict[Run, Promise] = {
    Run.FIRST: pgettext_lazy("streak", "1st"),
    Run.TOP_TWO: pgettext_lazy("streak", "Top two"),
    Run.NOT_LAST: pgettext_lazy("streak", "Not last"),
    Run.NOT_FIRST: pgettext_lazy("streak", "Without a first"),
    Run.BOTTOM_HALF: pgettext_lazy("streak", "Third or lower"),
    Run.LAST: pgettext_lazy("streak", "Last"),
}

WINDS: tuple[Promise, ...] = (
    pgettext_lazy("seat", "East, first dealer"),
    pgettext_lazy("seat", "South"),
    pgettext_lazy("seat", "West"),
    pgettext_lazy("seat", "North"),
)


def streak_lines(profile: PlayerProfile) -> list[tuple[str, Streak]]:
    """Return the streaks with their names."""
    return [(str(label), profile.streaks[run]) for run, label in STREAKS.items()]


def seat_lines(profile: PlayerProfile) -> list[tuple[str, Tally]]:
    """Return the results by starting seat with the seats' names."""
    return [(str(WINDS[seat]), tally) for seat, tally in profile.seats.items()]


def _labels(gains: tuple[CurveStep, ...]) -> tuple[DayLabel, ...]:
    marks = thinned(len(gains), MAX_LABELS)
    last = len(gains) - 1
    anchors = {0: "start", last: "end"}
    return tuple(
        DayLabel(f"{x_of(index, last) // 10}%", gains[index].day, anchors.get(index, "middle")) for index in marks
    )
