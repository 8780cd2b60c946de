"""The parameters of a rule set as questions."""

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
    """A section of the page: its questions and a summary of the answers."""

    key: str
    heading: str
    fields: Sequence[Any]
    says: str
    is_open: bool

    @property
    def without_points(self) -> frozenset[str]:
        """Questions of it that change no points although the others do."""
        return WITHOUT_POINTS


class RulesForm(SeenWhole, forms.Form):
    """All parameters of a rule set as questions: scoring and house rules."""

    players = forms.TypedChoiceField(
        label=_("Players"),
        choices=[(4, _("four")), (3, _("three"))],
        coerce=int,
        widget=forms.RadioSelect,
        help_text=_("How many sit at a table."),
    )
    start_points = SticksField(
        label=_("Start points"), required=False, help_text=_("What everybody begins with, for example 25000.")
    )
    return_points = SticksField(
        label=_("Return points"),
        required=False,
        help_text=_("What counts as zero: the base is the raw score less this, in thousands."),
    )
    uma_kind = forms.ChoiceField(
        label=_("Uma"), choices=choices.UMAS, help_text=_("Points that every place is worth beside the raw score.")
    )
    uma = PointsListField(
        label=_("Points by placement"), required=False, help_text=_("First place first, for example 10 5 ▲5 ▲10.")
    )
    uma_threshold = SticksField(
        label=_("The line"), required=False, help_text=_("Raw score from which a player is above the line.")
    )
    uma_inclusive = forms.BooleanField(
        label=_("Exactly on the line counts as above"),
        required=False,
        help_text=_("Whether a raw score of exactly the line floats."),
    )
    uma_rows = RowsField(
        label=_("Points by players above the line"),
        required=False,
        help_text=_("One line for each number of players above, for example 1: 12 ▲1 ▲3 ▲8."),
    )
    oka_kind = forms.ChoiceField(label=_("Oka"), choices=choices.OKAS, help_text=_("What the top gets beside the uma."))
    oka_amount = PointsField(
        label=_("Oka points"), required=False, help_text=_("A prize of your own, for example 20; 0: none.")
    )
    score_basis = forms.ChoiceField(
        label=_("What is scored"), choices=choices.BASES, help_text=_("Whether raw scores are worth points at all.")
    )
    tie_rank = forms.ChoiceField(
        label=_("Placement"),
        choices=choices.TIE_RANKS,
        required=False,
        help_text=_("Who is placed higher with equal raw scores."),
    )
    tie_uma = forms.ChoiceField(
        label=_("The uma"),
        choices=choices.TIE_POINTS,
        required=False,
        help_text=_("Whether equal scores share the uma of their places."),
    )
    tie_oka = forms.ChoiceField(
        label=_("The oka"), choices=choices.TIE_POINTS, required=False, help_text=_("Whether tied tops share the oka.")
    )
    split_unit = forms.ChoiceField(
        label=_("Smallest share"),
        choices=choices.SPLIT_UNITS,
        required=False,
        help_text=_("In steps of how many points things are shared out."),
    )
    split_remainder = forms.ChoiceField(
        label=_("What does not divide"),
        choices=choices.REMAINDERS,
        required=False,
        help_text=_("Where the rest goes when three share and it does not come out even."),
    )
    rounding_mode = forms.ChoiceField(
        label=_("Rounding"), choices=choices.ROUNDINGS, help_text=_("How hundreds become whole points, if at all.")
    )
    rounding_basis = forms.ChoiceField(
        label=_("What is rounded"),
        choices=choices.ROUNDING_BASES,
        required=False,
        help_text=_("It matters below the return points: −4.5 can become −4 or −5."),
    )
    rounding_unit = PointsField(
        label=_("To steps of"), required=False, help_text=_("How many points a step has, 1 as a rule.")
    )
    rounding_top_absorbs = forms.BooleanField(
        label=_("The top takes the negated sum of the others"),
        required=False,
        help_text=_("Then a hanchan adds up to zero in spite of the rounding."),
    )
    leftover = forms.ChoiceField(
        label=_("Riichi sticks left at the end go"),
        choices=choices.LEFTOVERS,
        required=False,
        help_text=_("Sticks that nobody won before the end."),
    )
    below_zero_floor = SticksField(
        label=_("Lowest raw score that counts"),
        required=False,
        help_text=_("Nobody loses more than down to here. Empty: there is no floor."),
    )
    lend_below_zero = SticksField(
        label=_("Loan below zero"),
        required=False,
        help_text=_("What a player without sticks borrows to play on. Empty: nothing is said of it."),
    )
    bust_ends = forms.ChoiceField(
        label=_("A player is bust"),
        choices=choices.BUST_ENDS,
        required=False,
        help_text=_("With which raw score the game ends."),
    )
    bust_prize = PointsField(
        label=_("Bust prize"),
        required=False,
        help_text=_("What the busted player pays to those who brought it about. Empty or 0: there is none."),
    )
    bust_prize_in = forms.ChoiceField(
        label=_("Paid in"),
        choices=choices.PRIZES,
        required=False,
        help_text=_(
            "A prize in chips is told beside each hanchan and is in no sum of chips. It moves points only in an account "
            "that holds chips, by what the section of chips says a chip is worth."
        ),
    )
    bust_win = forms.ChoiceField(
        label=_("After a win it goes to"),
        choices=choices.BUST_WINS,
        required=False,
        help_text=_("It matters when several win on one tile."),
    )
    bust_draw = forms.ChoiceField(
        label=_("After a drawn hand"),
        choices=choices.BUST_DRAWS,
        required=False,
        help_text=_("Who gets the prize when noten payments make somebody bust."),
    )
    bust_shares = RowsField(
        label=_("By players in tenpai"),
        required=False,
        help_text=_("One line for each number of players in tenpai, for example 2: 5 5."),
    )
    bust_other = forms.ChoiceField(
        label=_("After anything else"),
        choices=choices.BUST_OTHERS,
        required=False,
        help_text=_("Who gets the prize after a chombo or a fine."),
    )
    bust_illegal_riichi = forms.BooleanField(
        label=_("Riichi without the points for it ends the game"),
        required=False,
        help_text=_("Whoever declares it is placed last."),
    )
    chombo_kind = forms.ChoiceField(
        label=_("A chombo costs"), choices=choices.CHOMBOS, required=False, help_text=_("What a foul costs.")
    )
    chombo_amount = forms.CharField(
        label=_("Amount"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}),
        help_text=_("Points off the total, such as ▲40; or the payment to each, such as 3000."),
    )
    chombo_ledger = forms.ChoiceField(
        label=_("Where it counts"),
        choices=choices.CHOMBO_LEDGERS,
        required=False,
        help_text=_("On the total a hanchan stays zero-sum; in the hanchan the penalties are a part of its points."),
    )
    chombo_hand = forms.ChoiceField(
        label=_("The hand"),
        choices=choices.CHOMBO_HANDS,
        required=False,
        help_text=_("Whether the hand is played again."),
    )
    chombo_dealer = forms.ChoiceField(
        label=_("The deal"),
        choices=choices.CHOMBO_DEALERS,
        required=False,
        help_text=_("What a chombo of the dealer does to the deal."),
    )
    chombo_deposits_back = forms.ChoiceField(
        label=_("Riichi sticks"),
        choices=choices.CHOMBO_DEPOSITS,
        required=False,
        help_text=_("What becomes of the riichi sticks of that hand."),
    )
    fine_amount = SticksField(
        label=_("Fine for small faults"),
        required=False,
        help_text=_("Sticks put on the table for the next winner, such as 1000. Empty: nothing is said of it."),
    )
    chips = PointsField(label=_("Points per chip"), required=False, help_text=_("Empty: chips carry no points."))
    fees_game = PointsField(
        label=_("Fee of each player"),
        required=False,
        help_text=_("Points that everybody leaves with the house for a hanchan. Empty: none."),
    )
    fees_top = PointsField(
        label=_("More from the top"), required=False, help_text=_("Points that the top leaves besides. Empty: none.")
    )
    ranking_parts = forms.MultipleChoiceField(
        label=_("Ranking points"),
        choices=choices.PARTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What the leaderboards add up."),
    )
    settlement_parts = forms.MultipleChoiceField(
        label=_("Settlement"),
        choices=choices.PARTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What the table settles among itself."),
    )
    ranking_rounded = forms.BooleanField(
        label=_("Ranking points are rounded"), required=False, help_text=_("As the section of rounding says.")
    )
    settlement_rounded = forms.BooleanField(
        label=_("The settlement is rounded"), required=False, help_text=_("As the section of rounding says.")
    )
    note = forms.CharField(
        label=_("What changed, for the league to read"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        help_text=_("It stands beside the version, for example: decided at the general meeting."),
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, base: Mapping[str, Any], standing: WhatStands | None = None
    ) -> None:
        self.base = base
        super().__init__(data, initial=asked_from(base), standing=standing)
        self.fields.update(house_fields())

    def shown(self, sections: Sequence[RuleSection]) -> Iterator["ShownSection"]:
        """Yield sections with their questions; sections with errors are open."""
        says = summaries(self.rules() if hasattr(self, "parameters") else read_ruleset(self.base))
        for section in sections:
            fields = [self[name] for name in section.fields]
            is_open = section is USUAL or any(name in self.errors for name in section.fields)
            yield ShownSection(section.key, str(section.heading), fields, says[section.key], is_open)

    def of_points(self) -> list["ShownSection"]:
        return list(self.shown(OF_POINTS))

    def has_faults_of_table(self) -> bool:
        return any(name in self.errors for section in OF_TABLE for name in section.fields)

    def of_table(self) -> list["ShownSection"]:
        return list(self.shown(OF_TABLE))

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
        return read_ruleset(self.parameters)
