"""The questions asked when a league begins."""

import zoneinfo
from typing import ClassVar

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from league.forms.names import NameField
from league.models import League
from league.selectors.addresses import is_free
from league.services.leagues import LeagueFacts
from scoring.core import Card, load_cards

RESERVED = {"new"}
"""Addresses that mean something else."""

NEAR_ZONES = (
    "Asia/Tokyo",
    "Asia/Seoul",
    "Asia/Shanghai",
    "Asia/Taipei",
    "Europe/London",
    "Europe/Paris",
    "America/New_York",
    "UTC",
)
"""Suggested first; any other may be typed."""


class NewLeagueForm(forms.ModelForm):  # type: ignore[type-arg]
    """Name, address, clock and rules of a new league."""

    card = forms.ChoiceField(
        label=_("Rules to begin with"),
        help_text=_("Every figure can be changed afterwards; results keep the rules they were scored by."),
    )

    class Meta:
        model = League
        fields = ("name", "name_en", "slug", "time_zone", "is_public")
        help_texts: ClassVar = {
            "slug": _("Part of the web address: letters, digits and hyphens, such as friday-league."),
            "time_zone": _("Decides on which day, month and year a hanchan counts. For Japan: Asia/Tokyo."),
            "is_public": _("Without the tick only members see the league."),
        }
        field_classes: ClassVar = {"name": NameField, "name_en": NameField}
        widgets: ClassVar = {"time_zone": forms.TextInput(attrs={"list": "zones", "autocomplete": "off"})}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.cards = {card.key: card for card in load_cards()}
        self.fields["card"].choices = [(key, card_name(card)) for key, card in self.cards.items()]  # type: ignore[attr-defined]
        self.zones = sorted(zoneinfo.available_timezones(), key=lambda name: (name not in NEAR_ZONES, name))

    def clean_slug(self) -> str:
        """Refuse addresses that are taken or mean something else; big and small letters are the same."""
        return free_address(self.cleaned_data["slug"])

    def facts(self) -> LeagueFacts:
        values = {name: self.cleaned_data[name] for name in self.Meta.fields}
        card = self.cards[self.cleaned_data["card"]]
        return LeagueFacts(**values, card_key=card.key, card_name=card_name(card))


def free_address(slug: str, besides: League | None = None) -> str:
    """Return an address in small letters. Raises ValidationError where another league has it, or had it once."""
    slug = slug.lower()
    if slug in RESERVED or not is_free(slug, besides):
        raise forms.ValidationError(_("This address is taken. Choose another one."))
    return slug


def card_name(card: Card) -> str:
    return card.name.get(get_language() or "", card.name["en"])
