"""Evenings at which the tests of pages sit down."""

from django.utils import timezone

from league.models import Session
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle


def tonight() -> Session:
    """Return an open session of today, of a league with the scorer "ueno" and nobody else."""
    league = make_league()
    make_user("ueno", league=league, role="scorer")
    return make_session(league, league.day_of(timezone.now()))


def played_tonight() -> Session:
    """Return an open session of today, at whose table Aoki to Eguchi sat last and Eguchi won."""
    session = tonight()
    play(session, (10000, 20000, 30000, 40000), make_players(session.league, 4))
    settle()
    return session
