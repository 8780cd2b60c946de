"""Equal players whom lines part stand as their hanchan would put them."""

import random

from league.core.tied_lines import TiedLine, parted
from league.selectors.ties import TiedPlayer, order_by_hanchan, order_by_latest, whole_order
from scoring.core import TIEBREAKS, PlayerResult, break_ties
from tests.budget import budget


def some_results(dice: random.Random, count: int) -> list[PlayerResult]:
    return [
        PlayerResult(dice.choice((-10, 0, 10)), dice.randint(1, 2), dice.choice((1, 2, 2, None)), game)
        for game in range(count)
    ]


def line_of(played: list[PlayerResult]) -> TiedLine:
    digits = "".join(str(result.placement) for result in played[-5:])
    best = max((result.raw for result in played if result.raw is not None), default=None)
    return TiedLine(len(played), int(digits), best)


def test_what_lines_decide_hanchan_decide_alike() -> None:
    dice = random.Random(8)
    parted_some = 0
    for _ in range(budget(5_000, least=2_000)):
        count = dice.randint(1, 3)
        results = {player: some_results(dice, count) for player in range(dice.randint(2, 5))}
        if dice.random() < 0.2:
            results[0] = some_results(dice, dice.randint(1, 5))
        tiebreak = dice.sample(TIEBREAKS, dice.randint(0, len(TIEBREAKS)))
        group = parted({player: line_of(played) for player, played in results.items()}, tiebreak)
        parted_some += len(group) > 1
        orders = {equal: order_by_hanchan(equal.players, results, equal.tiebreak) for equal in group}
        expected = {
            tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None)
            for tied in break_ties(results, tiebreak)
        }
        found = whole_order(group, orders)
        assert (list(found), found) == (list(expected), expected), tiebreak
    assert parted_some > 100


def test_what_the_latest_hanchan_decide_all_of_them_decide() -> None:
    dice = random.Random(7)
    decided = 0
    for _ in range(budget(5_000, least=1_000)):
        count = dice.randint(1, 5)
        results = {player: some_results(dice, count) for player in range(dice.randint(2, 4))}
        if dice.random() < 0.2:
            results[0] = some_results(dice, dice.randint(1, 5))
        latest = {player: played[dice.randint(0, len(played)) :] for player, played in results.items()}
        hanchan = {player: len(played) for player, played in results.items()}
        first, second = dice.sample(("last_hanchan", "last_hanchan_by_placement"), 2)
        tiebreak = [first, dice.choice((second, "placement_counts", "best_raw")), "shared"]
        found = order_by_latest(list(results), latest, hanchan, tiebreak)
        if found is not None:
            decided += 1
            order = break_ties(results, tiebreak)
            assert found == {
                tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None)
                for tied in order
            }
    assert decided > 100
