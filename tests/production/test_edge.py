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
from tests.production.edges import cache, started_edge
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
    world = World("public", is_public=True)
hide(world)
keep(world)
print(json.dumps({"addresses": [world.address(route) for route in pages_for(*KINDS)], "cookies": world.cookies["player"]}))
"""


@dataclass(frozen=True)
class Place:
    """A site behind an edge cache, with the addresses of a public league and the cookies of a player."""

    port: int
    addresses: list[str]
    cookies: str

    def get(self, address: str, person: str) -> Answer:
        cookies = dict(re.findall(r"(sessionid)=(\w+)", self.cookies)) if person else {}
        assert bool(cookies) == bool(person)
        return Visitor(self.port, {"Host": HOST}, cookies).get(address)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("edge")
    redis = os.environ["REDIS_URL"]
    with (
        new_database("postgresql", folder) as database,
        started_alone(folder, database, redis, EDGE="on", PROXIES="2") as site,
        started_edge(site.port) as port,
    ):
        yield Place(port, **site.ask("-c", MADE))


def names_in(answer: Answer, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in answer.body.decode(errors="replace")]


@pytest.mark.parametrize("first", ["player", ""])
def test_edge_never_serves_a_hidden_name(place: Place, first: str) -> None:
    kept, read = 0, set()
    for address in place.addresses:
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
