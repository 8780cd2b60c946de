from collections.abc import Sequence
from typing import Any

import pytest

from scoring.core import (
    Bust,
    FinishedGame,
    InputError,
    ScoringError,
    ScoringRules,
    load_card,
    read_game,
    read_ruleset,
    score,
    write_game,
)
from tests.scoring.games import rules_with

CAMARADE = load_card("camarade").ruleset
CINDERELLA = load_card("cinderella").ruleset
SHARED = {"rank": "shared", "uma": "split", "oka": "split"}
RAW = (31700, 31300, 25500, 11500)
BUSTED = (60000, 25000, 16000, -1000)


def points(raw: Sequence[int], rules: ScoringRules, **facts: Any) -> list[float]:
    return [points / 1000 for points in score(FinishedGame(tuple(raw), **facts), rules).ranking]


def placements(raw: Sequence[int], rules: ScoringRules) -> list[tuple[int, int]]:
    return [(seat.placement, seat.sharing) for seat in score(FinishedGame(tuple(raw)), rules).seats]


@pytest.mark.parametrize(
    ("game", "rules", "code", "seat", "says"),
    [
        pytest.param(FinishedGame(RAW[:3]), CAMARADE, "players", None, "3 scores", id="three scores"),
        pytest.param(FinishedGame((31750, 31250, 25500, 11500)), CAMARADE, "not_hundreds", 0, "East: 31,750", id="odd fifty"),
        pytest.param(FinishedGame((10**8, 31300, 25500, 11500)), CAMARADE, "too_large", 0, "score of 100000000 is too high", id="too many"),
        pytest.param(FinishedGame((31700, 31300, 25500, 12500), -1), CAMARADE, "sticks", None, "-1", id="negative sticks"),
        pytest.param(FinishedGame((31700, 31300, 25500, 10500)), CAMARADE, "unbalanced_sticks", None, "off by -1,000", id="a stick short"),
        pytest.param(FinishedGame((31700, 31300, 25500, 11800)), CAMARADE, "unbalanced", None, "off by 300", id="hundreds over"),
        pytest.param(FinishedGame((31700, 31300, 25500, 12500)), CAMARADE, "unbalanced", None, "off by 1,000", id="a thousand over"),
        pytest.param(FinishedGame(RAW, chombo=(1,)), CAMARADE, "length", None, "1 values", id="one chombo count"),
        pytest.param(FinishedGame(RAW, chombo=(-1, 1, 0, 0)), CAMARADE, "chombo_count", 0, "East", id="negative chombo"),
        pytest.param(FinishedGame(RAW, chombo=(0, 0, 10**4000, 0)), CAMARADE, "chombo_count", 2, "100000000000", id="countless chombo"),
        pytest.param(FinishedGame(RAW, chips=(10**4000, -(10**4000), 0, 0)), CAMARADE, "chips_count", 0, "East", id="countless chips"),
        pytest.param(FinishedGame(RAW, 10**4299), CAMARADE, "sticks", None, "100000000000", id="countless sticks"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((7, 10000),)),)), CAMARADE, "bust_share", 3, "other players", id="share of nobody"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((-1, 10000),)),)), CAMARADE, "bust_share", 3, "other players", id="share of nobody before"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((3, 10000),)),)), CAMARADE, "bust_share", 3, "other players", id="own share"),
        pytest.param(FinishedGame(RAW, chips=(1, 0, 0, 0)), CAMARADE, "chips_unbalanced", None, "1 instead of 0", id="chips"),
        pytest.param(FinishedGame(BUSTED), CAMARADE, "bust_unexplained", 3, "North is bust", id="who busted them"),
        pytest.param(FinishedGame(RAW, busts=(Bust(3, "win", (0,)),)), CAMARADE, "not_bust", 3, "North is not bust", id="not bust"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(9, "win", (0,)),)), CAMARADE, "bust_seat", None, "9", id="no such seat"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "fate"),)), CAMARADE, "bust_cause", 3, "choose whether", id="no such cause"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "win", (0,)),) * 2), CAMARADE, "bust_twice", 3, "twice", id="bust twice"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "win"),)), CAMARADE, "bust_winner", 3, "winner", id="no winner"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "win", (3,)),)), CAMARADE, "bust_winner", 3, "winner", id="busted themselves"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "draw"),)), CAMARADE, "bust_tenpai", 3, "tenpai", id="nobody tenpai"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "riichi"),)), CAMARADE, "bust_riichi", 3, "riichi", id="no such ending"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((0, 9000),)),)), CAMARADE, "bust_shares", 3, "9 instead of 10", id="shares"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((0, 15000), (1, -5000))),)), CAMARADE, "bust_share", 3, "other players", id="share below zero"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "win", (0, 1)),)), rules_with(bust={"ends": "below_zero", "prize": 10}), "unset", 3, "bust.win", id="several winners not told"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "draw", tenpai=(0,)),)), rules_with(bust={"ends": "below_zero", "prize": 10}), "unset", 3, "bust.draw_shares", id="draw not told"),
        pytest.param(FinishedGame(BUSTED, busts=(Bust(3, "other"),)), rules_with(bust={"ends": "below_zero", "prize": 10}), "unset", 3, "bust.other", id="other bust not told"),
        pytest.param(
            FinishedGame((70000, 33000, -1000, -2000), busts=(Bust(2, "draw", tenpai=(0,)), Bust(3, "draw", tenpai=(0, 2)))),
            CAMARADE, "bust_noten", 2, "West went bust on the same draw", id="bust and tenpai at once",
        ),
        pytest.param(FinishedGame((30800, 30800, 25500, 12900)), rules_with(tie=None), "unset", None, "tie", id="tie not told"),
        pytest.param(FinishedGame((30000, 30000, 30000, 10000)), rules_with(split=None, tie=SHARED), "unset", None, "split", id="remainder not told"),
        pytest.param(FinishedGame((31700, 31300, 25500, 10500), 1), rules_with(leftover=None), "unset", None, "leftover", id="stick not told"),
        pytest.param(FinishedGame(RAW, chombo=(0, 0, 0, 1)), rules_with(), "unset", None, "chombo", id="chombo not told"),
        pytest.param(FinishedGame((31700, 31300, 25500, 10500), 1), rules_with(leftover="returned"), "deposits", None, "1 in total", id="whose stick"),
        pytest.param(
            FinishedGame(BUSTED, busts=(Bust(3, "other"),)),
            rules_with(bust={"ends": "below_zero", "prize": 10, "other": "manual"}),
            "bust_shares", 3, "North", id="shares by hand",
        ),
        pytest.param(
            FinishedGame(BUSTED, busts=(Bust(3, "draw", tenpai=(0, 1)),)),
            rules_with(bust={"ends": "below_zero", "prize": 10, "draw_shares": {"1": [10]}}),
            "no_draw_shares", 3, "2 tenpai", id="no shares for two",
        ),
        pytest.param(
            FinishedGame(RAW), rules_with(uma=None, uma_floating={"threshold": 30000, "rows": {"1": [9, 1, -5, -5]}}),
            "no_uma_row", None, "2 floating players", id="no row for two floaters",
        ),
        pytest.param(
            FinishedGame(RAW, chips=(1, -1, 0, 0)),
            rules_with(ledgers={"ranking": {"parts": ["base", "chips"]}, "settlement": {"parts": ["base"]}}),
            "unset", None, "chips.value", id="chips without a value",
        ),
        pytest.param(FinishedGame(RAW), read_ruleset({}), "ruleset_incomplete", None, "players", id="no rules"),
    ],
)  # fmt: skip
def test_unscorable_game_is_an_error(game: FinishedGame, rules: Any, code: str, seat: int | None, says: str) -> None:
    with pytest.raises(ScoringError) as caught:
        score(game, rules)
    assert (caught.value.code, caught.value.seat) == (code, seat)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("bust", "rule", "prizes"),
    [
        pytest.param(Bust(3, "win", (1, 2)), {"win": "first"}, [0, 10, 0, -10], id="first winner"),
        pytest.param(Bust(3, "win", (2, 1)), {"win": "split"}, [0, 5, 5, -10], id="winners share"),
        pytest.param(Bust(3, "win", (1, 2)), {"win": "each"}, [0, 10, 10, -20], id="each winner"),
        pytest.param(Bust(3, "draw", tenpai=(0, 2)), {"draw_shares": "equal_split"}, [5, 0, 5, -10], id="draw, evenly"),
        pytest.param(Bust(3, "other"), {"other": "equal_split"}, [3.4, 3.3, 3.3, -10], id="otherwise, evenly"),
        pytest.param(Bust(3, "other"), {"other": "none"}, [0, 0, 0, 0], id="otherwise, nothing"),
        pytest.param(Bust(3, "win", (1,)), {}, [0, 10, 0, -10], id="one winner needs no rule"),
        pytest.param(
            Bust(3, "other", shares=((0, 4000), (1, 6000))), {"other": "manual"}, [4, 6, 0, -10], id="by hand"
        ),
    ],
)
def test_bust_prize_follows_the_rules(bust: Bust, rule: dict[str, Any], prizes: list[float]) -> None:
    rules = rules_with(bust={"ends": "below_zero", "prize": 10} | rule)
    with_prize = score(FinishedGame(BUSTED, busts=(bust,)), rules).ranking
    without = score(FinishedGame(BUSTED), rules_with()).ranking
    assert [round(prize * 1000) for prize in prizes] == [
        mine - other for mine, other in zip(with_prize, without, strict=True)
    ]


