from functools import partial

import pytest

from league.models import Session, TableLink
from tests.browser.evenings import tonight
from tests.conftest import OpenPage
from tests.league.entry_contexts import link_of
from tests.league.factories import make_players, play, settle


@pytest.fixture
def open_phone(open_page: OpenPage) -> OpenPage:
    """Return a function that opens a new phone, by default without a service worker."""
    return partial(open_page, has_touch=True, is_mobile=True, service_workers="block")


@pytest.fixture
def evening() -> Session:
    session = tonight()
    play(session, (10000, 20000, 30000, 40000), make_players(session.league, 4))
    settle()
    return session


@pytest.fixture
def link(evening: Session) -> TableLink:
    return link_of(evening)
