"""The evening as a sheet that can be typed into: a hanchan a row, a player a column, a raw score a cell.

A cell is what the entry page takes, with what `core.sheet_cells` lets stand behind it: `317`, `317 北`, `▲15 東`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.utils.translation import gettext as _

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.sheet_cells import write_cell
from league.forms.entry.fields import people_choices
from league.forms.entry.prefill import score_text
from league.forms.grid.columns import ColumnFormSet
from league.forms.grid.numbered import NumberedFormSet
from league.forms.grid.rows import RowForm, shown, spare_row
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext, SheetPlace
from league.services.grid.rows import SheetCheck, TypedRow
from league.services.results import result_of

SPARE_ROWS = 4


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
        options = {"columns": self.columns.forms, "known": known, "rules": context.rules, "plans": context.planned}
        super().__init__(data, auto_id="%s", initial=rows, form_kwargs=options)

    @classmethod
    def stored(cls, context: SheetContext, part: int = 0) -> SheetForm:
        """Return a part of the session as it stands: what is stored, what is planned, and room for what comes next."""
        places = [context.places[at] for at in context.parts[part]]
        keys = dict.fromkeys(str(player) for place in places for player in place.players)
        if len(context.parts) == 1:
            expected = [str(player.pk) for player in context.choices.last + context.choices.waiting]
            keys |= dict.fromkeys(expected[: MAX_SHEET_COLUMNS - len(keys)])
        rows = [_row(place, list(keys)) for place in places]
        if not context.plans:
            first = max((place.round for place in places), default=0) + 1
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


def _row(place: SheetPlace, keys: Sequence[str]) -> dict[str, str]:
    """Return a planned hanchan as a row that waits, or a stored one as it would have been typed, under these columns."""
    if place.hanchan is None:
        return spare_row(place.round, place.table)
    game = result_of(place.hanchan).game
    busts = {bust.seat: bust for bust in game.busts}
    chombo = game.chombo or (0,) * len(place.players)
    cells = {
        str(seat.player_id): write_cell(score_text(seat.raw_score), at, busts.get(at), chombo[at])
        for at, seat in enumerate(seats_of(place.hanchan))
        if seat.raw_score is not None
    }
    row = {f"cell_{column}": cells.get(key, "") for column, key in enumerate(keys)}
    return row | {"key": str(uuid4())} | shown(place.hanchan)
