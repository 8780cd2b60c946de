import pytest
from django.core.cache import cache, caches
from django.test import Client, RequestFactory

from league.http import ended_links
from league.http.rate_limits import Limit, address_of
from tests.league.entry_contexts import at, link_of, typed
from tests.league.factories import make_league, make_players, make_session

pytestmark = pytest.mark.usefixtures("servers")

LIMIT = Limit("test", tries=3, seconds=60)


def test_attempts_are_counted_per_client() -> None:
    assert [LIMIT.use("aoki") for _ in range(5)] == [True, True, True, False, False]
    assert LIMIT.use("ishida")


def test_a_limit_ends() -> None:
    for _ in range(4):
        LIMIT.use("aoki")
    caches["notes"].clear()
    assert LIMIT.use("aoki")


def test_without_a_cache_everything_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_arguments: object) -> int:
        raise ValueError

    monkeypatch.setattr(caches["notes"], "incr", gone)
    assert all(LIMIT.use("aoki") for _ in range(9))


@pytest.mark.both_databases
def test_opening_pages_gives_no_more_attempts() -> None:
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
def test_an_address_is_counted_as_one_visitor(seen: str, address: str) -> None:
    assert address_of(RequestFactory().get("/", REMOTE_ADDR=seen)) == address


def test_the_address_is_the_server_s_own_word() -> None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": "192.0.2.7"}, REMOTE_ADDR="198.51.100.2")
    assert address_of(request) == "198.51.100.2"


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.both_databases
def test_guessing_codes_is_slowed_down_and_right_ones_still_open(client: Client) -> None:
    session = make_session(make_league())
    link = link_of(session)
    statuses = [client.get("/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/").status_code for _ in range(ended_links.GUESSES.tries)]
    assert set(statuses) == {404}
    busy = client.get("/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/", headers={"Accept": "application/json"})
    assert (busy.status_code, busy.json()["state"]) == (429, "busy")
    assert int(busy["Retry-After"]) > 0
    assert client.get("/en/e/1-aaaaaaaaaaaaaaaaaaaaaaaaaa/").status_code == 429
    assert client.get(at(link)).status_code == 200


@pytest.mark.django_db
@pytest.mark.both_databases
def test_results_per_link_are_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ended_links, "POSTS", Limit("few", tries=2, seconds=60))
    session = make_session(make_league(), tables=2)
    make_players(session.league)
    first, second = link_of(session, 1), link_of(session, 2)
    sent = typed(session.league)
    assert [client.post(at(first, "table_preview"), sent).status_code for _ in range(3)] == [200, 200, 429]
    late = client.post(at(first), sent | {"unsent": "1"}, headers={"Accept": "application/json"})
    assert (late.status_code, late.json()["state"]) == (429, "busy")
    assert client.get(at(first)).status_code == 200
    assert client.post(at(second, "table_preview"), sent).status_code == 200
