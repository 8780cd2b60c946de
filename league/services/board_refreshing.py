"""Refreshing boards: months are summed from seats, years from months, all time from years.

Refreshes of a league are serialised; stale boards inside a period come first (docs/adr/0028).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from league.core.board_lines import Line, Part, merged
from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.models import Adjustment, Board, Hanchan, League, Seat, SessionPoints, StalePeriod
from league.models.editions import DERIVED, raise_edition
from league.selectors.board_parts import Parts, last_day_in
from league.selectors.standings_sql import Days, sums_of_days
from league.services.board_rows import BoardChange, StoredLines

MANY = 300
"""With more changed players than this, a board is recalculated for all players."""

A_YEAR = timedelta(days=366)
"""If the last day of play moves by more, it was probably a wrong date; all lines are recalculated."""

Mark = tuple[int, str, list[int] | None]
"""StalePeriod row: primary key, period key, and player keys (None: all players)."""

_WIDTH = {PeriodKind.MONTH: 0, PeriodKind.YEAR: 1, PeriodKind.ALL: 2}


@dataclass(slots=True)
class _Work:
    """Work on one board: players whose lines change (None: all), and primary keys of its StalePeriod rows."""

    period: Period
    players: set[int] | None = field(default_factory=set)
    marks: list[int] = field(default_factory=list)

    def add(self, players: Iterable[int] | None) -> None:
        both = None if players is None or self.players is None else self.players.union(players)
        self.players = both if both is None or len(both) <= MANY else None


@transaction.atomic
def refresh(league_id: int, keys: Collection[str], *, anew: bool = False) -> dict[str, bool]:
    """Refresh boards and the stale boards inside them; return whether each of `keys` changed.

    Only lines named in StalePeriod rows are recalculated, with `anew` all lines of these boards. StalePeriod is read
    before the facts, so deleting the rows that were read never loses a change; changes of settings mark all boards.
    """
    lock_boards(league_id)
    stale = StalePeriod.objects.filter(league=league_id)
    if all("-" in key for key in keys):
        stale = stale.filter(period__in=keys)
    found = list(stale.values_list("pk", "period", "players"))
    league = League.objects.get(pk=league_id)
    works = _works(league, keys, found, anew=anew)
    unchanged = dict.fromkeys(keys, False)
    if not works:
        return unchanged
    boards = _boards_for(league, [work.period.key for work in works])
    changed, rows = _refreshed(league, boards, works)
    rows.store()
    due = [boards[work.period.key] for work in works]
    for board in due:
        board.computed_at, board.followed = timezone.now(), False
    Board.objects.bulk_update(due, ["version", "hanchan", "lines", "last_day", "computed_at", "followed"])
    StalePeriod.objects.filter(pk__in=[mark for work in works for mark in work.marks]).delete()
    raise_edition(league_id, DERIVED)
    return unchanged | changed


def lock_boards(league_id: int) -> None:
    """Lock the league's boards against other refreshes. Entering results does not wait for this lock."""
    Board.objects.select_for_update().get_or_create(league_id=league_id, period=ALL_TIME.key)


def _boards_for(league: League, keys: Sequence[str]) -> dict[str, Board]:
    """Return these boards, created if missing, and the boards they are summed from."""
    wanted = Q(period__in=keys)
    for year in (int(key) for key in keys if key.isdigit()):
        # A year that does not start in January ends in the next one.
        wanted |= Q(period__range=(f"{year:04d}-01", f"{year + 1:04d}-12"))
    if ALL_TIME.key in keys:
        wanted |= Q(period__regex=r"^\d{4}$")
    boards = {board.period: board for board in Board.objects.filter(wanted, league=league)}
    missing = [Board(league=league, period=key) for key in keys if key not in boards]
    return boards | {board.period: board for board in Board.objects.bulk_create(missing)}


def _works(league: League, keys: Collection[str], marks: Iterable[Mark], *, anew: bool) -> list[_Work]:
    """Return the work per board, months first; an empty list if another refresh has done it."""
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
    due = (work for work in works.values() if work.marks or anew)
    return sorted(due, key=lambda work: (_WIDTH[work.period.kind], work.period.key))


def _is_inside(period: Period, target: Period) -> bool:
    is_narrower = _WIDTH[period.kind] < _WIDTH[target.kind]
    return period == target or (is_narrower and (target == ALL_TIME or period.start in target))


