"""What the script of the sheet is told: what became of the rows that it sent, and which rows stand by now."""

from typing import Any

from django.urls import reverse

from league.forms.grid.page import RowOnPage, SheetOnPage
from league.forms.grid.sheet import texts_of
from league.messages import plain_name
from league.models import Hanchan
from league.selectors.games import seats_of
from league.selectors.grid import SheetContext


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
    """Return the stored hanchan of a session as rows of its sheet, their people first dealer first."""
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
