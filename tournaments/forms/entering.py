"""Forms for entrants, directors and seeds; players are ticked in a list or entered as names."""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_NAME_LENGTH
from league.forms.names import NamesRead, lines_of, read_names
from league.forms.people import MAX_NAMES
from league.forms.seen import SeenValues
from league.messages import plain_name
from league.models import League, Membership, Player
from league.services.people import PlayerFacts
from tournaments.models import Entry, Tournament

LEADING = (Membership.Role.OWNER, Membership.Role.ORGANISER)
"""Roles that may direct every tournament of the league."""


class DirectorForm(forms.Form):
    member = forms.ModelChoiceField(
        label=_("Member of the league"),
        empty_label="—",
        queryset=Membership.objects.none(),
        error_messages={
            "invalid_choice": _("This person is already a director or not a member of the league. Choose again.")
        },
    )

    def __init__(self, *args: Any, tournament: Tournament, **options: Any) -> None:
        super().__init__(*args, **options)
        members = tournament.league.members.exclude(role__in=LEADING).exclude(directs__tournament=tournament)
        field: Any = self.fields["member"]
        field.queryset = members.select_related("user").order_by("user__username")
        field.label_from_instance = lambda member: f"{member.user.get_username()} ({member.get_role_display()})"


NEWCOMERS = (("players", _("join the league as players")), ("guests", _("are guests of the league")))
MAX_ENTRY_SEED = 9999
MAX_KEY_LENGTH = 18
"""Maximum number of digits that fit a database integer."""


class PlayersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Players chosen from a list; rejects impossible primary keys before querying."""

    def clean(self, value: Any) -> Any:
        for key in value or ():
            if len(str(key)) > MAX_KEY_LENGTH:
                raise ValidationError(self.error_messages["invalid_choice"], "invalid_choice", {"value": str(key)[:20]})
        return super().clean(value)


class EntriesForm(forms.Form):
    """Entrants as ticked players and typed names. Names that only look like a known or an earlier one are asked about.

    After validation, `unknown` has the names not in the league, and `alike` those asked about, each with the player it
    looks like, or with None if it looks like an earlier name.
    """

    one_is_enough = True

    players = PlayersField(label=_("Players"), queryset=Player.objects.none(), required=False)
    names = forms.CharField(
        label=_("Names"),
        required=False,
        max_length=MAX_NAMES * (MAX_NAME_LENGTH + 2),
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": " "}),
        help_text=_("One per line. Paste a list, or type a name, a reading or another known name."),
    )
    newcomers = forms.ChoiceField(
        label=_("Names not in the league"),
        choices=NEWCOMERS,
        initial="players",
        widget=forms.RadioSelect,
        required=False,
    )
    same = forms.MultipleChoiceField(label=_("The same people"), required=False, widget=forms.CheckboxSelectMultiple)
    asked = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        super().__init__(*args, **options)
        self.league = league
        self.unknown: list[str] = []
        self.alike: dict[str, Player | None] = {}
        self.named: list[Player] = []
        listed: Any = self.fields["players"]
        listed.queryset = Player.objects.filter(league=league).active()

    def clean_names(self) -> str:
        """Raise ValidationError if a name is ambiguous or too long."""
        text: str = self.cleaned_data["names"]
        if len(lines_of(text)) > MAX_NAMES:
            raise ValidationError(_("Enter at most %(most)s names."), params={"most": MAX_NAMES})
        players = Player.objects.filter(league=self.league).active().prefetch_related("aliases")
        read = read_names(text, players) if text.strip() else NamesRead()
        self.named, self.unknown, self.alike = read.named, read.unknown, read.alike
        same: Any = self.fields["same"]
        same.choices = [(name, _like(name, player)) for name, player in self.alike.items()]
        return text

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if self.alike and values.get("asked") != " ".join(self.alike):
            # A copy of what was sent: the answers are filled in, and all are taken for the same people at first.
            data: Any = copy(self.data)
            data["asked"] = " ".join(self.alike)
            data.setlist("same", self.alike)
            self.data = data
            self.add_error("same", _("These names look like others. Untick those of other people."))
        if not self.errors and not (values.get("players") or self.named or self.unknown or self.alike):
            raise ValidationError(_("Choose a player, or enter a name."))
        return values

    def known_players(self) -> list[Player]:
        meant = filter(None, (self.alike[name] for name in self.cleaned_data["same"]))
        return list(dict.fromkeys([*self.cleaned_data["players"], *self.named, *meant]))

    def people_to_add(self) -> list[PlayerFacts]:
        is_guest = self.cleaned_data["newcomers"] == "guests"
        others = [name for name in self.alike if name not in self.cleaned_data["same"]]
        return [PlayerFacts(name, is_guest=is_guest) for name in (*self.unknown, *others)]


def _like(name: str, player: Player | None) -> str:
    text = _("%(name)s is %(player)s") if player else _("%(name)s is in the list already")
    return text % {"name": name, "player": player and plain_name(player)}


class SeedsForm(SeenValues, forms.Form):
    def __init__(self, *args: Any, entries: Iterable[Entry], **options: Any) -> None:
        super().__init__(*args, **options)
        self.entries = list(entries)
        for entry in self.entries:
            self.fields[f"seed_{entry.pk}"] = forms.IntegerField(
                label=_("Seed of %(name)s") % {"name": entry.player.name},
                min_value=1,
                max_value=MAX_ENTRY_SEED,
                required=False,
                initial=entry.seed,
                widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
            )

    def rows(self) -> Iterator[tuple[Entry, forms.BoundField]]:
        for entry in self.entries:
            yield entry, self[f"seed_{entry.pk}"]

    def seeds(self) -> dict[Entry, int | None]:
        return {entry: self.cleaned_data[f"seed_{entry.pk}"] for entry in self.entries}
