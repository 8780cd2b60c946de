"""Parsing of dates in files, and detection of the order of day, month and year in a column."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

_ERAS = {"令和": 2018, "r": 2018, "平成": 1988, "h": 1988, "昭和": 1925, "s": 1925}
_WEEKDAY = re.compile(r"\(.{1,3}\)|[月火水木金土日]曜日?$|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?", re.IGNORECASE)
_CLOCK = re.compile(r"[t\s]+(?:午[前後]\s*)?\d{1,2}[:時].*$", re.IGNORECASE)
_TIME = re.compile(
    r"[t\s]+(?P<before>午[前後])?\s*(?P<hour>\d{1,2})[:時](?:(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?)?"
    r"[^\sap]*\s*(?P<after>[ap]\.?m\b\.?)?",
    re.IGNORECASE | re.ASCII,
)
_ISO = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII)
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})", re.ASCII)
_ERA = re.compile(r"(令和|平成|昭和|[rhs])(\d{1,2}|元)[-/.年](\d{1,2})[-/.月](\d{1,2})日?", re.ASCII | re.IGNORECASE)
_JAPANESE_DAY = re.compile(r"(\d{1,2})月(\d{1,2})日", re.ASCII)
_MONTH_DAY = re.compile(r"(\d{1,2})[-/.](\d{1,2})", re.ASCII)
_FOREIGN = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})", re.ASCII)
_SERIAL = re.compile(r"(\d{5})(?:\.\d+)?", re.ASCII)

DATE = re.compile(
    r"(?:(?:令和|平成|r|h)\s?\d{1,2}|\d{4})[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}月\d{1,2}日"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|(?<![\d.])\d{1,2}/\d{1,2}(?![\d.])",
    re.IGNORECASE | re.ASCII,
)
SESSION = re.compile(r"第\s*\d{1,4}\s*[節回](?!戦)")
"""A date and the number of a session within a text."""

EXCEL_EPOCH = date(1899, 12, 30)
SERIALS = range(20_000, 80_000)
"""Excel serial dates from 1954 to 2119; other numbers are not dates."""


CENTURY = 100

REMEMBERED = 40
"""Longest text whose parsed date is cached."""


class DateError(ValueError):
    """A date that cannot be read. `code`: "unreadable" or "ambiguous"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


class DateOrder(StrEnum):
    UNKNOWN = ""
    YEAR_FIRST = "year"
    MONTH_FIRST = "month"
    DAY_FIRST = "day"


@dataclass(frozen=True, slots=True)
class DateReading:
    """What is needed to complete a date that a file leaves partly open.

    `order`: of day, month and year in the column. `year`: for dates without one, 0 for the latest possible. `boundary`,
    `zone`: day boundary and time zone of the league, for times. `takes_stamps`: date games without a date by the
    timestamp of their form.
    """

    today: date
    order: DateOrder = DateOrder.UNKNOWN
    year: int = 0
    boundary: time = time()
    zone: str = "UTC"
    takes_stamps: bool = False
    stamps: DateOrder = DateOrder.UNKNOWN


def ambiguous(text: str) -> tuple[int, int, int] | None:
    """Return the three numbers of an ambiguous date such as 25-11-21, or None. A four-digit year comes last."""
    found = _FOREIGN.fullmatch(_plain(text))
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def in_order(parts: tuple[int, int, int], order: DateOrder, today: date) -> date | None:
    first, second, third = parts
    year, month, day = {
        DateOrder.YEAR_FIRST: (first, second, third),
        DateOrder.MONTH_FIRST: (third, first, second),
        DateOrder.DAY_FIRST: (third, second, first),
    }.get(order, (0, 0, 0))
    if year < CENTURY:
        # A two-digit year means the latest year that is not after next year.
        year = today.year + 1 - (today.year + 1 - year) % CENTURY
    try:
        return date(year, month, day)
    except ValueError:
        return None


def parse_date(text: str, calendar: DateReading) -> date:
    """Parse `2025/11/21`, `11月21日`, `令和7年11月21日`, `R7.11.21` or `45982`. Raise DateError."""
    # Most rows have the same date as the row above.
    return _parsed(text, calendar) if len(text) <= REMEMBERED else _read(text, calendar)


def _read(text: str, calendar: DateReading) -> date:
    plain = _plain(text)
    try:
        found = _named(plain, calendar) or _foreign(text, calendar)
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
    # February 29 needs a leap year, which may be up to eight years back.
    for year in range(calendar.today.year, calendar.today.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= calendar.today:
            return found
    raise ValueError(f"{month}/{day}")


def _foreign(text: str, calendar: DateReading) -> date | None:
    parts = ambiguous(text)
    if parts is None:
        return None
    if calendar.order is DateOrder.UNKNOWN:
        raise DateError("ambiguous", text)
    return in_order(parts, calendar.order, calendar.today)


# --- Dates with times ------------------------------------------------------------------------------------------------


def parse_stamp(text: str, calendar: DateReading) -> date:
    """Return the league day of a form's timestamp: before the day boundary, the previous day. Raise DateError."""
    if moment := _iso_moment(text):
        local = moment.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None)
        return (local - timedelta(hours=calendar.boundary.hour, minutes=calendar.boundary.minute)).date()
    clock = clock_of(text)
    day = parse_date(text, replace(calendar, order=calendar.stamps))
    is_of_evening_before = clock is not None and clock < calendar.boundary and day > date.min
    return day - timedelta(days=1) if is_of_evening_before else day


