"""The directory of players: search by any of their names, sorted by reading."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import get_language

from league.core.name_order import name_order
from league.core.readings import index_row
from league.core.searching import SearchKeys, Wanted
from league.models import League, Player
from league.permissions import hide_names, may_read_name
from league.selectors.directory import DirectoryPlayer, directory


@dataclass(frozen=True, slots=True)
class DirectorySection:
    """The players under one heading of the index."""

    heading: str
    listed: tuple[DirectoryPlayer, ...]


def sections(league: League, wanted: str, user: User | AnonymousUser) -> list[DirectorySection]:
    """Return the directory by index heading, filtered by names that contain `wanted`.

    Names that the reader may not see cannot be searched.
    """
    sought = Wanted.of(wanted)
    everybody = directory(league)
    found = [
        entry
        for entry in everybody
        if not sought.words or sought.rank_of(SearchKeys.of(_names(entry.player, user, league))) is not None
    ]
    hide_names(user, league, [entry.player for entry in found])
    grouped: dict[str, list[DirectoryPlayer]] = {}
    for entry in sorted(found, key=lambda entry: _order(entry.player)):
        grouped.setdefault(index_row(reading_of(entry.player)), []).append(entry)
    return [DirectorySection(heading, tuple(listed)) for heading, listed in sorted(grouped.items(), key=_place)]


def _place(section: tuple[str, list[DirectoryPlayer]]) -> tuple[bool, bool, str]:
    """Sort kana before letters in Japanese, after them in English, and "#" last."""
    heading = section[0]
    is_latin = heading.isascii()
    return heading == "#", is_latin if get_language() == "ja" else not is_latin, heading


def reading_of(player: Player) -> str:
    return player.listed_by if get_language() == "ja" else player.romanised or player.listed_by


def _order(player: Player) -> str:
    is_stored = get_language() == "ja" or not player.romanised
    return player.sort_key if is_stored else name_order(player.romanised, "", "")


def _names(player: Player, user: User | AnonymousUser, league: League) -> Iterable[str]:
    if not may_read_name(user, player, league):
        return ()
    aliases = (alias.name for alias in player.aliases.all())
    return (player.name, player.kana, player.romanised, player.number, player.club, *aliases)
