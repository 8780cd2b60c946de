import random
from collections.abc import Iterator, Mapping
from itertools import permutations, product

import pytest

from scoring.core import FinishedGame, load_card, score
from tests.budget import budget
from tournaments.core.needs.case import Case, Hand, by_places, total_of_places
from tournaments.core.needs.last_hand import last_hand
from tournaments.core.needs.margins import counts_scores, finishes
from tournaments.core.needs.proofs import Holder, Proofs, Tables, WildCard, proofs_of_tables, proofs_of_wild_card
from tournaments.core.odds import chances_by_places
from tournaments.messages.needs import last_hand_sentences
from tournaments.messages.needs_tables import Line, LowerLine, sentences_of_tables, sentences_of_wild_card

CINDERELLA = load_card("cinderella").ruleset
BY_PLACES = by_places(CINDERELLA)
SECOND = LowerLine(3, {"ja": "2戦目", "en": "the second hanchan"})
NAMES = {"A": "青木", "B": "石田", "C": "上野", "D": "江口", "E": "小野"}


def a_table(sums: str, goal: int, *, left: int = 1, last_decides: bool = False) -> Tables:
    totals = {name: -1000 * int(digit) for name, digit in zip("ABCDE", sums, strict=False)}
    at_table = tuple("ABCD") if left == 1 else ()
    return Tables(
        BY_PLACES,
        dict(sorted(totals.items(), key=lambda each: -each[1])),
        {name: left if name in "ABCD" else 0 for name in totals},
        goal,
        (at_table,) if at_table else (),
        last_decides=last_decides,
        is_closed=True,
    )


def sentences_for(tables: Tables, player: str, language: str = "ja", *lower: LowerLine) -> tuple[str, ...]:
    proofs, line = proofs_of_tables(tables), Line(lower=lower)
    return sentences_of_tables(tables, [player], proofs, language, NAMES.__getitem__, line)[player]


def placements(chance: random.Random) -> tuple[int, ...]:
    raw = [25_000 + 1000 * chance.randint(-4, 4) for _ in "ABCD"]
    return score(FinishedGame(tuple(raw), as_is=True), CINDERELLA).order.placements


def test_placement_scoring_ignores_raw_scores() -> None:
    assert not counts_scores(BY_PLACES)
    assert {bonus for finish in finishes(BY_PLACES) for bonus in finish.bonus} == {-1000, -2000, -3000, -4000}
    assert any(finish.bonus == (-1000, -1000, -3000, -4000) for finish in finishes(BY_PLACES))
    by_seat = finishes(by_places(load_card("tenhou-4p").ruleset))
    assert {tuple(sorted(finish.bonus)) for finish in by_seat} == {(-4000, -3000, -2000, -1000)}
    assert total_of_places([1, 4], missed=1) == -1_005_000


def test_sentences_cover_each_placement_before_the_only_hanchan() -> None:
    assert sentences_for(a_table("0000", 1), "A", "ja", SECOND) == (
        "1着なら通過。",
        "2着か3着なら2戦目へ。",
        "4着では届かない。",
    )
    assert sentences_for(a_table("0000", 1), "A", "en", SECOND) == (
        "1st: through.",
        "2nd or 3rd: on to the second hanchan.",
        "4th is not enough.",
    )
    assert sentences_for(a_table("0000", 2), "D") == ("2着以上なら通過。", "3着以下では届かない。")


def test_sentences_name_the_placements_needed_from_rivals() -> None:
    # A has 1, B 2, C 3, D 4: with 2nd A is at 3, and B with 1st at 3 too.
    tables = a_table("1234", 1)
    assert sentences_for(tables, "A")[0] == "1着なら通過。"
    assert sentences_for(tables, "A")[1] == "2着なら: 石田が3着以下。"
    assert sentences_for(tables, "A")[2].startswith("2着なら: ")
    assert sentences_for(tables, "A")[2].endswith("同点の決め方による。")
    assert not any("同点" in each for each in sentences_for(a_table("1234", 1, last_decides=True), "A"))


