from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_NAME_LENGTH, MAX_REASON_LENGTH
from league.core.people_lists import reading_beside
from league.forms.names import NameField, NamesRead, read_names
from league.messages import plain_name
from league.models import League, Player, RulesetVersion
from tournaments.core.facts import Remedy
from tournaments.core.format import Stage
from tournaments.messages.titles import stage_name
from tournaments.models import Entry
from tournaments.selectors.decisions import NextPlayer, moves_up_words
from tournaments.services.decisions import AdvancementChoice
from tournaments.services.short_tables import Settlement

MAX_SEEN = 20_000


def read_keys(text: str) -> tuple[int, ...]:
    """Return primary keys from a hidden field, ignoring invalid ones."""
    parts = (part for part in text[:MAX_SEEN].split(",") if part.lstrip("-").isdecimal() and part.isascii())
    return tuple(int(part) for part in parts if len(part) < 19)


def written(players: Iterable[object]) -> str:
    return ",".join(map(str, players))


class ApprovalForm(forms.Form):
    to = forms.CharField(widget=forms.HiddenInput, max_length=40)
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=MAX_SEEN)
    players = forms.TypedMultipleChoiceField(
        label=_("Who advances"), coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        help_text=_("Required if other players advance than proposed."),
    )

    def __init__(self, *args: Any, candidates: Sequence[int], proposed: Sequence[int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.candidates, self.proposed = candidates, proposed
        self.reasons: list[str] = []
        players: Any = self.fields["players"]
        players.choices = [(pk, str(pk)) for pk in candidates]

    def refuse(self, code: str, text: str) -> None:
        self.reasons.append(code)
        self.add_error("reason" if code == "reason_missing" else None, text)

    @property
    def ticked(self) -> set[str]:
        return {str(each) for each in self["players"].value() or []}

    def choice(self) -> AdvancementChoice:
        chosen = set(self.cleaned_data["players"])
        players = tuple(pk for pk in dict.fromkeys((*self.proposed, *self.candidates)) if pk in chosen)
        return AdvancementChoice(players, read_keys(self.cleaned_data["seen"]), self.cleaned_data["reason"])


class OrderForm(forms.Form):
    reason = forms.CharField(
        label=_("How it was decided"),
        max_length=MAX_REASON_LENGTH,
        help_text=_("For example: random draw, or a deciding hanchan."),
    )

    def __init__(self, *args: Any, group: Sequence[Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group
        places = [(number, str(number)) for number in range(1, len(group) + 1)]
        for entry in group:
            self.fields[f"place_{entry.pk}"] = forms.TypedChoiceField(
                label=plain_name(entry.player), coerce=int, choices=[("", _("choose")), *places]
            )
        self.order_fields([*(f"place_{entry.pk}" for entry in group), "reason"])

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        places = [values.get(f"place_{entry.pk}") for entry in self.group]
        if not self.errors and len(set(places)) != len(places):
            raise ValidationError(_("Assign each position to one player."))
        return values

    def players(self) -> list[int]:
        return [entry.pk for entry in sorted(self.group, key=lambda entry: int(self.cleaned_data[f"place_{entry.pk}"]))]


class ClosingForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)

    def __init__(self, *args: Any, short: Sequence[Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.short = short
        choices = [("", _("Count as they are")), ("unranked", _("No rank"))]
        for entry in short:
            name = plain_name(entry.player)
            self.fields[f"entry_{entry.pk}"] = forms.ChoiceField(label=name, choices=choices, required=False)
        self.order_fields([*(f"entry_{entry.pk}" for entry in short), "reason"])

    def unranked(self) -> list[int]:
        return [entry.pk for entry in self.short if self.cleaned_data[f"entry_{entry.pk}"]]


class WithdrawingPlayerForm(forms.Form):
    entry = forms.TypedChoiceField(label=_("Player who withdraws"), coerce=int, choices=())
    stage = forms.ChoiceField(label=_("From this stage on"), choices=())

    def __init__(self, *args: Any, entries: Mapping[int, Entry], stages: Iterable[Stage], **options: Any) -> None:
        super().__init__(*args, **options)
        listed: Any = self.fields["entry"]
        people = [(pk, plain_name(entry.player)) for pk, entry in entries.items() if pk > 0]
        listed.choices = [("", _("choose")), *people]
        stage: Any = self.fields["stage"]
        stage.choices = [(stage.key, stage_name(stage)) for stage in stages]


REMEDIES = {
    "": _("Decide later: it stays in the list “What to do next”"),
    Remedy.NEXT: "",
    Remedy.SUBSTITUTE: _("A substitute takes the spot, starts at 0 points and is marked in the standings"),
    Remedy.HOUSE: _("A house player fills the seat until this stage ends, without a rank in the tournament"),
    Remedy.THREE: _("The other three continue with rules for three players"),
    Remedy.NOBODY: _("These tables are not played; the others at them do not make up the hanchan"),
}
"""Options for a table that lost a player."""


@dataclass(frozen=True, slots=True)
class Newcomers:
    """Choices for replacing a player.

    `versions`: three-player rules; `is_short`: planned hanchan lack a player; `following`: who is next for the spot.
    """

    league: League
    out_of_play: Sequence[Player]
    others: Sequence[Player]
    versions: Sequence[RulesetVersion] = ()
    is_short: bool = False
    following: Sequence[NextPlayer] = ()

    @property
    def remedies(self) -> Iterator[tuple[str, object]]:
        fits = {"": True, Remedy.NEXT: False, Remedy.SUBSTITUTE: True, Remedy.THREE: self.is_short and self.versions}
        for key, text in REMEDIES.items():
            if key == Remedy.NEXT:
                yield from ((each.answer, moves_up_words(each)) for each in self.following if not each.has_begun)
            if fits.get(key, self.is_short):
                yield key, text

    def player(self, pk: int | None) -> Player | None:
        return next((player for player in (*self.out_of_play, *self.others) if player.pk == pk), None)

    def choices(self, nobody: object) -> list[tuple[object, object]]:
        groups = (
            (_("No longer playing in this tournament"), self.out_of_play),
            (_("Other players of the league"), self.others),
        )
        listed = [(title, [(player.pk, plain_name(player)) for player in group]) for title, group in groups if group]
        return [("", nobody), *listed]


class WithdrawalForm(forms.Form):
    one_is_enough = True

    remedy = forms.ChoiceField(label=_("How should the tables continue?"), required=False, widget=forms.RadioSelect)
    substitute = forms.TypedChoiceField(
        label=_("Substitute"),
        coerce=int,
        required=False,
        empty_value=None,
        help_text=_("A substitute starts at 0 points and is ranked by their own hanchan."),
    )
    name = NameField(
        label=_("Someone new"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=_("Joins the league as a guest and plays as the substitute."),
    )
    house = forms.TypedChoiceField(label=_("House player"), coerce=int, required=False, empty_value=None)
    version = forms.TypedChoiceField(label=_("Rules for three"), coerce=int, required=False, empty_value=None)
    disqualified = forms.BooleanField(
        label=_("Disqualified"),
        required=False,
        help_text=_("The player loses their rank, and those behind move up. Other players' results are not changed."),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=_("Public: everyone who sees the tournament reads it."),
    )

    def __init__(self, *args: Any, newcomers: Newcomers, **options: Any) -> None:
        super().__init__(*args, **options)
        self.newcomers = newcomers
        fields: Any = self.fields
        fields["substitute"].choices = newcomers.choices(_("no one"))
        fields["house"].choices = newcomers.choices(_("a guest called “house player”"))
        fields["version"].choices = [(version.pk, str(version)) for version in newcomers.versions]
        offered = dict(newcomers.remedies)
        fields["remedy"].choices = [each for each in offered.items() if each[0] or not self.initial.get("remedy")]
        unused = {"house": Remedy.HOUSE, "version": Remedy.THREE}
        for name in [name for name, remedy in unused.items() if remedy not in offered]:
            del self.fields[name]
        if not newcomers.is_short and not newcomers.following:
            del self.fields["remedy"]
        elif not newcomers.is_short:
            fields["remedy"].label = _("Who gets the spot?")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        is_named = values.get("substitute") or values.get("name") or {"substitute", "name"} & self.errors.keys()
        if values.get("remedy") == Remedy.SUBSTITUTE and not is_named:
            self.add_error("substitute", _("Choose a substitute."))
        return values

    def clean_name(self) -> str:
        """Refuse a name of the league, so that no one joins twice."""
        name: str = self.cleaned_data["name"]
        people = Player.objects.filter(league=self.newcomers.league).active().prefetch_related("aliases")
        read = read_names(name, people) if name else NamesRead()
        if same := [*read.named, *filter(None, read.alike.values())]:
            text = _("%(name)s is already in the league. Choose from the list above, or enter the full name.")
            raise ValidationError(text, params={"name": plain_name(same[0])})
        return reading_beside(name)[0]

    def settlement(self) -> Settlement | None:
        values = self.cleaned_data
        remedy = values.get("remedy") or (Remedy.SUBSTITUTE if values["substitute"] or values["name"] else "")
        if not remedy:
            return None
        if found := [each for each in self.newcomers.following if each.answer == remedy]:
            return Settlement(Remedy.NEXT, found[0].entry.player)
        person = values["substitute"] if remedy == Remedy.SUBSTITUTE else values.get("house")
        version = next((each for each in self.newcomers.versions if each.pk == values.get("version")), None)
        name = values["name"] if remedy == Remedy.SUBSTITUTE and not person else ""
        return Settlement(Remedy(remedy), self.newcomers.player(person), version, name)
