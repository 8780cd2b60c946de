"""Dates as spreadsheets and people write them."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

_ERAS = {"令和": 2018, "r": 2018, "平成": 1988, "h": 1988, "昭和": 1925, "s": 1925}
_WEEKDAY = re.compile(r"\(.{1,3}\)|[月火水木金土日]曜日?$|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?", re.IGNORECASE)
_CLOCK = re.compile(r"[t\s]+\d{1,2}[:時].*$", re.IGNORECASE)
_ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII)
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})", re.ASCII)
_ERA = re.compile(r"(令和|平成|昭和|[rhs])(\d{1,2}|元)[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII | re.IGNORECASE)
_JAPANESE_DAY = re.compile(r"(\d{1,2})月(\d{1,2})日", re.ASCII)
_MONTH_DAY = re.compile(r"(\d{1,2})[-/.](\d{1,2})", re.ASCII)
_FOREIGN = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})", re.ASCII)
_SERIAL = re.compile(r"(\d{5})(?:\.\d+)?", re.ASCII)

EXCEL_EPOCH = date(1899, 12, 30)
SERIALS = range(20_000, 80_000)
"""Days that Excel counts: 1954 to 2119. Other numbers are no dates."""


REMEMBERED = 40
"""Texts up to this length are remembered with the day they mean."""


class DateError(ValueError):
    """A text that is no date. `code` is "unreadable" or "ambiguous"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


class DateOrder(StrEnum):
    """In which order dates such as 11/21/2025 stand."""

    UNKNOWN = ""
    MONTH_FIRST = "month"
    DAY_FIRST = "day"


@dataclass(frozen=True, slots=True)
class DateReading:
    """What completes a date: the order its column shows, the year it leaves out (0: the latest), and today."""

    today: date
    order: DateOrder = DateOrder.UNKNOWN
    year: int = 0


def order_shown(texts: Iterable[str]) -> DateOrder:
    """Return the order that some date of a column gives away, such as 11/21/2025; unknown if none does."""
    found = {_order_of(text) for text in texts} - {DateOrder.UNKNOWN}
    return found.pop() if len(found) == 1 else DateOrder.UNKNOWN


def _order_of(text: str) -> DateOrder:
    match = _FOREIGN.fullmatch(_plain(text))
    if match is None or len(match[3]) < 4:
        return DateOrder.UNKNOWN
    first, second = int(match[1]), int(match[2])
    if first <= 12 < second:
        return DateOrder.MONTH_FIRST
    return DateOrder.DAY_FIRST if second <= 12 < first else DateOrder.UNKNOWN


def parse_date(text: str, calendar: DateReading) -> date:
    """Return the day of `2025/11/21`, `11月21日`, `令和7年11月21日`, `R7.11.21`, `45982`. Raises DateError."""
    # Nearly every row of a file has the date of the row above it.
    return _parsed(text, calendar) if len(text) <= REMEMBERED else _read(text, calendar)


def _read(text: str, calendar: DateReading) -> date:
    plain = _plain(text)
    try:
        found = _named(plain, calendar) or _foreign(plain, text, calendar.order)
    except (ValueError, OverflowError) as error:
        if isinstance(error, DateError):
            raise
        raise DateError("unreadable", text) from error
    if found is None:
        raise DateError("unreadable", text)
    return found


_parsed = lru_cache(maxsize=1024)(_read)


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).strip()
    without_clock = _CLOCK.sub("", normal)
    return re.sub(r"\s+", "", _WEEKDAY.sub("", without_clock))


def _named(plain: str, calendar: DateReading) -> date | None:
    """Return a date that can mean one day only."""
    if match := _ISO.fullmatch(plain) or _COMPACT.fullmatch(plain):
        return date(int(match[1]), int(match[2]), int(match[3]))
    if match := _ERA.fullmatch(plain):
        year = _ERAS[match[1].casefold()] + (1 if match[2] == "元" else int(match[2]))
        return date(year, int(match[3]), int(match[4]))
    if match := _JAPANESE_DAY.fullmatch(plain) or _MONTH_DAY.fullmatch(plain):
        return _completed(int(match[1]), int(match[2]), calendar)
    if (match := _SERIAL.fullmatch(plain)) and int(match[1]) in SERIALS:
        return EXCEL_EPOCH + timedelta(days=int(match[1]))
    return None


def _completed(month: int, day: int, calendar: DateReading) -> date:
    if calendar.year:
        return date(calendar.year, month, day)
    # The 29th of February wants a leap year, which may lie a few years back.
    for year in range(calendar.today.year, calendar.today.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= calendar.today:
            return found
    raise ValueError(f"{month}/{day}")


def _foreign(plain: str, text: str, order: DateOrder) -> date | None:
    match = _FOREIGN.fullmatch(plain)
    if match is None:
        return None
    if order is DateOrder.UNKNOWN or len(match[3]) < 4:
        raise DateError("ambiguous", text)
    first, second = int(match[1]), int(match[2])
    month, day = (first, second) if order is DateOrder.MONTH_FIRST else (second, first)
    return date(int(match[3]), month, day)


def parse_moment(text: str) -> datetime:
    """Return the moment that an ISO 8601 text with an offset means. Raises DateError."""
    try:
        moment = datetime.fromisoformat(unicodedata.normalize("NFKC", text).strip())
        # A moment at the edge of the calendar has no counterpart in other time zones.
        if moment.tzinfo is not None and 1900 <= moment.year < 9999:
            return moment
    except ValueError as error:
        raise DateError("unreadable", text) from error
    raise DateError("unreadable", text)
