from datetime import date

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.models import Session
from league.selectors.overview import league_cards
from league.tasks import refresh_standings
from tests.league.factories import make_league, make_players, make_session, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def sessions() -> list[Session]:
    """Three sessions in spring and one in autumn, with one hanchan each."""
    league = make_league()
    days = (date(2025, 4, 4), date(2025, 4, 11), date(2025, 5, 2), date(2025, 11, 21))
    found = [make_session(league, day) for day in days]
    for session in found:
        play(session)
    return found


def test_league_card_has_the_number_of_players_without_counting_rows(sessions: list[Session]) -> None:
    league = sessions[0].league
    play(sessions[-1], players=make_players(league))
    refresh_standings.apply(args=(league.pk,)).get()
    with CaptureQueriesContext(connection) as asked:
        [card] = league_cards(AnonymousUser(), timezone.now())
    assert (card.hanchan, card.players) == (5, 8)
    assert not any("league_standing" in query["sql"] or "COUNT(" in query["sql"] for query in asked)
