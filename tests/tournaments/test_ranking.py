from dataclasses import replace
from typing import Any

import pytest

from tests.tournaments.states import advance, cinderella, one_stage, qualifying
from tournaments.core.plain_values import read_facts
from tournaments.core.ranking import Cut, planned_each
from tournaments.core.reading import load_format
from tournaments.core.resolution import resolve


def one(played: dict[str, list[Any]], players: str = "a b c d", **stage: Any) -> Any:
    facts = read_facts({"players": players.split(), "played": {"s": played}})
    return resolve(one_stage(**stage), facts).stage("s").rankings[0]


def test_players_without_hanchan_share_a_rank() -> None:
    table = one({"a": ["-5"], "b": ["5"]}, "a b c d e")
    assert [(line.participant, line.rank, line.shared) for line in table.lines] == [
        ("b", 1, False), ("c", 2, True), ("d", 2, True), ("e", 2, True), ("a", 5, False),
    ]  # fmt: skip
    assert [line.position for line in table.lines] == [1, 2, 3, 4, 5]
    assert table.started
    assert not table.complete
    assert not one({}).started


def test_players_without_hanchan_are_listed_below_those_who_have_played() -> None:
    listed = one({"a": ["-5"], "b": ["5"], "f": ["-5"]}, "a b c d e f").as_listed
    assert [(line.participant, line.rank, line.position) for line in listed.lines] == [
        ("b", 1, 1), ("a", 2, 2), ("f", 2, 3), ("c", 0, 4), ("d", 0, 5), ("e", 0, 6),
    ]  # fmt: skip
    assert listed.level == (("a", "f"),)
    assert one({}).as_listed.lines[0].rank == 1
    assert one({key: ["-5/4"] for key in "abcd"}).as_listed.lines[0].rank == 1


@pytest.mark.parametrize(
    ("idle", "more", "sure"), [("a4", 0, 0), ("a5", 10, 0), ("a6", 25, 1)], ids=["above a line", "on a line", "below"]
)
def test_lines_are_shown_below_as_many_as_have_played(idle: str, more: int, sure: bool) -> None:
    played = {f"a{number}": [str(each + more)] for number, each in enumerate((60, 40, 20, 0, -10, -20, -30, -60), 1)}
    listed = cinderella({"qualifying": played | {idle: []}}).stage("qualifying").ranking("A").as_listed
    assert (listed.lines[-1].participant, listed.lines[-1].rank) == (idle, 0)
    assert [cut.after for cut in listed.cuts] == [1, 2, 3, 5]
    assert any(line.advances_to for line in listed.lines) is bool(sure)
    assert (listed.lines[-1].above, listed.lines[-1].below) == (None, None)
    assert listed.lines[4].below == (20_000 if sure else None)
    few = {name: played[name] for name in ("a1", "a2", "a3", "a8")}
    assert not cinderella({"qualifying": few}).stage("qualifying").ranking("A").as_listed.cuts


def test_substitute_without_hanchan_is_listed_like_others_without() -> None:
    gone = {"withdrawals": [{"stage": "s", "player": "e", "substitute": "f"}]}
    facts = read_facts({"players": [*"abcdeg"], "played": {"s": {key: ["-5"] for key in "abcde"}}} | gone)
    listed = resolve(one_stage(), facts).stage("s").rankings[0].as_listed
    assert [(line.participant, line.rank) for line in listed.lines[-3:]] == [("g", 0), ("f", 0), ("e", 5)]


def test_player_at_zero_ties_with_players_without_hanchan() -> None:
    assert [line.rank for line in one({"a": ["0"]}, "a b c d").lines] == [1, 1, 1, 1]


def test_best_raw_score_counts_the_hanchan_whose_points_are_carried_over() -> None:
    def hanchan(points: int, raw: int) -> dict[str, Any]:
        return {"points": points, "placement": 2, "raw": raw}

    first = {"shimura": hanchan(-20, 26000), "ueno": hanchan(-20, 32000), "kubota": hanchan(-21, 27000)}
    then = {"shimura": [hanchan(-1, 24000)], "ueno": [hanchan(-1, 23000)], "e": ["0"], "f": ["2"]}
    players = [*"abcdef", *first]
    opened = {each: [hanchan(9, 30000)] for each in "abcdef"} | {each: [first[each]] for each in first}
    moves = [advance("open", to, " ".join(names)) for to, names in (("final", "abcd"), ("rest", ["e", "f", *first]))]
    facts = read_facts({"players": players, "played": {"open": opened, "rest": then}, "advances": moves})
    lines = resolve(load_format("open-final-table"), facts).stage("rest").rankings[0].lines[2:]
    assert [(line.participant, line.points, line.rank) for line in lines] == [
        ("ueno", -21_000, 3), ("kubota", -21_000, 4), ("shimura", -21_000, 5),
    ]  # fmt: skip


def test_unequal_numbers_of_hanchan_leave_a_tie_undecided() -> None:
    table = one({"a": ["10", "5"], "b": ["15"]})
    tied = [(line.participant, line.rank, line.undecided) for line in table.lines[:2]]
    assert tied == [("a", 1, True), ("b", 1, True)]
    assert table.level == (("a", "b"), ("c", "d"))


