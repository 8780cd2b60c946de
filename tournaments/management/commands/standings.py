import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.core.periods import ALL_TIME, Period, PeriodError, parse_period
from league.management.arguments import find_league, is_text
from league.models import League, Player, Standing
from league.selectors.boards import in_board_order, live_lines
from scoring.core import TieBreakReason, format_points
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of

Document = dict[str, Any]


def stage_ranking(tournament: Tournament, stage: str | None, block: str | None, after: int | None) -> Document:
    known = [each.key for each in tournament.format.stages]
    if stage is None:
        raise CommandError(f"Choose a stage with --stage: {', '.join(known)}.")
    if stage not in known:
        raise CommandError(f"There is no stage {stage!r} in {tournament.key}. Known stages: {', '.join(known)}.")
    current = state_of(tournament, None if after is None else {stage: after})
    rankings = _tables(current.state.stage(stage), block)
    document: Document = {"league": tournament.league.slug, "tournament": tournament.key, "stage": stage}
    if block is not None:
        document["block"] = block
    if after is not None:
        document["after_hanchan"] = after
    lines = [
        _ranked(current, ranking, line, is_one=len(rankings) == 1) for ranking in rankings for line in ranking.lines
    ]
    return document | {"ranking": lines}


def find_tournament(league: League, key: str) -> Tournament:
    tournament = league.tournaments.filter(key=key).first() if is_text(key) else None
    if tournament is None:
        known = ", ".join(league.tournaments.order_by("pk").values_list("key", flat=True)) or "none"
        raise CommandError(f"There is no tournament {key!r} in {league.slug}. Known tournaments: {known}.")
    tournament.league = league
    return tournament


def _tables(progress: StageProgress, block: str | None) -> list[BlockRanking]:
    rankings = [ranking for ranking in progress.rankings if block in {None, ranking.block}]
    if not rankings:
        known = ", ".join(filter(None, progress.stage.block_keys))
        remedy = f"Known blocks: {known}." if known else "This stage has only one block; leave --block out."
        raise CommandError(f"There is no block {block!r} in {progress.stage.key}. {remedy}")
    return rankings


def _ranked(current: CurrentState, ranking: BlockRanking, line: RankingLine, *, is_one: bool) -> Document:
    player = current.player(line.participant)
    document = _line(line, player, line.points, line.played, line.decided_by) | {"goes_to": line.advances_to}
    if not is_one:
        document["block"] = ranking.block
    flags = {"shared": line.shared, "undecided": line.undecided, "withdrawn": line.withdrawn}
    document |= {name: value for name, value in flags.items() if value}
    return document | ({"rank": None, "unranked": line.unranked.value} if line.unranked else {})


ONLY_WITH_TOURNAMENT = ("stage", "block", "after_hanchan")


class Command(BaseCommand):
    help = (
        "Print the ranking of a month, a year, a range of days, all time, or a tournament stage as JSON, "
        "calculated from the facts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league's address, such as camarade")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--month", metavar="YYYY-MM")
        which.add_argument("--year", metavar="YYYY")
        which.add_argument("--all", action="store_true", help="all time")
        which.add_argument("--from", metavar="YYYY-MM-DD", dest="first", help="with --to: both days included")
        which.add_argument("--tournament", metavar="KEY", help="with --stage: a tournament of the league")
        parser.add_argument("--to", metavar="YYYY-MM-DD", dest="last")
        parser.add_argument("--stage", metavar="KEY", help="such as qualifying")
        parser.add_argument("--block", metavar="NAME", help="one block only")
        parser.add_argument("--after-hanchan", metavar="N", type=int, help="ranking after N hanchan of each player")

    def handle(self, *args: Any, **options: Any) -> None:
        league = find_league(options["slug"])
        document = _of_stage(league, options) if options["tournament"] else _of_period(league, options)
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1))


def _of_stage(league: League, options: dict[str, Any]) -> dict[str, Any]:
    if options["last"]:
        raise CommandError("--to needs --from.")
    after = options["after_hanchan"]
    if after is not None and after < 0:
        raise CommandError("--after-hanchan needs a number of hanchan, 0 or more.")
    tournament = find_tournament(league, options["tournament"])
    return stage_ranking(tournament, options["stage"], options["block"], after)


def _of_period(league: League, options: dict[str, Any]) -> dict[str, Any]:
    for name in ONLY_WITH_TOURNAMENT:
        if options[name] is not None:
            raise CommandError(f"--{name.replace('_', '-')} needs --tournament.")
    period = _period(league, options)
    # Computed directly from the facts, so correct even if background tasks are behind.
    ranking = [
        _line(line, line.player, line.total, line.all_hanchan, line.decided_by and TieBreakReason(**line.decided_by))
        for line in in_board_order(live_lines(league, period))
    ]
    return {"league": league.slug, "period": period.key, "ranking": ranking}


def _period(league: League, options: dict[str, Any]) -> Period:
    first, last = options["first"], options["last"]
    named = options["month"] or options["year"]
    if bool(first) != bool(last):
        raise CommandError("A range needs both --from and --to, such as --from 2025-11-01 --to 2025-11-21.")
    if not (named or options["all"] or first):
        raise CommandError("Choose a ranking: --month 2025-11, --year 2025, --all, --from with --to, or --tournament.")
    try:
        period = ALL_TIME if options["all"] else parse_period(named or f"{first}..{last}", league.first_month)
    except PeriodError as error:
        raise CommandError(f"{named or f'{first} to {last}'} is not a period. Use 2025-11, 2025 or days.") from error
    if (options["month"] and period.kind != "month") or (options["year"] and period.kind != "year"):
        raise CommandError(f"{named} is not valid. Use --month 2025-11 or --year 2025.")
    return period


def _line(
    line: Standing | RankingLine, player: Player, points: int, games: int, decided_by: TieBreakReason | None
) -> Document:
    return {
        "rank": line.rank,
        "player": player.key,
        "name": player.name,
        "points": format_points(points),
        "games": games,
        "decided_by": str(decided_by) if decided_by else None,
    }
