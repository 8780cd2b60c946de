"""Names as people type them: what nobody sees in one is left out at the door."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.spelling import cleaned


class NameField(forms.CharField):
    """A name; without the characters in it that cannot be seen."""

    default_error_messages = {"unseen": _("Nobody could see this name: it has no character that shows.")}  # noqa: RUF012

    def to_python(self, value: Any) -> str:
        """Return the name as it is kept. Raises ValidationError when nothing of it can be seen."""
        text = str(super().to_python(value) or "")
        kept = cleaned(text)
        if text and not kept:
            raise forms.ValidationError(self.error_messages["unseen"], code="unseen")
        return kept


def lines_of(text: str) -> list[str]:
    """Return the names of a list, one a line, each once and without empty ones."""
    return list(dict.fromkeys(name for line in text.splitlines() if (name := cleaned(line))))
