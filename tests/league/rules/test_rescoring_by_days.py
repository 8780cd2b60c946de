from datetime import UTC, date, datetime
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.core.periods import ALL_TIME
from league.models import Hanchan, Job, League, Revision, RulesetVersion, Standing
from league.selectors.impact import impact_of
from league.selectors.rulebook import rules_by_day, version_lines
from league.services.history import SYSTEM
from league.services.jobs import run
from league.services.rules import make_current
from league.tables.board_page import basis
from tests.league.entry_contexts import url
from tests.league.factories import make_league, make_players, make_session, next_version, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

APRIL, MAY, JUNE = date(2026, 4, 20), date(2026, 5, 1), date(2026, 6, 5)
CHANGED = {"oka": "0"}


@pytest.fixture
def league() -> League:
    league = make_league()
    players = make_players(league, 4)
    for day in (APRIL, MAY, JUNE):
        at = datetime(day.year, day.month, day.day, 3, tzinfo=UTC)
        play(make_session(league, day), (35000, 30000, 20000, 15000), players, played_at=at)
    settle()
    return league


def current(league: League) -> RulesetVersion:
    league.refresh_from_db()
    assert league.current_version is not None
    return league.current_version


def versions(league: League) -> list[int]:
    return list(Hanchan.objects.filter(league=league).order_by("day").values_list("ruleset_version__number", flat=True))


def send(client: Client, league: League, name: str, version: RulesetVersion, **sent: str) -> Any:
    answer = client.post(url(name, league, version.pk), sent, follow=True)
    for job in Job.objects.filter(state="waiting"):
        run(job.pk)
    settle()
    return answer


def text_of(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def test_rescoring_from_a_day_leaves_earlier_hanchan(league: League, organiser: Client) -> None:
    version = next_version(league, **CHANGED)
    send(organiser, league, "rules_rescore", version, which="since", first="2026-05-01", last="")
    assert versions(league) == [1, 2, 2]
    assert list(league.sessions.order_by("date").values_list("ruleset_version__number", flat=True)) == [1, 2, 2]
    assert Job.objects.get().parameters == {"version": version.pk, "first": "2026-05-01"}
    said = set(Revision.objects.filter(action="rescored").values_list("reason", flat=True))
    assert said == {f"{version} (2026-05-01 –)"}
    assert Standing.objects.get(period="2026-04", rank=1).total != Standing.objects.get(period="2026-05", rank=1).total
    assert Standing.objects.get(period="2026-06", rank=1).total == Standing.objects.get(period="2026-05", rank=1).total


def test_rescoring_a_span_of_days_can_be_reversed(league: League, organiser: Client) -> None:
    first, version = current(league), next_version(league, **CHANGED)
    before = list(Standing.objects.order_by("pk").values_list("period", "player", "total"))
    send(organiser, league, "rules_rescore", version, which="since", first="2026-05-01", last="2026-05-31")
    assert versions(league) == [1, 2, 1]
    send(organiser, league, "rules_rescore", first, which="since", first="2026-05-01", last="2026-05-31")
    assert versions(league) == [1, 1, 1]
    assert list(Standing.objects.order_by("pk").values_list("period", "player", "total")) == before


@pytest.mark.parametrize(("state", "left"), [("open", 1), ("closed", 2)])
def test_session_being_played_keeps_its_rules(league: League, organiser: Client, state: str, left: int) -> None:
    today = make_session(league, league.day_of(timezone.now()))
    play(today, (35000, 30000, 20000, 15000), list(league.players.all())[:4])
    league.sessions.filter(pk=today.pk).update(state=state)
    first, version = current(league), next_version(league, oka="0")
    make_current(league=league, version=version, by=SYSTEM)
    answer = send(organiser, league, "rules_rescore", version)
    assert organiser.get(url("rules_version", league, first.pk)).context["is_ahead"] == (state == "open")
    assert organiser.get(url("manage", league)).context["tonight"] == (today if state == "open" else None)
    rules, settings = (text_of(organiser.get(f"/en{url(name, league)}")) for name in ("rules", "settings"))
    assert "applied to 3 hanchan, Mon 20 Apr 2026 to Fri 5 Jun 2026" in rules or state == "closed"
    assert "Rescore earlier hanchan" not in rules
    home = text_of(organiser.get(f"/en{url('league_home', league)}"))
    assert ("from the next session" in home) == (state == "open"), "those of a closed session are rescored"
    assert ('data-phase="over"' in home) == (state == "closed")
    old = text_of(organiser.get(f"/en{url('rules_version', league, first.pk)}"))
    assert ("in use today" in old) == (state == "open")
    assert '<br><span class="soft small"> saved ' in old
    assert ("v1, from the next session: " in settings) == (state == "open")
    counted = dict(basis(league, ALL_TIME))["集計するポイント"].split(" / ")
    whose = [each.partition(" (")[2] for each in counted]
    assert whose == ([f"{version})", f"{first})"] if state == "open" else [""])
    assert (versions(league)[-1], "半荘を計算し直しました。" in text_of(answer)) == (left, False)
    assert "半荘を計算し直しました。" in text_of(organiser.get(answer.redirect_chain[-1][0]))


def test_preview_covers_the_chosen_days_and_passes_them_on(league: League, organiser: Client) -> None:
    version = next_version(league, **CHANGED)
    send(organiser, league, "rules_impact", version, which="since", first="2026-05-01", last="2026-05-31")
    job = Job.objects.get()
    found = impact_of(job)
    assert found is not None
    assert (found["hanchan"], found["changed"]) == (1, 1)
    # The month, the year, and all time.
    assert found["boards"] == 3
    assert 'name="first" value="2026-05-01"' in organiser.get(url("job", league, job.pk)).content.decode()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({"which": "since", "first": ""}, id="no day"),
        pytest.param({"which": "since", "first": "yesterday"}, id="no date"),
        pytest.param({"which": "since", "first": "2026-05-01", "last": "2026-04-01"}, id="backwards"),
        pytest.param({"which": "some"}, id="no choice"),
        pytest.param({"which": "all", "first": "2026-05-02"}, id="a day and all"),
    ],
)
def test_invalid_span_of_days_is_refused_and_kept(league: League, organiser: Client, sent: dict[str, str]) -> None:
    answer = organiser.post(url("rules_rescore", league, next_version(league, **CHANGED).pk), sent)
    assert answer.status_code == 200
    assert answer.context["rescoring"].errors
    assert not Job.objects.exists()
    assert versions(league) == [1, 1, 1]
    assert answer.context["rescoring"]["first"].value() == sent.get("first")


