"""All statistics of a player page: name and definition from statistics.toml, figure, range, percentile."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from django.utils.translation import gettext

from league.core.board_lines import TWELFTHS
from league.core.numbers import decimal_text, rounded
from league.templatetags.tenbo import numbers
from scoring.core.reading import shipped_table
from scoring.messages.numbers import in_language
from stats.core.estimates import mean_margin, root, wilson
from stats.core.statistics import PROVISIONAL_BELOW, Tally
from stats.selectors.profiles import PlayerProfile

POINT = 1000


class Figure(NamedTuple):
    """A statistic's value. `more`: sample size or range."""

    text: str
    more: str = ""


class StatisticLine(NamedTuple):
    """A statistic of a player. `percentile`: share of qualified players who do worse."""

    name: str
    meaning: str
    text: str
    more: str
    percentile: str


class StatisticGroup(NamedTuple):
    title: str
    lines: list[StatisticLine]


@cache
def _groups() -> Sequence[Mapping[str, Any]]:
    return shipped_table(__package__, "statistics.toml")["group"]  # type: ignore[no-any-return]


def statistic_groups(profile: PlayerProfile) -> list[StatisticGroup]:
    groups = []
    for group in _groups():
        found = ((each, FIGURES[each["key"]](profile)) for each in group["statistic"])
        lines = [_line(profile, each, figure) for each, figure in found if figure is not None]
        if lines:
            groups.append(StatisticGroup(in_language(group["title"]), lines))
    return groups


def _line(profile: PlayerProfile, statistic: Mapping[str, Any], figure: Figure) -> StatisticLine:
    share = profile.peers.percentiles.get(statistic["key"])
    if statistic["key"] == "not_last" and profile.players < 4:
        # Three players are compared by fourth places, of which they have none.
        share = None
    percentile = numbers.percent(share.numerator, share.denominator) if share is not None else ""
    name, meaning = in_language(statistic["name"]), in_language(statistic["meaning"])
    return StatisticLine(name, meaning, figure.text, figure.more, percentile)


def rate_figure(twelfths: int, hanchan: int) -> Figure | None:
    """Return a rate with its count and Wilson score interval; None without hanchan."""
    found = wilson(Fraction(twelfths, TWELFTHS), hanchan)
    if found is None:
        return None
    more = gettext("%(times)s of %(hanchan)s · %(range)s") % {
        "times": numbers.times(twelfths),
        "hanchan": hanchan,
        "range": f"{_percent(found.low)}–{_percent(found.high)}",
    }
    if hanchan < PROVISIONAL_BELOW:
        more = f"{more} · {gettext('provisional')}"
    return Figure(numbers.percent(twelfths, hanchan * TWELFTHS), more)


def count_rate(count: int, hanchan: int) -> Figure | None:
    return rate_figure(TWELFTHS * count, hanchan)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _sessions(profile: PlayerProfile) -> Figure | None:
    if not profile.sessions:
        return None
    more = ""
    if profile.held:
        more = gettext("%(share)s of %(held)s sessions") % {
            "share": numbers.percent(profile.sessions, profile.held),
            "held": profile.held,
        }
    return Figure(str(profile.sessions), more)


def _hanchan(profile: PlayerProfile) -> Figure | None:
    if not profile.sessions:
        return None
    mean = decimal_text(Fraction(profile.tally.games, profile.sessions), 1)
    return Figure(str(profile.hanchan), gettext("%(mean)s per session") % {"mean": mean})


def _last_hanchan(profile: PlayerProfile) -> Figure | None:
    last = profile.last_hanchan
    places = "-".join(numbers.times(taken) for taken in last.places[: profile.players])
    return Figure(places, numbers.mean_placement(last.halves, last.games)) if last.games else None


def _per_hanchan(count: int, profile: PlayerProfile) -> Figure | None:
    games = profile.tally.games
    return Figure(str(count), numbers.percent(count, games)) if games else None


