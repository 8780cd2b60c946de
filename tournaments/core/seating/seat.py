"""The one way to a schedule: the best construction that fits, else what is known, else a search."""

from collections.abc import Iterable, Sequence
from random import Random

from tournaments.core.seating.constructions import Found, constructed, number_tables
from tournaments.core.seating.problem import (
    Groups,
    Matrix,
    Round,
    Schedule,
    SeatingError,
    Table,
    Wishes,
    chance,
    check_problem,
    meetings,
    spare_the_ends,
)
from tournaments.core.seating.search import cost, prolonged, relabelled, searched, surcharges
from tournaments.core.seating.winds import deal_winds

PROPOSALS = 800_000
"""What a search tries before it answers; a second or two."""

PART_LENGTHS = (20, 16, 12)
"""Numbers of rounds to begin with, when no schedule is known for as many as are wanted; the last is known for all sizes."""


def seat(
    players: int,
    rounds: int,
    *,
    table_size: int = 4,
    seed: int = 1,
    wishes: Wishes | None = None,
    proposals: int = PROPOSALS,
) -> Schedule:
    """Return who sits where in every round: meetings, winds and table numbers as even as is known to be possible.

    The three are settled one after the other, since any tables allow perfect winds and any numbers. The same arguments
    give the same schedule everywhere. Raises SeatingError when the problem makes no sense or pairs cannot stay apart.
    """
    wishes = wishes or Wishes()
    check_problem(players, rounds, table_size, wishes)
    random = chance(seed, players, rounds, table_size)
    present = sorted(set(range(players)) - set(wishes.absent))
    if len(present) < players:
        groups, method = _without_absent(present, rounds, table_size, wishes, random, proposals)
    else:
        groups, method = _groups(players, rounds, table_size, wishes, random, proposals)
    if not wishes.history and len(present) % table_size:
        groups = spare_the_ends(groups, players)
    groups = number_tables(groups, players, random, proposals)
    return Schedule(players, table_size, deal_winds(groups, players, table_size, wishes.history), method, seed)


def _without_absent(
    present: list[int], rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int
) -> Found:
    """Return tables for those who are still there: they are numbered anew, seated, and given their numbers back."""
    number = {player: place for place, player in enumerate(present)}

    def among(groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(number[player] for player in group if player in number) for group in groups)

    def pairs(groups: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple((number[one], number[other]) for one, other in groups if one in number and other in number)

    history = tuple(among(tables) for tables in wishes.history)
    inner = Wishes(pairs(wishes.apart), pairs(wishes.together), among(wishes.groups), history)
    groups, method = _groups(len(present), rounds, table_size, inner, random, proposals)
    return [[[present[place] for place in table] for table in tables] for tables in groups], method


def _groups(players: int, rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int) -> Found:
    """Return who meets whom and the method: a construction, renumbered to suit the wishes, if that is good enough."""
    found = None if wishes.history else _undisturbed(players, rounds, table_size, random, proposals)
    extra = surcharges(players, rounds, wishes)
    if found is not None and not extra:
        return found
    candidates: list[Found] = []
    if found is not None and not wishes.together:
        groups, left = relabelled(found[0], players, extra, random)
        candidates = [(groups, found[1])]
        if not left:
            return candidates[0]
    candidates.append((searched(players, rounds, table_size, wishes, random, proposals), "annealing"))
    history = wishes.history

    def price(candidate: Found) -> tuple[int, int]:
        met = meetings([*history, *candidate[0]], players)
        return _apart_meetings(candidate[0], players, wishes), cost(met, extra)

    best = min(candidates, key=price)
    _check_apart(best[0], players, wishes)
    return best


def _undisturbed(players: int, rounds: int, table_size: int, random: Random, proposals: int) -> Found:
    found = constructed(players, rounds, table_size, random)
    if found is not None:
        return found
    shorter = (constructed(players, length, table_size, random) for length in PART_LENGTHS if length < rounds)
    begun = next(start for start in shorter if start is not None)
    return prolonged(begun[0], players, rounds, table_size, random, proposals), f"{begun[1]}+annealing"


def _apart_meetings(groups: Groups, players: int, wishes: Wishes) -> int:
    met: Matrix = meetings(groups, players)
    return sum(met[one][other] for one, other in wishes.apart_pairs)


def _check_apart(groups: Groups, players: int, wishes: Wishes) -> None:
    met = meetings(groups, players)
    pair = next(((one, other) for one, other in wishes.apart_pairs if met[one][other]), None)
    if pair is not None:
        raise SeatingError(
            f"No seating was found that keeps all these pairs apart; players {pair[0]} and {pair[1]} still meet."
        )


_TURNS = {
    4: ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
    3: ((0, 1, 2), (1, 2, 0), (2, 0, 1)),
}
"""The seat order of one hanchan after another: everybody sits once on every wind.

With four players everybody sits right behind everybody else once or twice, which going round would not give.
"""

_ORDERS = {
    4: ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)),
    3: ((0, 1, 2), (0, 2, 1)),
}
"""Who takes part as whom in further cycles, so that after all of them everybody has followed everybody equally often."""


def session_tables(
    players: int,
    sessions: int,
    *,
    table_size: int = 4,
    seed: int = 1,
    history: Sequence[Iterable[Iterable[int]]] = (),
    proposals: int = PROPOSALS,
) -> tuple[Round, ...]:
    """Return the tables of every session; their players in the seat order of the first hanchan.

    What is made even is how many sessions two players share, so all bounds hold with sessions for rounds. `history`:
    the tables of earlier sessions, in any order of seats. Raises SeatingError like `seat`.
    """
    before = tuple(tuple(tuple(sorted(table)) for table in tables) for tables in history)
    wishes = Wishes(history=before)
    return seat(players, sessions, table_size=table_size, seed=seed, wishes=wishes, proposals=proposals).rounds


def rotate_winds(table: Table, hanchan: int) -> tuple[Table, ...]:
    """Return the seat order of each hanchan at one table, East first: each wind once in as many hanchan as players."""
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
