"""How a result was submitted: button, key, time of entry, and whether the phone had stored it first.

Buttons other than "save" change the input and show the page again; JavaScript does the same without a reload.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from league.core.limits import MAX_ROUND
from league.core.numbers import small_number
from league.services.entry import Draft, TypedResult
from league.services.held_results import Submission
from league.services.photos import CleanedPhoto

CLOCKS_DIFFER = timedelta(minutes=5)
"""How far a phone's clock may be ahead of the server."""

NOT_TYPED = {"csrfmiddlewaretoken", "device", "unsent", "entered_at", "do"}

SAVE, ANOTHER, SEATED = "save", "another", "seated"
"""Buttons that save: as is; as another, equal hanchan; with players other than planned.

Earlier confirmations are submitted along, separated by spaces.
"""

SEAT_FIELD = re.compile(r"(player|guest|raw|chombo|yakuman|chips|deposits|bust)_([0-3])(_\w+)?")
SHARE_FIELD = re.compile(r"(_share_)([0-3])")
ACTION = re.compile(r"(swap|sticks|negate)-(\d{1,2})")

MINUS = "-−▲△"


@dataclass(frozen=True, slots=True)
class Sending:
    data: QueryDict
    client_key: UUID | None
    entered_at: datetime | None
    was_kept: bool
    draft: Draft

    @classmethod
    def read(cls, data: QueryDict) -> Sending:
        """Parse the submitted data; invalid values count as missing."""
        key = None
        with suppress(ValueError):
            key = UUID(data.get("client_key", ""))
        number = small_number(data.get("for_round", ""), 0, digits=len(str(MAX_ROUND)))
        entered_at, was_kept = _moment(data.get("entered_at", "")), data.get("unsent") == "1"
        meant = number if 1 <= number <= MAX_ROUND else None
        draft = Draft(meant, _moment(data.get("begun_at", "")), entered_at if was_kept else None)
        return cls(data, key, entered_at, was_kept, draft)

    @property
    def saves(self) -> bool:
        return self._said <= {SAVE, ANOTHER, SEATED}

    @property
    def even_if_same(self) -> bool:
        return ANOTHER in self._said

    @property
    def even_if_others(self) -> bool:
        return SEATED in self._said

    def answered(self, entry: TypedResult) -> TypedResult:
        return replace(entry, table_and_time=replace(entry.table_and_time, even_if_others=self.even_if_others))

    @property
    def _said(self) -> set[str]:
        return set(self.data.get("do", SAVE).split())

    @property
    def typed(self) -> QueryDict:
        """The input with the button's action applied: seats swapped, sticks set, or a sign changed."""
        match = ACTION.fullmatch(self.data.get("do", ""))
        if match is None:
            return self.data
        name, number = match[1], int(match[2])
        if name == "swap":
            return _swapped(self.data, number, number + 1)
        changed = self.data.copy()
        if name == "sticks":
            changed["sticks_left"] = str(number)
            return changed
        field = f"raw_{number}"
        text = changed.get(field, "").strip()
        changed[field] = text[1:] if text[:1] in tuple(MINUS) else f"-{text}"
        return changed

    def submission(self, picture: CleanedPhoto | None) -> Submission | None:
        """Return the input so that it can be held if saving fails; None if no phone had stored it."""
        if self.client_key is None or not self.was_kept:
            return None
        typed = {name: texts for name, texts in self.data.lists() if name not in NOT_TYPED}
        return Submission(self.client_key, typed, self.entered_at, picture)


def _swapped(data: QueryDict, first: int, second: int) -> QueryDict:
    """Swap two players with all their fields, including answers about busts."""
    turned = {str(first): str(second), str(second): str(first)}
    changed = QueryDict(mutable=True, encoding=data.encoding)
    for name, values in data.lists():
        match = SEAT_FIELD.fullmatch(name)
        if match is None:
            seat, _, text = (values[0] if values else "").partition(":")
            changed.setlist(name, [f"{turned.get(seat, seat)}:{text}"] if name == "auto" else values)
            continue
        rest = SHARE_FIELD.sub(lambda share: share[1] + turned.get(share[2], share[2]), match[3] or "")
        is_answer = match[1] == "bust" and "share" not in rest
        answers = [turned.get(value, value) for value in values] if is_answer else values
        changed.setlist(f"{match[1]}_{turned.get(match[2], match[2])}{rest}", answers)
    return changed


def _moment(text: str) -> datetime | None:
    """Parse a time of entry; None if invalid, in the future or more than a year off."""
    moment, now = None, timezone.now()
    with suppress(ValueError):
        moment = parse_datetime(text)
    if moment is None or timezone.is_naive(moment) or abs(moment.year - now.year) > 1:
        return None
    return moment if moment <= now + CLOCKS_DIFFER else None
