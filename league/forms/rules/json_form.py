"""All parameters of a rule set as JSON."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.seen import SeenWhole
from scoring.core import RulesetError, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence

MAX_JSON_LENGTH = 20_000


class JsonForm(SeenWhole, forms.Form):
    """All parameters of a rule set, for those the questions do not ask."""

    json = forms.CharField(
        label=_("All parameters as JSON"),
        max_length=MAX_JSON_LENGTH,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
        help_text=_('Points are decimal texts such as "7.5". What is left out is not settled.'),
    )
    note = forms.CharField(
        label=_("What changed, for the league to read"), max_length=MAX_REASON_LENGTH, required=False
    )

    def clean_json(self) -> dict[str, Any]:
        """Return the parameters in their canonical form. Raises ValidationError with the parameter at fault."""
        try:
            typed = json.loads(self.cleaned_data["json"], parse_float=Decimal, parse_constant=_refuse_constant)
            json.dumps(typed, ensure_ascii=False, default=str).encode()
        except (ValueError, RecursionError) as error:
            raise ValidationError(_("This is not JSON: %(error)s"), params={"error": str(error)[:200]}) from error
        try:
            return write_ruleset(read_ruleset(typed))
        except RulesetError as error:
            raise ValidationError(ruleset_error_sentence(error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def as_json(parameters: Mapping[str, Any]) -> str:
    """Return parameters as people edit them, in the order of a card: PostgreSQL keeps none."""
    return json.dumps(_in_order(parameters), ensure_ascii=False, indent=2, sort_keys=False)


def _in_order(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        written = write_ruleset(read_ruleset(dict(parameters)))
    except RulesetError:
        return parameters
    return written if written == parameters else parameters
