from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate, groupby

from league.models import League, Session
from stats.core.charts.bars import BoxPlot, DrawnBox, Rise, Waterfall, box_plot, waterfall
from stats.core.charts.heat import CalendarMonth, calendar_months, level
from stats.core.charts.lines import LinePicture, line_plot
from stats.core.charts.scales import scale_for, ticks
from stats.core.statistics import PROVISIONAL_BELOW, Tally
from stats.selectors.profiles import PlayerProfile

HEIGHT, MARGIN = 180, 18
"""CSS pixels; the width is the page's."""

MAX_RISES = 24
"""With more sessions than this a waterfall has one step per month, with more months one per year."""

MAX_BOXES = 8
LEAST_IN_A_BOX = 5

MONTHS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Spell:
    """Consecutive steps of a player: days, hanchan, gain and total.

    Points in 1/1000 pt. `session`: the only session of the day by primary key, if all are hanchan of one day.
    """

    first: date
    last: date
    hanchan: int
    points: int
    total: int
    session: int | None = None

    @property
    def key(self) -> str:
        return f"{self.first}..{self.last}"


@dataclass(frozen=True, slots=True)
class SeatPicture:
    """How often the player finished in each place from one seat (first dealer 0)."""

    seat: int
    tally: Tally
    cells: tuple[tuple[int, int, int], ...]
    """Placement, count in twelfths and shade."""


@dataclass(frozen=True, slots=True)
class PlayerPictures:
    """All charts of a player page. The curve's strips and marks link to its parts.

    `group`: hanchan per box, 0 if one box holds all. `by`: whether a waterfall step is a session, a month or a year.
    """

    curve: LinePicture
    total: int
    lowest: int
    highest: int
    seats: tuple[SeatPicture, ...]
    calendar: tuple[CalendarMonth, ...]
    boxes: BoxPlot | None
    box_lines: tuple[tuple[DrawnBox, int, int, Spell], ...]
    group: int
    falls: Waterfall
    fall_lines: tuple[tuple[Rise, Spell], ...]
    by: str


def player_pictures(league: League, profile: PlayerProfile) -> PlayerPictures | None:
    """Return the charts of a profile; None if there is nothing to draw. One query."""
    gains = profile.gains
    if not gains:
        return None
    sums = (*accumulate((gain.points for gain in gains), initial=0),)
    scale = scale_for(sums, HEIGHT, MARGIN)
    curve = line_plot([sums], scale, ticks(scale))
    totals = zip(gains, sums[1:], strict=True)
    steps = [Spell(day, day, played, gained, total) for (day, gained, played), total in totals]
    spells = [_one(steps[strip.first - 1 : strip.last]) for strip in curve.strips]
    days = _joined(steps, lambda spell: spell.first)
    by, falling = _by(days)
    falls = waterfall([spell.points for spell in falling])
    boxes, box_lines, group = _boxes(steps)
    return PlayerPictures(
        curve=LinePicture(
            plot=curve,
            days=[(place, gains[step - 1].day) for step, place in curve.label_steps(3)],
            taps=list(zip(curve.strips, curve.lines[0].marks, _with_sessions(league, spells), strict=True)),
        ),
        total=sums[-1],
        lowest=min(sums),
        highest=max(sums),
        seats=tuple(_seat(seat, tally, profile.players) for seat, tally in profile.seats.items()),
        calendar=calendar_months({day.first: day.hanchan for day in days}, gains[-1].day, MONTHS_SHOWN),
        boxes=boxes,
        box_lines=box_lines,
        group=group,
        falls=falls,
        fall_lines=tuple(zip(falls.rises, falling, strict=True)),
        by=by,
    )


def _by(days: Sequence[Spell]) -> tuple[str, tuple[Spell, ...]]:
    months = _joined(days, lambda spell: (spell.first.year, spell.first.month))
    if len(days) <= MAX_RISES:
        return "evening", tuple(days)
    return ("month", months) if len(months) <= MAX_RISES else ("year", _joined(months, lambda spell: spell.first.year))


def _joined(parts: Iterable[Spell], what: Callable[[Spell], object]) -> tuple[Spell, ...]:
    return tuple(_one([*together]) for _, together in groupby(parts, what))


def _one(parts: Sequence[Spell]) -> Spell:
    hanchan, points = sum(part.hanchan for part in parts), sum(part.points for part in parts)
    return Spell(parts[0].first, parts[-1].last, hanchan, points, parts[-1].total)


def _with_sessions(league: League, spells: Sequence[Spell]) -> list[Spell]:
    """Add links to sessions to the spells that have one. One query."""
    days = {spell.first for spell in spells if spell.first == spell.last and spell.hanchan}
    sessions = Session.objects.filter(league=league, date__in=days).order_by().values_list("date", "pk")
    found = dict(sessions)
    several = {day for day, count in Counter(day for day, _ in sessions).items() if count > 1}
    return [
        replace(each, session=found.get(each.first))
        if each.first in days - several and each.first == each.last and each.hanchan
        else each
        for each in spells
    ]


def _seat(seat: int, tally: Tally, players: int) -> SeatPicture:
    counts = tally.places[:players]
    cells = tuple((place, count, level(count, sum(counts))) for place, count in enumerate(counts, 1))
    return SeatPicture(seat, tally, cells)


def _boxes(steps: Sequence[Spell]) -> tuple[BoxPlot | None, tuple[tuple[DrawnBox, int, int, Spell], ...], int]:
    """Return box plots of equal numbers of hanchan, the first and last hanchan of each box, and its size.

    A remainder of at least LEAST_IN_A_BOX gets its own box. Hanchan stored as daily sums, and all before them, are in
    no box.
    """
    known_from = max((number for number, gain in enumerate(steps, 1) if gain.hanchan > 1), default=0)
    before = sum(gain.hanchan for gain in steps[:known_from])
    played = [gain for gain in steps[known_from:] if gain.hanchan]
    if len(played) < LEAST_IN_A_BOX:
        return None, (), 0
    group = PROVISIONAL_BELOW * -(-len(played) // (PROVISIONAL_BELOW * MAX_BOXES))
    starts = list(range(0, len(played), group))
    if len(starts) > 1 and len(played) - starts[-1] < LEAST_IN_A_BOX:
        starts.pop()
    parts = [played[start:end] for start, end in zip(starts, [*starts[1:], len(played)], strict=True)]
    drawn = box_plot([[gain.points for gain in part] for part in parts])
    lines = tuple(
        (box, before + start + 1, before + start + len(part), _one(part))
        for box, start, part in zip(drawn.boxes, starts, parts, strict=True)
    )
    return drawn, lines, group if len(parts) > 1 else 0
