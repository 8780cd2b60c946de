"""The common parameters of a rule set as questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.points import PointsField, PointsListField, SticksField
from league.forms.rules.answers import asked_from, field_of, parameters_from
from league.forms.rules.choices import (
    BASES,
    BUST_ENDS,
    BUST_OTHERS,
    BUST_WINS,
    CHOMBOS,
    LEFTOVERS,
    OKAS,
    PARTS,
    REMAINDERS,
    ROUNDING_BASES,
    ROUNDINGS,
    SPLIT_UNITS,
    TIE_POINTS,
    TIE_RANKS,
    UMAS,
)
from league.forms.rules.rows import RowsField
from league.forms.seen import SeenWhole, WhatStands
from scoring.core import RulesetError, ScoringRules, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence

GROUPS: Sequence[tuple[str | Promise, Sequence[str]]] = (
    (_("The game"), ("players", "start_points", "return_points", "score_basis")),
    (
        _("Uma and oka"),
        ("uma_kind", "uma", "uma_threshold", "uma_inclusive", "uma_rows", "oka_kind", "oka_amount"),
    ),
    (_("Equal raw scores"), ("tie_rank", "tie_uma", "tie_oka", "split_unit", "split_remainder")),
    (_("Rounding"), ("rounding_mode", "rounding_basis", "rounding_unit", "rounding_top_absorbs")),
    (_("Sticks left and the floor"), ("leftover", "below_zero_floor")),
    (_("Bust"), ("bust_ends", "bust_prize", "bust_win", "bust_shares", "bust_other")),
    (_("Chombo and chips"), ("chombo_kind", "chombo_amount", "chips")),
    (
        _("What each account holds"),
        ("ranking_parts", "settlement_parts", "ranking_rounded", "settlement_rounded"),
    ),
)
"""The questions as the page asks them."""


class RulesForm(SeenWhole, forms.Form):
    """The common parameters of a rule set. What the form does not ask keeps the value it has."""

    players = forms.TypedChoiceField(
        label=_("Players"), choices=[(4, _("four")), (3, _("three"))], coerce=int, widget=forms.RadioSelect
    )
    start_points = SticksField(label=_("Start points"), required=False)
    return_points = SticksField(label=_("Return points"), required=False)
    score_basis = forms.ChoiceField(label=_("What is scored"), choices=BASES, widget=forms.RadioSelect)
    uma_kind = forms.ChoiceField(label=_("Uma"), choices=UMAS, widget=forms.RadioSelect)
    uma = PointsListField(
        label=_("Points by placement"), required=False, help_text=_("First place first, for example 10 5 ▲5 ▲10.")
    )
    uma_threshold = SticksField(label=_("The line"), required=False)
    uma_inclusive = forms.BooleanField(label=_("Exactly on the line counts as above"), required=False)
    uma_rows = RowsField(
        label=_("Points by players above the line"),
        required=False,
        help_text=_("One line for each number of players above, for example 1: 12 ▲1 ▲3 ▲8."),
    )
    oka_kind = forms.ChoiceField(label=_("Oka"), choices=OKAS, widget=forms.RadioSelect)
    oka_amount = PointsField(label=_("Oka points"), required=False)
    tie_rank = forms.ChoiceField(label=_("Placement"), choices=TIE_RANKS, required=False)
    tie_uma = forms.ChoiceField(label=_("The uma"), choices=TIE_POINTS, required=False)
    tie_oka = forms.ChoiceField(label=_("The oka"), choices=TIE_POINTS, required=False)
    split_unit = forms.ChoiceField(label=_("Smallest share"), choices=SPLIT_UNITS, required=False)
    split_remainder = forms.ChoiceField(label=_("What does not divide"), choices=REMAINDERS, required=False)
    rounding_mode = forms.ChoiceField(label=_("Rounding"), choices=ROUNDINGS)
    rounding_basis = forms.ChoiceField(label=_("What is rounded"), choices=ROUNDING_BASES, required=False)
    rounding_unit = PointsField(label=_("To steps of"), required=False)
    rounding_top_absorbs = forms.BooleanField(label=_("The top takes the negated sum of the others"), required=False)
    leftover = forms.ChoiceField(label=_("Riichi sticks left at the end go"), choices=LEFTOVERS, required=False)
    below_zero_floor = SticksField(
        label=_("Lowest raw score that counts"), required=False, help_text=_("Empty: there is no floor.")
    )
    bust_ends = forms.ChoiceField(label=_("A player is bust"), choices=BUST_ENDS, required=False)
    bust_prize = PointsField(label=_("Bust prize"), required=False, help_text=_("Empty or 0: there is none."))
    bust_win = forms.ChoiceField(label=_("After a win it goes to"), choices=BUST_WINS, required=False)
    bust_shares = RowsField(
        label=_("After a drawn hand, by players in tenpai"),
        required=False,
        help_text=_("One line each, for example 2: 5 5. Empty: shared out equally."),
    )
    bust_other = forms.ChoiceField(label=_("After anything else"), choices=BUST_OTHERS, required=False)
    chombo_kind = forms.ChoiceField(label=_("A chombo costs"), choices=CHOMBOS, required=False)
    chombo_amount = forms.CharField(
        label=_("Amount"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}),
        help_text=_("Points off the total, such as ▲40; or the payment to each, such as 3000."),
    )
    chips = PointsField(label=_("Points per chip"), required=False, help_text=_("Empty: chips carry no points."))
    ranking_parts = forms.MultipleChoiceField(
        label=_("Ranking points"), choices=PARTS, required=False, widget=forms.CheckboxSelectMultiple
    )
    ranking_rounded = forms.BooleanField(label=_("Ranking points are rounded"), required=False)
    settlement_parts = forms.MultipleChoiceField(
        label=_("Settlement"), choices=PARTS, required=False, widget=forms.CheckboxSelectMultiple
    )
    settlement_rounded = forms.BooleanField(label=_("The settlement is rounded"), required=False)
    note = forms.CharField(
        label=_("What changed, for the league to read"), max_length=MAX_REASON_LENGTH, required=False
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, base: Mapping[str, Any], standing: WhatStands | None = None
    ) -> None:
        self.base = base
        super().__init__(data, initial=asked_from(base), standing=standing)

    def groups(self) -> list[tuple[Any, list[Any]]]:
        """Return the questions under their headings."""
        return [(title, [self[name] for name in names]) for title, names in GROUPS]

    def clean(self) -> dict[str, Any]:
        """Refuse parameters that contradict each other, at the field that asks for them."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.parameters = write_ruleset(read_ruleset(parameters_from(self.base, values)))
            except RulesetError as error:
                self.add_error(field_of(error.path, self.fields), ruleset_error_sentence(error))
            except ValidationError as error:
                self.add_error("chombo_amount", error)
        return values

    def rules(self) -> ScoringRules:
        """Return the rule set that the questions were answered with."""
        return read_ruleset(self.parameters)
