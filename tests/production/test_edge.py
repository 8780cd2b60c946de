"""A real edge cache in front of a real site stores nothing but public pages."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.conftest import needs_postgresql
from tests.permissions.test_hidden_names import HIDDEN_FROM_ALL, HIDDEN_FROM_VISITORS
from tests.production.browsing import Answer, Visitor
from tests.production.compose import HOST
from tests.production.databases import new_database
from tests.production.edges import started_edge
from tests.production.stack import started_alone

pytestmark = [pytest.mark.long, needs_postgresql]


MADE = """
import json, sys
import django
django.setup()
from django.test.utils import override_settings, setup_test_environment
setup_test_environment()
from tests.permissions.table import pages_for
from tests.permissions.test_shared_caches import KINDS
from tests.permissions.test_hidden_names import hide, keep
from tests.permissions.world import World
with override_settings(SECURE_SSL_REDIRECT=False):
    worlds = {slug: World(slug, is_public=slug == "public") for slug in ("public", "private")}
hide(worlds["public"])
keep(worlds["public"])
told = {
    "addresses": {slug: [world.address(route) for route in pages_for(*KINDS)] for slug, world in worlds.items()},
    "cookies": {slug: {name: world.cookies[name] for name in ("player", "stranger")} for slug, world in worlds.items()},
}
print(json.dumps(told))
"""


@dataclass(frozen=True)
class Place:
    """A site behind an edge cache, with a public and a private league, and readers of several kinds."""

    port: int
    told: dict[str, dict[str, dict[str, str]]]

    def get(self, address: str, person: str = "", of: str = "public", **headers: str) -> Answer:
        cookies = dict(re.findall(r"(sessionid)=(\w+)", self.told["cookies"][of][person])) if person else {}
        assert bool(cookies) == bool(person)
        return Visitor(self.port, {"Host": HOST}, cookies).get(address, **headers)

    def addresses(self, of: str) -> list[str]:
        return list(self.told["addresses"][of])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("edge")
    redis = os.environ["REDIS_URL"]
    with (
        new_database("postgresql", folder) as database,
        started_alone(folder, database, redis, EDGE="on", PROXIES="2") as site,
        started_edge(site.port) as port,
    ):
        yield Place(port, site.ask("-c", MADE))


def cache(answer: Answer) -> str:
    return answer.headers.get("x-cache", "")


def names_in(answer: Answer, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in answer.body.decode(errors="replace")]


@pytest.mark.parametrize("first", ["player", ""])
def test_edge_never_serves_a_hidden_name(place: Place, first: str) -> None:
    kept, read = 0, set()
    for address in place.addresses("public"):
        if address.startswith(("/accounts/", "/join/", "/healthz")):
            continue
        # A separate URL for each order of requests; the site ignores unknown parameters.
        here = f"{address}?first={first or 'visitor'}"
        for person in (first, "" if first else "player", ""):
            answer = place.get(here, person)
            if person:
                assert cache(answer) == "PAST", here
                assert "public" not in answer.headers["cache-control"] or "png" in answer.media, here
                read |= {*names_in(answer, HIDDEN_FROM_VISITORS)}
                continue
            assert names_in(answer, (*HIDDEN_FROM_ALL, *HIDDEN_FROM_VISITORS)) == [], here
            kept += answer.status == 200 and cache(answer) == "HIT"
    assert kept > 40
    assert read >= {"石田"}


def test_edge_serves_a_private_league_to_members_only(place: Place) -> None:
    addresses = [address for address in place.addresses("private") if "/l/private/" in address]
    assert len(addresses) > 40
    read = 0
    for address in addresses:
        mine = place.get(address, "player", "private")
        assert (cache(mine), "public" in mine.headers["cache-control"]) == ("PAST", False)
        read += mine.status == 200
        nothing = place.get(address.replace("/l/private/", "/l/nothing/"))
        for answer in (place.get(address), place.get(address)):
            # Only the refusal is cached, which reveals nothing: it equals that of a league that does not exist.
            assert answer.status in {302, 404}, address
            assert answer.status == nothing.status
            assert answer.body.replace(b"/l/private/", b"/l/nothing/") == nothing.body
        stranger = place.get(address, "stranger", "private")
        assert (stranger.status, cache(stranger)) == (404, "PAST"), address
    assert read > 30
