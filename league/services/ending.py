"""Deleting a league: requested by an owner, announced for two weeks, then done in chunks."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from league import background
from league.models import League, Revision
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league

logger = logging.getLogger(__name__)

WAIT = timedelta(days=14)
"""Notice for readers, during which an owner can cancel the deletion."""

END_TASK = "league.end_league"

TOGETHER = 2000
"""Rows per transaction."""

A_TURN = timedelta(minutes=5)
"""Time limit per turn, so that other tasks can run; the next sweep continues."""


class TooLateError(Exception):
    """The waiting time is over; the deletion can no longer be cancelled."""


@transaction.atomic
def ask_to_end(*, league: League, by: Actor) -> datetime:
    """Schedule the deletion of a league; return when it will happen. A second request changes nothing."""
    current = lock_league(league.pk)
    if current.ends_at is None:
        current.ends_at = timezone.now() + WAIT
        League.objects.filter(pk=current.pk).update(ends_at=current.ends_at)
        change = Change(Revision.Action.CHANGED, {"ends_at": ""}, {"ends_at": current.ends_at.isoformat()})
        write_revision(current, current, change, by)
    league.ends_at = current.ends_at
    return current.ends_at


@transaction.atomic
def keep_league(*, league: League, by: Actor) -> None:
    """Cancel a deletion. Idempotent. Raise TooLateError if the waiting time is over."""
    current = lock_league(league.pk)
    if current.ends_at is None:
        return
    if current.has_ended(timezone.now()):
        raise TooLateError
    League.objects.filter(pk=current.pk).update(ends_at=None)
    change = Change(Revision.Action.CHANGED, {"ends_at": current.ends_at.isoformat()}, {"ends_at": ""})
    write_revision(current, current, change, by)
    league.ends_at = None


def sweep_endings() -> None:
    for pk in League.objects.filter(ends_at__lte=timezone.now()).values_list("pk", flat=True):
        background.send(END_TASK, pk)


def end_league(pk: int) -> bool:
    """Delete a league for at most one turn; return whether nothing is left of it.

    Each step is a transaction, so interruptions are safe. Concurrent calls skip the locked league.
    """
    until = timezone.now() + A_TURN
    for model in rows_of_leagues():
        while True:
            step = _step(pk, model)
            if step == 0:
                break
            if step is None or timezone.now() > until:
                return not League.objects.filter(pk=pk).exists()
    logger.info("League %s is deleted.", pk)
    return True


@transaction.atomic
def _step(pk: int, model: type[models.Model]) -> int | None:
    """Delete one chunk of rows; return how many, or None if the league is not due or is locked."""
    waits = connection.features.has_select_for_update_skip_locked
    league = League.objects.select_for_update(no_key=True, skip_locked=waits).filter(pk=pk).first()
    if league is None or not league.has_ended(timezone.now()):
        return None
    if league.current_version_id is not None:
        League.objects.filter(pk=pk).update(current_version=None)
    doomed = _some(pk, model)
    if doomed:
        model._base_manager.filter(pk__in=doomed)._raw_delete(connection.alias)
        for count in counts_of(model):
            count.model._base_manager.filter(**{f"{count.attname}__in": doomed})._raw_delete(connection.alias)
    return len(doomed)


def _some(pk: int, model: type[models.Model]) -> list[int]:
    rows = model._base_manager.filter(**{league_path(model): pk})
    for each in _keys(model):
        if each.related_model is model:
            rows = rows.exclude(Exists(model._base_manager.filter(**{each.attname: OuterRef("pk")})))
    return list(rows.values_list("pk", flat=True)[:TOGETHER])


def parent_of(model: type[models.Model]) -> models.ForeignKey[Any, Any] | None:
    """Return the model's foreign key that leads towards League, if any."""
    keys = [key for key in _keys(model) if key.remote_field.on_delete is models.CASCADE]
    direct = [key for key in keys if key.related_model is League]
    others = [key for key in keys if key.related_model._meta.app_label != "auth"]
    return next(iter(direct or [key for key in others if parent_of(key.related_model) is not None]), None)


@cache
def rows_of_leagues() -> tuple[type[models.Model], ...]:
    """Return all models whose rows belong to a league, in an order in which they can be deleted."""
    ours = {model for model in apps.get_models() if model is League or parent_of(model) is not None}
    above = {model: {key.related_model for key in _keys(model)} & ours - {model} for model in ours - {League}}
    order = tuple(TopologicalSorter(above).static_order())
    return tuple(reversed(order))


@cache
def counts_of(model: type[models.Model]) -> tuple[models.ForeignKey[Any, Any], ...]:
    """Return the foreign keys to the model that have no database constraint, as in tables of counts."""
    keys = (key for other in apps.get_models() for key in _keys(other))
    return tuple(key for key in keys if key.related_model is model and not vars(key)["db_constraint"])


def league_path(model: type[models.Model]) -> str:
    """Return the lookup from a model to the league of its rows."""
    parent = parent_of(model)
    if model is League or parent is None:
        return "pk"
    above: Any = parent.related_model
    return parent.name if above is League else f"{parent.name}__{league_path(above)}"


def _keys(model: type[models.Model]) -> Iterable[models.ForeignKey[Any, Any]]:
    return (field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey))
