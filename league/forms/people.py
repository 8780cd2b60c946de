from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import (
    MAX_CLUB_LENGTH,
    MAX_MEMBER_NUMBER_LENGTH,
    MAX_NAME_LENGTH,
    MAX_READING_LENGTH,
    MAX_REASON_LENGTH,
)
from league.core.readings import alike
from league.forms.names import NameField, PlayerField, lines_of
from league.forms.seen import SeenValues
from league.models import League, Player
from league.services.people import PlayerFacts

MAX_NAMES = 300
MAX_ALIASES = 20


class PlayerFields(SeenValues, forms.Form):
    name = NameField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        error_messages={"required": _("Enter a name.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kana = NameField(
        label=_("Reading in kana"),
        max_length=MAX_READING_LENGTH,
        required=False,
        help_text=_("Lists are sorted by this."),
    )
    romanised = NameField(
        label=_("Romanised name"), max_length=MAX_READING_LENGTH, required=False, help_text=_("Shown on English pages.")
    )
    number = NameField(label=_("Member number"), max_length=MAX_MEMBER_NUMBER_LENGTH, required=False)
    club = NameField(label=_("Club"), max_length=MAX_CLUB_LENGTH, required=False)
    is_guest = forms.BooleanField(label=_("Guest"), required=False)


class PlayerForm(PlayerFields):
    visibility = forms.ChoiceField(
        label=_("Name visible to"),
        choices=Player.Visibility.choices,
        initial=Player.Visibility.PUBLIC,
        help_text=_("Everyone else sees a number. Organisers still see the name when they choose players."),
    )
    is_away = forms.BooleanField(
        label=_("No longer plays"),
        required=False,
        help_text=_("Not offered when results are entered. All existing results are kept."),
    )
    aliases = forms.CharField(
        label=_("Other names"),
        required=False,
        max_length=(MAX_NAME_LENGTH + 2) * MAX_ALIASES,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Nicknames and other spellings, one per line. Used for search and imports."),
    )
    username = forms.CharField(
        label=_("Account's user name"),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        help_text=_("When this user is logged in, their own row is highlighted."),
    )
    same_name = forms.BooleanField(
        label=_("Yes, this is a different person with the same name"), required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, league: League, player: Player | None = None, **options: Any) -> None:
        super().__init__(*args, is_new=player is None, **options)
        self.league, self.player = league, player
        self.user: User | None = None

    def clean_number(self) -> str:
        number: str = self.cleaned_data["number"]
        holder = number and self._others().filter(number=number).first()
        if holder:
            raise ValidationError(
                _("Number %(number)s belongs to %(name)s."), params={"number": number, "name": holder.name}
            )
        return number

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        self.user = User.objects.filter(username=name, is_active=True).first() if name else None
        if name and self.user is None:
            raise ValidationError(_("There is no user “%(name)s”. Ask for the exact user name."), params={"name": name})
        other = self._others().filter(user=self.user).first() if self.user else None
        if other is not None:
            text = _("%(name)s is already %(other)s in this league, and one account can be only one player.")
            raise ValidationError(text, params={"name": name, "other": other.name})
        return name

    def clean_aliases(self) -> tuple[str, ...]:
        names = tuple(lines_of(self.cleaned_data["aliases"]))
        if len(names) > MAX_ALIASES:
            raise ValidationError(_("At most %(most)s other names."), params={"most": MAX_ALIASES})
        for name in names:
            if len(name) > MAX_NAME_LENGTH:
                raise ValidationError(
                    _("“%(name)s” is not a valid name. Use 1 to %(most)s characters."),
                    params={"name": f"{name[:MAX_NAME_LENGTH]}…", "most": MAX_NAME_LENGTH},
                )
        return names

    def clean(self) -> dict[str, Any]:
        """Ask for confirmation if the name is already taken."""
        values = super().clean() or self.cleaned_data
        name = values.get("name")
        if name and not values.get("same_name") and (question := self._question_about(name)) is not None:
            self.fields["same_name"].widget = forms.CheckboxInput()
            self.add_error("name", question)
        return values

    def _question_about(self, name: str) -> ValidationError | None:
        """Return an error that asks for confirmation if the name equals or looks like another player's."""
        if self.player is not None and self.player.name == name:
            return None
        others = self._others().active()
        if others.filter(name=name).exists():
            text = _("There is already a player called %(name)s. Tick the box below if this is a different person.")
            return ValidationError(text, params={"name": name})
        if twins := [other for other in others if alike(other.name) == alike(name)]:
            text = _(
                "This name looks like %(name)s but uses different characters. Tick the box below if this is "
                "a different person."
            )
            return ValidationError(text, params={"name": twins[0].name})
        return None

    def _others(self) -> Any:
        players = Player.objects.filter(league=self.league)
        return players.exclude(pk=self.player.pk) if self.player else players

    def facts(self) -> PlayerFacts:
        names = ("name", "kana", "romanised", "number", "club", "is_guest", "visibility", "aliases")
        facts = {name: self.cleaned_data[name] for name in names}
        return PlayerFacts(**facts, is_active=not self.cleaned_data["is_away"])


class MergeForm(forms.Form):
    into = PlayerField(label=_("Same person as"), queryset=Player.objects.none())
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)

    def __init__(self, *args: Any, player: Player, **options: Any) -> None:
        super().__init__(*args, **options)
        others = Player.objects.filter(league=player.league_id).active().exclude(pk=player.pk)
        self.fields["into"].queryset = others.by_reading()  # type: ignore[attr-defined]
