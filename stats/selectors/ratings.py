"""How players are rated: as it is kept, and the hanchan that it is replayed from."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from league.core.periods import FIRST_DAY, LAST_DAY
from league.models import League, Player, Seat
from league.selectors.moment import one_moment
from stats.core.ratings.blocks import SHAPE, RatedBlock, State, state_after
from stats.core.ratings.replay import RatedTable, block_of, replay
from stats.models import PlayerRating, RatingBlock, RatingMark, RatingProgress

BEGINNING = -(1 << 62)
"""Before every moment of play."""

SEATS_AT_ONCE = 40_000
"""About so many seats are replayed at a time, and whatever more was played within three days."""

SUMS = ("judged", "tenhou_gain", "tenhou_squares", "skill_gain", "skill_squares")
"""The columns of what was judged, in the order of the core."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

APART = timedelta(days=2)
"""A league day and the day of a moment in UTC lie less than this apart."""

Slice = tuple[Iterable[RatedTable], int | None]
"""Hanchan in the order of play, and the moment from which there are more."""


def micros(moment: datetime) -> int:
    """Return a moment in microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def due_leagues() -> list[int]:
    """Return the leagues whose ratings are to be replayed, by primary key. One query."""
    late = RatingProgress.objects.filter(~Q(shape=SHAPE) | Q(next_at__isnull=False)).values_list("league_id")
    return sorted(league for (league,) in late.union(RatingMark.objects.order_by().values_list("league_id")))


def is_up_to_date(league_id: int) -> bool:
    """Return whether the ratings of a league say what its hanchan say. Two queries at most."""
    if RatingMark.objects.filter(league=league_id).exists():
        return False
    return RatingProgress.objects.filter(league=league_id, shape=SHAPE, next_at__isnull=True).exists()


def tenhou_ratings(league: League) -> dict[int, int]:
    """Return the R of everybody who has played, in 1/1000, by primary key: as the hanchan are at this moment.

    Two queries or three; what is still to be replayed is replayed here, and not kept.
    """
    with one_moment():
        if is_up_to_date(league.pk):
            return dict(PlayerRating.objects.filter(league=league).values_list("player", "tenhou"))
        states: dict[int, State] = defaultdict(State)
        for tables in slices(league.pk):
            for _ in replay(tables, states):
                pass
    return {player: state.tenhou for player, state in sorted(states.items()) if state.hanchan}


def slices(league_id: int) -> Iterator[Iterable[RatedTable]]:
    """Yield all hanchan of a league that count, in the order of play, so many at a time. Two queries each."""
    start: int | None = BEGINNING
    while start is not None:
        tables, start = slice_from(league_id, start)
        yield tables


def slice_from(league_id: int, start: int) -> Slice:
    """Return hanchan that count from a moment on, and where there are more the moment from which. Two queries."""
    first = EARLIEST if start == BEGINNING else EPOCH + start * MICROSECOND
    # The index is by day.
    first_day = FIRST_DAY if start == BEGINNING else (first - APART).date()
    seats = Seat.objects.counted().filter(league=league_id, day__gte=first_day)
    days = seats.order_by("day").values_list("day", flat=True)
    last_day = next(iter(days[SEATS_AT_ONCE : SEATS_AT_ONCE + 1]), None)
    if last_day is None:
        return _tables(league_id, first_day, LAST_DAY, first, LATEST), None
    end = datetime.combine(max(last_day, first_day + APART) + APART, time(), UTC)
    return _tables(league_id, first_day, (end + APART).date(), first, end), micros(end)


EARLIEST, LATEST = (datetime.combine(day, time(), UTC) for day in (FIRST_DAY, LAST_DAY))

PLACE = 1 << 48
"""A seat is read as one number: its placement and how many share it, this many times, and the player."""

NUMBERS = {
    "postgresql": ("(extract(epoch FROM played_at) * 1000000)::bigint", "day - DATE '0001-01-01' + 1"),
    "sqlite": (
        "CAST(strftime('%%s', substr(played_at, 1, 19)) AS INTEGER) * 1000000"
        " + CAST(substr(played_at || '.000000', 21, 6) AS INTEGER)",
        "CAST(julianday(day) - 1721424.5 AS INTEGER)",
    ),
}
"""How each database gives a moment in microseconds since 1970, and a day as a number: ready made values take longer."""

_PLAYED = """
    SELECT hanchan_id, {at}, {day}, {seats} FROM league_seat
    WHERE league_id = %s AND counted AND day >= %s AND day < %s AND played_at >= %s AND played_at < %s
    GROUP BY hanchan_id, played_at, day ORDER BY played_at, hanchan_id
"""

SEATED = ", ".join(
    f"max(CASE WHEN seat = {seat} THEN (placement * 8 + sharing) * {PLACE} + player_id END)" for seat in range(4)
)


def _tables(league_id: int, first_day: date, end_day: date, first: datetime, end: datetime) -> Iterator[RatedTable]:
    at, day = NUMBERS[connection.vendor]
    parameters: list[Any] = [league_id, first_day, end_day]
    parameters += [connection.ops.adapt_datetimefield_value(moment) for moment in (first, end)]
    with connection.cursor() as cursor:
        cursor.execute(_PLAYED.format(at=at, day=day, seats=SEATED), parameters)
        rows = cursor.fetchall()
    for hanchan, moment, number, *seats in rows:
        codes = sorted([code for code in seats if code])
        yield RatedTable(hanchan, moment, number, [(*PLACES[code // PLACE], code % PLACE) for code in codes])


PLACES = {placement * 8 + sharing: (placement, sharing) for placement in range(1, 5) for sharing in range(1, 5)}
"""What a number says of placement and sharing."""


def latest_blocks(players: Iterable[int]) -> QuerySet[RatingBlock]:
    """Return the latest block of each of these players who has one."""
    own = RatingBlock.objects.filter(player=OuterRef("pk")).order_by("-number").values("pk")[:1]
    named = Player.objects.order_by().filter(pk__in=list(players))
    return RatingBlock.objects.order_by().filter(pk__in=named.values_list(Subquery(own), flat=True))


def states_after(blocks: Iterable[RatingBlock]) -> dict[int, State]:
    """Return where players stand after these blocks, one of each."""
    return {block.player_id: state_after(block.number, bytes(block.content)) for block in blocks}


def begun_blocks(states: Mapping[int, State]) -> list[RatedBlock]:
    """Return the blocks that are not full of all these players."""
    return [block_of(player, state) for player, state in states.items() if state.block]
