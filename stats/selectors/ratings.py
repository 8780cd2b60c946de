"""How players are rated: as it is kept, and the hanchan that it is replayed from."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta

from django.db.models import OuterRef, Q, QuerySet, Subquery

from league.core.periods import FIRST_DAY
from league.models import League, Player, Seat
from league.selectors.moment import one_moment
from stats.core.ratings.blocks import SHAPE, Block, State, state_after
from stats.core.ratings.replay import RatedSeat, block_of, replay
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

Slice = tuple[Iterable[RatedSeat], int | None]
"""Seats in the order of play, and the moment from which there are more."""


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
        for seats in slices(league.pk):
            for _ in replay(seats, states):
                pass
    return {player: state.tenhou for player, state in sorted(states.items()) if state.hanchan}


def slices(league_id: int) -> Iterator[Iterable[RatedSeat]]:
    """Yield all seats of a league that count, in the order of play, so many at a time. Two queries each."""
    start: int | None = BEGINNING
    while start is not None:
        seats, start = slice_from(league_id, start)
        yield seats


def slice_from(league_id: int, start: int) -> Slice:
    """Return seats of hanchan that count from a moment on, and where there are more the moment from which. Two queries."""
    seats = Seat.objects.counted().filter(league=league_id)
    first_day = FIRST_DAY
    if start != BEGINNING:
        moment = EPOCH + start * MICROSECOND
        # The index is by day.
        first_day = (moment - APART).date()
        seats = seats.filter(day__gte=first_day, played_at__gte=moment)
    days = (
        Seat.objects.counted()
        .filter(league=league_id, day__gte=first_day)
        .order_by("day")
        .values_list("day", flat=True)
    )
    last_day = next(iter(days[SEATS_AT_ONCE : SEATS_AT_ONCE + 1]), None)
    end = None
    if last_day is not None:
        end = datetime.combine(max(last_day, first_day + APART) + APART, time(), UTC)
        seats = seats.filter(day__lt=(end + APART).date(), played_at__lt=end)
    return _read(seats), None if end is None else micros(end)


def _read(seats: QuerySet[Seat]) -> Iterator[RatedSeat]:
    columns = ("hanchan_id", "player_id", "placement", "sharing", "played_at", "day")
    rows = seats.order_by("played_at", "hanchan_id", "placement", "seat").values_list(*columns)
    for hanchan, player, placement, sharing, played_at, day in rows:
        yield RatedSeat(hanchan, player, placement, sharing, (played_at - EPOCH) // MICROSECOND, day.toordinal())


def latest_blocks(players: Iterable[int]) -> QuerySet[RatingBlock]:
    """Return the latest block of each of these players who has one."""
    own = RatingBlock.objects.filter(player=OuterRef("pk")).order_by("-number").values("pk")[:1]
    named = Player.objects.order_by().filter(pk__in=list(players))
    return RatingBlock.objects.order_by().filter(pk__in=named.values_list(Subquery(own), flat=True))


def states_after(blocks: Iterable[RatingBlock]) -> dict[int, State]:
    """Return where players stand after these blocks, one of each."""
    return {block.player_id: state_after(block.number, bytes(block.content)) for block in blocks}


def begun_blocks(states: Mapping[int, State]) -> list[Block]:
    """Return the blocks that are not full of all these players."""
    return [block_of(player, state) for player, state in states.items() if state.block]
