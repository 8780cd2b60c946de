"""Sessions: phase, attendance and numbering."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from league.core.periods import moment_on


class SessionPhase(StrEnum):
    PLANNED = "planned"
    TONIGHT = "tonight"
    RUNNING = "running"
    AWAITED = "awaited"
    OVER = "over"
    POSTPONED = "postponed"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class SessionSoFar:
    """Facts that determine the phase of a session.

    `begins`: start time, None if only the day is known. `played`: hanchan played so far, at least. `planned`,
    `missing`: hanchan with planned seats, and those of them without a result; more may be planned during the day, so
    only `is_played_out` means that no more will be played. `is_postponed`: moved here from another session.
    `has_moved`: a part was moved away. `is_closed`, `is_withdrawn`: set by organisers.
    """

    day: date
    begins: datetime | None = None
    played: int = 0
    planned: int = 0
    missing: int = 0
    is_played_out: bool = False
    is_postponed: bool = False
    has_moved: bool = False
    is_closed: bool = False
    is_withdrawn: bool = False


def phase_of(known: SessionSoFar, *, today: date, now: datetime) -> SessionPhase:
    """Return the phase of a session. `today`: the league day at `now`."""
    if known.is_withdrawn:
        return SessionPhase.WITHDRAWN
    if known.is_closed or known.is_played_out:
        return SessionPhase.OVER
    if known.day < today:
        return _past(known)
    if known.played:
        return SessionPhase.RUNNING
    if _is_empty(known):
        return SessionPhase.POSTPONED
    return _ahead(known, now, is_today=known.day == today)


def _past(known: SessionSoFar) -> SessionPhase:
    if _is_empty(known):
        return SessionPhase.POSTPONED
    return SessionPhase.OVER if known.played and not known.missing else SessionPhase.AWAITED


def _ahead(known: SessionSoFar, now: datetime, *, is_today: bool) -> SessionPhase:
    if is_today:
        return SessionPhase.RUNNING if known.begins is not None and known.begins <= now else SessionPhase.TONIGHT
    return SessionPhase.POSTPONED if known.is_postponed else SessionPhase.PLANNED


def _is_empty(known: SessionSoFar) -> bool:
    return known.has_moved and not known.planned and not known.played


MAX_WORD_LENGTH = 60
"""Maximum length of an attendance comment."""


@dataclass(frozen=True, slots=True)
class TablesOfThose:
    """How many tables the people who come fill.

    `full`: complete tables. `short`: people missing for the planned tables. `over`: people who have to take turns.
    """

    full: int
    short: int
    over: int


def tables_of(coming: int, size: int, planned: int) -> TablesOfThose:
    full = coming // size
    return TablesOfThose(full, max(planned * size - coming, 0), coming - full * size if full >= planned else 0)


def day_ends(day: date, zone: str, boundary: time) -> datetime:
    return moment_on(day + timedelta(days=1), boundary, zone, boundary)


def answers_end(ends: datetime, begins: datetime | None, until: datetime | None) -> datetime:
    """Return the deadline for answers: `until`, but not after the start of the session or the end of its day."""
    latest = ends if begins is None else begins
    return latest if until is None else min(latest, until)


def numbers_by_date(typed: Sequence[int | None]) -> list[int]:
    """Return session numbers in chronological order; None in `typed` means the number is chosen here.

    A chosen number continues from the highest before it and skips numbers typed for later sessions.
    """
    taken, found, highest = set(typed), list[int](), 0
    for number in typed:
        found.append(_free(highest, taken) if number is None else number)
        highest = max(highest, found[-1])
    return found


def _free(highest: int, taken: set[int | None]) -> int:
    number = highest + 1
    while number in taken:
        number += 1
    return number
