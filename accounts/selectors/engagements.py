from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from league.models import League, Player


@dataclass(frozen=True, slots=True)
class Engagement:
    """Something a user takes part in, such as a tournament. `call`: what they have to do, or ""."""

    league: League
    name: str
    state: str
    address: str
    call: str = ""


tellers: list[Callable[[Sequence[Player]], Iterable[Engagement]]] = []
"""Who knows what these players are entered for; each costs a few queries, however many players there are."""


def engagements_of(players: Sequence[Player]) -> list[Engagement]:
    return [each for tell in tellers for each in tell(players)] if players else []
