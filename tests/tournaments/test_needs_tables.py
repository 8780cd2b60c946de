import random
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from scoring.core import FinishedGame, PlayerResult, ScoringError, ScoringRules, load_card, read_ruleset, score
from tests.budget import budget
from tests.tournaments.test_needs import BY_PLACE, CINDERELLA, FLOORED, some_scores
from tournaments.core.format import Block, RankBy, SeatingMethod, Stage
from tournaments.core.needs.proofs import Apart, Proofs, Tables, above_now, apart, places_missing, proofs_of_tables
from tournaments.core.ranking import BlockRanking, Contender, block_ranking
from tournaments.messages.needs_tables import Line, sentences_of_tables
from tournaments.selectors.needs import PlayerNeeds, RivalApart
from tournaments.selectors.needs_tables import tables_of, wild_card_in
from tournaments.templatetags.tournament import in_lines

NPM, CAMARADE, JPML = (load_card(key).ruleset for key in ("npm", "camarade", "jpml-a"))
ROUNDED = read_ruleset(
    {
        **load_card("cinderella").parameters,
        "rounding": {"mode": "half_up", "basis": "diff", "unit": 1000, "top_absorbs": False},
    }
)
EIGHT = "ABCDEFGH"


def some_tables(
    totals: Sequence[float],
    left: Sequence[int],
    goal: int,
    *together: str,
    rules: ScoringRules = CINDERELLA,
    last_decides: bool = True,
    is_closed: bool = False,
) -> Tables:
    return Tables(
        rules=rules,
        totals={name: round(points * 1000) for name, points in zip(EIGHT, totals, strict=True)},
        left=dict(zip(EIGHT, left, strict=True)),
        goal=goal,
        together=tuple(map(tuple, together)),
        last_decides=last_decides,
        is_closed=is_closed,
    )


def played_out(tables: Tables, chance: random.Random) -> dict[str, int]:
    totals, left = dict(tables.totals), dict(tables.left)
    waiting = [list(table) for table in tables.together]
    while waiting or any(left.values()):
        if not waiting:
            # Players with most hanchan left play next, so that all can complete theirs.
            waiting.append(sorted(left, key=lambda each: (-left[each], chance.random()))[:4])
        table = waiting.pop()
        raw = some_scores(chance, tables.rules)
        for player, points in zip(table, score(FinishedGame(raw, as_is=True), tables.rules).ranking, strict=True):
            totals[player] += points
            left[player] -= 1
    return totals


@pytest.mark.parametrize(
    "rules",
    [CINDERELLA, BY_PLACE, FLOORED, CAMARADE, NPM, JPML, ROUNDED],
    ids=["scores", "places alone", "a floor", "the top absorbs", "sticks are lost", "floating", "rounded"],
)
def test_proofs_hold_for_random_results(rules: ScoringRules) -> None:
    chance, said = random.Random(5), 0
    shapes = [
        ([0] * 4 + [1] * 4, ("EFGH",)),
        ([1] * 8, ("ABCD", "EFGH")),
        ([1] * 8, ("AEBF", "CGDH")),
        ([1] * 8, ()),
        ([0] * 4 + [2] * 4, ()),
        ([2] * 8, ()),
        ([0] * 4 + [1] * 4, ()),
        ([1] * 4 + [2] * 4, ("ABCD",)),
    ]
    for number in range(budget(160, 48)):
        left, together = shapes[number % len(shapes)]
        totals = [chance.choice((0, 10, 30, 45, 60, 100)) * chance.choice((1, -1)) for _ in EIGHT]
        tables = some_tables(totals, left, chance.randint(1, 7), *together, rules=rules, is_closed=True)
        proofs = proofs_of_tables(tables)
        said += len(proofs.secured) + len(proofs.out)
        for _ in range(30):
            try:
                ended = played_out(tables, chance)
            except ScoringError:
                continue
            for player in tables.players:
                above = sum(total > ended[player] for total in ended.values())
                level = sum(total == ended[player] for total in ended.values()) - 1
                assert above < tables.goal or player not in proofs.secured
                assert above + level >= tables.goal or player not in proofs.out
    assert said


