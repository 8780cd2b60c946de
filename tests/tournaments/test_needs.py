import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import pytest

from scoring.core import (
    FinishedGame,
    InputError,
    ScoringError,
    ScoringRules,
    load_card,
    load_cards,
    read_ruleset,
    score,
)
from tests.budget import budget
from tournaments.core.needs.case import MOST, Case, Hand, reached, read_case
from tournaments.core.needs.last_hand import bases, hand_rules, last_hand, tsumo, with_riichi
from tournaments.core.needs.margins import (
    ALWAYS,
    ANY_SCORE,
    NEVER,
    FinishPlace,
    Margin,
    finishes,
    is_ordinary,
    lowest_score,
    margins_of,
    meetings,
    ordinary_above,
    score_to_pass,
)
from tournaments.core.needs.proofs import proofs_of
from tournaments.messages.needs import sentences

CINDERELLA = load_card("cinderella").ruleset


def a_case(
    totals: Mapping[str, float],
    goal: int = 1,
    *,
    earlier: Sequence[str] = (),
    others: Mapping[str, float] | None = None,
    rules: ScoringRules = CINDERELLA,
) -> Case:
    thousandths = {player: round(points * 1000) for player, points in totals.items()}
    elsewhere = {player: round(points * 1000) for player, points in (others or {}).items()}
    return Case(rules, tuple(totals), thousandths, goal, tuple(earlier), elsewhere)


E1 = a_case({"A": 80, "B": 60, "C": -10, "D": -130})
E2 = a_case({"A": 25.3, "B": 25.3, "C": -12.6, "D": -38}, 2, earlier="BA")


@pytest.mark.parametrize(
    ("case", "player", "own", "rival", "theirs", "expected"),
    [
        (E1, "A", 1, "B", 2, ALWAYS),
        (E1, "A", 2, "B", 1, NEVER),
        (E1, "A", 2, "C", 1, Margin(-59_900)),
        (E1, "B", 3, "A", 4, Margin(10_000)),
        (E1, "C", 1, "A", 2, Margin(60_000)),
        (E1, "D", 1, "A", 4, Margin(150_000)),
        (E2, "C", 1, "A", 2, Margin(7_900)),
        (E2, "C", 1, "A", 3, ALWAYS),
        (E2, "C", 2, "B", 3, Margin(17_900)),
        (E2, "D", 1, "A", 2, Margin(33_300)),
        (E2, "D", 1, "C", 2, ALWAYS),
    ],
)
def test_margin_needed_in_the_end(case: Case, player: str, own: int, rival: str, theirs: int, expected: Margin) -> None:
    assert margins_of(case, player)[FinishPlace(own)][rival][FinishPlace(theirs)] == expected


def test_undecided_tie_does_not_reach_the_goal() -> None:
    level = replace(a_case({"A": 0, "B": 10, "C": -20, "D": -30}), last_decides=False)
    gained = {"A": (20_000,), "B": (10_000,), "C": (-10_000,), "D": (-20_000,)}
    assert reached(level, gained) == []
    assert reached(replace(level, last_decides=True), gained) == ["A"]


def test_full_tie_is_decided_by_the_previous_hanchan() -> None:
    shared = FinishPlace(2, 2)
    assert margins_of(E2, "B")[shared]["A"][shared] == ALWAYS
    assert margins_of(E2, "A")[shared]["B"][shared] == NEVER
    assert margins_of(a_case({"A": 25.3, "B": 25.3, "C": -12.6, "D": -38}, 2), "B")[shared]["A"][shared] == NEVER


def test_shared_placements_do_not_exist_where_seat_order_decides() -> None:
    by_seat = a_case({"A": 1, "B": 0, "C": 0, "D": -1}, rules=load_card("tenhou-4p").ruleset)
    assert {str(place) for place in margins_of(by_seat, "A")} == {"1", "2", "3", "4"}
    assert {str(place) for place in margins_of(E1, "A")} == {
        *("1", "1=", "1==", "1===", "2", "2=", "2==", "3", "3=", "4")
    }


