import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from league.selectors.entry import open_sessions
from league.selectors.overview import coming_sessions, league_cards
from league.services.history import SYSTEM
from tests.tournaments.factories import (
    START,
    by_entry,
    director,
    draw_and_plan,
    make_tournament,
    planned_tables,
    play_planned,
    play_table,
)
from tournaments.models import StageSession
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.seating import session_seatings
from tournaments.selectors.stage_views import sessions_of
from tournaments.selectors.state import state_of
from tournaments.services.planning import postpone_table

pytestmark = pytest.mark.django_db

NOON = datetime(START.year, START.month, START.day, 3, 0, tzinfo=UTC)
"""Twelve o'clock in Tokyo on the day of the first session."""

PHASE = re.compile(r'<span class="tag [a-z]*" data-phase="([a-z]+)">')


@pytest.fixture
def stage_sessions() -> Iterator[list[StageSession]]:
    """The sessions of a two-block qualifying stage, a week apart; it is noon on the first day."""
    with time_machine.travel(NOON, tick=False):
        yield draw_and_plan(make_tournament(), "qualifying")


@pytest.mark.parametrize("name", ["stage", "seating", "inbox"])
def test_pages_show_current_planned_and_postponed_sessions(
    client: Client, stage_sessions: list[StageSession], name: str
) -> None:
    first = stage_sessions[0]
    client.force_login(director(first.tournament.league))
    later = START + timedelta(weeks=6)
    postpone_table(stage_session=first, table=2, to=later, start_time=time(18, 30), reason="snow", by=SYSTEM)
    more = ["qualifying"] if name == "stage" else []
    address = reverse(f"tournaments:{name}", args=["cinderella", first.tournament.key, *more])
    page = client.get(address).content.decode()
    assert sorted(PHASE.findall(page)) == ["planned"] * 3 + ["postponed", "tonight"]
    assert "2025/05/16(金) 18:30" in page
    assert "(2025/04/04(金)から延期)" in page


def test_session_is_over_after_its_last_planned_hanchan(stage_sessions: list[StageSession]) -> None:
    first = stage_sessions[0]
    play_planned(first, by_entry(first.tournament))
    assert tournament_phases(state_of(first.tournament), NOON)[first.session_id] == "over"


def test_session_and_league_pages_show_when_a_session_is_over(
    client: Client, stage_sessions: list[StageSession]
) -> None:
    first = stage_sessions[0]
    league = first.tournament.league

    def phase() -> list[str]:
        return PHASE.findall(
            client.get(reverse("league:session", args=[league.slug, first.session_id])).content.decode()
        )

    def is_live() -> bool:
        [card] = league_cards(AnonymousUser(), NOON)
        return card.is_live

    strength = by_entry(first.tournament)
    play_table(first, 1, 1, strength)
    assert (phase(), is_live()) == (["running"], True)
    for number, table in planned_tables(first)[1:]:
        play_table(first, table, number, strength)
    assert (phase(), is_live()) == (["over"], False)


def test_player_search_shows_the_date_and_time(client: Client, stage_sessions: list[StageSession]) -> None:
    for each in stage_sessions:
        each.session.start_time = time(19, 0)
        each.session.save()
    tournament = stage_sessions[0].tournament
    address = reverse("tournaments:seating", args=["cinderella", tournament.key])
    page = client.get(address, {"q": "青木"}).content.decode()
    assert re.search(r'<li data-keys="[^"]*" data-player="\d+">青木[^<]*2025/04/\d\d\(金\) 19:00', page)


@pytest.mark.parametrize("name", ["stage", "seating", "projector", "projector_state"])
def test_cached_pages_expire_when_the_phase_changes(
    client: Client, stage_sessions: list[StageSession], name: str
) -> None:
    first = stage_sessions[0]
    first.session.start_time = time(19, 0)
    first.session.save()
    tournament = first.tournament
    address = reverse(
        f"tournaments:{name}", args=["cinderella", tournament.key, *(["qualifying"] if name == "stage" else [])]
    )
    tag = client.get(address)["ETag"]
    for hours, status in ((6, 304), (7, 200), (24, 200)):
        with time_machine.travel(NOON + timedelta(hours=hours), tick=False):
            answer = client.get(address, headers={"If-None-Match": tag})
            assert answer.status_code == status, hours
            tag = answer["ETag"]


def test_hall_display_shows_the_start_of_its_tables(client: Client, stage_sessions: list[StageSession]) -> None:
    tournament = stage_sessions[0].tournament
    stage_sessions[0].session.start_time = time(10, 30)
    stage_sessions[0].session.save()
    address = reverse("tournaments:projector", args=["cinderella", tournament.key])
    page = client.get(address, {"show": "seating"}).content.decode()
    assert PHASE.findall(page)[0] == "running"
    assert "2025/04/04(金) 10:30" in page


def test_session_after_midnight_follows_the_evening_sessions() -> None:
    tournament = make_tournament()
    sessions = draw_and_plan(tournament, "qualifying")
    for each, clock in zip(sessions, (time(22, 0), time(0, 30), time(6, 0), time(5, 59)), strict=True):
        each.session.date, each.session.start_time = START, clock
        each.session.save()
    order = [sessions[number].session_id for number in (2, 0, 1, 3)]
    current = state_of(tournament)
    assert [each.stage_session.session_id for each in session_seatings(current)] == order
    assert [each.session_id for each in sessions_of(current, "qualifying")] == order
    with time_machine.travel(NOON, tick=False):
        league = tournament.league
        assert [each.pk for each in open_sessions(league, START).tonight] == order
        assert [each.pk for each in open_sessions(league, START - timedelta(days=1)).ahead] == order
        assert [each.pk for each, _ in coming_sessions(league, NOON)] == order
