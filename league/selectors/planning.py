"""The plan of a session as pages read it, with players as who they are now."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from league.models import PlannedSeat, Player, Session
from league.models.plans import EVERY_ROUND

Plan = tuple[int, int, tuple[Player, ...]]
"""Round, table, and the players from the first dealer on."""


def plan_of(session: Session) -> list[Plan]:
    """Return every planned table of a session in order. One query."""
    return list(_plans(session.planned_seats.select_related("player__merged_into").order_by("round", "table", "seat")))


def planned_players(session: Session, table: int, round_number: int) -> tuple[Player, ...]:
    """Return who is planned for a table in a round: by the plan of that round, else by that of the whole session."""
    seats = session.planned_seats.filter(table=table, round__in=(EVERY_ROUND, round_number))
    found = list(_plans(seats.select_related("player__merged_into").order_by("round", "seat")))
    return found[-1][2] if found else ()


def _plans(seats: Iterable[PlannedSeat]) -> Iterator[Plan]:
    for (number, table), group in groupby(seats, key=lambda each: (each.round, each.table)):
        yield number, table, tuple(_as_now(seat) for seat in group)


def _as_now(seat: PlannedSeat) -> Player:
    player = seat.player
    while player.merged_into is not None:
        player = player.merged_into
    return player
