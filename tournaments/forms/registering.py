"""Registration forms: the organiser's terms, and what players enter about themselves."""

import uuid
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.limits import MAX_CLUB_LENGTH, MAX_NAME_LENGTH, MAX_READING_LENGTH
from league.core.readings import folded
from league.forms.names import NameField
from league.forms.seen import SeenValues
from league.forms.sessions import DayAndClockField
from league.models import League, Player
from league.permissions import VIEW, Person, hide_names
from league.selectors.people import looking_like
from league.services.people import PlayerFacts
from tournaments.core.format import Sizes
from tournaments.models import RegistrationTerms
from tournaments.models.registrations import MAX_TERMS_NOTE_LENGTH
from tournaments.services.registering import nonce_of

MAX_SENT_KEY_LENGTH = 36


class TermsForm(SeenValues, forms.Form):
    places = forms.IntegerField(
        label=pgettext_lazy("registration", "Spots"),
        min_value=1,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    audience = forms.ChoiceField(
        label=_("Who can register"),
        choices=RegistrationTerms.Audience.choices,
        widget=forms.RadioSelect,
        initial=RegistrationTerms.Audience.MEMBERS,
        help_text=_("People without an account register with a name and are added to the player list as guests."),
    )
    needs_approval = forms.BooleanField(
        label=_("An organiser approves each registration"),
        required=False,
        help_text=_("Until then, no spots or waiting list positions are assigned."),
    )
    opens_at = DayAndClockField(label=_("Registration from"), help_text=_("If blank, it opens immediately."))
    closes_at = DayAndClockField(label=_("Registration until"), help_text=_("If blank, it stays open until the draw."))
    check_in_from = DayAndClockField(
        label=_("Check-in from"),
        help_text=_("On the day of the tournament. If blank, open check-in by hand, or do without it."),
    )
    check_in_until = DayAndClockField(
        label=_("Check-in until"),
        help_text=_("People who have not checked in by then are listed; you decide who loses their spot."),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=MAX_TERMS_NOTE_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Shown to everyone who registers: venue, time, what to bring."),
    )

    def __init__(self, *args: Any, sizes: Sizes, **options: Any) -> None:
        super().__init__(*args, **options)
        self.sizes = sizes
        self.fields["places"].help_text = (
            _("This format is for %(most)s players.") if sizes.least == sizes.most else _("At most %(most)s can play.")
        ) % {"most": sizes.most}

    def clean_places(self) -> int:
        """Raise ValidationError if there are more places than the format allows."""
        places: int = self.cleaned_data["places"]
        if places > self.sizes.most:
            raise ValidationError(_("At most %(most)s can play in this format."), params={"most": self.sizes.most})
        return places

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        for begins, ends in (("opens_at", "closes_at"), ("check_in_from", "check_in_until")):
            if values.get(begins) and values.get(ends) and values[ends] <= values[begins]:
                self.add_error(ends, ValidationError(_("This is before the start. Choose a later time.")))
        return values

    def offered(self) -> RegistrationTerms:
        return RegistrationTerms(**self.cleaned_data)


class NewcomerForm(forms.Form):
    name = NameField(
        label=_("Name"), max_length=MAX_NAME_LENGTH, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    kana = NameField(label=_("Reading in kana"), max_length=MAX_READING_LENGTH, required=False)
    club = NameField(label=_("Club"), max_length=MAX_CLUB_LENGTH, required=False)
    is_hidden = forms.BooleanField(
        label=_("Show my name only to members of the league"),
        required=False,
        help_text=_("Everyone else sees a number."),
    )
    same_name = forms.BooleanField(
        label=_("Register anyway; organisers see that the names are similar"), required=False, widget=forms.HiddenInput
    )
    key = forms.CharField(max_length=MAX_SENT_KEY_LENGTH, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, league: League, reader: Person, known: Player | None = None, **options: Any) -> None:
        written: dict[str, object] = {"key": str(uuid.uuid4())}
        if known is not None:
            written |= {"name": known.name, "kana": known.kana, "club": known.club}
            written["is_hidden"] = known.visibility != Player.Visibility.PUBLIC
        options["initial"] = written
        super().__init__(*args, **options)
        self.league, self.reader, self.known = league, reader, known

    def clean(self) -> dict[str, Any]:
        """Ask for confirmation if the name matches a visible player.

        Users who may not view the league learn nothing about its players; organisers see similar names.
        """
        values = super().clean() or self.cleaned_data
        name = values.get("name") if self.reader.has_perm(VIEW, self.league) else ""
        if name and not values.get("same_name") and (twin := self._twin_of(name)):
            self.fields["same_name"].widget = forms.CheckboxInput()
            text = _(
                "%(name)s is already a player in the league. If this is you, log in, or ask the organiser to "
                "register you. Otherwise tick the box below."
            )
            self.add_error("name", ValidationError(text, params={"name": twin.name}))
        return values

    def _twin_of(self, name: str) -> Player | None:
        if self.known is not None and name == self.known.name:
            return None
        others = [each for each in self.league.players.active() if each != self.known]
        hide_names(self.reader, self.league, others)
        same = (each for each in others if folded(each.name) == folded(name))
        return next(same, None) or next(iter(looking_like([name], others)), None)

    def facts(self, *, is_guest: bool = True) -> PlayerFacts:
        values = self.cleaned_data
        visibility: str = Player.Visibility.MEMBERS if values["is_hidden"] else Player.Visibility.PUBLIC
        if values["is_hidden"] and self.known is not None and self.known.visibility != Player.Visibility.PUBLIC:
            visibility = self.known.visibility
        names = {name: values[name] for name in ("name", "kana", "club")}
        return PlayerFacts(**names, is_guest=is_guest, visibility=visibility)

    def nonce(self) -> uuid.UUID:
        """Return the form's unique key, a new one if the form has none."""
        return nonce_of(self.cleaned_data["key"] or str(uuid.uuid4()))
