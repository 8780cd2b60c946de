"""A table that has lost a player in the middle of a stage: what counts as played to the end."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.tournaments.states import one_stage
from tournaments.core.facts import Participant, Withdrawal
from tournaments.core.plain_values import read_facts
from tournaments.core.ranking import RankingLine
from tournaments.core.resolution import resolve
from tournaments.core.state import StageProgress

FOUR = {"seating": "fixed"}
"""One table of four that stays together for four hanchan."""


def stage(
    played: Mapping[str, str], withdrawal: Mapping[str, Any], players: str = "a b c d", **format_: Any
) -> StageProgress:
    """Return a stage of four hanchan each in which "a" leaves; `played`: points and hanchan of each as "5/4"."""
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
def test_fixed_table_is_over_when_what_was_settled_is_played(
    played: Mapping[str, str], withdrawal: Mapping[str, Any], complete: bool
) -> None:
    assert stage(played, withdrawal, **FOUR).ranking("").complete is complete


def test_house_player_has_no_rank_and_the_others_keep_theirs() -> None:
    progress = stage(PLAYED | {"h": "50/2"}, {"house": "h", "provided_for": 2}, **FOUR)
    assert [each.participant for each in progress.ranking("").lines] == ["a", "b", "c", "d"]
    assert line(progress, "h") is None


def test_who_is_spared_a_hanchan_has_one_less_to_play() -> None:
    progress = stage({"a": "1/3"}, {"provided_for": 1, "spared": {"b": 1}}, **FOUR)
    assert [found.left if found else None for found in (line(progress, "b"), line(progress, "c"))] == [3, 4]


def test_everybody_may_leave_a_table() -> None:
    assert not stage({}, {"provided_for": 4}, players="a b", **FOUR).ranking("").complete


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
def test_where_tables_change_a_settled_seat_counts_as_taken(
    seating: str, players: str, played: Mapping[str, int], provided_for: int, complete: bool
) -> None:
    points = {name: f"{number}/{count}" for number, (name, count) in enumerate(played.items())}
    progress = stage(points, {"provided_for": provided_for}, players=players, seating=seating)
    assert progress.ranking("").complete is complete


def test_substitute_of_somebody_who_was_spared_has_as_much_less_to_play() -> None:
    facts = read_facts({"players": ["a", "b", "c", "d"], "played": {"s": {name: ["1/2"] for name in "abcd"}}})
    spared = Withdrawal("s", "a", provided_for=1, spared={"b": 1})
    withdrawals = (spared, Withdrawal("s", "b", substitute="x"))
    progress = resolve(one_stage(**FOUR), replace(facts, withdrawals=withdrawals)).stage("s")
    found = line(progress, "x")
    assert found is not None
    assert found.left == 1


def test_who_comes_back_is_not_asked_for_what_was_played_without_them() -> None:
    played = {name: ["1/4"] for name in "bcd"} | {"a": ["1/2"], "h": ["9/2"]}
    facts = read_facts({"players": ["a", "b", "c", "d"], "played": {"s": played}})
    back = replace(facts, house={"s": frozenset("h")}, missed={"s": {"a": 2}})
    progress = resolve(one_stage(**FOUR), back).stage("s")
    assert progress.ranking("").complete
    assert line(progress, "h") is None
