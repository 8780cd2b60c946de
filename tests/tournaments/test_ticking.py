import json
import random
from dataclasses import replace
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from tests.conftest import ROOT
from tests.tournaments.test_needs import CINDERELLA, SCORABLE, a_case
from tournaments.core import ticking
from tournaments.core.needs.case import Hand
from tournaments.core.needs.last_hand import last_hand, last_hand_with_riichi, with_riichi
from tournaments.messages.needs import last_hand_sentences

CASES = json.loads((ROOT / "tests/scripts/hands.json").read_text("utf-8"))
TENPAI = {"E": ticking.Keeps.TENPAI, "S": ticking.Keeps.TENPAI}
RULES = ticking.TickRules(4, 25_000, 7, 3000, honba_on_draw=True, keeps=TENPAI)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_next_hand_is_derived_from_scores(case: dict[str, Any]) -> None:
    keeps = {wind: ticking.Keeps(case["keeps"]) for wind in "ES"} if "keeps" in case else TENPAI
    rules = replace(RULES, keeps=keeps, honba_on_draw="no_honba_on_draw" not in case)
    riichi = tuple(case.get("riichi", ()))
    before = ticking.Situation(tuple(case["scores"]), case["hand"], case.get("honba", 0), case.get("sticks", 0), riichi)
    sticks = ticking.sticks_after(before, case["typed"], rules)
    assert sticks == case["left"]
    if sticks is not None:
        scores = ticking.filled(case["typed"], sticks, rules)
        after = ticking.after_hand(before, scores, sticks, rules)
        assert (after.hand, after.honba, after.riichi) == (case["after"], case.get("honba_after", 0), ())
        assert sum(scores) + 1000 * sticks == rules.total


def test_riichi_stick_is_placed_and_returned() -> None:
    first = ticking.at_first(RULES)
    declared = first.turned(2)
    assert (declared.scores, declared.sticks, declared.riichi) == ((25_000, 25_000, 24_000, 25_000), 1, (2,))
    assert declared.without_riichi() == first.scores
    assert declared.turned(2) == first
    assert ticking.Situation(first.scores, "S3").dealer() == 2


def test_rules_determine_dealer_repeats_and_the_last_hand() -> None:
    rules = ticking.tick_rules(CINDERELLA)
    assert (rules.players, rules.start, rules.last, rules.total) == (4, 25_000, 7, 100_000)
    house = CINDERELLA.house
    assert house is not None
    own = replace(house, rounds="tonpuu", noten_pool=4000, renchan=None)
    east_only = ticking.tick_rules(replace(CINDERELLA, house=own))
    assert (east_only.last, east_only.noten_pool, east_only.keeps) == (3, 4000, TENPAI)
    assert ticking.tick_rules(replace(CINDERELLA, house=None)).noten_pool == 3000
    three = replace(RULES, players=3, last=5)
    assert [ticking.is_last(hand, three) for hand in ("S2", "S3", "W1")] == [False, True, True]
    assert ticking.every_hand(3)[:4] == ("E1", "E2", "E3", "S1")
    assert ticking.next_hand("E3", 3) == "S1"


def test_ticks_can_arrive_in_any_order() -> None:
    now = ticking.at_first(RULES)
    slip = ticking.Ticked(UUID(int=2), 2, now)
    facts = (ticking.Ticked(UUID(int=1), 1, now.turned(0)), slip, ticking.Ticked(UUID(int=3), 2, None, slip.key))
    for order in permutations(facts):
        assert ticking.standing([*order, *order]) == [facts[0]]
    later = ticking.Ticked(UUID(int=4), 1, ticking.Situation((26_000, 24_000, 25_000, 25_000)))
    assert ticking.standing([*facts, later]) == [later]
    assert ticking.scores_after([ticking.Ticked(UUID(int=5), 0, now), facts[0], later], RULES) == (
        (25_000,) * 4,
        (25_000,) * 4,
        (26_000, 24_000, 25_000, 25_000),
    )


