"""A form that changes something that stands knows what it showed: nobody's change is overwritten unseen.

The page brings along what its fields said. If somebody else has changed one of them meanwhile, then whoever did not touch
it takes the change over, and whoever typed something else reads what stands there now and decides by saving again.
What is only ever replaced as a whole is brought along as one mark.
"""

import json
from copy import copy
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _

Raw = str | bool | list[str]
"""A value as a browser sends it."""

SEEN = "seen"


class SeenValues(forms.BaseForm):
    """The part of a form that does so. It changes something that stands unless it is made with `is_new`.

    What stands is read from the form's own initial values: give it what is stored now, read under a lock.
    """

    def __init__(self, *args: Any, is_new: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self._theirs: dict[str, str] = {}
        if not is_new:
            self.fields[SEEN] = forms.CharField(required=False, widget=forms.HiddenInput, initial=self._as_it_stands)

    def full_clean(self) -> None:
        """Take over what others changed and this person did not touch, then check everything."""
        if self.is_bound and SEEN in self.fields and not self._theirs:
            self._take_over()
        super().full_clean()
        if hasattr(self, "cleaned_data"):
            self.cleaned_data.pop(SEEN, None)
        for name, theirs in self._theirs.items():
            text = _(
                "Somebody else has changed this meanwhile: “%(theirs)s”. Save again to have what you typed instead."
            )
            self.add_error(name, text % {"theirs": theirs})

    def _take_over(self) -> None:
        """Lay what stands now over the fields that only others changed, and note those that both did."""
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
        """Return what a browser sends of a field that nobody touches."""
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
    """What a form replaces as a whole: a mark of it, and the sentence for whoever has not seen it yet."""

    mark: str
    sentence: str


class SeenWhole(forms.BaseForm):
    """A form that replaces something as a whole, such as a plan. What stands must be read under a lock.

    Where another stands than the page showed, the form is refused with both sides; saving again is the decision.
    """

    def __init__(self, *args: Any, standing: WhatStands | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_overtaken = False
        self.is_sound = False
        """Whether nothing is wrong but having been overtaken, once the form was checked."""
        self._standing = standing
        if standing:
            self.fields[SEEN] = forms.CharField(required=False, widget=forms.HiddenInput, initial=standing.mark)

    def full_clean(self) -> None:
        """Check everything, and say what stands if that is something else than the page showed."""
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
    """Return what a page said its fields had shown; nothing where it did not say so."""
    try:
        shown = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(shown, dict):
        return {}
    return {name: value for name, value in shown.items() if isinstance(value, str | bool | list)}


def _same(one: Raw, other: Raw) -> bool:
    """Return whether two values are the same, however a browser ends its lines."""
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return one == other
