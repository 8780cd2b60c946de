import pytest
from django.utils import timezone

from league.models import Hanchan, Session, TableLink
from tests.deadlines import wait_until
from tests.league.entry_contexts import link_of
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle


def tonight() -> Session:
    league = make_league()
    make_user("ueno", league=league, role="scorer")
    return make_session(league, league.day_of(timezone.now()))


@pytest.fixture
def evening() -> Session:
    session = tonight()
    play(session, (10000, 20000, 30000, 40000), make_players(session.league, 4))
    settle()
    return session


@pytest.fixture
def link(evening: Session) -> TableLink:
    return link_of(evening)


def arrived(session: Session) -> int:
    return session.hanchan.count() - 1


def comes(session: Session, count: int = 1) -> None:
    assert wait_until(lambda: arrived(session) >= count)
    assert arrived(session) == count


def newest(link: TableLink) -> Hanchan:
    return link.session.hanchan.latest("pk")
