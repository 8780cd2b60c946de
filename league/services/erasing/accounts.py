"""An account goes: what its holder did stays in the histories of leagues, without their name. docs/adr/0048."""

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from league.core.chain import Fact
from league.models import HeldResult, League
from league.models.growing import REVISIONS, FactKind, fact_kinds
from league.selectors.chain import rows_of
from league.services.erasing.tables import holding
from league.services.history import SYSTEM, Actor
from league.services.redacting import redact

FORMER = "退会者 (former member)"
"""What stands where the name of an account stood: histories are read in both languages."""

REASON = "the account was deleted"

NAMED_BY = {"by_name": "by_id"}
"""Columns that name who did something, each with the column that has their number."""

ABOUT_USERS = ("membership", "player")
"""The subjects whose revisions name accounts."""


@transaction.atomic
def redact_account_name(user: User, by: Actor = SYSTEM) -> int:
    """Take an account's name out of the history of every league; return how many facts say something else now.

    To be called in the transaction that deletes the account, before it is gone. Once more changes nothing.
    """
    name = user.get_username()
    HeldResult.objects.filter(settled_by=name).update(settled_by=FORMER)
    return sum(_redact_in(league, user, name, by) for league in _leagues(user, name))


def _leagues(user: User, name: str) -> list[League]:
    found: set[int] = set()
    for kind in fact_kinds:
        rows = apps.get_model(kind.model)._base_manager.filter(_is_theirs(kind, user, name)).order_by()
        found |= {pk for pk in rows.values_list(kind.to_league, flat=True).distinct() if pk is not None}
        if kind.name == REVISIONS.name:
            rows = apps.get_model(kind.model)._base_manager.filter(subject__in=ABOUT_USERS).order_by()
            found |= set(holding(rows, ("before", "after"), [name]).values_list("league", flat=True))
    return list(League.objects.filter(pk__in=found).order_by("pk"))


def _is_theirs(kind: FactKind, user: User, name: str) -> Q:
    theirs = Q(pk__in=())
    if "by_name" in kind.columns:
        theirs |= Q(by_id=user.pk) & ~Q(by_name__in=("", FORMER))
    if "revoked_by_name" in kind.columns:
        theirs |= Q(revoked_by_name=name)
    return theirs


def _redact_in(league: League, user: User, name: str, by: Actor) -> int:
    asked = {}
    for kind in fact_kinds:
        rows = rows_of(kind, league.pk)
        numbers = set(rows.filter(_is_theirs(kind, user, name)).values_list("pk", flat=True))
        if kind.name == REVISIONS.name:
            about = rows.filter(subject__in=ABOUT_USERS)
            numbers |= set(holding(about, ("before", "after"), [name]).values_list("pk", flat=True))
        asked[kind.name] = sorted(numbers)
    return redact(league, asked, lambda _kind, _number, fact: _without(fact, user, name), by, REASON)


def _without(fact: Fact, user: User, name: str) -> Fact:
    changed: dict[str, Any] = {}
    for named, number in NAMED_BY.items():
        if fact.get(named) and fact.get(number) == user.pk:
            changed[named] = FORMER
    if fact.get("revoked_by_name") == name:
        changed["revoked_by_name"] = FORMER
    if fact.get("subject") in ABOUT_USERS:
        for side in ("before", "after"):
            if isinstance(fact[side], Mapping) and fact[side].get("user") == name:
                changed[side] = {**fact[side], "user": FORMER}
    return {**fact, **changed}
