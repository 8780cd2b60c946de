"""The session grid as shown on the page: columns, rows, and whether it can be saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse

from league.core.limits import MAX_SHEET_ROWS
from league.forms.grid.columns import ColumnForm
from league.forms.grid.page_rows import RowOnPage
from league.forms.grid.rows import texts_of
from league.forms.grid.sheet import SheetForm
from league.messages import plain_name
from league.models import Hanchan
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext, SheetPlace
from league.services.grid import MARKED, SheetCheck, SheetRow, SheetRowError
from league.services.people import PlayerFacts


@dataclass(frozen=True, slots=True)
class PartToType:
    number: int
    first: SheetPlace
    last: SheetPlace
    is_here: bool


class SheetOnPage:
    """The grid with the results of its check.

    `left_over`: pasted text that did not fit. `part`: index of the part shown, if the session is split.
    """

    def __init__(
        self,
        form: SheetForm,
        check: SheetCheck | None = None,
        problems: Sequence[str] = (),
        left_over: str = "",
        part: int = 0,
    ) -> None:
        self.form = form
        self.part = part
        self.check = check
        self.problems = list(problems)
        self.left_over = left_over
        self.rules, self.size = form.context.rules, form.context.size
        self.most_rows = MAX_SHEET_ROWS

    def refuse(self, refusal: SheetRowError) -> None:
        if self.check is not None:
            self.check = self.check.refused(refusal)
            self.form.by_number[refusal.number].refuse(refusal.error)

    @property
    def columns(self) -> list[ColumnForm]:
        return self.form.columns

    @cached_property
    def rows(self) -> list[RowOnPage]:
        found = self.check.rows if self.check else {}
        return [
            RowOnPage(row, found.get(number), is_checked=self.check is not None)
            for number, row in self.form.by_number.items()
        ]

    @property
    def marked(self) -> str:
        return ",".join(str(row.place) for row in self.rows if row.status in MARKED)

    @cached_property
    def parts(self) -> list[PartToType]:
        context = self.form.context
        if len(context.parts) == 1:
            return []
        return [
            PartToType(number, context.places[part[0]], context.places[part[-1]], is_here=number - 1 == self.part)
            for number, part in enumerate(context.parts, 1)
        ]

    @property
    def new_guests(self) -> list[PlayerFacts]:
        return [column.person for column in self.columns if self.check and isinstance(column.person, PlayerFacts)]

    @property
    def to_store(self) -> list[SheetRow]:
        return self.check.to_store if self.check else []

    @property
    def corrects(self) -> bool:
        return self.check is not None and self.check.corrects

    @property
    def is_stuck(self) -> bool:
        return self.check is not None and (self.check.is_stuck or any(row.errors for row in self.form.forms))

    @property
    def is_ready(self) -> bool:
        return bool(self.to_store) and not self.is_stuck


def sent_rows(sheet: SheetOnPage) -> dict[int, dict[str, Any]]:
    return {row.place: _answer(row) for row in sheet.rows}


def _answer(row: RowOnPage) -> dict[str, Any]:
    fields = [*row.fields.values(), *row.scores]
    return {
        "status": row.status,
        "hanchan": row.number,
        "version": str(row.version),
        "fields": {
            field.name: {"text": field.text, "described": field.described_by, "led": field.is_led_to}
            for field in fields
            if field.text or field.described_by or field.is_led_to
        },
    }


def standing_rows(context: SheetContext) -> list[dict[str, Any]]:
    return [_standing(hanchan) for hanchan in context.hanchan]


def _standing(hanchan: Hanchan) -> dict[str, Any]:
    texts = texts_of(hanchan)
    return {
        "hanchan": str(hanchan.pk),
        "version": str(hanchan.version),
        "key": str(hanchan.client_key),
        "round": str(hanchan.round),
        "table": str(hanchan.table),
        "sticks": str(hanchan.sticks_left or ""),
        "people": [
            {"key": str(seat.player_id), "name": plain_name(seat.player), "text": texts.get(str(seat.player_id), "")}
            for seat in seats_of(hanchan)
        ],
        "is_alone": not hanchan.has_raw_scores,
        "page": reverse("league:hanchan", args=[hanchan.league.slug, hanchan.pk]),
    }
