"""Detection of concurrent edits.

The page submits the initial values of its fields. Fields that only another user changed keep the other's value; if both
changed a field, the user sees the current value and saves again to overwrite it. Data that is replaced as a whole is
compared by a single digest.
"""

import json
from copy import copy
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _

Raw = str | bool | list[str]
"""A field value as submitted by a browser."""

SEEN = "seen"


class SeenValues(forms.BaseForm):
    """Mixin for edit forms; `is_new` for new objects. Read the initial values under a lock."""

    def __init__(self, *args: Any, is_new: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self._theirs: dict[str, str] = {}
        if not is_new:
            self.fields[SEEN] = forms.CharField(required=False, widget=forms.HiddenInput, initial=self._as_it_stands)

    def full_clean(self) -> None:
        """Take over others' changes to untouched fields, then validate."""
        if self.is_bound and SEEN in self.fields and not self._theirs:
            self._take_over()
        super().full_clean()
        if hasattr(self, "cleaned_data"):
            self.cleaned_data.pop(SEEN, None)
        for name, theirs in self._theirs.items():
            text = _("Someone else has changed this to “%(theirs)s”. Save again to use your value instead.")
            self.add_error(name, text % {"theirs": theirs})

    def _take_over(self) -> None:
        """Take over others' changes to untouched fields; collect fields that both changed."""
        data: Any = copy(self.data)
        shown = _read(data.get(self.add_prefix(SEEN), ""))
        for name in shown.keys() & self.fields.keys():
            stands, typed = self._stands(name), self._typed(name)
            if _same(stands, shown[name]) or _same(stands, typed):
                continue
            if _same(typed, shown[name]):
                self._put(data, name, stands)
            else:
                self._theirs[name] = self._in_words(name, stands)
        data[self.add_prefix(SEEN)] = self._as_it_stands()
        self.data = data

    def _as_it_stands(self) -> str:
        return json.dumps({name: self._stands(name) for name in self.fields if name != SEEN}, ensure_ascii=False)

    def _stands(self, name: str) -> Raw:
        """Return the current value as a browser would submit it."""
        field = self.fields[name]
        value = field.prepare_value(self.get_initial_for_field(field, name))
        if isinstance(field.widget, forms.CheckboxInput):
            return bool(value)
        said = field.widget.format_value(value)
        if isinstance(field.widget, forms.SelectMultiple):
            return [str(each) for each in said or ()]
        first = (said[0] if said else "") if isinstance(said, list | tuple) else said
        return "" if first is None else str(first)

    def _typed(self, name: str) -> Raw:
        value = self.fields[name].widget.value_from_datadict(self.data, self.files, self.add_prefix(name))
        return "" if value is None else value

    def _put(self, data: Any, name: str, value: Raw) -> None:
        key = self.add_prefix(name)
        if value is False:
            data.pop(key, None)
        elif isinstance(value, list):
            data.setlist(key, value)
        else:
            data[key] = "on" if value is True else value

    def _in_words(self, name: str, value: Raw) -> str:
        if isinstance(value, bool):
            return _("yes") if value else _("no")
        choices = {str(choice): str(label) for choice, label in getattr(self.fields[name], "choices", ())}
        said = [choices.get(each, each) for each in (value if isinstance(value, list) else [value])]
        return ", ".join(said) or "—"


@dataclass(frozen=True, slots=True)
class WhatStands:
    """Digest of data that a form replaces as a whole, and the message on conflict."""

    mark: str
    sentence: str


class SeenWhole(forms.BaseForm):
    """Mixin for forms that replace data as a whole, such as a seating plan.

    Read the data under a lock. If it has changed, the form is rejected with both versions; saving again overwrites.
    """

    def __init__(self, *args: Any, standing: WhatStands | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_overtaken = False
        self.is_sound = False
        """After validation: whether a conflict is the only error."""
        self._standing = standing
        if standing:
            self.fields[SEEN] = forms.CharField(required=False, widget=forms.HiddenInput, initial=standing.mark)

    def full_clean(self) -> None:
        """Validate, and add an error if the data has changed."""
        if self.is_bound and self._standing:
            self._compare(self._standing)
        super().full_clean()
        if hasattr(self, "cleaned_data"):
            self.cleaned_data.pop(SEEN, None)
        self.is_sound = self.is_bound and not self.errors
        if self.is_overtaken and self._standing:
            self.add_error(None, self._standing.sentence)

    def _compare(self, standing: WhatStands) -> None:
        data: Any = copy(self.data)
        key = self.add_prefix(SEEN)
        self.is_overtaken = self.is_overtaken or data.get(key, standing.mark) != standing.mark
        data[key] = standing.mark
        self.data = data


def _read(text: str) -> dict[str, Raw]:
    """Parse the submitted initial values; {} if missing or invalid."""
    try:
        shown = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(shown, dict):
        return {}
    return {name: value for name, value in shown.items() if isinstance(value, str | bool | list)}


def _same(one: Raw, other: Raw) -> bool:
    """Return whether two values are equal, ignoring whitespace and line ends."""
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return one == other