SCORABLE = [card for card in load_cards() if not card.ruleset.missing and card.ruleset.tie is not None]
EXACT = [
    card
    for card in SCORABLE
    if card.ruleset.uma is not None and card.ruleset.below_zero_floor is None and card.ruleset.rounding is None
]


def some_scores(chance: random.Random, rules: ScoringRules) -> tuple[int, ...]:
    players, start = rules.players or 4, rules.start_points or 0
    spread = chance.choice((5, 60, 300, 900))
    raw = [start + 100 * chance.randint(-spread, spread) for _ in range(players)]
    if chance.random() < 0.3:
        raw[1] = raw[0]
    raw[-1] += start * players - sum(raw)
    return tuple(raw)


def played(case: Case, raw: Sequence[int]) -> tuple[dict[str, tuple[int, ...]], dict[str, FinishPlace]]:
    """Return the players' sort keys and places after a hanchan, with the players in seat order."""
    scored = score(FinishedGame(tuple(raw), as_is=True), case.rules)
    keys: dict[str, tuple[int, ...]] = {}
    places: dict[str, FinishPlace] = {}
    for seat, player in enumerate(case.players):
        points, placement = scored.ranking[seat], scored.order.placements[seat]
        earlier = -case.earlier.index(player) if player in case.earlier else -99
        keys[player] = (case.totals[player] + points, points, -placement, raw[seat], earlier)
        places[player] = FinishPlace(placement, scored.order.sharing[seat])
    return keys, places


@pytest.mark.parametrize("card", SCORABLE, ids=lambda card: card.key)
def test_margin_is_sufficient_in_random_hanchan(card: Any) -> None:
    chance, rules = random.Random(card.key), card.ruleset
    for _ in range(budget(40, 6)):
        names = "ABCD"[: rules.players]
        case = a_case({name: chance.randint(-900, 900) / 10 for name in names}, earlier=names, rules=rules)
        tables = {name: margins_of(case, name) for name in names}
        for _ in range(25):
            raw = some_scores(chance, rules)
            if rules.below_zero_floor is not None and min(raw) < rules.below_zero_floor:
                continue
            try:
                keys, places = played(case, raw)
            except ScoringError:
                continue
            for one, other in permutations(names, 2):
                found = tables[one][places[one]][other][places[other]]
                difference = raw[names.index(one)] - raw[names.index(other)]
                if found.always or (found.least is not None and difference >= found.least):
                    assert keys[one] > keys[other], (raw, one, other, found)
                elif card in EXACT and len({each.bonus for each in meetings(rules)[places[one], places[other]]}) <= 1:
                    assert keys[one] < keys[other], (raw, one, other, found)


BY_PLACE = read_ruleset({**load_card("cinderella").parameters, "score_basis": "placement", "oka": 0})
FLOORED = read_ruleset({**load_card("cinderella").parameters, "below_zero_floor": 0})


@pytest.mark.parametrize("rules", [BY_PLACE, FLOORED, CINDERELLA], ids=["places alone", "a floor", "scores"])
def test_proofs_hold_in_random_hanchan(rules: ScoringRules) -> None:
    chance, said = random.Random(3), 0
    for _ in range(budget(60, 20)):
        totals = {name: chance.choice((0, 10, 30, 45, 60, 400)) * chance.choice((1, -1)) for name in "ABCD"}
        others = {"Q": chance.randint(-60, 60), "R": chance.randint(-60, 60)} if chance.random() < 0.5 else {}
        case = a_case(totals, chance.randint(1, 4 + len(others)), others=others, rules=rules)
        proofs = proofs_of(case)
        said += len(proofs.secured) + len(proofs.out)
        for _ in range(60):
            try:
                keys, _ = played(case, some_scores(chance, rules))
            except ScoringError:
                continue
            for player in case.players:
                beaten = sum(keys[player] > keys[rival] for rival in case.rivals(player))
                beaten += sum(keys[player][0] > total for total in case.others.values())
                assert beaten >= case.wanted or player not in proofs.secured
                assert beaten < case.wanted or player not in proofs.out
    assert said


