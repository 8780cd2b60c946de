"""Cells that hold more than a number or a name, written and read back without loss.

Text that a spreadsheet would take for a formula gets an apostrophe in front. Lists are joined with "|"; a "|" or a
backslash of their own gets a backslash in front, an empty entry is a backslash and a zero.
"""

import re
from collections.abc import Iterable

from league.core.imports.columns import SEATS
from scoring.core import Bust, format_points

_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@＝＋－＠\t\r]")
_ENTRY = re.compile(r"(?:[^\\|]|\\.)*", re.DOTALL)
_CODE = re.compile(r"\\(.)", re.DOTALL)


class CellError(ValueError):
    """A cell that cannot be read; `text` is what stands there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def escaped(text: str) -> str:
    """Return a text cell that no spreadsheet takes for a formula. Numbers are not passed through here."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(text: str) -> str:
    """Return the text that was escaped; any other text comes back unchanged."""
    return text[1:] if _ESCAPED.match(text) else text


def write_list(entries: Iterable[str]) -> str:
    """Return several texts as one cell; no entries are an empty cell."""
    return "|".join(_coded(entry) for entry in entries)


def _coded(entry: str) -> str:
    return entry.replace("\\", "\\\\").replace("|", "\\|") or "\\0"


def read_list(text: str) -> tuple[str, ...]:
    """Return the texts that a cell joins."""
    entries, at = [], 0
    while at < len(text):
        found = _ENTRY.match(text, at)
        entry = found[0] if found else ""
        entries.append("" if entry == "\\0" else _CODE.sub(r"\1", entry))
        at += len(entry) + 1
    return tuple(entry.strip() for entry in entries)


def write_bust(bust: Bust | None) -> str:
    """Return the cell that says how a seat went bust: `win:E`, `draw:E+W`, `other/E=5+W=5`; empty for None."""
    if bust is None:
        return ""
    seats = "+".join(SEATS[seat] for seat in bust.winners or bust.tenpai)
    shares = "+".join(f"{SEATS[seat]}={format_points(amount)}" for seat, amount in bust.shares)
    return bust.by + (seats and f":{seats}") + (shares and f"/{shares}")
