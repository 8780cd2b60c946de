import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.budget import budget
from tests.tournaments.states import (
    BLOCKS,
    EVERYBODY,
    FROM_QUALIFYING,
    advance,
    cinderella,
    cinderella_facts,
    one_stage,
    participants,
    qualifying,
    ranks,
)
from tournaments.core.facts import Advance, Participant, TournamentFacts, Withdrawal
from tournaments.core.plain_values import read_facts, write_state
from tournaments.core.ranking import RankingLine
from tournaments.core.reading import load_format, read_format
from tournaments.core.resolution import dependent_stages, resolve
from tournaments.core.state import StageProgress, StageState, TournamentState

PO1 = {"a4": ["50/4"], "a5": ["10/4"], "b4": ["-10/4"], "b5": ["-50/4"]}
PO2 = {"a3": ["50/4"], "a4": ["10/4"], "b3": ["-10/4"], "a5": ["-50/4"]}


def states(state: TournamentState) -> dict[str, str]:
    return {each.stage.key: each.state.value for each in state.stages}


def test_stage_states_follow_draw_results_and_decisions() -> None:
    undrawn = cinderella({}, draws={})
    assert states(undrawn)["qualifying"] == "undrawn"
    assert len(undrawn.stage("qualifying").undrawn) == 16
    ready = cinderella({})
    assert states(ready)["qualifying"] == "ready"
    assert states(ready)["po1"] == "waiting"
    assert states(cinderella({"qualifying": {"a1": ["5"]}}))["qualifying"] == "running"
    assert states(cinderella({"qualifying": qualifying()}))["qualifying"] == "played"
    decided = cinderella({"qualifying": qualifying()}, advances=FROM_QUALIFYING)
    assert states(decided) == {
        "qualifying": "decided", "po1": "ready", "po2": "waiting", "po3": "waiting", "final": "waiting",
    }  # fmt: skip
    assert not decided.is_over
    # Players still in the stage are counted, but have no place.
    assert [(each.participant, each.rank) for each in decided.final_ranks][:3] == [("a6", 11), ("b6", 11), ("a7", 13)]


def test_tournament_without_entries_waits_for_players() -> None:
    state = resolve(load_format("cinderella"), TournamentFacts(entrants=()))
    assert states(state)["qualifying"] == "waiting"
    assert state.stage("qualifying").vacancies == 16


def test_undrawn_players_are_ranked_in_the_block_they_played_in() -> None:
    facts = TournamentFacts(
        entrants=cinderella_facts({}).entrants,
        blocks_played={
            "qualifying": {participant: block for block, players in BLOCKS.items() for participant in players}
        },
    )
    assert len(resolve(load_format("cinderella"), facts).stage("qualifying").ranking("B").lines) == 8


def test_block_can_be_complete_before_the_others() -> None:
    only_a = {participant: items for participant, items in qualifying().items() if participant.startswith("a")}
    state = cinderella({"qualifying": only_a})
    assert state.stage("qualifying").ranking("A").complete
    assert not state.stage("qualifying").ranking("B").complete
    assert states(state)["qualifying"] == "running"
    assert not state.stage("qualifying").path("po1").ready
    assert participants(state, "po1") == []


def test_proposed_players_fill_the_next_stage_before_approval() -> None:
    state = cinderella({"qualifying": qualifying()})
    assert participants(state, "po1") == ["a4", "a5", "b4", "b5"]
    assert not any(place.approved for place in state.stage("po1").places)
    assert state.stage("qualifying").path("po1").ready
    assert state.arrivals == {"champion": ()}


def test_stage_can_be_resolved_after_a_given_hanchan() -> None:
    played = {"a1": ["10", "-40", "5"], "a2": ["-20", "30", "1/2"], "a3": ["-5/0", "7"]}
    facts = cinderella_facts({"qualifying": played}, closings=[{"stage": "qualifying"}])
    stage = resolve(load_format("cinderella"), facts, {"qualifying": 1}).stage("qualifying")
    assert not stage.closed
    ranking = stage.ranking("A")
    assert {line.participant: (line.points, line.played) for line in ranking.lines if line.played} == {
        "a1": (10_000, 1), "a2": (-20_000, 1), "a3": (2_000, 1),
    }  # fmt: skip
    later = resolve(load_format("cinderella"), facts, {"qualifying": 3}).stage("qualifying").ranking("A")
    assert {line.participant: line.played for line in later.lines if line.played} == {"a1": 3, "a2": 2, "a3": 1}


