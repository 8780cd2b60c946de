"""Ratings for pages, and the hanchan to replay."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import itemgetter

from django.db.models import OuterRef, Q, QuerySet, Subquery

from league.core.periods import FIRST_DAY, parse_period
from league.engine import one_moment
from league.models import Board, League, Player, Seat, StalePeriod
from stats.core.ratings.prediction import Judged
from stats.core.ratings.replay import RatedSeat, RatedTable, RatingChange, State, replay
from stats.models import PlayerRating, RatedHanchan, RatingState

EARLIEST = datetime.combine(FIRST_DAY, time(), UTC)

APART = timedelta(days=2)
"""A league day and the UTC date of a moment on it differ by less than this."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """How a league's ratings have predicted its hanchan, and whether some hanchan are still to be rated."""

    is_behind: bool
    tenhou: Judged
    skill: Judged


def predictions(league: League) -> Predictions:
    found = RatingState.objects.filter(league=league).first()
    if found is None:
        return Predictions(is_behind=True, tenhou=Judged(), skill=Judged())
    return Predictions(
        first_change(league.pk) is not None,
        Judged(found.judged, found.tenhou_gain, found.tenhou_squares),
        Judged(found.judged, found.skill_gain, found.skill_squares),
    )


def ratings_of(league: League, order: str) -> QuerySet[PlayerRating]:
    return PlayerRating.objects.filter(league=league).select_related("player").order_by(f"-{order}", "player")


def changes_of(player: Player) -> QuerySet[Seat]:
    seats = Seat.objects.filter(player=player, hanchan__rated__isnull=False).select_related("hanchan__rated")
    return seats.order_by("-played_at", "-hanchan_id")


def told_of(player: Player, seats: Iterable[Seat]) -> list[RatingChange]:
    """Return the effects of these hanchan on a player.

    Hanchan of a merged player that have not been replayed yet are left out.
    """
    found = []
    for rated in (each.hanchan.rated for each in seats):
        table = [RatedSeat._make(values) for values in rated.seats]
        total = sum(seat.rating_before for seat in table)
        own = (seat for seat in table if seat.player == player.pk)
        found += [RatingChange(rated.pk, rated.day, len(table), total, seat) for seat in own]
    return found


def first_change(league_id: int) -> date | None:
    """Return the first day of the earliest month changed since the last replay, or None. Two queries."""
    months = Q(league=league_id, period__contains="-")
    boards = Board.objects.filter(months, followed=False).order_by("period").values_list("period", flat=True)
    stale = StalePeriod.objects.filter(months).order_by("period").values_list("period", flat=True)
    found = [*boards[:1], *stale[:1]]
    return parse_period(min(found)).start if found else None


def tenhou_ratings(league: League) -> dict[int, int]:
    """Return every player's current R in 1/1000, by primary key. Pending hanchan are replayed without storing them."""
    with one_moment():
        if not predictions(league).is_behind:
            return dict(PlayerRating.objects.filter(league=league).values_list("player", "tenhou"))
        states: dict[int, State] = defaultdict(State)
        for _ in replay(tables_from(league.pk, EARLIEST), states):
            pass
    return {player: state.tenhou for player, state in sorted(states.items()) if state.hanchan}


def tables_from(league_id: int, moment: datetime) -> Iterator[RatedTable]:
    """Yield the rated hanchan of a league from a moment on, in order of play. One query."""
    seats = Seat.objects.counted().filter(league=league_id)
    if moment != EARLIEST:
        # Narrow by day first, because the index is on the day.
        seats = seats.filter(day__gte=(moment - APART).date(), played_at__gte=moment)
    in_order = seats.order_by("played_at", "hanchan_id", "placement", "sharing", "player_id")
    rows = in_order.values_list("hanchan_id", "played_at", "day", "placement", "sharing", "player_id")
    for _, together in groupby(rows.iterator() if moment == EARLIEST else rows, itemgetter(0)):
        table = list(together)
        rated = RatedTable(*table[0][:3], [row[3:] for row in table])
        if rated.counts:
            yield rated


def rated_from(league_id: int, moment: datetime) -> QuerySet[RatedHanchan]:
    return RatedHanchan.objects.filter(league=league_id, played_at__gte=moment).order_by("played_at", "hanchan_id")


def latest_states(players: list[int]) -> dict[int, State]:
    """Return these players' states after their latest rated hanchan. Two queries."""
    own = Seat.objects.counted().filter(player=OuterRef("pk"), hanchan__rated__isnull=False)
    last = Subquery(own.order_by("-played_at", "-hanchan_id").values("hanchan_id")[:1])
    found = dict(Player.objects.filter(pk__in=players).order_by().values_list("pk", last))
    rated = RatedHanchan.objects.in_bulk({pk for pk in found.values() if pk is not None})
    states = {player: State() for player in players}
    for player, pk in found.items():
        for seat in map(RatedSeat._make, rated[pk].seats) if pk is not None else ():
            if seat.player == player:
                states[player] = seat.state(rated[pk].day)
    return states
