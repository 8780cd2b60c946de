"""Which pages have a picture of their own, and where it is. Apps above add theirs when they are loaded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language

from league.http.freshness import remembered
from league.http.published import edition_of
from league.messages import written_with
from league.models import League
from stats.core.cards import ShareCard

Given = Mapping[str, Any]
"""What an address names besides its league: the number of a session, the key of a period."""


Held = Mapping[str, Any]
"""What a page is rendered from."""


@dataclass(frozen=True, slots=True)
class CardKind:
    """A kind of picture. `address`: what it is called; `takes`: what its address takes besides the league.

    `pages`: whose picture it is. `make` reads what stands on it; it raises Http404 where there is no such thing, and is
    called in the language and time zone of the page. `at_hand` takes it from what a page holds without asking anybody, None
    where the page holds too little.
    """

    address: str
    pages: tuple[str, ...]
    takes: tuple[str, ...]
    make: Callable[[League, Given], ShareCard]
    at_hand: Callable[[Held], ShareCard | None] = lambda _: None

    def url(self, league: League, given: Given) -> str:
        return reverse(self.address, kwargs={"slug": league.slug} | {name: given[name] for name in self.takes})


kinds: dict[str, CardKind] = {}
"""By the name of the page."""


def register_card(kind: CardKind) -> CardKind:
    kinds.update(dict.fromkeys(kind.pages, kind))
    return kind


def kept_card(kind: CardKind, league: League, given: Given) -> ShareCard:
    """Return what stands on a picture, read once for an edition of the league. Raises Http404.

    Whoever asks, it is as everybody reads it, with the sign of the language.
    """
    taken = tuple((name, str(given[name])) for name in kind.takes)
    key = ("card", kind.address, taken, edition_of(league), get_language())
    with written_with(lambda: ""):
        return remembered(key, lambda: kind.make(league, given))
