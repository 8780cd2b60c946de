"""Extra parts of the table page, registered by other apps, and the next table once the planned hanchan are entered."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse

from league.http.entry_context import EntryContext
from league.selectors.planning import TableState, table_states

TablePart = Callable[[EntryContext], object]

_parts: dict[str, TablePart] = {}


def register_table_part(template: str, told: TablePart) -> None:
    _parts[template] = told


def table_parts(context: EntryContext) -> list[tuple[str, object]]:
    found = ((template, told(context)) for template, told in _parts.items())
    return [(template, part) for template, part in found if part is not None]


@dataclass(frozen=True, slots=True)
class TableLeft:
    """A planned table whose result is missing, and the URL of its entry page."""

    number: int
    url: str


@dataclass(frozen=True, slots=True)
class WayOn:
    """Tables with missing results, in order, and the session's URL; () and "" if the user may not see them."""

    table: int
    tables: tuple[TableLeft, ...]
    session_url: str

    @property
    def next_table(self) -> TableLeft | None:
        """The next table after this one with a missing result, else the first such table; None if there is none."""
        after = (left for left in self.tables if left.number > self.table)
        return next(after, self.tables[0] if self.tables else None)


def next_table(context: EntryContext, number: int) -> TableLeft | None:
    """Return the next table without a result of round `number` or later; None for table links and for single tables. One query."""
    session = context.session
    if context.is_link or session.tables == 1:
        return None
    done = set(session.hanchan.valid().filter(round__gte=number).order_by().values_list("table", flat=True))
    left = [TableLeft(table, context.table_url(table)) for table in range(1, session.tables + 1) if table not in done]
    return WayOn(context.table, tuple(left), "").next_table


def way_on(context: EntryContext, states: dict[int, TableState] | None = None) -> WayOn | None:
    """Return where to go after the last hanchan of a table, or None if it is not finished.

    Two queries unless `states` are passed.
    """
    states = table_states(context.session) if states is None else states
    here = states.get(context.table)
    if here is None or not here.is_played_out:
        return None
    left = () if context.is_link else (table for table, state in states.items() if not state.is_done)
    address = reverse("league:session", args=[context.league.slug, context.session.pk])
    return WayOn(
        context.table,
        tuple(TableLeft(table, context.table_url(table)) for table in left),
        address if context.shows_league else "",
    )