def test_player_without_entry_is_ranked_and_marked_uninvited() -> None:
    state = cinderella({"qualifying": {"x": ["30"]}, "po1": {"y": ["20"]}})
    assert state.stage("qualifying").undrawn == ("x",)
    line = state.stage("po1").ranking("").lines[0]
    assert (line.participant, line.uninvited) == ("y", True)


def test_who_moved_up_plays_in_the_block_of_who_left() -> None:
    facts = cinderella_facts({"qualifying": {"x": ["30"]}})
    gone = Withdrawal("qualifying", "a2", successor="x")
    state = resolve(load_format("cinderella"), replace(facts, withdrawals=(gone,)))
    assert state.stage("qualifying").ranking("A").lines[0].participant == "x"


def test_tie_on_the_cut_line_blocks_approval_until_ordered() -> None:
    path = cinderella({"qualifying": qualifying(a5="-40")}).stage("qualifying").path("po1")
    assert path.proposal.level == (("a5", "a6"),)
    assert not path.ready
    order = [{"stage": "qualifying", "players": ["a6", "a5"]}]
    ordered = cinderella({"qualifying": qualifying(a5="-40")}, orders=order).stage("qualifying").path("po1")
    assert ordered.ready
    assert ordered.proposed == ("a4", "a6", "b4", "b5")
    decided = [advance("qualifying", "po1", "a4 a6 b4 b5", "a4 a5 b4 b5")]
    assert cinderella({"qualifying": qualifying(a5="-40")}, advances=decided).overtaken == ()


def test_tie_away_from_the_cut_line_does_not_block_approval() -> None:
    state = cinderella({"qualifying": qualifying(a4="-10")})
    assert [rank for _, rank in ranks(state, "qualifying", "A")] == [1, 2, 3, 4, 4, 6, 7, 8]
    assert state.stage("qualifying").path("po1").ready


def wild_cards(*fifths: str) -> TournamentState:
    blocks = {block: [f"{block.lower()}{number}" for number in range(1, 9)] for block in "ABC"}
    played = {
        participant: [f"{fifths[number] if participant[1] == '5' else total}/12"]
        for number, players in enumerate(blocks.values())
        for participant, total in zip(players, TOTALS_2018, strict=True)
    }
    facts = {
        "players": [participant for players in blocks.values() for participant in players],
        "draws": {"qualifying": blocks},
        "played": {"qualifying": played},
    }
    return resolve(load_format("cinderella-2018"), read_facts(facts))


TOTALS_2018 = (100, 80, 60, 40, -10, -50, -100, -120)


def test_wild_card_goes_to_the_best_fifth() -> None:
    path = wild_cards("-10", "-9.9", "-20").stage("qualifying").path("po1")
    assert path.proposed == ("a4", "b4", "c4", "b5")
    assert path.ready


def test_wild_card_tie_across_blocks_blocks_approval() -> None:
    path = wild_cards("-9", "-9", "-20").stage("qualifying").path("po1")
    assert path.proposal.level == (("a5", "b5"),)
    assert not path.ready
    assert wild_cards("-9", "-20", "-20").stage("qualifying").path("po1").ready


def test_tie_for_fifth_in_a_block_blocks_the_wild_card() -> None:
    assert ("a5", "a6") in wild_cards("-50", "-9", "-20").stage("qualifying").path("po1").proposal.level


def test_withdrawn_player_keeps_the_rank_and_leaves_a_vacancy() -> None:
    state = cinderella(
        {"qualifying": qualifying()}, withdrawals=[{"stage": "qualifying", "player": "a2"}], advances=FROM_QUALIFYING
    )
    assert ranks(state, "qualifying", "A")[1] == ("a2", 2)
    assert participants(state, "po3") == ["b2"]
    path = state.stage("qualifying").path("po3")
    assert (path.proposed, path.vacant) == (("b2",), 1)
    assert state.overtaken == ()
    assert state.stage("po3").vacancies == 3


