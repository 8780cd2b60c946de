from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import Hanchan
from league.models.editions import raise_edition
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from tests.league.factories import make_session, play
from tests.tournaments.factories import by_entry, play_planned
from tests.tournaments.test_pages import PAGE, STAGE
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import changed, write_history

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def counted(tournament: Tournament, *cut: Any) -> CurrentState:
        found.append(tournament.key)
        return state_of(tournament, *cut)

    monkeypatch.setattr("tournaments.http.pages.state_of", counted)
    return found


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found, keep = list[str](), cache.set

    def counted(name: str, *rest: Any) -> None:
        found.append(name)
        keep(name, *rest)

    monkeypatch.setattr(cache, "set", counted)
    return found


@pytest.mark.long
def test_result_elsewhere_keeps_the_cached_state(client: Client, running: Tournament, derived: list[str]) -> None:
    pages = (PAGE, STAGE, f"{STAGE}?after=1", f"/l/{running.league.slug}/tournaments/", f"{PAGE}wall/")
    other = make_session(running.league)
    for page in pages:
        assert client.get(page).status_code == 200
    assert derived == [running.key]
    play(other)
    for page in pages:
        assert client.get(page).status_code == 200
    assert derived == [running.key]


CHANGES: dict[str, Callable[[Tournament], object]] = {
    "anything": lambda t: raise_edition(t.league_id),
    "a result": lambda t: void_hanchan(
        hanchan=Hanchan.objects.filter(session__stage__tournament=t)[0], by=SYSTEM, reason="x"
    ),
    "a decision": lambda t: write_history(t, t.decisions.all()[0], changed("x", "y"), SYSTEM),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_facts_recalculate_the_state(
    client: Client, running: Tournament, derived: list[str], change: Callable[[Tournament], object]
) -> None:
    assert client.get(PAGE).status_code == 200
    change(running)
    assert client.get(PAGE).status_code == 200
    assert derived == [running.key] * 2


@pytest.mark.long
def test_cached_stages_are_limited_to_played_hanchan(client: Client, running: Tournament, cached: list[str]) -> None:
    for asked in range(1, 40):
        assert client.get(f"{STAGE}?after={asked}").status_code == 200
    assert len([name for name in cached if name.startswith("kept:")]) <= 1 + 4


def test_hall_display_cache_is_limited(client: Client, running: Tournament, cached: list[str]) -> None:
    for asked in ("", "?screen=0", "?screen=7", "?screen=99&show=standings,x", "?show=y", "?show=standings,z"):
        answer = client.get(f"{PAGE}wall/{asked}")
        assert answer.content.decode().count("<section") == answer.content.decode().count(" hidden>") + 1
    # State, hall data, rotating screens, and standings alone.
    assert len(cached) == 4


@pytest.mark.long
def test_result_elsewhere_keeps_the_cached_display(client: Client, running: Tournament, cached: list[str]) -> None:
    state, other = f"{PAGE}wall/state/", make_session(running.league)
    page, known = client.get(f"{PAGE}wall/"), client.get(state)["ETag"]
    cached.clear()
    play(other)
    again = client.get(state, headers={"If-None-Match": known})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"{PAGE}wall/").content.count(b"<section") == page.content.count(b"<section") > 0
    # Hall data is read once per edition; no screen is rendered.
    assert len(cached) == 1
    with CaptureQueriesContext(connection) as asked:
        assert client.get(state, headers={"If-None-Match": again["ETag"]}).status_code == 304
    assert len(asked) == 2
    play_planned(running.sessions.order_by("pk")[1], by_entry(running))
    assert client.get(state, headers={"If-None-Match": again["ETag"]}).status_code == 200
