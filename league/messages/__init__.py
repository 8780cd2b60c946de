"""Periods and ranking methods as text. Every message is a whole sentence, so that translations can order it freely."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import lru_cache

from django.template.defaultfilters import date as date_format
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from league.core.periods import Period, PeriodKind
from league.core.spelling import shown
from league.models import League, RulesetVersion
from scoring.core import LEDGER_PARTS
from scoring.messages.labels import PARTS

TIEBREAKS: Mapping[str, Promise] = {
    "last_hanchan": _(
        "after equally many hanchan, more points in the most recent one, "
        "else a better placement, else a higher raw score; then the same in the one before, and so on"
    ),
    "last_hanchan_by_placement": _(
        "after equally many hanchan, a better placement in the most recent one, "
        "else a higher raw score, else more points; then the same in the one before, and so on"
    ),
    "placement_counts": _("more first places, then more second places, and so on"),
    "best_raw": _("higher best raw score"),
    "head_to_head": _("head-to-head"),
    "shared": _("shared rank"),
    "manual": _("decided by an organiser"),
}


def period_title(period: Period) -> str:
    """Return the title of a period: 2025年11月, 2025年, 通算, 2025/11/01〜2025/11/21."""
    return _period_title_in(get_language(), period)


@lru_cache(maxsize=1024)
def _period_title_in(_language: str | None, period: Period) -> str:
    match period.kind:
        case PeriodKind.MONTH:
            return date_format(period.start, pgettext("date format", "F Y"))
        case PeriodKind.YEAR if period.start.month == 1:
            return date_format(period.start, pgettext("date format", "Y"))
        case PeriodKind.YEAR:
            years = {"year": period.start.year, "next": period.last.year}
            return pgettext("a year that does not begin in January", "%(year)s/%(next)s") % years
        case PeriodKind.ALL:
            return gettext("All time")
    days = {"first": day_text(period.start), "last": day_text(period.last)}
    return pgettext("first and last day", "%(first)s to %(last)s") % days


def day_text(day: date) -> str:
    return date_format(day, pgettext("date format without weekday", "j M Y"))


def ranked_by(league: League) -> str:
    """Return how the league's standings are ranked, as text."""
    match league.metric:
        case League.Metric.AVERAGE_POINTS:
            return gettext("Points per hanchan, highest first")
        case League.Metric.AVERAGE_PLACEMENT:
            return gettext("Average placement, lowest first")
    return gettext("Total points, highest first")


def counted_points(league: League, version: RulesetVersion | None) -> str:
    """Return which points count in the standings under these rules, as text."""
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return gettext("Placements only")
    ledger = str(league.get_ledger_display())
    parts = ledger_parts(league, version)
    if not parts:
        return ledger
    listed = pgettext("between parts of the points", ", ").join(str(PARTS[part]) for part in parts)
    return gettext("%(ledger)s: %(parts)s") % {"ledger": ledger, "parts": listed}


def counted_by(league: League, versions: Iterable[RulesetVersion]) -> str:
    """Return which points count, with the names of the rules if they differ, the league's own first."""
    own = league.current_version
    found: dict[str, list[str]] = {}
    for version in sorted(versions, key=lambda each: own is None or each.pk != own.pk):
        found.setdefault(counted_points(league, version), []).append(str(version) if version.pk else version.name)
    if len(found) < 2:
        return next(iter(found), counted_points(league, own))
    return " / ".join(f"{points} ({joined(names)})" for points, names in found.items())


def ledger_parts(league: League, version: RulesetVersion | None) -> Sequence[str]:
    """Return the parts of the points in the ranked ledger under these rules; () without rules.

    Parts that these rules never give are left out.
    """
    if version is None:
        return ()
    ledgers = version.parameters.get("ledgers", {})
    held = ledgers.get(league.ledger, {}).get("parts", LEDGER_PARTS)
    never = _never_given(version)
    return [part for part in LEDGER_PARTS if part in held and part not in never]


def _never_given(version: RulesetVersion) -> set[str]:
    rules = version.readable()
    if rules is None:
        return set()
    by_placement = rules.score_basis == "placement"
    given = {
        "base": not by_placement,
        "oka": not by_placement and rules.oka_points != 0,
        "uma": rules.uma is None or any(rules.uma),
        "bust": rules.asks_busts,
        "chips": bool(rules.chips),
        "fees": rules.fees is not None,
    }
    return {part for part, is_given in given.items() if not is_given}


def tie_order(league: League) -> str:
    """Return the league's tie-breaks in order, as text."""
    steps = [str(TIEBREAKS[name]) for name in league.tiebreak if name in TIEBREAKS]
    return pgettext("between steps", "; then ").join(steps)


def minimum_sentence(minimum: int) -> str:
    if minimum <= 1:
        return gettext("None: everyone who played is ranked.")
    return ngettext("%(count)s hanchan.", "%(count)s hanchan.", minimum) % {"count": minimum}


def plain_name(thing: object) -> str:
    """Return a league's or player's name in the page's language, made safe for inline text."""
    return shown(exact_name(thing))


def joined(names: Iterable[object]) -> str:
    return pgettext("between names", ", ").join(map(str, names))


def exact_name(thing: object) -> str:
    """Return a league's or player's name exactly as stored, for files."""
    name = str(getattr(thing, "name", thing))
    if get_language() == "ja":
        return name
    return str(getattr(thing, "romanised", "") or getattr(thing, "name_en", "") or name)


TRIANGLE, MINUS = "▲", "−"


_chosen: ContextVar[Callable[[], str]] = ContextVar("chosen negative sign", default=str)


@contextmanager
def written_with(chosen: Callable[[], str]) -> Iterator[None]:
    """Write negative numbers with the sign that `chosen` returns ("" for the language's). It is called lazily."""
    token = _chosen.set(chosen)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen_sign() -> str:
    """Return the reader's preferred sign, or "" for the language's default."""
    return _chosen.get()()


def negative_sign() -> str:
    """Return the sign before a negative number: ▲ or −."""
    return chosen_sign() or pgettext("negative sign", "−")


def other_sign() -> tuple[str, ...]:
    """Return the reader's sign as part of cache keys; () if it is the language's default."""
    chosen = chosen_sign()
    return (chosen,) if chosen and chosen != pgettext("negative sign", "−") else ()


def full_day_text(value: date) -> str:
    """Format a date: 2025/11/21(金), Fri 21 Nov 2025."""
    return _day_in(get_language(), value.year, value.month, value.day)


@lru_cache(maxsize=4096)
def _day_in(_language: str | None, year: int, month: int, day_of_month: int) -> str:
    return date_format(date(year, month, day_of_month), pgettext("date format", "D j M Y"))


def moment_text(value: datetime) -> str:
    """Format date and time in the current time zone: 2025/11/21(金) 21:34."""
    local = timezone.localtime(value)
    return f"{full_day_text(local)} {local:%H:%M}"
