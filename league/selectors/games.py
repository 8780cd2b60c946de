"""Converts stored hanchan to scoring's input and to history snapshots."""

from collections.abc import Iterable, Sequence
from datetime import UTC
from operator import attrgetter
from typing import Any

from league.models import Hanchan, Incident, Seat
from league.selectors.plain_rows import incident_rows, seat_rows
from scoring.core import FinishedGame, read_game

Snapshot = dict[str, Any]

BESIDES = ("chombo", "chips", "deposits")

USUAL: dict[str, object] = {"given": Hanchan.Given.RAW, "as_is": False}
"""Default values, which snapshots omit."""


def seats_of(hanchan: Hanchan) -> list[Seat]:
    """Return the seats, first dealer first; uses prefetched ones."""
    return sorted(hanchan.seats.all(), key=lambda seat: seat.seat)


def game_of(hanchan: Hanchan) -> FinishedGame:
    """Return a hanchan as input for scoring. Two queries unless seats and incidents are prefetched."""
    return game_from(hanchan.sticks_left, seats_of(hanchan), hanchan.incidents.all(), as_is=hanchan.as_is)


def game_from(
    sticks_left: int, seats: Sequence[Seat], incidents: Iterable[Incident], *, as_is: bool = False
) -> FinishedGame:
    if any(seat.raw_score is None for seat in seats):
        return game_of_points([(seat.points, seat.placement) for seat in seats], as_is=as_is)
    facts = [(seat.raw_score, seat.chombo, seat.chips, seat.deposits) for seat in seats]
    busts = [(incident.seat, incident.detail) for incident in incidents if incident.kind == Incident.Kind.BUST]
    return game_in_columns(sticks_left, list(zip(*facts, strict=True)) or [()] * 4, busts, as_is=as_is)


def game_of_points(seats: Iterable[tuple[int, int]], *, as_is: bool = False) -> FinishedGame:
    """Return a game without raw scores from the (points, placement) of each seat."""
    points, placements = zip(*seats, strict=True)
    return FinishedGame((), points=points, placements=placements, as_is=as_is)


def game_in_columns(
    sticks_left: int,
    columns: Sequence[tuple[int, ...]],
    busts: Sequence[tuple[int, dict[str, Any]]],
    *,
    as_is: bool = False,
) -> FinishedGame:
    """Return a game from columns by seat: raw scores, chombo, chips, deposits.

    `busts`: seat and detail of each bust.
    """
    raw, chombo, chips, deposits = columns
    return FinishedGame(
        raw,
        sticks_left,
        read_game({"raw": raw, "busts": [{"seat": seat, **detail} for seat, detail in busts]}).busts if busts else (),
        chombo if any(chombo) else (),
        chips if any(chips) else (),
        deposits if any(deposits) else (),
        as_is=as_is,
    )


def game_in(state: Snapshot) -> FinishedGame:
    names = {"raw_score": "raw"} | {name: name for name in (*BESIDES, "points", "placement")}
    seats = [Seat(**{field: seat[name] for field, name in names.items()}) for seat in state["seats"]]
    incidents = [Incident(**incident) for incident in state["incidents"]]
    return game_from(state["sticks_left"], seats, incidents, as_is=state.get("as_is", False))


def snapshot_of(hanchan: Hanchan) -> Snapshot:
    """Return a snapshot of a hanchan for its history; it can be read without the rest of the database."""
    is_prefetched = "seats" in getattr(hanchan, "_prefetched_objects_cache", {})
    seats = hanchan.seats.all() if is_prefetched else hanchan.seats.select_related("player")
    incidents = sorted(hanchan.incidents.all(), key=lambda incident: incident.pk)
    return snapshot_from(hanchan, sorted(seats, key=lambda seat: seat.seat), incidents)


def snapshot_from(hanchan: Hanchan, seats: Iterable[Any], incidents: Iterable[Incident]) -> Snapshot:
    """Return a snapshot from loaded rows, without a query. `seats`: any objects with a seat's attributes."""
    return _snapshot(_hanchan_values(hanchan), map(_seat_values, seats), map(_incident_values, incidents))


def snapshots_of(numbers: Sequence[int]) -> dict[int, Snapshot]:
    """Return snapshots of many hanchan from plain rows, by primary key. Three queries."""
    hanchan = Hanchan.objects.filter(pk__in=numbers).order_by("pk").values_list("pk", *_OF_HANCHAN.values())
    columns = (name.replace(".", "__") for name in _OF_SEAT.values())
    seats, incidents = seat_rows(numbers, ("hanchan_id", *columns), tuple), incident_rows(numbers)
    return {
        number: _snapshot(
            values, (facts for _, *facts in seats.get(number, ())), (facts for _, *facts in incidents.get(number, ()))
        )
        for number, *values in hanchan
    }


def _snapshot(hanchan: Iterable[Any], seats: Iterable[Any], incidents: Iterable[Any]) -> Snapshot:
    """Return a snapshot from the values of its rows, in the order of the names below."""
    state = dict(zip(_OF_HANCHAN, hanchan, strict=True))
    for name, usual in USUAL.items():
        if state[name] == usual:
            del state[name]
    state["played_at"] = state["played_at"].astimezone(UTC).isoformat()
    state["seats"] = [dict(zip(_OF_SEAT, values, strict=True)) for values in seats]
    state["incidents"] = [dict(zip(_OF_INCIDENT, values, strict=True)) for values in incidents]
    return state


_OF_HANCHAN = {
    "table": "table",
    "round": "round",
    "played_at": "played_at",
    "ruleset_version": "ruleset_version_id",
    **{name: name for name in ("sticks_left", "end_reason", "note", "given", "as_is", "state")},
}
_OF_SEAT = {
    "player": "player_id",
    "name": "player.name",
    "raw": "raw_score",
    **{name: name for name in ("chips", "chombo", "deposits", "placement", "points", "settlement")},
}
_OF_INCIDENT = ("seat", "kind", "detail", "note")
"""Keys of snapshots and their model attributes."""

_hanchan_values = attrgetter(*_OF_HANCHAN.values())
_seat_values = attrgetter(*_OF_SEAT.values())
_incident_values = attrgetter(*_OF_INCIDENT)
