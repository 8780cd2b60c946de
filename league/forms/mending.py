"""The cells of an upload as fields, with what they say now: what is typed over it mends the file."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.http import QueryDict

from league.core.imports.mending import Cell, Mending
from league.forms.seen import SeenValues
from league.services.imports.mending import MAX_CELL, MendableFile, WrongText

_NAME = re.compile(r"c([1-9][0-9]{0,6})-([0-9]{1,3})", re.ASCII)


def _cell_name(cell: Cell) -> str:
    line, column = cell
    return f"c{line}-{column}"


def _text_name(wrong: WrongText) -> str:
    return f"t{sha256(f'{wrong.key} {wrong.text}'.encode()).hexdigest()[:16]}"


def cells_sent(sent: QueryDict, file: MendableFile) -> list[Cell]:
    """Return the cells of the file that a page had fields for, in its order; only rows that it had as a whole."""
    found = {(int(match[1]), int(match[2])) for name in sent if (match := _NAME.fullmatch(name))}
    lines = {line for line, _column in found if line in file.rows}
    rows = [[(line, column) for column in file.columns] for line in sorted(lines)]
    return [cell for cells in rows if found.issuperset(cells) for cell in cells]


def shown(text: str) -> str:
    """Return a cell as a field shows it: on one line, and nothing where it is too long to be typed."""
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
        """What was typed over what stood there: first what holds everywhere, then the single cells."""
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