def test_placement_scoring_can_secure_a_lead() -> None:
    ahead = a_case({"A": 100, "B": 5, "C": 0, "D": -105}, rules=BY_PLACE)
    assert proofs_of(ahead) == type(proofs_of(ahead))(("A",), ("B", "C", "D"))
    open_ = a_case({"A": 40, "B": 0, "C": 0, "D": -40}, rules=BY_PLACE)
    assert proofs_of(open_).secured == ()
    assert proofs_of(open_).out == ("D",)


def test_raw_score_floor_secures_no_lead() -> None:
    ahead = a_case({"A": 400, "B": 0, "C": 0, "D": -400}, rules=FLOORED)
    keys, _ = played(ahead, (1_000_000, 999_900, -950_000, -949_900))
    assert keys["A"] < keys["B"]
    assert proofs_of(ahead) == type(proofs_of(ahead))((), ())


def test_totals_alone_secure_no_lead() -> None:
    assert proofs_of(E1) == type(proofs_of(E1))((), ())
    assert proofs_of(a_case({"A": 1, "B": 0, "C": 0, "D": -1}, 4)).secured == ("A", "B", "C", "D")


def a_hand(seats: str, scores: Mapping[str, int], honba: int = 0, sticks: int = 0, **more: Any) -> Hand:
    return Hand(tuple(seats), more.pop("first", seats[0]), scores, honba, sticks, **more)


E3 = a_case({"A": 20, "B": 12, "C": -5, "D": -27})
E3_HAND = a_hand("DABC", {"A": 38_000, "B": 25_000, "C": 22_000, "D": 13_000}, 1, 2)
E4 = a_case({"X": -26.9, "W": -10, "Y": -23.1, "Z": 60})
E4_HAND = a_hand("WXYZ", {"X": 40_000, "W": 30_000, "Y": 16_000, "Z": 14_000})
E5 = a_case({"A": 51, "B": 12.4, "C": 3.1, "D": -66.5}, 2)
E5_HAND = a_hand("BCDA", {"A": 22_000, "B": 29_500, "C": 33_500, "D": 14_000}, 2, 1, first="C", riichi=frozenset("D"))


def least(case: Case, hand: Hand, player: str, discarder: str | None) -> str:
    return last_hand(case, hand).wins_for(player, player, discarder)[0].name


def test_smallest_winning_hand_for_the_title() -> None:
    assert [least(E3, E3_HAND, "B", off) for off in ("A", "C", "D", None)] == ["5800", "12000", "12000", "3000-6000"]
    assert [least(E3, E3_HAND, "C", off) for off in ("A", "B", "D", None)] == ["7100", "16000", "16000", "3000-6000"]
    assert [least(E3, E3_HAND, "D", off) for off in ("A", "B", None)] == ["24000", "48000", "12000 all"]


def test_larger_hand_can_miss_the_goal() -> None:
    found = last_hand(E4, E4_HAND)
    wins = [win.name for win in found.wins_for("X", "X", "Y")]
    assert wins[:4] == ["1000", "1300", "1600", "12000"]
    assert wins[-1] == "96000"
    assert len(found.wins_for("X", "X", None)) == len(found.of("X", None)) == 22
    assert {draw.tenpai for draw in found.draws_for("X")} == {("X",), ("X", "W"), ("X", "Y"), ("X", "W", "Y")}


def test_last_hand_with_two_advancing() -> None:
    found = last_hand(E5, E5_HAND)
    assert [least(E5, E5_HAND, "B", off) for off in (None, "C", "A", "D")] == ["700 all", "1500", "2400", "2400"]
    assert [draw.tenpai for draw in found.draws_for("B")] == [("A", "B", "D")]
    assert (len(found.draws), len(found.draws_for("C")), len(found.draws_for("A"))) == (8, 7, 8)
    assert [win.name for win in found.wins_for("D", "D", None)] == ["16000-32000", "24000-48000"]
    assert [win.name for win in found.wins_for("D", "D", "A")] == ["64000", "96000"]


