from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext

from league.models import Revision
from league.selectors.history.subjects import HistorySubject
from league.selectors.history.values import in_order, label, listed, points, raw_score, value_text
from league.selectors.rulebook import RuleChange, differences


def changes_of(revision: Revision, subject: HistorySubject) -> tuple[RuleChange, ...]:
    before, after = revision.before, revision.after
    if revision.subject == "ruleset":
        return differences(before, after) if isinstance(before, dict) and isinstance(after, dict) else ()
    if revision.action in {Revision.Action.MERGED, Revision.Action.SEPARATED}:
        return _moved(after if isinstance(after, dict) else before)
    old, new = (side if isinstance(side, dict) else {} for side in (before, after))
    is_only_state = revision.subject == "hanchan" and not (old and new)
    plain = () if is_only_state else field_changes(subject, old, new)
    return (*_seat_changes(old, new), *plain, *_plan_changes(old, new))


def field_changes(subject: HistorySubject, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    changed = [key for key in {**old, **new} if key not in subject.silent and old.get(key) != new.get(key)]
    keys = in_order(changed, subject)
    first, second = (old, new) if new else ({}, old)
    lines = [
        RuleChange(label(key, subject), *(value_text(key, side.get(key), subject) for side in (first, second)))
        for key in keys
    ]
    return tuple(line for line in lines if line.before != line.after)


def _moved(snapshot: Any) -> tuple[RuleChange, ...]:
    if not isinstance(snapshot, dict):
        return ()
    seats = snapshot.get("seats")
    return (
        RuleChange(gettext("hanchan"), "", str(len(seats) if isinstance(seats, list) else 0)),
        RuleChange(label("into"), "", str(snapshot.get("name", ""))),
    )


def _seat_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    first, second = _seats(old), _seats(new)
    nobody: dict[str, Any] = {}
    pairs = list(zip_longest(first, second, fillvalue=nobody))
    if not (first and second):
        seats = (after or before for before, after in pairs)
        return tuple(RuleChange(str(seat.get("name", "")), "", raw_score(seat)) for seat in seats if seat)
    present = [(before, after) for before, after in pairs if before and after]
    typed = [(before, after) for before, after in present if _typed(before) != _typed(after)]
    if typed:
        return tuple(RuleChange(_seat_label(*pair), *map(raw_score, pair)) for pair in typed)
    # Only the points changed, because of other rules.
    return tuple(
        RuleChange(_seat_label(before, after), points(before["points"]), points(after["points"]))
        for before, after in present
        if isinstance(before.get("points"), int)
        and isinstance(after.get("points"), int)
        and before["points"] != after["points"]
    )


def _plan_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    """Return the planned players before and after, for each changed table."""
    first, second = _planned(old), _planned(new)
    places = [place for place in {**first, **second} if first.get(place) != second.get(place)]
    return tuple(
        RuleChange(_plan_label(place), *(listed(side.get(place) or []) for side in (first, second)))
        for place in sorted(places, key=_plan_order)
    )


def _planned(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    plan = snapshot.get("plan")
    return plan if isinstance(plan, dict) else {}


LONG = 10
"""Longer numbers are not rounds or tables."""


def _plan_order(place: str) -> tuple[int, ...]:
    return tuple(int(part) for part in place.split("/") if part.isdecimal() and len(part) < LONG)


def _plan_label(place: str) -> str:
    number, _, table = place.partition("/")
    if number == "0":
        return gettext("Planned at table %(table)s") % {"table": table}
    return gettext("Planned in round %(round)s at table %(table)s") % {"round": number, "table": table}


def _seats(snapshot: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """Return the seats of a snapshot, or [] if they are missing or malformed."""
    seats = snapshot.get("seats")
    return seats if isinstance(seats, list) and all(isinstance(seat, dict) for seat in seats) else []


def _typed(seat: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(seat.get(name) for name in ("player", "raw", "chips", "chombo", "deposits"))


def _seat_label(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    if first.get("name") == second.get("name"):
        return str(second.get("name"))
    return gettext("%(before)s → %(after)s") % {"before": first.get("name"), "after": second.get("name")}
