from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from league.models import League, Photo
from league.services.history import SYSTEM
from league.services.photos import add_photo, clean_photo, withdraw_photo
from tests.league.entry_contexts import at, link_of
from tests.league.factories import make_league, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

PAGES = ("league_home", "standings_current", "sessions", "players", "rules")
DESK = ("manage", "members", "settings", "history", "export", "imports", "player_new", "session_new", "enter")


def kept(answer: object) -> set[str]:
    headers = getattr(answer, "headers", {})
    return {word.strip() for word in headers.get("Cache-Control", "").split(",")}


def url(name: str, league: League, *args: object) -> str:
    return reverse(f"league:{name}", args=[league.slug, *args])


@pytest.fixture
def private() -> League:
    league = make_league("closed", is_public=False)
    play(make_session(league))
    settle()
    return league


@pytest.mark.parametrize("name", PAGES)
def test_private_league_is_not_cached(private: League, name: str) -> None:
    member = Client()
    member.force_login(make_user("aoki", league=private, role="player"))
    page = member.get(url(name, private), follow=True)
    assert page.status_code == 200
    assert {"private", "no-store"} <= kept(page)
    assert {"private", "no-store"} <= kept(Client().get(url(name, private)))


@pytest.mark.parametrize("name", DESK)
def test_no_page_of_the_desk_is_stored(name: str) -> None:
    league = make_league()
    owner = Client()
    owner.force_login(make_user("aoki", league=league, role="owner"))
    page = owner.get(url(name, league))
    assert {"private", "no-store"} <= kept(page)


@pytest.mark.parametrize("address", ["/", "/l/camarade/", "/l/camarade/standings/all/", "/l/camarade/players/"])
def test_a_public_page_is_asked_about_by_its_tag(address: str) -> None:
    play(make_session(make_league()))
    settle()
    visitor = Client()
    page = visitor.get(address)
    assert kept(page) == {"private", "no-cache"}
    assert not page.cookies
    assert visitor.get(address, headers={"If-None-Match": page["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "address", ["/accounts/login/", "/accounts/password_reset/", "/accounts/password_change/", "/leagues/new/"]
)
def test_no_form_of_an_account_is_stored(address: str, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    member = Client()
    assert {"private", "no-store"} <= kept(member.get(address))
    member.force_login(make_user())
    assert {"private", "no-store"} <= kept(member.get(address))


def test_every_answer_says_what_may_be_kept_of_it() -> None:
    play(make_session(make_league()))
    for address in (
        "/nothing/",
        "/l/nothing/",
        "/sw.js",
        "/manifest.webmanifest",
        "/healthz",
        "/glossary/",
        "/offline/",
    ):
        assert kept(Client().get(address)) != {""}, address


def test_pages_of_a_table_link_are_not_cached() -> None:
    answer = Client().get(at(link_of(make_session(make_league()))))
    assert {"private", "no-store"} <= kept(answer)
    assert answer["Referrer-Policy"] == "no-referrer"


def test_logging_out_empties_what_the_browser_kept() -> None:
    member = Client()
    member.force_login(make_user())
    assert '"cache"' in member.post("/accounts/logout/")["Clear-Site-Data"]


@pytest.fixture
def photo() -> Photo:
    picture = BytesIO()
    Image.new("RGB", (200, 200), (20, 80, 60)).save(picture, "PNG")
    hanchan = play(make_session(make_league()))
    return add_photo(hanchan=hanchan, picture=clean_photo(picture.getvalue()), by=SYSTEM)


def test_a_photo_is_asked_about_each_time_and_gone_once_it_is_withdrawn(photo: Photo) -> None:
    league = photo.hanchan.league
    member = Client()
    member.force_login(make_user("aoki", league=league, role="player"))
    address = url("photo", league, photo.pk)
    picture = member.get(address)
    assert kept(picture) == {"private", "no-cache"}
    again = member.get(address, headers={"If-None-Match": picture["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    withdraw_photo(photo=photo, reason="another table's", by=SYSTEM)
    assert member.get(address, headers={"If-None-Match": picture["ETag"]}).status_code == 404
    assert Client().get(address, headers={"If-None-Match": picture["ETag"]}).status_code == 302
