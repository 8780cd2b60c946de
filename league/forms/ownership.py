from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.forms.leagues import free_address
from league.forms.names import NameField, ReasonForm
from league.messages import plain_name
from league.models import League, LeagueOffer, Membership, Player
from league.services.ownership import CopyFacts


class AddressField(forms.SlugField):
    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=50,
            help_text=_("Part of the web address: letters, digits and hyphens, such as friday-league."),
            widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
            **options,
        )


class AddressForm(forms.Form):
    slug = AddressField(label=_("New address"))

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        options.setdefault("initial", {"slug": league.slug})
        super().__init__(*args, **options)
        self.league = league

    def clean_slug(self) -> str:
        slug = free_address(self.cleaned_data["slug"], self.league)
        if slug == self.league.slug:
            raise forms.ValidationError(_("This is already the address."))
        return slug


class CopyForm(forms.Form):
    name = NameField(label=_("Name"), max_length=100)
    name_en = NameField(label=_("Name in English"), max_length=100, required=False)
    slug = AddressField(label=_("Address"))
    players = forms.ModelMultipleChoiceField(
        label=_("Players to include"),
        queryset=Player.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        players = Player.objects.filter(league=league).active().by_reading()
        options.setdefault("initial", {"players": players})
        super().__init__(*args, **options)
        field: Any = self.fields["players"]
        field.queryset, field.label_from_instance = players, plain_name

    def clean_slug(self) -> str:
        return free_address(self.cleaned_data["slug"])

    def facts(self) -> CopyFacts:
        return CopyFacts(**self.cleaned_data)


class StateForm(ReasonForm):
    state = forms.ChoiceField(choices=League.State.choices, widget=forms.HiddenInput)


class OfferForm(forms.Form):
    to = forms.ModelChoiceField(
        label=_("New owner"),
        empty_label="—",
        queryset=Membership.objects.none(),
        error_messages={"invalid_choice": _("This person is no longer a member of the league. Choose again.")},
    )
    afterwards = forms.ChoiceField(
        label=_("Your role afterwards"),
        choices=(
            (LeagueOffer.Afterwards.ORGANISER.value, _("remain as an organiser")),
            (LeagueOffer.Afterwards.LEAVES.value, _("leave the league")),
        ),
        widget=forms.RadioSelect,
        initial=LeagueOffer.Afterwards.ORGANISER.value,
    )

    def __init__(self, *args: Any, league: League, giver: int | None, **options: Any) -> None:
        super().__init__(*args, **options)
        others = league.members.exclude(user=giver).select_related("user").order_by("user__username")
        self.is_alone = not others.exists()
        self.fields["to"].queryset = others  # type: ignore[attr-defined]
        self.fields["to"].label_from_instance = (  # type: ignore[attr-defined]
            lambda member: f"{member.user.get_username()} ({member.get_role_display()})"
        )


class EndForm(forms.Form):
    name = forms.CharField(max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    without_file = forms.BooleanField(
        label=_("I do not need the file. Results recorded here may be lost"),
        error_messages={"required": _("Download the file first, or confirm that you do not need it.")},
    )

    def __init__(self, *args: Any, league: League, has_file: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.league = league
        self.fields["name"].label = _("Type the name of the league: %(name)s") % {"name": league.name}
        if has_file:
            del self.fields["without_file"]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.strip() != self.league.name:
            raise forms.ValidationError(_("The name does not match. Type it exactly as shown."))
        return name
