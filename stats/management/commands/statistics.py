"""manage.py statistics SLUG [--player KEY] [--scope SCOPE] [--json]."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.core.periods import Period, PeriodError, parse_period
from league.management.arguments import find_league, is_text
from league.models import League, Player
from league.selectors.merging import current_player
from stats.selectors.summaries import Summary, summaries

COLUMNS = {
    "key": "player",
    "hanchan": "hanchan",
    "sessions": "sessions",
    "total": "total",
    "average": "average",
    "average_placement": "placement",
    "first": "1st",
    "second": "2nd",
    "third": "3rd",
    "fourth": "4th",
    "top2_rate": "top two",
    "avoid_last_rate": "not last",
    "average_raw": "raw score",
    "busts": "busts",
}
"""What the table shows, by the name that JSON has for it."""


class Command(BaseCommand):
    help = (
        "Prints what the hanchan of a league come to for every player. With --json one object for each, in a list: points "
        "and ratios as decimals in text, exact where they end and with six decimals otherwise, rates as fractions of 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league")
        parser.add_argument("--player", metavar="KEY", help="one player only, by key")
        parser.add_argument("--scope", default="all", help="all, 2026, 2026-11 or 2026-01-01..2026-06-30")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        league = find_league(options["slug"])
        player = None if options["player"] is None else _player(league, options["player"])
        found = summaries(league, _scope(league, options["scope"]), player)
        if options["json"]:
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            self.stdout.write(_table(found))


def _player(league: League, key: str) -> Player:
    player = Player.objects.filter(league=league, key=key).first() if is_text(key) else None
    if player is None:
        raise CommandError(f"There is no player {key!r} in {league.slug}.")
    return current_player(player)


def _scope(league: League, text: str) -> Period:
    try:
        return parse_period(text, league.first_month)
    except PeriodError as error:
        raise CommandError(
            f"{text!r} is no scope: all, a year, a month such as 2026-11, or days such as 2026-01-01..2026-06-30."
        ) from error


def _table(found: list[Summary]) -> str:
    """Return the most asked-for figures in columns, numbers to the right."""
    lines = [list(COLUMNS.values()), *([_cell(each[name]) for name in COLUMNS] for each in found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_padded(line, widths)).rstrip() for line in lines)


def _padded(line: list[str], widths: list[int]) -> list[str]:
    name, *numbers = line
    return [name.ljust(widths[0]), *(number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))]


def _cell(value: str | int | None) -> str:
    return "-" if value is None else str(value)
