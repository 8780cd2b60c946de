import random
from urllib.parse import quote, urlencode

import pytest

from tests.fuzz.inputs import WORDS, numbered, sendable
from tests.permissions.routes import Route, all_routes
from tests.permissions.table import read_table
from tests.permissions.world import PEOPLE, World

pytestmark = pytest.mark.django_db

ROUTES = [route for route in all_routes() if route.name in read_table()]
METHODS = ("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS")

ASKED = (
    "ledger", "year", "page", "subject", "action", "into", "raw_0", "sticks_left", "player", "sort", "view", "q", "from",
    "to", "table", "stage", "seats", "held", "again", "device", "said", "draw", "next", "names", "format", "seed", "round",
    "as", "since", "language", "min", "block", "group",
)  # fmt: skip


@pytest.mark.long
def test_unissued_addresses_lead_nowhere(world: World) -> None:
    for number, dice in numbered("addresses"):
        address, person, method = wild(world, dice), dice.choice(PEOPLE), dice.choice(METHODS)
        assert world.ask(person, method, address).status_code < 500, (number, person, method, address)


def wild(world: World, dice: random.Random) -> str:
    route: Route = dice.choice(ROUTES)
    parts = world.address(route).split("/")
    for place in range(1, len(parts) - 1):
        if dice.random() < 0.15:
            parts[place] = quote(sendable(dice.choice(WORDS))[:500], safe="")
    query = {dice.choice(ASKED): sendable(dice.choice(WORDS))[:1000] for _ in range(dice.choice((0, 1, 3, 8)))}
    return dice.choice(("", "", "/en")) + "/".join(parts) + (f"?{urlencode(query)}" if query else "")
