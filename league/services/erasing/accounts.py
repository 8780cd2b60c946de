"""An account goes: what its holder did stays in the histories of leagues, without their name. docs/adr/0048."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import Q, QuerySet

from league.core.chain import Fact
from league.models import HeldResult, League
from league.models.growing import REVISIONS, FactKind, fact_kinds
from league.selectors.chain import rows_of
from league.selectors.former import ABOUT_USERS, FORMER
from league.services.erasing.tables import holding
from league.services.history import SYSTEM
from league.services.redacting import Wish, redact_next

REASON = "the account was deleted"

NAMED_BY = {"by_name": "by_id"}
"""Columns that name who did something, each with the column that has their number."""


@dataclass(frozen=True, slots=True)
class FormerHolder:
    """Whose name goes: the number of the account, and what it was called until when. Others may be called so since.

    Without a name they are found by their number alone.
    """

    number: int
    names: tuple[tuple[str, datetime], ...]

    def was(self, name: object, at: datetime | None) -> bool:
        """Return whether a name that was written at a moment is theirs."""
        return at is not None and any(each == name and at <= until for each, until in self.names)


def leagues_that_tell(whom: FormerHolder) -> list[int]:
    """Return the numbers of the leagues in whose histories the name stands, and take it out of what waits there."""
    for name, until in whom.names:
        HeldResult.objects.filter(settled_by=name, settled_at__lte=until).update(settled_by=FORMER)
    found: set[int] = set()
    for kind in fact_kinds:
        rows = apps.get_model(kind.model)._base_manager.order_by()
        for told in _telling(kind, rows, whom):
            found.update(told.values_list(kind.to_league, flat=True).distinct())
    return sorted(League.objects.filter(pk__in=found).values_list("pk", flat=True))


def redact_account_name(league: League, after: int, whom: FormerHolder) -> int | None:
    """Take an account's name out of the next part of a history; return up to which link, None where nothing is left.

    A part of a second each: the pages and whoever enters results go on meanwhile. Once more changes nothing.
    """
    wish = Wish(
        lambda held: _candidates(league, held, whom),
        lambda _kind, _number, fact: _without(fact, whom),
    )
    return redact_next(league, after, wish, SYSTEM, REASON)


def _candidates(league: League, held: Mapping[str, Sequence[int]], whom: FormerHolder) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for kind in fact_kinds:
        if numbers := held.get(kind.name):
            rows = rows_of(kind, league.pk).filter(pk__in=numbers)
            telling = (told.values_list("pk", flat=True) for told in _telling(kind, rows, whom))
            found[kind.name] = sorted({number for each in telling for number in each})
    return found


def _telling(kind: FactKind, rows: QuerySet[Any], whom: FormerHolder) -> list[QuerySet[Any]]:
    """Return those of the rows of a kind that may name the account."""
    found = []
    if "by_name" in kind.columns:
        found.append(rows.filter(by_id=whom.number).exclude(by_name__in=("", FORMER)))
    for name, until in whom.names:
        if "revoked_by_name" in kind.columns:
            found.append(rows.filter(revoked_by_name=name, revoked_at__lte=until))
        if kind.name == REVISIONS.name:
            about = rows.filter(Q(subject__in=ABOUT_USERS), at__lte=until)
            found.append(holding(about, ("before", "after"), [name]))
    return found


def _without(fact: Fact, whom: FormerHolder) -> Fact:
    changed: dict[str, Any] = {}
    for named, number in NAMED_BY.items():
        if fact.get(named) and fact.get(number) == whom.number:
            changed[named] = FORMER
    if whom.was(fact.get("revoked_by_name"), fact.get("revoked_at")):
        changed["revoked_by_name"] = FORMER
    if fact.get("subject") in ABOUT_USERS:
        for side in ("before", "after"):
            if isinstance(fact[side], Mapping) and whom.was(fact[side].get("user"), fact["at"]):
                changed[side] = {**fact[side], "user": FORMER}
    return {**fact, **changed}
