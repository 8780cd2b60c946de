"""From a finished game to points: the cases that rule systems part over."""

from collections.abc import Sequence
from typing import Any

import pytest

from scoring.core import (
    Bust,
    FinishedGame,
    Ledger,
    PlayerResult,
    ScoringError,
    ScoringRules,
    load_card,
    read_ruleset,
    score,
    standings,
)

CAMARADE = load_card("camarade")
CINDERELLA = load_card("cinderella")
SEAT = {"rank": "seat", "uma": "seat", "oka": "seat"}
SPLIT_UMA = {"rank": "seat", "uma": "split", "oka": "seat"}
SHARED = {"rank": "shared", "uma": "split", "oka": "split"}


def rules(**changes: Any) -> ScoringRules:
    parameters = {
        "players": 4,
        "start_points": 25000,
        "return_points": 30000,
        "uma": [20, 10, -10, -20],
        "tie": SHARED,
        "split": {"unit": "0.1", "remainder": "one_each_nearest"},
        "leftover": "top",
    }
    return read_ruleset({name: value for name, value in (parameters | changes).items() if value is not None})


def points(raw: Sequence[int], rules: ScoringRules, ledger: Ledger = Ledger.RANKING, **facts: Any) -> list[float]:
    scored = score(FinishedGame(tuple(raw), **facts), rules)
    return [seat.points[ledger] / 1000 for seat in scored.seats]


def placements(raw: Sequence[int], rules: ScoringRules) -> list[tuple[int, int]]:
    return [(seat.placement, seat.sharing) for seat in score(FinishedGame(tuple(raw)), rules).seats]


def test_tied_tops_share_the_uma_and_the_nearer_seat_takes_oka_and_balance() -> None:
    assert points((30800, 30800, 25500, 12900), CAMARADE.ruleset, Ledger.SETTLEMENT) == [28.5, 7.5, -9, -27]


@pytest.mark.parametrize(
    ("raw", "expected", "placed"),
    [
        pytest.param((30000, 30000, 30000, 10000), [13.4, 13.3, 13.3, -40], [(1, 3)] * 3 + [(4, 1)], id="top"),
        pytest.param((46000, 18000, 18000, 18000), [56, -18.6, -18.7, -18.7], [(1, 1)] + [(2, 3)] * 3, id="bottom"),
        pytest.param((40000, 25000, 25000, 10000), [50, -5, -5, -40], [(1, 1), (2, 2), (2, 2), (4, 1)], id="middle"),
        pytest.param((25000, 25000, 25000, 25000), [0, 0, 0, 0], [(1, 4)] * 4, id="everybody"),
        pytest.param((40000, 40000, 10000, 10000), [35, 35, -35, -35], [(1, 2)] * 2 + [(3, 2)] * 2, id="two pairs"),
    ],
)
def test_groups_share_what_their_places_are_worth(
    raw: tuple[int, ...], expected: list[float], placed: list[tuple[int, int]]
) -> None:
    assert points(raw, CINDERELLA.ruleset) == expected
    assert placements(raw, CINDERELLA.ruleset) == placed


def test_shares_that_divide_need_no_rule_for_remainders() -> None:
    assert points((35000, 35000, 20000, 10000), rules(split=None, tie=SPLIT_UMA)) == [40, 20, -20, -40]
    with pytest.raises(ScoringError, match="split"):
        points((30000, 30000, 30000, 10000), rules(split=None))


@pytest.mark.parametrize(
    ("leftover", "alone", "tied"),
    [
        ("top", [51, 10, -20, -41], [36, 35, -26, -45]),
        ("split_tops", [51, 10, -20, -41], [35.5, 35.5, -26, -45]),
        ("top_after_rank_points", [51, 10, -20, -41], [36, 35, -26, -45]),
        ("void", [50, 10, -20, -41], [35, 35, -26, -45]),
        ("returned", [50, 10, -20, -40], [35, 35, -26, -44]),
    ],
)
def test_one_stick_left_goes_where_the_rules_say(leftover: str, alone: list[float], tied: list[float]) -> None:
    stick: dict[str, Any] = {"sticks_left": 1, "deposits": (0, 0, 0, 1)}
    assert points((40000, 30000, 20000, 9000), rules(leftover=leftover), **stick) == alone
    assert points((40000, 40000, 14000, 5000), rules(leftover=leftover), **stick) == tied


@pytest.mark.parametrize(
    ("leftover", "alone", "tied"),
    [
        ("top", [53, 10, -20, -43], [38, 35, -26, -47]),
        ("split_tops", [53, 10, -20, -43], [36.5, 36.5, -26, -47]),
        ("top_after_rank_points", [53, 10, -20, -43], [38, 35, -26, -47]),
        ("void", [50, 10, -20, -43], [35, 35, -26, -47]),
        ("returned", [50, 12, -20, -42], [35, 37, -26, -46]),
    ],
)
def test_three_sticks_left_go_where_the_rules_say(leftover: str, alone: list[float], tied: list[float]) -> None:
    sticks: dict[str, Any] = {"sticks_left": 3, "deposits": (0, 2, 0, 1)}
    assert points((40000, 30000, 20000, 7000), rules(leftover=leftover), **sticks) == alone
    assert points((40000, 40000, 14000, 3000), rules(leftover=leftover), **sticks) == tied