def test_scores_and_sticks_add_up_after_every_last_hand() -> None:
    for case, hand in ((E3, E3_HAND), (E5, E5_HAND)):
        found = last_hand(case, hand)
        assert all(sum(win.end.scores.values()) == 100_000 for win in found.wins)
        assert {sum(draw.end.scores.values()) for draw in found.draws} == {100_000 - 1000 * hand.sticks}
        assert len(found.wins) == 4 * 22 * 4


def test_riichi_deducts_a_stick_from_the_score() -> None:
    hand = with_riichi(E3_HAND, "B")
    assert (hand.scores["B"], hand.sticks, hand.riichi) == (24_000, 3, frozenset("B"))
    assert with_riichi(hand, "B") == hand
    assert all("B" in draw.tenpai for draw in last_hand(E3, hand).draws)


def test_hand_values_of_dealer_and_non_dealer() -> None:
    assert len(bases(kiriage=True)) == 22
    assert len(bases(kiriage=False)) == 23
    assert [win.name for win in last_hand(E3, E3_HAND).of("A", "B")] == [
        *("1000", "1300", "1600", "2000", "2300", "2600", "2900", "3200", "3600", "3900", "4500", "5200", "5800"),
        *("6400", "7100", "8000", "12000", "16000", "24000", "32000", "64000", "96000"),
    ]
    dealer = [win.name for win in last_hand(E3, E3_HAND).of("D", None)]
    assert dealer[:4] == ["500 all", "700 all", "800 all", "1000 all"]
    assert dealer[-1] == "48000 all"


def test_tsumo_payments_at_a_table_of_three() -> None:
    rules = load_card("banchi-3p").ruleset
    name, paid = tsumo(2000, "B", "ABC", 0, hand_rules(rules))
    assert (name, paid) == ("3000-5000", {"A": -5000, "C": -3000, "B": 8000})
    case = a_case({"A": 0, "B": 0, "C": 0}, rules=rules)
    start = rules.start_points or 0
    found = last_hand(case, a_hand("ABC", dict.fromkeys("ABC", start)))
    assert len(found.draws) == 8
    assert all(sum(win.end.scores.values()) == 3 * start for win in found.wins)


@pytest.mark.parametrize("card", SCORABLE, ids=lambda card: card.key)
def test_last_hand_is_scored_under_every_rules_card(card: Any) -> None:
    rules = card.ruleset
    names, start = "ABCD"[: rules.players], rules.start_points or 0
    scores = {name: start + 100 * number for number, name in enumerate(names)}
    scores[names[0]] += start * len(names) - sum(scores.values()) - 1000
    case = a_case({name: 10 * number for number, name in enumerate(names)}, rules=rules)
    found = last_hand(case, a_hand(names, scores, 1, 1))
    assert all(win.end.points for win in found.wins if len(set(win.end.scores.values())) == len(names))
    assert {player for win in found.wins for player in win.end.reached} == set(names)


def test_conditions_are_written_as_sentences() -> None:
    said = sentences(E2, "ja", name={"A": "青木", "B": "石田", "C": "上野", "D": "江口"}.__getitem__)
    assert said["D"].hanchan[0] == "自力: 1着で2着に33,300点差以上なら、ほかの着順によらず通過。"
    assert said["C"].hanchan[1].startswith("2着なら: 次のうち2つ以上: 青木が4着(7,900点差以上)か3着(17,900点差以上) / ")
    assert said["C"].hanchan[2:] == (
        "3着なら: 次のうち2つ以上: 青木が4着(27,900点差以上) / 石田が4着(27,900点差以上) / 江口が2着(5,300点差以内)。",
        "4着では届かない。",
    )
    close = a_case({"A": 0.1, "B": 0, "C": -5, "D": -60}, rules=load_card("camarade").ruleset)
    assert sentences(close, "ja")["A"].hanchan[1:] == (
        "2着なら: Bが3着以下、かつCが3着以下、かつDが1着(40,000点差以内)。",
        "3着なら: Bが4着、かつCが2着(5,000点差以内)、かつDが1着(40,000点差以内)。",
        "4着では届かない。",
    )
    english = sentences(E4, "en", last_hand(E4, E4_HAND))["X"]
    assert english.hanchan == (
        "1st, 56,900 or more ahead: the title, whoever is 2nd.",
        "If 1st by less: Z 4th by 26,900+, or 3rd by 36,900+.",
        "2nd or lower is not enough.",
    )
    assert english.hand == (
        "Tsumo: any value.",
        "Ron from W: any value.",
        "Ron from Y: 1,000 to 1,600, 12,000 or more.",
        "Ron from Z: any value.",
        "Draw: X tenpai; and Z noten.",
    )


