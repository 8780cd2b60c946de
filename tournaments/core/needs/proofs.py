"""Who has reached the goal, and who cannot any more, whatever scores come out: by proof.

A score has no bound: whoever wins often enough passes everybody, and whoever pays often enough falls behind everybody. So
before a hanchan of one's own totals prove something only where places alone make points. Whoever has played everything stands
still: at a table of others all can end above only if the points of the table allow it, and one ends above where they force it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

from scoring.core import ScoringRules
from tournaments.core.needs.bounds import points_of_a_hanchan
from tournaments.core.needs.case import Case
from tournaments.core.needs.margins import counts_scores, meeting_of, needed
from tournaments.core.needs.patterns import Finish, finishes
from tournaments.core.needs.tables import Tables


@dataclass(frozen=True, slots=True)
class Proofs:
    """Players in their order: who reaches the goal whatever happens, and who whatever happens does not."""

    secured: tuple[str, ...]
    out: tuple[str, ...]


# --- One hanchan at one table ----------------------------------------------------------------------------------------


def proofs_of(case: Case) -> Proofs:
    """Return who of the table is through and who is out before the hanchan, by the totals alone."""
    if case.wanted == 0:
        return Proofs(case.players, ())
    if counts_scores(case.rules):
        return Proofs((), ())
    beaten = {player: [_beaten(case, player, finish) for finish in finishes(case.rules)] for player in case.players}
    return Proofs(
        tuple(player for player in case.players if min(beaten[player]) >= case.wanted),
        tuple(player for player in case.players if max(beaten[player]) < case.wanted),
    )


def _beaten(case: Case, player: str, finish: Finish) -> int:
    """Return how many a player is above after a finish in which the players sit in their order; places alone count."""
    own = case.players.index(player)
    total = case.totals[player] + finish.bonus[own]
    at_the_table = sum(
        needed(case, player, rival, meeting_of(finish, own, seat)).surely == -inf
        for seat, rival in enumerate(case.players)
        if seat != own
    )
    return at_the_table + sum(total > other for other in case.others.values())


# --- Several tables, several hanchan ---------------------------------------------------------------------------------

Above = tuple[int, int]
"""How many others can end above somebody at most, and how many do at least."""


def proofs_of_tables(tables: Tables) -> Proofs:
    """Return who of a block is through and who is out, however many hanchan everybody has left."""
    above = {player: above_of(tables, player) for player in tables.players}
    return Proofs(
        tuple(player for player, (most, _) in above.items() if most < tables.goal),
        tuple(player for player, (_, least) in above.items() if least >= tables.goal),
    )


def above_of(tables: Tables, player: str) -> Above:
    total, left = tables.totals[player], tables.left[player]
    if left == 0:
        return _elsewhere(tables, player, total, ())
    if counts_scores(tables.rules):
        return len(tables.players) - 1, 0
    table = tables.table_of(player)
    if table:
        case, own = replace(tables.case_at(table), others={}), table.index(player)
        elsewhere: dict[int, Above] = {}
        ends = []
        for finish in finishes(tables.rules):
            most, least = _above_at_table(case, player, finish)
            bonus = finish.bonus[own]
            if bonus not in elsewhere:
                elsewhere[bonus] = _elsewhere(tables, player, total + bonus, table)
            ends.append((most + elsewhere[bonus][0], least + elsewhere[bonus][1]))
        return max(most for most, _ in ends), min(least for _, least in ends)
    points = points_of_a_hanchan(tables.rules)
    most, _ = _elsewhere(tables, player, total + left * points.low, ())
    _, least = _elsewhere(tables, player, total + left * points.high, ())
    return most, least


def _above_at_table(case: Case, player: str, finish: Finish) -> Above:
    """Return how many of the table can end above a player after a finish: level may end either way where nothing decides it."""
    own, most, least = case.players.index(player), len(case.players) - 1, 0
    for seat, rival in enumerate(case.players):
        if seat != own:
            most -= needed(case, player, rival, meeting_of(finish, own, seat)).surely == -inf
            least += needed(case, rival, player, meeting_of(finish, seat, own)).surely == -inf
    return most, least


def above_total(tables: Tables, total: float) -> Above:
    """Return how many of a block can end above a total of somebody who does not play in it. Level may end either way."""
    found = [
        (int(tables.totals[each] >= total), int(tables.totals[each] > total))
        for each in tables.players
        if not tables.left[each]
    ]
    found += [_at_table(tables, table, total) for table in tables.together]
    seated = {each for table in tables.together for each in table}
    rest = [each for each in tables.players if tables.left[each] and each not in seated]
    found.append(_of_rest(tables, rest, total, whole=True))
    return sum(most for most, _ in found), sum(least for _, least in found)


def _elsewhere(tables: Tables, player: str, total: float, without: Sequence[str]) -> Above:
    """Return how many can end above a total, those of the player's own table left out. Level may end either way."""
    found = [
        _standing(tables, player, rival, total)
        for rival in tables.players
        if tables.left[rival] == 0 and rival not in {player, *without}
    ]
    found += [_at_table(tables, table, total) for table in tables.together if player not in table]
    seated = {rival for table in tables.together for rival in table}
    rest = [rival for rival in tables.players if tables.left[rival] and rival not in seated]
    found.append(_of_rest(tables, [rival for rival in rest if rival != player], total, whole=player not in rest))
    return sum(most for most, _ in found), sum(least for _, least in found)


