"""From facts to course: who plays, who goes on, what people decided, and where everybody ends."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.courses import (
    BLOCKS,
    EVERYBODY,
    FROM_QUALIFYING,
    advance,
    cinderella,
    cinderella_facts,
    one_stage,
    qualifying,
    seats,
    standing,
)
from tournaments.core.facts import TournamentFacts
from tournaments.core.format import Format
from tournaments.core.plain_values import read_facts
from tournaments.core.reading import load_format, read_format
from tournaments.core.resolution import downstream, resolve
from tournaments.core.state import StageState, TournamentState

PO1 = {"a4": ["50/4"], "a5": ["10/4"], "b4": ["-10/4"], "b5": ["-50/4"]}
PO2 = {"a3": ["50/4"], "a4": ["10/4"], "b3": ["-10/4"], "a5": ["-50/4"]}


def states(course: TournamentState) -> dict[str, str]:
    return {each.stage.key: each.state.value for each in course.stages}


# Before and during a stage


def test_states_of_a_tournament_from_entry_to_the_end_of_the_first_stage() -> None:
    undrawn = cinderella({}, draws={})
    assert states(undrawn)["qualifying"] == "undrawn"
    assert len(undrawn.stage("qualifying").undrawn) == 16
    ready = cinderella({})
    assert states(ready)["qualifying"] == "ready"
    assert states(ready)["po1"] == "waiting"
    running = cinderella({"qualifying": {"a1": ["5"]}})
    assert states(running)["qualifying"] == "running"
    played = cinderella({"qualifying": qualifying()})
    assert states(played)["qualifying"] == "played"
    decided = cinderella({"qualifying": qualifying()}, advances=FROM_QUALIFYING)
    assert states(decided) == {
        "qualifying": "decided", "po1": "ready", "po2": "waiting", "po3": "waiting", "final": "waiting",
    }  # fmt: skip
    assert not decided.is_over


def test_nobody_entered_yet() -> None:
    course = resolve(load_format("cinderella"), TournamentFacts(entrants=()))
    assert states(course)["qualifying"] == "waiting"
    assert course.stage("qualifying").vacancies == 16


def test_players_are_found_in_the_block_where_they_sat() -> None:
    facts = TournamentFacts(
        entrants=cinderella_facts({}).entrants,
        blocks_played={"qualifying": {who: block for block, players in BLOCKS.items() for who in players}},
    )
    assert len(resolve(load_format("cinderella"), facts).stage("qualifying").ranking("B").lines) == 8


def test_the_block_ahead_does_not_wait_for_the_other() -> None:
    only_a = {who: items for who, items in qualifying().items() if who.startswith("a")}
    course = cinderella({"qualifying": only_a})
    assert course.stage("qualifying").ranking("A").complete
    assert not course.stage("qualifying").ranking("B").complete
    assert states(course)["qualifying"] == "running"
    assert not course.stage("qualifying").path("po1").ready
    assert seats(course, "po1") == []


def test_proposals_stand_until_somebody_approves() -> None:
    course = cinderella({"qualifying": qualifying()})
    assert seats(course, "po1") == ["a4", "a5", "b4", "b5"]
    assert not any(seat.approved for seat in course.stage("po1").places)
    assert course.stage("qualifying").path("po1").ready
    assert course.arrivals == {"champion": ()}


def test_after_cuts_a_stage_off() -> None:
    played = {"a1": ["10", "-40", "5"], "a2": ["-20", "30", "1/2"], "a3": ["-5/0", "7"]}
    facts = cinderella_facts({"qualifying": played})
    course = resolve(load_format("cinderella"), facts, {"qualifying": 1})
    table = course.stage("qualifying").ranking("A")
    assert {line.participant: (line.points, line.played) for line in table.lines if line.played} == {
        "a1": (10_000, 1), "a2": (-20_000, 1), "a3": (2_000, 1),
    }  # fmt: skip
    later = resolve(load_format("cinderella"), facts, {"qualifying": 3}).stage("qualifying").ranking("A")
    assert {line.participant: line.played for line in later.lines if line.played} == {"a1": 3, "a2": 2, "a3": 1}


def test_a_stranger_who_played_is_shown_and_marked() -> None:
    course = cinderella({"qualifying": {"x": ["30"]}, "po1": {"y": ["20"]}})
    assert course.stage("qualifying").undrawn == ("x",)
    line = course.stage("po1").ranking("").lines[0]
    assert (line.participant, line.uninvited) == ("y", True)


# Ties on a line


def test_tie_on_a_line_waits_for_a_person() -> None:
    course = cinderella({"qualifying": qualifying(a5="-40")})
    way = course.stage("qualifying").path("po1")
    assert way.proposal.level == (("a5", "a6"),)
    assert not way.ready
    order = [{"stage": "qualifying", "players": ["a6", "a5"]}]
    ordered = cinderella({"qualifying": qualifying(a5="-40")}, orders=order).stage("qualifying").path("po1")
    assert ordered.ready
    assert ordered.proposed == ("a4", "a6", "b4", "b5")


def test_tie_inside_a_line_stops_nobody() -> None:
    course = cinderella({"qualifying": qualifying(a4="-10")})
    assert [rank for _, rank in standing(course, "qualifying", "A")] == [1, 2, 3, 4, 4, 6, 7, 8]
    assert course.stage("qualifying").path("po1").ready


def test_a_tie_that_a_person_decided_is_no_flag() -> None:
    course = cinderella(
        {"qualifying": qualifying(a5="-40")},
        advances=[advance("qualifying", "po1", "a4 a6 b4 b5", "a4 a5 b4 b5")],
    )
    assert course.overtaken == ()


def wild_cards(*fifths: str) -> TournamentState:
    blocks = {block: [f"{block.lower()}{number}" for number in range(1, 9)] for block in "ABC"}
    played = {
        who: [f"{fifths[number] if who[1] == '5' else total}/12"]
        for number, players in enumerate(blocks.values())
        for who, total in zip(players, TOTALS_2018, strict=True)
    }
    facts = {
        "players": [who for players in blocks.values() for who in players],
        "draws": {"qualifying": blocks},
        "played": {"qualifying": played},
    }
    return resolve(load_format("cinderella-2018"), read_facts(facts))


TOTALS_2018 = (100, 80, 60, 40, -10, -50, -100, -120)


def test_wild_card_is_the_best_of_the_fifths() -> None:
    way = wild_cards("-10", "-9.9", "-20").stage("qualifying").path("po1")
    assert way.proposed == ("a4", "b4", "c4", "b5")
    assert way.ready


def test_wild_card_tie_across_blocks_waits_for_a_person() -> None:
    way = wild_cards("-9", "-9", "-20").stage("qualifying").path("po1")
    assert way.proposal.level == (("a5", "b5"),)
    assert not way.ready
    assert wild_cards("-9", "-20", "-20").stage("qualifying").path("po1").ready


def test_tie_for_the_rank_of_a_wild_card_waits_too() -> None:
    way = wild_cards("-50", "-9", "-20").stage("qualifying").path("po1")
    assert ("a5", "a6") in way.proposal.level


# Withdrawals and substitutes


def test_withdrawal_before_a_stage_leaves_a_place_and_keeps_the_rank() -> None:
    course = cinderella(
        {"qualifying": qualifying()}, withdrawals=[{"stage": "qualifying", "player": "a2"}], advances=FROM_QUALIFYING
    )
    assert standing(course, "qualifying", "A")[1] == ("a2", 2)
    assert seats(course, "po3") == ["b2"]
    way = course.stage("qualifying").path("po3")
    assert (way.proposed, way.vacant) == (("b2",), 1)
    assert course.overtaken == ()
    assert course.stage("po3").vacancies == 3


def test_substitute_takes_the_place_and_can_be_replaced_again() -> None:
    withdrawals = [
        {"stage": "qualifying", "player": "a2", "substitute": "x"},
        {"stage": "qualifying", "player": "x", "substitute": "y"},
    ]
    course = cinderella({"qualifying": qualifying()}, withdrawals=withdrawals, advances=FROM_QUALIFYING)
    seat = course.stage("po3").places[0]
    assert (seat.participant, seat.replaces, seat.position) == ("y", "x", 2)


def test_withdrawal_during_a_stage_does_not_stop_it() -> None:
    played = {who: ["10/4"] for who in ("a4", "a5", "b4")} | {"b5": ["-30/2"], "x": ["0/2"]}
    course = cinderella(
        {"qualifying": qualifying(), "po1": played},
        advances=FROM_QUALIFYING,
        withdrawals=[{"stage": "po1", "player": "b5", "substitute": "x"}],
    )
    table = course.stage("po1").ranking("")
    assert {line.participant for line in table.lines} == {"a4", "a5", "b4", "b5", "x"}
    assert next(line for line in table.lines if line.participant == "b5").withdrawn
    assert not any(line.uninvited for line in table.lines)
    assert table.complete
    assert next(line for line in table.lines if line.participant == "x").planned == 2
    assert "b5" in seats(course, "po1")


def test_who_leaves_after_the_last_hanchan_of_a_stage_does_not_reopen_it() -> None:
    for substitute in ({}, {"substitute": "x"}):
        course = cinderella(
            {"qualifying": qualifying(), "po1": PO1},
            advances=[*FROM_QUALIFYING, advance("po1", "po2", "a4 a5")],
            withdrawals=[{"stage": "po1", "player": "a4", **substitute}],
        )
        assert course.stage("po1").ranking("").complete
        assert len(course.stage("po1").ranking("").lines) == 4
        assert course.overtaken == ()
        assert seats(course, "po2") == ["a3", "b3", *substitute.values(), "a5"]


def test_a_table_that_has_lost_a_player_waits() -> None:
    played = {"a4": ["50/4"], "a5": ["10/4"], "b4": ["-10/4"], "b5": ["-50/3"]}
    course = cinderella(
        {"qualifying": qualifying(), "po1": played},
        advances=FROM_QUALIFYING,
        withdrawals=[{"stage": "po1", "player": "b5"}],
    )
    assert not course.stage("po1").ranking("").complete


def test_substitute_of_a_block_sits_in_it() -> None:
    course = cinderella(
        {"qualifying": {"a1": ["5"]}}, withdrawals=[{"stage": "qualifying", "player": "a1", "substitute": "x"}]
    )
    assert "x" in [line.participant for line in course.stage("qualifying").ranking("A").lines]


def test_withdrawal_after_approval_is_no_flag_and_a_correction_is_one() -> None:
    withdrawn = cinderella(
        {"qualifying": qualifying()}, advances=FROM_QUALIFYING, withdrawals=[{"stage": "qualifying", "player": "a4"}]
    )
    assert withdrawn.overtaken == ()
    corrected = cinderella({"qualifying": qualifying(a5="-41")}, advances=FROM_QUALIFYING)
    assert [(way.stage, way.to) for way in corrected.overtaken] == [("qualifying", "po1")]
    assert seats(corrected, "po1") == ["a4", "a5", "b4", "b5"]


def test_an_override_is_no_flag_until_the_proposal_changes() -> None:
    overridden = [advance("qualifying", "po1", "a4 a6 b4 b5", "a4 a5 b4 b5"), *FROM_QUALIFYING[1:]]
    assert cinderella({"qualifying": qualifying()}, advances=overridden).overtaken == ()
    changed = cinderella({"qualifying": qualifying(b5="-70")}, advances=overridden)
    assert [way.to for way in changed.overtaken] == ["po1"]


def test_a_decision_on_a_stage_that_is_no_longer_complete_is_flagged() -> None:
    played = qualifying() | {"a8": ["-100/7"]}
    assert len(cinderella({"qualifying": played}, advances=FROM_QUALIFYING).overtaken) == 4


def test_the_last_decision_counts() -> None:
    twice = [*FROM_QUALIFYING, advance("qualifying", "final", "a1 b2", "a1 b1")]
    assert seats(cinderella({"qualifying": qualifying()}, advances=twice), "final") == ["a1", "b2"]


def test_somebody_from_nowhere_can_be_sent() -> None:
    course = cinderella({"qualifying": qualifying()}, advances=[advance("qualifying", "final", "a1 x", "a1 b1")])
    assert course.stage("final").places[1].position is None


def test_nobody_takes_two_places_of_a_stage() -> None:
    advances = [advance("qualifying", "po2", "a3 b3"), advance("qualifying", "po1", "a4 a5 b4 b5")]
    course = cinderella({"qualifying": qualifying(), "po1": PO1}, advances=[*advances, advance("po1", "po2", "a3 a4")])
    assert seats(course, "po2") == ["a3", "b3", "a4"]


# Carry-over, bonus, seeds


def test_bonus_carry_and_seeds() -> None:
    document: dict[str, Any] = {
        "name": "x",
        "entrants": 8,
        "stage": [
            {"key": "one", "name": "1", "hanchan": 1, "seating": "fixed", "from": [{"seeds": "5-8"}]},
            {"key": "two", "name": "2", "hanchan": 1, "carry": {"from": "one", "factor": "1/2"},
             "from": [{"seeds": "1-4", "bonus": 20}, {"stage": "one", "ranks": "1-4", "bonus": "-5.5"}]},
        ],
    }  # fmt: skip
    players = [{"player": who, "seed": number} for number, who in enumerate("hgfedcba", start=1)]
    facts = read_facts(
        {"players": players, "played": {"one": {"a": ["30.3"], "b": ["10"], "c": ["-10"], "d": ["-30.3"]}},
         "advances": [advance("one", "two", "a b c d")]}
    )  # fmt: skip
    course = resolve(read_format("x", document), facts)
    assert seats(course, "one") == ["d", "c", "b", "a"]
    points = {line.participant: (line.points, line.carried, line.bonus) for line in course.stage("two").ranking("").lines}
    assert points["a"] == (15_200 - 5_500, 15_200, -5_500)
    assert points["d"] == (-15_100 - 5_500, -15_100, -5_500)
    assert points["h"] == (20_000, 0, 20_000)
    assert course.stage("two").expected == 8


def test_where_the_number_of_players_is_open_no_place_is_vacant() -> None:
    players = [f"p{number}" for number in range(17)]
    course = resolve(load_format("open-final-table"), read_facts({"players": players}))
    assert course.stage("open").expected is None
    assert course.stage("open").vacancies == 0
    assert course.stage("rest").expected is None
    assert course.stage("final").expected == 4


def test_stages_that_rest_on_another() -> None:
    format_ = load_format("cinderella")
    assert downstream(format_, "po2") == ("po3", "final")
    assert downstream(format_, "final") == ()


# The end


def whole_cinderella(**more: Any) -> TournamentState:
    playoffs = {"po1": PO1, "po2": PO2}
    advances = [*FROM_QUALIFYING, advance("po1", "po2", "a4 a5"), advance("po2", "po3", "a3 a4")]
    playoffs["po3"] = {"a2": ["40/4"], "b2": ["20/4"], "a3": ["-20/4"], "a4": ["-40/4"]}
    playoffs["final"] = {"b1": ["40/4"], "a1": ["20/4"], "a2": ["-20/4"], "b2": ["-40/4"]}
    advances += [advance("po3", "final", "a2 b2"), advance("final", "champion", "b1")]
    return cinderella({"qualifying": qualifying(), **playoffs}, advances=advances, **more)


def test_everybody_ends_somewhere_once() -> None:
    course = whole_cinderella()
    assert course.is_over
    assert [seat.participant for seat in course.arrivals["champion"]] == ["b1"]
    assert [(placing.participant, placing.rank) for placing in course.final_ranks] == [
        ("b1", 1), ("a1", 2), ("a2", 3), ("b2", 4), ("a3", 5), ("a4", 6), ("b3", 7), ("a5", 8), ("b4", 9), ("b5", 10),
        ("a6", 11), ("b6", 11), ("a7", 13), ("b7", 13), ("a8", 15), ("b8", 15),
    ]  # fmt: skip


def test_who_is_still_in_is_not_placed_but_counted() -> None:
    course = cinderella({"qualifying": qualifying()}, advances=FROM_QUALIFYING)
    assert [(placing.participant, placing.rank) for placing in course.final_ranks][:3] == [("a6", 11), ("b6", 11), ("a7", 13)]


def test_equals_of_a_block_share_their_final_place() -> None:
    final = resolve(one_stage(tiebreak=["shared"]), read_facts({
        "players": list("abcd"), "played": {"s": {"a": ["10/4"], "b": ["10/4"], "c": ["0/4"], "d": ["-20/4"]}},
    }))  # fmt: skip
    assert [(placing.participant, placing.rank) for placing in final.final_ranks] == [("a", 1), ("b", 1), ("c", 3), ("d", 4)]
    assert final.stages[0].state is StageState.DECIDED


def test_lookups_that_fail() -> None:
    course = cinderella({})
    for lookup in (
        lambda: course.stage("x"),
        lambda: course.stage("po1").path("x"),
        lambda: course.stage("po1").ranking("x"),
        lambda: course.format.stage("x"),
        lambda: course.format.destination("x"),
    ):
        with pytest.raises(KeyError):
            lookup()
    assert course.format.destination("champion").key == "champion"


# Whatever the numbers


Totals = st.lists(st.integers(-900, 900), min_size=16, max_size=16)


@settings(max_examples=40, deadline=None)
@given(Totals, st.randoms(use_true_random=False), st.sets(st.sampled_from(EVERYBODY), max_size=4))
def test_order_of_entry_and_withdrawals_change_no_rank(
    totals: list[int], chance: random.Random, left: set[str]
) -> None:
    played = {who: [f"{points}/8"] for who, points in zip(EVERYBODY, totals, strict=True)}
    shuffled = list(EVERYBODY)
    chance.shuffle(shuffled)
    course = cinderella({"qualifying": played})
    other = cinderella(
        {"qualifying": {who: played[who] for who in shuffled}},
        players=shuffled,
        withdrawals=[{"stage": "qualifying", "player": who} for who in sorted(left)],
    )
    for block in BLOCKS:
        assert dict(standing(course, "qualifying", block)) == dict(standing(other, "qualifying", block))
    for way in course.stage("qualifying").paths:
        again = other.stage("qualifying").path(way.to)
        doubtful = {who for group in way.proposal.level for who in group}
        assert set(way.proposal.players) - doubtful == set(again.proposal.players) - doubtful
        assert not left & set(again.proposed)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_every_player_ends_in_one_place(chance: random.Random) -> None:
    course = played_through(load_format("cinderella"), chance)
    assert course.is_over
    assert sorted(str(placing.participant) for placing in course.final_ranks) == sorted(EVERYBODY)
    assert course.overtaken == ()


def played_through(format_: Format, chance: random.Random) -> TournamentState:
    """Return a course in which every proposal was approved, stage after stage."""
    played: dict[str, Any] = {}
    advances: list[dict[str, Any]] = []
    for stage in format_.stages:
        course = cinderella(played, advances=advances)
        drawn = chance.sample(range(-2000, 2000), len(course.stage(stage.key).places))
        played[stage.key] = {
            seat.participant: [f"{points}/{stage.planned}"]
            for seat, points in zip(course.stage(stage.key).places, drawn, strict=True)
        }
        now = cinderella(played, advances=advances).stage(stage.key)
        advances += [advance(stage.key, way.to, " ".join(map(str, way.proposed))) for way in now.paths]
    return cinderella(played, advances=advances)
