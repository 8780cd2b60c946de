import pytest

from league.models import League
from tests.league.factories import make_league


@pytest.fixture
def league() -> League:
    return make_league(players=4)
