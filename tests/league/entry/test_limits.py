from unittest.mock import Mock

import pytest
from django.core.cache import cache, caches
from django.test import Client, RequestFactory

from league.http import ended_links
from league.http.codes import GUESSES
from league.http.rate_limits import Limit, address_of
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_players, make_session

pytestmark = pytest.mark.usefixtures("servers")

LIMIT = Limit("test", tries=3, seconds=60)


def test_attempts_are_counted_per_client_until_the_limit_ends() -> None:
    assert [LIMIT.use("aoki") for _ in range(5)] == [True, True, True, False, False]
    assert LIMIT.use("ishida")
    caches["notes"].clear()
    assert LIMIT.use("aoki")


def test_broken_cache_allows_every_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches["notes"], "incr", Mock(side_effect=ValueError))
    assert all(LIMIT.use("aoki") for _ in range(9))


@pytest.mark.both_databases
def test_full_page_cache_does_not_reset_attempts() -> None:
    limit = Limit("pages", tries=1, seconds=60)
    assert [limit.use("aoki") for _ in range(2)] == [True, False]
    for number in range(1000):
        cache.set(f"page:{number}", "kept")
    assert not limit.use("aoki")


@pytest.mark.parametrize(
    ("seen", "address"),
    [
        pytest.param("192.0.2.7", "192.0.2.7", id="an address"),
        pytest.param("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", id="one subscriber, many addresses"),
        pytest.param("::ffff:192.0.2.7", "192.0.2.7", id="an old address in a new one"),
        pytest.param("", "", id="a socket without one"),
    ],
)
def test_each_address_or_ipv6_subnet_is_one_visitor(seen: str, address: str) -> None:
    assert address_of(RequestFactory().get("/", REMOTE_ADDR=seen)) == address


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.both_databases
def test_guessing_codes_is_limited_while_valid_links_still_open(client: Client) -> None:
    link = link_of(make_session(make_league()))
    assert {client.get("/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/").status_code for _ in range(GUESSES.tries)} == {404}
    busy = client.get("/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/", headers=JSON)
    assert (busy.status_code, busy.json()["state"]) == (429, "busy")
    assert int(busy["Retry-After"]) > 0
    assert client.get("/en/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/").status_code == 429
    assert client.get(at(link)).status_code == 200


@pytest.mark.django_db
@pytest.mark.both_databases
def test_number_of_requests_per_link_is_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended_links, "POSTS", Limit("few", tries=2, seconds=60))
    session = make_session(make_league(), tables=2)
    make_players(session.league)
    first, second = link_of(session, 1), link_of(session, 2)
    sent = typed(session.league)
    assert [client.post(at(first, "table_preview"), sent).status_code for _ in range(3)] == [200, 200, 429]
    late = client.post(at(first), sent | {"unsent": "1"}, headers=JSON)
    assert (late.status_code, late.json()["state"]) == (429, "busy")
    assert client.get(at(first)).status_code == 200
    assert client.post(at(second, "table_preview"), sent).status_code == 200