def test_a_stick_never_changes_a_placement() -> None:
    scored = score(FinishedGame((31000, 31000, 31000, 6000), 1), rules(tie=SEAT))
    assert [seat.placement for seat in scored.seats] == [1, 2, 3, 4]
    assert scored.ranking[0] == 1000 * (2 + 20 + 20)


@pytest.mark.parametrize(
    ("ends", "raw", "is_bust"), [("below_zero", 0, False), ("below_zero", -100, True), ("zero_or_below", 0, True)]
)
def test_a_prize_needs_the_reason_of_every_bust(ends: str, raw: int, is_bust: bool) -> None:
    prized = rules(bust={"ends": ends, "prize": 10})
    game = FinishedGame((50000, 30000, 20000 - raw, raw))
    if not is_bust:
        assert score(game, prized).ranking[3] == raw - 30000 - 20000
        return
    with pytest.raises(ScoringError, match="North is bust"):
        score(game, prized)


@pytest.mark.parametrize(
    ("tenpai", "settled"),
    [((2,), [60, 0, -9, -51]), ((0, 2), [65, 0, -14, -51]), ((0, 1, 2), [64, 3, -16, -51])],
)
def test_tenpai_players_share_the_prize_by_placement(tenpai: tuple[int, ...], settled: list[float]) -> None:
    busts = (Bust(3, "draw", tenpai=tenpai),)
    assert points((60000, 25000, 16000, -1000), CAMARADE.ruleset, Ledger.SETTLEMENT, busts=busts) == settled


def test_two_busted_players_pay_a_prize_each() -> None:
    busts = (Bust(2, "win", (0,)), Bust(3, "win", (1,)))
    settled = points((78000, 25500, -1000, -2500), CAMARADE.ruleset, Ledger.SETTLEMENT, busts=busts)
    assert settled == [87, 11, -46, -52]


def test_a_riichi_that_could_not_be_paid_puts_its_player_last() -> None:
    placement = rules(
        score_basis="placement", uma=[3, 1, -1, -3], tie=SEAT, bust={"ends": "below_zero", "illegal_riichi": True}
    )
    assert points((30000, 900, 40000, 29100), placement, busts=(Bust(1, "riichi"),)) == [1, -3, 3, -1]
    assert points((33000, 33000, 33000, 1000), placement, busts=(Bust(0, "riichi"),)) == [-3, 3, 1, -1]


def test_nobody_counts_lower_than_the_floor() -> None:
    sanma = rules(players=3, start_points=35000, return_points=40000, uma=[0, 0, 0], below_zero_floor=-10000)
    assert points((62000, 47000, -4000), sanma) == [37, 7, -44]
    assert points((75000, 42000, -12000), sanma) == [48, 2, -50]


def test_chombo_lies_on_the_total_and_leaves_the_hanchan_alone() -> None:
    scored = score(FinishedGame((41200, 27300, 19500, 12000), chombo=(0, 0, 0, 1)), CINDERELLA.ruleset)
    assert sum(scored.ranking) == 0
    results = {seat.number: [PlayerResult(seat.points[Ledger.RANKING], seat.placement, 0)] for seat in scored.seats}
    ranking = standings(results, {seat.number: seat.total_only for seat in scored.seats}, ["shared"])
    assert sum(line.points for line in ranking) == -40_000


@pytest.mark.parametrize(
    ("raw", "row"),
    [
        pytest.param((29000, 28000, 27000, 26000), "0", id="nobody floats, sticks left"),
        pytest.param((60000, 25000, 20000, 15000), "1", id="one"),
        pytest.param((60000, 30000, 20000, 10000), "2", id="two, one exactly on the line"),
        pytest.param((35000, 34000, 33000, 18000), "3", id="three"),
        pytest.param((30000, 30000, 30000, 30000), "4", id="four on the line"),
    ],
)
def test_floating_uma_takes_the_row_of_the_floaters(raw: tuple[int, ...], row: str) -> None:
    rows = {"0": [9, 3, -3, -9], "1": [12, -1, -3, -8], "2": [8, 4, -4, -8], "3": [8, 3, 1, -12], "4": [0, 0, 0, 0]}
    floating = rules(
        start_points=30000, tie=SEAT, leftover="void", uma=None, uma_floating={"threshold": 30000, "rows": rows}
    )
    sticks = (120000 - sum(raw)) // 1000
    expected = [(score - 30000) / 1000 + uma for score, uma in zip(raw, rows[row], strict=True)]
    assert points(raw, floating, sticks_left=sticks) == expected


@pytest.mark.parametrize(
    ("off", "says"),
    [
        (-1000, "sticks still on the table would explain it: 1"),
        (-3000, "explain it: 3"),
        (-900, "-900 off"),
        (1000, ": 1000 off"),
    ],
)
def test_scores_that_do_not_add_up_are_told_by_how_much(off: int, says: str) -> None:
    with pytest.raises(ScoringError) as caught:
        score(FinishedGame((31700, 31300, 25500, 11500 + off)), CAMARADE.ruleset)
    assert says in str(caught.value)
    assert caught.value.values["difference"] == off


def test_lines_are_those_of_the_ranking() -> None:
    seat = score(FinishedGame((31700, 31300, 25500, 11500)), CAMARADE.ruleset).seats[0]
    assert seat.lines == seat.breakdown[Ledger.RANKING]
    assert (seat.placement, seat.sharing, seat.total_only) == (1, 1, 0)
