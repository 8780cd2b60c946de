from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from league.models import League, Player


@dataclass(frozen=True, slots=True)
class Engagement:
    """Something a user takes part in, such as a tournament. `call`: what the user has to do, or ""."""

    league: League
    name: str
    state: str
    address: str
    call: str = ""


tellers: list[Callable[[Sequence[Player]], Iterable[Engagement]]] = []
"""Functions returning the engagements of players, each in a constant number of queries. Apps register their own."""


def engagements_of(players: Sequence[Player]) -> list[Engagement]:
    return [each for tell in tellers for each in tell(players)] if players else []