def test_substitute_takes_the_spot_and_can_be_substituted() -> None:
    withdrawals = [
        {"stage": "qualifying", "player": "a2", "substitute": "x"},
        {"stage": "qualifying", "player": "x", "substitute": "y"},
    ]
    state = cinderella({"qualifying": qualifying()}, withdrawals=withdrawals, advances=FROM_QUALIFYING)
    place = state.stage("po3").places[0]
    assert (place.participant, place.replaces, place.position) == ("y", "x", 2)


def test_stage_with_a_substitute_can_be_completed() -> None:
    played = {participant: ["10/4"] for participant in ("a4", "a5", "b4")} | {"b5": ["-30/2"], "x": ["0/2"]}
    state = cinderella(
        {"qualifying": qualifying(), "po1": played},
        advances=FROM_QUALIFYING,
        withdrawals=[{"stage": "po1", "player": "b5", "substitute": "x"}],
    )
    ranking = state.stage("po1").ranking("")
    assert {line.participant for line in ranking.lines} == {"a4", "a5", "b4", "b5", "x"}
    assert next(line for line in ranking.lines if line.participant == "b5").withdrawn
    assert ranking.staying == tuple(line.participant for line in ranking.lines if line.participant != "b5")
    assert not any(line.uninvited for line in ranking.lines)
    assert ranking.complete
    assert next(line for line in ranking.lines if line.participant == "x").planned == 2
    assert "b5" in participants(state, "po1")


def test_withdrawal_after_the_last_hanchan_does_not_reopen_the_stage() -> None:
    for substitute in ({}, {"substitute": "x"}):
        state = cinderella(
            {"qualifying": qualifying(), "po1": PO1},
            advances=[*FROM_QUALIFYING, advance("po1", "po2", "a4 a5")],
            withdrawals=[{"stage": "po1", "player": "a4", **substitute}],
        )
        assert state.stage("po1").ranking("").complete
        assert len(state.stage("po1").ranking("").lines) == 4
        assert state.overtaken == ()
        assert participants(state, "po2") == ["a3", "b3", *substitute.values(), "a5"]


def test_substitute_joins_the_block_of_the_replaced_player() -> None:
    state = cinderella(
        {"qualifying": {"a1": ["5"]}}, withdrawals=[{"stage": "qualifying", "player": "a1", "substitute": "x"}]
    )
    assert "x" in [line.participant for line in state.stage("qualifying").ranking("A").lines]


def test_correction_after_approval_is_flagged_but_a_withdrawal_is_not() -> None:
    withdrawn = cinderella(
        {"qualifying": qualifying()}, advances=FROM_QUALIFYING, withdrawals=[{"stage": "qualifying", "player": "a4"}]
    )
    assert withdrawn.overtaken == ()
    corrected = cinderella({"qualifying": qualifying(a5="-41")}, advances=FROM_QUALIFYING)
    assert [(path.stage, path.to) for path in corrected.overtaken] == [("qualifying", "po1")]
    assert participants(corrected, "po1") == ["a4", "a5", "b4", "b5"]


def test_override_is_flagged_only_after_the_proposal_changes() -> None:
    overridden = [advance("qualifying", "po1", "a4 a6 b4 b5", "a4 a5 b4 b5"), *FROM_QUALIFYING[1:]]
    assert cinderella({"qualifying": qualifying()}, advances=overridden).overtaken == ()
    changed = cinderella({"qualifying": qualifying(b5="-70")}, advances=overridden)
    assert [path.to for path in changed.overtaken] == ["po1"]


def test_decision_on_an_incomplete_stage_is_flagged() -> None:
    assert len(cinderella({"qualifying": qualifying() | {"a8": ["-100/7"]}}, advances=FROM_QUALIFYING).overtaken) == 4


def test_later_decision_replaces_an_earlier_one() -> None:
    twice = [*FROM_QUALIFYING, advance("qualifying", "final", "a1 b2", "a1 b1")]
    assert participants(cinderella({"qualifying": qualifying()}, advances=twice), "final") == ["a1", "b2"]


def test_player_from_outside_the_stage_can_be_advanced() -> None:
    state = cinderella({"qualifying": qualifying()}, advances=[advance("qualifying", "final", "a1 x", "a1 b1")])
    assert state.stage("final").places[1].position is None


