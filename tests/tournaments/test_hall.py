import json
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from league.models import Revision
from league.selectors.history import history_lines, revisions_of
from league.services.history import SYSTEM
from league.services.links import code_of
from tests.league.entry_contexts import link_of
from tests.league.factories import client_of, make_user, planned_players
from tests.tournaments.factories import by_entry, draw_and_plan, live_table, make_tournament, play_table
from tournaments.models import HallDisplay, StageSession, TableCall, Tournament
from tournaments.selectors.hall import hall_of
from tournaments.services import hall

pytestmark = pytest.mark.django_db

WALL = "/en/l/cinderella/t/t1/wall/"
STATE = WALL + "state/"
REMOTE = "/en/l/cinderella/t/t1/remote/"


@pytest.fixture
def session() -> StageSession:
    """The first session of a qualifying stage, due today; its table links are open."""
    return draw_and_plan(make_tournament(), "qualifying", seed=7, start=timezone.localdate())[0]


@pytest.fixture
def referee(client: Client, session: StageSession) -> Client:
    client.force_login(make_user("ueno", league=session.tournament.league, role="referee"))
    return client


def at_table(session: StageSession, table: int = 1) -> str:
    return f"/en/e/{code_of(link_of(session.session, table))}/"


def test_referee_controls_the_hall_display(referee: Client, session: StageSession) -> None:
    page = referee.get(REMOTE).content.decode()
    assert "<h1>Hall display, timer and calls</h1>" in page
    assert f'href="{WALL}" target="_blank" rel="noopener"' in page
    chosen = {"scene": "timer", "message": "Lunch until 13:00", "language": "en"}
    page = referee.post(REMOTE, chosen, follow=True).content.decode()
    assert '<span class="tag good" role="status">now: Timer</span>' in page
    assert page.index("Shown on the hall display</h2>") < page.index("Timer</h2>")
    referee.post(REMOTE, chosen)
    wall = Client().get("/l/cinderella/t/t1/wall/").content.decode()
    assert 'class="screen scene-timer"' in wall
    assert 'class="screen scene-standings"' not in wall
    assert "Lunch until 13:00" in wall
    assert '<html lang="en"' in wall
    assert 'class="screen scene-seating"' in Client().get("/l/cinderella/t/t1/wall/?view=seating").content.decode()
    told = Revision.objects.filter(league=session.tournament.league, subject="halldisplay")
    assert [dict(each.after or {})["scene"] for each in told] == ["timer"]


@pytest.mark.parametrize(
    "typed",
    [
        {"scene": "weather"},
        {"scene": "timer", "message": "x" * 81},
        {"scene": "timer", "language": "xx"},
        {},
        {"scene": "\x00", "message": "\x00"},
    ],
)
def test_refused_scene_keeps_the_message(referee: Client, session: StageSession, typed: dict[str, str]) -> None:
    answer = referee.post(REMOTE, {"message": "kept as it is", **typed})
    assert answer.status_code == 200
    assert not HallDisplay.objects.exists()
    if "message" not in typed:
        assert "kept as it is" in answer.content.decode()


def test_every_scene_loads_before_the_draw(client: Client) -> None:
    make_tournament(players=16)
    for scene in HallDisplay.Scene.values:
        assert client.get(f"{WALL}?view={scene}").status_code == 200
    assert "No timer is set." in client.get(f"{WALL}?view=timer").content.decode()


def test_hall_display_lists_tables_with_extra_time(client: Client, session: StageSession) -> None:
    tournament = session.tournament
    hall.set_timer(tournament=tournament, minutes=60, starts=True, by=SYSTEM)
    assert "given-times" not in client.get(f"{WALL}?view=timer").content.decode()
    hall.give_time(tournament=tournament, session=session.session, table=2, minutes=5, by=SYSTEM)
    hall.give_time(tournament=tournament, session=session.session, table=2, minutes=3, by=SYSTEM)
    said = " ".join(client.get(f"{WALL}?view=timer").content.decode().split())
    assert '<ul class="given-times"> <li> Table 2 <b>+8 min</b> </li> </ul>' in said
    other = StageSession.objects.exclude(pk=session.pk).order_by("pk").first()
    assert other is not None
    hall.give_time(tournament=tournament, session=other.session, table=2, minutes=1, by=SYSTEM)
    said = " ".join(client.get(f"{WALL}?view=timer").content.decode().split())
    assert said.count("Table 2 <b>") == 2
    assert "<li> Table 2" not in said


