from django.utils import timezone

from league.models import Hanchan, Session, TableLink
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, make_user


def tonight() -> Session:
    league = make_league()
    make_user("ueno", league=league, role="scorer")
    return make_session(league, league.day_of(timezone.now()))


def arrived(session: Session) -> int:
    return session.hanchan.count() - 1


def comes(session: Session, count: int = 1) -> None:
    assert wait_until(lambda: arrived(session) >= count)
    assert arrived(session) == count


def newest(link: TableLink) -> Hanchan:
    return link.session.hanchan.latest("pk")
