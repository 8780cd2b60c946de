"""Forms beside the questions: all parameters as JSON, example scores, and the choice of a card."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.entry import read_scores
from league.core.limits import MAX_REASON_LENGTH, MAX_STICKS
from league.forms.seen import SeenWhole
from league.selectors.rulebook import SEAT_NAMES
from scoring.core import RulesetError, load_cards, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence

MAX_JSON_LENGTH = 20_000


class JsonForm(SeenWhole, forms.Form):
    """All parameters of a rule set as JSON, including those without a question."""

    json = forms.CharField(
        label=_("All parameters as JSON"),
        max_length=MAX_JSON_LENGTH,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
        help_text=_('Enter points as text, such as "7.5". Omitted values are undecided.'),
    )
    note = forms.CharField(label=_("Summary of changes (public)"), max_length=MAX_REASON_LENGTH, required=False)

    def clean_json(self) -> dict[str, Any]:
        """Return the parameters in canonical form. Raise ValidationError naming the invalid parameter."""
        try:
            typed = json.loads(self.cleaned_data["json"], parse_float=Decimal, parse_constant=_refuse_constant)
            json.dumps(typed, ensure_ascii=False, default=str).encode()
        except (ValueError, RecursionError) as error:
            raise ValidationError(_("Not valid JSON: %(error)s"), params={"error": str(error)[:200]}) from error
        try:
            return write_ruleset(read_ruleset(typed))
        except RulesetError as error:
            raise ValidationError(ruleset_error_sentence(error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def as_json(parameters: Mapping[str, Any]) -> str:
    """Format parameters for editing. Restores the order of keys, which PostgreSQL does not keep."""
    return json.dumps(_in_order(parameters), ensure_ascii=False, indent=2, sort_keys=False)


def _in_order(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        written = write_ruleset(read_ruleset(dict(parameters)))
    except RulesetError:
        return parameters
    return written if written == parameters else parameters


SEATS = 4


class ExampleForm(forms.Form):
    chombo = forms.TypedChoiceField(
        label=_("Chombo by"),
        choices=[("", _("no one")), *enumerate(SEAT_NAMES)],
        coerce=int,
        empty_value=None,
        required=False,
    )
    sticks_left = forms.IntegerField(
        label=_("Sticks on the table"), min_value=0, max_value=MAX_STICKS, required=False, initial=0
    )

    def __init__(self, *args: Any, scores: Sequence[int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.start_points = sum(scores) // len(scores) if scores else 0
        attributes = {"inputmode": "numeric", "autocomplete": "off", "size": 7}
        for seat in range(SEATS):
            self.fields[f"raw_{seat}"] = forms.CharField(
                label=SEAT_NAMES[seat],
                required=False,
                max_length=40,
                initial=scores[seat] if seat < len(scores) else "",
                widget=forms.TextInput(attrs=attributes),
            )
        self.order_fields([*(f"raw_{seat}" for seat in range(SEATS)), "sticks_left", "chombo"])

    def clean(self) -> dict[str, Any]:
        """Parse the scores together, as the unit of each depends on the total."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        typed = {f"raw_{seat}": values.get(f"raw_{seat}") or "" for seat in range(SEATS)}
        played = [name for name, text in typed.items() if text]
        scores, sticks = [typed[name] for name in played], values.get("sticks_left") or 0
        read = read_scores(scores, sticks, self.start_points, fills=False)
        for seat, name in enumerate(played):
            if seat in read.errors:
                self.add_error(name, _("Enter a score such as 31700 or 317."))
            else:
                values[name] = read.raw[seat]
        return values

    def scores(self, players: int) -> tuple[int, ...] | None:
        """Return the raw scores by seat, or None if any is missing."""
        typed = [self.cleaned_data.get(f"raw_{seat}") for seat in range(players)]
        known = tuple(score for score in typed if isinstance(score, int))
        return known if len(known) == players else None


class ChooseCardForm(forms.Form):
    card = forms.ChoiceField(
        label=_("Rules"),
        choices=lambda: [(card.key, card.key) for card in load_cards()],
        error_messages={"invalid_choice": _("This rule set does not exist. Choose one from the list.")},
    )