def above_and_level(totals: Mapping[str, int], player: str) -> tuple[int, int]:
    above = sum(total > totals[player] for total in totals.values())
    return above, sum(total == totals[player] for total in totals.values()) - 1


def some_table(chance: random.Random, *, last_decides: bool) -> Tables:
    sums = "".join(str(chance.randint(1, 6)) for _ in range(chance.choice((4, 5))))
    return a_table(sums, chance.randint(1, 3), last_decides=last_decides)


@pytest.mark.parametrize("last_decides", [False, True])
def test_proofs_hold_for_random_placements(*, last_decides: bool) -> None:
    chance, proved = random.Random(66), 0
    for _ in range(budget(60, 20)):
        tables = some_table(chance, last_decides=last_decides)
        proofs = proofs_of_tables(tables)
        proved += len(proofs.secured) + len(proofs.out)
        for _ in range(60):
            found = zip("ABCD", placements(chance), strict=True)
            ended = dict(tables.totals) | {name: tables.totals[name] - 1000 * place for name, place in found}
            for name in ended:
                above, level = above_and_level(ended, name)
                # Ties that the last hanchan breaks are covered by the test of the sentences.
                assert name not in proofs.secured or above + (0 if last_decides else level) < tables.goal
                assert name not in proofs.out or above + (level if last_decides else 0) >= tables.goal
    assert proved


@pytest.mark.long
@pytest.mark.parametrize("last_decides", [False, True])
def test_sentences_hold_for_every_order_of_placements(*, last_decides: bool) -> None:
    """A place said to suffice does so in every order, one said not to never does; others depend."""
    chance = random.Random(67)
    for _ in range(budget(40, 12)):
        tables = some_table(chance, last_decides=last_decides)
        for name, place in product("ABCD", range(1, 5)):
            ends = list(ends_of(tables, name, place))
            said = said_of(sentences_for(tables, name), place)
            surely, hopeless = all(sure for sure, _ in ends), not any(may for _, may in ends)
            assert said == (surely, hopeless), (tables, name, place, sentences_for(tables, name))
            # Unproved statements that hold for every place name their condition.
            assert not any(each.startswith("4着以上") for each in sentences_for(tables, name))


def ends_of(tables: Tables, player: str, place: int) -> Iterator[tuple[bool, bool]]:
    rivals = [each for each in "ABCD" if each != player]
    for others in permutations([number for number in range(1, 5) if number != place]):
        taken = {player: place, **dict(zip(rivals, others, strict=True))}
        ended = {each: total - 1000 * taken.get(each, 0) for each, total in tables.totals.items()}
        above, level = above_and_level(ended, player)
        if tables.last_decides:
            met = [each for each in rivals if ended[each] == ended[player]]
            above, level = above + sum(taken[each] < place for each in met), level - len(met)
        yield above + level < tables.goal, above < tables.goal


def said_of(sentences: tuple[str, ...], place: int) -> tuple[bool, bool]:
    always = never = False
    for sentence in sentences:
        number = int(sentence[0]) if sentence[0].isdecimal() else 0
        always = always or (sentence.endswith("以上なら通過。") and place <= number)
        always = always or (sentence.endswith("着なら通過。") and place == number) or sentence == "通過決定。"
        always = always or sentence == "素点が並ばないかぎり、どの着順でも通過。"
        never = never or (sentence.endswith("以下では届かない。") and place >= number)
        never = never or (sentence.endswith("着では届かない。") and place == number) or "可能性なし" in sentence
    return always, never


def test_chances_are_shared_among_tied_players() -> None:
    even = Case(BY_PLACES, tuple("ABCD"), dict.fromkeys("ABCD", 0), 1, last_decides=False)
    assert chances_by_places(even, {}) == pytest.approx(dict.fromkeys("ABCD", 0.25))
    totals = {"A": -1000, "B": -2000, "C": -3000, "D": -4000}
    for decides in (False, True):
        found = chances_by_places(Case(BY_PLACES, tuple("ABCD"), totals, 2, last_decides=decides), {"A": 1.0})
        assert sum(found.values()) == pytest.approx(2)
        assert found["A"] > found["B"] > found["C"] > found["D"]
    behind = Case(BY_PLACES, tuple("ABCD"), totals, 1, others={"E": -3000}, last_decides=True)
    assert 0 < sum(chances_by_places(behind, {}).values()) < 1


