from collections.abc import Mapping
from typing import Any

import pytest

from scoring.core import Bust, FinishedGame, Ledger, ScoringRules, load_card, score
from scoring.core.explain import Reason
from tests.scoring.games import rules_with

CINDERELLA = load_card("cinderella").ruleset
SHARED = {"rank": "shared", "uma": "split", "oka": "split"}


def reasons(game: FinishedGame, rules: ScoringRules, seat: int, ledger: Ledger = Ledger.RANKING) -> dict[str, Reason]:
    return {line.part.value: line.reason for line in score(game, rules).seats[seat].breakdown[ledger]}


def codes(game: FinishedGame, rules: ScoringRules, seat: int, ledger: Ledger = Ledger.RANKING) -> Mapping[str, str]:
    return {part: reason.code for part, reason in reasons(game, rules, seat, ledger).items()}


def test_base_line_shows_included_sticks() -> None:
    base = reasons(FinishedGame((31700, 31300, 25500, 10500), 1), rules_with(), 0)["base"]
    assert (base.values["raw"], base.values["sticks"], base.values["exact"]) == (31700, 1000, 2700)
    assert base.clause == "return_points"


def test_rounding_is_named_only_where_it_changes_the_points() -> None:
    game, rules = FinishedGame((40000, 25400, 20000, 14600)), load_card("free-10-30").ruleset
    assert [codes(game, rules, seat)["base"] for seat in (1, 2)] == ["base_rounded", "base"]


def test_floor_is_explained_to_loser_and_winner() -> None:
    sanma = rules_with(players=3, start_points=35000, return_points=40000, uma=[0, 0, 0], below_zero_floor=-10000)
    assert score(FinishedGame((62000, 47000, -4000)), sanma).ranking == (37000, 7000, -44000)
    game = FinishedGame((75000, 42000, -12000))
    assert score(game, sanma).ranking == (48000, 2000, -50000)
    assert codes(game, sanma, 0) == {"base": "base", "floor": "floor", "oka": "oka"}
    assert reasons(game, sanma, 0)["floor"].values == {"floor": -10000, "points": -2000}
    assert codes(game, sanma, 2) == {"base": "base_floored"}


@pytest.mark.parametrize(
    ("game", "given", "seat", "expected"),
    [
        pytest.param((40000, 30000, 20000, 10000), {}, 0, {"oka": "oka", "uma": "uma"}, id="nobody tied"),
        pytest.param((35000, 35000, 20000, 10000), {}, 0, {"oka": "oka_by_seat", "uma": "uma_by_seat"}, id="by seat"),
        pytest.param((35000, 35000, 20000, 10000), {}, 1, {"uma": "uma_by_seat"}, id="second by seat"),
        pytest.param((35000, 35000, 20000, 10000), {"tie": SHARED}, 0, {"oka": "oka_shared", "uma": "uma_shared"}, id="shared"),
        pytest.param((30000, 30000, 30000, 10000), {"tie": SHARED}, 0, {"oka": "oka_shared", "uma": "uma_shared_unevenly"}, id="with a remainder"),
        pytest.param(
            (30000, 30000, 30000, 10000), {"tie": SHARED, "split": {"unit": "1", "remainder": "seat_order_if_indivisible"}},
            0, {"oka": "oka_by_seat", "uma": "uma_by_seat"}, id="indivisible, so by seat",
        ),
        pytest.param(
            (40000, 30000, 20000, 10000), {"uma": None, "uma_floating": {"threshold": 30000, "rows": {"2": [9, 1, -1, -9]}}},
            1, {"uma": "uma_floating"}, id="by the number of floaters",
        ),
    ],
)  # fmt: skip
def test_ties_have_a_reason(game: tuple[int, ...], given: dict[str, Any], seat: int, expected: dict[str, str]) -> None:
    found = dict(codes(FinishedGame(game), rules_with(**given), seat))
    assert found.pop("base") == "base"
    assert found == expected


