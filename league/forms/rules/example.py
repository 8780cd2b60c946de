"""Scores to try rules on, and the card to begin from."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.entry import read_scores
from league.core.limits import MAX_KEY_LENGTH, MAX_STICKS
from league.selectors.rulebook import SEAT_NAMES

SEATS = 4


class ExampleForm(forms.Form):
    """Raw scores to try the rules on."""

    chombo = forms.TypedChoiceField(
        label=_("Chombo by"),
        choices=[("", _("nobody")), *enumerate(SEAT_NAMES)],
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
        """Return the numbers that were typed, seat by seat."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        typed = {f"raw_{seat}": values.get(f"raw_{seat}") or "" for seat in range(SEATS)}
        played = [name for name, text in typed.items() if text]
        read = read_scores(
            [typed[name] for name in played], values.get("sticks_left") or 0, self.start_points, fills=False
        )
        for seat, name in enumerate(played):
            if seat in read.errors:
                self.add_error(name, _("This is no raw score. Write for example 31700 or 317."))
            else:
                values[name] = read.raw[seat]
        return values

    def scores(self, players: int) -> tuple[int, ...] | None:
        """Return one raw score per player, or None while some are missing."""
        typed = [self.cleaned_data.get(f"raw_{seat}") for seat in range(players)]
        known = tuple(score for score in typed if isinstance(score, int))
        return known if len(known) == players else None


class ChooseCardForm(forms.Form):
    card = forms.SlugField(max_length=MAX_KEY_LENGTH)
