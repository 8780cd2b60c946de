from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from league.services.history import SYSTEM
from league.services.photos import add_photo, clean_photo, withdraw_photo
from tests.league.entry_contexts import url
from tests.league.factories import client_of, make_league, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

PAGES = ("league_home", "standings_current", "sessions", "players", "rules")


def cache_control(answer: object) -> set[str]:
    return {word.strip() for word in getattr(answer, "headers", {}).get("Cache-Control", "").split(",")}


def test_private_league_is_not_cached() -> None:
    league = make_league("closed", is_public=False)
    play(make_session(league))
    settle()
    member = client_of(make_user("aoki", league=league, role="player"))
    for name in PAGES:
        page = member.get(url(name, league), follow=True)
        assert page.status_code == 200
        assert {"private", "no-store"} <= cache_control(page), name
        assert {"private", "no-store"} <= cache_control(Client().get(url(name, league))), name


def test_management_pages_are_not_cached() -> None:
    league = make_league()
    owner = client_of(make_user("aoki", league=league, role="owner"))
    for name in ("manage", "members", "settings", "history", "export", "player_new"):
        assert {"private", "no-store"} <= cache_control(owner.get(url(name, league))), name


def test_account_forms_are_not_cached_and_log_out_clears_the_cache(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    for member in (Client(), client_of(make_user())):
        for name in ("accounts/login", "accounts/password_reset", "accounts/password_change", "leagues/new"):
            assert {"private", "no-store"} <= cache_control(member.get(f"/{name}/")), name
    assert '"cache"' in member.post("/accounts/logout/")["Clear-Site-Data"]


def test_every_response_has_cache_control() -> None:
    play(make_session(make_league()))
    others = ("/sw.js", "/manifest.webmanifest", "/healthz", "/glossary/", "/offline/")
    for address in ("/nothing/", "/l/nothing/", *others):
        assert cache_control(Client().get(address)) != {""}, address


def test_photo_is_revalidated_and_gone_once_it_is_withdrawn() -> None:
    picture = BytesIO()
    Image.new("RGB", (200, 200), (20, 80, 60)).save(picture, "PNG")
    league = make_league()
    photo = add_photo(hanchan=play(make_session(league)), picture=clean_photo(picture.getvalue()), by=SYSTEM)
    member = client_of(make_user("aoki", league=league, role="player"))
    address = url("photo", league, photo.pk)
    first = member.get(address)
    assert cache_control(first) == {"private", "no-cache"}
    again = member.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    withdraw_photo(photo=photo, reason="another table's", by=SYSTEM)
    assert member.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 404
    assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 302
