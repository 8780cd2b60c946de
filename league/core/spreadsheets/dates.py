"""Dates as spreadsheets and people write them, and in which order those of a file stand, found out from all of them."""

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

EXCEL_EPOCH = date(1899, 12, 30)
SERIALS = range(20_000, 80_000)
"""Excel's day numbers from 1954 to 2119. Other numbers are not dates."""


CENTURY = 100

REMEMBERED = 40
"""Texts up to this length are remembered with the day they mean."""


class DateError(ValueError):
    """`code`: "unreadable" or "ambiguous"."""

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
    """What completes a date: the order of its column, the year it leaves out (0: the latest), and today.

    `boundary` and `zone` say to which day a clock belongs, and when it showed that. `takes_stamps`: a game without a date
    was played on the day that its form was filled in.
    """

    today: date
    order: DateOrder = DateOrder.UNKNOWN
    year: int = 0
    boundary: time = time()
    zone: str = "UTC"
    takes_stamps: bool = False
    stamps: DateOrder = DateOrder.UNKNOWN


def ambiguous(text: str) -> tuple[int, int, int] | None:
    """Return the three numbers of an ambiguous date such as 25-11-21, else None. A four-digit year is last."""
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
        # Two digits are the latest year that is not beyond the next.
        year = today.year + 1 - (today.year + 1 - year) % CENTURY
    try:
        return date(year, month, day)
    except ValueError:
        return None


def parse_date(text: str, calendar: DateReading) -> date:
    """Return the day of `2025/11/21`, `11月21日`, `令和7年11月21日`, `R7.11.21`, `45982`. Raises DateError."""
    # Nearly every row of a file has the date of the row above it.
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
    # The 29th of February wants a leap year, which may lie a few years back.
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


# --- Days with a clock -----------------------------------------------------------------------------------------------


def parse_stamp(text: str, calendar: DateReading) -> date:
    """Return the day of a form's time stamp: before the boundary of the day it is the one before. Raises DateError."""
    if moment := _iso_moment(text):
        local = moment.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None)
        return (local - timedelta(hours=calendar.boundary.hour, minutes=calendar.boundary.minute)).date()
    clock = clock_of(text)
    day = parse_date(text, replace(calendar, order=calendar.stamps))
    is_of_evening_before = clock is not None and clock < calendar.boundary and day > date.min
    return day - timedelta(days=1) if is_of_evening_before else day


def clock_of(text: str) -> time | None:
    """Return the time in a text such as `2026/06/13 午後 11:30:05 GMT+9`, or None."""
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
    """Return the moment that an ISO 8601 text with an offset means, or with a `calendar` a day and a clock there.

    Raises DateError.
    """
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
    # A moment at the edge of the calendar has no counterpart in other time zones.
    return moment if moment.tzinfo is not None and 1900 <= moment.year < 9999 else None


ORDERS = (DateOrder.YEAR_FIRST, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)

A_DAY = timedelta(days=1)
A_YEAR = 366
RECENT = 5
LONG_AGO = 50
"""Earliest plausible year of results."""

SLIPS = 50
"""One date in this many may be mistyped without hiding the order."""

IN_ORDER = 3
"""Different consecutive days that prove an order."""

MONTHS_FIRST = ("America/", "US/", "Pacific/Honolulu", "Pacific/Guam")
"""Time zones of countries that write the month first; only a hint."""

YEARS_FIRST = frozenset({"Asia/Tokyo", "Japan", "Asia/Seoul", "Asia/Shanghai", "Asia/Taipei", "Asia/Hong_Kong"})

Parts = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class OrderGuess:
    """The order of day, month and year, the number of dates that need it, and the reason.

    `reason`: "only" if other orders have invalid or future dates (as `shown_by`); "sequence" if others are not
    chronological; "span" if others spread over many years; "recent" if others are years ago; "place" for the league's
    time zone only; "" if not needed or impossible.
    """

    order: DateOrder = DateOrder.UNKNOWN
    reason: str = ""
    shown_by: str = ""
    dates: int = 0

    @property
    def is_sure(self) -> bool:
        return self.reason in {"only", "sequence", "span"}


def guess_order(texts: Sequence[str], today: date, hint: DateOrder = DateOrder.UNKNOWN) -> OrderGuess:
    """Return the order of the dates of a column, given as they follow each other in the file; `hint` decides last."""
    written = list(dict.fromkeys(texts))
    parts = {text: found for text in written if (found := ambiguous(text))}
    if not parts:
        return OrderGuess()
    # Years of four digits say more than others; a column that has both follows them.
    parts = {text: found for text, found in parts.items() if found[2] >= CENTURY} or parts
    fitting = [order for order in ORDERS if _unread(parts, order, today) <= len(parts) // SLIPS]
    # A date that has not come is a slip of the pen sooner than one that the calendar does not have.
    fitting = [order for order in fitting if _unlikely(parts, order, today) <= len(parts) // SLIPS] or fitting
    if len(fitting) == 1:
        return OrderGuess(fitting[0], "only", _proof(parts, fitting[0], today), len(parts))
    for reason, is_shown in (("sequence", _go_one_way), ("span", _spans_little)):
        shown = [order for order in fitting if is_shown(_days(parts, order, today))]
        if len(shown) == 1:
            return OrderGuess(shown[0], reason, dates=len(parts))
    recent = [order for order in fitting if _are_recent(_days(parts, order, today), today)] or fitting
    if len(recent) == 1:
        return OrderGuess(recent[0], "recent", dates=len(parts))
    return OrderGuess(hint, "place", dates=len(parts)) if hint in recent else OrderGuess(dates=len(parts))


def _unread(parts: Mapping[str, Parts], order: DateOrder, today: date) -> int:
    return len(parts) - sum(day.year >= today.year - LONG_AGO for day in _days(parts, order, today))


def _unlikely(parts: Mapping[str, Parts], order: DateOrder, today: date) -> int:
    days = _days(parts, order, today)
    return len(parts) - sum(day <= today + A_DAY and day.year >= today.year - LONG_AGO for day in days)


def _proof(parts: Mapping[str, Parts], order: DateOrder, today: date) -> str:
    """Return the date that is a day in this order and in the fewest others."""
    others = [other for other in ORDERS if other is not order]
    good = [text for text, each in parts.items() if in_order(each, order, today)]
    return max(good, key=lambda text: sum(_unlikely({text: parts[text]}, other, today) for other in others))


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