CLOSE = a_case({"a": 62.4, "b": 31.8, "c": -20.1, "d": -74.1}, earlier="abcd")
HAND = Hand(("c", "d", "a", "b"), "d", {"a": 28_000, "b": 31_500, "c": 24_000, "d": 15_500}, sticks=1)


def test_last_hand_sentences_name_safe_discards() -> None:
    said = last_hand_sentences(CLOSE, HAND, "ja")
    assert said["b"].deal_in
    assert said["b"].own
    # A certain winner needs no riichi; a player just short does.
    assert any("リーチすると" in text for each in said.values() for text in each.riichi)
    assert said["d"].deal_in == ("放銃すると届かない。",)
    assert said["d"].others == ("ほかの人がアガると届かない。",)
    assert any("through" in text for text in last_hand_sentences(replace(CLOSE, goal=2), HAND, "en")["a"].deal_in)


def test_riichi_sentences_name_rivals_not_to_deal_into() -> None:
    said = last_hand_sentences(CLOSE, HAND, "ja")
    seen = set()
    for player in CLOSE.players:
        declared = last_hand(CLOSE, with_riichi(HAND, player))
        for rival in CLOSE.rivals(player):
            before, after = (
                {win.name for win in last.of(rival, player) if player in win.end.reached}
                for last in (last_hand(CLOSE, HAND), declared)
            )
            gone = f"リーチすると… {rival}への放銃: 何点でも届かない。" in said[player].riichi
            assert gone == bool(before and not after)
            assert (before == after) == (not any(f"{rival}への放銃" in text for text in said[player].riichi))
            seen.add(before == after)
    assert seen == {True, False}


@pytest.mark.long
@pytest.mark.parametrize("card", SCORABLE, ids=lambda card: card.key)
def test_riichi_shortcut_is_stored_like_the_full_hand(card: Any) -> None:
    """The shortcut does not check one's own win again, which is right only if the stick comes back."""
    chance, rules = random.Random(card.key), card.ruleset
    names = "ABCD"[: rules.players]
    for _ in range(3):
        case = a_case({name: chance.randint(-60, 60) for name in names}, chance.randint(1, 2), rules=rules)
        scores = {name: (rules.start_points or 0) + 100 * chance.randint(-40, 40) for name in names}
        sticks = chance.randint(0, 2)
        scores[names[0]] += len(names) * (rules.start_points or 0) - sum(scores.values()) - 1000 * sticks
        hand = Hand(tuple(names), names[0], scores, chance.randint(0, 2), sticks, deposits={names[1]: sticks})
        before, player = last_hand(case, hand), chance.choice(names)
        whole, found = last_hand(case, with_riichi(hand, player)), last_hand_with_riichi(case, hand, player, before)
        assert found.draws == whole.draws
        ways = [(player, None), *((player, rival) for rival in case.rivals(player))]
        ways += [(rival, player) for rival in case.rivals(player)]
        for winner, discarder in ways:
            assert found.of(winner, discarder) == whole.of(winner, discarder) != ()


def test_riichi_already_declared_or_unaffordable_is_not_suggested() -> None:
    assert last_hand_sentences(CLOSE, replace(HAND, riichi=frozenset("a")), "ja")["a"].riichi == ()
    poor = replace(HAND, scores={**HAND.scores, "d": 500, "a": 43_000})
    assert last_hand_sentences(CLOSE, poor, "ja")["d"].riichi == ()


def test_dealing_in_sentences_match_all_outcomes() -> None:
    last = last_hand(CLOSE, HAND)
    for player in CLOSE.players:
        told = last_hand_sentences(CLOSE, HAND, "en")[player].deal_in
        for rival in CLOSE.rivals(player):
            reached = [player in win.end.reached for win in last.of(rival, player)]
            assert any(f"Dealing in to {rival}" in text for text in told) == any(reached)
            assert (f"Dealing in to {rival}: the title, whatever it is worth." in told) == all(reached)
