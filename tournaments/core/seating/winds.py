"""Seat winds as an edge colouring of a graph of players and tables.

Each seat is an edge, each wind a colour. A player's games are cut into pieces of one table size, so no vertex has more
edges than there are colours. A colouring therefore exists for every schedule (Kőnig 1916; de Werra 1971), and each full
piece has every wind once.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

from tournaments.core.seating.problem import Groups, Matrix, Round, SeatingError, Table, chance

SWEEPS = 30

ATTEMPTS = 8
"""Random attempts before accepting winds that differ by more than one."""

Edge = tuple[int, int]
"""A seat, as a pair: number of a piece of a player's games, number of a table."""


def deal_winds(groups: Groups, players: int, table_size: int, history: Sequence[Round] = ()) -> tuple[Round, ...]:
    """Return tables in order East, South, West, North, with winds as even as possible for each player.

    Without history, a player's wind counts differ by at most 1, and games 1-4, 5-8, … of a player have each wind once.
    With history, new games balance the old ones table by table.
    """
    played = count_winds(history, players, table_size)
    graph = _Graph(groups, [sum(counts) for counts in played], table_size)
    for edge in list(graph.edges):
        graph.colour(edge)
    rounds = graph.rounds(groups)
    return _settled(rounds, played) if history else rounds


def count_winds(rounds: Sequence[Round], players: int, table_size: int) -> Matrix:
    counts = [[0] * table_size for _ in range(players)]
    for tables in rounds:
        for table in tables:
            _count(counts, table, 1)
    return counts


def winds_by_need(table: Sequence[int], counts: Matrix) -> tuple[int, ...]:
    def cost(order: tuple[int, ...]) -> int:
        return sum(counts[player][wind] for wind, player in enumerate(order))

    return min(permutations(table), key=cost)


def _settled(rounds: tuple[Round, ...], played: Matrix) -> tuple[Round, ...]:
    """Return the rounds with tables rotated until the winds, history included, are as even as possible.

    Changing one table at a time can get stuck in a local optimum, so it restarts with other random choices.
    """
    best: tuple[int, tuple[Round, ...]] | None = None
    for attempt in range(ATTEMPTS):
        counts = [row[:] for row in played]
        turned = _turned(rounds, counts, chance(len(rounds), "winds", attempt))
        unevenness = max(max(row) - min(row) for row in counts)
        if best is None or unevenness < best[0]:
            best = unevenness, turned
        if unevenness <= 1:
            break
    assert best is not None
    return best[1]


def _turned(rounds: tuple[Round, ...], counts: Matrix, random: Random) -> tuple[Round, ...]:
    settled = [list(tables) for tables in rounds]
    for tables in settled:
        for table in tables:
            _count(counts, table, 1)
    # Choose randomly among equally good orders, so that the search does not get stuck.
    for _ in range(SWEEPS):
        for tables in settled:
            for number, table in enumerate(tables):
                _count(counts, table, -1)
                tables[number] = winds_by_need(random.sample(table, len(table)), counts)
                _count(counts, tables[number], 1)
    return tuple(map(tuple, settled))


def _count(counts: Matrix, table: Sequence[int], times: int) -> None:
    for wind, player in enumerate(table):
        counts[player][wind] += times


class _Graph:
    """Pieces of games on one side, tables on the other.

    `at[vertex][colour]` is the vertex at the other end of that edge.
    """

    def __init__(self, groups: Groups, played: list[int], table_size: int) -> None:
        self.size, self.edges, self.owner = table_size, list[Edge](), dict[int, int]()
        games, pieces = played[:], dict[tuple[int, int], int]()
        for number, table in enumerate(table for tables in groups for table in tables):
            for player in table:
                piece = pieces.setdefault((player, games[player] // table_size), len(pieces))
                self.owner[piece] = player
                self.edges.append((piece, -1 - number))
                games[player] += 1
        self.at: dict[int, list[int | None]] = {vertex: [None] * table_size for edge in self.edges for vertex in edge}

    def colour(self, edge: Edge) -> None:
        """Colour one edge; if no colour is free at both ends, first swap colours along an alternating path."""
        piece, table = edge
        mine, yours = self.at[piece].index(None), self.at[table].index(None)
        if self.at[table][mine] is not None:
            self._turn(list(self._path(table, mine, yours)), mine, yours)
        self.at[piece][mine], self.at[table][mine] = table, piece

    def _path(self, vertex: int, colour: int, other: int) -> Iterator[Edge]:
        start, following = vertex, self.at[vertex][colour]
        while following is not None:
            yield vertex, following
            vertex, colour, other = following, other, colour
            following = None if vertex == start else self.at[vertex][colour]

    def _turn(self, path: list[Edge], colour: int, other: int) -> None:
        for vertex in {vertex for edge in path for vertex in edge}:
            row = self.at[vertex]
            row[colour], row[other] = row[other], row[colour]

    def rounds(self, groups: Groups) -> tuple[Round, ...]:
        numbers = iter(range(sum(map(len, groups))))
        return tuple(
            tuple(
                tuple(self.owner[piece] for piece in self.at[-1 - next(numbers)] if piece is not None) for _ in tables
            )
            for tables in groups
        )


_TURNS = {
    4: ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
    3: ((0, 1, 2), (1, 2, 0), (2, 0, 1)),
}
"""Seat orders of successive hanchan, in which each player has each wind once.

With four players, each sits behind each other player once or twice, unlike with plain rotation.
"""

_ORDERS = {
    4: ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)),
    3: ((0, 1, 2), (0, 2, 1)),
}
"""Permutations for further cycles, after which each player has sat behind each other equally often."""


def rotate_winds(table: Table, hanchan: int) -> tuple[Table, ...]:
    if len(table) not in _TURNS or hanchan < 0:
        message = "Three or four players change their winds, hanchan by hanchan."
        raise SeatingError(message)
    turns, orders = _TURNS[len(table)], _ORDERS[len(table)]
    rounds = []
    for number in range(hanchan):
        cycle, turn = divmod(number, len(turns))
        order = orders[cycle % len(orders)]
        rounds.append(tuple(table[order[place]] for place in turns[turn]))
    return tuple(rounds)