@pytest.mark.parametrize("rules", [CINDERELLA, JPML, ROUNDED], ids=["shared", "floating", "rounded"])
def test_sufficient_gain_passes_the_rival(rules: ScoringRules) -> None:
    chance, met = random.Random(6), 0
    for _ in range(400):
        tables = some_tables([chance.randint(-800, 800) / 10 for _ in EIGHT], [1] * 8, 1, "ABCD", "EFGH", rules=rules)
        ended = played_out(tables, chance)
        needed = apart(tables, "A", "E")
        gained = (ended["A"] - tables.totals["A"]) - (ended["E"] - tables.totals["E"])
        is_enough = gained >= needed.least if needed.level_is_enough else gained > needed.least
        met += is_enough
        assert is_enough == (ended["A"] > ended["E"] or (ended["A"] == ended["E"] and needed.least > 0))
    assert 0 < met < 400


def test_finished_player_qualifies_if_rivals_cannot_all_pass() -> None:
    # Three at the second table can still pass B, but not all four: 4 × 20 exceeds the −60 that they share.
    tables = some_tables([50, 20, 10, -20, 0, -10, -20, -30], [0] * 4 + [1] * 4, 5, "EFGH")
    assert proofs_of_tables(tables) == Proofs(("A", "B"), ())
    assert proofs_of_tables(replace(tables, goal=4)).secured == ("A",)


def test_finished_player_is_out_if_a_rival_must_pass() -> None:
    totals = [20, 15, 10, -125, 50, 40, 10, -20]
    assert proofs_of_tables(some_tables(totals, [0] * 4 + [1] * 4, 1, "EFGH")).out == ("B", "C", "D")
    assert proofs_of_tables(some_tables([19.9, *totals[1:]], [0] * 4 + [1] * 4, 1, "EFGH")).out == ("A", "B", "C", "D")
    # If leftover riichi sticks are lost, the other table's total could be lower.
    lost = some_tables([19.9, *totals[1:]], [0] * 4 + [1] * 4, 1, "EFGH", rules=NPM)
    assert proofs_of_tables(lost).out == ("B", "C", "D")


def test_remaining_hanchan_among_the_same_players_keep_their_sum() -> None:
    totals, left = [50, 20, 10, -20, 0, -10, -20, -30], [0] * 4 + [3] * 4
    assert proofs_of_tables(some_tables(totals, left, 5, is_closed=True)).secured == ("A", "B")
    assert proofs_of_tables(some_tables(totals, left, 5)).secured == ("A",)
    assert proofs_of_tables(some_tables(totals, [0] * 4 + [3, 3, 3, 2], 5, is_closed=True)).secured == ("A",)


def test_nothing_is_proved_about_players_still_playing() -> None:
    assert proofs_of_tables(some_tables([500, 0, 0, 0, 0, 0, 0, -500], [1] * 8, 2, "ABCD", "EFGH")) == Proofs((), ())
    assert proofs_of_tables(some_tables([0] * 8, [1] * 8, 8, "ABCD", "EFGH")).secured == tuple(EIGHT)


def test_placement_scoring_bounds_several_hanchan() -> None:
    totals = [100, 0, 0, 0, 0, 0, 0, -100]
    one = some_tables(totals, [1] * 8, 1, "ABCD", "EFGH", rules=BY_PLACE)
    assert proofs_of_tables(one) == Proofs(("A",), tuple("BCDEFGH"))
    assert proofs_of_tables(some_tables(totals, [2] * 8, 1, rules=BY_PLACE)) == Proofs(("A",), tuple("BCDEFGH"))
    assert proofs_of_tables(some_tables(totals, [3] * 8, 1, rules=BY_PLACE)) == Proofs((), ("H",))


def test_tie_is_decided_by_earlier_order() -> None:
    tables = some_tables([10, 10, 0, 0, -90, -90, -90, -90], [0] * 4 + [1] * 4, 1, "EFGH", rules=BY_PLACE)
    assert proofs_of_tables(tables).secured == ()
    decided = Tables(BY_PLACE, tables.totals, tables.left, 1, tables.together, tuple(EIGHT))
    assert proofs_of_tables(decided).secured == ("A",)
    assert above_now(decided, "B") == ("A",)
    assert above_now(tables, "B") == ()
    assert places_missing(decided, "D") == 3


