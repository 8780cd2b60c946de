"""Which titles a league gives, and who holds them by its boards."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from league.core.periods import Period, PeriodKind
from league.models import League, Player, Standing
from stats.core.titles import TitleLine, TitleRule, TitleScope, TitleStanding, Unit, load_titles, standing_of
from stats.models import OwnTitle

SCOPES = {
    PeriodKind.MONTH: TitleScope.MONTH,
    PeriodKind.YEAR: TitleScope.YEAR,
    PeriodKind.ALL: TitleScope.ALL,
}

COLUMNS = (
    "player_id",
    "hanchan",
    "rank",
    "total",
    "placement_halves",
    "sums_hanchan",
    "sums_unknown",
    "sums_placed",
    "sums_halves",
    "sums_left_out",
    "first",
    "second",
    "third",
    "fourth",
    "plus",
    "busts",
    "raw_best",
    "points_best",
)


@dataclass(frozen=True, slots=True)
class GivenTitle:
    """A title with how it stands in a period; players are primary keys. `unit`: what its values are."""

    rule: TitleRule
    unit: Unit
    standing: TitleStanding


def titles_of(league: League) -> list[TitleRule]:
    """Return the titles that are given in a league: those that are shipped, then its own. One query."""
    own = OwnTitle.objects.filter(league=league, withdrawn=False).order_by("pk")
    return [*load_titles(), *(title.read() for title in own)]


def given_titles(league: League, period: Period, given: Sequence[TitleRule] | None = None) -> list[GivenTitle]:
    """Return the titles of a month, a year or all time as they stand by its board. Two queries, one where they are `given`."""
    scope, lines = SCOPES[period.kind], title_lines(league, period)
    return [
        GivenTitle(rule, unit_of(league, rule), standing_of(rule, scope, lines))
        for rule in (titles_of(league) if given is None else given)
        if scope in rule.minimum
    ]


def title_lines(league: League, period: Period) -> list[TitleLine]:
    """Return the lines of a board that is stored, as titles look at them. One query."""
    rows = Standing.objects.filter(league=league, period=period.key, player__league=league)
    return [
        _line(league, dict(zip(COLUMNS, row, strict=True))) for row in rows.order_by("player").values_list(*COLUMNS)
    ]


def unit_of(league: League, rule: TitleRule) -> Unit:
    """Return what the values of a title are; those of the board are what the league orders by."""
    unit = rule.measured.unit
    if unit is not Unit.BOARD:
        return unit
    return Unit.PLACEMENT if league.metric == League.Metric.AVERAGE_PLACEMENT else Unit.POINTS


def people(standings: list[GivenTitle], missing: int) -> dict[int, Player]:
    """Return everybody who is named in how titles stand, of those who miss hanchan so many. One query."""
    named: set[int] = set()
    for each in standings:
        named.update(each.standing.holders, each.standing.runner_up)
        named.update(player for player, _ in each.standing.missing[:missing])
    return Player.objects.order_by().in_bulk(named)


def _line(league: League, row: dict[str, int]) -> TitleLine:
    hanchan, placed = row["hanchan"], row["hanchan"] + row["sums_placed"]
    halves = row["placement_halves"] + row["sums_halves"]
    averaged, counted = row["total"] - row["sums_left_out"], hanchan + row["sums_hanchan"]
    score: Fraction | int = row["total"]
    if league.metric == League.Metric.AVERAGE_POINTS:
        score = Fraction(averaged, counted or 1)
    elif league.metric == League.Metric.AVERAGE_PLACEMENT:
        score = Fraction(halves, 2 * (placed or 1))
    return TitleLine(
        player=row["player_id"],
        score=score,
        averaged=averaged,
        counted=counted,
        placed=placed,
        placement_halves=halves,
        **{name: row[name] for name in AS_THEY_ARE},
    )


AS_THEY_ARE = (
    "hanchan",
    "rank",
    "total",
    "first",
    "second",
    "third",
    "fourth",
    "plus",
    "busts",
    "raw_best",
    "points_best",
)
