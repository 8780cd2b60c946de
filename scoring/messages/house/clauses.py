"""The label of a house rule, and the sentence for each of its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise

from scoring.messages.numbers import joined, raw_text

Value = str | int | tuple[str, ...]


@dataclass(frozen=True)
class Clause:
    """One rule: a sentence per value (`options`), with a number (`amount`, `zero` for 0), or with a list.

    `several`: the sentence with the list of `members`; `none`: the sentence for an empty list.
    """

    label: Promise
    options: Mapping[str | int, Promise] = field(default_factory=dict)
    amount: Promise | str = ""
    zero: Promise | str = ""
    members: Mapping[str, Promise] = field(default_factory=dict)
    several: Promise | str = ""
    none: Promise | str = ""

    def sentence(self, value: Value) -> str:
        if isinstance(value, tuple):
            named = joined(str(self.members[name]) for name in value)
            return str(self.several) % {"list": named} if value else str(self.none)
        if self.options:
            return str(self.options[value])
        if value == 0 and self.zero:
            return str(self.zero)
        return str(self.amount) % {"value": raw_text(int(value))}
