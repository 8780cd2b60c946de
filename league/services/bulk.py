"""Many results at once, as imports and demonstrations bring them: the derivation of a single entry, fewer statements."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from league.models import Hanchan, Incident, League, Revision, RulesetVersion, Seat, Session
from league.selectors.games import snapshot_from, snapshot_of
from league.services.boards import mark_stale
from league.services.history import Actor, Change, revision_of
from league.services.results import (
    HanchanResult,
    TableAndTime,
    check_players,
    derived_seats,
    incidents_of,
    new_hanchan,
    seated,
)
from scoring.core import ScoringRules

BATCH = 500
"""Rows per statement."""


@dataclass(frozen=True, slots=True)
class HanchanPlace:
    """Where, when and by which rules a result of the past was played; `rules` is what `version` says."""

    session: Session
    version: RulesetVersion
    rules: ScoringRules
    table: int
    round: int
    played_at: datetime
    key: str | None = None
    state: str = Hanchan.State.RECORDED


@dataclass(frozen=True, slots=True)
class PreparedHanchan:
    """A scored result that waits to be stored."""

    hanchan: Hanchan
    seats: list[Seat]
    result: HanchanResult


def prepare(slot: HanchanPlace, result: HanchanResult, by: Actor) -> PreparedHanchan:
    """Return a result with its points, unsaved. Raises ResultError and ScoringError like a single entry."""
    check_players(result.players, slot.session)
    seats = derived_seats(result, slot.rules)
    client_key = uuid.uuid4()
    table_and_time = TableAndTime(slot.table, slot.round, slot.played_at, slot.version, slot.key, client_key)
    hanchan = new_hanchan(slot.session, result, table_and_time, slot.version, slot.played_at)
    hanchan.state, hanchan.recorded_by = slot.state, by.user
    return PreparedHanchan(hanchan, seats, result)


def store(league: League, prepared: Sequence[PreparedHanchan], by: Actor) -> list[Hanchan]:
    """Store prepared results with their history, and mark the boards they make stale."""
    with transaction.atomic():
        hanchan = store_unmarked(league, prepared, by)
        mark_stale(league, {each.hanchan.day for each in prepared})
    return hanchan


@transaction.atomic
def store_unmarked(league: League, prepared: Sequence[PreparedHanchan], by: Actor) -> list[Hanchan]:
    """Store prepared results with their history. Whoever stores slice by slice marks the boards at the end."""
    hanchan = Hanchan.objects.bulk_create([each.hanchan for each in prepared], batch_size=BATCH)
    Seat.objects.bulk_create([row for each in prepared for row in seated(each.hanchan, each.seats)], batch_size=BATCH)
    incidents = [incidents_of(each.hanchan, each.result) for each in prepared]
    Incident.objects.bulk_create([row for rows in incidents for row in rows], batch_size=BATCH)
    revisions = [
        revision_of(league, each.hanchan, _recorded(each, rows), by)
        for each, rows in zip(prepared, incidents, strict=True)
    ]
    Revision.objects.bulk_create(revisions, batch_size=BATCH)
    return hanchan


@transaction.atomic
def void_unmarked(league: League, hanchan: Sequence[Hanchan], reason: str, by: Actor) -> None:
    """Take back several hanchan, whose seats and incidents are at hand, with their history; boards are not marked."""
    changes = []
    for each in hanchan:
        before = snapshot_of(each)
        each.state, each.version = Hanchan.State.VOIDED, each.version + 1
        changes.append(Change(Revision.Action.VOIDED, before, snapshot_of(each), reason))
    Hanchan.objects.bulk_update(hanchan, ["state", "version"], batch_size=BATCH)
    Seat.objects.filter(hanchan__in=hanchan).update(counted=False)
    changed = zip(hanchan, changes, strict=True)
    Revision.objects.bulk_create([revision_of(league, *each, by) for each in changed], batch_size=BATCH)


def _recorded(each: PreparedHanchan, incidents: Sequence[Incident]) -> Change:
    return Change(Revision.Action.RECORDED, after=snapshot_from(each.hanchan, each.seats, incidents))
