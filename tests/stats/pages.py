import re

from league.models import League, Player


def named(league: League, name: str = "Aoki") -> Player:
    return league.players.get(romanised=name)


def links(html: str) -> list[str]:
    return re.findall(r'<a\b[^>]*?\bhref="([^"]*)"', html.partition("<main")[2].partition("</main>")[0])
