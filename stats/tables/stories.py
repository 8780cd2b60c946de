"""The race of a story as its page shows it: as lines and as a table."""

from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from league.core.periods import PeriodKind, parse_period
from league.models import League, Standing
from stats.core.charts.lines import LinePicture
from stats.selectors.stories import PeriodStory
from stats.tables.period_switch import address_of
from stats.tables.race import RaceDay, points_picture


@dataclass(frozen=True, slots=True)
class RaceOfStory:
    """The race of the first: who they are, the picture, and their totals in 1/1000 pt after each step.

    `by_month`: whether a step is a month; its last day stands for it.
    """

    lines: tuple[Standing, ...]
    picture: LinePicture
    by_month: bool
    rows: tuple[tuple[date, tuple[int, ...]], ...]


def race_of_story(league: League, story: PeriodStory) -> RaceOfStory | None:
    """Return the race of a story, None where nobody is ranked or nothing came on a day of its own."""
    if not story.race or not story.steps:
        return None
    lines, curves = zip(*story.race, strict=True)
    race = reverse("stats:race", args=[league.slug])
    people = [line.player_id for line in lines]
    days = [_last_day(step) for step in story.steps]
    steps = [RaceDay(day, race + address_of(story.period.key, people, on=f"{day}"), current=False) for day in days]
    return RaceOfStory(
        lines=lines,
        picture=points_picture(curves, [line.player for line in lines], steps),
        by_month=story.period.kind is PeriodKind.YEAR,
        rows=tuple(zip(days, zip(*curves, strict=True), strict=True)),
    )


def _last_day(step: str) -> date:
    """Return the day of a step that is one, the last of one that is a month."""
    return date.fromisoformat(step) if step.count("-") > 1 else parse_period(step).last
