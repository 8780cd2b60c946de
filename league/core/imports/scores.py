"""What the sums of a file tell: raw scores or points, which no single number can, and sticks that were left."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from league.core.entry import check_sum
from league.core.imports.records import GameRecord
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.numbers import UNITS, NumberError, in_points, parse_number
from scoring.core.hanchan import STICK

RAW, POINTS = KINDS = ("raw", "points")

FEWEST = 3
"""So few make up a table."""

LOOKED_AT = 300
"""So many games show whether columns that are called raw scores are something else."""

NEARLY = 20
"""Sums may be off by so small a part: points that were rounded one by one, raw scores with a slip or sticks left."""


class ScoresFound(NamedTuple):
    """What the numbers of a file are by their sums, and in how many of its games; "" where the sums do not tell."""

    kind: str = ""
    games: int = 0
    of: int = 0


def kind_of(tables: Iterable[Sequence[Decimal]], starts: Sequence[int]) -> ScoresFound:
    """Return what the numbers of these games are, most of them: points sum to nothing, raw scores to one of `starts`."""
    kinds = Counter(_kind(numbers, starts) for numbers in tables)
    total = sum(kinds.values())
    kind = max(KINDS, key=lambda each: kinds[each])
    return ScoresFound(kind, kinds[kind], total) if kinds[kind] * 2 > total else ScoresFound(of=total)


def _kind(numbers: Sequence[Decimal], starts: Sequence[int]) -> str:
    total, size = sum(numbers, Decimal()), max(abs(number) for number in numbers)
    if any(total * unit in starts for unit in UNITS if total):
        return RAW
    if size and abs(total) * NEARLY <= size:
        return POINTS
    near = any(abs(total * unit - start) * NEARLY <= start * 2 for unit in UNITS for start in starts)
    return RAW if near else ""


def columns_by_sums(
    records: Sequence[GameRecord], columns: Sequence[str], starts: Sequence[int]
) -> tuple[tuple[str, ...], ScoresFound]:
    """Return the columns with raw scores and points called what they are, and what was found where that is another."""
    keys = {split_target(column)[0] for column in columns}
    if POINTS in keys and RAW not in keys:
        called, games = POINTS, iter(records)
    else:
        called, games = RAW, islice(records, LOOKED_AT)
    found = kind_of(_numbers(games, called), starts)
    if found.kind in {"", called} or {RAW, POINTS} <= keys:
        return tuple(columns), ScoresFound()
    return tuple(_called(column, called, found.kind) for column in columns), found


def _called(column: str, old: str, new: str) -> str:
    return new + column.removeprefix(old) if split_target(column)[0] == old else column


def _numbers(records: Iterable[GameRecord], key: str) -> Iterator[list[Decimal]]:
    for record in records:
        try:
            numbers = [parse_number(seat.texts.get(key, "")) for seat in record.seats]
        except NumberError:
            continue
        known = [number for number in numbers if number is not None]
        if FEWEST <= len(known) == len(numbers):
            yield known


def adds_up(numbers: Sequence[Decimal], sticks: int, starts: Sequence[int]) -> bool:
    """Whether the scores and the sticks left make one of the `starts` (points at the beginning in all) in some unit."""
    total = sum(numbers)
    return any(total * unit + STICK * sticks in starts for unit in UNITS)


def sticks_missing(numbers: Sequence[Decimal], unit: int, sticks: int, starts: Sequence[int]) -> int:
    """Return how many more riichi sticks would make the scores add up; 0 where a slip explains it as well, or nothing."""
    try:
        raw = [in_points(number, unit) for number in numbers]
    except NumberError:
        return 0
    if adds_up(numbers, sticks, starts):
        return 0
    checks = (check_sum(raw, sticks, start // len(raw)) for start in starts if start % len(raw) == 0)
    return next((check.missing_sticks for check in checks if check.missing_sticks), 0)
