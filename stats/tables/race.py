"""The page of a race: points and ranks over time, and the standings on a day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from league.core.periods import Period, PeriodKind
from league.models import Player
from stats.core.charts.lines import LinePicture, LinePlot, Strip, Values, line_plot, rank_plot, ranks_over_time
from stats.core.charts.scales import scale_for, ticks
from stats.selectors.together import Race
from stats.tables.period_switch import address_of

MAX_PEOPLE = 8
NEAR = 3
"""Number of steps offered before and after the current one, besides first and last."""

POINTS_HEIGHT, RANKS_HEIGHT, MARGIN = 300, 260, 18


@dataclass(frozen=True, slots=True)
class RaceTap:
    """A tappable part of the chart: its last step and link."""

    strip: Strip
    day: date
    url: str


@dataclass(frozen=True, slots=True)
class RaceDay:
    """A selectable step. `current`: shown now."""

    day: date
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class RaceLine:
    """A player's line after a step: rank, points and gain in 1/1000 pt; None before the first points."""

    player: Player
    rank: int | None
    points: int | None
    gained: int | None


@dataclass(frozen=True, slots=True)
class RacePage:
    """The content of a race page. `board`: key of the period whose board shows the selected day."""

    points: LinePicture
    ranks: LinePicture
    days: Sequence[RaceDay]
    before: RaceDay | None
    after: RaceDay | None
    day: date
    standing: Sequence[RaceLine]
    board: str
    rows: Sequence[tuple[date, Sequence[tuple[int | None, int | None]]]]


def race_page(race: Race, people: Sequence[Player], period: Period, on: date | None, chosen: Sequence[int]) -> RacePage:
    """Return the page of a race with at least one step. `on`: selected day, by default the last step."""
    ranks = ranks_over_time(race.sums)
    sums = [race.sums[player.pk] for player in people]
    places = [ranks[player.pk] for player in people]
    shown = max((step for step, day in enumerate(race.steps) if on is None or day <= on), default=0)
    bump = rank_plot(places, RANKS_HEIGHT, MARGIN)
    steps = enumerate(race.steps)
    days = [RaceDay(day, address_of(period.key, chosen, on=f"{day}"), step == shown) for step, day in steps]
    return RacePage(
        points=points_picture(sums, people, days),
        ranks=_picture(bump, people, days),
        days=[each for step, each in enumerate(days) if step in {0, len(days) - 1} or abs(step - shown) <= NEAR],
        before=days[shown - 1] if shown else None,
        after=days[shown + 1] if shown + 1 < len(days) else None,
        day=race.steps[shown],
        standing=_standing(people, sums, places, shown),
        board=_board(period, race.steps[0], race.steps[shown]),
        rows=[
            (day, [(own[step], their[step]) for own, their in zip(sums, places, strict=True)])
            for step, day in enumerate(race.steps)
        ],
    )


def points_picture(sums: Sequence[Values], people: Sequence[Player], days: Sequence[RaceDay]) -> LinePicture:
    scale = scale_for((value for own in sums for value in own if value is not None), POINTS_HEIGHT, MARGIN)
    return _picture(line_plot([(0, *own) for own in sums], scale, ticks(scale)), people, days, start=1)


def _picture(plot: LinePlot, people: Sequence[Player], days: Sequence[RaceDay], start: int = 0) -> LinePicture:
    return LinePicture(
        plot=plot,
        days=[(place, days[step - start].day) for step, place in plot.label_steps(2)],
        taps=[RaceTap(strip, days[strip.last - start].day, days[strip.last - start].url) for strip in plot.strips],
        names=list(zip(plot.lines, people, strict=True)),
    )


def _standing(
    people: Sequence[Player], sums: Sequence[Sequence[int | None]], ranks: Sequence[Sequence[int | None]], step: int
) -> list[RaceLine]:
    lines = []
    for player, own, places in zip(people, sums, ranks, strict=True):
        now, before = own[step], own[step - 1] if step else None
        lines.append(RaceLine(player, places[step], now, None if now is None else now - (before or 0)))
    return sorted(lines, key=lambda line: (line.rank is None, line.rank or 0))


def _board(period: Period, first: date, day: date) -> str:
    start = first if period.kind is PeriodKind.ALL else period.start
    return f"{start}..{day}"
