"""Search within a league. Apps above this one register their own sources."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy, override

from league.core.searching import SearchKeys, Wanted
from league.models import League, Player, PlayerAlias
from league.models.players import PlayerQuerySet
from league.permissions import Person, hide_names, may_read_name

MAX_FOUND = 20
"""Results shown per kind."""


@dataclass(frozen=True, slots=True)
class FoundThings:
    """Results of one kind: the first ones, and the total number."""

    things: Sequence[Any]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.things)


@dataclass(frozen=True, slots=True)
class SearchSource:
    """A kind of search results. `heading`: lazily translated; `template` renders one result as `thing`.

    `find` returns visible results, best first, at most MAX_FOUND, in a constant number of queries.
    """

    heading: Any
    template: str
    find: Callable[[Person, League, Wanted], FoundThings]


further_sources: list[SearchSource] = []
"""Other apps append theirs when they are loaded."""


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A player, and the other name that matched, if any."""

    player: Player
    alias: str = ""


def search(user: Person, league: League, wanted: Wanted) -> list[tuple[SearchSource, FoundThings]]:
    """Return what the user may find in a league, by kind, omitting empty kinds. Seven queries at any size."""
    if not wanted.words:
        return []
    found = ((source, source.find(user, league, wanted)) for source in (PLAYERS, SESSIONS, *further_sources))
    return [(source, things) for source, things in found if things.count]


def find_players(user: Person, league: League, wanted: Wanted) -> FoundThings:
    """Return matching players. Names that the user may not read do not match. Four queries."""
    # Cached pages are shared by all readers, so only a name's visibility decides.
    readable = [each for each in Player.Visibility.values if may_read_name(user, Player(visibility=each), league)]
    everybody = Player.objects.filter(league=league, visibility__in=readable)
    players = everybody.active()
    aliases = _other_names(players, everybody)
    columns = ("pk", "name", "kana", "romanised", "number", "club")
    ranked = []
    for pk, *names in players.by_reading().values_list(*columns):
        rank = wanted.rank_of(SearchKeys.of((*names, *aliases.get(pk, ()))))
        if rank is not None:
            ranked.append((rank, pk))
    ranked.sort(key=lambda found: found[0])
    shown = Player.objects.in_bulk([pk for _rank, pk in ranked[:MAX_FOUND]])
    hide_names(user, league, shown.values())
    things = [
        FoundPlayer(shown[pk], _alias(wanted, shown[pk], aliases.get(pk, [])))
        for _rank, pk in ranked[:MAX_FOUND]
        if pk in shown
    ]
    return FoundThings(things, len(ranked))


def _other_names(players: PlayerQuerySet, everybody: PlayerQuerySet) -> dict[int, list[str]]:
    """Return other names of players, including names of players merged into them. Two queries."""
    others = [*PlayerAlias.objects.filter(player__in=players).values_list("player", "name")]
    for pk, *names in everybody.filter(merged_into__in=players).values_list("merged_into", "name", "kana"):
        others += ((pk, name) for name in names if name and pk is not None)
    aliases: dict[int, list[str]] = {}
    for pk, name in others:
        aliases.setdefault(pk, []).append(name)
    return aliases


def _alias(wanted: Wanted, player: Player, aliases: list[str]) -> str:
    if wanted.rank_of(SearchKeys.of((player.name, player.kana, player.romanised))) is not None:
        return ""
    return next((alias for alias in aliases if wanted.rank_of(SearchKeys.of((alias,))) is not None), "")


def find_sessions(_user: Person, league: League, wanted: Wanted) -> FoundThings:
    """Return sessions with this title, number, venue or day, latest first. Two queries."""
    sessions = league.sessions.kept().order_by("-date", "-number", "-pk")
    untitled = _untitled()
    found = [
        pk
        for pk, number, day, *names in sessions.values_list("pk", "number", "date", "title", "title_en", "venue")
        if wanted.is_title(_session_keys(untitled.numbered(number), *names), day)
    ]
    shown = league.sessions.in_bulk(found[:MAX_FOUND])
    return FoundThings([shown[pk] for pk in found[:MAX_FOUND] if pk in shown], len(found))


def _untitled() -> SearchKeys:
    names = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            names.append(gettext("Session %(number)s") % {"number": 0})
    return SearchKeys.of(names)


def _session_keys(untitled: SearchKeys, title: str, title_en: str, venue: str) -> SearchKeys:
    if title:
        return SearchKeys.of((title, title_en, venue))
    place = SearchKeys.of((venue,))
    return SearchKeys(untitled.written + place.written, untitled.latin + place.latin)


PLAYERS = SearchSource(gettext_lazy("Players"), "stats/search/player.html", find_players)
SESSIONS = SearchSource(gettext_lazy("Sessions"), "stats/search/session.html", find_sessions)
