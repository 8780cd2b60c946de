"""Forms of the import steps: file, rows, columns, and corrections to cells."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from league.core.imports.mending import Cell, Mending
from league.core.imports.records import UNDATED
from league.core.spreadsheets.columns import BY_KEY, RowShape
from league.core.spreadsheets.dates import DateOrder
from league.core.spreadsheets.headers import split_target
from league.forms.file_questions import answers, ask, must_name_day
from league.forms.seen import SeenValues
from league.messages.imports import DELIMITERS, ENCODINGS, column_label
from league.services.imports.contents import TARGETS, FileContents
from league.services.imports.mending import MAX_CELL, MendableFile, WrongText
from league.services.imports.steps import MAX_BYTES, MAX_MEGABYTES
from league.services.imports.values import FileReading
from league.services.imports.workbook import ALL_SHEETS
from league.services.stored_json import as_stored

TOO_LARGE = _("The file is larger than %(most)s MB. Split it, for example by year.")
TOO_MUCH = _("This is too long to paste. Save it as a file and upload it instead.")

FILE_TYPES = ".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values,text/plain"

MAX_HEADER = 50

USUAL = {"date", "session", "table", "game", "player", "raw", "points", "placement", "memo"}
"""Targets in the group "Most often"."""


class UploadForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        help_text=_("CSV, TSV or Excel (.xlsx), at most 8 MB"),
        widget=forms.ClearableFileInput(attrs={"accept": FILE_TYPES}),
    )
    rows = forms.CharField(
        label=_("or pasted rows"),
        required=False,
        strip=False,
        help_text=_(
            "Copy the cells with their headings in Excel or Google Sheets and paste them here, or paste lines "
            "such as A(+45.0) B(+9.0) C(-20.0) D(-34.0)."
        ),
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false", "class": "paste"}),
    )

    use_required_attribute = False

    def clean_file(self) -> UploadedFile | None:  # type: ignore[type-arg]
        file: UploadedFile | None = self.cleaned_data["file"]  # type: ignore[type-arg]
        if file is not None and (file.size or 0) > MAX_BYTES:
            raise ValidationError(TOO_LARGE, params={"most": MAX_MEGABYTES})
        return file

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        given = [bool(values.get("file")), bool((values.get("rows") or "").strip())]
        if not self.errors and not any(given):
            raise ValidationError(_("Choose a file or paste rows."))
        if all(given):
            raise ValidationError(_("Choose a file or paste rows, not both."))
        return values

    @property
    def upload(self) -> tuple[str, bytes]:
        """File name and content; the name is "" for pasted rows."""
        file = self.cleaned_data["file"]
        if file:
            return file.name, file.read()
        return "", self.cleaned_data["rows"].encode()


class ReadingForm(forms.Form):
    encoding = forms.ChoiceField(label=_("Encoding"))
    delimiter = forms.ChoiceField(label=_("Cell separator"))
    sheet = forms.ChoiceField(label=_("Sheet"))
    header_row = forms.IntegerField(
        label=_("Rows above the headings"),
        min_value=0,
        max_value=MAX_HEADER,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    header_rows = forms.TypedChoiceField(
        label=_("Heading rows"), coerce=int, choices=[(0, _("none")), (1, "1"), (2, "2")]
    )
    year = forms.IntegerField(
        label=_("Year for dates without a year"),
        required=False,
        min_value=1900,
        max_value=2200,
        help_text=_("Leave blank to use the most recent year that puts no date in the future."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    use_required_attribute = False

    def __init__(self, sent: QueryDict | None, *, preview: FileContents) -> None:
        super().__init__(sent, initial={**as_stored(preview.reading), "year": preview.reading.year or None})
        self.preview = preview
        if preview.source.is_workbook:
            del self.fields["encoding"], self.fields["delimiter"]
            sheets = [(name, _("all sheets") if name == ALL_SHEETS else name) for name in preview.source.sheets]
            self.fields["sheet"].choices = sheets  # type: ignore[attr-defined]
        else:
            del self.fields["sheet"]
            self.fields["encoding"].choices = _encodings(preview)  # type: ignore[attr-defined]
            self.fields["delimiter"].choices = list(DELIMITERS.items())  # type: ignore[attr-defined]
        self.asked_alone = tuple(self.fields)
        ask(self, preview.questions, preview.reading)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        must_name_day(values)
        return values

    @property
    def reading(self) -> FileReading:
        """The chosen reading; if rows may have changed, columns are reset to be guessed again."""
        now = self.preview.reading
        chosen = {name: self.cleaned_data[name] for name in self.asked_alone} | {"year": self.cleaned_data["year"] or 0}
        same_rows = replace(now, **chosen, **answers(self.cleaned_data, now))
        beside = {"year": now.year, **answers({}, now)}
        return same_rows if replace(same_rows, **beside) == now else replace(same_rows, columns=())


def _encodings(preview: FileContents) -> list[tuple[str, object]]:
    known, fits = list(ENCODINGS.items()), preview.source.fitting
    fitting: list[tuple[str, object]] = [each for each in known if each[0] in fits]
    others = [each for each in known if each[0] not in fits]
    return [*fitting, (str(_("Not suitable for this file")), others)] if others else fitting


class ColumnsForm(forms.Form):
    use_required_attribute = False

    def __init__(self, sent: QueryDict | None, *, preview: FileContents) -> None:
        super().__init__(sent)
        self.preview = preview
        choices = column_choices(TARGETS, RowShape(preview.reading.form))
        for column in preview.columns:
            self.fields[f"column_{column.index}"] = forms.ChoiceField(
                label=column.header or pgettext_lazy("column of a file", "no heading"),
                choices=choices,
                initial=column.target,
                required=False,
            )

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data[name] for name in self.fields)

    @property
    def reading(self) -> FileReading:
        """The chosen reading; answers about dates are reset if the date columns changed."""
        now = self.preview.reading
        asked = replace(now, columns=self.columns)
        if _days_in(asked) == _days_in(now):
            return asked
        undated = asked.undated if asked.undated not in UNDATED else ""
        return replace(asked, date_order=DateOrder.UNKNOWN, undated=undated)


def _days_in(reading: FileReading) -> tuple[tuple[int, str], ...]:
    return tuple((at, column) for at, column in enumerate(reading.columns) if column in {"date", "stamp"})


def column_choices(targets: Sequence[str], form: RowShape = RowShape.LONG) -> list[tuple[str, Any]]:
    """Return all targets as grouped choices: the most common first, those of our own exports last."""
    seats: dict[int, list[str]] = {}
    usual: list[str] = []
    others: list[str] = []
    exact: list[str] = []
    for target in targets:
        key, seat = split_target(target)
        if key in BY_KEY and BY_KEY[key].exact:
            exact.append(target)
        elif seat is not None:
            seats.setdefault(seat + 1, []).append(target)
        else:
            (usual if key in USUAL else others).append(target)
    numbered = [(str(_("Seat %(number)s")) % {"number": seat}, each) for seat, each in sorted(seats.items())]
    rare = [(_("Less common"), others), (_("Only in files exported from Tenbo"), exact)]
    wide = form == RowShape.WIDE
    groups = [(_("Common"), usual), *(numbered if wide else ()), *rare, *(() if wide else numbered)]
    named = [(title, [(target, column_label(target)) for target in each]) for title, each in groups if each]
    return [("", _("ignored")), *named]


_NAME = re.compile(r"c([1-9][0-9]{0,6})-([0-9]{1,3})", re.ASCII)


def _cell_name(cell: Cell) -> str:
    line, column = cell
    return f"c{line}-{column}"


def _text_name(wrong: WrongText) -> str:
    return f"t{sha256(f'{wrong.key} {wrong.text}'.encode()).hexdigest()[:16]}"


def cells_sent(sent: QueryDict, file: MendableFile) -> list[Cell]:
    """Return the cells the page had fields for, in file order; rows submitted only in part are ignored."""
    found = {(int(match[1]), int(match[2])) for name in sent if (match := _NAME.fullmatch(name))}
    lines = {line for line, _column in found if line in file.rows}
    rows = [[(line, column) for column in file.columns] for line in sorted(lines)]
    return [cell for cells in rows if found.issuperset(cells) for cell in cells]


def shown(text: str) -> str:
    """Return a cell's text on one line; "" if it is too long to edit."""
    line = " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
    return line if len(line) <= MAX_CELL else ""


