import random
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.core.periods import league_day
from league.models import Hanchan, Job, League, Revision, Seat, StalePeriod
from league.services import bulk, days, rescoring
from league.services.boards import Progress, StoppedError, rebuild_boards, unwatched
from league.services.calendar import change_settings
from league.services.days import move_to_new_days
from league.services.history import SYSTEM
from league.services.jobs import cancel_job, run
from league.services.results import HanchanResult
from scoring.core import FinishedGame
from tests.budget import budget
from tests.league.factories import make_league, make_players, make_session, make_user, settle
from tests.league.managing.test_manage_page import settings_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ZONES = ("Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC")
CLOCKS = (time(0, 0), time(1, 30), time(2, 15), time(6, 0), time(23, 0))
CHANGES_OF_CLOCKS = (datetime(2025, 3, 30, 1, tzinfo=UTC), datetime(2025, 11, 2, 6, tzinfo=UTC))


def play_at(league: League, moments: list[datetime]) -> list[Hanchan]:
    session = make_session(league)
    players = tuple(league.players.order_by("pk")[:4])
    result = HanchanResult(players, FinishedGame((31700, 31300, 25500, 11500)))
    rules = session.ruleset_version.read()
    places = [
        bulk.HanchanPlace(session, session.ruleset_version, rules, 1, number, moment)
        for number, moment in enumerate(moments, start=1)
    ]
    return bulk.store(league, [bulk.prepare(place, result, SYSTEM) for place in places], SYSTEM)


def moments(dice: random.Random, count: int) -> list[datetime]:
    """Return moments of a year, many of them around clock changes."""
    found = []
    for _ in range(count):
        near = dice.random() < 0.3
        first = dice.choice(CHANGES_OF_CLOCKS) if near else datetime(2025, 1, 1, tzinfo=UTC)
        found.append(first + timedelta(minutes=dice.randrange(-600, 600) if near else dice.randrange(365 * 24 * 60)))
    return found


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 4)
    return league


