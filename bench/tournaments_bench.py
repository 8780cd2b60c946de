"""The standings of a stage against summing and sorting the same lists once; seatings against one look at every pair."""

import random
from collections.abc import Iterator
from itertools import combinations

from bench.race import Row, count, race
from scoring.core import PlayerResult
from tournaments.core.facts import Entrant, Participant, StageResult, TournamentFacts
from tournaments.core.format import Block, Entrants, Format, SeatingMethod, Sizes, Stage
from tournaments.core.resolution import resolve
from tournaments.core.seating import certificate, seat

PLAYERS, HANCHAN = 200, 12
TABLES_OF_A_HALL = 52

BEST_KNOWN = {(16, 10): 480, (20, 10): 520, (24, 7): 252, (52, 12): 936, (200, 12): 3_600}
"""Least sum of squared meetings that is known, by players and rounds."""

OTHERS = {(20, 10): 528}
"""What others' schedules of that size have."""

Results = dict[Participant, list[StageResult]]


def rows(rounds: int) -> Iterator[Row]:
    """Yield the timings of standings and seating, and how even the seatings are."""
    yield _standings(rounds)
    yield _seating(rounds)
    yield from evenness()


def evenness() -> Iterator[Row]:
    """Yield the sums of squared meetings of some seatings beside the best that is known."""
    for (players, rounds), best in BEST_KNOWN.items():
        squares = certificate(seat(players, rounds)).sum_of_squares
        peer = f", others {OTHERS[players, rounds]}" if (players, rounds) in OTHERS else ""
        name = f"P11 seat {players} players for {rounds} hanchan: squared meetings{peer}"
        yield count(name, squares, goal=best)


def _standings(rounds: int) -> Row:
    played = _results()
    format_, facts = _format(), TournamentFacts(tuple(Entrant(number) for number in played), {"open": played})
    return race(
        f"P10 standings of a stage, {PLAYERS} players x {HANCHAN} hanchan",
        lambda: resolve(format_, facts),
        lambda: sorted(played, key=lambda number: -sum(item.points for item in played[number])),
        goal=40,
        rounds=rounds,
        by="cpu",
    )


def _seating(rounds: int) -> Row:
    return race(
        f"P11 seat {TABLES_OF_A_HALL} players for {HANCHAN} hanchan / one look at every pair in every round",
        lambda: seat(TABLES_OF_A_HALL, HANCHAN),
        lambda: [pair for _ in range(HANCHAN) for pair in combinations(range(TABLES_OF_A_HALL), 2)],
        goal=None,
        rounds=rounds,
        by="cpu",
    )


def _format() -> Format:
    stage = Stage(
        key="open",
        name={"en": "Open"},
        blocks=(Block(""),),
        sources=(Entrants(),),
        sessions=1,
        hanchan=HANCHAN,
        seating=SeatingMethod.BALANCED,
        tiebreak=("last_hanchan", "manual"),
    )
    return Format("open", {"en": "Open"}, {"en": ""}, Sizes(4, PLAYERS), None, 4, (stage,))


def _results() -> Results:
    dice = random.Random(1)
    return {number: [_result(dice, game) for game in range(HANCHAN)] for number in range(PLAYERS)}


def _result(dice: random.Random, game: int) -> PlayerResult:
    return PlayerResult(dice.randint(-500, 500) * 100, dice.randint(1, 4), dice.randint(0, 600) * 100, game)
