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


def seating_sheet(made: GeneratedSeating) -> bytes:
    """Return the tables as a file for spreadsheets: round, table, the players from East on."""
    whole = ((pgettext("csv heading", "round"),), (pgettext("csv heading", "table"),))
    names = ((str(wind),) for wind in WINDS[: made.schedule.table_size])
    headings = (
        *(ExportColumn(titles, CellKind.WHOLE) for titles in whole),
        *(ExportColumn(titles, CellKind.TEXT) for titles in names),
    )
    return b"".join(text_chunks(ExportTable("", headings, lambda: _tables(made)), CSV))


def _tables(made: GeneratedSeating) -> Iterator[list[Cell]]:
    for number, tables in enumerate(made.rounds, start=1):
        for table, names in enumerate(tables, start=1):
            yield [number, table, *names]


def seating_document(made: GeneratedSeating) -> dict[str, Any]:
    """Return the seating with everything that is needed to check and to repeat it; tables name players by number from 0."""
    return {
        "players": list(made.names),
        "table_size": made.schedule.table_size,
        "seed": made.schedule.seed,
        "method": made.schedule.method,
        "rounds": [[list(table) for table in tables] for tables in made.schedule.rounds],
        "byes": [list(players) for players in made.schedule.byes],
        "wishes": {
            "apart": [list(pair) for pair in made.wishes.apart],
            "together": [list(pair) for pair in made.wishes.together],
            "groups": [list(group) for group in made.wishes.groups],
            "history": [[list(table) for table in tables] for tables in made.wishes.history],
        },
        "certificate": made.certificate.as_json(),
    }