FAR = {"P": 60, "Q": 40, "R": 15, "S": 5, "T": -10, "U": -30, "V": -80}


def test_no_condition_asks_for_scores_that_no_hanchan_has() -> None:
    case = a_case({"A": 30, "B": 10, "C": 0, "D": -40}, 5, others=FAR)
    said = {player: each.hanchan for player, each in sentences(case, "en").items()}
    assert said["A"] == (
        "2nd or better: through.",
        "3rd with 25,100 or more: through.",
        "If 3rd with 15,100 or more: at least 2 of: B 4th; C 4th, or 2nd within 9,900; "
        "D 2nd or lower, or 1st within 19,900.",
        "4th is not enough.",
    )
    assert said["B"][:2] == ("1st: through.", "2nd with 15,100 or more: through.")
    assert said["C"][-1] == "3rd or lower is not enough."
    assert sentences(replace(case, goal=1), "ja")["B"].hanchan == (
        "1着で素点40,100点以上なら優勝。",
        "2着以下では届かない。",
    )


@pytest.mark.parametrize("players", [4, 3])
def test_ordinary_hanchan_are_all_those_within_the_limits(players: int) -> None:
    chance = random.Random(players)
    rules = replace(load_card("banchi-3p" if players == 3 else "cinderella").ruleset, start_points=600)
    hanchan = ordinary_hanchan(rules)
    for place in range(1, players + 1):
        assert lowest_score(rules, place) == min(raw[place - 1] for raw in hanchan)
    for _ in range(budget(1000, 200)):
        place, wanted = chance.randint(1, players), chance.randint(-10, 20) * 100
        scores = chance.choice((ANY_SCORE, (wanted, MOST), (wanted, wanted + 500)))
        others = [other for other in range(1, players + 1) if other != place]
        least = tuple((other, 100 * chance.randint(-18, 14)) for other in chance.sample(others, chance.randint(0, 2)))
        most = tuple((other, 100 * chance.randint(-14, 18)) for other in chance.sample(others, chance.randint(0, 2)))
        found = any(
            scores[0] <= raw[place - 1] < scores[1]
            and all(raw[place - 1] - raw[other - 1] >= lead for other, lead in least)
            and all(raw[place - 1] - raw[other - 1] <= lead for other, lead in most)
            for raw in hanchan
        )
        assert is_ordinary(rules, place, scores, least, most) == found, (place, scores, least, most)


def test_no_condition_asks_for_placements_that_no_hanchan_has() -> None:
    close = a_case({"A": 25.7, "B": 17.7, "C": 16.3, "D": 9.1}, rules=load_card("camarade").ruleset)
    told = {each.hanchan for each in sentences(close, "en").values()}
    assert told == {("1st: the title.", "2nd or lower is not enough.")}


def ordinary_hanchan(rules: ScoringRules) -> list[tuple[int, ...]]:
    """Return all raw scores of ordinary hanchan, best first."""
    players, start = rules.players or 4, rules.start_points or 0
    scores = range(-start, players * start + start + 100, 100)
    found = (tuple(sorted(raw, reverse=True)) for raw in combinations(scores, players) if sum(raw) == players * start)
    return [raw for raw in found if raw[0] - raw[-1] <= players * start and sum(min(0, each) for each in raw) >= -start]


Told = Callable[[Mapping[str, int], Mapping[str, int]], bool]
"""Whether what a sentence tells has come true, by everyone's placement and raw score."""


