"""Standings as rows, one per player in ranking order."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import override, pgettext_lazy

from league import messages
from league.core.board_lines import TWELFTHS
from league.core.numbers import decimal_text
from league.core.periods import Period
from league.core.spreadsheets.columns import CellKind
from league.exports.table import LANGUAGES, Cell, ExportColumn, ExportTable, points_cell
from league.models import League, Standing
from league.permissions import Person, hide_names
from league.selectors.boards import board_lines


def board_table(league: League, period: Period, reader: Person, languages: str) -> ExportTable:
    lines = board_lines(league, period)
    hide_names(reader, league, [line.player for line in lines])
    headings = tuple(ExportColumn(_titles(title, languages), kind) for title, kind, _ in COLUMNS)
    rows = [[cell(line) for _, _, cell in COLUMNS] for line in lines]
    return ExportTable(messages.period_title(period), headings, lambda: iter(rows))


def _titles(title: Promise, languages: str) -> tuple[str, ...]:
    titles = []
    for language in LANGUAGES[languages]:
        with override(language):
            titles.append(str(title))
    return tuple(titles)


def _average_placement(line: Standing) -> Cell:
    if not line.placed:
        return None
    return Decimal(decimal_text(Fraction(line.all_halves, 2 * line.placed), 4))


def _hanchan(line: Standing) -> Cell:
    return None if line.is_by_sums and not line.all_hanchan else line.all_hanchan


def _times(line: Standing, twelfths: int) -> Cell:
    """Return the number of finishes in a place, shared ones as fractions; None if only totals without them are known."""
    if line.is_by_sums and not line.placed:
        return None
    if twelfths % TWELFTHS == 0:
        return twelfths // TWELFTHS
    return Decimal(decimal_text(Fraction(twelfths, TWELFTHS), 2)).normalize()


COLUMNS: tuple[tuple[Promise, CellKind, Callable[[Standing], Cell]], ...] = (
    (pgettext_lazy("csv heading", "rank"), CellKind.WHOLE, lambda line: line.rank),
    (pgettext_lazy("csv heading", "previous rank"), CellKind.WHOLE, lambda line: line.previous_rank),
    (pgettext_lazy("csv heading", "player"), CellKind.TEXT, lambda line: messages.exact_name(line.player)),
    (pgettext_lazy("csv heading", "points"), CellKind.POINTS, lambda line: points_cell(line.total)),
    (pgettext_lazy("csv heading", "hanchan"), CellKind.WHOLE, _hanchan),
    (pgettext_lazy("csv heading", "average placement"), CellKind.POINTS, _average_placement),
    (pgettext_lazy("csv heading", "1st"), CellKind.WHOLE, lambda line: _times(line, line.first)),
    (pgettext_lazy("csv heading", "2nd"), CellKind.WHOLE, lambda line: _times(line, line.second)),
    (pgettext_lazy("csv heading", "3rd"), CellKind.WHOLE, lambda line: _times(line, line.third)),
    (pgettext_lazy("csv heading", "4th"), CellKind.WHOLE, lambda line: _times(line, line.fourth)),
    (
        pgettext_lazy("csv heading", "adjustments"),
        CellKind.POINTS,
        lambda line: points_cell(line.adjustment + line.total_only),
    ),
    (
        pgettext_lazy("csv heading", "settlement"),
        CellKind.POINTS,
        lambda line: points_cell(line.settlement + line.adjustment + line.total_only),
    ),
    (pgettext_lazy("csv heading", "chips"), CellKind.WHOLE, lambda line: line.chips),
    (pgettext_lazy("csv heading", "chombo"), CellKind.WHOLE, lambda line: line.chombo),
    (pgettext_lazy("csv heading", "best raw score"), CellKind.WHOLE, lambda line: line.raw_best),
    (pgettext_lazy("csv heading", "worst raw score"), CellKind.WHOLE, lambda line: line.raw_worst),
    (pgettext_lazy("csv heading", "hanchan known only as totals"), CellKind.WHOLE, lambda line: line.sums_hanchan),
)
