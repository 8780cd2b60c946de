"""Whom a page compares: those that its address names, and everybody there is to choose from."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from league.core.numbers import small_number
from league.models import Player


@dataclass(frozen=True, slots=True)
class PersonChoice:
    """Somebody to choose."""

    player: Player
    is_chosen: bool


def people_named(query: QueryDict, players: Collection[int], most: int) -> list[int]:
    """Return whom an address names among these players, each once and in its order, so many at most."""
    named = dict.fromkeys(small_number(text, 0) for text in query.getlist("p"))
    return [player for player in named if player in players][:most]


def person_choices(players: Iterable[Player], chosen: Sequence[int]) -> list[PersonChoice]:
    """Return everybody in the order of their names, as the reader reads them."""
    return [
        PersonChoice(player, player.pk in chosen)
        for player in sorted(players, key=lambda each: (each.sort_key, each.pk))
    ]
