"""Many hanchan at once, as plain rows: what scoring takes, what it derived before, and what a history keeps of both."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date
from functools import lru_cache
from typing import NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from league.core.derived import COLUMNS, Derived
from league.models import Incident, Player
from league.models.play import HanchanQuerySet
from league.selectors.games import USUAL, game_in_columns, game_of_points
from league.selectors.plain_rows import IncidentRow, incident_rows, seat_rows, these_keys
from league.selectors.questions import moment_of
from scoring.core import FinishedGame

PLACEMENT, POINTS, SETTLEMENT = map(COLUMNS.index, ("placement", "points", "settlement"))


Scored = Sequence[Derived]
"""What was derived for each seat, first dealer first."""


class HanchanRow(NamedTuple):
    """What the row of a hanchan says; `moment` is when it was played, as the database writes it."""

    pk: int
    table: int
    round: int
    moment: str
    day: date
    ruleset_version_id: int
    sticks_left: int
    end_reason: str
    note: str
    state: str
    given: str
    as_is: bool


FACTS = ("hanchan_id", "pk", "player_id", "raw_score", "chombo", "chips", "deposits")
"""The facts of a seat's row; what was derived from them comes after, in the order of COLUMNS."""

_BESIDES = slice(FACTS.index("chombo"), len(FACTS))
_NOTHING = (0, 0, 0)
_DERIVED = slice(len(FACTS), None)


class StoredHanchan(NamedTuple):
    """A hanchan with the rows of its seats, first dealer first: FACTS, then COLUMNS."""

    row: HanchanRow
    seats: Sequence[tuple[int, ...]]
    incidents: Sequence[IncidentRow]

    @property
    def game(self) -> FinishedGame:
        """The facts as scoring takes them."""
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
        """Who sat there, first dealer first."""
        return tuple(seat[2] for seat in self.seats)

    @property
    def derived(self) -> tuple[Derived, ...]:
        """What scoring derived when the hanchan was stored."""
        return tuple([seat[_DERIVED] for seat in self.seats])


def played(hanchan: HanchanQuerySet) -> list[StoredHanchan]:
    """Return these hanchan with their seats and incidents, in the order asked for. Three queries; locks are kept."""
    with_moment = hanchan.annotate(moment=Cast("played_at", TextField()))
    rows = [HanchanRow._make(row) for row in with_moment.values_list(*HanchanRow._fields)]
    keys = [row.pk for row in rows]
    seats: Mapping[int, list[tuple[int, ...]]] = seat_rows(keys, (*FACTS, *COLUMNS), tuple)
    incidents = incident_rows(keys)
    return [StoredHanchan(row, seats.get(row.pk, ()), incidents.get(row.pk, ())) for row in rows]


def people_in(hanchan: Iterable[StoredHanchan]) -> dict[int, str]:
    """Return how the states of a history name the players of these hanchan. One query."""
    players = {player for each in hanchan for player in each.players}
    names = Player.objects.filter(pk__in=these_keys(players)).values_list("pk", "name")
    return {pk: json.dumps({"player": pk, "name": name})[:-1] for pk, name in names}


def states_around(
    hanchan: StoredHanchan, before: Scored, after: Scored, version: int, people: Mapping[int, str]
) -> tuple[str, str]:
    """Return the state of a hanchan as it was derived before, and after it by another version: JSON as text.

    To the letter what `snapshot_of` says of the same rows; both states are written from the half that they share.
    """
    row = hanchan.row
    head = f'{{"table": {row.table}, "round": {row.round}, "played_at": "{_in_utc(row.moment)}", "ruleset_version": '
    middle = (
        f', "sticks_left": {row.sticks_left}, "end_reason": {_text(row.end_reason)}, "note": {_text(row.note)}, '
        f"{_unusual(row)}"
        f'"state": {_text(row.state)}, "seats": ['
    )
    facts = [
        f'{people[seat[2]]}, "raw": {"null" if seat[3] is None else seat[3]}, "chips": {seat[5]}, "chombo": {seat[4]}, "deposits": {seat[6]}, '
        for seat in hanchan.seats
    ]
    old, new = _seat_states(facts, before), _seat_states(facts, after)
    tail = f'], "incidents": {_incident_states(hanchan.incidents)}}}'
    return f"{head}{row.ruleset_version_id}{middle}{old}{tail}", f"{head}{version}{middle}{new}{tail}"


def _unusual(row: HanchanRow) -> str:
    """Return what a history says of a hanchan only where it is not as nearly all are."""
    told = {"given": row.given, "as_is": row.as_is}
    return "".join(f'"{name}": {json.dumps(value)}, ' for name, value in told.items() if value != USUAL[name])


def _in_utc(moment: str) -> str:
    """Return a moment as a history writes it."""
    return moment_of(moment).astimezone(UTC).isoformat()


def _seat_states(facts: Sequence[str], derived: Scored) -> str:
    return ", ".join(
        [
            f'{known}"placement": {seat[PLACEMENT]}, "points": {seat[POINTS]}, "settlement": {seat[SETTLEMENT]}}}'
            for known, seat in zip(facts, derived, strict=True)
        ]
    )


def _incident_states(incidents: Sequence[IncidentRow]) -> str:
    if not incidents:
        return "[]"
    return json.dumps([{name: getattr(each, name) for name in IncidentRow._fields[1:]} for each in incidents])


_text = lru_cache(1024)(json.dumps)
"""A text as JSON; most of them are empty or one of a few."""
