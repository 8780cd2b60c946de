"""Who is to sit where in a session, and what the entry page makes of it."""

import pytest

from league.models import PlannedSeat, Revision
from league.selectors.entry import seating_choices
from league.selectors.planning import plan_of, planned_players, table_states
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.planning import PlanningError, TablePlan, plan_tables, unplan_tables
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_plan_of_a_round_comes_before_that_of_the_session() -> None:
    league = make_league()
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]))], by=SYSTEM)
    plan_tables(session=session, plans=[TablePlan(1, tuple(reversed(players[:4])), 2)], by=SYSTEM)
    assert planned_players(session, 1, 1) == tuple(players[:4])
    assert planned_players(session, 1, 2) == tuple(reversed(players[:4]))
    assert planned_players(session, 2, 1) == ()
    assert [(number, table) for number, table, _ in plan_of(session)] == [(0, 1), (2, 1)]


def test_planning_again_replaces_only_the_same_table_and_round() -> None:
    league = make_league()
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(
        session=session, plans=[TablePlan(1, tuple(players[:4]), 1), TablePlan(2, tuple(players[4:]), 1)], by=SYSTEM
    )
    plan_tables(session=session, plans=[TablePlan(1, tuple(reversed(players[:4])), 1)], by=SYSTEM)
    session.refresh_from_db()
    assert session.tables == 2
    assert planned_players(session, 1, 1) == tuple(reversed(players[:4]))
    assert planned_players(session, 2, 1) == tuple(players[4:])
    change = Revision.objects.filter(subject="session").first()
    assert change is not None
    assert change.before["plan"]["1/1"] == [player.name for player in players[:4]]


def test_tables_are_taken_out_of_a_plan() -> None:
    league = make_league()
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4])), TablePlan(2, tuple(players[4:]))], by=SYSTEM)
    unplan_tables(session=session, tables=[2], by=SYSTEM)
    assert set(PlannedSeat.objects.values_list("table", flat=True)) == {1}


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        pytest.param((0, 1, 2), "table_size", id="three at a table of four"),
        pytest.param((0, 1, 2, 2), "player_twice", id="somebody twice"),
        pytest.param((0, 1, 2, 4), "not_in_league", id="somebody of another league"),
    ],
)
def test_plan_that_cannot_be_is_refused(seats: tuple[int, ...], code: str) -> None:
    league = make_league()
    players = [*make_players(league), *make_players(make_league("other"), 1)]
    session = make_session(league)
    plan = TablePlan(1, tuple(players[seat] for seat in seats))
    with pytest.raises(PlanningError) as refused:
        plan_tables(session=session, plans=[plan], by=SYSTEM)
    assert refused.value.code == code
    assert not PlannedSeat.objects.exists()


def test_entry_offers_the_planned_four_and_then_their_seats() -> None:
    league = make_league()
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[4:]))], by=SYSTEM)
    choices = seating_choices(session, 1)
    assert choices.is_planned
    assert choices.last == tuple(players[4:])
    turned = [players[5], players[4], players[7], players[6]]
    play(session, players=turned)
    choices = seating_choices(session, 1)
    assert not choices.is_planned
    assert choices.last == tuple(turned)


def test_plan_of_the_next_round_comes_before_the_seats_of_the_last_hanchan() -> None:
    league = make_league()
    players = make_players(league, 4)
    session = make_session(league)
    turned = tuple(reversed(players))
    plan_tables(session=session, plans=[TablePlan(1, tuple(players), 1), TablePlan(1, turned, 2)], by=SYSTEM)
    play(session, players=players)
    assert seating_choices(session, 1).last == turned
    assert table_states(session)[1].played == 1
    assert not table_states(session)[1].is_done


def test_merged_player_sits_where_the_other_name_was_planned() -> None:
    league = make_league()
    players = make_players(league, 5)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]))], by=SYSTEM)
    merge_players(source=players[0], target=players[4], by=SYSTEM, reason="one person")
    assert planned_players(session, 1, 1) == (players[4], *players[1:4])
