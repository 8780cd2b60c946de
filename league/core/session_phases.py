"""How far a session is, from its day, its start and what was played of it: one answer for every page."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


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
    """What the phase of a session follows from.

    `begins`: the moment at which it starts, None where only its day is known. `played`: so many hanchan at least. `planned`, `missing`: hanchan with seats
    of their own, and those of them without a result; more may be planned in the course of the day, so that only
    `is_played_out` says that nothing is to come. `is_postponed`: it is the part of another session that is played on
    another day. `has_moved`: a part of it is. `is_closed`, `is_withdrawn`: what somebody said of it.
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
    """Return how far a session is. `today`: the day of the league at the moment `now`."""
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
    return _today(known, now) if known.day == today else _ahead(known)


def _past(known: SessionSoFar) -> SessionPhase:
    if _is_empty(known):
        return SessionPhase.POSTPONED
    is_complete = known.played and not known.missing
    return SessionPhase.OVER if is_complete else SessionPhase.AWAITED


def _today(known: SessionSoFar, now: datetime) -> SessionPhase:
    has_begun = known.begins is not None and known.begins <= now
    return SessionPhase.RUNNING if has_begun else SessionPhase.TONIGHT


def _ahead(known: SessionSoFar) -> SessionPhase:
    return SessionPhase.POSTPONED if known.is_postponed else SessionPhase.PLANNED


def _is_empty(known: SessionSoFar) -> bool:
    """Return whether all its tables were moved to other days."""
    return known.has_moved and not known.planned and not known.played
