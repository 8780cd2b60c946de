"""manage.py statistics SLUG [--player KEY] [--scope SCOPE] [--json].

Points and ratios are decimal strings: exact if the decimal is finite, else six decimals, halves rounded away from zero.
Rates are fractions of 1. Unknown values are None. See `stats.core.statistics` and docs/adr/0055.
"""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.core.board_lines import TWELFTHS
from league.core.numbers import decimal_text
from league.core.periods import Period, PeriodError, parse_period
from league.management.arguments import find_league, is_text
from league.models import League, Player
from league.selectors.people import current_player
from league.selectors.points_without_hanchan import PointsWithoutHanchan, points_without_hanchan
from stats.core.careers import Career
from stats.core.estimates import root
from stats.core.statistics import HeadToHead, PlayedHanchan, Run, Tally
from stats.selectors.careers import careers_in
from stats.selectors.profiles import Placements, SumsTally, placements_of, sums_of
from stats.selectors.ratings import tenhou_ratings

Summary = dict[str, Any]


class Command(BaseCommand):
    help = (
        "Print statistics of every player of a league as JSON, a list with one object each: points and "
        "ratios as decimal strings (exact if finite, else six decimals), rates as fractions of 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league")
        parser.add_argument("--player", metavar="KEY", help="one player only, by key")
        parser.add_argument("--scope", default="all", help="all, 2026, 2026-11 or 2026-01-01..2026-06-30")
        parser.add_argument("--json", action="store_true", help="the only format; may be left out")

    def handle(self, *args: Any, **options: Any) -> None:
        league = find_league(options["slug"])
        player = None if options["player"] is None else _player(league, options["player"])
        found = summaries(league, _scope(league, options["scope"]), player)
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))


def _player(league: League, key: str) -> Player:
    player = Player.objects.filter(league=league, key=key).first() if is_text(key) else None
    if player is None:
        raise CommandError(f"There is no player {key!r} in {league.slug}.")
    return current_player(player)


def _scope(league: League, text: str) -> Period:
    try:
        return parse_period(text, league.first_month)
    except PeriodError as error:
        raise CommandError(
            f"{text!r} is not a scope. Use all, a year, a month such as 2026-11, or days such as 2026-01-01..2026-06-30."
        ) from error


DIGITS = 6
"""Decimals of a number without a finite decimal form."""

POINT = 1000

STREAKS = {"first": Run.FIRST, "top2": Run.TOP_TWO, "not_last": Run.NOT_LAST, "last": Run.LAST}


def summaries(league: League, period: Period, player: Player | None = None) -> list[Summary]:
    """Return the statistics of one player, or of all players in a period, highest total first."""
    besides: dict[int, list[PointsWithoutHanchan]] = {}
    for line in points_without_hanchan(league, period, None if player is None else [player.pk]):
        besides.setdefault(line.player, []).append(line)
    careers = careers_in(league, period, [player.pk] if player else None)
    keys = dict(Player.objects.filter(league=league).order_by().values_list("pk", "key"))
    ratings = tenhou_ratings(league)
    wanted = {player.pk} if player else careers.keys() | besides.keys()
    found = [
        _summary(careers.get(pk, Career()), besides.get(pk, []), pk, keys)
        | {"rating": {"tenhou": _points(ratings.get(pk))}}
        for pk in wanted
    ]
    return sorted(found, key=lambda each: (-Fraction(each["total"]), each["key"]))


def _summary(career: Career, besides: Sequence[PointsWithoutHanchan], player: int, keys: Mapping[int, str]) -> Summary:
    tally, sums = career.tally, sums_of(besides)
    return {
        "key": keys[player],
        "hanchan": tally.games + sums.basis.sums_hanchan,
        "sessions": len(career.evenings),
        "total": _points(tally.points + tally.total_only + sum(line.points for line in besides)),
        "average": _points(_average(tally, sums)),
        **_of_placements(placements_of(tally, sums, career.players or 4)),
        **_of_scores(tally, career),
        "streaks": _streaks(career),
        "by_seat": [_of_seat(career.seats.get(seat, Tally())) for seat in range(4)],
        "versus": {keys[line.opponent]: _against(line) for line in career.opponents},
    }


def _average(tally: Tally, sums: SumsTally) -> Fraction | None:
    """Return points per hanchan, including sums with a known number of hanchan."""
    hanchan = tally.games + sums.basis.sums_hanchan
    return Fraction(tally.points + sums.basis.total - sums.basis.sums_left_out, hanchan) if hanchan else None


def _of_placements(known: Placements) -> Summary:
    parts = TWELFTHS * known.hanchan
    names = ("first", "second", "third", "fourth")
    return {
        **{name: _decimal(Fraction(taken, TWELFTHS)) for name, taken in zip(names, known.places, strict=True)},
        "average_placement": _ratio(known.halves, 2 * known.hanchan),
        "top2_rate": _ratio(known.top_two, parts),
        "avoid_last_rate": _ratio(known.not_last, parts),
    }


def _of_scores(tally: Tally, career: Career) -> Summary:
    best = career.records
    return {
        "average_raw": _decimal(tally.average_raw),
        "raw_stdev": _deviation(tally.raw_variance),
        "points_stdev": _deviation(tally.points_variance, POINT),
        "best_raw": _raw(best.highest_raw if best else None),
        "worst_raw": _raw(best.lowest_raw if best else None),
        "best_points": _points(best.most_points.points if best else None),
        "worst_points": _points(best.fewest_points.points if best else None),
        "busts": tally.busts,
        "below_zero": tally.below_zero,
        "busted_others": tally.busted_others,
        "plus_rate": _ratio(tally.plus, tally.games),
        "raw_points": _points(tally.raw_points),
        "placement_points": _points(tally.placement_points),
    }


def _streaks(career: Career) -> Summary:
    streaks = career.streaks
    return {name: {"now": streaks[run].current, "longest": streaks[run].longest} for name, run in STREAKS.items()}


def _of_seat(tally: Tally) -> Summary:
    return {
        "hanchan": tally.games,
        "average_placement": _decimal(tally.average_placement),
        "points": _points(tally.points),
    }


def _against(line: HeadToHead) -> Summary:
    return {
        "together": line.games,
        "above": line.above,
        "below": line.below,
        "level": line.level,
        "points": _points(line.points),
        "rival_points": _points(line.their_points),
    }


def _raw(game: PlayedHanchan | None) -> int | None:
    return game.raw if game else None


def _deviation(variance: Fraction | None, unit: int = 1) -> str | None:
    if variance is None:
        return None
    found = root(variance / unit**2, DIGITS)
    return _decimal(found) if found**2 == variance / unit**2 else decimal_text(found, DIGITS)


def _points(value: Fraction | int | None) -> str | None:
    return _decimal(Fraction(value) / POINT) if value is not None else None


def _ratio(dividend: int, divisor: int) -> str | None:
    return _decimal(Fraction(dividend, divisor)) if divisor else None


def _decimal(value: Fraction | None) -> str | None:
    """Return a decimal: exact and as short as possible if finite, else six decimals."""
    if value is None:
        return None
    divisor = value.denominator
    return decimal_text(value, next((n for n in range(divisor.bit_length()) if 10**n % divisor == 0), DIGITS))
