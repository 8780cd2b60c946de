from datetime import date

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from league.models import League, Player, Session
from league.selectors.season import season_so_far
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.people import merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from tests.league.factories import DAY, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def people(league: League) -> list[Player]:
    return make_players(league, 9)


def met(session: Session, players: list[Player]) -> dict[tuple[int, int], int]:
    """Return the number of meetings by pair of positions in the list, without pairs that never met."""
    found = season_so_far(session, [player.pk for player in players]).met
    return {(i, j): n for i, row in enumerate(found) for j, n in enumerate(row) if n and i < j}


def pairs(*table: int) -> set[tuple[int, int]]:
    return {(one, other) for one in table for other in table if one < other}


def test_only_hanchan_of_the_season_count(people: list[Player]) -> None:
    league = people[0].league
    session = make_session(league)
    play(make_session(league), players=people[:4])
    play(make_session(league, date(2025, 2, 1)), players=[people[each] for each in (1, 0, 4, 5)])
    play(make_session(league, date(2024, 12, 31)), players=people[:4])
    void_hanchan(hanchan=play(make_session(league), players=people[4:8]), by=SYSTEM, reason="wrong")
    found = met(session, people)
    assert found == dict.fromkeys(pairs(0, 1, 2, 3) | pairs(0, 1, 4, 5), 1) | {(0, 1): 2}
    winds = season_so_far(session, [player.pk for player in people]).winds
    assert winds[:3] == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]]


def test_open_plans_of_other_sessions_count_until_played(people: list[Player]) -> None:
    league = people[0].league
    session, other = make_session(league), make_session(league, date(2025, 12, 5))
    for of in (session, other):
        by = [TablePlan(1, tuple(people[:4]), waiting=(people[8],)), TablePlan(2, tuple(people[4:8]))]
        plan_tables(session=of, plans=by, by=SYSTEM)
    assert met(session, people) == dict.fromkeys(pairs(0, 1, 2, 3, 8) | pairs(4, 5, 6, 7), 1)
    assert season_so_far(session, [people[8].pk]).winds == [[0, 0, 0, 0]]
    play(other, players=people[:4])
    assert met(session, people) == dict.fromkeys(pairs(0, 1, 2, 3) | pairs(4, 5, 6, 7), 1)
    set_session_state(session=other, state=Session.State.CLOSED, by=SYSTEM)
    assert met(session, people) == dict.fromkeys(pairs(0, 1, 2, 3), 1)


def test_unplayed_planned_rounds_count(people: list[Player]) -> None:
    league = people[0].league
    session, other = make_session(league), make_session(league)
    plans = [TablePlan(1, tuple(people[:4]), round=1), TablePlan(1, tuple(people[4:8]), round=2)]
    plan_tables(session=other, plans=plans, by=SYSTEM)
    play(other, players=people[:4], round=1)
    assert met(session, people) == dict.fromkeys(pairs(0, 1, 2, 3) | pairs(4, 5, 6, 7), 1)


def test_planned_seat_of_a_merged_player_counts(people: list[Player]) -> None:
    league = people[0].league
    session, other = make_session(league), make_session(league)
    plan_tables(session=other, plans=[TablePlan(1, tuple(people[:4]))], by=SYSTEM)
    merge_players(source=people[3], target=people[8], by=SYSTEM, reason="same person")
    assert met(session, people)[0, 8] == 1


def test_new_players_have_no_meetings(people: list[Player]) -> None:
    session = make_session(people[0].league)
    play(session, players=people[:4])
    found = season_so_far(session, [people[0].pk, None, None])
    assert found.met == [[0, 0, 0]] * 3
    assert found.winds == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_season_needs_three_queries(people: list[Player], django_assert_num_queries: DjangoAssertNumQueries) -> None:
    session = make_session(people[0].league)
    for _ in range(3):
        play(make_session(people[0].league), players=people[:4])
    with django_assert_num_queries(3):
        assert met(session, people)[0, 1] == 3


def test_balanced_draw_separates_players_who_met_and_shows_figures(organiser: Client, people: list[Player]) -> None:
    league = people[0].league
    for _ in range(3):
        play(make_session(league), players=people[:4])
    session = make_session(league)
    typed = {"people": [player.pk for player in people[:8]], "seed": 7, "do": "draw", "even": "on"}
    answer = organiser.post("/en" + reverse("league:session_seats", args=[league.slug, session.pk]), typed)
    first = {player.pk for player in people[:4]}
    tables = [{int(key) for key in table} for table in answer.context["tables"].seated()]
    assert [len(table & first) for table in tables] == [2, 2]
    shown = answer.context["evenness"]
    # With two of the first four at each table, two pairs meet a third time; a random draw gives 12/28 of 18 on average.
    assert (shown.figures.met, shown.by_lot) == (6, "7.7")
    assert [count for _, _, count in shown.often] == [3, 3]
    assert shown.pairs == ((0, 22, 12), (1, 0, 10), (2, 0, 0), (3, 6, 4), (4, 0, 2))
    page = answer.content.decode()
    assert "Random draw, on average" in page
    assert "3 times" in page
    # Players who always started at the same wind get another one.
    assert all(line.counts[line.seat] == 0 for line in shown.winds)


def test_random_draw_shows_the_same_figures(organiser: Client, people: list[Player]) -> None:
    session = make_session(people[0].league, DAY)
    play(make_session(people[0].league), players=people[:4])
    address = reverse("league:session_seats", args=[session.league.slug, session.pk])
    typed = {"people": [player.pk for player in people[:8]], "seed": 7, "do": "draw"}
    lot = organiser.post(address, typed)
    assert lot.context["evenness"].figures.before == (22, 6)
    assert lot.context["form"]["even"].value() is False
    assert organiser.get(address).context["form"]["even"].value() is True


def test_tables_with_an_empty_seat_have_no_figures(organiser: Client, people: list[Player]) -> None:
    session = make_session(people[0].league)
    address = reverse("league:session_seats", args=[session.league.slug, session.pk])
    seats = {f"seat_1_{seat}": people[seat].pk for seat in range(3)}
    typed = {"people": [player.pk for player in people[:4]], "seed": 7, "do": "keep", "seat_1_3": "", **seats}
    assert organiser.post(address, typed).context["evenness"] is None
