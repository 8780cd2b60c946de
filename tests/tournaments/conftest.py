import pytest

from league.models import League
from tests.tournaments.factories import make_cinderella_league


@pytest.fixture
def league(db: None) -> League:
    del db
    return make_cinderella_league()
