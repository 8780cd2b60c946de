"""What apps above show on the page of a table: each registers a template with a function that says what it shows."""

from collections.abc import Callable

from league.http.entry_context import EntryContext

TablePart = Callable[[EntryContext], object]

_parts: dict[str, TablePart] = {}


def register_table_part(template: str, told: TablePart) -> None:
    _parts[template] = told


def table_parts(context: EntryContext) -> list[tuple[str, object]]:
    found = ((template, told(context)) for template, told in _parts.items())
    return [(template, part) for template, part in found if part is not None]