def _chips(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    if not tally.chips:
        return None
    mean = Fraction(tally.chips, tally.games)
    return Figure(str(numbers.signed(tally.chips)), gettext("%(mean)s per hanchan") % {"mean": decimal_text(mean, 2)})


def _average_placement(profile: PlayerProfile) -> Figure | None:
    known = profile.placements
    if not known.hanchan:
        return None
    return Figure(numbers.mean_placement(known.halves, known.hanchan))


def _strength(profile: PlayerProfile) -> Figure | None:
    strength = profile.peers.strength
    if strength is None:
        return None
    own = gettext("%(share)s based on own results") % {"share": _percent(strength.weight)}
    return Figure(f"{strength.value:.2f}", f"±{strength.margin:.2f} · {own}")


def _place(number: int) -> Callable[[PlayerProfile], Figure | None]:
    def figure(profile: PlayerProfile) -> Figure | None:
        if number > profile.players:
            return None
        known = profile.placements
        return rate_figure(known.places[number - 1], known.hanchan)

    return figure


def _bottom_two(profile: PlayerProfile) -> Figure | None:
    known = profile.placements
    return rate_figure(known.places[2] + known.places[3], known.hanchan) if profile.players > 3 else None


def _average_points(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    if not tally.games:
        return None
    margin = mean_margin(tally.games, tally.points_variance)
    more = f"±{margin / POINT:.1f}" if margin is not None else ""
    return Figure(str(numbers.mean_points(tally.points, tally.games)), more)


def _points_deviation(profile: PlayerProfile) -> Figure | None:
    variance = profile.tally.points_variance
    return Figure(decimal_text(root(variance / POINT**2, 3), 1)) if variance is not None else None


def _split(part: Callable[[Tally], int]) -> Callable[[PlayerProfile], Figure | None]:
    def figure(profile: PlayerProfile) -> Figure | None:
        tally = profile.tally
        if not tally.with_raw:
            return None
        mean = numbers.mean_points_text(part(tally), tally.with_raw)
        return Figure(str(numbers.points(part(tally))), gettext("%(mean)s per hanchan") % {"mean": mean})

    return figure


def _average_raw(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    margin = mean_margin(tally.with_raw, tally.raw_variance)
    more = f"±{margin:,.0f}" if margin is not None else ""
    return Figure(str(numbers.raw_score(rounded(tally.average_raw))), more) if tally.average_raw is not None else None


def _balance(value: Fraction | None) -> Figure | None:
    if value is None:
        return None
    whole = rounded(value)
    return Figure(f"+{whole:,}" if whole > 0 else str(numbers.raw_score(whole)))


def _raw_deviation(profile: PlayerProfile) -> Figure | None:
    variance = profile.tally.raw_variance
    return Figure(f"{rounded(root(variance, 3)):,}") if variance is not None else None


def _busts(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    return count_rate(tally.busts, tally.bustable) if tally.bustable else None


def _below_zero(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    return count_rate(tally.below_zero - tally.below_bustable, tally.with_raw - tally.bustable)


FIGURES: Mapping[str, Callable[[PlayerProfile], Figure | None]] = {
    "sessions": _sessions,
    "hanchan": _hanchan,
    "last_hanchan": _last_hanchan,
    "yakuman": lambda profile: _per_hanchan(profile.tally.yakuman, profile),
    "chombo": lambda profile: _per_hanchan(profile.tally.chombo, profile),
    "chips": _chips,
    "average_placement": _average_placement,
    "strength": _strength,
    "first": _place(1),
    "second": _place(2),
    "third": _place(3),
    "fourth": _place(4),
    "top_two": lambda profile: rate_figure(profile.placements.top_two, profile.placements.hanchan),
    "bottom_two": _bottom_two,
    "not_last": lambda profile: rate_figure(profile.placements.not_last, profile.placements.hanchan),
    "average_points": _average_points,
    "points_deviation": _points_deviation,
    "plus": lambda profile: count_rate(profile.tally.plus, profile.tally.games),
    "raw_points": _split(lambda tally: tally.raw_points),
    "placement_points": _split(lambda tally: tally.placement_points),
    "average_raw": _average_raw,
    "average_balance": lambda profile: _balance(profile.tally.average_balance),
    "balance_when_first": lambda profile: _balance(profile.tally.balances[0]),
    "balance_when_second": lambda profile: _balance(profile.tally.balances[1]),
    "balance_when_third": lambda profile: _balance(profile.tally.balances[2]),
    "balance_when_fourth": lambda profile: _balance(profile.tally.balances[3]),
    "raw_deviation": _raw_deviation,
    "busts": _busts,
    "below_zero": _below_zero,
    "busted_others": lambda profile: Figure(str(profile.tally.busted_others)) if profile.tally.bustable else None,
}
"""Figures by key; None if a statistic does not apply to a player."""
