"""Buttons of the entry page beside the one that saves. They change what is typed and show the page again.

The script of the page does the same in place; these are what is left when it does not run.
"""

import re

from django.http import QueryDict

SAVE, CHECK, ANOTHER = "save", "check", "another"

SEAT_FIELD = re.compile(r"(player|guest|raw|chombo|yakuman|chips|deposits|bust)_([0-3])(_\w+)?")
SHARE_FIELD = re.compile(r"(_share_)([0-3])")
ACTION = re.compile(r"(swap|sticks|negate)-(\d{1,2})")

MINUS = "-−▲△"


def saves(data: QueryDict) -> bool:
    """Return whether the person pressed a button that stores the result."""
    return data.get("do", SAVE) in {SAVE, ANOTHER}


def even_if_same(data: QueryDict) -> bool:
    """Return whether the person says that an equal result is another hanchan."""
    return data.get("do") == ANOTHER


def applied(data: QueryDict) -> QueryDict:
    """Return what was typed with the pressed button's change made: seats swapped, sticks set, a sign turned."""
    match = ACTION.fullmatch(data.get("do", ""))
    if match is None:
        return data
    name, number = match[1], int(match[2])
    if name == "swap":
        return _swapped(data, number, number + 1)
    changed = data.copy()
    if name == "sticks":
        changed["sticks_left"] = str(number)
        return changed
    field = f"raw_{number}"
    text = changed.get(field, "").strip()
    changed[field] = text[1:] if text[:1] in tuple(MINUS) else f"-{text}"
    return changed


def _swapped(data: QueryDict, first: int, second: int) -> QueryDict:
    """Return the same people with the same scores in each other's seats, answers about busts included."""
    turned = {str(first): str(second), str(second): str(first)}
    changed = QueryDict(mutable=True, encoding=data.encoding)
    for name, values in data.lists():
        match = SEAT_FIELD.fullmatch(name)
        if match is None:
            changed.setlist(name, _turned_auto(values, turned) if name == "auto" else values)
            continue
        rest = SHARE_FIELD.sub(lambda share: share[1] + turned.get(share[2], share[2]), match[3] or "")
        is_answer = match[1] == "bust" and "share" not in rest
        answers = [turned.get(value, value) for value in values] if is_answer else values
        changed.setlist(f"{match[1]}_{turned.get(match[2], match[2])}{rest}", answers)
    return changed


def _turned_auto(values: list[str], turned: dict[str, str]) -> list[str]:
    seat, _, text = (values[0] if values else "").partition(":")
    return [f"{turned.get(seat, seat)}:{text}"]
