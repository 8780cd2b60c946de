import random
from collections.abc import Sequence

import pytest

from scoring.core import PlayerResult, break_ties, standings

Played = Sequence[tuple[float, int, int]]


def results(**players: Played) -> dict[str, list[PlayerResult]]:
    return {
        name: [PlayerResult(round(points * 1000), placement, raw) for points, placement, raw in played]
        for name, played in players.items()
    }


def ranked(tiebreak: Sequence[str], **players: Played) -> list[tuple[str, int, str | None]]:
    ranking = standings(results(**players), {}, tiebreak)
    return [(line.player, rank, str(line.decided_by) if line.decided_by else None) for rank, _, line in ranking]


def test_ranking_counts_points_and_adjustments() -> None:
    ranking = standings(results(A=[(10, 1, 40000)], B=[(20, 1, 50000)], C=[]), {"B": -40_000}, [])
    assert [(line.player, rank, points) for rank, points, line in ranking] == [
        ("A", 1, 10_000),
        ("C", 2, 0),
        ("B", 3, -20_000),
    ]


AT_TWO_TABLES = {"A": [(41, 1, 50000), (-30, 3, 10000)], "B": [(40, 1, 50000), (-29, 4, 21000)]}
"""-29.0 in fourth place caught up, although -30.0 was a third place."""


@pytest.mark.parametrize(
    ("tiebreak", "played", "ranking"),
    [
        pytest.param("last_hanchan", AT_TWO_TABLES, [("B", 1, "hanchan 2: -29.0 > -30.0"), ("A", 2, None)], id="points"),
        pytest.param("last_hanchan_by_placement", AT_TWO_TABLES, [("A", 1, "hanchan 2: placement 3 < 4"), ("B", 2, None)], id="placement first"),
        # The rule text's own example: 10,000 in third place is ahead of 20,000 in fourth, both -30.0.
        pytest.param("last_hanchan", {"A": [(-30, 4, 20000)], "B": [(-30, 3, 10000)]}, [("B", 1, "hanchan 1: placement 3 < 4"), ("A", 2, None)], id="placement"),
        pytest.param("last_hanchan", {"A": [(5, 2, 25000)], "B": [(5, 2, 35000)]}, [("B", 1, "hanchan 1: raw 35000 > 25000"), ("A", 2, None)], id="raw score"),
        pytest.param(
            "last_hanchan", {"A": [(1, 2, 30000), (9, 1, 40000), (5, 2, 31000)], "B": [(9, 1, 40000), (1, 2, 30000), (5, 2, 31000)]},
            [("A", 1, "hanchan 2: 9.0 > 1.0"), ("B", 2, None)], id="one back",
        ),
        pytest.param(
            "last_hanchan", {"A": [(5, 2, 31000)], "B": [(5, 1, 31000)], "C": [(5, 2, 30000)], "D": [(1, 4, 1000)]},
            [("B", 1, "hanchan 1: placement 1 < 2"), ("A", 2, "hanchan 1: raw 31000 > 30000"), ("C", 3, None), ("D", 4, None)], id="three, one by one",
        ),
        pytest.param("placement_counts", {"A": [(5, 1, 1), (0, 3, 1)], "B": [(5, 1, 1), (0, 2, 1)]}, [("B", 1, "placements_2: 1 > 0"), ("A", 2, None)], id="seconds"),
    ],
)  # fmt: skip
def test_rules_break_ties(tiebreak: str, played: dict[str, Played], ranking: list[tuple[str, int, str | None]]) -> None:
    assert ranked([tiebreak], **played) == ranking


def test_unequal_numbers_of_hanchan_skip_the_last_hanchan_rule() -> None:
    played = {"A": [(5, 2, 31000), (0, 2, 30000)], "B": [(5, 1, 35000)]}
    assert ranked(["last_hanchan", "best_raw"], **played) == [("B", 1, "best_raw: 35000 > 31000"), ("A", 2, None)]
    ranking = standings(results(**played), {}, ["last_hanchan", "manual"])
    assert [(rank, line.shared, line.undecided) for rank, _, line in ranking] == [(1, True, True)] * 2


def test_full_tie_shares_the_rank() -> None:
    played = {"A": [(5, 2, 31000)], "B": [(5, 2, 31000)], "C": [(1, 3, 20000)]}
    ranking = standings(results(**played), {}, ["last_hanchan", "shared"])
    assert [(line.player, rank, line.shared) for rank, _, line in ranking] == [
        ("A", 1, True),
        ("B", 1, True),
        ("C", 3, False),
    ]


def test_best_raw_needs_a_hanchan() -> None:
    assert [rank for rank, _, _ in standings(results(A=[], B=[]), {}, ["best_raw", "shared"])] == [1, 1]


