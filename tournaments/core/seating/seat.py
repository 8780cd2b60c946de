"""The one way to a schedule: the best construction that fits, else what is known, else a search."""

from tournaments.core.seating.annealing import PRICE_APART, PRICE_GROUP, Search, anneal
from tournaments.core.seating.bounds import best_bound
from tournaments.core.seating.byes import byes_so_far, deal_byes
from tournaments.core.seating.chance import chance
from tournaments.core.seating.meetings import meetings, sum_of_squares
from tournaments.core.seating.problem import Groups, Matrix, Schedule, Wishes, check_problem
from tournaments.core.seating.winds import deal_winds

PROPOSALS = 400_000


def seat(
    players: int,
    rounds: int,
    *,
    table_size: int = 4,
    seed: int = 1,
    wishes: Wishes | None = None,
    proposals: int = PROPOSALS,
) -> Schedule:
    """Return a schedule."""
    wishes = wishes or Wishes()
    check_problem(players, rounds, table_size, wishes)
    random = chance(seed, "seat")
    met = meetings(wishes.history, players)
    price = [[2 * count + 1 for count in row] for row in met]
    for player in range(players):
        price[player][player] = 0
    for pairs, extra in ((wishes.apart_pairs, PRICE_APART), (wishes.group_pairs, PRICE_GROUP), (wishes.together_pairs, -4 * rounds)):
        for a, b in pairs:
            price[a][b] += extra
            price[b][a] += extra
    so_far = byes_so_far(wishes.history, players)
    out = deal_byes(range(players), rounds, players % table_size, so_far, random)
    lineups = []
    for bye in out:
        ins = [p for p in range(players) if p not in bye]
        random.shuffle(ins)
        line = ins + bye
        lineups.append(line)
        for start in range(0, len(ins), table_size):
            table = ins[start:start + table_size]
            for a in table:
                for b in table:
                    if a != b:
                        price[a][b] += 2
    search = Search(lineups, price, so_far, table_size)
    anneal(search, random, proposals, gain=10**9)
    groups = search.groups()
    return Schedule(players, table_size, deal_winds(groups, players, table_size, wishes.history), "annealing", seed)
