"""Stories of a finished session, and of a month or year."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.db.models import Exists, F, OuterRef, Subquery

from league.core.periods import Period, PeriodKind, month_of, neighbours, parse_period
from league.messages import period_title, plain_name
from league.models import Board, League, Player, Session, Standing
from league.permissions import as_everybody_reads
from league.selectors.boards import board_lines, gains_in
from league.selectors.large_sheets import LargeSheet
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.sheets import Sheet
from league.selectors.standings_sql import minimum_for
from stats.core.careers import Career, from_json
from stats.messages import biggest_hanchan, came_first, changes_of_rank
from stats.models import KeptSums
from stats.selectors.careers import still_true
from stats.selectors.records import MonthRecords, month_records
from stats.selectors.titles import GivenTitle, given_titles

MAX_CHANGES = 4
"""Maximum number of changes listed, from the top of the board."""


def rank_changes(session: Session, period: Period, players: Iterable[int]) -> list[Standing]:
    """Return board lines of players whose rank changed since the day of the session. One query.

    Empty if hanchan were played later or in another session of the day, because the board compares days.
    """
    boards = Board.objects.filter(league=session.league, period=OuterRef("period"))
    lines = Standing.objects.filter(
        league=session.league, player__league=session.league, period=period.key, player__in=list(players)
    )
    moved = lines.exclude(rank=None).exclude(previous_rank=None).exclude(rank=F("previous_rank"))
    since = moved.annotate(last_day=Subquery(boards.filter(league=OuterRef("league")).values("last_day")[:1]))
    others = session.league.hanchan.valid().filter(day=session.date).exclude(session=session)
    found = since.filter(~Exists(others), last_day=session.date).select_related("player").order_by("rank", "player_id")
    return list(found[:MAX_CHANGES])


def evening_words(session: Session, sheet: Sheet | LargeSheet) -> list[str]:
    """Return a session's story in sentences, with public names. One query."""
    best = [column for column in sheet.columns if column.rank == 1]
    if not best:
        return []
    league, month = session.league, month_of(session.date)
    first = as_everybody_reads(league, (column.player for column in best))
    said = [came_first([plain_name(player) for player in first], best[0].total)]
    if isinstance(sheet, Sheet) and sheet.hanchan > 1:
        of_column = [(row.round, pair) for row in sheet.rows for pair in zip(sheet.columns, row.cells, strict=True)]
        cells = [(number, cell) for number, (column, cell) in of_column if column.rank and cell and cell.counts]
        most = max(cell.points for _number, cell in cells)
        (number, top), *others = [each for each in cells if each[1].points == most]
        if not others:
            (player,) = as_everybody_reads(league, [top.seat.player])
            said.append(biggest_hanchan(plain_name(player), number, top.points, top.seat.raw_score))
    if lines := rank_changes(session, month, (column.player.pk for column in sheet.columns)):
        moved = zip(as_everybody_reads(league, (line.player for line in lines)), lines, strict=True)
        changes = [(plain_name(player), line.previous_rank, line.rank) for player, line in moved]
        said.append(changes_of_rank(changes, period_title(month)))
    return said


@dataclass(frozen=True, slots=True)
class Comeback:
    """The largest comeback: from `low`, below zero, to a total above it."""

    player: int
    low: int
    total: int


def best_comeback(curves: Mapping[int, Sequence[int]]) -> Comeback | None:
    """Return the largest rise from below zero to above it, or None. If tied, the smaller key.

    `curves`: totals by player, step by step.
    """
    ended = [Comeback(player, min(curve), curve[-1]) for player, curve in sorted(curves.items()) if curve]
    back = [each for each in ended if each.low < 0 < each.total]
    return max(back, key=lambda each: each.total - each.low, default=None)


def most_played(games: Mapping[tuple[int, int], int]) -> tuple[tuple[int, int], int] | None:
    """Return the two players who met most often, and how often, or None. If tied, the smaller keys."""
    if not games:
        return None
    pair = min(games, key=lambda each: (-games[each], each))
    return pair, games[pair]


IN_RACE = 5
"""Number of players in the chart."""

MAX_KEPT = 2000
"""Maximum number of stored player months read; larger leagues get no most frequent pair."""


