from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.points import PointsField, SticksField, UmaField
from league.forms.rules.answers import asked_from, field_of, parameters_from
from league.forms.rules.house import RowsField, house_fields
from league.forms.rules.sections import OF_POINTS, OF_TABLE, USUAL, WITHOUT_POINTS, RuleSection, summaries
from league.forms.seen import SeenWhole, WhatStands
from scoring.core import LEDGER_PARTS, RulesetError, ScoringRules, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence, ruleset_problem
from scoring.messages.labels import PARTS as PART_NAMES

Choice = tuple[str, str | Promise]

OPEN: Choice = ("", _("undecided"))
TIE_POINTS: Sequence[Choice] = (OPEN, ("seat", _("by seat order")), ("split", _("split")))
PARTS: Sequence[Choice] = tuple((str(part), PART_NAMES[part]) for part in LEDGER_PARTS)
"""Parts that a ledger may include."""


def chosen(label: Any, help_text: Any, *choices: Choice, required: bool = False) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, required=required, help_text=help_text)


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
    uma_kind = chosen(
        _("Uma"),
        _("Points for each placement."),
        ("fixed", _("always the same")),
        ("floating", _("by the number of floating players")),
        required=True,
    )
    uma = UmaField(
        label=_("Uma by placement"),
        required=False,
        help_text=_("From first to last place, adding up to 0: 10 5 −5 −10, or in short 5-10."),
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
    oka_kind = chosen(
        _("Oka"),
        _("What 1st place gets in addition to uma."),
        ("auto", _("to 1st place (return − start points)")),
        ("points", _("a fixed number of points")),
        required=True,
    )
    oka_amount = PointsField(
        label=_("Oka points"), required=False, help_text=_("Any amount, for example 20. 0 means none.")
    )
    score_basis = chosen(
        _("Scoring"),
        _("Whether score and placement both count, or placement alone."),
        ("points", _("raw score, uma and oka")),
        ("placement", _("placement only, for fixed points")),
        required=True,
    )
    tie_rank = chosen(
        _("Tied raw scores"),
        _("Who is placed higher if raw scores are equal."),
        OPEN,
        ("seat", _("closer to the first dealer first")),
        ("shared", _("shared placement")),
    )
    tie_uma = chosen(
        _("Uma"),
        _("Whether tied players share the uma of their placements."),
        *TIE_POINTS,
    )
    tie_oka = chosen(
        _("Oka"),
        _("Whether players tied for 1st share the oka."),
        *TIE_POINTS,
    )
    split_unit = chosen(
        _("Smallest unit"),
        _("The unit in which points are shared."),
        OPEN,
        ("1", "1"),
        ("0.1", "0.1"),
        ("0.001", "0.001"),
    )
    split_remainder = chosen(
        _("Remainder"),
        _("Who gets the remainder if points do not divide evenly."),
        OPEN,
        ("one_each_nearest", _("one unit each, first dealer first")),
        ("all_nearest", _("all to the seat closest to the first dealer")),
        ("seat_order_if_indivisible", _("no split; seat order decides")),
    )
    rounding_mode = chosen(
        _("Rounding"),
        _("Whether hundreds are rounded to whole points, and how."),
        ("none", _("no rounding")),
        ("trunc", _("towards the return points (truncate)")),
        ("floor", _("down")),
        ("ceil", _("up")),
        ("away", _("away from the return points")),
        ("half_up", _("to the nearest, halves up")),
        ("half_down", _("to the nearest, halves down")),
        ("half_away", _("to the nearest, halves away from zero")),
        required=True,
    )
    rounding_basis = chosen(
        _("What is rounded"),
        _("This matters below the return points: −4.5 can become −4 or −5."),
        ("diff", _("difference from the return points")),
        ("raw", _("the raw score itself")),
    )
    rounding_unit = PointsField(label=_("Unit"), required=False, help_text=_("The rounding unit in points, usually 1."))
    rounding_top_absorbs = forms.BooleanField(
        label=_("1st place absorbs the rounding"),
        required=False,
        help_text=_("The points of a hanchan still add up to zero after rounding."),
    )
    leftover = chosen(
        _("Leftover riichi sticks"),
        _("Who gets the sticks that no one won."),
        OPEN,
        ("top", _("to 1st place")),
        ("split_tops", _("to 1st place, split if tied")),
        ("top_after_rank_points", _("to 1st place, after all other points")),
        ("void", _("to no one")),
        ("returned", _("back to the players who placed them")),
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
    bust_ends = chosen(
        _("Bust condition"),
        _("The raw score at which a bust ends the game."),
        OPEN,
        ("never", _("no bust")),
        ("below_zero", _("below zero")),
        ("zero_or_below", _("at zero or below")),
    )
    bust_prize = PointsField(
        label=_("Bust prize"),
        required=False,
        help_text=_("Paid by the busted player to those who caused the bust. Blank or 0 means none."),
    )
    bust_prize_in = chosen(
        _("Unit of payment"),
        _(
            "A bust prize in chips is shown with each hanchan and is not part of any chip total. It counts as "
            "points only in accounts that include chips, at the value set under “Chips and fees”."
        ),
        ("points", _("points")),
        ("chips", _("chips")),
    )
    bust_win = chosen(
        _("After a win"),
        _("Applies when several players win on one tile."),
        OPEN,
        ("first", _("head bump: first winner in turn order")),
        ("split", _("split between the winners")),
        ("each", _("the full prize for each winner")),
    )
    bust_draw = chosen(
        _("After a draw"),
        _("Who gets the prize if noten payments bust a player."),
        OPEN,
        ("equal_split", _("split equally between tenpai players")),
        ("rows", _("by placement, as listed")),
    )
    bust_shares = RowsField(
        label=_("By number of tenpai players"),
        required=False,
        help_text=_("One line for each number of tenpai players. For example: 2: 5 5."),
    )
    bust_other = chosen(
        _("In other cases"),
        _("Who gets the prize after a chombo or a fine."),
        OPEN,
        ("none", _("no prize")),
        ("equal_split", _("split between the other players")),
        ("manual", _("decided by an organiser")),
    )
    bust_illegal_riichi = forms.BooleanField(
        label=_("Riichi without enough points ends the game"),
        required=False,
        help_text=_("The player who declared it is placed last."),
    )
    chombo_kind = chosen(
        _("Chombo penalty"),
        _("What a chombo costs."),
        OPEN,
        ("none", _("no penalty; the hand is replayed")),
        ("mangan", _("a mangan payment at the table")),
        ("flat_each", _("a fixed payment to each player")),
        ("total", _("points deducted from the total")),
    )
    chombo_amount = forms.CharField(
        label=_("Chombo amount"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}),
        help_text=_("Points deducted from the total, such as 40, or the payment to each player, such as 3000."),
    )
    chombo_ledger = chosen(
        _("Where it counts"),
        _("In the total: the hanchan stays zero-sum. In the hanchan: penalties are part of its points."),
        ("total", _("in the total; the hanchan is unchanged")),
        ("game", _("in the hanchan, as penalties")),
    )
    chombo_hand = chosen(
        _("The hand"),
        _("Whether the hand is replayed."),
        OPEN,
        ("replay", _("The hand is replayed.")),
        ("ends_game", _("The game ends.")),
    )
    chombo_dealer = chosen(
        _("The deal"),
        _("Whether the deal passes when the dealer commits a chombo."),
        OPEN,
        ("stays", _("stays with the dealer")),
        ("passes_unless_last", _("passes, except in the last hand")),
    )
    chombo_deposits_back = chosen(
        _("Riichi sticks"),
        _("What happens to that hand's riichi sticks."),
        OPEN,
        ("yes", _("returned to their owners")),
        ("no", _("left on the table")),
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
        choices=PARTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What the standings count."),
    )
    settlement_parts = forms.MultipleChoiceField(
        label=_("Settlement"),
        choices=PARTS,
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
    name = forms.CharField(
        label=_("Name of the rules"),
        max_length=100,
        required=False,
        help_text=_("Changed rules are better not called like the ones they are based on."),
    )
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
        name: str = "",
        standing: WhatStands | None = None,
    ) -> None:
        self.base = base
        super().__init__(data, standing=standing)
        self.fields.update(house_fields())
        self.initial = asked_from(base, self.fields) | {"name": name}

    def shown(self, sections: Sequence[RuleSection]) -> list[dict[str, Any]]:
        """Return the sections with their questions; the usual ones, a floating uma and those with errors are open."""
        says = summaries(self.rules() if hasattr(self, "parameters") else read_ruleset(self.base))
        return [
            {
                "section": section,
                "fields": [self[name] for name in section.fields],
                "says": says[section.key],
                "without_points": WITHOUT_POINTS,
                "is_open": section is USUAL
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
