"""Comparison of players: their figures side by side, and their results against each other."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import accumulate, combinations

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from league.core.board_lines import TWELFTHS
from league.core.numbers import rounded, small_number
from league.models import Player
from stats.core.careers import Career
from stats.core.charts.heat import rate_level
from stats.core.charts.lines import LinePicture, Strip, line_plot
from stats.core.charts.scales import scale_for, ticks
from stats.core.estimates import LEAST_HANCHAN, Sample, chance_apart, chance_of_pairs, whole_percent
from stats.core.statistics import RATE_FROM, HeadToHead, Tally
from stats.core.titles import Better
from stats.selectors.together import Gains
from stats.tables.period_switch import address_of


@dataclass(frozen=True, slots=True)
class PersonChoice:
    player: Player
    is_chosen: bool


def people_named(query: QueryDict, players: Collection[int], most: int) -> list[int]:
    """Return the players named in the query string: without duplicates, in its order, at most `most`."""
    named = dict.fromkeys(small_number(text, 0) for text in query.getlist("p"))
    return [player for player in named if player in players][:most]


def person_choices(players: Iterable[Player], chosen: Sequence[int]) -> list[PersonChoice]:
    in_order = sorted(players, key=lambda each: (each.sort_key, each.pk))
    return [PersonChoice(player, player.pk in chosen) for player in in_order]


MAX_COMPARED = 4
HEIGHT, MARGIN = 280, 18


@dataclass(frozen=True, slots=True)
class FigureCell:
    """One person's figure, None without hanchan, and its difference from the first person's.

    `is_worse`: whether the difference is unfavourable; never for the number of hanchan.
    """

    value: int | None
    difference: int | None
    is_worse: bool = False


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of all compared players. `kind`: count, points (1/1000 pt), placement or rate (both 1/1000)."""

    label: str | Promise
    kind: str
    cells: Sequence[FigureCell]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players, in common hanchan and overall. `common`: None if they never met.

    `paired`, `apart`: probability in percent that the first is better, from common hanchan and from all hanchan; None
    if unclear.
    """

    first: Player
    second: Player
    common: HeadToHead | None
    paired: "Verdict | None"
    apart: "Verdict | None"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The better player, with the probability in percent."""

    better: Player
    other: Player
    percent: int


@dataclass(frozen=True, slots=True)
class CompareTap:
    """A strip of the curves that links to the comparison of its days."""

    strip: Strip
    first: date
    last: date
    url: str


@dataclass(frozen=True, slots=True)
class ComparedCurves:
    """The curves over all days of play, and the same data as rows: day and totals."""

    picture: LinePicture
    rows: Sequence[tuple[date, Sequence[int]]]


def _part(count: int, tally: Tally, parts: int = TWELFTHS) -> int | None:
    return rounded(Fraction(1000 * count, parts * tally.games)) if tally.games else None


def _rounded(mean: Fraction | None, unit: int) -> int | None:
    return unit * rounded(mean / unit) if mean is not None else None


def figures(people: Sequence[Player], careers: Mapping[int, Career], totals: Mapping[int, int]) -> list[FigureRow]:
    """Return figures of all people, each with its difference from the first person's.

    `totals`: points including those without hanchan.
    """
    own = [careers[player.pk] for player in people]
    tallies, bests = [career.tally for career in own], [career.records for career in own]
    means = [tally.average_placement for tally in tallies]
    rows: list[tuple[str | Promise, str, Better | None, list[int | None]]] = [
        (gettext_lazy("Hanchan"), "count", None, [tally.games for tally in tallies]),
        (gettext_lazy("Total points"), "points", Better.HIGH, [totals[player.pk] for player in people]),
        (
            gettext_lazy("Points per hanchan"),
            "points",
            Better.HIGH,
            [_rounded(tally.average_points, 100) for tally in tallies],
        ),
        (
            gettext_lazy("Average placement"),
            "placement",
            Better.LOW,
            [_rounded(1000 * mean if mean else None, 1) for mean in means],
        ),
        (gettext_lazy("1st rate"), "rate", Better.HIGH, [_part(tally.places[0], tally) for tally in tallies]),
        (gettext_lazy("Top-2 rate"), "rate", Better.HIGH, [_part(tally.top_two, tally) for tally in tallies]),
        (gettext_lazy("Last avoidance"), "rate", Better.HIGH, [_part(tally.not_last, tally) for tally in tallies]),
        (gettext_lazy("Plus rate"), "rate", Better.HIGH, [_part(tally.plus, tally, 1) for tally in tallies]),
        (gettext_lazy("Below-zero rate"), "rate", Better.LOW, [_part(tally.busts, tally, 1) for tally in tallies]),
        (gettext_lazy("Most points"), "points", Better.HIGH, [best and best.most_points.points for best in bests]),
        (gettext_lazy("Fewest points"), "points", Better.HIGH, [best and best.fewest_points.points for best in bests]),
    ]
    return [FigureRow(label, kind, _cells(values, better)) for label, kind, better, values in rows]


