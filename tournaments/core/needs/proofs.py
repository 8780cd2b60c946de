"""Prove for all possible scores which players have reached the goal or can no longer reach it.

Scores have no bound, so if a player has hanchan left, totals prove something only where points follow from placements
alone. A player without hanchan left can be overtaken by all players of another table only if the table's points allow
it, and is certainly overtaken by one of them if the points force it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

from scoring.core import ScoringRules
from scoring.core.ruleset import Leftover
from tournaments.core.needs import margins
from tournaments.core.needs.case import Case, Totals, is_ahead

_KEPT = frozenset({Leftover.TOP, Leftover.SPLIT_TOPS, Leftover.TOP_AFTER_RANK_POINTS})
"""Rules that give leftover riichi sticks to a player at the table."""


@dataclass(frozen=True, slots=True)
class PointsOfAHanchan:
    """Bounds of the points from one hanchan, for a player and for a table (1/1000 pt); infinite if unbounded."""

    low: float
    high: float
    lowest_sum: float
    highest_sum: float


@lru_cache(maxsize=64)
def points_of_a_hanchan(rules: ScoringRules) -> PointsOfAHanchan:
    """Return the bounds for scores that add up, ignoring penalties, chips and prizes."""
    worth = [finish.bonus for finish in margins.finishes(rules)]
    sums = [sum(bonus) for bonus in worth]
    if not margins.counts_scores(rules):
        flat = [points for bonus in worth for points in bonus]
        return PointsOfAHanchan(min(flat), max(flat), min(sums), max(sums))
    players, rounding = rules.players or 4, rules.rounding
    base = players * ((rules.start_points or 0) - (rules.return_points or 0))
    # If first place absorbs the rounding remainder, the table's sum stays the same.
    room = 0 if rounding is None or rounding.top_absorbs else players * rounding.unit
    lowest = base + min(sums) - room if rules.leftover in _KEPT else -inf
    return PointsOfAHanchan(-inf, inf, lowest, base + max(sums) + room)


@dataclass(frozen=True, slots=True)
class Tables:
    """A block's players with their totals, best first, competing for the first `goal` places.

    `left`: hanchan left by player. `together`: known tables of the last hanchan; their players have one hanchan left.
    `earlier`: order used for equal totals, best first. `is_closed`: players without a known table meet only each other.
    """

    rules: ScoringRules
    totals: Totals
    left: Mapping[str, int]
    goal: int
    together: tuple[tuple[str, ...], ...] = ()
    earlier: tuple[str, ...] = ()
    last_decides: bool = True
    is_closed: bool = False

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self.totals)

    def table_of(self, player: str) -> tuple[str, ...]:
        return next((table for table in self.together if player in table), ())

    def case_at(self, table: tuple[str, ...]) -> Case:
        elsewhere = {each: self.totals[each] for each in self.players if each not in table and not self.left[each]}
        totals = {each: self.totals[each] for each in table}
        return Case(self.rules, table, totals, self.goal, self.earlier, elsewhere, last_decides=self.last_decides)

    def is_last(self, table: tuple[str, ...]) -> bool:
        return all(each in table or not self.left[each] for each in self.players)


@dataclass(frozen=True, slots=True)
class Apart:
    """The lead in last-hanchan points (1/1000 pt) a player needs over a rival at another table.

    A lead of `least` is enough if `level_is_enough`; otherwise it must be greater.
    """

    least: int
    level_is_enough: bool


def apart(tables: Tables, player: str, rival: str) -> Apart:
    """Return the lead a player needs over a rival in the last hanchan.

    If the totals are equal, the one who was behind had the better last hanchan and ranks higher. If one of the two has
    already finished, the points of that last hanchan are unknown here, so an equal total proves nothing. Source:
    Cinderella League 2020, "補足1".
    """
    behind = tables.totals[rival] - tables.totals[player]
    both_play = bool(tables.left[player] and tables.left[rival])
    return Apart(behind, level_is_enough=both_play and tables.last_decides and behind > 0)


def is_open(tables: Tables, player: str, rival: str) -> bool:
    """Return whether ordinary last hanchan at other tables can put either of two players above the other."""
    behind = tables.totals[rival] - tables.totals[player]
    low, high = margins.ordinary_points(tables.rules)
    most = tables.left[player] * high - tables.left[rival] * low
    least = tables.left[player] * low - tables.left[rival] * high
    return least <= behind <= most and bool(tables.left[player] or tables.left[rival])


def places_missing(tables: Tables, player: str) -> int:
    """Return how many more players must be overtaken; if zero or negative, how many may overtake the player."""
    return len(above_now(tables, player)) + 1 - tables.goal


def above_now(tables: Tables, player: str) -> tuple[str, ...]:
    own = tables.totals[player]
    return tuple(
        rival
        for rival, total in tables.totals.items()
        if total > own or (total == own and is_ahead(tables.earlier, rival, player))
    )


@dataclass(frozen=True, slots=True)
class Proofs:
    secured: tuple[str, ...]
    out: tuple[str, ...]


def proofs_of(case: Case) -> Proofs:
    if case.wanted == 0:
        return Proofs(case.players, ())
    if margins.counts_scores(case.rules):
        return Proofs((), ())
    ends = margins.finishes(case.rules)
    beaten = {player: [_beaten(case, player, finish) for finish in ends] for player in case.players}
    return Proofs(
        tuple(player for player in case.players if min(beaten[player]) >= case.wanted),
        tuple(player for player in case.players if max(beaten[player]) < case.wanted),
    )


def _beaten(case: Case, player: str, finish: margins.Finish) -> int:
    own = case.players.index(player)
    total = case.totals[player] + finish.bonus[own]
    at_the_table = sum(
        margins.needed(case, player, rival, margins.meeting_of(finish, own, seat)) == -inf
        for seat, rival in enumerate(case.players)
        if seat != own
    )
    return at_the_table + sum(total > other for other in case.others.values())


Above = tuple[int, int]
"""The most and the fewest other players who can finish above a player."""


def proofs_of_tables(tables: Tables) -> Proofs:
    above = {player: above_of(tables, player) for player in tables.players}
    return Proofs(
        tuple(player for player, (most, _) in above.items() if most < tables.goal),
        tuple(player for player, (_, least) in above.items() if least >= tables.goal),
    )


def above_of(tables: Tables, player: str) -> Above:
    total, left = tables.totals[player], tables.left[player]
    if left == 0:
        return _elsewhere(tables, player, total, ())
    if margins.counts_scores(tables.rules):
        return len(tables.players) - 1, 0
    table = tables.table_of(player)
    if table:
        case, own = replace(tables.case_at(table), others={}), table.index(player)
        elsewhere: dict[int, Above] = {}
        ends = []
        for finish in margins.finishes(tables.rules):
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


def _above_at_table(case: Case, player: str, finish: margins.Finish) -> Above:
    own, most, least = case.players.index(player), len(case.players) - 1, 0
    for seat, rival in enumerate(case.players):
        if seat != own:
            most -= margins.needed(case, player, rival, margins.meeting_of(finish, own, seat)) == -inf
            least += margins.needed(case, rival, player, margins.meeting_of(finish, seat, own)) == -inf
    return most, least


def above_total(tables: Tables, total: float) -> Above:
    """Return the most and the fewest players of a block who can finish above a total that is final.

    Players with an equal total are included in the most, but not in the fewest.
    """
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


AtTable = Callable[[Tables, Sequence[str], float], Above]


def ordinary_above_of(tables: Tables, player: str) -> Above:
    """Return the most and the fewest whom ordinary hanchan leave above a player who has none left."""

    def at_table(tables: Tables, table: Sequence[str], _total: float) -> Above:
        return margins.ordinary_above(tables.rules, tuple(tables.totals[each] for each in table), tables.totals[player])

    return _elsewhere(tables, player, tables.totals[player], (), at_table)


def _at_table(tables: Tables, table: Sequence[str], total: float) -> Above:
    totals = tuple(tables.totals[each] for each in table)
    if margins.counts_scores(tables.rules):
        return _by_sum(tables, totals, 1, total)
    ends = _ends(tables.rules, totals)
    return sum(most >= total for most, _ in ends), sum(least > total for _, least in ends)


def _elsewhere(
    tables: Tables, player: str, total: float, without: Sequence[str], at_table: AtTable = _at_table
) -> Above:
    found = [
        _standing(tables, player, rival, total)
        for rival in tables.players
        if tables.left[rival] == 0 and rival not in {player, *without}
    ]
    found += [at_table(tables, table, total) for table in tables.together if player not in table]
    seated = {rival for table in tables.together for rival in table}
    rest = [rival for rival in tables.players if tables.left[rival] and rival not in seated]
    found.append(_of_rest(tables, [rival for rival in rest if rival != player], total, whole=player not in rest))
    return sum(most for most, _ in found), sum(least for _, least in found)


def _standing(tables: Tables, player: str, rival: str, total: float) -> Above:
    theirs = tables.totals[rival]
    if theirs != total:
        return int(theirs > total), int(theirs > total)
    if tables.left[player] == 0 and {player, rival} <= set(tables.earlier):
        is_above = is_ahead(tables.earlier, rival, player)
        return int(is_above), int(is_above)
    return 1, 0


@lru_cache(maxsize=1024)
def _ends(rules: ScoringRules, totals: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return the highest and lowest possible total of the table's first, second … player after the hanchan."""
    ends = [
        sorted((own + bonus for own, bonus in zip(totals, finish.bonus, strict=True)), reverse=True)
        for finish in margins.finishes(rules)
    ]
    return tuple((max(totals), min(totals)) for totals in zip(*ends, strict=True))