def test_player_takes_only_one_spot_per_stage() -> None:
    advances = [advance("qualifying", "po2", "a3 b3"), advance("qualifying", "po1", "a4 a5 b4 b5")]
    state = cinderella({"qualifying": qualifying(), "po1": PO1}, advances=[*advances, advance("po1", "po2", "a3 a4")])
    assert participants(state, "po2") == ["a3", "b3", "a4"]


def test_carried_points_bonus_and_seeds_count_in_the_next_stage() -> None:
    document: dict[str, Any] = {
        "name": "x",
        "entrants": 8,
        "stage": [
            {"key": "one", "name": "1", "hanchan": 1, "seating": "fixed", "from": [{"seeds": "5-8"}]},
            {"key": "two", "name": "2", "hanchan": 1, "carry": {"from": "one", "factor": "1/2"},
             "from": [{"seeds": "1-4", "bonus": 20}, {"stage": "one", "ranks": "1-4", "bonus": "-5.5"}]},
        ],
    }  # fmt: skip
    players = [{"player": participant, "seed": number} for number, participant in enumerate("hgfedcba", start=1)]
    facts = read_facts(
        {"players": players, "played": {"one": {"a": ["30.3"], "b": ["10"], "c": ["-10"], "d": ["-30.3"]}},
         "advances": [advance("one", "two", "a b c d")]}
    )  # fmt: skip
    state = resolve(read_format("x", document), facts)
    assert participants(state, "one") == ["d", "c", "b", "a"]
    points = {
        line.participant: (line.points, line.carried, line.bonus) for line in state.stage("two").ranking("").lines
    }
    assert points["a"] == (15_200 - 5_500, 15_200, -5_500)
    assert points["d"] == (-15_100 - 5_500, -15_100, -5_500)
    assert points["h"] == (20_000, 0, 20_000)
    assert state.stage("two").expected == 8


def test_stage_without_a_fixed_size_has_no_vacancies() -> None:
    players = [f"p{number}" for number in range(17)]
    state = resolve(load_format("open-final-table"), read_facts({"players": players}))
    assert state.stage("open").expected is None
    assert state.stage("open").vacancies == 0
    assert state.stage("rest").expected is None
    assert state.stage("final").expected == 4


def test_player_added_to_the_final_leaves_the_placement_proposal() -> None:
    def state(*advances: dict[str, Any], fifth: int = 1) -> StageProgress:
        played = {"open": {f"p{number}": [f"{[9, 8, 7, 6, 5, fifth, 0][number]}/8"] for number in range(7)}}
        facts = {"players": list(played["open"]), "played": played, "advances": advances}
        left = {"withdrawals": [{"stage": "open", "player": "p1"}]}
        return resolve(load_format("open-final-table"), read_facts(facts | left)).stage("open")

    final = advance("open", "final", "p0 p2 p3 p4", "p0 p2 p3")
    assert state().path("rest").proposed == ("p4", "p5", "p6")
    assert state(final).path("rest").proposed == ("p5", "p6")
    for seen in ("p4 p5 p6", "p5 p6"):
        decided = state(final, advance("open", "rest", "p5 p6", seen))
        assert not any(path.overtaken for path in decided.paths)
    assert state(final, fifth=20).path("rest").proposed == ("p3", "p4", "p6")


def test_ranks_of_placement_tables_follow_those_of_the_final_once_its_players_are_known() -> None:
    for people, ahead in ((0, 0), (9, 4)):
        played = {"open": {f"p{number}": [f"{50 - 10 * number}/8"] for number in range(people)}}
        facts = read_facts({"players": [f"p{number}" for number in range(9)], "played": played})
        state = resolve(load_format("open-final-table"), facts)
        assert [state.stage(key).rankings[0].ahead for key in ("final", "rest")] == [0, ahead]


def test_dependent_stages_are_all_later_stages_fed_by_a_stage() -> None:
    format_ = load_format("cinderella")
    assert dependent_stages(format_, "po2") == ("po3", "final")
    assert dependent_stages(format_, "final") == ()


