"""Wild cards where places rank and one block plays less than another: nothing is proved."""

from types import SimpleNamespace
from typing import Any

import pytest

from scoring.core import PlayerResult, load_card
from tournaments.core.format import Block, RankBy, SeatingMethod, Stage
from tournaments.core.ranking import BlockRanking, Contender, block_ranking
from tournaments.selectors.needs_tables import tables_of, wild_card_in

RULES = load_card("cinderella").ruleset
STAGE = Stage(
    "s", {"ja": "s"}, (Block("A"), Block("B")), (), 1, 2, SeatingMethod.FIXED, ("manual",), rank_by=RankBy.PLACEMENT
)


def a_block(block: str, hanchan: int) -> BlockRanking:
    """Return a block that has played so many of two hanchan, each with the same places; the rest is spared."""
    contenders = [
        Contender(
            f"{block}{place}",
            [PlayerResult(0, place, 25_000, (block, game)) for game in range(hanchan)],
            spared=2 - hanchan,
        )
        for place in range(1, 5)
    ]
    return block_ranking(STAGE, block, contenders, (), 4)


@pytest.mark.parametrize(("hanchan", "is_told"), [(2, True), (1, False)])
def test_a_block_that_plays_less_is_not_compared(hanchan: int, *, is_told: bool) -> None:
    rankings = (a_block("A", 2), a_block("B", hanchan))
    progress: Any = SimpleNamespace(stage=STAGE, rankings=rankings)
    for ranking in rankings:
        own = tables_of(progress, ranking, 2, RULES, ())
        assert (wild_card_in(progress, ranking, own, 1, (), RULES) is not None) is is_told
