import json
import re
from datetime import date, time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from league.interchange.storing import store_league
from league.interchange.writing import write_league
from league.models import League, PlannedSeat, Player, Revision, Session
from league.models.plans import EVERY_ROUND
from league.selectors.entry import seating_choices, turns_at
from league.selectors.history import history_lines, revisions_of
from league.selectors.planning import plan_of, table_states, unplayed_plans
from league.selectors.season import season_so_far
from league.services.calendar import SessionFacts, change_session, change_settings, open_sessions, set_session_state
from league.services.history import SYSTEM
from league.services.imports.steps import undo_import
from league.services.people import merge_players
from league.services.planning import PlanningError, TablePlan, plan_tables, unplan_rounds
from league.services.results import void_hanchan
from tests.league.entry_contexts import url
from tests.league.factories import DAY, as_text, make_league, make_players, make_session, planned_players, play
from tests.league.imports.files import answers, batch_of, file_of, game
from tournaments.interchange.reading import read_file

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 8)


def plan(session: Session, *plans: TablePlan) -> None:
    plan_tables(session=session, plans=plans, by=SYSTEM)


def test_plan_of_a_round_overrides_the_plan_of_the_session(session: Session, players: list[Player]) -> None:
    first, turned = tuple(players[:4]), tuple(players[3::-1])
    plan(session, TablePlan(1, first))
    plan(session, TablePlan(1, turned, 2))
    assert [planned_players(session, *place) for place in ((1, 1), (1, 2), (2, 1))] == [first, turned, ()]
    assert [(number, table) for number, table, _ in plan_of(session)] == [(0, 1), (2, 1)]


def test_new_plan_replaces_only_the_same_table_and_round(session: Session, players: list[Player]) -> None:
    plan(session, TablePlan(1, tuple(players[:4]), 1), TablePlan(2, tuple(players[4:]), 1))
    plan(session, TablePlan(1, tuple(players[3::-1]), 1))
    session.refresh_from_db()
    assert session.tables == 2
    assert planned_players(session, 1, 1) == tuple(players[3::-1])
    assert planned_players(session, 2, 1) == tuple(players[4:])
    change = Revision.objects.filter(subject="session").first()
    assert change is not None
    assert (change.before or {})["plan"]["1/1"] == [player.name for player in players[:4]]
    unplan_rounds(session=session, places=[(1, 2)], by=SYSTEM)
    assert set(PlannedSeat.objects.values_list("table", flat=True)) == {1}


@pytest.mark.parametrize(
    ("seats", "code"), [((0, 1, 2), "table_size"), ((0, 1, 2, 2), "player_twice"), ((0, 1, 2, 8), "not_in_league")]
)
def test_invalid_plan_is_refused(session: Session, players: list[Player], seats: tuple[int, ...], code: str) -> None:
    everyone = [*players, *make_players(make_league("other"), 1)]
    with pytest.raises(PlanningError) as refused:
        plan(session, TablePlan(1, tuple(everyone[seat] for seat in seats)))
    assert refused.value.code == code
    assert not PlannedSeat.objects.exists()


def test_entry_offers_planned_players_and_then_the_last_seats(session: Session, players: list[Player]) -> None:
    plan(session, TablePlan(1, tuple(players[4:])))
    choices = seating_choices(session, 1)
    assert (choices.is_planned, choices.last) == (True, tuple(players[4:]))
    turned = [players[5], players[4], players[7], players[6]]
    play(session, players=turned)
    choices = seating_choices(session, 1)
    assert (choices.is_planned, choices.last) == (False, tuple(turned))


def test_plan_of_the_next_round_overrides_the_last_seats(session: Session, players: list[Player]) -> None:
    first, turned = tuple(players[:4]), tuple(players[3::-1])
    plan(session, TablePlan(1, first, 1), TablePlan(1, turned, 2))
    play(session, players=first)
    assert seating_choices(session, 1).last == turned
    assert (table_states(session)[1].played, table_states(session)[1].is_done) == (1, False)