def test_every_player_has_one_final_rank() -> None:
    playoffs = {"po1": PO1, "po2": PO2}
    advances = [*FROM_QUALIFYING, advance("po1", "po2", "a4 a5"), advance("po2", "po3", "a3 a4")]
    playoffs["po3"] = {"a2": ["40/4"], "b2": ["20/4"], "a3": ["-20/4"], "a4": ["-40/4"]}
    playoffs["final"] = {"b1": ["40/4"], "a1": ["20/4"], "a2": ["-20/4"], "b2": ["-40/4"]}
    advances += [advance("po3", "final", "a2 b2"), advance("final", "champion", "b1")]
    state = cinderella({"qualifying": qualifying(), **playoffs}, advances=advances)
    assert state.is_over
    assert [place.participant for place in state.arrivals["champion"]] == ["b1"]
    assert [(final_rank.participant, final_rank.rank) for final_rank in state.final_ranks] == [
        ("b1", 1), ("a1", 2), ("a2", 3), ("b2", 4), ("a3", 5), ("a4", 6), ("b3", 7), ("a5", 8), ("b4", 9), ("b5", 10),
        ("a6", 11), ("b6", 11), ("a7", 13), ("b7", 13), ("a8", 15), ("b8", 15),
    ]  # fmt: skip


def test_who_withdrew_from_the_final_as_leader_comes_after_those_who_played_on() -> None:
    format_ = load_format("open-final-table")
    order = [f"p{number}" for number in range(1, 9)]
    played = {
        "open": {each: [f"{-number}/8"] for number, each in enumerate(order)},
        "final": {"p1": ["59/1"], "p2": ["8/2"], "p3": ["-1/2"], "p4": ["-20/2"]},
        "rest": {each: ["0/2"] for each in order[4:]},
    }
    given = [advance("open", "final", "p1 p2 p3 p4"), advance("open", "rest", "p5 p6 p7 p8")]
    facts = read_facts({"players": order, "played": played, "advances": given})
    facts = replace(facts, withdrawals=(Withdrawal("final", "p1", provided_for=1),))
    final = resolve(format_, facts).stage("final")
    assert final.path("champion").proposed == ("p2",)
    assert ranks(resolve(format_, facts), "final") == [("p2", 1), ("p3", 2), ("p4", 3), ("p1", 4)]
    for champion in ("p2", "p3"):
        # The player given the title is first, even if another was proposed.
        state = resolve(
            format_, replace(facts, advances=(*facts.advances, Advance("final", "champion", (champion,), ("p2",))))
        )
        placed = [(each.participant, each.rank) for each in state.final_ranks]
        others = [each for each in ("p2", "p3", "p4", "p1", *order[4:]) if each != champion]
        assert placed == [(each, rank) for rank, each in enumerate((champion, *others), start=1)]


def test_tied_players_share_a_final_rank() -> None:
    final = resolve(one_stage(tiebreak=["shared"]), read_facts({
        "players": list("abcd"), "played": {"s": {"a": ["10/4"], "b": ["10/4"], "c": ["0/4"], "d": ["-20/4"]}},
    }))  # fmt: skip
    assert [(each.participant, each.rank) for each in final.final_ranks] == [("a", 1), ("b", 1), ("c", 3), ("d", 4)]
    assert final.stages[0].state is StageState.DECIDED


Totals = st.lists(st.integers(-900, 900), min_size=16, max_size=16)


@settings(max_examples=budget(40, least=10), deadline=None)
@given(Totals, st.randoms(use_true_random=False), st.sets(st.sampled_from(EVERYBODY), max_size=4))
def test_ranks_ignore_entry_order_and_withdrawals(totals: list[int], chance: random.Random, left: set[str]) -> None:
    played = {participant: [f"{points}/8"] for participant, points in zip(EVERYBODY, totals, strict=True)}
    shuffled = list(EVERYBODY)
    chance.shuffle(shuffled)
    state = cinderella({"qualifying": played})
    other = cinderella(
        {"qualifying": {participant: played[participant] for participant in shuffled}},
        players=shuffled,
        withdrawals=[{"stage": "qualifying", "player": participant} for participant in sorted(left)],
    )
    for block in BLOCKS:
        assert dict(ranks(state, "qualifying", block)) == dict(ranks(other, "qualifying", block))
    for path in state.stage("qualifying").paths:
        again = other.stage("qualifying").path(path.to)
        doubtful = {participant for group in path.proposal.level for participant in group}
        assert set(path.proposal.players) - doubtful == set(again.proposal.players) - doubtful
        assert not left & set(again.proposed)


