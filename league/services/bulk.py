"""Storing many results with few queries, for imports and demos.

Rows and history are the same as if each result had been entered on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from league.models import Hanchan, Incident, League, Revision, Seat, Session
from league.selectors.games import snapshot_from, snapshots_of
from league.services import results
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revisions
from league.services.locking import lock_seats

STORED_TOGETHER = 500
"""Hanchan per statement."""


@dataclass(frozen=True, slots=True)
class PreparedHanchan:
    hanchan: Hanchan
    seats: list[results.DerivedSeat]
    result: results.HanchanResult


def prepare(
    session: Session,
    result: results.HanchanResult,
    place: results.TableAndTime,
    by: Actor,
    state: str = Hanchan.State.RECORDED,
) -> PreparedHanchan:
    """Return a scored but unsaved result. Raise ResultError or ScoringError as for a single entry."""
    results.check_players(result.players, session)
    if result.game.as_is and not result.note.strip():
        raise results.ResultError("as_is_unexplained")
    version = place.ruleset_version or session.ruleset_version
    assert place.played_at is not None
    hanchan = results.new_hanchan(session, result, place, version, place.played_at)
    hanchan.state, hanchan.recorded_by = state, by.user
    return PreparedHanchan(hanchan, results.plain_seats(result, version.read()), result)


def store(league: League, prepared: Sequence[PreparedHanchan], by: Actor) -> list[Hanchan]:
    with transaction.atomic():
        hanchan = store_unmarked(league, prepared, by)
        mark_stale(league, {each.hanchan.day for each in prepared})
    return hanchan


@transaction.atomic
def store_unmarked(league: League, prepared: Sequence[PreparedHanchan], by: Actor) -> list[Hanchan]:
    """Store prepared results with their history. The caller marks boards as stale."""
    for start in range(0, len(prepared), STORED_TOGETHER):
        _store(league, prepared[start : start + STORED_TOGETHER], by)
    return [each.hanchan for each in prepared]


def _store(league: League, prepared: Sequence[PreparedHanchan], by: Actor) -> None:
    Hanchan.objects.bulk_create([each.hanchan for each in prepared])
    seats = [results.seated(each.hanchan, (Seat(**seat._asdict()) for seat in each.seats)) for each in prepared]
    Seat.objects.bulk_create([row for rows in seats for row in rows])
    incidents = [results.incidents_of(each.hanchan, each.result) for each in prepared]
    Incident.objects.bulk_create([row for rows in incidents for row in rows])
    recorded = [
        (each.hanchan, Change(Revision.Action.RECORDED, after=snapshot_from(each.hanchan, each.seats, rows)))
        for each, rows in zip(prepared, incidents, strict=True)
    ]
    write_revisions(league, recorded, by)


@transaction.atomic
def void_unmarked(league: League, numbers: Sequence[int], reason: str, by: Actor) -> None:
    """Void hanchan by primary key, with their history. The caller marks boards as stale."""
    before = snapshots_of(numbers)
    lock_seats(numbers)
    Hanchan.objects.filter(pk__in=numbers).update(state=Hanchan.State.VOIDED, version=F("version") + 1)
    Seat.objects.filter(hanchan__in=numbers).update(counted=False)
    changes = [
        (Hanchan(pk=number), Change(Revision.Action.VOIDED, state, {**state, "state": Hanchan.State.VOIDED}, reason))
        for number, state in before.items()
    ]
    write_revisions(league, changes, by)
