"""Columns of result files, from columns.toml, and layouts.

Numbers are plain (`-12.3`), raw scores are in points (`31700`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.core.reading import shipped_table


class RowShape(StrEnum):
    LONG = "long"
    WIDE = "wide"


class CellKind(StrEnum):
    TEXT = "text"
    DATE = "date"
    WHOLE = "whole"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column; its key is also the English header without an `en`.

    `per_seat`: about one player's result. `exact`: only in exports of everything. `foreign`: only in files of other
    programs. `aliases`: other headers. `seldom`: only written if some cell needs it. `unread`: imports ignore it.
    """

    key: str
    ja: str
    kind: CellKind = CellKind.TEXT
    per_seat: bool = False
    exact: bool = False
    foreign: bool = False
    aliases: tuple[str, ...] = ()
    seldom: bool = False
    en: str = ""

    @property
    def unread(self) -> bool:
        return self.seldom or (self.exact and self.key not in {"key", "state", "number", "yakuman"})

    def header(self, language: str, number: int | None = None) -> str:
        """Return the header in "ja" or "en", with a seat number (1 to 4) in wide files."""
        name = self.ja if language == "ja" else self.en or self.key
        return name if number is None else f"{name}{number}"


def _column(
    key: str, ja: str, kind: str = "text", aliases: Sequence[str] = (), en: str = "", **marks: bool
) -> FileColumn:
    return FileColumn(key, ja, CellKind(kind), aliases=tuple(aliases), en=en, **marks)


COLUMNS = tuple(_column(**each) for each in shipped_table(__package__, "columns.toml")["column"])

BY_KEY: Mapping[str, FileColumn] = {column.key: column for column in COLUMNS}

_USUAL = tuple(column for column in COLUMNS if not column.foreign and not column.seldom)
"""The columns of exported files."""

READ = tuple(column for column in COLUMNS if not column.unread)
"""The columns that imports read."""

PER_GAME = tuple(column.key for column in READ if not column.per_seat)
PER_SEAT = tuple(column.key for column in READ if column.per_seat)

SEATS = ("E", "S", "W", "N")
SEATS_JA = ("東", "南", "西", "北")

Words = Mapping[str, str]
"""The Japanese words for stored codes in exported files."""

END: Words = {
    "": "通常",
    "bust": "トビ",
    "agari_yame": "アガリやめ",
    "tenpai_yame": "テンパイやめ",
    "cold": "コールド",
    "extension": "延長",
    "riichi_bust": "リーチトビ",
    "chombo": "チョンボ",
    "time": "時間切れ",
}
STATE: Words = {"recorded": "登録済み", "confirmed": "確定", "disputed": "異議", "voided": "取り消し"}
GIVEN: Words = {"raw": "素点", "worked_out": "ポイントから算出した素点", "points": "ポイントのみ"}
GIVEN_EN: Words = {"raw": "raw scores", "worked_out": "raw scores derived from points", "points": "points only"}
SESSION_STATE: Words = {"open": "受付中", "closed": "終了", "withdrawn": "取り下げ"}
VISIBILITY: Words = {"public": "公開", "members": "会員のみ", "nobody": "非公開"}


def long_columns(*, exact: bool) -> tuple[tuple[FileColumn, int | None], ...]:
    return tuple((column, None) for column in _USUAL if exact or not column.exact)


def wide_columns(players: int, *, exact: bool) -> tuple[tuple[FileColumn, int | None], ...]:
    """Return the columns of a wide file with their seat numbers from 1.

    The game comes first, then each seat, then notes and the rest.
    """
    chosen = [column for column in _USUAL if (exact or not column.exact) and column.key != "seat"]
    first = [column for column in chosen if column.key in {"date", "session", "table", "game"}]
    rest = [column for column in chosen if not column.per_seat and column not in first]
    seats = [(column, seat) for seat in range(1, players + 1) for column in chosen if column.per_seat]
    return (*((column, None) for column in first), *seats, *((column, None) for column in rest))