FOUR_OF_EIGHT = {
    "name": "x",
    "entrants": 8,
    "stage": [
        {"key": "open", "name": "1", "hanchan": 2, "seating": "manual", "from": [{"entrants": "all"}]},
        {"key": "final", "name": "2", "hanchan": 1, "from": [{"stage": "open", "ranks": "1-4"}]},
    ],
}

EIGHT = {
    "p1": ["50", "50"], "p2": ["10", "-19"], "p3": ["-20", "50"], "p4": ["-40", "-20"],
    "p5": ["50", "10"], "p6": ["11"], "p7": ["-22", "10"], "p8": ["-39", "-40"],
}  # fmt: skip
EIGHT_ALL = EIGHT | {"p6": ["11", "-10"]}
SUBSTITUTED = EIGHT | {"sub": ["-41"]}


def four_of_eight(substitute: str | None = "sub", **facts: Any) -> TournamentState:
    gone = {"stage": "open", "player": "p6"} | ({"substitute": substitute} if substitute else {})
    players = [f"p{number}" for number in range(1, 9)]
    given = {"players": players, "played": {"open": SUBSTITUTED}, "withdrawals": [gone]} | facts
    return resolve(read_format("x", FOUR_OF_EIGHT), read_facts(given))


def test_substitute_is_ranked_by_their_own_result() -> None:
    stage = four_of_eight().stage("open")
    assert ranks(four_of_eight(), "open")[3:] == [("p2", 4), ("p7", 5), ("sub", 6), ("p4", 7), ("p8", 8), ("p6", 9)]
    path = stage.path("final")
    assert path.ready
    assert path.proposed == ("p1", "p5", "p3", "p2")
    assert path.vacant == 0


def test_cut_line_ignores_withdrawn_players() -> None:
    ranking = four_of_eight().stage("open").ranking("")
    goes = {line.participant: line.advances_to for line in ranking.lines}
    assert [participant for participant, to in goes.items() if to] == ["p1", "p5", "p3", "p2"]
    assert [(cut.after, cut.above, cut.below) for cut in ranking.cuts] == [(4, "final", None)]
    lines = {line.participant: line for line in ranking.lines}
    assert (lines["p6"].above, lines["p6"].below) == (None, None)
    assert lines["p7"].above == -9_000 - -12_000
    assert lines["p2"].below == -9_000 - -12_000


def test_tie_with_a_withdrawn_player_does_not_block_approval() -> None:
    path = four_of_eight(played={"open": SUBSTITUTED | {"p2": ["10", "-22"]}}).stage("open").path("final")
    assert path.proposal.level == (("p2", "p7"),)
    assert not path.ready
    assert four_of_eight(played={"open": SUBSTITUTED | {"p2": ["10", "1"]}}).stage("open").path("final").ready


def test_withdrawal_after_the_last_hanchan_leaves_a_vacancy() -> None:
    state = four_of_eight(None, played={"open": EIGHT_ALL})
    path = state.stage("open").path("final")
    assert (path.proposed, path.vacant) == (("p1", "p5", "p3"), 1)
    lines = {line.participant: line for line in state.stage("open").ranking("").lines}
    assert lines["p6"].advances_to is None
    assert lines["p2"].advances_to is None
    assert [cut.after for cut in state.stage("open").ranking("").cuts] == [4]


def test_withdrawn_player_who_missed_no_hanchan_keeps_the_spot() -> None:
    players = [f"p{number}" for number in range(1, 7)]
    # Six play two rounds at one table: eight seats, so two have played twice.
    played = {"p1": ["9", "1"], "p2": ["8", "1"], "p3": ["7"], "p4": ["-24"], "p5": ["-1"], "p6": ["-1"]}
    facts = {"players": players, "played": {"open": played}, "withdrawals": [{"stage": "open", "player": "p3"}]}
    document = FOUR_OF_EIGHT | {"entrants": {"min": 4, "max": 8}}
    path = resolve(read_format("x", document), read_facts(facts)).stage("open").path("final")
    assert [place.participant for place in path.proposal.places] == ["p1", "p2", "p3", "p5"]


DISQUALIFIED = {"stage": "open", "player": "p5", "disqualified": True}


