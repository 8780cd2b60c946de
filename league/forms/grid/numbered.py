"""Forms whose fields carry a number behind their name, and how many of them a page has sent."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, TypeVar

from django import forms
from django.forms.formsets import INITIAL_FORM_COUNT, TOTAL_FORM_COUNT, ManagementForm

from league.core.numbers import small_number

F = TypeVar("F", bound=forms.Form)


def numbered(name: str, number: int | str) -> str:
    """Return what a page calls a field of a numbered form: `round` of the first row is `round_0`, `cell_3` `cell_0_3`."""
    first, *rest = name.split("_")
    return "_".join([first, str(number), *rest])


def sent_number(value: object) -> int:
    """Return a number that the page itself has written into a field; 0 for what somebody made of it."""
    return small_number(str(value or ""), 0, digits=8)


class NumberedForm(forms.Form):
    """A form that is one of several; its prefix is its number, counted from 0."""

    def add_prefix(self, field_name: str) -> str:
        return numbered(field_name, self.prefix or 0)


class NumberedFormSet(forms.BaseFormSet[F]):
    """Forms whose number the page sends as `count_name`; more than `absolute_max` are not read.

    A page that sends some of them alone keeps their numbers.
    """

    count_name: ClassVar[str]
    only_name: ClassVar[str] = ""
    """The field in which a page names the forms that it sends, where it does not send all of them."""
    extra = 0
    min_num = 0
    can_order = can_delete = can_delete_extra = False
    validate_min = validate_max = False
    renderer = None

    def add_prefix(self, index: int | str) -> str:
        """Return what the fields of a form have behind their names on the page: its place in the set."""
        return str(self.numbers[index]) if self.is_bound and isinstance(index, int) else str(index)

    @cached_property
    def numbers(self) -> Sequence[int]:
        count = min(sent_number(self.data.get(self.count_name)), self.absolute_max)
        only = self.data.get(self.only_name) if self.only_name else None
        if only is None:
            return range(count)
        named = {small_number(number, None, digits=3) for number in str(only).split(",")}
        return [number for number in range(count) if number in named]

    @cached_property
    def management_form(self) -> ManagementForm:
        """Return how many forms there are: the page has one count and no difference between old and new ones."""
        if not self.is_bound:
            return super().management_form
        form = ManagementForm(
            {f"{self.prefix}-{TOTAL_FORM_COUNT}": len(self.numbers), f"{self.prefix}-{INITIAL_FORM_COUNT}": 0},
            prefix=self.prefix,
        )
        form.full_clean()
        return form