def a_block(names: str, totals: list[int], left: int, goal: int) -> Tables:
    by_name = dict(sorted(zip(names, totals, strict=True), key=lambda each: -each[1]))
    return Tables(
        CINDERELLA, by_name, dict.fromkeys(names, left), goal, (tuple(names),) if left == 1 else (), is_closed=True
    )


def a_wild_card(own: Tables, count: int, *others: Tables) -> WildCard:
    holders = [
        Holder(
            str(number),
            list(each.totals)[own.goal - 1],
            list(each.totals.values())[own.goal - 1],
            max(each.left.values()),
        )
        for number, each in enumerate(others, start=1)
    ]
    return WildCard(count, own, others, tuple(sorted(holders, key=lambda each: -each.total)))


def test_wild_card_proofs_hold_for_random_results() -> None:
    chance, said = random.Random(18), 0
    for _ in range(budget(150, 50)):
        count, goal = chance.randint(1, 3), chance.randint(1, 3)
        blocks = [
            a_block(names, [1000 * chance.randint(-40, 40) for _ in names], chance.choice((0, 0, 1)), goal)
            for names in ("ABCD", "EFGH", "IJKL")
        ]
        proofs = proofs_of_wild_card(a_wild_card(blocks[0], count, *blocks[1:]))
        said += len(proofs.secured) + len(proofs.out)
        for _ in range(40):
            ended = []
            for block in blocks:
                totals = dict(block.totals)
                if any(block.left.values()):
                    raw = [25_000 + 1000 * chance.randint(-60, 60) for _ in "1234"]
                    raw[3] += 100_000 - sum(raw)
                    for name, points in zip(totals, score(FinishedGame(tuple(raw)), CINDERELLA).ranking, strict=True):
                        totals[name] += points
                ended.append(totals)
            for name, own in ended[0].items():
                rank = [sum(total > own for total in ended[0].values()) + 1]
                rank.append(sum(total >= own for total in ended[0].values()))
                held = [sorted(block.values())[-goal] for block in ended[1:]]
                worst = rank[1] < goal or (rank[1] == goal and sum(total >= own for total in held) < count)
                best = rank[0] < goal or (rank[0] <= goal <= rank[1] and sum(total > own for total in held) < count)
                assert worst or name not in proofs.secured, (blocks, count, goal, name)
                assert not best or name not in proofs.out, (blocks, count, goal, name)
    assert said > 50


def wild_card_sentences(wild: WildCard, player: str, language: str = "ja") -> tuple[str, ...]:
    return sentences_of_wild_card(wild, [player], proofs_of_wild_card(wild), language, str)[player]


def test_wild_card_sentences_name_the_target_and_its_holder() -> None:
    own = a_block("ABCD", [30_000, 5_000, -5_000, -30_000], 1, 2)
    over = a_block("EFGH", [20_000, 10_300, 0, -30_300], 0, 2)
    assert wild_card_sentences(a_wild_card(own, 1, over, a_block("IJKL", [20_000, 1_000, 0, -21_000], 1, 2)), "B") == (
        "2位なら: 今のところ合計が+10.3を超えれば通過(この半荘で+5.3を超えるポイント)。",
        "2位で終われば、3ブロックの2位のうち上位1人がワイルドカードで通過。",
        "1ブロックの2位はFの+10.3で終了。",
        "2ブロックの2位は今Jの+1.0(あと最大1半荘で変わる)。",
    )
    settled = a_wild_card(own, 1, over)
    assert "2位なら: 合計が+10.3を超えれば通過(この半荘で+5.3を超えるポイント)。" in wild_card_sentences(settled, "B")
    assert "If 2nd: a total of more than +10.3 is through (more than +5.3 in this hanchan)." in wild_card_sentences(
        settled, "B", "en"
    )
    assert wild_card_sentences(a_wild_card(own, 2, over), "B") == ("2位以上なら通過。",)
    # With fewer blocks than places there is no total.
    few = WildCard(1, own, (over,), ())
    assert few.target is None
    assert wild_card_sentences(few, "B") == ("2位で終われば、2ブロックの2位のうち上位1人がワイルドカードで通過。",)
    assert wild_card_sentences(a_wild_card(a_block("ABCD", [30_000, 5_000, -5_000, -30_000], 3, 2), 1, over), "B") == ()


