"""Telling raw scores from points by their totals, and converting a game for scoring."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from league.core.entry import check_sum
from league.core.imports.games import ImportedGame, ImportedSeat, ImportNote
from league.core.imports.records import GameRecord
from league.core.spreadsheets.cells import CellError, read_bust
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.numbers import UNITS, NumberError, in_points, parse_number
from scoring.core import Bust, FinishedGame

RAW, POINTS = KINDS = ("raw", "points")

FEWEST = 3
"""Minimum number of players at a table."""

NEARLY = 20
"""Tolerance of a total, as 1/NEARLY: points rounded individually, raw scores with a typing error or leftover sticks."""


def kind_of(tables: Iterable[Sequence[Decimal]], starts: Sequence[int]) -> str:
    """Return the kind of numbers in more than half of the games: points total 0, raw scores one of `starts`."""
    kinds = Counter(_kind(numbers, starts) for numbers in tables)
    return next((kind for kind in KINDS if kinds[kind] * 2 > sum(kinds.values())), "")


def _kind(numbers: Sequence[Decimal], starts: Sequence[int]) -> str:
    total, size = sum(numbers, Decimal()), max(abs(number) for number in numbers)
    if any(total * unit in starts for unit in UNITS if total):
        return RAW
    if size and abs(total) * NEARLY <= size:
        return POINTS
    near = any(abs(total * unit - start) * NEARLY <= start * 2 for unit in UNITS for start in starts)
    return RAW if near else ""


def columns_by_sums(records: Sequence[GameRecord], columns: Sequence[str], starts: Sequence[int]) -> tuple[str, ...]:
    """Rename raw score and points columns, also in the games, if the totals show the opposite."""
    keys = {split_target(column)[0] for column in columns} & {RAW, POINTS}
    called = POINTS if keys == {POINTS} else RAW
    kind = kind_of(_numbers(records, called), starts)
    if kind in {"", called} or len(keys) > 1:
        return tuple(columns)
    for seat in (seat for record in records for seat in record.seats if called in seat.texts):
        seat.texts[kind] = seat.texts.pop(called)
    return tuple(kind + each.removeprefix(called) if split_target(each)[0] == called else each for each in columns)


def _numbers(records: Iterable[GameRecord], key: str) -> Iterator[list[Decimal]]:
    for record in records:
        try:
            numbers = [parse_number(seat.texts.get(key, "")) for seat in record.seats]
        except NumberError:
            continue
        known = [number for number in numbers if number is not None]
        if FEWEST <= len(known) == len(numbers):
            yield known


def sticks_missing(numbers: Sequence[Decimal], unit: int, sticks: int, starts: Sequence[int]) -> int:
    """Return the number of leftover riichi sticks that would make the scores add up; 0 if there is no such explanation."""
    try:
        raw = [in_points(number, unit) for number in numbers]
    except NumberError:
        return 0
    checks = (check_sum(raw, sticks, start // len(raw)) for start in starts if start % len(raw) == 0)
    return next((check.missing_sticks for check in checks if check.missing_sticks), 0)


def finished(game: ImportedGame, unit: int) -> tuple[FinishedGame | None, list[ImportNote]]:
    """Convert a game for scoring; return None with the problems if that is impossible.

    Without raw scores, the game is recorded by its points if all are given.
    """
    if any(entry.points is not None for entry in game.entries) and all(entry.number is None for entry in game.entries):
        return _by_points(game)
    problems: list[ImportNote] = []
    raw = []
    for entry in game.entries:
        if entry.number is None:
            if not any(problem.values["line"] == entry.line for problem in game.problems):
                problems.append(_problem("raw_missing", entry))
            continue
        try:
            raw.append(in_points(entry.number, unit))
        except NumberError:
            problems.append(_problem("raw_fraction", entry, str(entry.number)))
    busts = _busts(game, problems)
    return (None, problems) if problems or len(raw) < len(game.entries) else (_played(game, tuple(raw), busts), [])


def _problem(code: str, entry: ImportedSeat, text: str = "") -> ImportNote:
    return ImportNote(code, {"name": entry.written.name, **({"text": text} if text else {}), "line": entry.line})


def _by_points(game: ImportedGame) -> tuple[FinishedGame | None, list[ImportNote]]:
    missing = [entry for entry in game.entries if entry.points is None]
    if missing:
        return None, [_problem("points_missing", entry) for entry in missing]
    problems: list[ImportNote] = []
    busts, placements = _busts(game, problems), [entry.placement for entry in game.entries]
    points = tuple(entry.points for entry in game.entries if entry.points is not None)
    played = replace(
        _played(game, (), busts), points=points, placements=tuple(filter(None, placements)) if all(placements) else ()
    )
    return (None, problems) if problems else (played, [])


def _played(game: ImportedGame, raw: tuple[int, ...], busts: tuple[Bust, ...]) -> FinishedGame:
    return FinishedGame(
        raw=raw,
        sticks_left=game.sticks,
        busts=busts,
        chombo=_if_any(entry.chombo for entry in game.entries),
        chips=_if_any(entry.chips for entry in game.entries),
    )


def _busts(game: ImportedGame, problems: list[ImportNote]) -> tuple[Bust, ...]:
    busts = []
    for seat, entry in enumerate(game.entries):
        if not entry.bust or entry.bust in {"0", "-", "×"}:
            continue
        try:
            busts.append(read_bust(entry.bust, seat, game.names))
        except CellError:
            problems.append(_problem("bust_unreadable", entry, entry.bust))
    return tuple(busts)


def _if_any(counts: Iterable[int]) -> tuple[int, ...]:
    found = tuple(counts)
    return found if any(found) else ()
