"""Number untitled sessions by date and start time, unless a number was entered by hand.

The number only serves as a name. Callers must have locked the league.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import count, islice
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from django.db.models import Max

from league.core.sessions import numbers_by_date
from league.engine import update_columns
from league.models import League, Session
from league.selectors.sessions import by_start


class NumberTakenError(Exception):
    """Two sessions would have the same number, because it was typed for one of them."""


def called_by_number(league: League) -> list[Session]:
    return list(league.sessions.kept().filter(title="").only("league", "date", "start_time", "number", "number_typed"))


def right_numbers(league: League, sessions: Iterable[Session]) -> list[tuple[Session, int]]:
    """Return the sessions in order of date, each with the number it should have.

    A session without a start time comes after those of its day that were created before it.
    """
    latest: dict[date, tuple[Any, ...]] = {}
    keys = []
    for each in sorted(sessions, key=lambda each: (each.pk is None, each.pk or 0)):
        *_, number = start = by_start(each, league.day_boundary)
        latest[each.date] = max(start[:-1], latest.get(each.date, ()))
        place = (each._state.adding and not each.number_typed, number)
        keys.append((latest[each.date] if each.start_time is None else start[:-1], place, each))
    in_order = [each for _, _, each in sorted(keys, key=itemgetter(0, 1))]
    typed = [each.number if each.number_typed else None for each in in_order]
    return list(zip(in_order, numbers_by_date(typed), strict=True))


def number_by_date(league: League, typed: Mapping[int, int] = MappingProxyType({})) -> dict[int, int]:
    """Renumber the league's sessions; return numbers by primary key. Raise NumberTakenError.

    `typed`: newly typed numbers by primary key. One query, two more if any number changes.
    """
    sessions = called_by_number(league)
    stored = {each.pk: each.number for each in sessions}
    for each in sessions:
        each.number = typed.get(each.pk, each.number)
    right = {each.pk: number for each, number in right_numbers(league, sessions)}
    if len(set(right.values())) < len(right):
        raise NumberTakenError
    move_numbers({key: number for key, number in right.items() if stored[key] != number}, stored.values())
    return right


def move_numbers(numbers: Mapping[int, int], taken: Iterable[int]) -> None:
    """Give sessions other numbers, by primary key. `taken`: numbers that sessions have now."""
    # Sessions may swap numbers, and the constraint allows no duplicates: move them to free numbers first.
    taken = {*taken, *numbers.values()}
    free = islice((number for number in count(1) if number not in taken), len(numbers))
    update_columns(Session, list(numbers), {"number": list(free)})
    update_columns(Session, list(numbers), {"number": list(numbers.values())})


def next_number(league: League) -> int:
    """Return the number after the highest one; numbers of withdrawn sessions are free again. One query."""
    return (league.sessions.kept().aggregate(highest=Max("number"))["highest"] or 0) + 1


def keep_numbers(league: League) -> None:
    """Mark the numbers of all sessions as typed, so that they no longer change."""
    league.sessions.kept().filter(title="").update(number_typed=True)