@pytest.fixture
def forty_hanchan(league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    monkeypatch.setattr(rescoring, "CHUNK", 10)
    monkeypatch.setattr(days, "MOVED_AT_ONCE", 39)
    play_at(league, moments(random.Random(40), 40))
    return league


def changed_to(league: League, **settings: Any) -> None:
    change_settings(league=League.objects.get(pk=league.pk), settings=settings, by=SYSTEM)
    league.refresh_from_db()


def assert_every_hanchan_has_its_day(league: League) -> None:
    zone, boundary = league.time_zone, league.day_boundary
    for played_at, *found in league.hanchan.values_list("played_at", "day", "seats__day"):
        assert found == [league_day(played_at, zone, boundary)] * 2
    assert league.hanchan.filter(seats=None).count() == 0


def boards_say(league: League) -> dict[str, int]:
    return dict(league.boards.filter(hanchan__gt=0).values_list("period", "hanchan"))


@pytest.mark.long
def test_new_days_equal_the_day_of_each_hanchan(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescoring, "CHUNK", 64)
    dice = random.Random(5)
    stored = play_at(league, moments(dice, budget(2000, least=300)))
    settle()
    facts = list(league.hanchan.order_by("pk").values("pk", "version", "played_at", "state"))
    for turn in range(budget(12, least=6)):
        revisions = Revision.objects.count()
        settings = {"time_zone": dice.choice(ZONES), "day_boundary": dice.choice(CLOCKS)}
        was_other = settings != {name: getattr(league, name) for name in settings}
        changed_to(league, **settings)
        assert_every_hanchan_has_its_day(league)
        assert Revision.objects.count() == revisions + was_other
        if turn % 3 == 0:
            settle()
            assert rebuild_boards(league, unwatched) == 0
            assert boards_say(league)["all"] == len(stored)
    assert facts == list(league.hanchan.order_by("pk").values("pk", "version", "played_at", "state"))


def test_queries_for_new_days_do_not_depend_on_the_number_of_hanchan(league: League) -> None:
    counts = []
    for size in (5, 60):
        play_at(league, moments(random.Random(size), size))
        move_to_new_days(league, unwatched)
        league.time_zone, league.day_boundary = "America/New_York", time(12, 0)
        with CaptureQueriesContext(connection) as asked:
            assert move_to_new_days(league, unwatched) >= size // 2
        counts.append(len(asked))
        league.time_zone, league.day_boundary = "Asia/Tokyo", time(6, 0)
    assert counts[0] == counts[1] <= 15


def test_moved_hanchan_mark_old_and_new_periods_stale(league: League) -> None:
    play_at(league, [datetime(2025, 12, 31, 16, tzinfo=UTC), datetime(2025, 8, 5, 3, tzinfo=UTC)])
    settle()
    assert boards_say(league) == {"2025-08": 1, "2025-12": 1, "2025": 2, "all": 2}
    league.day_boundary = time(0, 0)
    assert move_to_new_days(league, unwatched) == 1
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2025-12", "2025", "2026-01", "2026", "all"}
    league.save()
    settle()
    assert boards_say(league) == {"2025-08": 1, "2026-01": 1, "2025": 1, "2026": 1, "all": 2}
    assert move_to_new_days(league, unwatched) == 0
    assert not StalePeriod.objects.exists()


def test_job_moves_the_days_of_a_large_league_and_resumes(forty_hanchan: League) -> None:
    changed_to(forty_hanchan, time_zone="America/New_York")
    job = forty_hanchan.jobs.get(kind=Job.Kind.DAYS)

    def stop_after_twenty(progress: Progress) -> None:
        assert progress.total == 40
        if progress.done >= 20:
            raise StoppedError

    with pytest.raises(StoppedError):
        move_to_new_days(forty_hanchan, stop_after_twenty)
    first, last = list(forty_hanchan.hanchan.order_by("pk"))[:20], list(forty_hanchan.hanchan.order_by("pk"))[20:]
    assert all(each.day == forty_hanchan.day_of(each.played_at) for each in first)
    assert any(each.day != forty_hanchan.day_of(each.played_at) for each in last)
    settle()
    run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (Job.State.DONE, 40, 40)
    assert 0 < (job.result or {})["changed"] < 40
    assert_every_hanchan_has_its_day(forty_hanchan)
    settle()
    assert rebuild_boards(forty_hanchan, unwatched) == 0


def test_only_settings_of_days_wait_for_the_job(forty_hanchan: League) -> None:
    changed_to(forty_hanchan, time_zone="America/New_York")
    with pytest.raises(ValidationError):
        changed_to(forty_hanchan, day_boundary=time(0, 0))
    forty_hanchan.refresh_from_db()
    assert (forty_hanchan.time_zone, forty_hanchan.day_boundary) == ("America/New_York", time(6, 0))
    changed_to(forty_hanchan, minimum_month=3, first_month=4)
    cancel_job(forty_hanchan.jobs.get())
    changed_to(forty_hanchan, day_boundary=time(0, 0))
    run(forty_hanchan.jobs.latest("pk").pk)
    assert_every_hanchan_has_its_day(forty_hanchan)


def test_settings_page_leads_to_the_job_and_refuses_another_change(client: Client, forty_hanchan: League) -> None:
    client.force_login(make_user("ishida", league=forty_hanchan, role="owner"))
    address = reverse("league:settings", args=[forty_hanchan.slug])
    answer = client.post(address, settings_of(forty_hanchan, time_zone="America/New_York"))
    job = forty_hanchan.jobs.get()
    assert answer["Location"] == reverse("league:job", args=[forty_hanchan.slug, job.pk])
    again = client.post(address, settings_of(forty_hanchan, time_zone="Europe/Berlin"))
    assert again.status_code == 200
    assert "対局日を計算し直しています" in again.content.decode()
    forty_hanchan.refresh_from_db()
    assert forty_hanchan.time_zone == "America/New_York"
    run(job.pk)
    job.refresh_from_db()
    page = client.get(answer["Location"]).content.decode()
    assert f"{(job.result or {})['changed']}半荘の対局日が変わりました" in page


def test_new_days_leave_other_leagues_unchanged(league: League) -> None:
    other = make_league("other")
    make_players(other, 4)
    play_at(other, [datetime(2025, 12, 31, 16, tzinfo=UTC)])
    play_at(league, [datetime(2025, 12, 31, 16, tzinfo=UTC)])
    changed_to(league, day_boundary=time(0, 0))
    assert {str(seat.day) for seat in Seat.objects.filter(league=league)} == {"2026-01-01"}
    assert {str(seat.day) for seat in Seat.objects.filter(league=other)} == {"2025-12-31"}
