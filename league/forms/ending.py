"""What an owner is asked before a league is deleted."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.models import League


class EndForm(forms.Form):
    name = forms.CharField(max_length=100, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    without_file = forms.BooleanField(
        label=_("I want no file: whatever was played here may be lost"),
        error_messages={"required": _("Download the file first, or tick that you want none.")},
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
            raise forms.ValidationError(_("That is not its name. Type it as it stands here."))
        return name
