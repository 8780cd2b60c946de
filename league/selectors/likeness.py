"""Players whose names are written alike without being the same: perhaps one person, perhaps two."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from league.core.readings import alike, folded, sight
from league.models import League, Player


def written_alike(league: League, players: Collection[Player]) -> list[tuple[Player, Player]]:
    """Return each of the players with one whose name differs in width, case or variant characters only. One query."""
    by_likeness: dict[str, list[Player]] = defaultdict(list)
    for other in league.players.active().order_by("pk"):
        by_likeness[alike(other.name)].append(other)
    pairs = []
    for player in players:
        others = (other for other in by_likeness[alike(player.name)] if other.name != player.name)
        if (found := next(others, None)) is not None:
            pairs.append((player, found))
    return pairs


def looking_like(names: Iterable[str], players: Iterable[Player]) -> list[Player]:
    """Return the players whose names no reader tells from one of these, though the characters are of another script."""
    plain_by_sight: dict[str, set[str]] = defaultdict(set)
    for name in names:
        plain_by_sight[sight(name)].add(folded(name))
    if not plain_by_sight:
        return []
    return [each for each in players if plain_by_sight.get(sight(each.name), set()) - {folded(each.name)}]
