from typing import Any

from league.models import League, Player


def named(league: League, name: str = "Aoki") -> Player:
    return league.players.get(romanised=name)


def text(response: Any) -> str:
    return str(response.content.decode())
