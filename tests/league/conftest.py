import pytest

from league.models import League
from tests.league.factories import make_league, make_players


@pytest.fixture
def league() -> League:
    """A league with six players."""
    league = make_league()
    make_players(league, 6)
    return league
