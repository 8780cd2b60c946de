from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.services.beginning import begin_site, first_code, not_invented
from league.models import Hanchan, League, Session
from league.services import backups
from league.services.backups import BackupError
from league.services.demo_accounts import mark
from league.services.restoring import restore_backup
from tests.league.factories import PASSWORD, make_league, make_session, make_user, play, run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

BEGIN = "/en/begin/"
TYPED = {"username": "kato", "password": "a long password of mine"}


@pytest.fixture(autouse=True)
def _embedded(settings: Any, tmp_path: Path) -> None:
    settings.EMBEDDED = True
    settings.DEMO = False
    settings.VAR_DIR = tmp_path


def by_code() -> str:
    return f"{BEGIN}?code={first_code()}"


def test_first_account_is_created_with_the_printed_link() -> None:
    client = Client()
    assert f"http://127.0.0.1:8000/begin/?code={first_code()}" in run("first_account", site="http://127.0.0.1:8000/")
    assert "Move all data into a backup" not in client.get(by_code()).content.decode()
    answer = client.post(by_code(), TYPED)
    assert (answer.status_code, answer["Location"]) == (302, "/en/leagues/new/")
    user = User.objects.get()
    assert (user.username, user.is_superuser) == ("kato", True)
    assert client.get("/en/leagues/new/").status_code == 200
    assert client.login(username="kato", password=TYPED["password"])
    assert run("first_account") == ""


@pytest.mark.parametrize("code", ["", "?code=", "?code=0123456789abcdef0123"])
def test_first_account_needs_the_code_of_the_link(code: str) -> None:
    client = Client()
    for answer in (client.get(f"{BEGIN}{code}"), client.post(f"{BEGIN}{code}", TYPED)):
        assert answer.status_code == 403
        assert "make run" in answer.content.decode()
    assert not User.objects.exists()
    assert client.get("/en/accounts/login/")["Location"] == BEGIN


def test_code_stops_working_after_the_first_account() -> None:
    make_user("kato")
    client = Client()
    answer = client.post(by_code(), TYPED | {"username": "ueno"}, follow=True)
    assert "The first account exists already." in answer.content.decode()
    client.force_login(make_user("ishida"))
    assert client.post(by_code(), TYPED | {"username": "ueno"})["Location"] == "/en/"
    assert User.objects.count() == 2


def test_first_account_cannot_be_created_twice() -> None:
    begin_site("ueno", PASSWORD, is_first=True)
    with pytest.raises(BackupError):
        begin_site("aoki", PASSWORD, is_first=True)
    assert list(User.objects.values_list("username", flat=True)) == ["ueno"]


def test_begin_page_exists_only_under_make_run(settings: Any) -> None:
    settings.EMBEDDED = False
    client = Client()
    assert client.get(by_code()).status_code == 404
    client.force_login(make_user("host", is_superuser=True))
    assert client.post(BEGIN, TYPED).status_code == 404


def test_weak_first_password_is_refused_and_the_name_kept() -> None:
    assert 'value="kato"' in Client().post(by_code(), {"username": "kato", "password": "12345678"}).content.decode()
    assert not User.objects.exists()


@pytest.fixture
def administrator(settings: Any) -> Client:
    settings.DEMO = True
    mark([make_user("admin", is_staff=True, is_superuser=True)])
    make_league("camarade")
    client = Client()
    client.post("/en/accounts/login/", {"username": "admin", "password": PASSWORD})
    return client


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
def test_demo_is_replaced_by_an_empty_site_with_a_backup(administrator: Client, tmp_path: Path) -> None:
    play(make_session(make_league("own")))
    assert BEGIN in administrator.get("/en/host/").content.decode()
    assert "/en/l/own/" in administrator.get(BEGIN).content.decode()
    assert "Tick this box" in administrator.post(BEGIN, TYPED).content.decode()
    assert League.objects.filter(slug="own").exists()
    answer = administrator.post(BEGIN, TYPED | {"sure": "on"}, follow=True)
    (file,) = tmp_path.glob("before-*")
    assert str(file) in answer.content.decode()
    assert [model.objects.count() for model in (League, Session, Hanchan)] == [0, 0, 0]
    assert [user.username for user in User.objects.all()] == ["kato"]
    # Leagues are created as on any other site, and the demo is not loaded again.
    play(make_session(make_league("own")))
    assert run("load_demo", if_empty=True) == ""
    restore_backup(file, replaces=True)
    assert set(League.objects.values_list("slug", flat=True)) == {"camarade", "own"}
    assert Hanchan.objects.count() == 1


def test_demo_stays_if_the_backup_fails(administrator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "back_up_to", Mock(side_effect=BackupError("the disk is full")))
    page = administrator.post(BEGIN, TYPED | {"sure": "on"}).content.decode()
    assert "Nothing was changed" in page
    assert "the disk is full" in page
    assert League.objects.filter(slug="camarade").exists()
    assert User.objects.get().username == "admin"


@pytest.mark.merge
def test_demo_site_is_replaced_through_the_printed_link(settings: Any) -> None:
    mark([make_user("admin", is_superuser=True)])
    make_league("camarade")
    client = Client()
    assert first_code() in run("first_account")
    assert "Move all data into a backup" in client.get(by_code()).content.decode()
    assert client.post(by_code(), TYPED | {"username": "admin", "sure": "on"}).status_code == 302
    assert client.get("/en/host/").status_code == 200
    assert not League.objects.exists()


@pytest.mark.merge
def test_only_data_added_to_the_demo_is_named_before_replacing_it(settings: Any) -> None:
    settings.DEMO = True
    run("load_demo")
    assert not not_invented()
    play(make_session(League.objects.get(slug="sanma")), raw=(35000, 35000, 35000))
    make_league("own")
    make_user("kato")
    found = not_invented()
    assert (found.accounts, [league.slug for league in found.leagues]) == (["kato"], ["own"])
    assert found.changes >= 2
