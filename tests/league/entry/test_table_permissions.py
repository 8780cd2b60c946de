"""Table link URLs work only with the code and only for their own table, and never return 500."""

import random
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from league import urls
from league.http.entry_context import LINK, LINK_HEADERS
from league.models import Hanchan, Photo, Session, TableLink
from league.services.history import SYSTEM
from league.services.links import code_of, revoke_link
from tests.league.entry_contexts import JSON, link_of
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ROUTES = [
    pytest.param(route, id=str(route.name))
    for route in urls.urlpatterns
    if isinstance(route, URLPattern) and str(route.pattern).startswith("e/<str:token>")
]
OF_A_THING = [each for each in ROUTES if "<int:pk>" in str(each.values[0].pattern)]  # type: ignore[union-attr]


@pytest.fixture
def session() -> Session:
    """Tonight's session of a private league, with two tables."""
    league = make_league(is_public=False)
    return make_session(league, league.day_of(timezone.now()), tables=2)


def address(route: URLPattern, code: str, thing: int = 1) -> str:
    given: dict[str, Any] = {"token": code}
    if "<int:pk>" in str(route.pattern):
        given["pk"] = thing
    return reverse(f"league:{route.name}", kwargs=given)


def thing_of(route: URLPattern, hanchan: Hanchan) -> int:
    if route.name != "table_photo":
        return hanchan.pk
    photo, _made = Photo.objects.get_or_create(
        hanchan=hanchan, digest="0", defaults={"data": b"\xff\xd8", "width": 1, "height": 1}
    )
    return photo.pk


def ask(where: str, **options: Any) -> list[Any]:
    client = Client(enforce_csrf_checks=True)
    answers = [client.get(where, **options), client.post(where, {}, **options)]
    there = [answer for answer in answers if answer.status_code != 405]
    assert there
    return there


def test_there_is_something_to_ask() -> None:
    names = {str(each.id) for each in ROUTES}
    assert {"table", "table_preview", "table_state", "table_receipt", "table_undo"} <= names


@pytest.mark.parametrize("route", ROUTES)
def test_every_address_is_guarded_by_the_code(route: URLPattern) -> None:
    assert getattr(route.callback, "permission", None) == LINK
    assert getattr(route.callback, "csrf_exempt", False)


@pytest.mark.parametrize("route", ROUTES)
def test_the_holder_gets_in_without_log_in_or_cookie(route: URLPattern, session: Session) -> None:
    link, hanchan = link_of(session), play(session)
    for answer in ask(address(route, code_of(link), thing_of(route, hanchan))):
        assert answer.status_code in {200, 204, 302, 422}
        assert not answer.cookies
        assert "/accounts/login/" not in answer.headers.get("Location", "")
        for name in LINK_HEADERS:
            assert answer[name]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("options", [{}, {"headers": JSON}], ids=["page", "script"])
def test_no_one_else_gets_in(route: URLPattern, session: Session, options: dict[str, Any]) -> None:
    link, hanchan = link_of(session), play(session)
    code, thing = code_of(link), thing_of(route, hanchan)
    wrong = f"{code[:-1]}{'b' if code[-1] == 'a' else 'a'}"
    for answer in ask(address(route, wrong, thing), **options):
        assert answer.status_code == 404
        assert all(answer[name] == value for name, value in LINK_HEADERS.items())
    revoke_link(link=link, by=SYSTEM)
    for answer in ask(address(route, code, thing), **options):
        assert answer.status_code == 410
    TableLink.objects.update(revoked_at=None, expires_at=timezone.now())
    for answer in ask(address(route, code, thing), **options):
        assert answer.status_code == 410
        assert all(answer[name] == value for name, value in LINK_HEADERS.items())


@pytest.mark.parametrize("route", OF_A_THING)
def test_no_link_reaches_another_table(route: URLPattern, session: Session) -> None:
    code = code_of(link_of(session, 1))
    elsewhere = [
        play(session, table=2),
        play(make_session(session.league, session.date), table=1),
        play(make_session(make_league("other")), table=1),
    ]
    for hanchan in elsewhere:
        before = Hanchan.objects.filter(pk=hanchan.pk).values().get()
        where = address(route, code, thing_of(route, hanchan))
        owner = Client()
        owner.force_login(make_user(f"owner-{hanchan.pk}", league=session.league, role="owner"))
        statuses = {answer.status_code for answer in [*ask(where), owner.get(where), owner.post(where)]}
        assert statuses <= {404, 405}
        assert 404 in statuses
        assert Hanchan.objects.filter(pk=hanchan.pk).values().get() == before
        assert not hanchan.confirmations.exists()


@pytest.mark.long
@pytest.mark.parametrize("route", ROUTES)
def test_odd_numbers_and_queries_do_no_harm(route: URLPattern, session: Session) -> None:
    code, chance = code_of(link_of(session)), random.Random(str(route.name))
    client = Client()
    for number in (0, 9**60):
        for answer in ask(address(route, code, number)):
            assert answer.status_code < 500
    odd = ("", "\x00", "rotate", "draw", "９", "-1", "9" * 40, "<b>", "before", "\u202e")
    for _ in range(10):
        query = {key: chance.choice(odd) for key in ("seats", "table", "held", "again", "device", "said", "draw")}
        assert client.get(address(route, code), query).status_code < 500
