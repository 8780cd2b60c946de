import pytest

from league.models import League
from tests.tournaments.factories import make_cinderella_league, make_running_tournament, make_tournament
from tournaments.models import Tournament


@pytest.fixture
def league(db: None) -> League:
    del db
    return make_cinderella_league()


@pytest.fixture
def tournament(league: League) -> Tournament:
    return make_tournament(league)


@pytest.fixture
def running() -> Tournament:
    return make_running_tournament()
