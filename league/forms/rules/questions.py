from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.points import PointsField, SticksField, UmaField
from league.forms.rules.answers import asked_from, field_of, parameters_from
from league.forms.rules.house import RowsField, choices_of, house_fields
from league.forms.rules.sections import OF_POINTS, OF_TABLE, QUESTIONS, WITHOUT_POINTS, RuleSection, summaries
from league.forms.seen import SeenWhole, WhatStands
from scoring.core import LEDGER_PARTS, RulesetError, ScoringRules, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence, ruleset_problem
from scoring.messages.labels import PARTS as PART_NAMES
from scoring.messages.numbers import in_language

PLAIN: Mapping[str, type[forms.Field]] = {
    "sticks": SticksField,
    "points": PointsField,
    "uma": UmaField,
    "rows": RowsField,
    "flag": forms.BooleanField,
}
"""Fields of the kinds of questions without choices."""


def _field(question: Mapping[str, Any]) -> forms.Field:
    kind: str = question["kind"]
    texts: dict[str, Any] = {"label": in_language(question["label"]), "help_text": in_language(question["help"])}
    if kind in PLAIN:
        return PLAIN[kind](required=False, **texts)
    if kind == "text":
        size = forms.TextInput(attrs={"autocomplete": "off", "size": 8})
        return forms.CharField(required=False, max_length=20, widget=size, **texts)
    if kind == "parts":
        parts = tuple((str(part), PART_NAMES[part]) for part in LEDGER_PARTS)
        return forms.MultipleChoiceField(choices=parts, required=False, widget=forms.CheckboxSelectMultiple, **texts)
    choices = choices_of(question["choices"])
    if kind == "number":
        return forms.TypedChoiceField(choices=choices, coerce=int, widget=forms.RadioSelect, **texts)
    undecided = [("", _("undecided"))] if question.get("undecided") else []
    return forms.ChoiceField(choices=[*undecided, *choices], required=question.get("required", False), **texts)


class RulesForm(SeenWhole, forms.Form):
    """All parameters of a rule set as questions: scoring and house rules."""

    name = forms.CharField(
        label=_("Name of the rules"),
        max_length=100,
        required=False,
        help_text=_("Names all changed versions. A version unchanged from a rule set keeps its name."),
    )
    name_en = forms.CharField(label=_("Name in English"), max_length=100, required=False)
    note = forms.CharField(
        label=_("Summary of changes (public)"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        help_text=_("Shown next to the version, for example: decided at the general meeting."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        base: Mapping[str, Any],
        names: Mapping[str, str] | None = None,
        standing: WhatStands | None = None,
    ) -> None:
        self.base = base
        super().__init__(data, standing=standing)
        for section in QUESTIONS.values():
            self.fields.update({name: _field(question) for name, question in section["questions"].items()})
        self.fields.update(house_fields())
        self.initial = asked_from(base, self.fields) | dict(names or {})

    def shown(self, sections: Sequence[RuleSection]) -> list[dict[str, Any]]:
        """Return the sections with their questions; the usual ones, a floating uma and those with errors are open."""
        says = summaries(self.rules() if hasattr(self, "parameters") else read_ruleset(self.base))
        return [
            {
                "section": section,
                "fields": [self[name] for name in section.fields],
                "says": says[section.key],
                "without_points": WITHOUT_POINTS,
                "is_open": section is OF_POINTS[0]
                or ("uma_kind" in section.fields and self["uma_kind"].value() == "floating")
                or any(name in self.errors for name in section.fields),
            }
            for section in sections
        ]

    def of_points(self) -> list[dict[str, Any]]:
        return self.shown(OF_POINTS)

    def has_faults_of_table(self) -> bool:
        return any(name in self.errors for section in OF_TABLE for name in section.fields)

    def of_table(self) -> list[dict[str, Any]]:
        return self.shown(OF_TABLE)

    def clean(self) -> dict[str, Any]:
        """Report contradicting parameters at the field they belong to."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.parameters = write_ruleset(read_ruleset(parameters_from(self.base, values, self.fields)))
            except RulesetError as error:
                field = field_of(error.path)
                self.add_error(field, ruleset_problem(error) if field else ruleset_error_sentence(error))
            except ValidationError as error:
                self.add_error("chombo_amount", error)
        return values

    def rules(self) -> ScoringRules:
        return read_ruleset(self.parameters)