def test_planned_rotation_shows_no_one_sitting_out(session: Session, players: list[Player]) -> None:
    mixed = (*players[:2], *players[4:6])
    plan(session, TablePlan(1, tuple(players[:4]), 1), TablePlan(2, tuple(players[4:]), 1), TablePlan(1, mixed, 2))
    play(session, players=players[:4], table=1, round=1)
    second = seating_choices(session, 1)
    assert (second.last, second.waiting, second.takes_turns) == (mixed, (), False)
    play(session, players=mixed, table=1, round=2)
    # The last four need no plan yet.
    third = seating_choices(session, 1)
    assert (third.last, third.waiting, third.takes_turns) == ((), (), False)


def test_table_states_name_the_next_players_and_missing_rounds(session: Session, players: list[Player]) -> None:
    first, second = tuple(players[:4]), tuple(players[4:])
    plan(session, *(TablePlan(1, four, number) for number, four in enumerate((first, second, first), 1)))
    plan(session, TablePlan(2, second))
    play(session, players=first, table=1, round=1)
    play(session, players=first, table=1, round=3)
    states = table_states(session)
    assert (states[1].players, states[1].played, states[1].planned, states[1].missing) == (second, 2, 3, (2,))
    assert (states[2].players, states[2].planned, states[2].is_done) == (second, 0, False)
    play(session, players=second, table=2)
    assert table_states(session)[2].is_done


def test_plans_without_a_result_are_listed_by_round(session: Session, players: list[Player]) -> None:
    assert unplayed_plans(session) == []
    first, second = tuple(players[:4]), tuple(players[4:])
    plan(session, TablePlan(1, first, 1), TablePlan(1, second, 2), TablePlan(2, second), TablePlan(3, first))
    play(session, players=first, table=1, round=1)
    void_hanchan(hanchan=play(session, players=second, table=1, round=2), by=SYSTEM, reason="misread")
    play(session, players=second, table=2, round=5)
    assert unplayed_plans(session) == [(EVERY_ROUND, [(0, 3, first)]), (2, [(2, 1, second)])]


def test_session_page_shows_the_plan_until_a_result(client: Client, session: Session, players: list[Player]) -> None:
    Player.objects.filter(pk=players[7].pk).update(visibility="members")
    address = url("session", session.league, session.pk)
    assert 'class="sheet-plan"' not in client.get(address).content.decode()
    plan(session, TablePlan(1, tuple(players[:4]), 1), TablePlan(2, tuple(players[4:]), 1))
    page = client.get(address).content.decode()
    assert 'class="sheet-plan"' in page
    assert "1回戦" in page
    assert page.index("東") < page.index("青木") < page.index("南") < page.index("石田")
    assert "選手7" in page
    assert re.search(r"選手8(?!\d)", page) is None
    play(session, players=players[:4], table=1, round=1)
    shown = client.get("/en" + address).context["plan"]
    assert [(each.number, [table for _, table, _ in each.shown]) for each in shown] == [(1, [2])]
    set_session_state(session=session, state=session.State.CLOSED, by=SYSTEM)
    assert 'class="sheet-plan"' not in client.get(address).content.decode()


def test_new_seats_of_evening_are_shown_until_played(client: Client, session: Session, players: list[Player]) -> None:
    first, second = tuple(players[:4]), tuple(players[4:])
    address = url("session", session.league, session.pk)
    plan(session, TablePlan(1, first), TablePlan(2, second))
    play(session, players=first, table=1)
    play(session, players=second, table=2)
    assert unplayed_plans(session) == []
    (shown,) = client.get(address).context["plan"]
    assert (len(shown.shown), shown.is_new) == (2, False)
    mixed, others = (*first[:2], *second[:2]), (*first[2:], *second[2:])
    plan(session, TablePlan(1, mixed), TablePlan(2, others))
    assert client.get(address).context["plan"][0].is_new
    assert turns_at(session, 1) == ()
    play(session, players=mixed, table=1, round=2)
    assert turns_at(session, 1) == ()


