import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from config.middleware import SHARED
from tests.deadlines import wait_until
from tests.production.browsing import Answer, Visitor
from tests.production.edges import Origin, cache, started_edge, started_origin

pytestmark = pytest.mark.long

BOARD = "/l/camarade/standings/all/"
SHORT = "public, max-age=0, s-maxage=1, stale-while-revalidate=1"
LONGEST = 3.1
"""Seconds until nothing is cached: max-age, stale-while-revalidate, and one because nginx counts whole seconds."""


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Origin, int]]:
    with started_origin() as (origin, inside), started_edge(inside) as port:
        yield origin, port


class Reader:
    def __init__(self, port: int, address: str) -> None:
        self.visitor = Visitor(port, {"Host": "tenbo.example"})
        self.address = address

    def get(self, address: str = "", **headers: str) -> Answer:
        self.visitor.cookies.clear()
        said = {name.replace("_", "-"): headers[name] for name in headers}
        answer = self.visitor.get(address or self.address, **said)
        return answer if answer.status else self.visitor.get(address or self.address, **said)


@pytest.fixture
def origin(both: tuple[Origin, int]) -> Iterator[Origin]:
    both[0].asked.clear()
    yield both[0]
    both[0].slow = 0


@pytest.fixture
def reader(both: tuple[Origin, int], request: pytest.FixtureRequest) -> Reader:
    return Reader(both[1], f"{BOARD}?{request.node.name.encode().hex()}")


def test_shared_page_is_requested_once(origin: Origin, reader: Reader) -> None:
    origin.say("first", Cache_Control=SHARED, ETag='W/"1"')
    assert (cache(reader.get()), cache(reader.get())) == ("MISS", "HIT")
    for known in ('W/"1"', '"1"'):
        again = reader.get(If_None_Match=known)
        assert (again.status, again.body, cache(again)) == (304, b"", "HIT")
    assert reader.get(If_None_Match='"2"').body == b"first"
    assert len(origin.asked) == 1


def test_edge_hides_shared_cache_lifetimes_from_browsers(origin: Origin, reader: Reader) -> None:
    origin.say("first", Cache_Control=SHARED)
    assert [reader.get().headers["cache-control"] for _ in range(2)] == ["public, max-age=0"] * 2
    for said in ("private, no-cache", "public, max-age=31536000, immutable, s-maxage=2"):
        origin.say("first", Cache_Control=said)
        assert reader.get(f"{reader.address}{said[:6]}").headers["cache-control"] == said
    origin.say("mine", Cache_Control="private, no-store")
    assert reader.get(Cookie="sessionid=a").headers["cache-control"] == "private, no-store"


def test_edge_forwards_no_personal_headers(origin: Origin, reader: Reader) -> None:
    origin.say("first", Cache_Control=SHARED)
    # This page does not depend on the form's token.
    reader.get(If_None_Match='"1"', Cookie="csrftoken=a; tenbo-theme=dark", Accept_Encoding="br")
    (heard,) = origin.asked
    assert not {"cookie", "authorization", "if-none-match", "hx-request", "range"} & {*heard}
    assert heard["accept-encoding"] == "gzip"
    assert heard["x-forwarded-proto"] == "https"
    assert cache(reader.get()) == "HIT"


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": "sessionid=a"}, {"Cookie": "csrftoken=a; sessionid=b"}, {"Cookie": "csrftoken=a;b=sessionid"},
        {"Cookie": "known=1"}, {"Authorization": "Basic a"}, {"HX_Request": "true"},
    ],
)  # fmt: skip
def test_request_with_credentials_passes_the_cache(origin: Origin, reader: Reader, headers: dict[str, str]) -> None:
    origin.say("mine", Cache_Control="private, no-cache", ETag='"mine"')
    assert cache(reader.get(**headers)) == "PAST"
    (heard,) = origin.asked
    assert all(heard[name.lower().replace("_", "-")] == value for name, value in headers.items())
    # With their own tag they have their own 304.
    assert reader.get(**headers, If_None_Match='"mine"').status == 304
    origin.say("everybody's", Cache_Control=SHARED)
    assert reader.get().body == b"everybody's"
    origin.say("mine", Cache_Control="private, no-cache")
    assert reader.get(**headers).body == b"mine"
    assert reader.get().body == b"everybody's"


