"""Clauses of a rule sheet: the sentence for each value of a parameter. Their texts are in rules.toml and house.toml."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from scoring.core.reading import shipped_table
from scoring.messages.numbers import Texts, in_language, joined, raw_text

SWITCHES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Clause:
    """One rule: a sentence per value (`options`), with a number (`amount`, `zero` for 0), or with a list (`several`)."""

    label: Texts
    help: Texts = field(default_factory=dict)
    options: Mapping[str, Texts] = field(default_factory=dict)
    amount: Texts = field(default_factory=dict)
    zero: Texts = field(default_factory=dict)
    members: Mapping[str, Texts] = field(default_factory=dict)
    several: Texts = field(default_factory=dict)
    none: Texts = field(default_factory=dict)
    unset: Texts = field(default_factory=dict)

    def sentence(self, value: Any) -> str:
        if value is None:
            return in_language(self.unset)
        if self.options:
            return in_language(self.options[SWITCHES[value] if isinstance(value, bool) else str(value)])
        if self.several:
            return in_language(self.several) % {"list": self._listed(value)} if value else in_language(self.none)
        if self.amount:
            return in_language(self.zero or self.amount if value == 0 else self.amount) % {"value": raw_text(value)}
        return str(value)

    def _listed(self, values: Any) -> str:
        if self.members:
            return joined(in_language(self.members[name]) for name in values)
        return pgettext("between the rows of a table", "; ").join(
            _("%(label)s: %(count)s") % {"label": chips.label, "count": raw_text(chips.count)} for chips in values
        )


@dataclass(frozen=True)
class Section:
    """A section of the rule sheet; its rules by path in the house table."""

    heading: Texts
    rules: Mapping[str, Clause]


def _clauses(tables: Mapping[str, Any]) -> Mapping[str, Clause]:
    return {path: Clause(**texts) for path, texts in tables.items()}


RULES = _clauses(shipped_table(__package__, "rules.toml"))
"""Parameters of scoring by path."""

HOUSE_SECTIONS: Mapping[str, Section] = {
    name: Section(table["heading"], _clauses(table["rules"]))
    for name, table in shipped_table(__package__, "house.toml").items()
}

HOUSE_CLAUSES: Mapping[str, Clause] = {
    path: clause for section in HOUSE_SECTIONS.values() for path, clause in section.rules.items()
}
