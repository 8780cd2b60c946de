"""The score table of a session as rows: one per round, a column per player, totals at the bottom."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, pgettext

from league import messages
from league.core.spreadsheets.cells import escaped
from league.core.spreadsheets.columns import CellKind
from league.exports.table import Cell, ExportColumn, ExportTable, Row, points_cell
from league.models import Player, Session
from league.permissions import Person, hide_names
from league.selectors.sessions import session_points_total
from league.selectors.sheets import Sheet, sheet_of


@dataclass(frozen=True, slots=True)
class _Sums:
    """A player's total in the session, and the part of it without hanchan; in 1/1000 pt."""

    player: Player
    besides: int
    total: int


def sheet_table(session: Session, reader: Person) -> ExportTable:
    """Return a session's points as on its page, in the reader's language.

    Includes only what counts, so that columns add up. Players with points but without hanchan come last. One query more
    than the score table.
    """
    sheet = sheet_of(session, session.league.ledger)
    sums = _sums(session, sheet)
    hide_names(reader, session.league, [each.player for each in sums])
    names = [ExportColumn((escaped(messages.exact_name(each.player)),), CellKind.POINTS) for each in sums]
    rows = _rows(sheet, sums)
    first = ExportColumn((pgettext("csv heading", "round"),), CellKind.TEXT)
    return ExportTable(str(session), (first, *names), lambda: iter(rows))


def _sums(session: Session, sheet: Sheet) -> list[_Sums]:
    played = [_Sums(each.player, each.total - each.subtotal, each.total) for each in sheet.columns]
    known = {each.player.pk for each in played}
    points = session_points_total(session)
    others = [row for row in (points.rows if points else ()) if not row.withdrawn and row.player_id not in known]
    return [*played, *(_Sums(row.player, row.points, row.points) for row in others)]


def _rows(sheet: Sheet, sums: Sequence[_Sums]) -> list[Row]:
    missing: list[Cell] = [None] * (len(sums) - len(sheet.columns))
    points = ([points_cell(cell.points) if cell and cell.counts else None for cell in row.cells] for row in sheet.rows)
    rows: list[Row] = [[row.round, *cells, *missing] for row, cells in zip(sheet.rows, points, strict=True)]
    if any(each.besides for each in sums):
        rows.append([gettext("without hanchan"), *(points_cell(each.besides) for each in sums)])
    return [*rows, [pgettext("csv heading", "total"), *(points_cell(each.total) for each in sums)]]
