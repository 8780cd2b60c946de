"""Boards are brought up to date here: months from their seats, years from their months, all time from its years.

In a league one refresh comes after the other; what is stale inside a board comes before it. Why no change can be lost on
the way, and whose lines are worked out anew: docs/adr/0028.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.models import Adjustment, Board, Hanchan, League, Seat, SessionPoints, StalePeriod
from league.selectors.board_parts import Parts, last_day_in, lines_of_parts
from league.selectors.standings_sql import Days
from league.services.board_rows import BoardChange, change_board

MANY = 300
"""Whoever names more players than this means everybody."""

A_YEAR = timedelta(days=366)
"""A last day of play that moves further was a mistake: then everybody's line is worked out."""

_WIDTH = {PeriodKind.MONTH: 0, PeriodKind.YEAR: 1, PeriodKind.ALL: 2}


@dataclass(slots=True)
class _Work:
    """What is to be done on one board: whose lines change, None for everybody's, and the marks that say so."""

    period: Period
    players: set[int] | None = field(default_factory=set)
    marks: list[int] = field(default_factory=list)

    def add(self, players: Iterable[int] | None) -> None:
        """Have the lines of these players worked out too."""
        both = None if players is None or self.players is None else self.players.union(players)
        self.players = both if both is None or len(both) <= MANY else None


@transaction.atomic
def refresh(league_id: int, keys: Collection[str], *, anew: bool = False) -> dict[str, bool]:
    """Bring these boards of a league up to date, and whatever is stale inside them; return for each whether it changed.

    Only the lines that the marks are about are worked out, `anew` all lines of the boards that are named.
    """
    lock_boards(league_id)
    # The marks first: whoever changes the league's settings marks every board, so older settings never meet their marks.
    marks = list(StalePeriod.objects.filter(league=league_id).values_list("pk", "period", "players"))
    league = League.objects.get(pk=league_id)
    works = _works(league, keys, marks, anew=anew)
    boards = _boards(league, works)
    changed = {work.period.key: _refresh_board(league, work, boards) for work in works}
    StalePeriod.objects.filter(pk__in=[mark for work in works for mark in work.marks]).delete()
    return changed


def lock_boards(league_id: int) -> None:
    """Let nobody else refresh a board of the league until the transaction ends. Entry never waits for this."""
    locked = Board.objects.select_for_update().filter(league=league_id, period=ALL_TIME.key)
    if not locked.values_list("pk"):
        Board.objects.bulk_create([Board(league_id=league_id, period=ALL_TIME.key)], ignore_conflicts=True)
        locked.values_list("pk").get()


def _works(
    league: League, keys: Collection[str], marks: Iterable[tuple[int, str, list[int] | None]], *, anew: bool
) -> list[_Work]:
    """Return what is to be done on which boards, narrow ones first."""
    works = {key: _Work(parse_period(key, league.first_month)) for key in keys}
    targets = [work.period for work in works.values()]
    if anew:
        for work in works.values():
            work.add(None)
    for mark, key, players in marks:
        period = works[key].period if key in works else parse_period(key, league.first_month)
        if any(_is_inside(period, target) for target in targets):
            work = works.setdefault(key, _Work(period))
            work.add(players)
            work.marks.append(mark)
    return sorted(works.values(), key=lambda work: (_WIDTH[work.period.kind], work.period.key))


def _is_inside(period: Period, target: Period) -> bool:
    is_narrower = _WIDTH[period.kind] < _WIDTH[target.kind]
    return period == target or (is_narrower and (target == ALL_TIME or period.start in target))


def _boards(league: League, works: Sequence[_Work]) -> dict[str, Board]:
    """Return the boards that are worked on and those that they are added up from, by key. One query, two for new ones."""
    keys = {work.period.key for work in works}
    wanted = Q(period__in=keys | {month for work in works for month in _months_of(work.period)})
    if ALL_TIME.key in keys:
        wanted |= ~Q(period__contains="-")
    boards = {board.period: board for board in Board.objects.filter(wanted, league=league)}
    missing = [Board(league=league, period=key) for key in sorted(keys - boards.keys())]
    return boards | {board.period: board for board in Board.objects.bulk_create(missing)}


def _months_of(period: Period) -> list[str]:
    if period.kind is not PeriodKind.YEAR:
        return []
    year, month = period.start.year, period.start.month
    return [f"{year + (month + n - 1) // 12:04d}-{(month + n - 1) % 12 + 1:02d}" for n in range(12)]


def _refresh_board(league: League, work: _Work, boards: Mapping[str, Board]) -> bool:
    period, board = work.period, boards[work.period.key]
    parts = _from_seats(league, period) if period.kind is PeriodKind.MONTH else _from_boards(period, boards)
    if parts.last_day != board.last_day and work.players is not None:
        work.add(_between(league, board.last_day, parts.last_day))
    lines = lines_of_parts(league, parts, work.players)
    changed = change_board(league, period, BoardChange(lines, work.players, parts.last_day))
    board.version += changed or board.computed_at is None
    board.hanchan, board.last_day, board.computed_at = parts.hanchan, parts.last_day, timezone.now()
    board.save(update_fields=["version", "hanchan", "last_day", "computed_at"])
    return changed


def _from_seats(league: League, period: Period) -> Parts:
    played = Hanchan.objects.counted().filter(league=league).in_period(period)
    last_day = last_day_in(league, period)
    return Parts({}, [Days(0, period.start, period.end)], played.count(), last_day, None if last_day is None else 0)


def _from_boards(period: Period, boards: Mapping[str, Board]) -> Parts:
    if period == ALL_TIME:
        keys = sorted(key for key in boards if len(key) == len("2025"))
    else:
        keys = [key for key in _months_of(period) if key in boards]
    parts = [boards[key] for key in keys]
    stored = {board.period: place for place, board in enumerate(parts)}
    hanchan = sum(board.hanchan for board in parts)
    last_days = [(board.last_day, place) for place, board in enumerate(parts) if board.last_day is not None]
    last_day, last = max(last_days, default=(None, None))
    return Parts(stored, (), hanchan, last_day, last)


def _between(league: League, before: date | None, now: date | None) -> set[int] | None:
    """Return who has points on the days by which the last day of play moved: other points of theirs are earlier now."""
    if before is None or now is None:
        return None
    first, last = min(before, now), max(before, now)
    if last - first > A_YEAR:
        return None
    found: set[int] = set()
    for rows in (
        Seat.objects.counted(),
        *(model.objects.filter(withdrawn=False) for model in (Adjustment, SessionPoints)),
    ):
        found.update(
            rows.filter(league=league, day__range=(first, last))
            .order_by()
            .values_list("player_id", flat=True)
            .distinct()
        )
    return found
