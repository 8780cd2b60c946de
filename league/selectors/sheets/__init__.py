"""A session's score table of rounds and players."""

from league.selectors.sheets.session import sheet_of
from league.selectors.sheets.table import Sheet, SheetCell, SheetColumn, SheetRow, SumOfRow, SumVerdict

__all__ = ["Sheet", "SheetCell", "SheetColumn", "SheetRow", "SumOfRow", "SumVerdict", "sheet_of"]
