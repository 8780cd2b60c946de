import re
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.services.history import SYSTEM
from league.services.ownership import change_address
from tests.conftest import built_once
from tests.league.factories import client_of, make_league, make_session, make_user, play, settle
from tests.permissions.routes import Route, all_routes

pytestmark = pytest.mark.django_db


ROUTES_OF_LEAGUES = [route for route in all_routes() if "slug" in route.takes]
VALUES = {"scope": "all", "key": "camarade", "period": "2025-11"}


def address(route: Route, slug: str) -> str:
    return reverse(route.name, kwargs={name: VALUES.get(name, "1") for name in route.takes} | {"slug": slug})


JSON = {"Accept": "application/json"}
ASKED: tuple[tuple[str, dict[str, str]], ...] = (("get", {}), ("get", JSON), ("post", {}), ("post", JSON), ("head", {}))

NEW = {"Content-Length", "Expires"}
"""Headers that depend only on the URL and the current time."""


def told(client: Client, method: str, path: str, slug: str, **headers: str) -> tuple[Any, ...]:
    answer = getattr(client, method)(path, headers=headers)
    body = re.sub(r'(csrfmiddlewaretoken" value=")\w+|mark\w{40,}', "", answer.content.decode()).replace(slug, "…")
    facts = {name: value.replace(slug, "…") for name, value in answer.headers.items() if name not in NEW}
    return answer.status_code, facts, sorted(answer.cookies), body


@built_once()
def stranger() -> Client:
    play(make_session(make_league("closed", is_public=False)))
    settle()
    return client_of(make_user("stranger"))


@pytest.mark.parametrize("route", [pytest.param(route, id=route.name) for route in ROUTES_OF_LEAGUES])
def test_private_league_answers_like_an_unknown_one(route: Route, stranger: Client) -> None:
    for client, (method, headers) in product((Client(), stranger), ASKED):
        here, nowhere = (told(client, method, address(route, slug), slug, **headers) for slug in ("closed", "nowhere"))
        assert here == nowhere, (method, headers)


@pytest.mark.parametrize("person", ["visitor", "stranger"])
def test_private_and_unknown_leagues_cost_the_same_queries(person: str, stranger: Client) -> None:
    client = stranger if person == "stranger" else Client()
    counts = []
    for slug in ("closed", "nowhere"):
        with CaptureQueriesContext(connection) as asked:
            client.get(f"/l/{slug}/players/")
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_former_address_of_a_private_league_reveals_nothing(stranger: Client) -> None:
    change_address(league=make_league("before", is_public=False), slug="after", by=SYSTEM)
    for client in (Client(), stranger):
        assert told(client, "get", "/l/before/", "before") == told(client, "get", "/l/nowhere/", "nowhere")
