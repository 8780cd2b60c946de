"""What a person is entered for in apps above this one: each of them tells it through here."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from league.models import League, Player


@dataclass(frozen=True, slots=True)
class Engagement:
    """Something that a person takes part in, such as a tournament: its name, how far it is, and where it is shown.

    `call`: what they are to do there now, empty for nothing.
    """

    league: League
    name: str
    state: str
    address: str
    call: str = ""


tellers: list[Callable[[Sequence[Player]], Iterable[Engagement]]] = []
"""Who knows what these players are entered for; each costs a few queries, however many players there are."""


def engagements_of(players: Sequence[Player]) -> list[Engagement]:
    return [each for tell in tellers for each in tell(players)] if players else []
