"""What was played in a game of a file as scoring takes it, or what is missing for that."""

from collections.abc import Iterable

from league.core.imports.games import ImportedGame, RowProblem
from league.core.spreadsheets.cells import CellError, read_bust
from league.core.spreadsheets.numbers import NumberError, in_points
from scoring.core import Bust, FinishedGame


def finished(game: ImportedGame, unit: int) -> tuple[FinishedGame | None, list[RowProblem]]:
    """Return what was played as scoring takes it, or None and what is missing for that.

    Where no raw score is given, and points are for everybody, it is known by its points alone.
    """
    if any(entry.points is not None for entry in game.entries) and all(entry.number is None for entry in game.entries):
        return _by_points(game)
    problems: list[RowProblem] = []
    raw = []
    for entry in game.entries:
        if entry.number is None:
            if not any(problem.line == entry.line for problem in game.problems):
                problems.append(RowProblem(entry.line, "raw_missing", {"name": entry.written.name}))
            continue
        try:
            raw.append(in_points(entry.number, unit))
        except NumberError:
            problems.append(
                RowProblem(entry.line, "raw_fraction", {"name": entry.written.name, "text": str(entry.number)})
            )
    busts = _busts(game, problems)
    if problems or len(raw) < len(game.entries):
        return None, problems
    return (
        FinishedGame(
            raw=tuple(raw),
            sticks_left=game.sticks,
            busts=busts,
            chombo=_if_any(entry.chombo for entry in game.entries),
            chips=_if_any(entry.chips for entry in game.entries),
            deposits=_if_any(entry.deposits for entry in game.entries),
        ),
        [],
    )


def _by_points(game: ImportedGame) -> tuple[FinishedGame | None, list[RowProblem]]:
    missing = [entry for entry in game.entries if entry.points is None]
    if missing:
        return None, [RowProblem(entry.line, "points_missing", {"name": entry.written.name}) for entry in missing]
    problems: list[RowProblem] = []
    busts, placements = _busts(game, problems), [entry.placement for entry in game.entries]
    by_points = FinishedGame(
        raw=(),
        sticks_left=game.sticks,
        busts=busts,
        chombo=_if_any(entry.chombo for entry in game.entries),
        chips=_if_any(entry.chips for entry in game.entries),
        deposits=_if_any(entry.deposits for entry in game.entries),
        points=tuple(entry.points for entry in game.entries if entry.points is not None),
        placements=tuple(place for place in placements if place) if all(placements) else (),
    )
    return (None, problems) if problems else (by_points, [])


def _busts(game: ImportedGame, problems: list[RowProblem]) -> tuple[Bust, ...]:
    busts = []
    for seat, entry in enumerate(game.entries):
        if not entry.bust or entry.bust in {"0", "-", "×"}:
            continue
        try:
            busts.append(read_bust(entry.bust, seat, game.names))
        except CellError:
            values: dict[str, object] = {"name": entry.written.name, "text": entry.bust}
            problems.append(RowProblem(entry.line, "bust_unreadable", values))
    return tuple(busts)


def _if_any(counts: Iterable[int]) -> tuple[int, ...]:
    found = tuple(counts)
    return found if any(found) else ()
