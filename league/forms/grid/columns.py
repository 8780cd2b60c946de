from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.core.readings import folded
from league.core.spelling import cleaned
from league.forms.entry.fields import GUEST, Choice
from league.forms.names import guest_called
from league.messages import plain_name
from league.models import Player
from league.services.entry import Seated


def numbered(name: str, number: int | str) -> str:
    """Return a field name with the form's number: `round` of the first row is `round_0`, `cell_3` is `cell_0_3`."""
    first, *rest = name.split("_")
    return "_".join([first, str(number), *rest])


def sent_number(value: object) -> int:
    """Parse a number from a hidden field; 0 if invalid."""
    return small_number(str(value or ""), 0, digits=8)


class NumberedForm(forms.Form):
    """A form of a sheet; `prefix`: its number, which becomes the suffix of its field names."""

    use_required_attribute = False

    def __init__(self, data: Mapping[str, Any] | None, number: int, initial: Any = None) -> None:
        super().__init__(data, prefix=str(number), initial=initial, auto_id="%s", empty_permitted=data is not None)

    def add_prefix(self, field_name: str) -> str:
        return numbered(field_name, self.prefix or 0)


class ColumnForm(NumberedForm):
    """A column's player. `person` is set as soon as it is known, even if two columns name the same player."""

    def __init__(self, *args: Any, choices: Sequence[Choice], people: Mapping[str, Player]) -> None:
        super().__init__(*args)
        # A player who is no longer offered leaves the column blank, which matters only if it has scores.
        self.fields["player"] = forms.CharField(required=False, widget=forms.Select(choices=choices))
        self.fields["guest"] = forms.CharField(required=False)
        self.people = people
        # An unbound form is never cleaned.
        self.person: Seated | None = None if self.is_bound else people.get(self.key)

    @property
    def key(self) -> str:
        return str(self["player"].value() or "")

    @property
    def guest_name(self) -> str:
        return cleaned(str(self["guest"].value() or ""))

    @property
    def name(self) -> str:
        return plain_name(self.person) if self.person else ""

    @property
    def is_known(self) -> bool:
        return self.person is not None and not self.errors

    @property
    def problem(self) -> str:
        """The column's error; a duplicate player takes precedence."""
        return next((str(text) for texts in self.errors.values() for text in reversed(texts)), "")

    @property
    def select(self) -> SafeString:
        return self["player"].as_widget()

    @property
    def is_settled(self) -> bool:
        return isinstance(self.person, Player) and not self.problem

    @property
    def describes_guest(self) -> bool:
        """Whether the error is about the guest's name."""
        return "guest" in self.errors

    @property
    def problem_id(self) -> str:
        return f"{self['player'].id_for_label}_error"

    def clean(self) -> dict[str, Any]:
        key, guest = self.cleaned_data.get("player", ""), cleaned(self.cleaned_data.get("guest", ""))
        if key == GUEST:
            try:
                self.person = guest_called(guest, self.people.values())
            except ValidationError as error:
                self.add_error("guest", error)
        elif guest and not key:
            self.add_error("player", _("Who is “%(name)s”? Choose a player or “+ Guest by name”.") % {"name": guest})
        else:
            self.person = self.people.get(key)
        return self.cleaned_data


def ask_about_twins(columns: Iterable[ColumnForm]) -> None:
    seen: set[str] = set()
    for column in columns:
        name = column.name or ("" if column.key else column.guest_name)
        who = str(column.person.pk) if isinstance(column.person, Player) else folded(name)
        if who and who in seen:
            column.add_error("player", _("There are two columns for %(name)s.") % {"name": name})
        seen.add(who)
