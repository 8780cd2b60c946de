"""A seating as a file: one line per table for spreadsheets, or everything with its certificate as JSON."""

import csv
from io import StringIO
from typing import Any

from django.utils.translation import pgettext

from league.tables.sheet import MARK, harmless
from league.wording.seats import WINDS
from tournaments.selectors.made import Made


def seating_sheet(made: Made) -> str:
    """Return the tables as text for spreadsheets: round, table, the players from East on."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    heads = [pgettext("csv heading", "round"), pgettext("csv heading", "table")]
    writer.writerow([*heads, *map(str, WINDS[: made.schedule.table_size])])
    for number, tables in enumerate(made.rounds, start=1):
        for table, names in enumerate(tables, start=1):
            writer.writerow([number, table, *map(harmless, names)])
    return MARK + written.getvalue()


def seating_document(made: Made) -> dict[str, Any]:
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
