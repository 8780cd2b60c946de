import pytest
from django.test import Client

from league.models import League, Session
from tests.league.factories import make_league, make_session, make_user


@pytest.fixture
def league(db: None) -> League:
    del db
    return make_league()


@pytest.fixture
def session(league: League) -> Session:
    return make_session(league)


@pytest.fixture
def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


@pytest.fixture
def scorer(client: Client, league: League) -> Client:
    client.force_login(make_user("ueno", league=league, role="scorer"))
    return client


@pytest.fixture
def owner(client: Client, league: League) -> Client:
    client.force_login(make_user("aoki", league=league, role="owner"))
    return client
