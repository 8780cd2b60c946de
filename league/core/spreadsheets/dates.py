"""Parsing of dates in files, and detection of the order of day, month and year in a column."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo

_ERAS = {"令和": 2018, "r": 2018, "平成": 1988, "h": 1988, "昭和": 1925, "s": 1925}
_WEEKDAY = re.compile(r"\(.{1,3}\)|[月火水木金土日]曜日?$|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?", re.IGNORECASE)
_CLOCK = re.compile(r"[t\s]+(?:午[前後]\s*)?\d{1,2}[:時].*$", re.IGNORECASE)
_TIME = re.compile(
    r"[t\s]+(?P<before>午[前後])?\s*(?P<hour>\d{1,2})[:時](?:(?P<minute>\d{1,2})(?::(?P<second>\d{1,2}))?)?"
    r"[^\sap]*\s*(?P<after>[ap]\.?m\b\.?)?",
    re.IGNORECASE | re.ASCII,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_ERA = r"(?P<era>令和|平成|昭和|[rhs])(?P<of_era>\d{1,2}|元)"
_DAY, _BESIDE = r"(?P<day>\d{1,2})", r"(?:st|nd|rd|th)?[-/.,]*"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"(?:(?:(?P<year>\d{{4}})|{_ERA})[-/.年])?(?P<month>\d{{1,2}})[-/.月]{_DAY}日?",
        r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})",
        rf"{_DAY}{_BESIDE}{_MONTH}[-/.,]*(?P<year>\d{{4}}|\d{{2}})?",
        rf"{_MONTH}[-/.,]*{_DAY}{_BESIDE}(?P<year>\d{{4}})?",
        r"(?P<serial>\d{5})(?:\.\d+)?",
    )
)
"""Dates whose order is known."""

_SHORT = re.compile(r"(\d{1,2})[-/.](\d{1,2})\.?", re.ASCII)
_FOREIGN = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})", re.ASCII)

_WORD = _MONTH.replace("?P<name>", "?:")
DATE = re.compile(
    r"(?:(?:令和|平成|r|h)\s?\d{1,2}|\d{4})[-/.年]\d{1,2}[-/.月]\d{1,2}日?|\d{1,2}月\d{1,2}日"
    r"|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|(?<![\d.])\d{1,2}/\d{1,2}(?![\d.])"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?[- ]{_WORD}\b\.?(?:[-, ]+(?:\d{{4}}|\d{{2}})\b)?"
    rf"|\b{_WORD}\b\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?",
    re.IGNORECASE | re.ASCII,
)
SESSION = re.compile(r"第\s*\d{1,4}\s*[節回](?!戦)")
"""A date and the number of a session within a text."""

_CLOCK_BEHIND = re.compile(r"\s*\d{1,2}:\d{2}(?::\d{2})?", re.ASCII)


def days_in(text: str) -> dict[str, str]:
    """Return the date, with a time right behind it, and the session in a text such as 2026/5/1 第3節, by column."""
    plain = unicodedata.normalize("NFKC", text)
    day, session = DATE.search(plain), SESSION.search(plain)
    clock = _CLOCK_BEHIND.match(plain, day.end()) if day else None
    found = {"date": day[0] + (clock[0] if clock else "") if day else "", "session": session[0] if session else ""}
    return {key: text for key, text in found.items() if text}


def day_alone(text: str) -> str:
    """Return the text if it is nothing but a date or the number of a session."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return text if DATE.fullmatch(re.sub(r"\s*\(.\)$", "", plain)) or SESSION.fullmatch(plain) else ""


EXCEL_EPOCH = date(1899, 12, 30)
SERIALS = range(20_000, 80_000)
"""Excel serial dates from 1954 to 2119; other numbers are not dates."""


CENTURY = 100

MAX_LENGTH = 60
"""Longest text that is parsed as a date."""


