"""What is typed into a row of the sheet: a score with its wind, a small number, and what the page itself has written."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from django import forms
from django.core.exceptions import ValidationError

from league.core.entry import RawScoreError, ScoreText, read_count, read_score_text
from league.core.pasting import sits_out
from league.core.sheet_cells import TypedText, read_cell
from league.forms.entry.fields import Words
from league.forms.entry.sentences import score_sentence
from league.forms.grid.numbered import sent_number

MAX_CELL_LENGTH = 40


@dataclass(frozen=True, slots=True)
class TypedCell:
    """A raw score as it is written, and what stands beside it."""

    score: ScoreText
    said: TypedText

    @property
    def seat(self) -> int | None:
        return self.said.seat


class CellField(forms.Field):
    """A score such as `317`, `317 北` or `▲15 東`; None where nobody plays. `who` plays is None while the column does not say it."""

    def __init__(self, who: str | None) -> None:
        super().__init__(required=False, widget=forms.TextInput)
        self.who = who

    def to_python(self, value: object) -> TypedCell | None:
        """Return what is typed. Raises ValidationError."""
        text = str(value or "")
        if self.who is None or sits_out(text):
            return None
        try:
            if len(text) > MAX_CELL_LENGTH:
                raise RawScoreError("unreadable", text[:MAX_CELL_LENGTH])
            said = read_cell(text)
            return TypedCell(read_score_text(said.score), said)
        except RawScoreError as error:
            raise ValidationError(score_sentence(error, self.who), error.code) from error


class CountField(forms.Field):
    """A count from 0 to `most`; nothing typed means 0."""

    def __init__(self, most: int, invalid: Words) -> None:
        super().__init__(required=False, widget=forms.TextInput, error_messages={"invalid": invalid})
        self.most = most

    def to_python(self, value: object) -> int:
        """Return the count. Raises ValidationError."""
        try:
            return read_count(str(value or ""), self.most)
        except RawScoreError as error:
            raise ValidationError(self.error_messages["invalid"], "invalid") from error


class VersionField(forms.Field):
    """The version of a hanchan that the page shows; 0, which no hanchan has, where it cannot be read."""

    def to_python(self, value: object) -> int:
        """Return the revision that the page showed; 0 for what is no number."""
        return sent_number(value)


class KeyField(forms.Field):
    """The key under which a row is stored once, however often it is sent; a new one where none can be read."""

    def to_python(self, value: object) -> UUID:
        """Return the name under which the row is stored once; a new one for what is none."""
        try:
            return UUID(str(value))
        except ValueError:
            return uuid4()