@dataclass(frozen=True, slots=True)
class PeriodStory:
    """The story of a month or year. `lines`: the board, ranked players first; `race`: totals of the leaders by step.

    `defended`: primary keys of players who also won the previous period. `pair`: the two who met most often, and how
    often; None for current months. `short`: players one hanchan below the minimum.
    """

    period: Period
    hanchan: int
    lines: tuple[Standing, ...]
    champions: tuple[Standing, ...]
    defended: frozenset[int]
    steps: tuple[str, ...]
    race: tuple[tuple[Standing, tuple[int, ...]], ...]
    comeback: Comeback | None
    records: MonthRecords | None
    titles: tuple[GivenTitle, ...]
    pair: tuple[Player, Player, int] | None
    short: tuple[Standing, ...]

    @property
    def players(self) -> list[Player]:
        named = [line.player for line in self.lines]
        named += self.records.players if self.records else ()
        return [*named, *(self.pair[:2] if self.pair else ())]

    def player(self, key: int) -> Player:
        return next(line.player for line in self.lines if line.player_id == key)


def period_story(league: League, period: Period) -> PeriodStory | None:
    """Return the story of a month or year, None without points. At most eleven queries."""
    lines = board_lines(league, period)
    if not lines:
        return None
    board = Board.objects.filter(league=league, period=period.key).values_list("hanchan", flat=True).first()
    champions = tuple(line for line in lines if line.rank == 1)
    careers = _kept_careers(league, period) if len(lines) <= MAX_KEPT else []
    steps, curves = _curves(league, period, [line.player_id for line in lines], careers)
    by_key = {line.player_id: line.player for line in lines}
    pair = most_played(_meetings(careers))
    minimum = minimum_for(league, period)
    return PeriodStory(
        period=period,
        hanchan=board or 0,
        lines=tuple(lines),
        champions=champions,
        defended=_winners_before(league, period) & {line.player_id for line in champions},
        steps=tuple(steps),
        race=tuple((line, curves[line.player_id]) for line in lines[:IN_RACE] if line.rank is not None),
        comeback=best_comeback({line.player_id: curves[line.player_id] for line in lines if line.rank is not None}),
        records=month_records(league, period),
        titles=tuple(title for title in given_titles(league, period) if {*title.standing.holders} <= {*by_key}),
        pair=(by_key[pair[0][0]], by_key[pair[0][1]], pair[1]) if pair and {*pair[0]} <= {*by_key} else None,
        short=tuple(line for line in lines if line.rank is None and minimum - line.all_hanchan == 1),
    )


def told_periods(league: League) -> list[Period]:
    boards = Board.objects.filter(league=league, lines__gt=0).exclude(period="all")
    periods = [parse_period(key, league.first_month) for key in boards.values_list("period", flat=True)]
    return sorted(periods, key=lambda period: (period.start, period.key), reverse=True)


def _winners_before(league: League, period: Period) -> frozenset[int]:
    before, _after = neighbours(period)
    if before is None:
        return frozenset()
    lines = Standing.objects.filter(league=league, period=before.key, rank=1)
    return frozenset(lines.values_list("player_id", flat=True))


def _kept_careers(league: League, period: Period) -> list[tuple[int, Career]]:
    """Return the stored careers of a period's months, by player; empty if a month is not stored.

    Storing a month does not raise the edition, so a page cached before the day ends already has the complete data.
    """
    within = {"period__gte": f"{period.start:%Y-%m}", "period__lte": f"{period.last:%Y-%m}", "period__contains": "-"}
    played = Board.objects.filter(league=league, hanchan__gt=0, **within).count()
    kept = still_true(KeptSums.objects.filter(league=league, player__isnull=False, **within))
    rows = list(kept.values_list("period", "player", "sums")[: MAX_KEPT + 1])
    if len(rows) > MAX_KEPT or len({month for month, _player, _career in rows}) < played:
        return []
    return [(player, from_json(career)) for _month, player, career in rows]


def _meetings(careers: Sequence[tuple[int, Career]]) -> Counter[tuple[int, int]]:
    games: Counter[tuple[int, int]] = Counter()
    for player, career in careers:
        for met in career.opponents:
            if player < met.opponent:
                games[player, met.opponent] += met.games
    return games


def _curves(
    league: League, period: Period, players: list[int], careers: Sequence[tuple[int, Career]]
) -> tuple[list[str], dict[int, tuple[int, ...]]]:
    if careers and period.kind is PeriodKind.MONTH:
        gains: dict[int, Counter[str]] = defaultdict(Counter)
        for player, career in careers:
            for day in career.days:
                gains[player][day.on.isoformat()] += sum(day.gains)
        for line in points_without_hanchan(league, period):
            gains[line.player][line.day.isoformat()] += line.points
        steps = sorted({step for each in gains.values() for step in each})
    else:
        found, steps = gains_in(league, period, players)
        gains = defaultdict(Counter, {player: Counter(dict(each)) for player, each in found.items()})
    return steps, {player: tuple(accumulate(gains[player][step] for step in steps)) for player in players}