def test_equal_total_suffices_for_a_player_who_gains_more() -> None:
    tables = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 4 + [1] * 4, 2, "ABCD", "EFGH")
    assert apart(tables, "B", "E") == Apart(5000, level_is_enough=True)
    assert apart(tables, "A", "E") == Apart(-5000, level_is_enough=False)
    finished = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 4 + [0] * 4, 2, "ABCD")
    assert apart(finished, "B", "E") == Apart(5000, level_is_enough=False)


NAMES = dict(zip(EIGHT, ("青木", "石田", "上野", "江口", "小野", "加藤", "木村", "久保"), strict=True)).__getitem__


def sentences_for(tables: Tables, player: str, language: str = "ja") -> tuple[str, ...]:
    proofs = proofs_of_tables(tables)
    return sentences_of_tables(tables, [player], proofs, language, NAMES, Line(is_title=tables.goal == 1))[player]


def test_sentences_compare_rivals_at_two_tables() -> None:
    tables = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 8, 2, "ABCD", "EFGH")
    assert sentences_for(tables, "B")[:3] == (
        "上にいる2人のうち1人を抜けば通過。下から抜かれたら、その分もう1人ずつ抜く。",
        "同卓の青木より上になるには: 1着なら無条件 / 2着なら青木が3着以下 / 3着なら青木が4着。",
        "別卓の小野を抜くには、この半荘のポイントで5.0以上の差をつけて勝つ。",
    )
    assert (
        sentences_for(tables, "H")[0] == "上にいる7人のうち6人を抜けば通過。下から抜かれたら、その分もう1人ずつ抜く。"
    )
    title = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 8, 1, "ABCD", "EFGH")
    assert sentences_for(title, "E")[0] == "上の1人を抜けば優勝。抜かれたら届かない。"
    assert sentences_for(tables, "A")[0] == "抜かれるのが1人までなら通過。"
    assert "別卓の小野には、この半荘のポイントで負けても差が5.0未満なら抜かれない。" in sentences_for(tables, "A")
    assert sentences_for(tables, "E")[0] == "誰にも抜かれなければ通過。"
    assert any(
        each.startswith("Above 青木 at another table: with at least 5.0") for each in sentences_for(tables, "E", "en")
    )
    hopeless = some_tables([900, 20, 10, 0, 25, 0, -5, -80], [1] * 8, 2, "ABCD", "EFGH")
    assert not any("青木" in each for each in sentences_for(hopeless, "B"))
    level = some_tables([30, 20, 10, 0, 30, 0, -5, -80], [1] * 8, 2, "ABCD", "EFGH", last_decides=False)
    assert "別卓の青木より上になるには、この半荘のポイントで勝つ。" in sentences_for(level, "E")
    assert "別卓の小野を抜くには、この半荘のポイントで10.0より大きい差をつけて勝つ。" in sentences_for(level, "B")


def test_sentences_for_players_waiting_for_the_last_table() -> None:
    tables = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 4 + [0] * 4, 2, "ABCD")
    assert any("素点" in each for each in sentences_for(tables, "D"))
    assert sentences_for(tables, "E")[0] == "誰にも抜かれなければ通過。"
    assert "石田に抜かれるのは、この半荘のポイントが+5.0を上回るとき。" in sentences_for(tables, "E")
    behind = some_tables([30, 20, 10, -40, 25, 15, -5, -55], [1] * 4 + [0] * 4, 2, "ABCD")
    assert sentences_for(behind, "F")[:2] == (
        "自分の対局は終了。対局が残る上の全員が下がり、誰にも抜かれなければ通過。",
        "青木が下がるのは、この半荘のポイントが▲15.0を下回るとき。",
    )
    # A and B lose enough only if C or D, who are too close here, gets what they lose.
    closer = some_tables([30, 20, 10, 0, 25, 15, -5, -95], [1] * 4 + [0] * 4, 2, "ABCD")
    assert sentences_for(closer, "F") == ("極端な点差の半荘でないかぎり届かない。",)
    assert sentences_for(some_tables([-5, -25, -45, 0, 70, 15, -5, -5], [1] * 4 + [0] * 4, 2, "ABCD"), "E") == (
        "残りが極端な点差の半荘でないかぎり通過。",
    )
    assert sentences_for(tables, "F") == ("通過の可能性なし。",)


