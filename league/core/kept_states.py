from collections.abc import Callable, Mapping
from datetime import MAXYEAR, datetime
from typing import Any

MOST = 2**63 - 1
"""Largest integer that a database column can hold."""

Check = Callable[[object], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -MOST <= value <= MOST


def _is_number_or_nothing(value: object) -> bool:
    return value is None or _is_number(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_moment(value: object) -> bool:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return False
    # Times at the limits of datetime cannot be converted to other time zones.
    return moment is not None and moment.tzinfo is not None and 1 < moment.year < MAXYEAR


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


OF_HANCHAN: Mapping[str, Check] = {
    "table": _is_number,
    "round": _is_number,
    "played_at": _is_moment,
    "ruleset_version": _is_number,
    "sticks_left": _is_number,
    "end_reason": _is_text,
    "note": _is_text,
    "state": _is_text,
}
MAY_BE_LEFT_OUT: Mapping[str, Check] = {"given": _is_text, "as_is": _is_flag}
OF_SEAT: Mapping[str, Check] = {
    "player": _is_number,
    "raw": _is_number_or_nothing,
    **dict.fromkeys(("chips", "chombo", "deposits", "placement", "points", "settlement"), _is_number),
}
OF_INCIDENT: Mapping[str, Check] = {"kind": _is_text, "detail": _is_table, "note": _is_text}

MOVED = ("seats", "adjustments", "session_points")
"""Names in the history of the kinds of rows that a merge moves."""


def readable_state(kept: object) -> dict[str, Any] | None:
    """Return the stored state of a hanchan, or None if pages cannot show it."""
    if not isinstance(kept, dict):
        return None
    seats, incidents = kept.get("seats"), kept.get("incidents")
    told = {name: check for name, check in MAY_BE_LEFT_OUT.items() if name in kept}
    if not (seats and _are_rows(seats, OF_SEAT) and _are_rows(incidents, OF_INCIDENT)):
        return None
    are_seated = all(each.get("seat") in range(len(seats)) for each in incidents or ())
    return kept if are_seated and _fits(kept, {**OF_HANCHAN, **told}) else None


def readable_merge(kept: object) -> dict[str, Any] | None:
    """Return the primary keys that a merge moved, by field, or None if the entry is unreadable."""
    if not isinstance(kept, dict):
        return None
    rows = [kept[name] for name in MOVED if name in kept]
    return kept if all(isinstance(each, list) and all(map(_is_number, each)) for each in rows) else None


def _are_rows(value: object, checks: Mapping[str, Check]) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and _fits(each, checks) for each in value)


def _fits(row: Mapping[str, Any], checks: Mapping[str, Check]) -> bool:
    return all(name in row and check(row[name]) for name, check in checks.items())