def clause_of(text: str, own: str) -> list[Told]:
    """Read where a rival must finish, such as "B 4th, or 2nd/3rd within 300", by alternative."""
    rival, _, rest = text.partition(" ")

    def read(option: str) -> Told:
        spoken, word, lead = re.split("( by | within |$)", option, maxsplit=1)
        places = {int(number) for number in re.findall(r"\d(?=[a-z])", spoken)}
        places |= set(range(min(places), 5)) if "lower" in spoken else set()
        sign = -1 if "within" in word else 1
        least = sign * int(re.sub(r"\D", "", lead)) if lead else -99_999
        return lambda at, raw: at[rival] in places and raw[own] - raw[rival] >= least

    return [read(option) for option in rest.split(", or ")]


def sentence_of(sentence: str, own: str) -> tuple[Told, list[Told]]:
    """Read a sentence: whether it has come true, and the alternatives of its clauses, each alone."""
    head, _, rest = sentence.rstrip(".").partition(": ")
    numbers = [int(each.replace(",", "").replace("−", "-")) for each in re.findall(r"−?[\d,]+(?= or more)", head)]
    place = int(re.search(r"(\d)(?=st|nd|rd|th)", head + " 4th")[1])  # type: ignore[index]
    anywhere = head.startswith(("Any place", "Certain")) or "or better" in head
    least = numbers[0] if "with" in head else -99_999
    lead = numbers[0] if "ahead" in head else 0

    def is_there(at: Mapping[str, int], raw: Mapping[str, int]) -> bool:
        second = max(score for player, score in raw.items() if score != max(raw.values()))
        is_placed = at[own] <= place if anywhere else at[own] == place
        return is_placed and raw[own] >= least and (not lead or raw[own] - second >= lead)

    if sentence.endswith(("not enough.", "left.", "is enough.")) or sentence.startswith("Not enough"):
        return lambda at, raw: False, []
    if not head.startswith("If"):
        return is_there, []
    count = re.match(r"at least (\d) of: ", rest)
    texts = re.split("; and |; or |; ", rest[count.end() :] if count else rest)
    clauses = [clause_of(text, own) for text in texts]
    wanted = int(count[1]) if count else 1 if "; or " in rest else len(clauses)

    def is_true(at: Mapping[str, int], raw: Mapping[str, int]) -> bool:
        return is_there(at, raw) and sum(any(option(at, raw) for option in each) for each in clauses) >= wanted

    return is_true, [option for each in clauses for option in each]


SMALL = {**load_card("cinderella").parameters, "start_points": 600, "return_points": 600, "uma": [1, "0.3", "-0.3", -1]}
SMALL_BY_PLACE = read_ruleset({**SMALL, "score_basis": "placement"})


def test_players_above_a_total_are_bounded_by_every_ordinary_hanchan() -> None:
    rules, chance = read_ruleset(SMALL), random.Random(15)
    worth = [score(FinishedGame(raw, as_is=True), rules).ranking for raw in ordinary_hanchan(rules)]
    for _ in range(budget(40, 8)):
        totals = tuple(chance.randint(-30, 30) * 100 for _ in range(4))
        total = chance.randint(-40, 40) * 100
        ends = [
            [own + points for own, points in zip(order, gained, strict=True)]
            for gained in worth
            for order in permutations(totals)
        ]
        most, fewest = (
            max(sum(own >= total for own in end) for end in ends),
            min(sum(own > total for own in end) for end in ends),
        )
        assert ordinary_above(rules, totals, total) == (most, fewest), (totals, total)