def test_history_shows_changed_plans(league: League, session: Session, players: list[Player]) -> None:
    first, second = "青木・石田・上野・江口", "選手5・選手6・選手7・選手8"
    plan(session, TablePlan(1, tuple(players[:4])), TablePlan(12, tuple(players[4:]), 2))
    plan(session, TablePlan(12, tuple(players[:4]), 2))
    unplan_rounds(session=session, places=[(EVERY_ROUND, 1)], by=SYSTEM)
    removed, moved, made = history_lines(league, revisions_of(league, subject="session", action="changed"))
    assert (made.what, made.name) == ("節", str(session))
    assert [[(each.label, each.before, each.after) for each in line.changes] for line in (made, moved, removed)] == [
        [("1卓の予定", "", first), ("2回戦 12卓の予定", "", second)],
        [("2回戦 12卓の予定", second, first)],
        [("1卓の予定", first, "")],
    ]
    with override("en"):
        assert history_lines(league, [league.revisions.latest("pk")])[0].changes[0].label == "Planned at table 1"


def test_entry_page_has_the_plan_and_lists_all_tables(scorer: Client, session: Session, players: list[Player]) -> None:
    address = url("enter_session", session.league, session.pk)
    assert 'id="plan"' not in scorer.get(address).content.decode()
    plan(session, TablePlan(1, tuple(players[:4])), TablePlan(2, tuple(players[4:])))
    play(session, players=players[:4], table=1)
    page = scorer.get(f"/en{address}", {"table": "2"}).content.decode()
    for shown in ('id="planned"', "no result yet", "1 hanchan entered"):
        assert shown in page
    assert 'id="planned"' not in scorer.get(address, {"table": "1"}).content.decode()


@pytest.fixture
def people(league: League) -> list[Player]:
    return make_players(league, 9)


def met(session: Session, players: list[Player]) -> dict[tuple[int, int], int]:
    """Return the number of meetings by pair of positions in the list, without pairs that never met."""
    found = season_so_far(session, [player.pk for player in players]).met
    return {(i, j): n for i, row in enumerate(found) for j, n in enumerate(row) if n and i < j}


def pairs(*table: int) -> set[tuple[int, int]]:
    return {(one, other) for one in table for other in table if one < other}


