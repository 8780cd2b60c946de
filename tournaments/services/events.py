"""Shared by all services of a tournament: locking, history, errors with a code."""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.utils import timezone

from league.core.errors import RefusedError
from league.models import Revision
from league.models.editions import raise_edition
from league.services.history import Actor, Change, write_revision
from tournaments.models import Decision, Entry, Tournament


class TournamentError(RefusedError):
    pass


def lock_tournament(tournament: Tournament) -> None:
    tournament.state = Tournament.objects.select_for_update().get(pk=tournament.pk).state


def lock_undrawn(tournament: Tournament) -> None:
    """Lock a tournament. Raise TournamentError "drawn" if entries are closed."""
    lock_tournament(tournament)
    if tournament.state != Tournament.State.PREPARING:
        raise TournamentError("drawn")


def write_history(tournament: Tournament, subject: models.Model, change: Change, by: Actor) -> None:
    write_revision(tournament.league, subject, change, by)


def created(after: dict[str, Any], reason: str = "") -> Change:
    return Change(Revision.Action.CREATED, after=after, reason=reason)


def changed(before: object, after: object, reason: str = "") -> Change:
    return Change(Revision.Action.CHANGED, before, after, reason)


def names_of(entries: Iterable[Entry]) -> list[str]:
    return [entry.player.name for entry in entries]


def needed(reason: str) -> str:
    """Return the stripped reason. Raise TournamentError "reason_missing" if it is blank."""
    if not reason.strip():
        raise TournamentError("reason_missing")
    return reason.strip()


def store_decision(tournament: Tournament, decision: Decision, told: dict[str, object], by: Actor) -> Decision:
    """Store a decision. `told`: data for its history entry; the stage is added automatically."""
    decision.tournament, decision.at = tournament, by.at or timezone.now()
    decision.by, decision.by_name = by.user, by.name
    decision.save(force_insert=True)
    write_history(tournament, decision, created({"stage": decision.stage, **told}, decision.reason), by)
    return decision


def revoke_decision(decision: Decision, by: Actor, reason: str) -> None:
    decision.revoked_at, decision.revoked_by_name, decision.revoked_reason = timezone.now(), by.name, reason
    decision.save(update_fields=["revoked_at", "revoked_by_name", "revoked_reason"])
    raise_edition(decision.tournament.league_id)