def _of_rest(tables: Tables, rest: Sequence[str], total: float, *, whole: bool) -> Above:
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
    """Return the most and the fewest of these players who can finish above the total.

    Uses only bounds on the sum of the points from `hanchan` tables.
    """
    points, level = points_of_a_hanchan(tables.rules), len(totals) * total
    all_can = sum(totals) + hanchan * points.highest_sum >= level
    one_must = sum(totals) + hanchan * points.lowest_sum > level
    return len(totals) - (not all_can), int(one_must)


def _count(totals: Iterable[float], total: float, *, level: bool) -> int:
    return sum(each > total or (level and each == total) for each in totals)


@dataclass(frozen=True, slots=True)
class Holder:
    block: str
    player: str
    total: int
    left: int


@dataclass(frozen=True, slots=True)
class WildCard:
    """Places for the best `count` players with the same rank in their blocks, seen from one block.

    `own`: the block, with the rank as its goal; `others`: the other blocks. `holders`: the players who hold the rank
    there, best total first. Players with better ranks advance without a wild card.
    """

    count: int
    own: Tables
    others: tuple[Tables, ...]
    holders: tuple[Holder, ...]

    @property
    def rank(self) -> int:
        return self.own.goal

    @property
    def is_for_all(self) -> bool:
        return self.count > len(self.others)

    @property
    def is_settled(self) -> bool:
        return not any(any(tables.left.values()) for tables in self.others)

    @property
    def target(self) -> int | None:
        if self.count > len(self.holders):
            return None
        return self.holders[self.count - 1].total


def proofs_of_wild_card(wild: WildCard) -> Proofs:
    secured, out = [], []
    for player in wild.own.players:
        most, least = above_of(wild.own, player)
        low, high = _totals(wild.own, player)
        if most < wild.rank - 1 or (most < wild.rank and _ahead(wild, low)[0] < wild.count):
            secured.append(player)
        elif least >= wild.rank or (least == wild.rank - 1 and _ahead(wild, high)[1] >= wild.count):
            out.append(player)
    return Proofs(tuple(secured), tuple(out))


def _totals(tables: Tables, player: str) -> tuple[float, float]:
    total, left = tables.totals[player], tables.left[player]
    if not left:
        return total, total
    points = points_of_a_hanchan(tables.rules)
    return total + left * points.low, total + left * points.high


def _ahead(wild: WildCard, total: float) -> tuple[int, int]:
    """Return the most and the fewest holders of the rank in other blocks who can finish above a total.

    A block's holder is above the total if at least `rank` players of that block are.
    """
    found: Sequence[tuple[int, int]] = [above_total(tables, total) for tables in wild.others]
    return sum(most >= wild.rank for most, _ in found), sum(least >= wild.rank for _, least in found)
