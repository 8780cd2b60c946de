"""A field of a row of the sheet as the page writes it."""

from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

LONG_TEXT = 7
"""A cell whose text needs more room than a score with its wind."""


@dataclass(frozen=True, slots=True)
class FieldOnPage:
    """A field that is typed into; `described_by` are the ids of what is said about it.

    `wind` is the seat that the plan has for its player, `is_out` that somebody else sits there: the keys pass it over.
    `labels` are the ids of what it is called. `is_led_to` by a sentence about it.
    """

    name: str
    text: str
    described_by: str = ""
    wind: str = ""
    is_out: bool = False
    labels: str = ""
    is_led_to: bool = False

    @property
    def as_cell(self) -> SafeString:
        """The field as a cell of the table. There may be thousands, so that every letter counts."""
        said = [("value", self.text), ("placeholder", self.wind), ("id", self.name if self.is_led_to else "")]
        if self.described_by:
            said += [("aria-invalid", "true"), ("aria-describedby", self.described_by)]
        written = format_html_join("", ' {}="{}"', [each for each in said if each[1]])
        kind = format_html(' class="{}"', self._kind) if self._kind else ""
        text = '<td{}><input name="{}" aria-labelledby="{}"{}></td>'
        return format_html(text, kind, self.name, self.labels, written)

    @property
    def _kind(self) -> str:
        return "long" if len(self.text) > LONG_TEXT else "out" if self.is_out else ""
