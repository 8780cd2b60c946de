"""All statistics of a player page: name, definition, figure, range, percentile.

A statistic is an entry of GROUPS with a function from the profile to its figures.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.board_lines import TWELFTHS
from league.core.numbers import decimal_text, rounded
from league.templatetags.tenbo.numbers import (
    mean_placement,
    mean_points,
    mean_points_text,
    percent,
    points,
    raw_score,
    signed,
    times,
)
from stats.core.estimates import mean_margin, root, wilson
from stats.core.statistics import PROVISIONAL_BELOW, Tally
from stats.selectors.profiles import PlayerProfile

POINT = 1000


class Figure(NamedTuple):
    """A statistic's value. `more`: sample size or range. `key`: key in the percentiles."""

    text: str
    more: str = ""
    key: str = ""


class Statistic(NamedTuple):
    """A name, a definition, and a function for its figures that returns None if it does not apply."""

    name: Promise
    meaning: Promise
    figure: Callable[[PlayerProfile], Figure | None]


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


def statistic_groups(profile: PlayerProfile) -> list[StatisticGroup]:
    groups = []
    for title, statistics in GROUPS:
        found = ((each, each.figure(profile)) for each in statistics)
        lines = [_line(profile, each, figure) for each, figure in found if figure is not None]
        if lines:
            groups.append(StatisticGroup(str(title), lines))
    return groups


def _line(profile: PlayerProfile, statistic: Statistic, figure: Figure) -> StatisticLine:
    share = profile.peers.percentiles.get(figure.key)
    percentile = percent(share.numerator, share.denominator) if share is not None else ""
    return StatisticLine(str(statistic.name), str(statistic.meaning), figure.text, figure.more, percentile)


# --- Figures ---------------------------------------------------------------------------------------------------------


def rate_figure(twelfths: int, hanchan: int, key: str = "") -> Figure | None:
    """Return a rate with its count and Wilson score interval; None without hanchan."""
    found = wilson(Fraction(twelfths, TWELFTHS), hanchan)
    if found is None:
        return None
    span = f"{_percent(found.low)}–{_percent(found.high)}"
    more = gettext("%(times)s of %(hanchan)s · %(range)s") % {
        "times": times(twelfths),
        "hanchan": hanchan,
        "range": span,
    }
    if hanchan < PROVISIONAL_BELOW:
        more = f"{more} · {gettext('provisional')}"
    return Figure(percent(twelfths, hanchan * TWELFTHS), more, key)


def count_rate(count: int, hanchan: int, key: str = "") -> Figure | None:
    return rate_figure(TWELFTHS * count, hanchan, key)


