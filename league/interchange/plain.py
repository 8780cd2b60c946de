"""All hanchan of a league as plain values: a league of many years fits into memory, and no model is made for it."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from league.models import Hanchan, Incident, League, Seat


class PlainSeat(NamedTuple):
    """A seat, as far as a file tells of it."""

    hanchan: int
    pk: int
    player_id: int
    player_key: str
    raw: int
    chips: int
    deposits: int
    chombo: int


class PlainIncident(NamedTuple):
    """What happened besides."""

    hanchan: int
    seat: int
    kind: str
    detail: dict[str, Any]
    note: str


class PlainHanchan(NamedTuple):
    """A hanchan with its seats, the first dealer first, and what happened, in the order it was noted."""

    session: int
    key: str
    table: int
    round: int
    played_at: datetime
    sticks_left: int
    end_reason: str
    state: str
    note: str
    rules: int
    rules_key: str
    rules_number: int
    seats: list[PlainSeat]
    incidents: list[PlainIncident]


_OF_HANCHAN = (
    *("pk", "session", "key", "table", "round", "played_at", "sticks_left", "end_reason", "state", "note"),
    *("ruleset_version", "ruleset_version__ruleset__key", "ruleset_version__number"),
)
_OF_SEAT = ("hanchan", "pk", "player", "player__key", "raw_score", "chips", "deposits", "chombo")


def plain_hanchan(league: League) -> dict[int, list[PlainHanchan]]:
    """Return the hanchan of a league by the numbers of their sessions, in order of play. Three queries."""
    seats = Seat.objects.filter(league=league).order_by("hanchan", "seat").values_list(*_OF_SEAT)
    incidents = Incident.objects.filter(hanchan__league=league).order_by("pk").values_list(*PlainIncident._fields)
    seats_of = _by_hanchan(seats, PlainSeat._make)
    incidents_of = _by_hanchan(incidents, PlainIncident._make)
    found: dict[int, list[PlainHanchan]] = {}
    rows = Hanchan.objects.filter(league=league).in_order_of_play().values_list(*_OF_HANCHAN)
    for number, *facts in rows.iterator():
        hanchan = PlainHanchan._make((*facts, seats_of.get(number, []), incidents_of.get(number, [])))
        found.setdefault(hanchan.session, []).append(hanchan)
    return found


OfHanchan = TypeVar("OfHanchan", PlainSeat, PlainIncident)


def _by_hanchan(
    rows: Iterable[tuple[Any, ...]], made: Callable[[tuple[Any, ...]], OfHanchan]
) -> dict[int, list[OfHanchan]]:
    found: dict[int, list[OfHanchan]] = {}
    for row in map(made, rows):
        found.setdefault(row.hanchan, []).append(row)
    return found
