"""The evening as a sheet that can be typed into: a hanchan a row, a player a column, a raw score a cell.

A cell is what the entry page takes, with what `core.sheet_cells` lets stand behind it: `317`, `317 北`, `▲15 東`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
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
from league.models import Hanchan
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext, SheetPlace
from league.services.grid.rows import SheetCheck, TypedRow
from league.services.results import result_of

SPARE_ROWS = 4


class SheetForm(NumberedFormSet[RowForm]):
    """The rows of the whole sheet, under its `columns`. What stands in the way of a column alone does not make it wrong."""

    form = RowForm
    count_name = "rows"
    only_name = "only"
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
        if context.goes_on_freely:
            first = max((place.round for place in places), default=0) + 1
            rows += [spare_row(first + number) for number in range(min(SPARE_ROWS, MAX_SHEET_ROWS - len(rows)))]
        # Whoever sits at tables without a plan still has to be named.
        seats = 0 if context.plans or len(keys) >= context.size * context.session.tables else context.session.tables
        columns = [
            {"player": key} for key in [*keys, *[""] * (min(seats * context.size, MAX_SHEET_COLUMNS) - len(keys))]
        ]
        return cls(context, columns=columns, rows=rows)

    def clean(self) -> None:
        """Ask whose the scores are that stand in a column without a player."""
        for place, column in enumerate(self.columns.forms):
            is_used = any(f"cell_{place}" in row.typed_cells for row in self.forms)
            if is_used and column.person is None and not column.errors:
                column.ask(_("Choose whose column this is."))

    @cached_property
    def by_number(self) -> dict[int, RowForm]:
        """The rows by their numbers: all of them, or those that the page has sent."""
        return {int(row.prefix or 0): row for row in self.forms}

    def typed_rows(self) -> list[TypedRow]:
        return [row.typed_row() for row in self.forms]

    def refuse(self, check: SheetCheck) -> None:
        """Say at each row why it cannot be stored, as far as a check has found out."""
        for number, row in check.rows.items():
            if row.error is not None:
                self.by_number[number].refuse(row.error)


def texts_of(hanchan: Hanchan) -> dict[str, str]:
    """Return the cells of a stored hanchan as they would have been typed, by player, first dealer first."""
    game, seats = result_of(hanchan).game, seats_of(hanchan)
    busts = {bust.seat: bust for bust in game.busts}
    chombo = game.chombo or (0,) * len(seats)
    return {
        str(seat.player_id): write_cell(score_text(seat.raw_score), at, busts.get(at), chombo[at])
        for at, seat in enumerate(seats)
        if seat.raw_score is not None
    }


def _row(place: SheetPlace, keys: Sequence[str]) -> dict[str, str]:
    """Return a planned hanchan as a row that waits, or a stored one as it would have been typed, under these columns."""
    if place.hanchan is None:
        return spare_row(place.round, place.table)
    cells = texts_of(place.hanchan)
    row = {f"cell_{column}": cells.get(key, "") for column, key in enumerate(keys)}
    return row | {"key": str(uuid4())} | shown(place.hanchan)
