"""Removing names of people and accounts from a league's history; actions and figures stay."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from league.core.masking import Mask, masked, without_player
from league.models import HeldResult, League, Player, Revision
from league.models.editions import raise_edition
from league.selectors.former import ABOUT_USERS, FORMER
from league.services.erasing.tables import TextTable, holding, told
from league.services.history import WRITTEN_TOGETHER


@dataclass(frozen=True, slots=True)
class GoneNames:
    """The names to erase.

    `called`: the new name per player's primary key; `wanted`: spellings to search for; `mask`: replaces them in a text.
    """

    called: Mapping[int, str]
    wanted: Sequence[str]
    mask: Mask


def redact(league: League, table: TextTable, rows: Iterable[Any], texts: Callable[[Any], Mapping[str, Any]]) -> int:
    """Replace texts in history rows; return how many rows changed.

    `texts` returns the new values of a row. Revisions also get `redacted_at`, which the trigger requires
    (league/models/triggers.py).
    """
    changed = []
    noted = {"redacted_at": timezone.now()} if table.model is Revision else {}
    for row in rows:
        new = {column: value for column, value in texts(row).items() if value != getattr(row, column)}
        if new:
            vars(row).update(new | noted)
            changed.append(row)
    if changed:
        table.model._base_manager.bulk_update(changed, (*table.columns, *noted), WRITTEN_TOGETHER)
        raise_edition(league.pk)
    return len(changed)


def redact_history(league: League, gone: GoneNames) -> int:
    """Remove the names from the whole history; return the number of rows changed."""
    return sum(
        redact(league, each, _candidates(league, each, gone), lambda row: _without(row, each.columns, gone))  # noqa: B023
        for each in told()
    )


def _candidates(league: League, table: TextTable, gone: GoneNames) -> QuerySet[Any]:
    rows = table.of(league)
    found = Q(pk__in=holding(rows, table.columns, gone.wanted).values("pk"))
    if table.model is Revision:
        found |= Q(subject="player", subject_id__in=list(gone.called))
    return rows.filter(found)


def _without(row: Any, columns: Sequence[str], gone: GoneNames) -> dict[str, Any]:
    if isinstance(row, Revision) and row.subject == "player":
        return {column: _of_player(column, row, gone) for column in columns}
    return {column: without_player(getattr(row, column), gone.called, gone.mask) for column in columns}


OWN = ("name", "kana", "romanised", "number", "club", "aliases", "user")
"""Keys of a player's snapshot that identify the person."""


def _of_player(column: str, row: Revision, gone: GoneNames) -> Any:
    """Return a column of a player's revision: without identifying values if erased, unchanged for other players."""
    value, called = getattr(row, column), gone.called.get(row.subject_id)
    if column not in {"before", "after"} or not isinstance(value, Mapping):
        return gone.mask(value) if isinstance(value, str) else value
    if called is None:
        # In a merge, `into` may be an erased player; the rest is about another one.
        into = gone.called.get(value.get("into", 0))
        return {**value, "name": into} if into else value
    own = {name: called if name == "name" else masked(value[name], lambda _: "") for name in OWN if name in value}
    return {**value, **own}


LOOKED_FOR = timedelta(hours=1)
"""How long after an erasure outdated data may still be written."""


def sweep_late_names(now: datetime) -> int:
    """Replace names stored by requests that ran during an erasure; return how many rows changed.

    They are found by the player's primary key next to the name. One query if there are none.
    """
    erased = Player.objects.filter(erased_at__gt=now - LOOKED_FOR)
    by_league: dict[League, list[Player]] = {}
    for player in erased.order_by("league", "pk").select_related("league"):
        by_league.setdefault(player.league, []).append(player)
    return sum(_redact_late(league, players) for league, players in by_league.items())


def _redact_late(league: League, players: list[Player]) -> int:
    called = {player.pk: player.name for player in players}
    first = min(player.erased_at for player in players if player.erased_at)
    late = Revision.objects.filter(league=league, subject="hanchan", at__gte=first - LOOKED_FOR).order_by("pk")
    table = next(each for each in told() if each.model is Revision)

    def renamed(row: Revision) -> dict[str, object]:
        return {side: without_player(getattr(row, side), called, str) for side in ("before", "after")}

    return redact(league, table, late.iterator(500), renamed)


@dataclass(frozen=True, slots=True)
class FormerHolder:
    """A closed account: its primary key, and each user name with the time until which it was used.

    Others may have the name since. Without names, the account is found by primary key only.
    """

    number: int
    names: tuple[tuple[str, datetime], ...]

    def was(self, name: object, at: datetime | None) -> bool:
        """Return whether the account had this name at this time."""
        return at is not None and any(each == name and at <= until for each, until in self.names)


def leagues_that_tell(whom: FormerHolder) -> list[int]:
    """Return primary keys of the leagues whose history contains the name, and replace it in held results."""
    for name, until in whom.names:
        HeldResult.objects.filter(settled_by=name, settled_at__lte=until).update(settled_by=FORMER)
    found: set[int] = set()
    for table in told():
        rows = table.model._base_manager.order_by()
        found.update(_telling(table, rows, whom).values_list(table.to_league, flat=True).distinct())
    return sorted(League.objects.filter(pk__in=found).values_list("pk", flat=True))


def redact_account_name(league: League, after: int, whom: FormerHolder) -> int | None:
    """Redact an account's name in the next chunk of a league's history.

    Return the primary key of the last revision, to go on from, or None if finished. Takes about a second. Idempotent.
    """
    for table in sorted(told(), key=lambda each: each.model is Revision):
        rows = _telling(table, table.of(league), whom)
        if table.model is Revision:
            rows = rows.filter(pk__gt=after)
        part = list(rows[:WRITTEN_TOGETHER])
        redact(league, table, part, lambda row: _without_account(row, whom))
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


def _without_account(row: Any, whom: FormerHolder) -> dict[str, Any]:
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