def test_first_day_of_the_month_is_suggested(league: League, organiser: Client) -> None:
    page = organiser.get(url("rules_version", league, next_version(league, **CHANGED).pk))
    assert page.context["rescoring"]["first"].value() == league.day_of(timezone.now()).replace(day=1)
    assert page.context["rescoring"]["which"].value() == "all"


def test_rules_page_lists_the_days_of_each_version(league: League, organiser: Client) -> None:
    first, version = current(league), next_version(league, **CHANGED)
    make_current(league=league, version=version, by=SYSTEM)
    assert 'id="rules-by-day"' in text_of(organiser.get(url("rules", league)))
    assert held(league) == [(version, None, None), (first, APRIL, JUNE)]
    send(organiser, league, "rules_rescore", version, which="since", first="2026-05-01")
    assert held(league) == [(version, MAY, JUNE), (first, APRIL, APRIL)]


def held(league: League) -> list[tuple[RulesetVersion, date | None, date | None]]:
    league.refresh_from_db()
    return [(line["version"], line["first"], line["last"]) for line in rules_by_day(version_lines(league))]


def test_days_of_all_versions_cost_two_queries(league: League) -> None:
    next_version(league, **CHANGED)
    with CaptureQueriesContext(connection) as asked:
        version_lines(league)
    assert len(asked) == 2


@pytest.mark.parametrize(("name", "kind"), [("rules_rescore", "rescore"), ("rules_impact", "impact")])
def test_request_during_another_job_is_not_started(league: League, organiser: Client, name: str, kind: str) -> None:
    version = next_version(league, **CHANGED)
    running = Job.objects.create(league=league, kind=kind, parameters={"version": version.pk, "first": "2026-06-01"})
    sent = {"which": "since", "first": "2026-05-01", "last": ""}
    answer = organiser.post(url(name, league, version.pk), sent, follow=True)
    assert answer.redirect_chain[-1][0] == url("rules_version", league, version.pk)
    assert "始めていません。終わってからもう一度行ってください。" in text_of(answer)
    assert f'<a href="{url("job", league, running.pk)}">' in answer.content.decode()
    assert [*Job.objects.all()] == [running]
    # A repeated request leads to its own job.
    answer = organiser.post(url(name, league, version.pk), sent | {"first": "2026-06-01"}, follow=True)
    assert answer.redirect_chain[-1][0] == url("job", league, running.pk)
    assert "すでに実行中です。" in text_of(answer)
