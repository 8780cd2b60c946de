from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.points import PointsField, PointsListField, SticksField
from league.forms.rules import choices
from league.forms.rules.answers import asked_from, field_of, parameters_from
from league.forms.rules.house import RowsField, house_fields
from league.forms.rules.sections import OF_POINTS, OF_TABLE, USUAL, WITHOUT_POINTS, RuleSection, summaries
from league.forms.seen import SeenWhole, WhatStands
from scoring.core import RulesetError, ScoringRules, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section of the page with its questions and a summary of the answers."""

    key: str
    heading: str
    fields: Sequence[Any]
    says: str
    is_open: bool

    @property
    def without_points(self) -> frozenset[str]:
        """Questions in sections about points that do not affect points."""
        return WITHOUT_POINTS


class RulesForm(SeenWhole, forms.Form):
    """All parameters of a rule set as questions: scoring and house rules."""

    players = forms.TypedChoiceField(
        label=_("Players"),
        choices=[(4, _("four")), (3, _("three"))],
        coerce=int,
        widget=forms.RadioSelect,
        help_text=_("The number of players at a table."),
    )
    start_points = SticksField(
        label=_("Start points"), required=False, help_text=_("The score that players start with, for example 25000.")
    )
    return_points = SticksField(
        label=_("Return points"),
        required=False,
        help_text=_("The score that counts as zero. Base points are the raw score minus this, in thousands."),
    )
    uma_kind = forms.ChoiceField(label=_("Uma"), choices=choices.UMAS, help_text=_("Points for each placement."))
    uma = PointsListField(
        label=_("Uma by placement"),
        required=False,
        help_text=_("From first to last place. For example: 10 5 −5 −10."),
    )
    uma_threshold = SticksField(
        label=_("Floating uma threshold"),
        required=False,
        help_text=_("A player with at least this raw score counts as floating."),
    )
    uma_inclusive = forms.BooleanField(
        label=_("Exactly on the threshold counts as floating"),
        required=False,
        help_text=_("Whether a raw score exactly on the threshold counts as floating."),
    )
    uma_rows = RowsField(
        label=_("Points by number of floating players"),
        required=False,
        help_text=_("One line per number of floating players. For example: 1: 12 −1 −3 −8."),
    )
    oka_kind = forms.ChoiceField(
        label=_("Oka"), choices=choices.OKAS, help_text=_("What 1st place gets in addition to uma.")
    )
    oka_amount = PointsField(
        label=_("Oka points"), required=False, help_text=_("Any amount, for example 20. 0 means none.")
    )
    score_basis = forms.ChoiceField(
        label=_("Scoring"),
        choices=choices.BASES,
        help_text=_("Whether score and placement both count, or placement alone."),
    )
    tie_rank = forms.ChoiceField(
        label=_("Tied raw scores"),
        choices=choices.TIE_RANKS,
        required=False,
        help_text=_("Who is placed higher if raw scores are equal."),
    )
    tie_uma = forms.ChoiceField(
        label=_("Uma"),
        choices=choices.TIE_POINTS,
        required=False,
        help_text=_("Whether tied players share the uma of their placements."),
    )
    tie_oka = forms.ChoiceField(
        label=_("Oka"),
        choices=choices.TIE_POINTS,
        required=False,
        help_text=_("Whether players tied for 1st share the oka."),
    )
    split_unit = forms.ChoiceField(
        label=_("Smallest unit"),
        choices=choices.SPLIT_UNITS,
        required=False,
        help_text=_("The unit in which points are shared."),
    )
    split_remainder = forms.ChoiceField(
        label=_("Remainder"),
        choices=choices.REMAINDERS,
        required=False,
        help_text=_("Who gets the remainder if points do not divide evenly."),
    )
    rounding_mode = forms.ChoiceField(
        label=_("Rounding"),
        choices=choices.ROUNDINGS,
        help_text=_("Whether hundreds are rounded to whole points, and how."),
    )
    rounding_basis = forms.ChoiceField(
        label=_("What is rounded"),
        choices=choices.ROUNDING_BASES,
        required=False,
        help_text=_("This matters below the return points: −4.5 can become −4 or −5."),
    )
    rounding_unit = PointsField(label=_("Unit"), required=False, help_text=_("The rounding unit in points, usually 1."))
    rounding_top_absorbs = forms.BooleanField(
        label=_("1st place absorbs the rounding"),
        required=False,
        help_text=_("The points of a hanchan still add up to zero after rounding."),
    )
    leftover = forms.ChoiceField(
        label=_("Leftover riichi sticks"),
        choices=choices.LEFTOVERS,
        required=False,
        help_text=_("Who gets the sticks that no one won."),
    )
    below_zero_floor = SticksField(
        label=_("Lowest raw score that counts"),
        required=False,
        help_text=_("Any lower score counts as this score. Leave blank for no limit."),
    )
    lend_below_zero = SticksField(
        label=_("Loan below zero"),
        required=False,
        help_text=_("What a player who has run out of sticks borrows to continue. Leave blank if not decided."),
    )
    bust_ends = forms.ChoiceField(
        label=_("Bust condition"),
        choices=choices.BUST_ENDS,
        required=False,
        help_text=_("The raw score at which a bust ends the game."),
    )
    bust_prize = PointsField(
        label=_("Bust prize"),
        required=False,
        help_text=_("Paid by the busted player to those who caused the bust. Blank or 0 means none."),
    )
    bust_prize_in = forms.ChoiceField(
        label=_("Unit of payment"),
        choices=choices.PRIZES,
        required=False,
        help_text=_(
            "A bust prize in chips is shown with each hanchan and is not part of any chip total. It counts as "
            "points only in accounts that include chips, at the value set under “Chips and fees”."
        ),
    )
    bust_win = forms.ChoiceField(
        label=_("After a win"),
        choices=choices.BUST_WINS,
        required=False,
        help_text=_("Applies when several players win on one tile."),
    )
    bust_draw = forms.ChoiceField(
        label=_("After a draw"),
        choices=choices.BUST_DRAWS,
        required=False,
        help_text=_("Who gets the prize if noten payments bust a player."),
    )
    bust_shares = RowsField(
        label=_("By number of tenpai players"),
        required=False,
        help_text=_("One line for each number of tenpai players. For example: 2: 5 5."),
    )
    bust_other = forms.ChoiceField(
        label=_("In other cases"),
        choices=choices.BUST_OTHERS,
        required=False,
        help_text=_("Who gets the prize after a chombo or a fine."),
    )
    bust_illegal_riichi = forms.BooleanField(
        label=_("Riichi without enough points ends the game"),
        required=False,
        help_text=_("The player who declared it is placed last."),
    )
    chombo_kind = forms.ChoiceField(
        label=_("Chombo penalty"), choices=choices.CHOMBOS, required=False, help_text=_("What a chombo costs.")
    )
    chombo_amount = forms.CharField(
        label=_("Chombo amount"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}),
        help_text=_("Points deducted from the total, such as −40, or the payment to each player, such as 3000."),
    )
    chombo_ledger = forms.ChoiceField(
        label=_("Where it counts"),
        choices=choices.CHOMBO_LEDGERS,
        required=False,
        help_text=_("In the total: the hanchan stays zero-sum. In the hanchan: penalties are part of its points."),
    )
    chombo_hand = forms.ChoiceField(
        label=_("The hand"),
        choices=choices.CHOMBO_HANDS,
        required=False,
        help_text=_("Whether the hand is replayed."),
    )
    chombo_dealer = forms.ChoiceField(
        label=_("The deal"),
        choices=choices.CHOMBO_DEALERS,
        required=False,
        help_text=_("Whether the deal passes when the dealer commits a chombo."),
    )
    chombo_deposits_back = forms.ChoiceField(
        label=_("Riichi sticks"),
        choices=choices.CHOMBO_DEPOSITS,
        required=False,
        help_text=_("What happens to that hand's riichi sticks."),
    )
    fine_amount = SticksField(
        label=_("Fine for minor fouls"),
        required=False,
        help_text=_("Sticks placed on the table for the next winner, such as 1000. Leave blank if not decided."),
    )
    chips = PointsField(
        label=_("Points per chip"), required=False, help_text=_("Leave blank if chips are worth no points.")
    )
    fees_game = PointsField(
        label=_("Fee per player"),
        required=False,
        help_text=_("Points each player pays per hanchan. Leave blank for none."),
    )
    fees_top = PointsField(
        label=_("Extra fee for 1st place"),
        required=False,
        help_text=_("Additional points 1st place pays. Leave blank for none."),
    )
    ranking_parts = forms.MultipleChoiceField(
        label=_("Ranking points"),
        choices=choices.PARTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What the standings count."),
    )
    settlement_parts = forms.MultipleChoiceField(
        label=_("Settlement"),
        choices=choices.PARTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What players settle at the table."),
    )
    ranking_rounded = forms.BooleanField(
        label=_("Round ranking points"), required=False, help_text=_("As set under “Rounding”.")
    )
    settlement_rounded = forms.BooleanField(
        label=_("Round the settlement"), required=False, help_text=_("As set under “Rounding”.")
    )
    note = forms.CharField(
        label=_("Summary of changes (public)"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        help_text=_("Shown next to the version, for example: decided at the general meeting."),
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, base: Mapping[str, Any], standing: WhatStands | None = None
    ) -> None:
        self.base = base
        super().__init__(data, initial=asked_from(base), standing=standing)
        self.fields.update(house_fields())

    def shown(self, sections: Sequence[RuleSection]) -> Iterator["ShownSection"]:
        """Yield the sections with their questions; the usual ones, a floating uma and those with errors are open."""
        says = summaries(self.rules() if hasattr(self, "parameters") else read_ruleset(self.base))
        for section in sections:
            fields = [self[name] for name in section.fields]
            is_floating = "uma_kind" in section.fields and self["uma_kind"].value() == "floating"
            is_open = section is USUAL or is_floating or any(name in self.errors for name in section.fields)
            yield ShownSection(section.key, str(section.heading), fields, says[section.key], is_open)

    def of_points(self) -> list["ShownSection"]:
        return list(self.shown(OF_POINTS))

    def has_faults_of_table(self) -> bool:
        return any(name in self.errors for section in OF_TABLE for name in section.fields)

    def of_table(self) -> list["ShownSection"]:
        return list(self.shown(OF_TABLE))

    def clean(self) -> dict[str, Any]:
        """Report contradicting parameters at the field they belong to."""
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
        return read_ruleset(self.parameters)