def test_timer_is_right_after_pauses_and_a_restart(session: StageSession) -> None:
    tournament = session.tournament
    hall.set_timer(tournament=tournament, minutes=60, starts=True, by=SYSTEM)
    HallDisplay.objects.update(started_at=timezone.now() - timedelta(minutes=20))
    hall.turn_timer(tournament=tournament, runs=False, by=SYSTEM)
    hall.turn_timer(tournament=tournament, runs=False, by=SYSTEM)
    told = hall_of(Tournament.objects.get(pk=tournament.pk), timezone.now() + timedelta(hours=3)).timer
    assert told is not None
    assert told.ends_at is None
    assert told.left == pytest.approx(40 * 60_000, abs=5000)
    hall.turn_timer(tournament=tournament, runs=True, by=SYSTEM)
    told = hall_of(tournament, timezone.now()).timer
    assert told is not None
    assert told.ends_at is not None
    assert told.ends_at - timezone.now() == pytest.approx(timedelta(minutes=40), abs=timedelta(seconds=5))


def test_extra_time_lasts_until_the_next_timer(referee: Client, session: StageSession) -> None:
    place = {"session": str(session.session_id), "table": "1", "act": "extra"}
    assert "Set one first" in referee.post(REMOTE + "timer/", {**place, "minutes": "3"}, follow=True).content.decode()
    referee.post(REMOTE + "timer/", {"act": "set_go", "minutes": "50"})
    assert 'name="minutes" value="50"' in referee.get(REMOTE).content.decode()
    referee.post(REMOTE + "timer/", {**place, "minutes": "3"})
    referee.post(REMOTE + "timer/", {**place, "minutes": "5"})
    told = hall_of(session.tournament, timezone.now()).timer
    assert told is not None
    assert told.ends_at is not None
    assert [told.at_table(session.session_id, table).ends_ms - told.ends_ms for table in (1, 2)] == [8 * 60_000, 0]
    assert "+8 min" in referee.get(REMOTE).content.decode()
    much = referee.post(REMOTE + "timer/", {**place, "minutes": "60"}, follow=True).content.decode()
    assert "60 extra minutes in total" in much
    referee.post(REMOTE + "timer/", {"act": "set", "minutes": "50"})
    told = hall_of(session.tournament, timezone.now()).timer
    assert told is not None
    assert (told.ends_at, told.left, told.extra) == (None, 50 * 60_000, {})


def test_timer_shows_its_end_time_without_script(client: Client, session: StageSession) -> None:
    timer = hall.set_timer(tournament=session.tournament, minutes=60, starts=True, by=SYSTEM)
    assert timer.clock is not None
    ends_at = timer.clock.ends_at()
    assert ends_at is not None
    said = timezone.localtime(ends_at, ZoneInfo(session.tournament.league.time_zone)).strftime("%H:%M")
    assert f"until {said}" in client.get(f"{WALL}?view=timer").content.decode()
    assert f"until {said}" in client.get(at_table(session)).content.decode()


@pytest.mark.long
def test_referee_call_is_listed_once_and_answered(referee: Client, session: StageSession) -> None:
    phone, table = Client(), at_table(session, 2)
    assert "Call a referee" in phone.get(table).content.decode()
    assert phone.post(f"{table}hall/").status_code == 302
    assert phone.post(f"{table}hall/").status_code == 302
    call = TableCall.objects.get()
    assert call.table == 2
    page = referee.get(REMOTE).content.decode()
    assert "Table 2" in page
    assert "called " in page
    director = client_of(make_user("ishida", league=session.tournament.league, role="organiser"))
    assert "Referee calls" in director.get("/en/l/cinderella/t/t1/inbox/").content.decode()
    assert "Referee called " in phone.get(table).content.decode()
    referee.post(f"{REMOTE}calls/{call.pk}/", {"answer": "coming"})
    assert "A referee is on the way" in phone.get(f"{table}hall/").content.decode()
    referee.post(f"{REMOTE}calls/{call.pk}/", {"answer": "done"})
    assert "Call a referee" in phone.get(f"{table}hall/").content.decode()
    assert "No table is calling" in referee.get(REMOTE).content.decode()
    call.refresh_from_db()
    assert (call.coming_name, call.done_name) == ("ueno", "ueno")
    assert hall.call_referee(tournament=session.tournament, session=session.session, table=2, by=SYSTEM).pk != call.pk
    assert hall.answer_call(call=call, done=False, by=SYSTEM).coming_name == "ueno"


