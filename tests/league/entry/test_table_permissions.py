from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from league import urls
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


def assert_private(answer: Any) -> None:
    assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("no-referrer", "noindex")
    assert {"no-store", "private"} <= set(answer["Cache-Control"].split(", "))


def test_link_routes_are_found() -> None:
    names = {str(each.id) for each in ROUTES}
    assert {"table", "table_preview", "table_state", "table_receipt", "table_undo"} <= names


@pytest.mark.parametrize("route", ROUTES)
def test_link_works_without_login_or_cookie_and_stays_private(route: URLPattern, session: Session) -> None:
    link, hanchan = link_of(session), play(session)
    for answer in ask(address(route, code_of(link), thing_of(route, hanchan))):
        assert answer.status_code in {200, 204, 302, 422}
        assert not answer.cookies
        assert "/accounts/login/" not in answer.headers.get("Location", "")
        assert_private(answer)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("options", [{}, {"headers": JSON}], ids=["page", "script"])
def test_wrong_revoked_or_expired_code_is_refused(route: URLPattern, session: Session, options: dict[str, Any]) -> None:
    link, hanchan = link_of(session), play(session)
    code, thing = code_of(link), thing_of(route, hanchan)
    wrong = f"{code[:-1]}{'b' if code[-1] == 'a' else 'a'}"
    answers = [(404, answer) for answer in ask(address(route, wrong, thing), **options)]
    revoke_link(link=link, by=SYSTEM)
    answers += [(410, answer) for answer in ask(address(route, code, thing), **options)]
    TableLink.objects.update(revoked_at=None, expires_at=timezone.now())
    answers += [(410, answer) for answer in ask(address(route, code, thing), **options)]
    for status, answer in answers:
        assert answer.status_code == status
        assert_private(answer)
        if options:
            assert answer.json()["state"] == {404: "unknown", 410: "ended"}[status]


@pytest.mark.parametrize("route", OF_A_THING)
def test_link_cannot_reach_another_table(route: URLPattern, session: Session) -> None:
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
