"""All hanchan of a league as plain values: a league of many years fits into memory, and no model is made for it."""

from datetime import datetime
from typing import NamedTuple

from league.models import Hanchan, League, Seat
from league.selectors.plain_rows import IncidentRow, by_hanchan, incident_rows


class PlainSeat(NamedTuple):
    """A seat, as far as a file tells of it."""

    hanchan_id: int
    pk: int
    player_id: int
    player_key: str
    raw: int
    chips: int
    deposits: int
    chombo: int


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
    incidents: list[IncidentRow]


_OF_HANCHAN = (
    *("pk", "session", "key", "table", "round", "played_at", "sticks_left", "end_reason", "state", "note"),
    *("ruleset_version", "ruleset_version__ruleset__key", "ruleset_version__number"),
)
_OF_SEAT = ("hanchan", "pk", "player", "player__key", "raw_score", "chips", "deposits", "chombo")


def plain_hanchan(league: League) -> dict[int, list[PlainHanchan]]:
    """Return the hanchan of a league by the numbers of their sessions, in order of play. Three queries."""
    seats = Seat.objects.filter(league=league).order_by("hanchan", "seat").values_list(*_OF_SEAT)
    seats_of = by_hanchan(seats, PlainSeat._make)
    incidents_of = incident_rows(hanchan__league=league)
    found: dict[int, list[PlainHanchan]] = {}
    rows = Hanchan.objects.filter(league=league).in_order_of_play().values_list(*_OF_HANCHAN)
    for number, *facts in rows.iterator():
        hanchan = PlainHanchan._make((*facts, seats_of.get(number, []), incidents_of.get(number, [])))
        found.setdefault(hanchan.session, []).append(hanchan)
    return found
