from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.models import Job, SignOfLife, StalePeriod, TableLink
from league.tasks import note_jobs_worker, sweep_stale_periods
from tests.league.entry_contexts import link_of
from tests.league.factories import client_of, make_league, make_session, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TOKEN = "a token that is long enough for a scraper"


@pytest.fixture
def host() -> Client:
    return client_of(make_user("host", is_superuser=True, is_staff=True))


def test_host_page_is_only_for_superusers(host: Client) -> None:
    assert Client().get("/host/").status_code == 302
    other = client_of(make_user("owner", league=make_league(), role="owner", is_staff=True))
    assert other.get("/host/").status_code == 404
    assert '<a href="/host/">' not in other.get("/").content.decode()
    assert '<a href="/host/">' in host.get("/").content.decode()
    assert "no-store" in host.get("/host/")["Cache-Control"]


@pytest.mark.parametrize(
    ("prefix", "words"), [("", ("バックアップ未作成", "ワーカーの最後の稼働")), ("/en", ("no backup yet", "never"))]
)
def test_host_page_of_new_site_tells_what_is_missing(host: Client, prefix: str, words: tuple[str, str]) -> None:
    page = host.get(f"{prefix}/host/").content.decode()
    assert all(word in page for word in words)
    for name in ("Tenbo", "Django", "Python"):
        assert f"<dt>{name}</dt>" in page


def test_overdue_work_is_marked(host: Client) -> None:
    league, long_ago = make_league(), timezone.now() - timedelta(hours=2)
    StalePeriod.objects.create(league=league, period="2025-11")
    StalePeriod.objects.update(marked_at=long_ago)
    Job.objects.create(league=league, kind=Job.Kind.REBUILD)
    Job.objects.update(created_at=long_ago)
    Job.objects.create(league=league, kind=Job.Kind.IMPORT, state=Job.State.RUNNING, moved_at=long_ago)
    SignOfLife.objects.create(name="boards", seen_at=timezone.now())
    page = host.get("/en/host/").content.decode()
    assert page.count(">late<") == 3
    assert page.count(">not responding<") == 1
    assert "1 has made no progress for ten minutes" in " ".join(page.split())


def test_workers_record_that_they_are_alive(settings: Any) -> None:
    settings.REDIS_URL = "redis://unused.example/0"
    sweep_stale_periods()
    note_jobs_worker()
    seen = dict(SignOfLife.objects.values_list("name", "seen_at"))
    assert set(seen) == {"boards", "jobs"}
    sweep_stale_periods()
    assert SignOfLife.objects.get(name="boards").seen_at > seen["boards"]
    assert set(site.CELERY_TASK_QUEUES) == {"boards", "jobs"}


def test_too_many_proxies_are_reported(host: Client, settings: Any) -> None:
    through_one = {"X-Forwarded-For": "192.0.2.1"}
    assert "PROXIES" not in host.get("/host/").content.decode()
    assert "PROXIES" in host.get("/host/", headers=through_one).content.decode()
    settings.PROXIES = 1
    assert "PROXIES" not in host.get("/host/", headers=through_one).content.decode()
    through_two = {"X-Forwarded-For": "192.0.2.1, 10.0.0.2"}
    page = host.get("/en/host/", headers=through_two).content.decode()
    assert "PROXIES is 1" in page
    assert "passed 2 proxies" in page
    settings.PROXIES = 2
    assert "PROXIES" not in host.get("/en/host/", headers=through_two).content.decode()


def test_host_page_shows_while_an_old_key_is_needed(host: Client, settings: Any) -> None:
    link_of(make_session(make_league(), timezone.localdate()))
    said = "Table links printed with it"
    assert said not in host.get("/en/host/").content.decode()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key that is long enough too"
    # The session that asks was signed with the old key.
    assert said in host.get("/en/host/").content.decode()
    TableLink.objects.update(revoked_at=timezone.now())
    assert said not in host.get("/en/host/").content.decode()


@pytest.mark.parametrize(
    "brought", ["", "Bearer", "Bearer nonsense", f"Basic {TOKEN}", f"Bearer {TOKEN[:-1]}", "Bearer ü"]
)
def test_metrics_require_a_valid_token(settings: Any, brought: str) -> None:
    headers = {"Authorization": brought} if brought else {}
    assert settings.METRICS_TOKENS == []
    assert Client().get("/metrics", headers=headers).status_code == 404
    settings.METRICS_TOKENS = [TOKEN]
    answer = Client().get("/metrics", headers=headers)
    assert answer.status_code == 401
    assert answer.content == b""


def test_metrics_report_ages_and_sizes(settings: Any) -> None:
    settings.METRICS_TOKENS = ["another token, for the one before it", TOKEN]
    league = make_league()
    StalePeriod.objects.create(league=league, period="2025-11")
    StalePeriod.objects.create(league=league, period="2025-11", players=[1])
    StalePeriod.objects.update(marked_at=timezone.now() - timedelta(seconds=90))
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = answer.content.decode().splitlines()
    told = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}
    assert told["tenbo_stale_boards"] == 1
    assert 90 <= told["tenbo_oldest_stale_board_seconds"] < 150
    assert "tenbo_oldest_waiting_job_seconds" not in told
    assert "tenbo_backup_age_seconds" not in told
    assert told["tenbo_database_bytes"] > 0
    assert told["tenbo_migrations_pending"] == 0
    assert 0 < told["tenbo_disk_free_bytes"] <= told["tenbo_disk_total_bytes"]
    (build,) = [name for name in told if name.startswith("tenbo_build_info")]
    assert 'django="5.2' in build
    assert User.objects.count() == 0
