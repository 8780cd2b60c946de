"""Extra parts of the table page, registered by other apps, and the next table once the planned hanchan are entered."""

from collections.abc import Callable, Sequence
from typing import Any

from django.urls import reverse

from league.http.entry_context import EntryContext
from league.selectors.planning import TableState, table_states

TablePart = Callable[[EntryContext], object]

further_parts: dict[str, TablePart] = {}
"""Functions that return a part's context, or None for none, by template. Other apps add theirs when loaded."""


def table_parts(context: EntryContext) -> list[tuple[str, object]]:
    found = ((template, told(context)) for template, told in further_parts.items())
    return [(template, part) for template, part in found if part is not None]


TableLeft = tuple[int, str]
"""A planned table whose result is missing, and the URL of its entry page."""


def following(left: Sequence[TableLeft], table: int) -> TableLeft | None:
    """Return the next table after this one with a missing result, else the first such table; None if there is none."""
    return next((each for each in left if each[0] > table), left[0] if left else None)


def next_table(context: EntryContext, number: int) -> TableLeft | None:
    """Return the next table without a result of round `number` or later; None for table links and for single tables. One query."""
    session = context.session
    if context.is_link or session.tables == 1:
        return None
    done = set(session.hanchan.valid().filter(round__gte=number).order_by().values_list("table", flat=True))
    left = [(table, context.table_url(table)) for table in range(1, session.tables + 1) if table not in done]
    return following(left, context.table)


def way_on(context: EntryContext, states: dict[int, TableState] | None = None) -> dict[str, Any] | None:
    """Return where to go after the last hanchan of a table, or None if it is not finished.

    `tables`: those with missing results; `session_url`: of the session; both empty if the user may not see them. Two
    queries unless `states` are passed.
    """
    states = table_states(context.session) if states is None else states
    here = states.get(context.table)
    if here is None or not here.is_played_out:
        return None
    left = () if context.is_link else (table for table, state in states.items() if not state.is_done)
    address = reverse("league:session", args=[context.league.slug, context.session.pk])
    return {
        "tables": [(table, context.table_url(table)) for table in left],
        "session_url": address if context.shows_league else "",
    }
