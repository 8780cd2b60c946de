"""The plan of a session as pages read it, with players as who they are now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, Max

from league.models import PlannedSeat, Player, Session
from league.models.plans import EVERY_ROUND

Plan = tuple[int, int, tuple[Player, ...]]
"""Round, table, and the players from the first dealer on."""


def plan_of(session: Session) -> list[Plan]:
    """Return every planned table of a session in order. One query."""
    return list(_plans(session.planned_seats.select_related("player__merged_into").order_by("round", "table", "seat")))


def planned_players(session: Session, table: int, round_number: int) -> tuple[Player, ...]:
    """Return who is planned for a table in a round: by the plan of that round, else by that of the whole session."""
    return planned_in(table_plans(session, table), round_number)


def planned_in(plans: Mapping[int, tuple[Player, ...]], round_number: int) -> tuple[Player, ...]:
    """Return the same out of the plans of a table by round."""
    return plans.get(round_number) or plans.get(EVERY_ROUND, ())


def table_plans(session: Session, table: int) -> dict[int, tuple[Player, ...]]:
    """Return the plans of a table by round. One query."""
    seats = session.planned_seats.filter(table=table).select_related("player__merged_into")
    return {number: players for number, _, players in _plans(seats.order_by("round", "seat"))}


def next_round(session: Session, table: int) -> int:
    """Return the number of the next hanchan at a table of the session. One query."""
    played = session.hanchan.counted().filter(table=table)
    highest: int | None = played.aggregate(highest=Max("round"))["highest"]
    return (highest or 0) + 1


@dataclass(frozen=True, slots=True)
class TableState:
    """How far a planned table of a session is, in hanchan."""

    table: int
    played: int
    planned: int

    @property
    def is_done(self) -> bool:
        """Whether everything planned was entered."""
        return self.planned <= self.played


def table_states(session: Session) -> dict[int, TableState]:
    """Return how far each planned table is. Two queries, one where nothing is planned."""
    rounds = session.planned_seats.exclude(round=EVERY_ROUND).values_list("table")
    planned = dict(rounds.annotate(rounds=Count("round", distinct=True)).order_by())
    if not planned:
        return {}
    played = dict(session.hanchan.counted().values_list("table").annotate(hanchan=Count("pk")).order_by())
    return {table: TableState(table, played.get(table, 0), planned[table]) for table in sorted(planned)}


def _plans(seats: Iterable[PlannedSeat]) -> Iterator[Plan]:
    for (number, table), group in groupby(seats, key=lambda each: (each.round, each.table)):
        yield number, table, tuple(_as_now(seat) for seat in group)


def _as_now(seat: PlannedSeat) -> Player:
    player = seat.player
    while player.merged_into is not None:
        player = player.merged_into
    return player
