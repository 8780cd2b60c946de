"""A seating as a file: one line per table for spreadsheets, or everything with its certificate as JSON."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import pgettext

from league.core.spreadsheets.columns import CellKind
from league.exports.formats import CSV
from league.exports.table import Cell, ExportColumn, ExportTable
from league.exports.text import text_chunks
from league.messages.seats import WINDS
from tournaments.selectors.generated_seating import GeneratedSeating


def seating_sheet(generated_seating: GeneratedSeating) -> bytes:
    """Return the tables as a file for spreadsheets: round, table, the players from East on."""
    numbers = ((pgettext("csv heading", "round"),), (pgettext("csv heading", "table"),))
    names = ((str(wind),) for wind in WINDS[: generated_seating.schedule.table_size])
    headings = (
        *(ExportColumn(titles, CellKind.WHOLE) for titles in numbers),
        *(ExportColumn(titles, CellKind.TEXT) for titles in names),
    )
    return b"".join(text_chunks(ExportTable("", headings, lambda: _tables(generated_seating)), CSV))


def _tables(generated_seating: GeneratedSeating) -> Iterator[list[Cell]]:
    for number, tables in enumerate(generated_seating.rounds, start=1):
        for table, names in enumerate(tables, start=1):
            yield [number, table, *names]


def seating_document(generated_seating: GeneratedSeating) -> dict[str, Any]:
    """Return the seating with everything that is needed to check and to repeat it; tables name players by number from 0."""
    return {
        "players": list(generated_seating.names),
        "table_size": generated_seating.schedule.table_size,
        "seed": generated_seating.schedule.seed,
        "method": generated_seating.schedule.method,
        "rounds": [[list(table) for table in tables] for tables in generated_seating.schedule.rounds],
        "byes": [list(players) for players in generated_seating.schedule.byes],
        "wishes": {
            "apart": [list(pair) for pair in generated_seating.wishes.apart],
            "together": [list(pair) for pair in generated_seating.wishes.together],
            "groups": [list(group) for group in generated_seating.wishes.groups],
            "history": [[list(table) for table in tables] for tables in generated_seating.wishes.history],
        },
        "certificate": generated_seating.certificate.as_json(),
    }
