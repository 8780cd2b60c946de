"""A leaderboard as a file for spreadsheets: UTF-8 with a byte order mark, CRLF, plain numbers, harmless text."""

import csv
from collections.abc import Sequence
from fractions import Fraction
from io import StringIO

from django.utils.translation import pgettext

from league.core.statistics import TWELFTHS, decimal_text
from league.models import Standing
from league.wording import plain_name
from scoring.core import format_points

MARK = "\ufeff"
"""Tells Excel that the file is UTF-8."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def board_sheet(lines: Sequence[Standing]) -> str:
    """Return the text of the file: one heading line, one line per player in the order of the board."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(_headings())
    writer.writerows(_cells(line) for line in lines)
    return MARK + written.getvalue()


def _headings() -> list[str]:
    return [
        pgettext("csv heading", "rank"),
        pgettext("csv heading", "previous rank"),
        pgettext("csv heading", "player"),
        pgettext("csv heading", "points"),
        pgettext("csv heading", "hanchan"),
        pgettext("csv heading", "average placement"),
        pgettext("csv heading", "1st"),
        pgettext("csv heading", "2nd"),
        pgettext("csv heading", "3rd"),
        pgettext("csv heading", "4th"),
        pgettext("csv heading", "adjustments"),
        pgettext("csv heading", "settlement"),
        pgettext("csv heading", "chips"),
        pgettext("csv heading", "chombo"),
        pgettext("csv heading", "best raw score"),
        pgettext("csv heading", "worst raw score"),
    ]


def _cells(line: Standing) -> list[object]:
    places = (line.first, line.second, line.third, line.fourth)
    return [
        _or_empty(line.rank),
        _or_empty(line.previous_rank),
        harmless(plain_name(line.player)),
        format_points(line.total),
        line.hanchan,
        decimal_text(Fraction(line.placement_halves, 2 * line.hanchan), 4) if line.hanchan else "",
        *(_count(place) for place in places),
        format_points(line.adjustment + line.total_only),
        format_points(line.settlement),
        line.chips,
        line.chombo,
        _or_empty(line.raw_best),
        _or_empty(line.raw_worst),
    ]


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _or_empty(value: int | None) -> int | str:
    return "" if value is None else value


def _count(twelfths: int) -> str:
    return decimal_text(Fraction(twelfths, TWELFTHS), 2).rstrip("0").rstrip(".")