@pytest.mark.long
@pytest.mark.parametrize("rules", [read_ruleset(SMALL), SMALL_BY_PLACE], ids=["scores", "places alone"])
def test_sentences_tell_exactly_what_is_enough_in_every_ordinary_hanchan(rules: ScoringRules) -> None:
    """No sentence is implied by the others, and no part of one is out of reach."""
    chance, heads = random.Random(14), set()
    ends = []
    for raw in ordinary_hanchan(rules):
        worth = score(FinishedGame(raw, as_is=True), rules).ranking
        for order in permutations("ABCD"):
            gained = {player: (points,) for player, points in zip(order, worth, strict=True)}
            ends.append(
                ({player: at for at, player in enumerate(order, 1)}, dict(zip(order, raw, strict=True)), gained)
            )
    for _ in range(budget(60, 8)):
        spread = chance.choice((8, 15, 30))
        totals = {name: chance.randint(-spread, spread) / 10 for name in "ABCD"}
        others = {name: chance.randint(-spread, spread) / 10 for name in "QRSTU"[: chance.choice((0, 0, 1, 3, 5))]}
        case = a_case(totals, chance.randint(1, 3 + len(others)), others=others, rules=rules)
        proofs, said = proofs_of(case), sentences(case, "en")
        winners = [reached(case, gained) for _, _, gained in ends]
        for player in "ABCD":
            told = [(each, *sentence_of(each, player)) for each in said[player].hanchan]
            met = [{end for end, (at, raw, _) in enumerate(ends) if is_true(at, raw)} for _, is_true, _ in told]
            if len(said[player].hanchan) > 1 and said[player].hanchan[1].startswith("If 1st by less"):
                met[1] -= met[0]
            why = (totals, others, case.goal, player, said[player].hanchan)
            assert set().union(*met) == {end for end, won in enumerate(winners) if player in won}, why
            for number, (sentence, _, options) in enumerate(told):
                heads.add(re.sub(r"[\d,−]+", "1", sentence.partition(":")[0]))
                assert ("enough" in sentence or sentence.startswith("No chance")) == (not met[number]), (sentence, why)
                assert not met[number] or met[number] - set().union(*met[:number], *met[number + 1 :]), (sentence, why)
                assert all(any(option(*ends[end][:2]) for end in met[number]) for option in options), (sentence, why)
                # Players reported as through or out unconditionally are exactly the proven ones.
                assert sentence.startswith("Certain") == (player in proofs.secured)
                assert sentence.startswith("No chance") == (player in proofs.out)
    assert len(heads) > 6, heads


def test_unproved_sufficient_placement_names_its_condition() -> None:
    ahead = a_case({"A": 200, "B": 0, "C": -50, "D": -150})
    assert proofs_of(ahead).secured == ()
    assert sentences(ahead, "en")["A"].hanchan == ("Any place: the title, except after an extreme hanchan.",)
    assert sentences(ahead, "ja")["A"].hanchan == ("極端な点差の半荘でないかぎり、どの着順でも優勝。",)


def test_rival_at_another_table_requires_a_score() -> None:
    case = a_case({"A": 10, "B": 5, "C": 0, "D": -60}, others={"Q": 30})
    assert score_to_pass(case, "A", FinishPlace(1), 1) == 10_100
    assert score_to_pass(case, "A", FinishPlace(2), 1) == 40_100
    assert score_to_pass(case, "A", FinishPlace(2), 2) is None
    by_place = a_case({"A": 10, "B": 5, "C": 0, "D": -15}, others={"Q": 25}, rules=BY_PLACE)
    assert [score_to_pass(by_place, "A", FinishPlace(place), 1) for place in (1, 2)] == [0, None]
    assert sentences(case, "ja")["A"].hanchan[1].startswith("2着で素点40,100点以上なら: Bが3着以下、かつ")
    keys, _ = played(case, (40_000, 41_000, 10_000, 9_000))
    assert keys["A"][0] == case.others["Q"]


A_HAND: dict[str, Any] = {
    "seats": ["D", "A", "B", "C"],
    "first_dealer": "D",
    "scores": {"A": 38000, "B": 25000, "C": 22000, "D": 13000},
    "honba": 1,
    "sticks": 2,
    "riichi": [],
}
TABLE = {"players": ["A", "B", "C", "D"], "totals": {"A": "20", "B": 12, "C": "-5", "D": "-27"}, "hand": A_HAND}


