"""Wishes met by giving the players of a schedule other numbers: nothing that is good about it is lost."""

from collections.abc import Iterable, Mapping
from math import exp
from random import Random

from tournaments.core.seating.meetings import meetings
from tournaments.core.seating.problem import Groups, Matrix

Pair = tuple[int, int]

HOT, COLD, PROPOSALS = 20.0, 1.0, 20_000


def relabelled(groups: Groups, players: int, unwanted: Mapping[Pair, int], random: Random) -> tuple[Groups, int]:
    """Return the schedule with renumbered players, and the weight of the unwanted meetings that are left.

    First clubs are put whole into the columns of the design, players who never meet; where they do not fit, players are
    exchanged. `unwanted`: pairs and the weight of each of their meetings.
    """
    met = meetings(groups, players)
    place = _packed(_families(unwanted), len(groups[0]), players, random)
    if _weight(place, met, unwanted):
        place = _exchanged(place, met, unwanted, random)
    owner = {seat: player for player, seat in enumerate(place)}
    renamed = [[[owner[seat] for seat in table] for table in tables] for tables in groups]
    return renamed, _weight(place, met, unwanted)


def _families(pairs: Iterable[Pair]) -> list[list[int]]:
    family: dict[int, list[int]] = {}
    for one, other in pairs:
        mine, theirs = family.setdefault(one, [one]), family.setdefault(other, [other])
        if mine is not theirs:
            mine += theirs
            family.update(dict.fromkeys(theirs, mine))
    distinct = {id(members): members for members in family.values()}
    return sorted(distinct.values(), key=len, reverse=True)


def _packed(families: list[list[int]], width: int, players: int, random: Random) -> list[int]:
    """Return a place for every player: families in one column each as far as they fit, greatest first."""
    places = range(players)
    free = [list(places[start : start + width]) for start in range(0, players, width)]
    left = random.sample(places, players)
    placed: dict[int, int] = {}
    for family in families:
        column = next((column for column in free if len(column) >= len(family)), None)
        if column is not None:
            placed |= {player: column.pop(0) for player in family}
    rest = [place for column in free for place in column]
    placed |= dict(zip((player for player in left if player not in placed), rest, strict=True))
    return [placed[player] for player in range(players)]


def _weight(place: list[int], met: Matrix, unwanted: Mapping[Pair, int]) -> int:
    return sum(weight * met[place[one]][place[other]] for (one, other), weight in unwanted.items())


def _exchanged(place: list[int], met: Matrix, unwanted: Mapping[Pair, int], random: Random) -> list[int]:
    """Return places after a search that lets two players exchange theirs, one of them with wishes."""
    wishes: dict[int, list[Pair]] = {}
    for (one, other), weight in unwanted.items():
        wishes.setdefault(one, []).append((other, weight))
        wishes.setdefault(other, []).append((one, weight))
    place, left = place[:], _weight(place, met, unwanted)
    picky, warmth, cooling = sorted(wishes), HOT, (COLD / HOT) ** (1 / PROPOSALS)
    for _ in range(PROPOSALS):
        if not left:
            break
        warmth *= cooling
        pair = (picky[int(random.random() * len(picky))], int(random.random() * len(place)))
        before = _weight_of(pair, place, met, wishes)
        _exchange(place, pair)
        change = _weight_of(pair, place, met, wishes) - before
        if change > 0 and random.random() >= exp(-change / warmth):
            _exchange(place, pair)
        else:
            left += change
    return place


def _exchange(place: list[int], pair: Pair) -> None:
    one, other = pair
    place[one], place[other] = place[other], place[one]


def _weight_of(pair: Pair, place: list[int], met: Matrix, wishes: Mapping[int, list[Pair]]) -> int:
    """Return the weight of the meetings of two players; one between them is the same before and after an exchange."""
    total = 0
    for player in set(pair):
        row = met[place[player]]
        for other, weight in wishes.get(player, ()):
            if other not in pair:
                total += weight * row[place[other]]
    return total