def _standing(tables: Tables, player: str, rival: str, total: float) -> Above:
    theirs = tables.totals[rival]
    if theirs != total:
        return int(theirs > total), int(theirs > total)
    order = tables.earlier
    if tables.left[player] == 0 and {player, rival} <= set(order):
        is_above = order.index(rival) < order.index(player)
        return int(is_above), int(is_above)
    return 1, 0


def _at_table(tables: Tables, table: Sequence[str], total: float) -> Above:
    totals = tuple(tables.totals[each] for each in table)
    if counts_scores(tables.rules):
        return _by_sum(tables, totals, 1, total)
    ends = _ends(tables.rules, totals)
    return sum(most >= total for most, _ in ends), sum(least > total for _, least in ends)


@lru_cache(maxsize=1024)
def _ends(rules: ScoringRules, totals: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return for the first of a table after the hanchan, the second and so on, what total they have at most and at least.

    So many as have at most that much can be above less, and so many as have at least that much are.
    """
    ends = [
        sorted((own + bonus for own, bonus in zip(totals, finish.bonus, strict=True)), reverse=True)
        for finish in finishes(rules)
    ]
    return tuple((max(totals), min(totals)) for totals in zip(*ends, strict=True))


def _of_rest(tables: Tables, rest: Sequence[str], total: float, *, whole: bool) -> Above:
    """Return it for players of whom nobody knows who meets whom; `whole`: they have only each other to play with."""
    points, seats = points_of_a_hanchan(tables.rules), sum(tables.left[each] for each in rest)
    highest = [tables.totals[each] + tables.left[each] * points.high for each in rest]
    lowest = [tables.totals[each] + tables.left[each] * points.low for each in rest]
    most, least = _count(highest, total, level=True), _count(lowest, total, level=False)
    hanchan, over = divmod(seats, tables.rules.players or 4)
    if not rest or not whole or over or not tables.is_closed:
        return most, least
    by_sum = _by_sum(tables, [tables.totals[each] for each in rest], hanchan, total)
    return min(most, by_sum[0]), max(least, by_sum[1])


def _by_sum(tables: Tables, totals: Sequence[int], hanchan: int, total: float) -> Above:
    """Return it for players who share what so many hanchan bring: not all can be above a total unless it is enough for all."""
    points, level = points_of_a_hanchan(tables.rules), len(totals) * total
    all_can = sum(totals) + hanchan * points.highest_sum >= level
    one_must = sum(totals) + hanchan * points.lowest_sum > level
    return len(totals) - (not all_can), int(one_must)


def _count(totals: Iterable[float], total: float, *, level: bool) -> int:
    return sum(each > total or (level and each == total) for each in totals)
