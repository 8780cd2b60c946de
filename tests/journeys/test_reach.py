"""Every page is reached by links from the first page, and no link leads to a refusal."""

from collections.abc import Iterator
from datetime import date

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver

from tests.conftest import Once
from tests.journeys.crawl import Crawl, crawl
from tests.league.factories import make_user, run

TODAY = date(2026, 11, 21)

PEOPLE = ("anonymous", "outsider", "eguchi", "ueno", "ishida", "aoki", "admin")
"""Nobody, somebody without a league, then a player, a scorer, an organiser, an owner and the administrator."""


@pytest.fixture(scope="module")
def demo(once: Once) -> Iterator[str]:
    """The demonstration, loaded once."""
    with override_settings(DEMO=True), once(lambda: run("load_demo", today=TODAY)) as told:
        yield told


@pytest.fixture(scope="module")
def crawls(demo: str) -> dict[str, Crawl]:
    """What was reached so far, by who."""
    return {}


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


def reached(person: str, crawls: dict[str, Crawl]) -> Crawl:
    """Return what somebody reaches, looked up once."""
    if person not in crawls:
        client = Client()
        if person != "anonymous":
            user = User.objects.filter(username=person).first() or make_user(person)
            client.force_login(user)
        crawls[person] = crawl(client)
    return crawls[person]


@pytest.mark.parametrize("person", PEOPLE)
def test_no_link_leads_to_a_refusal(person: str, crawls: dict[str, Crawl]) -> None:
    refused = reached(person, crawls).refused
    assert not refused, "\n".join(refused)


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for each in patterns:
        if isinstance(each, URLResolver):
            name = f"{space}{each.namespace}:" if each.namespace else space
            yield from named(each.url_patterns, name)
        elif each.name:
            yield f"{space}{each.name}"


def test_every_page_is_linked(crawls: dict[str, Crawl]) -> None:
    offered = set().union(*(reached(person, crawls).offered for person in PEOPLE))
    pages = {name for name in named(get_resolver().url_patterns) if not name.startswith("admin:")}
    assert not pages - offered, "\n".join(sorted(pages - offered))