def test_stage_with_missing_hanchan_advances_players_once_closed() -> None:
    assert not four_of_eight(None, played={"open": EIGHT}, withdrawals=[]).stage("open").path("final").complete
    state = four_of_eight(None, played={"open": EIGHT}, withdrawals=[], closings=[{"stage": "open", "short": ["p6"]}])
    stage = state.stage("open")
    assert stage.closed
    assert stage.path("final").proposed == ("p1", "p5", "p3", "p6")
    assert all(line.left == 0 for line in stage.ranking("").lines)


def test_unranked_player_is_last_and_does_not_advance() -> None:
    closing = {"stage": "open", "short": ["p6"], "unranked": ["p6"]}
    stage = four_of_eight(None, played={"open": EIGHT}, withdrawals=[], closings=[closing]).stage("open")
    line = stage.ranking("").lines[-1]
    assert (line.participant, line.rank, line.points) == ("p6", 0, 11_000)
    assert stage.path("final").proposed == ("p1", "p5", "p3", "p2")
    assert stage.path("final").vacant == 0


def test_withdrawal_after_closing_a_stage_leaves_a_vacancy() -> None:
    state = four_of_eight(None, played={"open": EIGHT}, closings=[{"stage": "open", "short": ["p6"]}])
    path = state.stage("open").path("final")
    assert (path.proposed, path.vacant) == (("p1", "p5", "p3"), 1)


def test_disqualified_player_loses_the_rank_and_others_move_up() -> None:
    state = four_of_eight(None, played={"open": EIGHT_ALL}, withdrawals=[DISQUALIFIED])
    assert ranks(state, "open") == [
        ("p1", 1), ("p3", 2), ("p6", 3), ("p2", 4), ("p7", 5), ("p4", 6), ("p8", 7), ("p5", 0),
    ]  # fmt: skip
    stage = state.stage("open")
    assert stage.ranking("").lines[-1].points == 60_000
    assert stage.path("final").proposed == ("p1", "p3", "p6", "p2")


def test_final_ranking_lists_a_disqualified_player_without_rank() -> None:
    one = one_stage(hanchan=1)
    played = {"a": ["30"], "b": ["10"], "c": ["-10"], "d": ["-30"]}
    facts = {"players": list(played), "played": {"s": played}}
    state = resolve(one, read_facts(facts | {"withdrawals": [{"stage": "s", "player": "b", "disqualified": True}]}))
    assert [(each.participant, each.rank) for each in state.final_ranks] == [("a", 1), ("c", 2), ("d", 3), ("b", 0)]
    written = write_state(state)
    assert written["placings"][-1] == {
        "player": "b", "rank": None, "stage": "s", "block": "", "unranked": "disqualified",
    }  # fmt: skip
    assert written["stages"][0]["blocks"][0]["ranking"][-1]["rank"] is None


def test_disqualification_mid_stage_does_not_affect_eliminated_players() -> None:
    facts = {"played": {"open": EIGHT_ALL}, "advances": [advance("open", "final", "p1 p5 p3 p6")]}
    plain = four_of_eight(None, **facts, withdrawals=[])
    expelled = four_of_eight(None, **facts, withdrawals=[{"stage": "final", "player": "p5", "disqualified": True}])
    assert next((each.participant, each.rank) for each in plain.final_ranks) == ("p2", 5)
    assert [(each.participant, each.rank) for each in expelled.final_ranks][-1] == ("p5", 0)


FOUR = {"seating": "fixed"}
"""A single table of four for four hanchan."""


def short_stage(
    played: Mapping[str, str], withdrawal: Mapping[str, Any], players: str = "a b c d", **format_: Any
) -> StageProgress:
    """Return a stage of four hanchan in which "a" withdraws; `played`: points and hanchan of each as "5/4"."""
    facts = read_facts({"players": players.split(), "played": {"s": {name: [text] for name, text in played.items()}}})
    house = {"s": frozenset(withdrawal.get("house", ()))}
    left = Withdrawal("s", "a", **{name: value for name, value in withdrawal.items() if name != "house"})
    return resolve(one_stage(**format_), replace(facts, withdrawals=(left,), house=house)).stage("s")


def line(progress: StageProgress, participant: Participant) -> RankingLine | None:
    return next((each for each in progress.ranking("").lines if each.participant == participant), None)


PLAYED = {"a": "10/2", "b": "5/4", "c": "-5/4", "d": "-10/4"}


