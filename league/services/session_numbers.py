"""Numbers of sessions without a title: by date and start, unless typed.

A number is only a name. Callers have locked the league.
"""

from collections.abc import Iterable, Mapping
from itertools import count, islice
from types import MappingProxyType

from django.db.models import Max

from league.core.sessions import numbers_by_date
from league.engine import update_columns
from league.models import League, Session
from league.selectors.sessions import by_start


class NumberTakenError(Exception):
    """Another session is called by a number that was typed for it as well."""


def called_by_number(league: League) -> list[Session]:
    return list(league.sessions.kept().filter(title="").only("league", "date", "start_time", "number", "number_typed"))


def right_numbers(league: League, sessions: Iterable[Session]) -> list[tuple[Session, int]]:
    """Return these sessions in order, each with the number that it should bear."""
    in_order = sorted(sessions, key=lambda each: by_start(each, league.day_boundary))
    typed = [each.number if each.number_typed else None for each in in_order]
    return list(zip(in_order, numbers_by_date(typed), strict=True))


def number_by_date(league: League, typed: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """Renumber sessions and return numbers by primary key. Raises NumberTakenError.

    `typed`: new typed numbers by primary key. One query, two more if any change.
    """
    sessions = called_by_number(league)
    stored = {each.pk: each.number for each in sessions}
    for each in sessions:
        each.number = typed.get(each.pk, each.number)
    right = {each.pk: number for each, number in right_numbers(league, sessions)}
    if len(set(right.values())) < len(right):
        raise NumberTakenError
    moved = [key for key, number in right.items() if stored[key] != number]
    # Two may change places, and no two are called alike even for a moment.
    taken = {*stored.values(), *right.values()}
    free = islice((number for number in count(1) if number not in taken), len(moved))
    update_columns(Session, moved, {"number": list(free)})
    update_columns(Session, moved, {"number": [right[key] for key in moved]})
    return right


def next_number(league: League) -> int:
    """Return a number that no session bears, above all others; withdrawn ones have given theirs back. One query."""
    return (league.sessions.kept().aggregate(highest=Max("number"))["highest"] or 0) + 1


def keep_numbers(league: League) -> None:
    """Mark current numbers of all sessions as typed."""
    league.sessions.kept().filter(title="").update(number_typed=True)