@pytest.mark.parametrize(
    ("total", "sentence"), [(5_000, "上回っている"), (1_000, "並んでいる"), (-5_000, "届いていない")]
)
def test_finished_player_sees_their_wild_card_position(total: int, sentence: str) -> None:
    own = a_block("ABCD", [30_000, total, -6_000, -30_000], 0, 2)
    plays = a_block("IJKL", [20_000, 1_000, 0, -21_000], 1, 2)
    assert any(sentence in each for each in wild_card_sentences(a_wild_card(own, 1, plays), "B"))
    assert wild_card_sentences(a_wild_card(own, 1, plays), "A") == ("通過決定。",)
    assert wild_card_sentences(a_wild_card(own, 1, plays), "D") == ("通過の可能性なし。",)


def test_wild_card_by_placement_has_no_target_in_points() -> None:
    wild = a_wild_card(a_table("2345", 2), 1, a_table("2345", 2))
    assert wild_card_sentences(wild, "B") == ("2位で終われば、2ブロックの2位のうち上位1人がワイルドカードで通過。",)
    assert isinstance(proofs_of_wild_card(wild), Proofs)


def test_last_hand_under_placement_scoring() -> None:
    case = Case(BY_PLACES, tuple("ABCD"), dict.fromkeys("ABCD", 0), 1, last_decides=False)
    hand = Hand(tuple("ABCD"), "A", {"A": 30_000, "B": 28_000, "C": 22_000, "D": 20_000})
    last = last_hand(case, hand)
    for win in last.wins:
        top = [name for name in "ABCD" if win.end.scores[name] == max(win.end.scores.values())]
        assert win.end.reached == (frozenset(top) if len(top) == 1 else frozenset())
    assert {win.end.points["A"] for win in last.wins} == {-1000, -2000, -3000, -4000}
    for is_title in (False, True):
        said = last_hand_sentences(case, hand, "ja", is_title=is_title).values()
        whole = " ".join(text for each in said for text in (*each.own, *each.deal_in, *each.others))
        assert ("優勝" in whole, "通過" in whole) == (is_title, not is_title)


def some_places(sums: str, left: str) -> Tables:
    totals = {name: -1000 * int(digit) for name, digit in zip("ABCDEFGH", sums, strict=True)}
    plays = {name: int(digit) for name, digit in zip("ABCDEFGH", left, strict=True)}
    tables = tuple(tuple(names) for names in ("ABCD", "EFGH") if all(plays[name] == 1 for name in names))
    return Tables(BY_PLACES, totals, plays, 3, tables, last_decides=False, is_closed=True)


def test_rivals_at_other_tables_are_compared_by_placement() -> None:
    both = some_places("34563456", "11111111")
    assert "別卓のEより上になるのは、この半荘の着順がEより2つ以上上のとき。" in plainly(both, "B")
    assert "別卓のFより上になるのは、この半荘の着順がFより1つ以上上のとき。" in plainly(both, "B")
    assert "別卓のGより上になるのは、この半荘の着順がGと同じか上のとき。" in plainly(both, "B")
    assert "別卓のGより上になるのは、この半荘の着順がGより下でも1つまでのとき。" in plainly(
        some_places("34993469", "11111111"), "B"
    )
    far = some_places("15551555", "11111111")
    assert not any("別卓のE" in each for each in plainly(far, "B"))
    assert not any("Aより" in each for each in plainly(far, "B"))
    alone = some_places("12345678", "11110000")
    assert "Dより上のままなのは、Dのこの半荘が2着以下のとき。" in plainly(alone, "E")
    assert not any("Aより" in each for each in plainly(alone, "E"))


def plainly(tables: Tables, player: str) -> tuple[str, ...]:
    return sentences_of_tables(tables, [player], proofs_of_tables(tables), "ja")[player]
