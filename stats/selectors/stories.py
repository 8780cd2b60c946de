"""What there is to tell of a month or a year: from its board, the boards and kept months in it, and two of its hanchan."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from league.core.periods import Period, PeriodKind, neighbours, parse_period
from league.models import Board, League, Player, Standing
from league.selectors.boards import board_lines
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import minimum_for
from league.selectors.trends import gains_in
from stats.core.careers import Career, from_json
from stats.core.stories import Comeback, best_comeback, most_played
from stats.models import KeptSums
from stats.selectors.kept import still_true
from stats.selectors.records import MonthRecords, month_records
from stats.selectors.titles import GivenTitle, given_titles

IN_RACE = 5
"""So many of the first are drawn."""

MAX_KEPT = 2000
"""So many players' months are read for a story; of a larger league it is not told who met most often."""


@dataclass(frozen=True, slots=True)
class PeriodStory:
    """A month or a year as it went. `lines`: the board, ranked ones first; `race`: totals of the first, by step.

    `defended`: who had won the period before, too, by primary key. `pair`: the two who met most often, and how often; not
    of months that are still played. `short`: who is one hanchan below the minimum.
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
        """Everybody who may be named."""
        named = [line.player for line in self.lines]
        named += self.records.players if self.records else ()
        return [*named, *(self.pair[:2] if self.pair else ())]

    def player(self, key: int) -> Player:
        """Return somebody of the board."""
        return next(line.player for line in self.lines if line.player_id == key)


def period_story(league: League, period: Period) -> PeriodStory | None:
    """Return the story of a stored month or year; None where nobody has points. At most eleven queries."""
    lines = board_lines(league, period)
    if not lines:
        return None
    board = Board.objects.filter(league=league, period=period.key).values_list("hanchan", flat=True).first()
    champions = tuple(line for line in lines if line.rank == 1)
    careers = _kept_careers(league, period) if len(lines) <= MAX_KEPT else []
    steps, curves = _curves(league, period, [line.player_id for line in lines], careers)
    by_key = {line.player_id: line.player for line in lines}
    pair = most_played(_meetings(careers))
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
        short=_one_short(lines, minimum_for(league, period)),
    )


def told_periods(league: League) -> list[Period]:
    """Return the months and years that have a story, the latest first. One query."""
    boards = Board.objects.filter(league=league, lines__gt=0).exclude(period="all")
    periods = [parse_period(key, league.first_month) for key in boards.values_list("period", flat=True)]
    return sorted(periods, key=lambda period: (period.start, period.key), reverse=True)


def _one_short(lines: Sequence[Standing], minimum: int) -> tuple[Standing, ...]:
    return tuple(line for line in lines if line.rank is None and minimum - line.all_hanchan == 1)


def _winners_before(league: League, period: Period) -> frozenset[int]:
    before, _after = neighbours(period)
    if before is None:
        return frozenset()
    lines = Standing.objects.filter(league=league, period=before.key, rank=1)
    return frozenset(lines.values_list("player_id", flat=True))


def _kept_careers(league: League, period: Period) -> list[tuple[int, Career]]:
    """Return what the months of a period that are kept came to, by player; none where one of its months is not kept.

    Keeping a month raises no edition: of a page that somebody read before, the day that ends it brings what is missing.
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
    """Return the days, or of a year the months, on which points came, and everybody's total after each of them."""
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
