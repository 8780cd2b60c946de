"""The evening as a sheet that can be typed into: a hanchan a row, a player a column, a raw score a cell.

A cell is what the entry page takes, with the wind behind it where the seats do not follow the columns: `317`, `▲15 北`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.pasting import MARKS
from league.forms.entry.fields import people_choices
from league.forms.entry.prefill import score_text
from league.forms.grid.columns import ColumnFormSet
from league.forms.grid.numbered import NumberedFormSet
from league.forms.grid.rows import RowForm, shown, spare_row
from league.models import Hanchan
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext
from league.services.grid.rows import SheetCheck, TypedRow

SPARE_ROWS = 2


class SheetForm(NumberedFormSet[RowForm]):
    """The rows of the whole sheet, under its `columns`. What stands in the way of a column alone does not make it wrong."""

    form = RowForm
    count_name = "rows"
    max_num = absolute_max = MAX_SHEET_ROWS

    def __init__(
        self,
        context: SheetContext,
        data: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[Mapping[str, str]] | None = None,
        rows: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        self.context = context
        offered = {"choices": people_choices(context.choices), "people": context.choices.by_key}
        self.columns = ColumnFormSet(data, auto_id="%s", initial=columns, form_kwargs=offered)
        # Who the columns are is known before the rows are read.
        self.columns.is_valid()
        known = {str(game.pk): game for game in context.hanchan}
        options = {"columns": self.columns.forms, "known": known, "rules": context.rules}
        super().__init__(data, auto_id="%s", initial=rows, form_kwargs=options)

    @classmethod
    def stored(cls, context: SheetContext) -> SheetForm:
        """Return the session as it stands, with room for what comes next."""
        keys = dict.fromkeys(str(seat.player_id) for game in context.hanchan for seat in seats_of(game))
        expected = [str(player.pk) for player in context.choices.last + context.choices.waiting]
        keys |= dict.fromkeys(expected[: MAX_SHEET_COLUMNS - len(keys)])
        rows = [_stored_row(game, list(keys)) for game in context.hanchan]
        first = max((game.round for game in context.hanchan), default=0) + 1
        rows += [spare_row(first + number) for number in range(min(SPARE_ROWS, MAX_SHEET_ROWS - len(rows)))]
        columns = [{"player": key} for key in keys] or [{"player": ""} for _seat in range(context.size)]
        return cls(context, columns=columns, rows=rows)

    def clean(self) -> None:
        """Ask whose the scores are that stand in a column without a player."""
        for place, column in enumerate(self.columns.forms):
            is_used = any(f"cell_{place}" in row.typed_cells for row in self.forms)
            if is_used and column.person is None and not column.errors:
                column.ask(_("Choose whose column this is."))

    def typed_rows(self) -> list[TypedRow]:
        """Return every row as a value."""
        return [row.typed_row() for row in self.forms]

    def refuse(self, check: SheetCheck) -> None:
        """Say at each row why it cannot be stored, as far as a check has found out."""
        for number, row in check.rows.items():
            if row.error is not None:
                self.forms[number].refuse(row.error)


def has_room(hanchan: Sequence[Hanchan]) -> bool:
    """Return whether everything that is stored of a session stands in a sheet."""
    people = {seat.player_id for game in hanchan for seat in seats_of(game)}
    return len(hanchan) <= MAX_SHEET_ROWS and len(people) <= MAX_SHEET_COLUMNS


def _stored_row(hanchan: Hanchan, keys: Sequence[str]) -> dict[str, str]:
    """Return a stored hanchan as it would have been typed, under these columns."""
    cells = {str(seat.player_id): f"{score_text(seat.raw_score)} {MARKS[seat.seat]}" for seat in seats_of(hanchan)}
    row = {f"cell_{place}": cells.get(key, "") for place, key in enumerate(keys)}
    return row | {"key": str(uuid4())} | shown(hanchan)
