from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.forms.names import NameField
from stats.core.titles import TitleError, read_minimum
from stats.messages import BETTER, METRIC_NAMES
from stats.models import OwnTitle
from stats.services.titles import TITLE_FIELDS, values_of

SCOPES = ("in_months", "in_years", "of_all_time")


class TitleForm(forms.Form):
    """A title: name, condition and periods; for changes also a reason."""

    name = NameField(label=_("Name"), max_length=100)
    name_en = NameField(label=_("Name in English"), max_length=100, required=False)
    metric = forms.ChoiceField(label=_("Statistic"), choices=list(METRIC_NAMES.items()))
    better = forms.ChoiceField(label=_("Winner"), choices=list(BETTER.items()))
    minimum = forms.CharField(
        label=_("Minimum hanchan"),
        max_length=9,
        initial="0",
        help_text=_(
            "A number of hanchan, or a fraction of the most hanchan played by anyone in the period, such as 1/3."
        ),
    )
    in_months = forms.BooleanField(label=_("Monthly"), required=False, initial=True)
    in_years = forms.BooleanField(label=_("Yearly"), required=False, initial=True)
    of_all_time = forms.BooleanField(label=_("All time"), required=False, initial=True)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)

    def __init__(self, *args: Any, title: OwnTitle | None = None, **options: Any) -> None:
        if title is not None:
            options["initial"] = values_of(title)
        super().__init__(*args, **options)
        if title is None:
            del self.fields["reason"]

    def clean_minimum(self) -> str:
        try:
            return str(read_minimum(self.cleaned_data["minimum"]))
        except TitleError as error:
            raise forms.ValidationError(_("Enter a whole number such as 20, or a fraction such as 1/3.")) from error

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if not any(fields.get(scope) for scope in SCOPES):
            raise forms.ValidationError(_("Choose at least one period for this title."))
        return fields

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in TITLE_FIELDS}
