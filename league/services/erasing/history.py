"""Somebody's names taken out of the history of a league: what was done stays, with all its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q

from league.core.chain import Fact
from league.core.masking import Mask, emptied, without_player
from league.models import League
from league.models.growing import REVISIONS, FactKind, fact_kinds, growing
from league.selectors.chain import rows_of
from league.services.erasing.tables import holding
from league.services.history import Actor
from league.services.redacting import redact


@dataclass(frozen=True, slots=True)
class GoneNames:
    """Whose names go and how they are found: `called` gives what each player is called from now on."""

    called: Mapping[int, str]
    wanted: Sequence[str]
    mask: Mask


def redact_history(league: League, gone: GoneNames, by: Actor, reason: str) -> int:
    """Take the names out of everything that is chained; return how many facts that were."""
    asked = {kind.name: _candidates(league, kind, gone) for kind in fact_kinds}
    return redact(league, asked, lambda kind, _number, fact: _without(kind, fact, gone), by, reason)


def _candidates(league: League, kind: FactKind, gone: GoneNames) -> list[int]:
    rows = rows_of(kind, league.pk)
    found = set(holding(rows, _texts_of(kind), gone.wanted).values_list("pk", flat=True))
    if kind.name == REVISIONS.name:
        own = rows.filter(Q(subject="player", subject_id__in=list(gone.called)))
        found |= set(own.values_list("pk", flat=True))
    return sorted(found)


def _texts_of(kind: FactKind) -> list[str]:
    """Return the columns of a fact whose texts may go."""
    redacted = {column for guard in growing if guard.table == kind.table for column in guard.redacted}
    fields = {field.attname: field for field in apps.get_model(kind.model)._meta.concrete_fields}
    textual = (models.CharField, models.TextField, models.JSONField)
    return [column for column in kind.columns if column in redacted and isinstance(fields[column], textual)]


def _without(kind: FactKind, fact: Fact, gone: GoneNames) -> Fact:
    columns = _texts_of(kind)
    if kind.name == REVISIONS.name and fact["subject"] == "player":
        return {**fact, **{column: _of_player(column, fact, gone) for column in columns}}
    return {**fact, **{column: without_player(fact[column], gone.called, gone.mask) for column in columns}}


OWN = ("name", "kana", "romanised", "number", "club", "aliases", "user")
"""What the history keeps of a player that tells who it is."""


def _of_player(column: str, fact: Fact, gone: GoneNames) -> Any:
    """Return what a revision of a player says: of those who go nothing that tells who they are, of a namesake all."""
    value, called = fact[column], gone.called.get(fact["subject_id"])
    if column not in {"before", "after"} or not isinstance(value, Mapping):
        return gone.mask(value) if isinstance(value, str) else value
    if called is None:
        # A merge names who the other one is; everything else here is about somebody else.
        into = gone.called.get(value.get("into", 0))
        return {**value, "name": into} if into else value
    own = {name: called if name == "name" else emptied(value[name]) for name in OWN if name in value}
    return {**value, **own}
