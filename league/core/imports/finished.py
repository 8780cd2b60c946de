"""What was played in a game of a file as scoring takes it, or what is missing for that."""

from collections.abc import Iterable
from dataclasses import replace

from league.core.imports.games import ImportedGame, ImportedSeat, ImportNote
from league.core.spreadsheets.cells import CellError, read_bust
from league.core.spreadsheets.numbers import NumberError, in_points
from scoring.core import Bust, FinishedGame


def finished(game: ImportedGame, unit: int) -> tuple[FinishedGame | None, list[ImportNote]]:
    """Return what was played as scoring takes it, or None and what is missing for that.

    Where no raw score is given, and points are for everybody, it is known by its points alone.
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
    values = {"name": entry.written.name, **({"text": text} if text else {}), "line": entry.line}
    return ImportNote(code, values)


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
        deposits=_if_any(entry.deposits for entry in game.entries),
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