@pytest.mark.parametrize(
    ("said", "headers"),
    [
        ("private, no-cache", {}), ("private, no-store", {}), ("no-store", {}), ("", {}),
        (SHARED, {"Set-Cookie": "csrftoken=1; Path=/"}), (SHARED.replace("public", "private"), {}),
    ],
)  # fmt: skip
def test_only_shared_pages_are_cached(origin: Origin, reader: Reader, said: str, headers: dict[str, str]) -> None:
    origin.say("secret")
    origin.headers = headers | ({"Cache-Control": said} if said else {})
    assert [cache(reader.get()) for _ in range(3)] == ["MISS"] * 3
    assert len(origin.asked) == 3


@pytest.mark.parametrize(
    "address",
    [
        "/e/code/", "/en/e/code/", "/live/secret/all.csv", "/a/code/", "/accounts/login/", "/admin/", "/me/", "/account/",
        "/calendar/secret/all.ics", "/join/code/", "/register/code/", "/l/camarade/manage/", "/l/camarade/enter/",
        "/l/camarade/t/cup/register/", "/sw.js", "/healthz", "/metrics",
    ],
)  # fmt: skip
def test_secret_addresses_and_forms_bypass_the_cache(origin: Origin, reader: Reader, address: str) -> None:
    origin.say("secret", Cache_Control=SHARED)
    assert [cache(reader.get(address)) for _ in range(2)] == ["PAST"] * 2


def test_cached_page_is_never_too_old_while_the_site_responds(origin: Origin, reader: Reader) -> None:
    origin.say("first", Cache_Control=SHORT)
    assert cache(reader.get()) == "MISS"
    origin.say("second", Cache_Control=SHORT)
    # nginx counts whole seconds. Requests meanwhile do not wait.
    assert wait_until(lambda: cache(reader.get()) != "HIT")
    assert wait_until(lambda: reader.get().body == b"second")
    time.sleep(LONGEST)
    origin.say("third", Cache_Control=SHORT)
    assert reader.get().body == b"third"


def test_private_page_disappears_even_while_the_site_is_down(origin: Origin, reader: Reader) -> None:
    origin.say("once public", Cache_Control=SHORT)
    assert reader.get().status == 200
    origin.say("", 302, Cache_Control=SHORT)
    assert wait_until(lambda: reader.get().status == 302)
    origin.say("away", 503, Cache_Control="no-store")
    time.sleep(LONGEST)
    answer = reader.get()
    assert (answer.status, cache(answer)) == (302, "STALE")
    assert all(reader.get().body != b"once public" for _ in range(3))


def test_stale_page_is_shown_while_the_site_is_down(origin: Origin, reader: Reader) -> None:
    state = reader.address.replace("?", "state/?")
    origin.say("first", Cache_Control=SHORT)
    assert {reader.get(address).status for address in ("", state)} == {200}
    origin.say("away", 503, Cache_Control="no-store")
    time.sleep(LONGEST)
    kept = reader.get()
    assert (kept.body, cache(kept)) == (b"first", "STALE")
    assert reader.get(state).status == 503


@pytest.mark.parametrize("idle", [0, 4.5, 9, 13])
def test_parallel_requests_for_an_expired_page_reach_the_site_once(origin: Origin, reader: Reader, idle: float) -> None:
    origin.say("first", Cache_Control=SHARED)
    assert reader.get().body == b"first"
    origin.say("second", Cache_Control=SHARED)
    origin.slow = 1.5
    time.sleep(idle)
    with ThreadPoolExecutor(40) as pool:
        assert {answer.body for answer in pool.map(lambda _: reader.get(), range(200))} <= {b"first", b"second"}
    # The next request gets the new page, as with pages that were served stale.
    assert wait_until(lambda: reader.get().body == b"second", 5)
    assert len(origin.asked) == 2


def test_edge_sends_the_current_time(origin: Origin, reader: Reader) -> None:
    origin.say("first", Cache_Control=SHARED, Tenbo_Now="1")
    for _ in range(2):
        assert abs(int(reader.get().headers["tenbo-now"]) / 1000 - time.time()) < 2
    origin.say("first", Cache_Control=SHARED)
    assert "tenbo-now" not in reader.get(f"{reader.address}2").headers


def test_edge_explains_that_the_site_is_down() -> None:
    with started_edge(1) as port:
        answer = Reader(port, BOARD).get()
        assert (answer.status, answer.headers["retry-after"]) == (503, "5")
        assert "ただいま応答できません" in answer.text
        # The phone's script reads the response.
        told = Reader(port, "/e/code/").get(Accept="application/json")
        assert (told.status, json.loads(told.text)) == (503, {"state": "away", "message": ""})
        assert Reader(port, "/e/code/").get().status == 503
