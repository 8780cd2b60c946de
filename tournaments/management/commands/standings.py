"""manage.py standings SLUG --month 2025-11 | --tournament KEY --stage STAGE."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.core.periods import ALL_TIME, Period, PeriodError, parse_period
from league.management.arguments import find_league
from league.models import League, Standing
from league.selectors.boards import in_board_order, live_lines
from scoring.core import TieBreakReason, format_points
from tournaments.management.ranking import find_tournament, stage_ranking

ONLY_WITH_TOURNAMENT = ("stage", "block", "after_hanchan")


class Command(BaseCommand):
    help = (
        "Prints the ranking of a month, a year, a range of days or all time, or of a stage of a tournament, as JSON, "
        "worked out from the facts."
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
        parser.add_argument("--after-hanchan", metavar="N", type=int, help="as it was after so many of each player")

    def handle(self, *args: Any, **options: Any) -> None:
        league = find_league(options["slug"])
        document = _of_stage(league, options) if options["tournament"] else _of_period(league, options)
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1))


def _of_stage(league: League, options: dict[str, Any]) -> dict[str, Any]:
    if options["last"]:
        raise CommandError("--to goes only with --from.")
    after = options["after_hanchan"]
    if after is not None and after < 0:
        raise CommandError("--after-hanchan needs a number of hanchan, 0 or more.")
    tournament = find_tournament(league, options["tournament"])
    return stage_ranking(tournament, options["stage"], options["block"], after)


def _of_period(league: League, options: dict[str, Any]) -> dict[str, Any]:
    for name in ONLY_WITH_TOURNAMENT:
        if options[name] is not None:
            raise CommandError(f"--{name.replace('_', '-')} goes only with --tournament.")
    period = _period(league, options)
    # Straight from the facts: right also when no worker has caught up with them yet.
    lines = in_board_order(live_lines(league, period))
    return {"league": league.slug, "period": period.key, "ranking": [_line(line) for line in lines]}


def _period(league: League, options: dict[str, Any]) -> Period:
    first, last = options["first"], options["last"]
    named = options["month"] or options["year"]
    if bool(first) != bool(last):
        raise CommandError("A range needs both --from and --to, such as --from 2025-11-01 --to 2025-11-21.")
    if not (named or options["all"] or first):
        raise CommandError("Say which ranking: --month 2025-11, --year 2025, --all, --from with --to, or --tournament.")
    try:
        period = ALL_TIME if options["all"] else parse_period(named or f"{first}..{last}", league.first_month)
    except PeriodError as error:
        raise CommandError(f"{named or f'{first} to {last}'} is no period; write 2025-11, 2025 or days.") from error
    if (options["month"] and period.kind != "month") or (options["year"] and period.kind != "year"):
        raise CommandError(f"{named} does not fit; write --month 2025-11 or --year 2025.")
    return period


def _line(line: Standing) -> dict[str, Any]:
    return {
        "rank": line.rank,
        "player": line.player.key,
        "name": line.player.name,
        "points": format_points(line.total),
        "games": line.all_hanchan,
        "decided_by": str(TieBreakReason(**line.decided_by)) if line.decided_by else None,
    }