def _months_of(period: Period) -> list[str]:
    if period.kind is not PeriodKind.YEAR:
        return []
    year, month = period.start.year, period.start.month
    return [f"{year + (month + n - 1) // 12:04d}-{(month + n - 1) % 12 + 1:02d}" for n in range(12)]


def _refreshed(
    league: League, boards: Mapping[str, Board], works: Sequence[_Work]
) -> tuple[dict[str, bool], StoredLines]:
    parts = {work.period.key: _parts(league, boards, work) for work in works}
    rows, summed = _read(league, works, parts)
    changed: dict[str, bool] = {}
    for work in works:
        key, now = work.period.key, parts[work.period.key]
        lines = summed[key] if now.days else _merged(rows, now, work.players)
        changed[key] = rows.change(work.period, BoardChange(lines, work.players))
        board = boards[key]
        board.version += changed[key] or board.computed_at is None
        board.lines = len(rows.places[key])
    return changed, rows


def _parts(league: League, boards: Mapping[str, Board], work: _Work) -> Parts:
    """Return the parts a board is summed from; if its last day of play moved, add the players this affects."""
    period, board = work.period, boards[work.period.key]
    parts = _from_seats(league, period) if period.kind is PeriodKind.MONTH else _from_boards(period, boards)
    if board.computed_at is None:
        work.add(None)
    elif parts.last_day != board.last_day and work.players is not None:
        work.add(_between(league, board.last_day, parts.last_day))
    board.hanchan, board.last_day = parts.hanchan, parts.last_day
    return parts


def _read(
    league: League, works: Sequence[_Work], parts: Mapping[str, Parts]
) -> tuple[StoredLines, dict[str, dict[int, Line]]]:
    """Return the stored lines of boards and parts, and new sums of months; only lines that are needed."""
    stored = {key for each in parts.values() for key in each.stored} - parts.keys()
    players: set[int] | None = set()
    for work in works:
        if parts[work.period.key].stored:
            players = None if players is None or work.players is None else players | work.players
    rows, summed = StoredLines(league), {}
    rows.read({work.period.key: work.players for work in works}, stored, players)
    for work in works:
        now = parts[work.period.key]
        if now.days:
            sums = sums_of_days(league, now.days, now.last_day, work.players)
            summed[work.period.key] = _whole(sums, now.last)
    return rows, summed


def _whole(rows: Iterable[tuple[Any, ...]], last: int | None) -> dict[int, Line]:
    """Return each player's line of a month; points with and without hanchan come as separate rows."""
    found: dict[int, list[Part]] = defaultdict(list)
    for place, player, *line in rows:
        found[player].append((place, tuple(line)))
    return {player: lines[0][1] if len(lines) == 1 else merged(lines, last) for player, lines in found.items()}


def _merged(rows: StoredLines, parts: Parts, players: set[int] | None) -> dict[int, Line]:
    found: dict[int, list[Part]] = defaultdict(list)
    for key, place in parts.stored.items():
        for player, line in rows.lines[key].items():
            if players is None or player in players:
                found[player].append((place, line))
    return {player: merged(lines, parts.last) for player, lines in found.items()}


def _from_seats(league: League, month: Period) -> Parts:
    last_day = last_day_in(league, month)
    hanchan = Hanchan.objects.counted().filter(league=league, day__gte=month.start, day__lt=month.end).count()
    return Parts({}, [Days(0, month.start, month.end)], hanchan, last_day, None if last_day is None else 0)


def _from_boards(period: Period, boards: Mapping[str, Board]) -> Parts:
    if period == ALL_TIME:
        keys = sorted(key for key in boards if len(key) == len("2025"))
    else:
        keys = [key for key in _months_of(period) if key in boards]
    parts = [boards[key] for key in keys]
    stored = {key: place for place, key in enumerate(keys)}
    hanchan = sum(board.hanchan for board in parts)
    last_days = [(board.last_day, place) for place, board in enumerate(parts) if board.last_day is not None]
    last_day, last = max(last_days, default=(None, None))
    return Parts(stored, (), hanchan, last_day, last)


def _between(league: League, before: date | None, now: date | None) -> set[int] | None:
    """Return players with points between the old and new last day of play, whose earlier values change; None for all."""
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
        players = rows.filter(league=league, day__range=(first, last)).order_by()
        found.update(players.values_list("player_id", flat=True).distinct())
    return found