@pytest.mark.parametrize(
    ("played", "withdrawal", "complete"),
    [
        pytest.param(PLAYED, {}, False, id="nothing was settled"),
        pytest.param(
            PLAYED | {"h": "0/2"}, {"house": "h", "provided_for": 2}, True, id="the house has filled the seat"
        ),
        pytest.param(PLAYED, {"provided_for": 2}, True, id="three have played on"),
        pytest.param(PLAYED | {"d": "-10/3"}, {"provided_for": 2}, False, id="one of the three has a hanchan to play"),
        pytest.param(
            {name: text.replace("4", "2") for name, text in PLAYED.items()},
            {"provided_for": 2, "spared": {"b": 2, "c": 2, "d": 2}},
            True,
            id="what is left is not played",
        ),
        pytest.param(
            {name: text.replace("4", "2") for name, text in PLAYED.items()},
            {"provided_for": 2, "spared": {"b": 2, "c": 2, "d": 1}},
            False,
            id="a hanchan at another table is left",
        ),
    ],
)
def test_fixed_table_without_a_player_is_complete_once_the_remedy_is_played(
    played: Mapping[str, str], withdrawal: Mapping[str, Any], complete: bool
) -> None:
    assert short_stage(played, withdrawal, **FOUR).ranking("").complete is complete


def test_cancelled_hanchan_reduces_the_number_left() -> None:
    progress = short_stage({"a": "1/3"}, {"provided_for": 1, "spared": {"b": 1}}, **FOUR)
    assert [found.left if found else None for found in (line(progress, "b"), line(progress, "c"))] == [3, 4]


def test_table_without_players_is_incomplete() -> None:
    assert not short_stage({}, {"provided_for": 4}, players="a b", **FOUR).ranking("").complete


@pytest.mark.parametrize(
    ("seating", "players", "played", "provided_for", "complete"),
    [
        pytest.param("balanced", "a b c d e f g h", {"a": 2, **dict.fromkeys("bcdefgh", 4)}, 2, True, id="full tables"),
        pytest.param(
            "balanced", "a b c d e f g h", {"a": 2, **dict.fromkeys("bcdefg", 4), "h": 3}, 2, False, id="not yet"
        ),
        pytest.param("balanced", "a b c d e", {"a": 2, "b": 4, "c": 3, "d": 3, "e": 2}, 2, True, id="with byes"),
        pytest.param("balanced", "a b c d e", {"a": 2, "b": 4, "c": 3, "d": 3, "e": 1}, 2, False, id="byes, not yet"),
        pytest.param("swiss", "a b c d e", {"a": 2, **dict.fromkeys("bcde", 4)}, 2, True, id="drawn without them"),
        pytest.param("swiss", "a b c d", {"a": 2, **dict.fromkeys("bcd", 4)}, 2, False, id="too few to draw"),
    ],
)
def test_settled_withdrawal_completes_balanced_and_swiss_stages(
    seating: str, players: str, played: Mapping[str, int], provided_for: int, complete: bool
) -> None:
    points = {name: f"{number}/{count}" for number, (name, count) in enumerate(played.items())}
    progress = short_stage(points, {"provided_for": provided_for}, players=players, seating=seating)
    assert progress.ranking("").complete is complete


def test_substitute_inherits_cancelled_hanchan() -> None:
    facts = read_facts({"players": ["a", "b", "c", "d"], "played": {"s": {name: ["1/2"] for name in "abcd"}}})
    withdrawals = (Withdrawal("s", "a", provided_for=1, spared={"b": 1}), Withdrawal("s", "b", substitute="x"))
    found = line(resolve(one_stage(**FOUR), replace(facts, withdrawals=withdrawals)).stage("s"), "x")
    assert found is not None
    assert found.left == 1


def test_returning_player_skips_missed_hanchan() -> None:
    played = {name: ["1/4"] for name in "bcd"} | {"a": ["1/2"], "h": ["9/2"]}
    facts = read_facts({"players": ["a", "b", "c", "d"], "played": {"s": played}})
    back = replace(facts, house={"s": frozenset("h")}, missed={"s": {"a": 2}})
    progress = resolve(one_stage(**FOUR), back).stage("s")
    assert progress.ranking("").complete
    assert line(progress, "h") is None
