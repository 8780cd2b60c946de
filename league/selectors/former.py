"""Hides the names of deleted accounts on pages until the background job has rewritten the history."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

FORMER = "退会者 (former member)"
"""Replaces the account's name; bilingual because history is read in both languages."""

ABOUT_USERS = ("membership", "player")
"""Subjects whose snapshots contain user names."""

former_accounts: list[Callable[[], Mapping[int, tuple[str, ...]]]] = []
"""Functions that return deleted accounts (primary key → names) in one query; other apps append theirs."""


class SignedFact(Protocol):
    by_id: int | None
    by_name: str


SomeFact = TypeVar("SomeFact", bound=SignedFact)


def hide_former(facts: Iterable[SomeFact]) -> list[SomeFact]:
    """Replace the names of deleted accounts. One query if any entry has a name."""
    found = list(facts)
    former = _former() if any(each.by_name for each in found) else {}
    for each in found if former else ():
        if each.by_id in former:
            each.by_name = FORMER
        if getattr(each, "subject", "") in ABOUT_USERS:
            _hide_in_snapshots(each, frozenset(name for names in former.values() for name in names if name))
    return found


def signed_by(number: int | None, name: str) -> str:
    """Return the displayed name of an actor. One query."""
    return FORMER if name and number in _former() else name


def _former() -> dict[int | None, tuple[str, ...]]:
    return {number: names for accounts in former_accounts for number, names in accounts().items()}


def _hide_in_snapshots(revision: Any, names: frozenset[str]) -> None:
    for side in ("before", "after"):
        told = getattr(revision, side)
        if isinstance(told, dict) and isinstance(user := told.get("user"), str) and user in names:
            setattr(revision, side, {**told, "user": FORMER})