def test_chombo_and_other_points_are_listed_separately() -> None:
    chombo = {"points": "-30", "placement": 4, "raw": 10000, "total_only": "-40"}
    table = one({"a": [chombo, "12.5/2", "-3/0"], "b": ["1"]})
    line = table.lines[-1]
    assert (line.participant, line.points, line.chombo, line.other_points) == ("a", -60_500, -40_000, 9_500)
    assert (line.played, line.planned, line.left) == (3, 4, 1)
    assert table.lines[0].left == 3


def test_chombo_does_not_break_a_tie() -> None:
    caught = {"points": "50", "placement": 1, "raw": 50000, "total_only": "-40"}
    table = one({"a": ["10 2 30000", caught], "b": ["40 1 40000", "-20 3 20000"]})
    assert [line.participant for line in table.lines[:2]] == ["a", "b"]
    assert str(table.lines[0].decided_by) == "hanchan 2: 50.0 > -20.0"


def test_stage_can_rank_by_placement() -> None:
    played = {"a": ["90 2 60000"], "b": ["1 1 30100"], "c": ["-1 3 29900"], "d": ["-90 4 0"]}
    table = one(played, rank_by="placement", hanchan=1)
    assert [line.participant for line in table.lines] == ["b", "a", "c", "d"]
    assert table.complete


@pytest.mark.parametrize(
    ("players", "each"), [(10, 120), (8, 150), (9, 134), (3, 150)], ids=["ten", "eight", "nine", "no table"]
)
def test_byes_reduce_the_planned_hanchan(players: int, each: int) -> None:
    assert planned_each(one_stage(sessions=75, hanchan=2, seating="balanced").stage("s"), players, 4) == each


@pytest.mark.parametrize("seating", ["fixed", "balanced"])
def test_withdrawn_player_with_missing_hanchan_blocks_completion(seating: str) -> None:
    left = {"players": list("abcdefgh"), "withdrawals": [{"stage": "s", "player": "a"}]}
    early = {name: ["1/3"] for name in "bcdefgh"} | {"a": ["1/2"]}
    for played, is_complete in ((early, False), ({name: ["1/4"] for name in "abcdefgh"}, True)):
        facts = read_facts(left | {"played": {"s": played}})
        ranking = resolve(one_stage(seating=seating), facts).stage("s").rankings[0]
        assert ranking.complete is is_complete
    assert {line.planned for line in ranking.lines} == {4}


def test_stage_with_byes_is_complete_when_all_seats_were_played() -> None:
    played = {participant: ["1/4"] for participant in "abc"} | {"d": ["1/2"], "e": ["1/2"]}
    assert one(played, "a b c d e", seating="balanced").complete
    assert not one(played | {"e": ["1/1"]}, "a b c d e", seating="balanced").complete
    assert not one(played, "a b c d e", seating="fixed").complete
    assert not one({participant: ["1/4"] for participant in "abc"}, "a b c").complete
    seven = {key: ["1/4" if key in "abcd" else "1/3"] for key in "abcdefgh"}
    facts = replace(read_facts({"players": [*"abcdefgh"], "played": {"s": seven}}), late={"s": {"h": 1}})
    assert resolve(one_stage(seating="swiss"), facts).stage("s").rankings[0].complete


def test_bye_is_not_counted_as_a_hanchan_left() -> None:
    facts = read_facts({"players": [*"abcdefghi"], "played": {"s": {key: ["1/1"] for key in "abcdefgh"}}})
    for seated, left in (("abcdefgh", 3), ("abcde", 4)):
        known = replace(facts, seated={"s": [("", frozenset(seated))]})
        lines = {
            each.participant: each for each in resolve(one_stage(seating="swiss"), known).stage("s").rankings[0].lines
        }
        assert (lines["a"].left, lines["i"].left) == (3, left)


def test_no_line_is_drawn_between_tied_players_who_have_not_played() -> None:
    first = {"a1": ["45"], "a2": ["15"], "a3": ["-15"], "a4": ["-45"]}
    ranking = cinderella({"qualifying": first}).stage("qualifying").ranking("A")
    assert ranking.started
    assert not ranking.cuts
    assert {(line.advances_to, line.above, line.below) for line in ranking.lines} == {(None, None, None)}
    second = {"a5": ["40"], "a6": ["10"], "a7": ["-10"], "a8": ["-40"]}
    ranking = cinderella({"qualifying": first | second}).stage("qualifying").ranking("A")
    assert [cut.after for cut in ranking.cuts] == [1, 2, 3, 5]


def test_ranking_shows_cut_lines_and_gaps_to_them() -> None:
    ranking = cinderella({"qualifying": qualifying()}).stage("qualifying").ranking("A")
    assert ranking.cuts == (Cut(1, "final", "po3"), Cut(2, "po3", "po2"), Cut(3, "po2", "po1"), Cut(5, "po1", None))
    first, second, *_, fifth, sixth, _, last = ranking.lines
    assert (first.above, first.below) == (None, 30_000)
    assert (second.above, second.below) == (30_000, 20_000)
    assert (fifth.above, fifth.below) == (50_000, 30_000)
    assert (sixth.above, sixth.below) == (30_000, None)
    assert last.above == 90_000
    assert [line.advances_to for line in ranking.lines] == ["final", "po3", "po2", "po1", "po1", None, None, None]
