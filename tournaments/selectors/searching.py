"""Tournaments that a search in their league finds."""

from django.utils.translation import gettext_lazy

from league.core.searching import SearchKeys, Wanted
from league.models import League
from league.permissions import Person
from stats.selectors.search_sources import MAX_FOUND, FoundThings, SearchSource, register_search
from tournaments.models import Tournament


def find_tournaments(_user: Person, league: League, wanted: Wanted) -> FoundThings:
    """Return the tournaments of this name in either language, the latest first. One query."""
    tournaments = Tournament.objects.filter(league=league).defer("document", "note").order_by("-pk")
    found = [each for each in tournaments if wanted.is_title(SearchKeys.of((each.name, each.name_en)))]
    return FoundThings(found[:MAX_FOUND], len(found))


TOURNAMENTS = SearchSource(gettext_lazy("Tournaments"), "tournaments/parts/found.html", find_tournaments)


def register() -> None:
    register_search(TOURNAMENTS)
