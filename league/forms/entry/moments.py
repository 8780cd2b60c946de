"""When a hanchan was played, as it is typed: to the minute, and nothing that has not come yet."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.forms.entry.sending import CLOCKS_DIFFER
from league.forms.sessions import FIRST_YEAR, LAST_YEAR


class MomentField(forms.DateTimeField):
    """The question when it was played."""

    def __init__(self, **options: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(label=gettext_lazy("Played at"), required=False, widget=widget, **options)


def checked_moment(moment: datetime | None, before: object) -> datetime | None:
    """Return when it was played; None where that is the minute from `before`.

    Raises ValidationError for what has not come yet, and for what no calendar of the league can hold.
    """
    if isinstance(before, datetime) and moment == before.replace(second=0, microsecond=0):
        return None
    if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValidationError(_("Check the year of the date."))
    if moment is not None and moment > timezone.now() + CLOCKS_DIFFER:
        raise ValidationError(_("This time has not come yet. Check the date."))
    return moment
