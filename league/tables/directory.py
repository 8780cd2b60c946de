"""The directory of players: search by any of their names, sorted by reading."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import OuterRef, Subquery
from django.utils.translation import get_language

from league.core.periods import ALL_TIME, parse_period
from league.core.readings import index_row
from league.core.searching import SearchKeys, Wanted
from league.messages import period_title
from league.models import League, Player, Seat, Standing
from league.permissions import hide_names, may_read_name
from league.selectors.people import listing_order
from league.selectors.what_if import NOTHING, period_totals


def sections(league: League, wanted: str, user: User | AnonymousUser) -> list[tuple[str, list[Any]]]:
    """Return all current and former players by index heading, filtered by names that contain `wanted`.

    Names that the reader may not see cannot be searched. Players have their number of `hanchan`, from boards where these
    are up to date, and the day of the `latest`. At most five queries.
    """
    sought, totals = Wanted.of(wanted), period_totals(league, ALL_TIME)
    seats = Seat.objects.counted().filter(league=league, player=OuterRef("pk")).order_by("-played_at")
    players: Any = Player.objects.filter(league=league).active().by_reading().prefetch_related("aliases")
    found = [
        player
        for player in players.annotate(latest=Subquery(seats.values("day")[:1]))
        if (player.is_active or player.pk in totals)
        and (not sought.words or sought.rank_of(SearchKeys.of(_names(player, user, league))) is not None)
    ]
    hide_names(user, league, found)
    grouped: dict[str, list[Any]] = {}
    for player in sorted(found, key=listing_order):
        player.hanchan = totals.get(player.pk, NOTHING).hanchan
        grouped.setdefault(index_row(reading_of(player)), []).append(player)
    return sorted(grouped.items(), key=_place)


def add_year(league: League, found: list[tuple[str, list[Any]]]) -> str:
    """Set each player's `line` on the board of the year of the latest play. Return the year's title, or "". One query."""
    listed = [player for _heading, players in found for player in players]
    latest = max((player.latest for player in listed if player.latest), default=None)
    if latest is None:
        return ""
    lines = {line.player_id: line for line in Standing.objects.filter(league=league, period=str(latest.year))}
    for player in listed:
        player.line = lines.get(player.pk)
    return period_title(parse_period(str(latest.year)))


def _place(section: tuple[str, list[Any]]) -> tuple[bool, bool, str]:
    """Sort kana before letters in Japanese, after them in English, and "#" last."""
    heading = section[0]
    is_latin = heading.isascii()
    return heading == "#", is_latin if get_language() == "ja" else not is_latin, heading


def reading_of(player: Player) -> str:
    return player.listed_by if get_language() == "ja" else player.romanised or player.listed_by


def _names(player: Player, user: User | AnonymousUser, league: League) -> Iterable[str]:
    if not may_read_name(user, player, league):
        return ()
    aliases = (alias.name for alias in player.aliases.all())
    return (player.name, player.kana, player.romanised, player.number, player.club, *aliases)
