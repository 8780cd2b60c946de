from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from league.core.results import COLUMNS, Derived
from league.models import Incident
from league.models.play import HanchanQuerySet
from league.selectors.games import game_in_columns, game_of_points
from league.selectors.plain_rows import IncidentRow, incident_rows, seat_rows
from scoring.core import FinishedGame

PLACEMENT, POINTS, SETTLEMENT = map(COLUMNS.index, ("placement", "points", "settlement"))


class HanchanRow(NamedTuple):
    pk: int
    table: int
    round: int
    played_at: datetime
    day: date
    ruleset_version_id: int
    sticks_left: int
    end_reason: str
    note: str
    state: str
    given: str
    as_is: bool


FACTS = ("hanchan_id", "pk", "player_id", "raw_score", "chombo", "chips", "deposits")
"""Columns of a seat's row with entered facts; derived values (COLUMNS) follow."""

_BESIDES = slice(FACTS.index("chombo"), len(FACTS))
_NOTHING = (0, 0, 0)
_DERIVED = slice(len(FACTS), None)


class StoredHanchan(NamedTuple):
    """A hanchan with its seat rows (FACTS, then COLUMNS), first dealer first."""

    row: HanchanRow
    seats: Sequence[tuple[int, ...]]
    incidents: Sequence[IncidentRow]

    @property
    def game(self) -> FinishedGame:
        raw, as_is = tuple([seat[3] for seat in self.seats]), self.row.as_is
        if None in raw:
            return game_of_points(((each[POINTS], each[PLACEMENT]) for each in self.derived), as_is=as_is)
        if not self.seats or (not self.incidents and all(seat[_BESIDES] == _NOTHING for seat in self.seats)):
            return FinishedGame(raw, self.row.sticks_left, as_is=as_is)
        chombo, chips, deposits = zip(*[seat[_BESIDES] for seat in self.seats], strict=True)
        busts = [(each.seat, each.detail) for each in self.incidents if each.kind == Incident.Kind.BUST]
        return game_in_columns(self.row.sticks_left, (raw, chombo, chips, deposits), busts, as_is=as_is)

    @property
    def players(self) -> tuple[int, ...]:
        """Primary keys of the players, first dealer first."""
        return tuple(seat[2] for seat in self.seats)

    @property
    def derived(self) -> tuple[Derived, ...]:
        return tuple([seat[_DERIVED] for seat in self.seats])


def played(hanchan: HanchanQuerySet) -> list[StoredHanchan]:
    """Return hanchan with seats and incidents, in the queryset's order and with its locks. Three queries."""
    rows = [HanchanRow._make(row) for row in hanchan.values_list(*HanchanRow._fields)]
    keys = [row.pk for row in rows]
    seats: Mapping[int, list[tuple[int, ...]]] = seat_rows(keys, (*FACTS, *COLUMNS), tuple)
    incidents = incident_rows(keys)
    return [StoredHanchan(row, seats.get(row.pk, ()), incidents.get(row.pk, ())) for row in rows]


CHUNK = 2000
"""Hanchan per transaction, which takes less than a second. A cancelled job leaves finished chunks, each consistent."""


def in_chunks(hanchan: HanchanQuerySet) -> Iterator[tuple[int, HanchanQuerySet]]:
    """Yield (size, queryset) per chunk. The querysets are lazy, so rows that no longer match are left out."""
    after = 0
    while keys := list(hanchan.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        after = keys[-1]
        yield len(keys), hanchan.filter(pk__range=(keys[0], after)).order_by("pk")
