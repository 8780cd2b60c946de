"""The standings of a stage against summing and sorting the same lists once; a seating against one look at every pair."""

import random
from collections.abc import Iterator
from itertools import combinations

from bench.race import Row, race
from scoring.core import PlayerResult
from tournaments.core.facts import Entrant, Participant, StageResult, TournamentFacts
from tournaments.core.format import Block, Entrants, Format, SeatingMethod, Sizes, Stage
from tournaments.core.resolution import resolve
from tournaments.core.seating import seat

PLAYERS, HANCHAN = 200, 12
TABLES_OF_A_HALL = 52


def rows(rounds: int) -> Iterator[Row]:
    """Yield the timings of standings and seating."""
    dice = random.Random(1)
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
    format_ = Format("open", {"en": "Open"}, {"en": ""}, Sizes(4, PLAYERS), None, 4, (stage,))
    played: dict[Participant, list[StageResult]] = {
        number: [
            PlayerResult(dice.randint(-500, 500) * 100, dice.randint(1, 4), dice.randint(0, 600) * 100, game)
            for game in range(HANCHAN)
        ]
        for number in range(PLAYERS)
    }
    facts = TournamentFacts(tuple(Entrant(number) for number in played), {"open": played})
    yield race(
        f"P10 standings of a stage, {PLAYERS} players x {HANCHAN} hanchan",
        lambda: resolve(format_, facts),
        lambda: sorted(played, key=lambda number: -sum(item.points for item in played[number])),
        goal=40,
        rounds=rounds,
        by="cpu",
    )
    yield race(
        f"P11 seat {TABLES_OF_A_HALL} players for {HANCHAN} hanchan",
        lambda: seat(TABLES_OF_A_HALL, HANCHAN),
        lambda: [pair for _ in range(HANCHAN) for pair in combinations(range(TABLES_OF_A_HALL), 2)],
        goal=200,
        rounds=rounds,
        by="cpu",
    )
