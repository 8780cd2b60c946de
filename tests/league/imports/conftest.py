import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import League
from tests.league.factories import make_league, make_players, make_user


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    return league


@pytest.fixture
def organiser(league: League, client: Client) -> User:
    user = make_user("organiser", league=league, role="organiser")
    client.force_login(user)
    return user
