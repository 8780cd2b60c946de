"""In which order the dates of a file stand, found out from all of them together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from league.core.spreadsheets.dates import CENTURY, DateOrder, ambiguous, in_order

ORDERS = (DateOrder.YEAR_FIRST, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)

A_DAY = timedelta(days=1)
A_YEAR = 366
RECENT = 5
LONG_AGO = 50
"""Years before which nobody has kept a file of results."""

SLIPS = 50
"""One date in so many may be mistyped without hiding the order of the others."""

IN_ORDER = 3
"""So many different days that follow each other show an order."""

MONTHS_FIRST = ("America/", "US/", "Pacific/Honolulu", "Pacific/Guam")
"""Where most of those live who write the month before the day; no more than a hint."""

YEARS_FIRST = frozenset({"Asia/Tokyo", "Japan", "Asia/Seoul", "Asia/Shanghai", "Asia/Taipei", "Asia/Hong_Kong"})

Parts = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class OrderGuess:
    """The order that dates seem to have, how many of them need one, and how that was found.

    `reason` is "only" where in no other order all of them are days that have come, as `shown_by` shows; "sequence" where
    in no other order they follow each other; "span" where in any other order they are spread over many years; "recent"
    where in any other order one of them lies years back; "place" where nothing but the league's place on earth speaks for it; "" where no date needs an order, or where none fits.
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
