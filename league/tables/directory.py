"""The directory of players: search by any of their names, sorted by reading or a column."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import OuterRef, Subquery
from django.utils.translation import get_language, gettext, pgettext

from league.core.board_lines import NO_BASIS
from league.core.periods import ALL_TIME, year_of
from league.core.readings import index_row
from league.core.searching import SearchKeys, Wanted
from league.messages import period_title
from league.models import League, Player, Seat, Standing
from league.permissions import MANAGE, hide_names, may_read_name
from league.selectors.people import listing_order
from league.selectors.what_if import period_totals
from league.services.imports.people import undone
from league.tables.board import ColumnHeading


def listed(league: League, wanted: str, user: User | AnonymousUser) -> list[Any]:
    """Return all current and former players in the order of their names, filtered by names that contain `wanted`.

    Who neither plays nor has played is listed for organisers only, after an undone import only if searched.
    Names that the reader may not see cannot be searched. Players have their number of `hanchan`, from boards where these
    are up to date, and the day of the `latest`. At most five queries.
    """
    sought, totals = Wanted.of(wanted), period_totals(league, ALL_TIME)
    seats = Seat.objects.counted().filter(league=league, player=OuterRef("pk")).order_by("-played_at")
    players: Any = Player.objects.filter(league=league).active().by_reading().prefetch_related("aliases")
    manages = user.has_perm(MANAGE, league)
    gone = undone(league) if manages and not sought.words else set()
    found = [
        player
        for player in players.annotate(latest=Subquery(seats.values("day")[:1]))
        if (player.is_active or player.pk in totals or (manages and player.erased_at is None and player.pk not in gone))
        and (not sought.words or sought.rank_of(SearchKeys.of(_names(player, user, league))) is not None)
    ]
    hide_names(user, league, found)
    for player in found:
        player.hanchan = totals.get(player.pk, NO_BASIS).hanchan
    return sorted(found, key=lambda player: (_place(index_row(reading_of(player))), listing_order(player)))


def sections(players: Iterable[Any], *, has_rows: bool) -> list[tuple[str, list[Any]]]:
    """Group sorted players by the row of the index, or only those whose reading not even a guess says under "#"."""
    grouped: dict[str, list[Any]] = {}
    for player in players:
        heading = index_row(reading_of(player))
        grouped.setdefault(heading if has_rows or heading == "#" else "", []).append(player)
    return list(grouped.items())


def add_year(league: League, players: Iterable[Any]) -> str:
    """Set each player's `line` on the board of the year of the latest play. Return the year's title, or "". One query."""
    latest = max((player.latest for player in players if player.latest), default=None)
    year = latest and year_of(latest, league.first_month)
    stored = Standing.objects.filter(league=league, period=year.key) if year else ()
    lines = {line.player_id: line for line in stored}
    for player in players:
        player.line = lines.get(player.pk)
    return period_title(year) if year else ""


ORDERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "rank": (lambda player: player.line and player.line.rank, ""),
    "score": (lambda player: player.line and player.line.score, "-"),
    "hanchan": (lambda player: player.hanchan or None, "-"),
    "latest": (lambda player: player.latest, "-"),
}
"""The columns that order the directory, with the sign that puts the best, most or latest first."""


def ordered(players: Iterable[Any], sort: str) -> list[Any]:
    """Sort by a column as `sort` names it; players without a value come last, in the order given."""
    value, _sign = ORDERS[sort.removeprefix("-")]
    known = sorted((player for player in players if value(player) is not None), key=value, reverse=sort[:1] == "-")
    return [*known, *(player for player in players if value(player) is None)]


def heads(league: League, asked: Mapping[str, str]) -> list[ColumnHeading]:
    """Return the heads of the columns, which are links with `asked` and another order."""
    by_placement = league.metric == League.Metric.AVERAGE_PLACEMENT
    columns = (
        ("", gettext("Player"), ""),
        ("rank", gettext("Rank"), "num"),
        ("score", gettext("Average placement") if by_placement else pgettext("column", "Points"), "num"),
        ("hanchan", pgettext("statistic", "Hanchan"), "num wide"),
        ("latest", gettext("Last played"), "wide"),
    )
    return [_head(name, label, css, asked) for name, label, css in columns]


def _head(name: str, label: str, css: str, asked: Mapping[str, str]) -> ColumnHeading:
    sort, first = asked["sort"], ORDERS[name][1] + name if name else ""
    second = name if first.startswith("-") else f"-{name}"
    href = "?" + urlencode({**asked, "sort": second if name and sort == first else first})
    direction = "descending" if sort.startswith("-") else "ascending"
    return ColumnHeading(name, label, css, href, direction if name == sort.removeprefix("-") else "")


def _place(heading: str) -> tuple[bool, bool, str]:
    """Sort kana before letters in Japanese, after them in English, and "#" last."""
    is_latin = heading.isascii()
    return heading == "#", is_latin if get_language() == "ja" else not is_latin, heading


def reading_of(player: Player) -> str:
    return player.listed_by if get_language() == "ja" else player.romanised or player.listed_by


def _names(player: Player, user: User | AnonymousUser, league: League) -> Iterable[str]:
    if not may_read_name(user, player, league):
        return ()
    aliases = (alias.name for alias in player.aliases.all())
    return (player.name, player.kana, player.romanised, player.number, player.club, *aliases)
