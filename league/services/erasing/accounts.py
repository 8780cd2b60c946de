"""An account goes: what its holder did stays in the histories of leagues, without their name. docs/adr/0048."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from league.models import HeldResult, League, Revision
from league.selectors.former import ABOUT_USERS, FORMER
from league.services.erasing.history import redact
from league.services.erasing.tables import TextTable, holding, told
from league.services.history import WRITTEN_TOGETHER


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
    for table in told():
        rows = table.model._base_manager.order_by()
        found.update(_telling(table, rows, whom).values_list(table.to_league, flat=True).distinct())
    return sorted(League.objects.filter(pk__in=found).values_list("pk", flat=True))


def redact_account_name(league: League, after: int, whom: FormerHolder) -> int | None:
    """Take an account's name out of the next part of a history; return up to which revision, None where nothing is left.

    A part of a second each: the pages and whoever enters results go on meanwhile. Once more changes nothing.
    """
    for table in sorted(told(), key=lambda each: each.model is Revision):
        rows = _telling(table, table.of(league), whom)
        if table.model is Revision:
            rows = rows.filter(pk__gt=after)
        part = list(rows[:WRITTEN_TOGETHER])
        redact(league, table, part, lambda row: _without(row, whom))
        if part:
            return part[-1].pk if table.model is Revision else after
    return None


def _telling(table: TextTable, rows: QuerySet[Any], whom: FormerHolder) -> QuerySet[Any]:
    found = Q(by_id=whom.number) & ~Q(by_name__in=("", FORMER))
    for name, until in whom.names:
        if "revoked_by_name" in table.columns:
            found |= Q(revoked_by_name=name, revoked_at__lte=until)
        if table.model is Revision:
            about = rows.filter(subject__in=ABOUT_USERS, at__lte=until)
            found |= Q(pk__in=holding(about, ("before", "after"), [name]).order_by().values("pk"))
    return rows.filter(found)


def _without(row: Any, whom: FormerHolder) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    if row.by_name and row.by_id == whom.number:
        changed["by_name"] = FORMER
    if whom.was(getattr(row, "revoked_by_name", None), getattr(row, "revoked_at", None)):
        changed["revoked_by_name"] = FORMER
    if isinstance(row, Revision) and row.subject in ABOUT_USERS:
        for side in ("before", "after"):
            value = getattr(row, side)
            if isinstance(value, Mapping) and whom.was(value.get("user"), row.at):
                changed[side] = {**value, "user": FORMER}
    return changed