def test_head_to_head_counts_common_hanchan_only() -> None:
    table = {
        "A": [PlayerResult(5000, 1, 40000, "g1"), PlayerResult(0, 4, 10000, "g2")],
        "B": [PlayerResult(0, 2, 30000, "g1"), PlayerResult(5000, 1, 50000, "g3")],
        "C": [PlayerResult(5000, 1, 30000)],
    }
    ranking = standings(table, {}, ["head_to_head", "shared"])
    assert [(line.player, rank, line.decided_by and str(line.decided_by)) for rank, _, line in ranking] == [
        ("A", 1, "head_to_head: 1 > 0"),
        ("C", 2, "head_to_head: 0 > -1"),
        ("B", 3, None),
    ]


def test_manual_order_breaks_the_remaining_tie() -> None:
    ranking = standings(results(A=[(5, 2, 1)], B=[(5, 2, 1)]), {}, ["manual"], decisions=[["X"], ["B", "B", "A"]])
    assert [(line.player, rank, line.undecided) for rank, _, line in ranking] == [("B", 1, False), ("A", 2, False)]
    decision = ranking[0][2].decided_by
    assert decision is not None
    assert str(decision) == "by hand"
    assert decision.as_json() == {"rule": "manual", "better": 1, "worse": 2, "hanchan": None}


def test_unknown_tiebreak_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown tie-break 'lots'"):
        break_ties(results(A=[], B=[]), ["lots"])


@pytest.mark.parametrize("seed", range(30))
def test_ranking_does_not_depend_on_the_order_of_players(seed: int) -> None:
    dice = random.Random(seed)
    table = {
        name: [
            PlayerResult(1000 * dice.randint(-3, 3), dice.randint(1, 4), 100 * dice.randint(1, 400), number)
            for number in range(3)
        ]
        for name in "ABCDEFGH"
    }
    shuffled = dict(dice.sample(list(table.items()), len(table)))
    tiebreak = dice.sample(["last_hanchan", "placement_counts", "best_raw", "head_to_head"], 3)
    first, second = (standings(entered, {}, [*tiebreak, "shared"]) for entered in (table, shuffled))
    assert {(line.player, rank) for rank, _, line in first} == {(line.player, rank) for rank, _, line in second}
    ranks = [rank for rank, _, _ in first]
    assert min(ranks) == 1
    assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)


def test_smaller_seed_breaks_a_tie() -> None:
    level = {"aoki": [PlayerResult(1000, 1, 40000)], "ishida": [PlayerResult(1000, 1, 40000)]}
    order = break_ties(level, ["last_hanchan", "seed"], values={"seed": {"aoki": 5, "ishida": 2}})
    assert [line.player for line in order] == ["ishida", "aoki"]
    assert str(order[0].decided_by) == "seed: 2 < 5"


def test_seeds_break_a_tie_only_if_all_have_one() -> None:
    level = {"aoki": [PlayerResult(1000, 1, 40000)], "ishida": [PlayerResult(1000, 1, 40000)]}
    assert [line.shared for line in break_ties(level, ["seed", "shared"], values={"seed": {"aoki": 5}})] == [True, True]


def test_chombo_in_the_last_hanchan_counts_in_the_tie_break() -> None:
    behind = [PlayerResult(-20000, 3, 20000), PlayerResult(10000, 2, 30000)]
    caught = [PlayerResult(20000, 1, 30000), PlayerResult(10000, 2, 30000, total_only=-40000)]
    order = break_ties({"caught": caught, "behind": behind}, ["last_hanchan"])
    assert [line.player for line in order] == ["behind", "caught"]
    assert str(order[0].decided_by) == "hanchan 2: total 10.0 > -30.0"


def test_unknown_raw_scores_break_no_tie() -> None:
    played = {
        "A": [PlayerResult(5_000, 2, 30_000), PlayerResult(1_000, 2, None)],
        "B": [PlayerResult(5_000, 2, 31_000), PlayerResult(1_000, 2, 26_000)],
        "C": [PlayerResult(6_000, 1, 40_000), PlayerResult(0, 3, 20_000)],
    }
    first, second, _ = break_ties(played, ["last_hanchan"])
    assert (first.player, second.player) == ("B", "A")
    assert first.decided_by is not None
    assert (first.decided_by.rule, first.decided_by.hanchan) == ("raw", 1)
    assert [tied.player for tied in break_ties(played, ["best_raw", "shared"])] == ["C", "B", "A"]


def test_best_raw_score_needs_one_for_every_player() -> None:
    played = {"A": [PlayerResult(5_000, 2, None)], "B": [PlayerResult(5_000, 2, 31_000)]}
    assert all(tied.offset == 0 for tied in break_ties(played, ["best_raw", "shared"]))