def test_case_is_read_from_a_document() -> None:
    case = read_case({**TABLE, "goal": 2, "earlier": ["C", "A"], "others": {"Q": "70.5"}}, CINDERELLA)
    assert (case.players, case.totals["C"], case.goal, case.earlier) == (("A", "B", "C", "D"), -5000, 2, ("C", "A"))
    assert (case.others, case.wanted) == ({"Q": 70_500}, 3)
    assert case.hand == E3_HAND
    assert case.hand.dealer == "D"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"players": "ABCD"}, "players: a list of names"),
        ({"players": list("AABC")}, "players: a player is named twice"),
        ({"players": ["A", "B", "C"]}, "players: 3 are given"),
        ({"totals": 3}, "totals: a table"),
        ({"totals": {"A": 1}}, "totals: one for each"),
        ({"totals": {"A": "x", "B": 1, "C": 1, "D": 1}}, "totals: not a number of points"),
        ({"totals": {"A": "1" * 9, "B": 0, "C": 0, "D": 0}}, "totals: this is not a plausible total"),
        ({"goal": True}, "goal: True is not a whole number"),
        ({"goal": 5}, "goal: a whole number from 1 to 4"),
        ({"others": {"A": 1}}, "others: at most"),
        ({"earlier": ["X"]}, "earlier: players of the case"),
        ({"surprise": 1}, "surprise: there is no such key"),
        ({"hand": 1}, "hand: a table"),
        ({"hand": {**A_HAND, "seats": list("ABC")}}, "hand.seats: the players of the table"),
        ({"hand": {**A_HAND, "first_dealer": "Q"}}, "hand.first_dealer: one of"),
        ({"hand": {**A_HAND, "scores": 1}}, "hand.scores: a raw score"),
        ({"hand": {**A_HAND, "riichi": ["Q"]}}, "hand.riichi: players of the table"),
        ({"hand": {**A_HAND, "sticks": -1}}, "hand.sticks: a whole number"),
        ({"hand": {**A_HAND, "riichi": list("ABC")}}, "hand.sticks: 3 have declared"),
        ({"hand": {**A_HAND, "deposits": {"Q": 1}}}, "hand.deposits: a number of sticks"),
        ({"hand": {**A_HAND, "scores": {"A": 38_050, "B": 24_950, "C": 22_000, "D": 13_000}}}, "multiple of 100"),
        ({"hand": {**A_HAND, "sticks": 3}}, "hand.scores: with the sticks they add up to 101000"),
    ],
)
def test_invalid_case_is_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        read_case({**TABLE, **change}, CINDERELLA)


def test_case_under_incomplete_rules_is_refused() -> None:
    with pytest.raises(InputError, match="cannot score yet"):
        read_case({"players": list("ABCD"), "totals": {}}, read_ruleset({"players": 4}))


def test_rules_without_a_tie_break_give_no_finish() -> None:
    untold = read_ruleset({key: value for key, value in load_card("cinderella").parameters.items() if key != "tie"})
    assert len(finishes(untold)) == 24
    case = a_case({"A": 1, "B": 1, "C": -1, "D": -1}, rules=untold)
    assert last_hand(case, a_hand("ABCD", dict.fromkeys("ABCD", 25_000))).draws[0].end.reached == frozenset()
    with pytest.raises(ScoringError, match="rules are incomplete"):
        finishes(read_ruleset({"players": 4}))


def test_sticks_without_owner_are_lost() -> None:
    for leftover in ("returned", None):
        rules = read_ruleset({**load_card("cinderella").parameters, "leftover": leftover})
        scores = {"A": 30_000, "B": 24_000, "C": 23_000, "D": 22_000}
        case = a_case({"A": 0, "B": 0, "C": 0, "D": 0}, rules=rules)
        end = last_hand(case, a_hand("ABCD", scores, sticks=1)).draws[0].end
        assert sum(end.points.values()) == -1000
    back = a_hand("ABCD", scores, sticks=1, deposits={"D": 1})
    rules = read_ruleset({**load_card("cinderella").parameters, "leftover": "returned"})
    end = last_hand(a_case({"A": 0, "B": 0, "C": 0, "D": 0}, rules=rules), back).draws[0].end
    assert end.points["D"] == -27_000