def _cells(values: Sequence[int | None], better: Better | None) -> list[FigureCell]:
    first = values[0]
    return [
        FigureCell(value, None)
        if not number or value is None or first is None
        else FigureCell(
            value, value - first, better is not None and (value < first if better is Better.HIGH else value > first)
        )
        for number, value in enumerate(values)
    ]


def pairings(people: Sequence[Player], careers: Mapping[int, Career]) -> list[Pairing]:
    return [_pairing(one, other, careers) for one, other in combinations(people, 2)]


def _pairing(one: Player, other: Player, careers: Mapping[int, Career]) -> Pairing:
    common = careers[one.pk].against(other.pk)
    own, theirs = _sample(careers[one.pk]), _sample(careers[other.pk])
    met = common.games if common else 0
    paired = apart = None
    if common:
        lead = Sample(common.games, common.points - common.their_points, common.lead_squares)
        paired = _verdict(one, other, chance_of_pairs(lead))
    if min(own.values, theirs.values) - met >= LEAST_HANCHAN:
        apart = _verdict(one, other, chance_apart(own, theirs))
    return Pairing(one, other, common, paired, apart)


def _sample(career: Career) -> Sample:
    tally = career.tally
    return Sample(tally.games, tally.points, tally.points_squares)


def _verdict(one: Player, other: Player, chance: float | None) -> Verdict | None:
    if chance is None:
        return None
    percent = whole_percent(chance)
    return Verdict(one, other, percent) if percent >= HALF else Verdict(other, one, 100 - percent)


HALF = 50


def curves(people: Sequence[Player], gains: Mapping[int, Gains]) -> ComparedCurves | None:
    days = sorted({day for player in people for day in gains[player.pk]})
    if not days:
        return None
    series = [[*accumulate((gains[player.pk].get(day, 0) for day in days), initial=0)] for player in people]
    scale = scale_for((value for own in series for value in own), HEIGHT, MARGIN)
    plot = line_plot(series, scale, ticks(scale))
    return ComparedCurves(
        picture=LinePicture(
            plot=plot,
            days=[(place, days[step - 1]) for step, place in plot.label_steps(2)],
            taps=[_tap(strip, days[strip.first - 1], days[strip.last - 1], people) for strip in plot.strips],
            names=list(zip(plot.lines, people, strict=True)),
        ),
        rows=[(days[strip.last - 1], [own[strip.last] for own in series]) for strip in plot.strips],
    )


def _tap(strip: Strip, first: date, last: date, people: Sequence[Player]) -> CompareTap:
    return CompareTap(strip, first, last, address_of(f"{first}..{last}", [player.pk for player in people]))


MAX_IN_MATRIX = 30


@dataclass(frozen=True, slots=True)
class VersusCell:
    """A player's result against another. `shade`: None with too few meetings for a rate."""

    record: HeadToHead
    shade: int | None
    query: str


@dataclass(frozen=True, slots=True)
class VersusRow:
    """A player's results against the others, in column order; None for the diagonal and pairs that never met."""

    player: Player
    cells: Sequence[VersusCell | None]


def versus_rows(people: Sequence[Player], met: Mapping[tuple[int, int], HeadToHead], period: str) -> list[VersusRow]:
    return [VersusRow(one, [_cell(met.get((one.pk, other.pk)), one, period) for other in people]) for one in people]


def _cell(record: HeadToHead | None, player: Player, period: str) -> VersusCell | None:
    if record is None:
        return None
    shade = rate_level(record.above, record.games) if record.games >= RATE_FROM else None
    return VersusCell(record, shade, address_of(period, (player.pk, record.opponent)))