def test_no_rival_is_named_whom_no_ordinary_hanchan_can_pass() -> None:
    tables = some_tables([400, 110, 20, 0, 90, -40, -150, -430], [0] * 4 + [1] * 4, 2, "EFGH")
    assert sentences_for(tables, "B") == (
        "誰にも抜かれなければ通過。",
        "小野に抜かれるのは、この半荘のポイントが+20.0を上回るとき。",
    )
    apart_ = some_tables([400, 110, 20, 0, 90, -40, -150, -430], [1] * 8, 2, "ABCD", "EFGH")
    assert sentences_for(apart_, "A") == ("極端な点差の半荘でないかぎり、どの着順でも通過。",)
    assert sentences_for(apart_, "H") == ("極端な点差の半荘でないかぎり届かない。",)


def test_requirement_on_several_rivals_has_a_line_for_each() -> None:
    assert in_lines("3着なら: 次のうち2つ以上: Aが4着 / Bが4着。") == [
        "3着なら: 次のうち2つ以上:",
        "Aが4着",
        "Bが4着。",
    ]
    assert in_lines("2着なら: Aが3着以下、かつBが4着。") == ["2着なら:", "Aが3着以下", "かつBが4着。"]
    assert in_lines("If 2nd: A 4th; or B 3rd, or 1st.") == ["If 2nd:", "A 4th", "or B 3rd, or 1st."]
    assert in_lines("2着なら: Aが4着。") == ["2着なら: Aが4着。"]


def test_table_lists_rivals_elsewhere_only_if_the_sentences_name_not_all_of_them() -> None:
    entry: Any = SimpleNamespace(pk=1)
    behind = [
        RivalApart(entry, Apart(1000 * least, level_is_enough=True), plays=True, is_open=True) for least in (1, 2, 3, 4)
    ]
    closed = [replace(each, is_open=False) for each in behind]

    def untold(*rivals: RivalApart) -> tuple[RivalApart, ...]:
        needs = PlayerNeeds(entry, ("",), secured=False, out=False, left=1, is_above=False, gap=0, apart=rivals)
        return needs.untold

    assert untold(*behind) == tuple(behind)
    assert untold(*behind[:3]) == untold(*closed, *behind[:3]) == ()


def test_sentences_are_short_for_proved_or_undecided_players() -> None:
    assert sentences_for(some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 4 + [2] * 4, 2, "ABCD"), "E") == ()
    three = some_tables([30, 20, 10, 0, 25, 0, -5, -80], [1] * 4 + [0] * 4, 1)
    assert "対局を終えた小野より上になるには、この半荘で+5.0より上のポイント。" in sentences_for(three, "B")
    tables = some_tables([100, 20, 10, -20, 0, -10, -20, -80], [0] * 4 + [1] * 4, 5, "EFGH")
    assert sentences_for(tables, "A") == ("通過決定。",)
    out = some_tables([19.9, 15, 10, -125, 50, 40, 10, -20], [0] * 4 + [1] * 4, 1, "EFGH")
    assert sentences_for(out, "B") == ("優勝の可能性なし。",)
    placed = some_tables([100, 0, 0, 0, 0, 0, 0, -100], [1] * 8, 1, "ABCD", "EFGH", rules=BY_PLACE)
    assert (sentences_for(placed, "A"), sentences_for(placed, "H")) == (("優勝決定。",), ("優勝の可能性なし。",))


RULES = load_card("cinderella").ruleset
STAGE = Stage(
    "s", {"ja": "s"}, (Block("A"), Block("B")), (), 1, 2, SeatingMethod.FIXED, ("manual",), rank_by=RankBy.PLACEMENT
)


def a_block(block: str, hanchan: int) -> BlockRanking:
    contenders = [
        Contender(
            f"{block}{place}",
            [PlayerResult(0, place, 25_000, (block, game)) for game in range(hanchan)],
            spared=2 - hanchan,
        )
        for place in range(1, 5)
    ]
    return block_ranking(STAGE, block, contenders, (), 4)


@pytest.mark.parametrize(("hanchan", "is_compared"), [(2, True), (1, False)])
def test_wild_card_is_not_compared_across_unequal_hanchan(hanchan: int, *, is_compared: bool) -> None:
    rankings = (a_block("A", 2), a_block("B", hanchan))
    progress: Any = SimpleNamespace(stage=STAGE, rankings=rankings)
    for ranking in rankings:
        own = tables_of(progress, ranking, 2, RULES, ())
        assert (wild_card_in(progress, ranking, own, 1, (), RULES) is not None) is is_compared
