from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.test import Client

from accounts.services.calendars import calendar_secret_of, renew_calendar_address
from accounts.services.recovery_codes import new_codes
from league.management.checks import ACCOUNTS_LEFT, DEMO_IS_ON, check_demo_accounts
from league.selectors.demo_accounts import ADMIN, PASSWORD
from league.services.demo_accounts import mark
from tests.keeping.sites import manage, managed, told
from tests.league.factories import client_of, make_user, run
from tests.production.databases import new_database

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LOGIN = "/en/accounts/login/"


def make_demo_user(name: str = ADMIN) -> User:
    user = make_user(name, is_staff=True, is_superuser=True)
    user.set_password(PASSWORD)
    user.save()
    mark([user])
    return user


@pytest.fixture
def admin(settings: Any) -> User:
    settings.DEMO = False
    return make_demo_user()


def is_inside(client: Client) -> bool:
    return client.get("/en/me/").status_code == 200


def test_demo_account_cannot_log_in_outside_the_demo(admin: User) -> None:
    client = Client()
    wrong = client.post(LOGIN, {"username": admin.username, "password": "guessed"})
    assert (wrong.status_code, "demo account" in wrong.content.decode()) == (200, False)
    answer = client.post(LOGIN, {"username": admin.username, "password": PASSWORD})
    assert (answer.status_code, is_inside(client)) == (403, False)
    assert "This is a demo account" in answer.content.decode()
    client.post("/en/admin/login/", {"username": admin.username, "password": PASSWORD, "next": "/en/admin/"})
    assert client.get("/en/admin/").status_code == 302
    admin.set_password("quite another one")
    admin.save()
    assert client.post(LOGIN, {"username": admin.username, "password": "quite another one"}).status_code == 403


def test_demo_account_logs_in_to_the_demo_and_is_logged_out_after_it(admin: User, settings: Any) -> None:
    settings.DEMO = True
    client = Client()
    assert client.post(LOGIN, {"username": admin.username, "password": PASSWORD}).status_code == 302
    assert is_inside(client)
    settings.DEMO = False
    assert not is_inside(client)
    assert client.get("/en/host/").status_code == 302


def test_demo_account_has_no_other_way_to_log_in(admin: User) -> None:
    client = Client()
    answer = client.post("/en/accounts/recover/", {"username": admin.username, "code": new_codes(admin)[0]})
    assert (answer.status_code, is_inside(client)) == (403, False)
    assert client.get(f"/calendar/{calendar_secret_of(renew_calendar_address(admin))}/all.ics").status_code == 404
    with pytest.raises(CommandError, match="demo account"):
        run("password_link", admin.username)


def test_deploy_check_lists_demo_accounts(settings: Any) -> None:
    settings.DEMO = False
    for name in ("admin", "ueno"):
        make_demo_user(name)
    (warning,) = check_demo_accounts()
    assert warning.id == ACCOUNTS_LEFT
    assert "admin, ueno" in warning.msg
    settings.DEMO = True
    assert [each.id for each in check_demo_accounts()] == [DEMO_IS_ON, ACCOUNTS_LEFT]


def test_host_page_lists_demo_accounts(admin: User) -> None:
    client = client_of(make_user("host", is_superuser=True, is_staff=True))
    page = client.get("/en/host/").content.decode()
    assert "Demo accounts" in page
    assert admin.username in page
    User.objects.filter(pk=admin.pk).delete()
    assert "Demo accounts" not in client.get("/en/host/").content.decode()


TRIED = """
from django.test import Client
client = Client(SERVER_NAME="localhost")
answers = [client.post("/en/accounts/login/", {"username": name, "password": "tenbo-demo"}).status_code
           for name in ("admin", "aoki")]
print(answers, client.get("/en/host/").status_code)
"""


@pytest.mark.long
def test_restored_demo_backup_allows_no_log_in(tmp_path: Path) -> None:
    served = {"DEBUG": "off", "HTTPS": "off", "SECRET_KEY": "k" * 40}
    for name in ("demo", "served"):
        (tmp_path / name).mkdir()
    with new_database("sqlite", tmp_path / "demo") as demo, new_database("sqlite", tmp_path / "served") as site:
        managed(demo, "migrate", "--verbosity", "0")
        managed(demo, "load_demo", DEMO="on")
        managed(demo, "backup", tmp_path / "demo.zip")
        managed(site, "migrate", "--verbosity", "0")
        managed(site, "restore", tmp_path / "demo.zip", **served)
        assert told(site, TRIED) == "[403, 403] 302\n"
        assert "admin, aoki, ishida, ueno, eguchi" in manage(site, "check", "--deploy", **served).stderr
