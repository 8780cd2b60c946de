"""What somebody wants to be told, and how."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.messages.evenings import league_words
from accounts.models import NoticeKind
from league.models import League


class NoticesForm(forms.Form):
    """Mails or not, about what, and of which leagues. `leagues`: those that somebody belongs to."""

    by_mail = forms.BooleanField(label=_("Send me mails"), required=False)
    kinds = forms.MultipleChoiceField(
        label=_("Tell me"), required=False, choices=NoticeKind.choices, widget=forms.CheckboxSelectMultiple
    )
    leagues = forms.TypedMultipleChoiceField(
        label=_("Of these leagues"), required=False, coerce=int, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: object, leagues: Sequence[League], has_mail: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        choices = [(league.pk, league_words(league)) for league in leagues]
        if has_mail:
            self.fields["by_mail"].widget.attrs["aria-describedby"] = "mail-rhythm"
        else:
            del self.fields["by_mail"]
        if choices:
            self.fields["leagues"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["leagues"]
