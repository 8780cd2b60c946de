import re

import pytest
from django.test import Client
from django.urls import reverse

from league.models import Session
from tests.league.factories import make_league, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session() -> Session:
    session = make_session(make_league())
    play(session)
    settle()
    return session


def watched(client: Client, address: str, known: str) -> int:
    return client.get(address, headers={"If-None-Match": known}).status_code


def mark_in(html: str) -> str:
    found = re.search(r'data-live-etag="([^"]*)"', html)
    assert found
    return found[1].replace("&quot;", '"')


def test_page_with_a_message_polls_the_state_of_the_page(session: Session) -> None:
    league = session.league
    client = Client()
    client.force_login(make_user(league=league, role="organiser"))
    address = reverse("league:session", args=[league.slug, session.pk])
    facts = {"date": session.date, "tables": 1, "title": "x", "ruleset_version": session.ruleset_version_id}
    assert client.post(reverse("league:session_edit", args=[league.slug, session.pk]), facts).status_code == 302
    told = client.get(address).content.decode()
    assert 'class="notice' in told
    mark = mark_in(told)
    assert watched(client, address, mark) == 304
    play(session)
    assert watched(client, address, mark) == 200


def test_message_is_shown_once_and_only_to_its_user(session: Session) -> None:
    league = session.league
    address = reverse("league:session", args=[league.slug, session.pk])
    first, second = Client(), Client()
    first.force_login(make_user(league=league, role="organiser"))
    second.force_login(make_user("ishida", league=league, role="organiser"))
    first.post(reverse("league:session_state", args=[league.slug, session.pk]), {"state": "closed"})
    answer = first.get(address)
    assert "ETag" not in answer
    told = answer.content.decode()
    plain = second.get(address).content.decode()
    assert told.count('class="notice') == plain.count('class="notice') + 1
    assert first.get(address).content.decode().count('class="notice') == plain.count('class="notice')
