"""Titles of a league, and their holders according to its boards."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from league.core.periods import Period, PeriodKind
from league.models import League, Player, Standing
from stats.core.titles import TitleLine, TitleRule, TitleScope, TitleStanding, Unit, load_titles, standing_of
from stats.models import OwnTitle

SCOPES = {PeriodKind.MONTH: TitleScope.MONTH, PeriodKind.YEAR: TitleScope.YEAR, PeriodKind.ALL: TitleScope.ALL}

AS_THEY_ARE = (
    *("hanchan", "rank", "total", "placed", "averaged", "first", "second", "third", "fourth", "plus", "busts"),
    *("raw_best", "points_best"),
)
"""Board columns copied to title lines unchanged."""


@dataclass(frozen=True, slots=True)
class GivenTitle:
    """The standing of a title in a period; players are primary keys. `unit`: of its values."""

    rule: TitleRule
    unit: Unit
    standing: TitleStanding


def given_titles(league: League, period: Period, given: Sequence[TitleRule] | None = None) -> list[GivenTitle]:
    """Return title standings of a month, year or all time: built-in ones, then the league's own.

    Two queries, one if `given`.
    """
    if given is None:
        own = OwnTitle.objects.filter(league=league, withdrawn=False).order_by("pk")
        given = [*load_titles(), *(title.read() for title in own)]
    board = Standing.objects.filter(league=league, period=period.key, player__league=league)
    scope, lines = SCOPES[period.kind], [_line(league, each) for each in board.order_by("player")]
    # Board scores are in the unit of the league's metric.
    of_board = Unit.PLACEMENT if league.metric == League.Metric.AVERAGE_PLACEMENT else Unit.POINTS
    units = {Unit.BOARD: of_board}
    return [
        GivenTitle(rule, units.get(rule.measured.unit, rule.measured.unit), standing_of(rule, scope, lines))
        for rule in given
        if scope in rule.minimum
    ]


def people(standings: list[GivenTitle], missing: int) -> dict[int, Player]:
    named: set[int] = set()
    for each in standings:
        named.update(each.standing.holders, each.standing.runner_up)
        named.update(player for player, _ in each.standing.missing[:missing])
    return Player.objects.order_by().in_bulk(named)


def _line(league: League, line: Standing) -> TitleLine:
    score: Fraction | int = line.total
    if league.metric == League.Metric.AVERAGE_POINTS:
        score = Fraction(line.averaged, line.all_hanchan or 1)
    elif league.metric == League.Metric.AVERAGE_PLACEMENT:
        score = Fraction(line.all_halves, 2 * (line.placed or 1))
    return TitleLine(
        player=line.player_id,
        score=score,
        counted=line.all_hanchan,
        placement_halves=line.all_halves,
        **{name: getattr(line, name) for name in AS_THEY_ARE},
    )