def test_ready_table_is_shown_on_phone_and_hall_display(referee: Client, session: StageSession) -> None:
    place = {"session": str(session.session_id), "round": "1", "table": ["1", "2"]}
    assert "Your table is ready" not in Client().get(at_table(session)).content.decode()
    referee.post(REMOTE + "ready/", {**place, "act": "ready"})
    referee.post(REMOTE + "ready/", {**place, "act": "ready"})
    assert len(HallDisplay.objects.get().ready) == 2
    assert "Your table is ready" in Client().get(at_table(session)).content.decode()
    assert referee.get(f"{WALL}?view=seating").content.decode().count('class="ready-mark"') == 2
    referee.post(REMOTE + "ready/", {**place, "act": "back"})
    assert HallDisplay.objects.get().ready == []


def test_ready_mark_disappears_once_the_result_is_saved(client: Client, session: StageSession) -> None:
    hall.mark_ready(tournament=session.tournament, session=session.session, number=1, tables=[1], by=SYSTEM)
    play_table(session, 1, 1, by_entry(session.tournament))
    assert "Your table is ready" not in client.get(at_table(session)).content.decode()


def test_history_separates_display_timer_and_ready_tables(session: StageSession) -> None:
    tournament = session.tournament
    hall.direct_projector(tournament=tournament, wish={"message": "Lunch"}, by=SYSTEM)
    hall.set_timer(tournament=tournament, minutes=60, starts=False, by=SYSTEM)
    hall.turn_timer(tournament=tournament, runs=True, by=SYSTEM)
    hall.turn_timer(tournament=tournament, runs=False, by=SYSTEM)
    hall.give_time(tournament=tournament, session=session.session, table=1, minutes=5, by=SYSTEM)
    for ready in (True, False):
        hall.mark_ready(tournament=tournament, session=session.session, number=1, tables=[1], by=SYSTEM, ready=ready)
    with override("en"):
        lines = history_lines(tournament.league, revisions_of(tournament.league, subject="halldisplay").order_by("pk"))
        told = [(line.what, line.action) for line in lines]
    timer = [("Timer", "Created"), *[("Timer", "Changed")] * 3]
    ready_table = [("Table that is ready", "Created"), ("Table that is ready", "Withdrawn")]
    assert told == [("Hall display", "Created"), *timer, *ready_table]
    assert "started at" in {change.label for change in lines[2].changes}


def test_hall_changes_reach_the_display_with_few_queries(
    client: Client, session: StageSession, django_assert_num_queries: object
) -> None:
    def asked(tag: str) -> tuple[int, str]:
        answer = client.get(STATE, headers={"If-None-Match": tag})
        assert abs(int(answer["Tenbo-Now"]) - timezone.now().timestamp() * 1000) < 60_000
        return answer.status_code, answer["ETag"]

    tag = client.get(STATE)["ETag"]
    # Queries: the league with its edition, and today's sessions.
    with django_assert_num_queries(2):  # type: ignore[operator]
        assert asked(tag)[0] == 304
    tournament, by = session.tournament, SYSTEM
    for act in (
        lambda: hall.set_timer(tournament=tournament, minutes=60, starts=True, by=by),
        lambda: hall.turn_timer(tournament=tournament, runs=False, by=by),
        lambda: hall.mark_ready(tournament=tournament, session=session.session, number=1, tables=[1], by=by),
    ):
        act()
        status, tag = asked(tag)
        assert status == 200
        assert asked(tag)[0] == 304
    hall.call_referee(tournament=tournament, session=session.session, table=1, by=by)
    assert asked(tag)[0] == 304


def test_live_table_shows_scores_and_placements_if_it_ended_now(
    client: Client, session: StageSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [player.pk for player in planned_players(session.session, 1, 1)]
    table = live_table(players, (33000, 25000, 22000, 20000), (33000, 17000, 30000, 19000), sticks=1)
    monkeypatch.setattr("tournaments.views.projector.live_tables", lambda _sessions: {(session.session_id, 1): table})
    first = json.loads(client.get(f"{STATE}?view=tables").content)["html"].split("data-screen")[1]
    assert "South 4" in first
    assert [score for score in ("33,000", "30,000", "19,000", "17,000") if score in first] == [
        "33,000", "30,000", "19,000", "17,000",
    ]  # fmt: skip
    assert "if it ended now" in first
    assert first.index("33,000") < first.index("30,000") < first.index("19,000") < first.index("17,000")
    assert first.count('class="run run-') == 4