def test_leftover_sticks_after_placement_have_their_own_line() -> None:
    found = reasons(FinishedGame((38000, 38000, 13000, 10000), 1), CINDERELLA, 0)
    assert found["leftover"].values == {"sticks": 1, "points": 1000}
    assert found["base"].values["sticks"] == 0


@pytest.mark.parametrize(
    ("bust", "code"),
    [
        (Bust(3, "win", (1,)), "bust_paid_win"),
        (Bust(3, "draw", tenpai=(0, 1)), "bust_paid_draw"),
        (Bust(3, "other"), "bust_paid_other"),
        (Bust(3, "riichi"), "bust_paid_riichi"),
    ],
)
def test_bust_reason_names_the_cause(bust: Bust, code: str) -> None:
    prized = rules_with(
        bust={
            "ends": "below_zero",
            "prize": 10,
            "draw_shares": "equal_split",
            "other": "equal_split",
            "illegal_riichi": True,
        }
    )
    game = FinishedGame((60000, 25000, 16000, -1000), busts=(bust,))
    assert codes(game, prized, 3)["bust"] == code
    assert reasons(game, prized, 1)["bust"].values["busted"] == (3,)


def test_bust_reason_names_the_busted_player() -> None:
    prized = rules_with(bust={"ends": "below_zero", "prize": 10})
    game = FinishedGame((70000, 33000, -1000, -2000), busts=(Bust(2, "win", (0,)), Bust(3, "win", (1,))))
    assert reasons(game, prized, 0)["bust"].values == {"busted": (2,), "points": 10000}
    assert reasons(game, prized, 1)["bust"].values == {"busted": (3,), "points": 10000}


def test_chips_fees_and_penalties_show_their_counts() -> None:
    extra = rules_with(
        chips={"value": "0.5"}, fees={"game": 4, "top": 2}, chombo={"kind": "total", "amount": -20, "ledger": "game"}
    )
    found = reasons(FinishedGame((40000, 30000, 20000, 10000), chombo=(2, 0, 0, 0), chips=(3, -3, 0, 0)), extra, 0)
    assert found["chips"].values == {"count": 3, "value": 500, "points": 1500}
    assert found["fees"].values == {"is_top": True, "points": -6000}
    assert found["penalties"].values == {"count": 2, "points": -40000}


def test_worthless_chips_have_no_line() -> None:
    assert "chips" not in codes(
        FinishedGame((40000, 30000, 20000, 10000), chips=(3, -3, 0, 0)), rules_with(chips={"value": 0}), 0
    )


@pytest.mark.parametrize(
    ("chombo", "code", "points"),
    [
        ({"kind": "none"}, "chombo_none", 0),
        ({"kind": "mangan"}, "chombo_mangan", 0),
        ({"kind": "flat_each", "amount": 3000}, "chombo_flat_each", 0),
        ({"kind": "total", "amount": -20}, "chombo_total", -40_000),
    ],
)
def test_chombo_outside_the_hanchan_is_a_remark(chombo: dict[str, Any], code: str, points: int) -> None:
    seats = score(FinishedGame((40000, 30000, 20000, 10000), chombo=(0, 2, 0, 0)), rules_with(chombo=chombo)).seats
    (remark,) = seats[1].remarks
    assert (remark.code, remark.values["count"], seats[1].total_only) == (code, 2, points)
    assert [seat.remarks for seat in seats if seat.number != 1] == [(), (), ()]
    assert "penalties" not in {line.part for line in seats[1].lines}


def test_chombo_inside_the_hanchan_is_a_line() -> None:
    inside = rules_with(chombo={"kind": "total", "amount": -20, "ledger": "game"})
    seat = score(FinishedGame((40000, 30000, 20000, 10000), chombo=(0, 2, 0, 0)), inside).seats[1]
    assert (seat.remarks, seat.lines[-1].part, seat.lines[-1].points) == ((), "penalties", -40_000)
