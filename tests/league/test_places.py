"""Where a league is looked for while the register of leagues is away."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import OperationalError

from league.databases import HOME, Whereabouts
from league.models import League, LeagueMove
from league.selectors import places
from league.selectors.places import place_of_address
from tests.conftest import needs_postgresql
from tests.league.factories import make_league
from tests.two_databases import away, leave, move, second_database

pytestmark = [pytest.mark.django_db(transaction=True), needs_postgresql]


@pytest.fixture(autouse=True)
def east(transactional_db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with second_database(tmp_path) as name:
        # Whatever is known was known a while ago.
        monkeypatch.setattr(places, "KNOWN_FOR", 0.0)
        yield name


@pytest.fixture
def league(east: str) -> League:
    """A league that this process found in the other database."""
    league = make_league()
    move(league, east)
    assert place_of_address(league.slug) == Whereabouts(east, league.pk)
    return league


@pytest.mark.long
def test_a_league_is_where_it_was_known_to_be(east: str, league: League) -> None:
    with away(HOME):
        assert place_of_address(league.slug) == Whereabouts(east, league.pk)


@pytest.mark.long
@pytest.mark.parametrize("go", [move, leave], ids=["nothing left behind", "all of it left behind"])
def test_a_league_that_has_left_since_is_not_looked_for_there(
    go: Callable[[League, str], LeagueMove], league: League
) -> None:
    known = dict(places._known)
    go(league, HOME)
    # What another process knows, that nobody has asked for the league since.
    places._known.update(known)
    with away(HOME), pytest.raises(OperationalError):
        place_of_address(league.slug)