class MendingForm(SeenValues, forms.Form):
    use_required_attribute = False

    def __init__(
        self, sent: QueryDict | None, *, file: MendableFile, cells: Iterable[Cell], texts: Sequence[WrongText]
    ) -> None:
        super().__init__(sent)
        self.file, self.cells, self.texts = file, list(cells), texts
        for wrong in texts:
            self._ask(_text_name(wrong), wrong.text)
        for cell in self.cells:
            self._ask(_cell_name(cell), file.text(*cell))

    def _ask(self, name: str, text: str) -> None:
        plain = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
        self.fields[name] = forms.CharField(required=False, max_length=MAX_CELL, initial=shown(text), widget=plain)

    def cell_field(self, cell: Cell) -> forms.BoundField:
        return self[_cell_name(cell)]

    def text_field(self, wrong: WrongText) -> forms.BoundField:
        return self[_text_name(wrong)]

    @property
    def mendings(self) -> list[Mending]:
        """Corrections in the order to apply them: all equal cells first, then single cells."""
        typed: dict[str, Any] = self.cleaned_data
        found = [
            Mending(None, column, wrong.text, typed[_text_name(wrong)])
            for wrong in self.texts
            if typed[_text_name(wrong)] != shown(wrong.text)
            for column in wrong.columns
        ]
        everywhere = {(each.column, each.before): each.after for each in found}
        for line, column in self.cells:
            text, new = self.file.text(line, column), typed[_cell_name((line, column))]
            if new != shown(text):
                found.append(Mending(line, column, everywhere.get((column, text), text), new))
        return found