def test_only_hanchan_of_the_season_count_and_cost_three_queries(
    people: list[Player], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    league = people[0].league
    session = make_session(league)
    play(make_session(league), players=people[:4])
    play(make_session(league, date(2025, 2, 1)), players=[people[each] for each in (1, 0, 4, 5)])
    play(make_session(league, date(2024, 12, 31)), players=people[:4])
    void_hanchan(hanchan=play(make_session(league), players=people[4:8]), by=SYSTEM, reason="wrong")
    with django_assert_num_queries(3):
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
    assert (shown["figures"].met, shown["by_lot"]) == (6, "7.7")
    assert [count for _, _, count in shown["often"]] == [3, 3]
    assert shown["pairs"] == ((0, 22, 12), (1, 0, 10), (2, 0, 0), (3, 6, 4), (4, 0, 2))
    page = answer.content.decode()
    assert "Random draw, on average" in page
    assert "3 times" in page
    # Players who always started at the same wind get another one.
    assert all(counts[seat] == 0 for _, counts, seat in shown["winds"])


def test_random_draw_shows_the_same_figures(organiser: Client, people: list[Player]) -> None:
    session = make_session(people[0].league, DAY)
    play(make_session(people[0].league), players=people[:4])
    address = reverse("league:session_seats", args=[session.league.slug, session.pk])
    lot = organiser.post(address, {"people": [player.pk for player in people[:8]], "seed": 7, "do": "draw"})
    assert lot.context["evenness"]["figures"].before == (22, 6)
    assert lot.context["form"]["even"].value() is False
    assert organiser.get(address).context["form"]["even"].value() is True


def test_tables_with_an_empty_seat_have_no_figures(organiser: Client, people: list[Player]) -> None:
    session = make_session(people[0].league)
    address = reverse("league:session_seats", args=[session.league.slug, session.pk])
    seats = {f"seat_1_{seat}": people[seat].pk for seat in range(3)}
    typed = {"people": [player.pk for player in people[:4]], "seed": 7, "do": "keep", "seat_1_3": "", **seats}
    assert organiser.post(address, typed).context["evenness"] is None


FRIDAYS = [date(2025, 11, 7), date(2025, 11, 14), date(2025, 11, 21)]


def names(league: League) -> list[str]:
    return [str(session) for session in league.sessions.kept().order_by("date", "pk")]


def numbers(*sessions: Session) -> list[int | None]:
    return [Session.objects.get(pk=each.pk).number for each in sessions]


def test_sessions_are_numbered_by_date(league: League) -> None:
    for day in FRIDAYS[:0:-1]:
        make_session(league, day)
    assert (str(make_session(league, FRIDAYS[0])), names(league)) == ("第1節", ["第1節", "第2節", "第3節"])


def test_sessions_of_a_day_are_numbered_by_start_and_titles_not_at_all(league: League) -> None:
    late = make_session(league, FRIDAYS[0], start_time=time(19))
    after_midnight = make_session(league, FRIDAYS[0], start_time=time(1))
    make_session(league, FRIDAYS[0], title="夏合宿", start_time=time(18))
    early = make_session(league, FRIDAYS[0], start_time=time(13))
    assert numbers(early, late, after_midnight) == [1, 2, 3]
    change_settings(league=league, settings={"day_boundary": time(0)}, by=SYSTEM)
    assert numbers(after_midnight, early, late) == [1, 2, 3]


def test_session_without_start_time_follows_those_created_before_it(league: League) -> None:
    assert numbers(make_session(league, FRIDAYS[0], start_time=time(19)), make_session(league, FRIDAYS[0])) == [1, 2]


def test_sessions_created_together_are_numbered_by_date(league: League) -> None:
    opened = open_sessions(league=league, facts=[SessionFacts(day) for day in FRIDAYS[::-1]], by=SYSTEM)
    assert [str(each) for each in opened] == ["第3節", "第2節", "第1節"]


def test_moved_or_withdrawn_session_leaves_no_gap(league: League) -> None:
    first, second, third = (make_session(league, day) for day in FRIDAYS)
    assert str(change_session(session=first, facts=SessionFacts(date(2025, 12, 5)), by=SYSTEM)) == "第3節"
    set_session_state(session=second, state=Session.State.WITHDRAWN, by=SYSTEM)
    assert names(league) == ["第1節", "第2節"]
    set_session_state(session=Session.objects.get(pk=second.pk), state=Session.State.OPEN, by=SYSTEM)
    assert names(league) == ["第1節", "第2節", "第3節"]
    assert str(Session.objects.get(pk=third.pk)) == "第2節"


def test_manual_number_is_kept(organiser: Client, league: League) -> None:
    first, second, third = (make_session(league, day) for day in FRIDAYS)
    address = reverse("league:session_edit", args=[league.slug, second.pk])
    sent = {"date": str(second.date), "tables": "1", "ruleset_version": str(second.ruleset_version_id)}
    assert 'name="number"' in organiser.get(address).content.decode()
    assert organiser.post(address, sent | {"number": "1"}).status_code == 302
    assert names(league) == ["第2節", "第1節", "第3節"]
    revision = Revision.objects.filter(subject="session", subject_id=second.pk).latest("pk")
    assert ("number" in (revision.before or {}), (revision.after or {})["number"]) == (False, 1)
    answer = organiser.post(reverse("league:session_edit", args=[league.slug, first.pk]), sent | {"number": "1"})
    assert answer.status_code == 200
    assert "ほかの節" in answer.content.decode()
    assert 'value="1"' in answer.content.decode()
    make_session(league, date(2025, 11, 1))
    assert names(league) == ["第2節", "第3節", "第1節", "第4節"]
    organiser.post(address, sent)
    assert names(league) == ["第1節", "第2節", "第3節", "第4節"]
    change_session(session=third, facts=SessionFacts(third.date, title="杯", number=30), by=SYSTEM)
    assert Session.objects.get(pk=third.pk).number == 30
    assert names(league) == ["第1節", "第2節", "第3節", "杯"]


def test_new_session_takes_a_valid_manual_number(organiser: Client, league: League) -> None:
    first = make_session(league, FRIDAYS[0])
    address = reverse("league:session_new", args=[league.slug])
    sent = {"date": str(FRIDAYS[1]), "tables": "1", "ruleset_version": str(first.ruleset_version_id)}
    for number, status in (("1", 302), ("1", 200), ("0", 200), ("100000", 200)):
        assert organiser.post(address, sent | {"number": number}).status_code == status, number
    assert names(league) == ["第2節", "第1節"]


def test_league_file_keeps_session_numbers(league: League) -> None:
    for day, number in zip(FRIDAYS, (None, 7, None), strict=True):
        make_session(league, day, number=number)
    document = json.loads(as_text(write_league(league)))
    assert [each.get("numbered_by_date", False) for each in document["sessions"]] == [True, False, True]
    document["league"]["slug"] = "copy"
    copy = store_league(read_file(json.dumps(document).encode()), by=SYSTEM)
    assert list(copy.sessions.order_by("date").values_list("number", "number_typed")) == [
        (1, False),
        (7, True),
        (8, False),
    ]


def upload(league: League, *days: str) -> Any:
    return batch_of(league, file_of(*(game(day, "") for day in days)))


def review(client: Client, batch: Any, *, by_date: bool | None = None, **said: str) -> str:
    address = reverse("league:import_review", args=[batch.league.slug, batch.pk])
    page = client.get(address)
    chosen = said if by_date is None else {"by_date": str(int(by_date))}
    client.post(address, answers(page.context) | chosen)
    batch.refresh_from_db()
    return str(page.content.decode())


def test_import_of_the_past_asks_before_renumbering(organiser: Client, league: League) -> None:
    play(tonight := make_session(league))
    batch = upload(league, "2025-08-01", "2025-08-08")
    assert "1 → 3 (2025/11/21)" in review(organiser, batch)
    assert names(league) == ["第1節"]
    review(organiser, batch, by_date=True)
    assert names(league) == ["第1節", "第2節", "第3節"]
    assert organiser.get(reverse("league:session", args=[league.slug, tonight.pk])).status_code == 200
    result = organiser.get(reverse("league:import_result", args=[league.slug, batch.pk])).content.decode()
    assert "1 → 3 (2025/11/21)" in result
    undo_import(batch, by=SYSTEM)
    assert names(league) == ["第1節"]


@pytest.mark.merge
def test_import_of_the_past_can_keep_numbers(organiser: Client, league: League) -> None:
    play(make_session(league))
    review(organiser, upload(league, "2025-08-01", "2025-08-08"), by_date=False)
    assert names(league) == ["第2節", "第3節", "第1節"]
    make_session(league, date(2025, 12, 5))
    assert names(league) == ["第2節", "第3節", "第1節", "第4節"]
    late = upload(league, "")
    assert "by_date" not in review(organiser, late, undated_day="2025-08-04")
    assert "1 → 4 (2025/11/21)" in review(organiser, late, by_date=True)
    assert names(league) == ["第1節", "第2節", "第3節", "第4節", "第5節"]


def test_import_with_numbers_renumbers_later_sessions(organiser: Client, league: League) -> None:
    make_session(league)
    review(organiser, batch_of(league, file_of(game("2025-08-01", "1"), game("2025-08-08", "5"))), by_date=True)
    assert names(league) == ["第1節", "第5節", "第6節"]
    assert list(league.sessions.order_by("date").values_list("number_typed", flat=True)) == [True, True, False]


@pytest.mark.parametrize("day", [DAY, date(2025, 7, 4)], ids=["before a session without results", "after the last"])
def test_import_that_renumbers_nothing_played_asks_nothing(organiser: Client, league: League, day: date) -> None:
    make_session(league, day)
    assert "by_date" not in review(organiser, upload(league, "2025-08-01"))
    assert names(league) == ["第1節", "第2節"]


def test_closing_a_session_keeps_its_current_number(league: League) -> None:
    seen = Session.objects.get(pk=make_session(league, date(2025, 11, 21)).pk)
    for day in (7, 14):
        make_session(league, date(2025, 11, day))
    set_session_state(session=seen, state=Session.State.CLOSED, by=SYSTEM)
    assert list(Session.objects.order_by("date").values_list("number", flat=True)) == [1, 2, 3]