def test_shares_of_a_bust_prize_in_chips_are_whole_chips() -> None:
    rules = rules_with(
        bust={"ends": "below_zero", "prize": 5, "prize_in": "chips", "other": "manual"}, chips={"value": "2"}
    )
    table = {"raw": list(BUSTED), "busts": [{"seat": 3, "by": "other", "shares": {"0": 3, "1": 2}}]}
    chips = [
        line.points for seat in score(read_game(table), rules).seats for line in seat.lines if line.part == "chips"
    ]
    assert chips == [6000, 4000, -10000]
    assert write_game(read_game(table))["busts"][0]["shares"] == {"0": "3", "1": "2"}
    with pytest.raises(ScoringError, match="add up to 4 instead of 5"):
        score(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((0, 4000),)),)), rules)
    with pytest.raises(ScoringError, match="whole chips"):
        score(FinishedGame(BUSTED, busts=(Bust(3, "other", shares=((0, 4500), (1, 500))),)), rules)


def test_bust_prize_in_chips_is_paid_in_chips() -> None:
    rule = {"ends": "below_zero", "prize": 5, "prize_in": "chips"}
    game = FinishedGame(BUSTED, busts=(Bust(3, "win", (0,)),), chips=(0, 2, -2, 0))
    paid = score(game, rules_with(bust=rule, chips={"value": "2"})).ranking
    assert [
        points - plain for points, plain in zip(paid, score(FinishedGame(BUSTED), rules_with()).ranking, strict=True)
    ] == [10000, 4000, -4000, -10000]
    assert score(game, rules_with(bust=rule)).ranking == score(FinishedGame(BUSTED), rules_with()).ranking