class DateError(ValueError):
    """A date that cannot be read. `code`: "unreadable" or "ambiguous"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class DateOrder(StrEnum):
    UNKNOWN = ""
    YEAR_FIRST = "year"
    MONTH_FIRST = "month"
    DAY_FIRST = "day"


@dataclass(frozen=True, slots=True)
class DateReading:
    """What is needed to complete a date that a file leaves partly open.

    `order`: of day, month and year in the column. `year`: for dates without one, 0 for the latest that puts them not
    after `latest`, None for today. `boundary`, `zone`: day boundary and time zone of the league, for times.
    `takes_stamps`: date games without a date by the timestamp of their form.
    """

    today: date
    order: DateOrder = DateOrder.UNKNOWN
    year: int = 0
    latest: date | None = None
    boundary: time = time()
    zone: str = "UTC"
    takes_stamps: bool = False


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
    """Parse `2025/11/21`, `11月21日`, `令和7年11月21日`, `R7.11.21`, `21 Nov 2025` or `45982`. Raise DateError."""
    found = None
    with suppress(ValueError, OverflowError):
        found = _parsed(text, calendar) if len(text) <= MAX_LENGTH else None
    if found is None:
        is_open = len(text) <= MAX_LENGTH and calendar.order is DateOrder.UNKNOWN and ambiguous(text) is not None
        raise DateError("ambiguous" if is_open else "unreadable", text)
    return found


@lru_cache(maxsize=1024)
def _parsed(text: str, calendar: DateReading) -> date | None:
    # Most rows have the same date as the row above.
    plain = _plain(text)
    if calendar.order is DateOrder.DAY_FIRST and (short := _SHORT.fullmatch(plain)):
        return _named({"day": short[1], "month": short[2]}, calendar)
    if parts := next((found.groupdict() for form in _FORMS if (found := form.fullmatch(plain))), None):
        return _named(parts, calendar)
    foreign = ambiguous(text)
    return in_order(foreign, calendar.order, calendar.today) if foreign else None


def _plain(text: str) -> str:
    without_clock = _CLOCK.sub("", unicodedata.normalize("NFKC", text).strip())
    return re.sub(r"\s+", "", _WEEKDAY.sub("", without_clock))


def _named(parts: Mapping[str, str | None], calendar: DateReading) -> date | None:
    get = parts.get
    if serial := get("serial"):
        return EXCEL_EPOCH + timedelta(days=int(serial)) if int(serial) in SERIALS else None
    name, said, era = get("name"), get("year") or "", get("era")
    month, day = _MONTHS.index(name[:3].casefold()) + 1 if name else int(get("month") or 0), int(get("day") or 0)
    year = int(said or 0) + (2000 if len(said) == 2 else 0)
    if era:
        year = _ERAS[era.casefold()] + int((get("of_era") or "").replace("元", "1"))
    year = year or calendar.year
    return date(year, month, day) if year else last_on(month, day, calendar.latest or calendar.today)


def last_on(month: int, day: int, latest: date) -> date | None:
    """Return the last such day that is not after `latest`; None if there is no such day."""
    # February 29 needs a leap year, which may be up to eight years back.
    for year in range(latest.year, latest.year - 9, -1):
        with suppress(ValueError):
            if (found := date(year, month, day)) <= latest:
                return found
    return None


def parse_stamp(text: str, calendar: DateReading) -> date:
    """Return the league day of a form's timestamp: before the day boundary, the previous day. Raise DateError."""
    if moment := _iso_moment(text):
        local = moment.astimezone(ZoneInfo(calendar.zone)).replace(tzinfo=None)
        return (local - timedelta(hours=calendar.boundary.hour, minutes=calendar.boundary.minute)).date()
    clock = clock_of(text)
    day = parse_date(text, calendar)
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
LONG_AGO = 50
"""Results are not expected to be older than this many years."""

SLIPS = 50
"""One date in this many may be a typing error without affecting the detected order."""


@dataclass(frozen=True, slots=True)
class OrderGuess:
    """The likely order of day, month and year, and how many dates depend on it.

    `is_sure`: in any other order, some dates do not exist, are in the future, or years apart.
    """

    order: DateOrder = DateOrder.UNKNOWN
    is_sure: bool = False
    dates: int = 0


def guess_order(texts: Sequence[str], today: date) -> OrderGuess:
    """Detect the order of the dates in a column; if several are possible, the one with the dates closest together."""
    parts = [found for text in dict.fromkeys(texts) if (found := ambiguous(text))]
    if not parts:
        # Without a year the month comes first, unless some numbers or full stops can only be those of days.
        short = [each for text in dict.fromkeys(texts) if (each := _SHORT.fullmatch(_plain(text)))]
        says_days = any(int(each[1]) > len(_MONTHS) or each[0].endswith(".") for each in short)
        is_day_first = says_days and all(int(each[2]) <= len(_MONTHS) for each in short)
        return OrderGuess(DateOrder.DAY_FIRST, is_sure=True, dates=len(short)) if is_day_first else OrderGuess()
    # Four-digit years are clearer; if a column has any, only those are considered.
    parts = [found for found in parts if found[2] >= CENTURY] or parts
    days = {order: [day for each in parts if (day := in_order(each, order, today))] for order in ORDERS}
    earliest, latest = date(today.year - LONG_AGO, 1, 1), today + A_DAY
    likely_days = {order: sum(earliest <= day <= latest for day in days[order]) for order in ORDERS}
    fitting = [order for order in ORDERS if likely_days[order] * SLIPS >= len(parts) * (SLIPS - 1)]
    # Prefer dates in the future, which may be typing errors, to dates that do not exist.
    fitting = fitting or [order for order in ORDERS if len(days[order]) == len(parts)]
    if not fitting:
        return OrderGuess(dates=len(parts))
    spans = {order: (max(days[order]) - min(days[order])).days for order in fitting}
    likely = min(fitting, key=lambda order: spans[order])
    is_apart = all(spans[order] > 3 * A_YEAR for order in fitting if order is not likely)
    return OrderGuess(likely, len(fitting) == 1 or (0 < spans[likely] <= A_YEAR and is_apart), len(parts))