def margin_of_points(tally: Tally) -> str:
    """Return the half-width of the range of points per hanchan; empty below five hanchan."""
    margin = mean_margin(tally.games, tally.points_variance)
    return f"±{margin / POINT:.1f}" if margin is not None else ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _sessions(profile: PlayerProfile) -> Figure | None:
    if not profile.sessions:
        return None
    more = ""
    if profile.held:
        more = gettext("%(share)s of %(held)s sessions") % {
            "share": percent(profile.sessions, profile.held),
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
    places = "-".join(times(taken) for taken in last.places[: profile.players])
    return Figure(places, mean_placement(last.halves, last.games)) if last.games else None


def _per_hanchan(count: int, profile: PlayerProfile) -> Figure | None:
    games = profile.tally.games
    return Figure(str(count), percent(count, games)) if games else None


def _chips(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    if not tally.chips:
        return None
    mean = Fraction(tally.chips, tally.games)
    return Figure(str(signed(tally.chips)), gettext("%(mean)s per hanchan") % {"mean": decimal_text(mean, 2)})


def _average_placement(profile: PlayerProfile) -> Figure | None:
    known = profile.placements
    if not known.hanchan:
        return None
    return Figure(mean_placement(known.halves, known.hanchan), "", "average_placement")


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
        return rate_figure(known.places[number - 1], known.hanchan, "first" if number == 1 else "")

    return figure


def _bottom_two(profile: PlayerProfile) -> Figure | None:
    known = profile.placements
    return rate_figure(known.places[2] + known.places[3], known.hanchan) if profile.players > 3 else None


def _average_points(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    if not tally.games:
        return None
    return Figure(str(mean_points(tally.points, tally.games)), margin_of_points(tally), "average_points")


def _points_deviation(profile: PlayerProfile) -> Figure | None:
    variance = profile.tally.points_variance
    return Figure(decimal_text(root(variance / POINT**2, 3), 1)) if variance is not None else None


def _split(part: Callable[[Tally], int]) -> Callable[[PlayerProfile], Figure | None]:
    def figure(profile: PlayerProfile) -> Figure | None:
        tally = profile.tally
        if not tally.with_raw:
            return None
        mean = mean_points_text(part(tally), tally.with_raw)
        return Figure(str(points(part(tally))), gettext("%(mean)s per hanchan") % {"mean": mean})

    return figure


def _average_raw(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    margin = mean_margin(tally.with_raw, tally.raw_variance)
    more = f"±{margin:,.0f}" if margin is not None else ""
    return Figure(str(raw_score(rounded(tally.average_raw))), more) if tally.average_raw is not None else None


def _balance(value: Fraction | None) -> Figure | None:
    if value is None:
        return None
    whole = rounded(value)
    return Figure(f"+{whole:,}" if whole > 0 else str(raw_score(whole)))


def _balance_by_place(number: int) -> Callable[[PlayerProfile], Figure | None]:
    return lambda profile: _balance(profile.tally.balances[number - 1])


def _raw_deviation(profile: PlayerProfile) -> Figure | None:
    variance = profile.tally.raw_variance
    return Figure(f"{rounded(root(variance, 3)):,}") if variance is not None else None


def _busts(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    return count_rate(tally.busts, tally.bustable, "busts") if tally.bustable else None


def _below_zero(profile: PlayerProfile) -> Figure | None:
    tally = profile.tally
    return count_rate(tally.below_zero - tally.below_bustable, tally.with_raw - tally.bustable)


GROUPS: tuple[tuple[Promise, tuple[Statistic, ...]], ...] = (
    (
        pgettext_lazy("statistics", "Sessions"),
        (
            Statistic(
                pgettext_lazy("statistic", "Sessions played"),
                _("Sessions in which the player has at least one counted hanchan, and the percentage of all sessions."),
                _sessions,
            ),
            Statistic(
                pgettext_lazy("statistic", "Hanchan"),
                _("Hanchan that count, including those of which only the totals are known."),
                _hanchan,
            ),
            Statistic(
                pgettext_lazy("statistic", "Last hanchan"),
                _("Placements in the last hanchan of each session, and their average."),
                _last_hanchan,
            ),
            Statistic(
                pgettext_lazy("statistic", "Yakuman"),
                _("Recorded yakuman, in total and per hanchan."),
                lambda profile: _per_hanchan(profile.tally.yakuman, profile),
            ),
            Statistic(
                pgettext_lazy("statistic", "Chombo"),
                _("Chombo, in total and per hanchan."),
                lambda profile: _per_hanchan(profile.tally.chombo, profile),
            ),
            Statistic(pgettext_lazy("statistic", "Chips"), _("Chips won minus chips lost."), _chips),
        ),
    ),
    (
        pgettext_lazy("statistics", "Placements"),
        (
            Statistic(
                pgettext_lazy("statistic", "Average placement"),
                _("The sum of the placements divided by the number of hanchan."),
                _average_placement,
            ),
            Statistic(
                pgettext_lazy("statistic", "Estimated strength"),
                _(
                    "A second opinion: the average placement, pulled towards the league's average; the fewer hanchan, "
                    "the stronger the pull. Not shown if differences between players can be explained by luck."
                ),
                _strength,
            ),
            Statistic(pgettext_lazy("statistic", "1st rate"), _("First places divided by hanchan."), _place(1)),
            Statistic(pgettext_lazy("statistic", "2nd rate"), _("Second places divided by hanchan."), _place(2)),
            Statistic(pgettext_lazy("statistic", "3rd rate"), _("Third places divided by hanchan."), _place(3)),
            Statistic(pgettext_lazy("statistic", "4th rate"), _("Fourth places divided by hanchan."), _place(4)),
            Statistic(
                pgettext_lazy("statistic", "Top-2 rate"),
                _("First and second places divided by hanchan."),
                lambda profile: rate_figure(profile.placements.top_two, profile.placements.hanchan, "top_two"),
            ),
            Statistic(
                pgettext_lazy("statistic", "Bottom-2 rate"),
                _("Third and fourth places divided by hanchan."),
                _bottom_two,
            ),
            Statistic(
                pgettext_lazy("statistic", "Last avoidance"),
                _("Hanchan not finished in last place, divided by all hanchan."),
                lambda profile: rate_figure(
                    profile.placements.not_last,
                    profile.placements.hanchan,
                    "not_last" if profile.players > 3 else "",
                ),
            ),
        ),
    ),
    (
        pgettext_lazy("statistics", "Points"),
        (
            Statistic(
                pgettext_lazy("statistic", "Points per hanchan"),
                _("The average points per hanchan, without adjustments to the total."),
                _average_points,
            ),
            Statistic(
                pgettext_lazy("statistic", "Consistency (standard deviation of points)"),
                _("How far points per hanchan vary from their average. Smaller is steadier."),
                _points_deviation,
            ),
            Statistic(
                pgettext_lazy("statistic", "Plus rate"),
                _("Hanchan with positive points (exactly zero not included), divided by all hanchan."),
                lambda profile: count_rate(profile.tally.plus, profile.tally.games, "plus"),
            ),
            Statistic(
                pgettext_lazy("statistic", "Points from scores"),
                _("The part decided by raw scores (base, oka and rounding), for hanchan with known raw scores."),
                _split(lambda tally: tally.raw_points),
            ),
            Statistic(
                pgettext_lazy("statistic", "Points from placements"),
                _("Uma, for hanchan with known raw scores."),
                _split(lambda tally: tally.placement_points),
            ),
        ),
    ),
    (
        pgettext_lazy("statistics", "Raw scores"),
        (
            Statistic(
                pgettext_lazy("statistic", "Average raw score"),
                _("The sum of the raw scores divided by the number of hanchan."),
                _average_raw,
            ),
            Statistic(
                pgettext_lazy("statistic", "Average balance"),
                _("The average of raw scores minus start points."),
                lambda profile: _balance(profile.tally.average_balance),
            ),
            Statistic(
                pgettext_lazy("statistic", "Average balance when 1st"),
                _("The average balance in hanchan in which the player finished 1st."),
                _balance_by_place(1),
            ),
            Statistic(
                pgettext_lazy("statistic", "Average balance when 2nd"),
                _("The average balance in hanchan in which the player finished 2nd."),
                _balance_by_place(2),
            ),
            Statistic(
                pgettext_lazy("statistic", "Average balance when 3rd"),
                _("The average balance in hanchan in which the player finished 3rd."),
                _balance_by_place(3),
            ),
            Statistic(
                pgettext_lazy("statistic", "Average balance when 4th"),
                _("The average balance in hanchan in which the player finished 4th."),
                _balance_by_place(4),
            ),
            Statistic(
                pgettext_lazy("statistic", "Standard deviation of raw scores"),
                _("How far raw scores vary from their average."),
                _raw_deviation,
            ),
            Statistic(
                pgettext_lazy("statistic", "Bust rate"),
                _(
                    "Hanchan in which the player went bust, divided by the hanchan played under rules that end at a bust."
                ),
                _busts,
            ),
            Statistic(
                pgettext_lazy("statistic", "Below-zero rate"),
                _("Hanchan finished below zero, divided by the hanchan played under rules that continue below zero."),
                _below_zero,
            ),
            Statistic(
                pgettext_lazy("statistic", "Busted others"),
                _("Players busted by this player's win."),
                lambda profile: Figure(str(profile.tally.busted_others)) if profile.tally.bustable else None,
            ),
        ),
    ),
)
"""All statistics, in display order."""
