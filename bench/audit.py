"""Whether what was loaded or entered is right: boards against sums of the seats, stored points against the core."""

import random
from datetime import date

from django.db.models import Count, Sum

from bench.product import DERIVED, boards_of, derived_seats
from league.models import Hanchan, League, Seat, Standing
from league.selectors.games import seats_of
from league.services.results import result_of


def wrong_lines(league: League, day: date) -> int:
    """Return how many lines of a day's month, year and all-time boards are not what the seats add up to."""
    wrong = 0
    for period in boards_of(league, day):
        seats = Seat.objects.counted().filter(league=league).in_period(period).order_by().values("player")
        summed = seats.annotate(hanchan=Count("pk"), points=Sum("points"), settlement=Sum("settlement"))
        scratch = {(row["player"], row["hanchan"], row["points"], row["settlement"]) for row in summed}
        lines = Standing.objects.filter(league=league, period=period.key)
        stored = set(lines.values_list("player", "hanchan", "points", "settlement"))
        wrong += len(scratch ^ stored)
    return wrong


def wrong_hanchan(league: League, sample: int, seed: int = 1) -> int:
    """Return how many of some hanchan are not on their league's day, or not what the core makes of them."""
    keys = list(Hanchan.objects.filter(league=league).order_by("pk").values_list("pk", flat=True))
    some = Hanchan.objects.filter(pk__in=random.Random(seed).sample(keys, min(sample, len(keys))))
    return sum(not _is_right(hanchan) for hanchan in some.select_related("league", "session", "ruleset_version"))


def _is_right(hanchan: Hanchan) -> bool:
    day = hanchan.league.day_of(hanchan.played_at)
    if not day == hanchan.day == hanchan.session.date:
        return False
    anew = derived_seats(result_of(hanchan), hanchan.ruleset_version.read())
    return all(
        getattr(stored, name) == getattr(seat, name)
        for stored, seat in zip(seats_of(hanchan), anew, strict=True)
        for name in DERIVED
    )
