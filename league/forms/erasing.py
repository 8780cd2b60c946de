from collections.abc import Sequence

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.limits import MAX_NAME_LENGTH
from league.core.masking import bare
from league.core.spelling import cleaned
from league.forms.names import ReasonForm, lines_of
from league.messages import plain_name
from league.models import Photo, Player
from league.selectors.history.lines import hanchan_name
from league.services.erasing.person import Erasure

MAX_SPELLINGS = 20
SHORTEST = 2
"""Shortest spelling to replace: a single letter occurs in too many words."""


class ErasingForm(ReasonForm):
    """Erasure of a player's name: reason, other spellings, photos to keep, and the name as confirmation."""

    also = forms.CharField(
        label=gettext_lazy("Also written as"),
        required=False,
        max_length=(MAX_NAME_LENGTH + 2) * MAX_SPELLINGS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "Other spellings used in notes and reasons, such as a nickname or the family name alone. One per line."
        ),
    )
    keep = forms.MultipleChoiceField(
        label=gettext_lazy("Photos to keep"), required=False, widget=forms.CheckboxSelectMultiple
    )
    confirm = forms.CharField(
        label=gettext_lazy("Type the name to confirm"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ("reason", "also", "keep", "confirm")

    def __init__(self, *args: object, player: Player, photos: Sequence[Photo], **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.player = player
        if photos:
            choices = [(str(photo.pk), hanchan_name(photo.hanchan)) for photo in photos]
            self.fields["keep"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["keep"]

    def clean_also(self) -> tuple[str, ...]:
        """Return the other spellings. Raise ValidationError if there are too many, or for single letters."""
        names = tuple(filter(None, map(cleaned, lines_of(self.cleaned_data["also"]))))
        if len(names) > MAX_SPELLINGS:
            raise ValidationError(_("At most %(most)s other names."), params={"most": MAX_SPELLINGS})
        if any(len(name) < SHORTEST for name in names):
            raise ValidationError(_("Enter at least two letters per line."))
        return names

    def clean_confirm(self) -> str:
        typed: str = self.cleaned_data["confirm"]
        known = {bare(self.player.name), bare(plain_name(self.player))}
        if bare(typed) not in known:
            raise ValidationError(_("The name does not match. Type: %(name)s"), params={"name": self.player.name})
        return typed

    def asked(self) -> Erasure:
        kept = frozenset(map(int, self.cleaned_data.get("keep", ())))
        return Erasure(self.cleaned_data["reason"], self.cleaned_data["also"], kept)
