from collections.abc import Mapping
from datetime import MAXYEAR, datetime
from types import UnionType
from typing import Any

MOST = 2**63 - 1
"""Largest integer that a database column can hold."""

Kind = type | UnionType
"""Type of a stored value; numbers fit into a database column, and a datetime is stored as text."""

OF_HANCHAN: Mapping[str, Kind] = {
    "table": int,
    "round": int,
    "played_at": datetime,
    "ruleset_version": int,
    "sticks_left": int,
    "end_reason": str,
    "note": str,
    "state": str,
}
MAY_BE_LEFT_OUT: Mapping[str, Kind] = {"given": str, "as_is": bool}
OF_SEAT: Mapping[str, Kind] = {
    "player": int,
    "raw": int | None,
    **dict.fromkeys(("chips", "chombo", "deposits", "placement", "points", "settlement"), int),
}
OF_INCIDENT: Mapping[str, Kind] = {"kind": str, "detail": dict, "note": str}

MOVED = ("seats", "adjustments", "session_points")
"""Names in the history of the kinds of rows that a merge moves."""


def readable_state(kept: object) -> dict[str, Any] | None:
    """Return the stored state of a hanchan, or None if pages cannot show it."""
    if not isinstance(kept, dict):
        return None
    seats, incidents = kept.get("seats"), kept.get("incidents")
    told = {name: kind for name, kind in MAY_BE_LEFT_OUT.items() if name in kept}
    if not (seats and _are_rows(seats, OF_SEAT) and _are_rows(incidents, OF_INCIDENT)):
        return None
    are_seated = all(each.get("seat") in range(len(seats)) for each in incidents or ())
    return kept if are_seated and _fits(kept, {**OF_HANCHAN, **told}) else None


def readable_merge(kept: object) -> dict[str, Any] | None:
    """Return the primary keys that a merge moved, by field, or None if the entry is unreadable."""
    if not isinstance(kept, dict):
        return None
    rows = [kept[name] for name in MOVED if name in kept]
    return kept if all(isinstance(each, list) and all(_is(pk, int) for pk in each) for each in rows) else None


def _are_rows(value: object, kinds: Mapping[str, Kind]) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and _fits(each, kinds) for each in value)


def _fits(row: Mapping[str, Any], kinds: Mapping[str, Kind]) -> bool:
    return all(name in row and _is(row[name], kind) for name, kind in kinds.items())


def _is(value: object, kind: Kind) -> bool:
    if kind is datetime:
        return _is_moment(value)
    if isinstance(value, int) and kind is not bool:
        return kind in {int, int | None} and not isinstance(value, bool) and -MOST <= value <= MOST
    return isinstance(value, kind)


def _is_moment(value: object) -> bool:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return False
    # Times at the limits of datetime cannot be converted to other time zones.
    return moment is not None and moment.tzinfo is not None and 1 < moment.year < MAXYEAR