def clock_of(text: str) -> time | None:
    """Find the time in a text such as `2026/06/13 午後 11:30:05 GMT+9`; None without one."""
    found = _TIME.search(unicodedata.normalize("NFKC", text))
    if found is None:
        return None
    hour, half = int(found["hour"]), (found["before"] or found["after"] or "").casefold()
    if half in {"午後", "pm", "p.m."} and hour < 12:
        hour += 12
    elif half in {"午前", "am", "a.m."} and hour == 12:
        hour = 0
    try:
        return time(hour, int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError:
        return None


def parse_moment(text: str, calendar: DateReading | None = None) -> datetime:
    """Parse an ISO 8601 time with an offset or, with a `calendar`, a local date and time. Raise DateError."""
    if moment := _iso_moment(text):
        return moment
    clock = clock_of(text)
    if calendar is None or clock is None:
        raise DateError("unreadable", text)
    try:
        return datetime.combine(parse_date(text, calendar), clock, ZoneInfo(calendar.zone)).astimezone(UTC)
    except OverflowError as error:
        raise DateError("unreadable", text) from error


def _iso_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(unicodedata.normalize("NFKC", text).strip())
    except ValueError:
        return None
    # Times at the limits of datetime cannot be converted to other time zones.
    return moment if moment.tzinfo is not None and 1900 <= moment.year < 9999 else None


ORDERS = (DateOrder.YEAR_FIRST, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)

A_DAY = timedelta(days=1)
A_YEAR = 366
RECENT = 5
LONG_AGO = 50
"""Results are not expected to be older than this many years."""

SLIPS = 50
"""One date in this many may be a typing error without affecting the detected order."""

IN_ORDER = 3
"""Number of different consecutive days that prove an order."""

MONTHS_FIRST = ("America/", "US/", "Pacific/Honolulu", "Pacific/Guam")
"""Prefixes of time zones where the month is written first; only a hint."""

YEARS_FIRST = frozenset({"Asia/Tokyo", "Japan", "Asia/Seoul", "Asia/Shanghai", "Asia/Taipei", "Asia/Hong_Kong"})

Parts = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class OrderGuess:
    """The detected order of day, month and year, how many dates depend on it, and why.

    `reason`: "only" if other orders give invalid or future dates; "sequence" if only this order
    is chronological; "span" if the others spread over many years; "recent" if the others are years ago; "place" if only
    the league's time zone suggests it; "" if there is nothing to decide or no answer.
    """

    order: DateOrder = DateOrder.UNKNOWN
    reason: str = ""
    dates: int = 0

    @property
    def is_sure(self) -> bool:
        return self.reason in {"only", "sequence", "span"}


def guess_order(texts: Sequence[str], today: date, hint: DateOrder = DateOrder.UNKNOWN) -> OrderGuess:
    """Detect the order of the dates in a column, given in file order; `hint` decides if nothing else does."""
    written = list(dict.fromkeys(texts))
    parts = {text: found for text in written if (found := ambiguous(text))}
    if not parts:
        return OrderGuess()
    # Four-digit years are clearer; if a column has any, only those are considered.
    parts = {text: found for text, found in parts.items() if found[2] >= CENTURY} or parts
    fitting = [order for order in ORDERS if _unread(parts, order, today) <= len(parts) // SLIPS]
    # Prefer a few future dates, which may be typing errors, to dates that do not exist.
    fitting = [order for order in fitting if _unlikely(parts, order, today) <= len(parts) // SLIPS] or fitting
    if len(fitting) == 1:
        return OrderGuess(fitting[0], "only", len(parts))
    for reason, is_shown in (("sequence", _go_one_way), ("span", _spans_little)):
        shown = [order for order in fitting if is_shown(_days(parts, order, today))]
        if len(shown) == 1:
            return OrderGuess(shown[0], reason, len(parts))
    recent = [order for order in fitting if _are_recent(_days(parts, order, today), today)] or fitting
    if len(recent) == 1:
        return OrderGuess(recent[0], "recent", dates=len(parts))
    return OrderGuess(hint, "place", dates=len(parts)) if hint in recent else OrderGuess(dates=len(parts))


def _unread(parts: Mapping[str, Parts], order: DateOrder, today: date) -> int:
    return len(parts) - sum(day.year >= today.year - LONG_AGO for day in _days(parts, order, today))


def _unlikely(parts: Mapping[str, Parts], order: DateOrder, today: date) -> int:
    days = _days(parts, order, today)
    return len(parts) - sum(day <= today + A_DAY and day.year >= today.year - LONG_AGO for day in days)


def _days(parts: Mapping[str, Parts], order: DateOrder, today: date) -> list[date]:
    return [day for each in parts.values() if (day := in_order(each, order, today)) is not None]


def _go_one_way(days: Sequence[date]) -> bool:
    steps = Counter(later > earlier for earlier, later in pairwise(days) if later != earlier)
    return len(steps) == 1 and len(set(days)) >= IN_ORDER


def _spans_little(days: Sequence[date]) -> bool:
    return (max(days) - min(days)).days <= A_YEAR if len(set(days)) > 1 else False


def _are_recent(days: Sequence[date], today: date) -> bool:
    return min(days).year >= today.year - RECENT


def hint_of(zone: str) -> DateOrder:
    if zone in YEARS_FIRST:
        return DateOrder.YEAR_FIRST
    return DateOrder.MONTH_FIRST if zone.startswith(MONTHS_FIRST) else DateOrder.DAY_FIRST
