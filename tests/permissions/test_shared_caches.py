import pytest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import override_settings

from config.middleware import FOR_A_MOMENT
from tests.budget import varied
from tests.conftest import built_once
from tests.permissions.table import RULES, pages_for
from tests.permissions.test_hidden_names import HIDDEN_FROM_ALL, HIDDEN_FROM_VISITORS, hide, keep
from tests.permissions.world import World

pytestmark = [pytest.mark.django_db]

SHARED = {
    *("league:home", "league:glossary", "league:league_home", "league:standings_current", "league:standings"),
    *("league:standings_state", "league:hanchan", "league:sessions", "league:session"),
    *("league:players", "league:rules", "league:rules_card", "league:rules_version"),
    *("league:live_board", "league:live_session", "accounts:calendar"),
    *("stats:player", "stats:search", "stats:rating_changes", "stats:ratings", "stats:stories", "stats:story"),
    *("stats:compare", "stats:matrix", "stats:race", "stats:records", "stats:titles"),
    *("stats:site_card", "stats:story_card", "stats:league_card", "stats:board_card", "stats:session_card"),
    *("stats:hanchan_card", "stats:player_card", "tournaments:tournament_card", "tournaments:stage_card"),
    *("tournaments:index", "tournaments:tournament", "tournaments:stage", "tournaments:format", "tournaments:results"),
    *("tournaments:projector", "tournaments:overlay", "tournaments:projector_state", "tournaments:certificate"),
    *("tournaments:seating", "tournaments:odds", "tournaments:needs"),
}
"""Pages in shared caches. All other pages are personal."""

KINDS = ("everybody", "readers", "shown")


@built_once(EDGE=True)
def worlds() -> dict[str, World]:
    made = {slug: World(slug, is_public=slug == "public") for slug in ("public", "private")}
    hide(made["public"])
    keep(made["public"])
    return made


def cache_control(answer: HttpResponseBase) -> str:
    return str(answer.headers.get("Cache-Control", ""))


def is_shared(answer: HttpResponseBase) -> bool:
    return FOR_A_MOMENT in cache_control(answer)


@pytest.mark.merge
@varied("prefix", ["", "/en"])
def test_shared_pages_are_anonymous_and_without_hidden_names(worlds: dict[str, World], prefix: str) -> None:
    world, found = worlds["public"], set()
    for route in pages_for():
        if prefix and route.name in {"healthz", "metrics"}:
            continue
        answer = world.ask("anonymous", "GET", prefix + world.address(route))
        if not is_shared(answer):
            # A cache with less information must not store it.
            assert "public" not in cache_control(answer), route.name
            continue
        assert isinstance(answer, HttpResponse)
        found.add(route.name)
        assert not answer.cookies
        assert answer.headers.get("Vary") == "Accept-Encoding"
        text = answer.content.decode(errors="replace")
        assert "csrfmiddlewaretoken" not in text, route.name
        assert [name for name in (*HIDDEN_FROM_ALL, *HIDDEN_FROM_VISITORS) if name in text] == [], route.name
    assert found == SHARED


@pytest.mark.merge
@varied("person", ["player", "superuser"])
def test_pages_for_logged_in_users_are_never_shared(worlds: dict[str, World], person: str) -> None:
    world = worlds["public"]
    for route in pages_for(*KINDS):
        assert not is_shared(world.ask(person, "GET", world.address(route))), route.name


@pytest.mark.merge
@pytest.mark.parametrize("person", ["anonymous", "player"])
def test_pages_of_a_private_league_are_never_shared(worlds: dict[str, World], person: str) -> None:
    world = worlds["private"]
    for route in pages_for("readers", "shown", "secret", "code", "table"):
        answer = world.ask(person, "GET", world.address(route))
        # The 404 equals the one for a nonexistent league; see tests/door/test_hidden_leagues.py.
        is_refusal = person == "anonymous" and RULES[route.name].who in {"readers", "shown"}
        assert is_shared(answer) == is_refusal, route.name
        assert not is_refusal or answer.status_code in {302, 404}, route.name


@pytest.mark.parametrize(
    "headers",
    [{"Cookie": "csrftoken=1"}, {"Authorization": "Bearer 1"}, {"HX-Request": "true"}, {"Range": "bytes=0-1"}],
)
def test_response_to_a_personal_request_is_not_shared(worlds: dict[str, World], headers: dict[str, str]) -> None:
    assert worlds["public"].is_public
    assert is_shared(Client().get("/l/public/standings/all/"))
    assert not is_shared(Client(headers=headers).get("/l/public/standings/all/"))


def test_nothing_is_shared_without_an_edge_cache(worlds: dict[str, World]) -> None:
    assert worlds["public"].is_public
    with override_settings(EDGE=False):
        answer = Client().get("/l/public/standings/all/")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "data-live-everybodys" not in answer.content.decode()