@pytest.mark.parametrize(
    ("ends", "raw", "bust"),
    [("below_zero", 0, False), ("below_zero", -100, True), ("zero_or_below", 0, True), ("never", -5000, False)],
)
def test_bust_threshold_follows_the_rules(ends: str, raw: int, bust: bool) -> None:
    assert rules_with(bust={"ends": ends}).is_bust(raw) is bust


def test_leftover_sticks_are_split_among_tied_winners_in_hundreds() -> None:
    rules = rules_with(leftover="split_tops", tie=SHARED, uma=[0, 0, 0, 0], oka=0)
    assert list(score(FinishedGame((30000, 30000, 30000, 8000), 2), rules).ranking) == [700, 700, 600, -22000]


@pytest.mark.parametrize(
    ("remainder", "shares"),
    [
        ("one_each_nearest", [16700, 16700, 16600]),
        ("all_nearest", [16800, 16600, 16600]),
        ("seat_order_if_indivisible", [50000, 10000, -10000]),
    ],
)
def test_indivisible_remainder_follows_the_rules(remainder: str, shares: list[int]) -> None:
    rules = rules_with(uma=[30, 10, -10, -30], tie=SHARED, split={"unit": "0.1", "remainder": remainder})
    assert list(score(FinishedGame((30000, 30000, 30000, 10000)), rules).ranking[:3]) == shares


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ([], "table"),
        ({}, "raw: this is missing"),
        ({"raw": 1}, "raw: a list"),
        ({"raw": ["x"]}, "raw[0]"),
        ({"raw": [True]}, "raw[0]"),
        ({"raw": [], "rawr": 1}, "rawr: there is no such key"),
        ({"raw": [], "sticks_left": "1"}, "sticks_left"),
        ({"raw": [], "busts": [1]}, "busts[0]: a table"),
        ({"raw": [], "busts": [{"seat": "x", "by": "win"}]}, "busts[0].seat"),
        ({"raw": [], "busts": [{"seat": 1}]}, "busts[0].by"),
        ({"raw": [], "busts": [{"seat": 1, "by": "win", "who": 1}]}, "busts[0].who"),
        ({"raw": [], "busts": [{"seat": 1, "by": "other", "shares": []}]}, "busts[0].shares"),
        ({"raw": [], "busts": [{"seat": 1, "by": "other", "shares": {"x": 1}}]}, "busts[0].shares"),
        ({"points": ["a"]}, "points: not a number"),
        ({"points": "5"}, "points: a list"),
        ({"raw": [1], "points": [1]}, "either raw scores or points"),
        ({"raw": [], "as_is": 1}, "as_is: true or false"),
    ],
)
def test_invalid_game_document_is_refused(table: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_game(table)
    assert says in str(caught.value)


def test_game_is_written_and_read_unchanged() -> None:
    game = FinishedGame(
        BUSTED,
        1,
        busts=(Bust(3, "other", shares=((0, 10000),)), Bust(2, "draw", tenpai=(0,)), Bust(1, "win", (0,))),
        chombo=(1, 0, 0, 0),
        chips=(1, -1, 0, 0),
        deposits=(1, 0, 0, 0),
    )
    of_points = FinishedGame((), points=(45_000, 9_000, -20_000, -34_000), placements=(1, 2, 3, 4), as_is=True)
    assert read_game(write_game(game)) == game
    assert read_game(write_game(of_points)) == of_points


def test_reseated_game_moves_all_facts_with_the_players() -> None:
    game = FinishedGame(
        raw=(31_000, 40_000, 30_000, -2_000),
        sticks_left=1,
        busts=(Bust(3, "win", winners=(0, 1), shares=((0, 4000), (1, 6000))), Bust(3, "draw", tenpai=(0, 2))),
        chombo=(0, 0, 1, 0),
        chips=(3, -1, -2, 0),
        deposits=(1, 0, 0, 0),
    )
    moved = game.reseated((3, 1, 0, 2))
    assert moved.raw == (-2_000, 40_000, 31_000, 30_000)
    assert moved.sticks_left == 1
    win = Bust(0, "win", winners=(1, 2), shares=((1, 6000), (2, 4000)))
    assert moved.busts == (win, Bust(0, "draw", tenpai=(2, 3)))
    assert (moved.chombo, moved.chips, moved.deposits) == ((0, 0, 0, 1), (0, -1, 3, -2), (0, 0, 1, 0))
    assert moved.reseated((2, 1, 3, 0)) == game
    of_points = FinishedGame((), points=(45_000, 9_000, -20_000, -34_000), placements=(1, 2, 3, 4)).reseated(
        (3, 2, 1, 0)
    )
    assert (of_points.points, of_points.placements) == ((-34_000, -20_000, 9_000, 45_000), (4, 3, 2, 1))


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
def test_tied_players_share_points(raw: tuple[int, ...], expected: list[float], placed: list[tuple[int, int]]) -> None:
    assert points(raw, CINDERELLA) == expected
    assert placements(raw, CINDERELLA) == placed


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
def test_leftover_sticks_follow_the_rules(leftover: str, alone: list[float], tied: list[float]) -> None:
    sticks: dict[str, Any] = {"sticks_left": 3, "deposits": (0, 2, 0, 1)}
    assert points((40000, 30000, 20000, 7000), rules_with(leftover=leftover, tie=SHARED), **sticks) == alone
    assert points((40000, 40000, 14000, 3000), rules_with(leftover=leftover, tie=SHARED), **sticks) == tied


def test_divisible_shares_need_no_remainder_rule() -> None:
    split_uma = {"rank": "seat", "uma": "split", "oka": "seat"}
    assert points((35000, 35000, 20000, 10000), rules_with(split=None, tie=split_uma)) == [40, 20, -20, -40]


def test_leftover_stick_does_not_change_placements() -> None:
    scored = score(FinishedGame((31000, 31000, 31000, 6000), 1), rules_with())
    assert [seat.placement for seat in scored.seats] == [1, 2, 3, 4]
    assert scored.ranking[0] == 1000 * (2 + 20 + 20)


def test_unpaid_riichi_places_its_player_last() -> None:
    placement = rules_with(
        score_basis="placement", uma=[3, 1, -1, -3], bust={"ends": "below_zero", "illegal_riichi": True}
    )
    assert points((30000, 900, 40000, 29100), placement, busts=(Bust(1, "riichi"),)) == [1, -3, 3, -1]
    assert points((33000, 33000, 33000, 1000), placement, busts=(Bust(0, "riichi"),)) == [-3, 3, 1, -1]


@pytest.mark.parametrize(
    ("raw", "row"),
    [
        pytest.param((29000, 28000, 27000, 26000), "0", id="nobody floats, leftover sticks"),
        pytest.param((60000, 25000, 20000, 15000), "1", id="one"),
        pytest.param((60000, 30000, 20000, 10000), "2", id="two, one exactly on the line"),
        pytest.param((35000, 34000, 33000, 18000), "3", id="three"),
        pytest.param((30000, 30000, 30000, 30000), "4", id="four on the line"),
    ],
)
def test_floating_uma_depends_on_the_number_of_floaters(raw: tuple[int, ...], row: str) -> None:
    rows = {"0": [9, 3, -3, -9], "1": [12, -1, -3, -8], "2": [8, 4, -4, -8], "3": [8, 3, 1, -12], "4": [0, 0, 0, 0]}
    floating = {"start_points": 30000, "leftover": "void", "uma": None, "bust": None}
    sticks = (120000 - sum(raw)) // 1000
    expected = [(score - 30000) / 1000 + uma for score, uma in zip(raw, rows[row], strict=True)]
    table = {"threshold": 30000, "rows": rows}
    assert points(raw, rules_with(**floating, uma_floating=table), sticks_left=sticks) == expected


def test_floating_uma_can_exclude_scores_on_the_threshold() -> None:
    table = {"threshold": 30000, "inclusive": False, "rows": {"1": [9, 1, -1, -9]}}
    assert points((40000, 30000, 20000, 10000), rules_with(uma=None, oka=0, uma_floating=table))[0] == 19
