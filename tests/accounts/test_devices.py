import re

import pytest
from django.test import Client

from tests.accounts.factories import logged_in
from tests.league.factories import PASSWORD, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DEVICES = "/en/accounts/devices/"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1"


def device(name: str = "aoki", agent: str = PHONE, address: str = "192.0.2.10") -> Client:
    return logged_in(name, headers={"User-Agent": agent}, REMOTE_ADDR=address)


def is_in(client: Client) -> bool:
    return client.get("/en/leagues/new/").status_code == 200


def test_devices_are_listed_and_logged_out() -> None:
    make_user("aoki")
    phone, desk, tablet = device(), device(agent="Mozilla/5.0 (Windows NT) Firefox/150"), device(agent="")
    page = desk.get(DEVICES).content.decode()
    assert all(word in page for word in ("iPhone · Safari", "Windows · Firefox", "Unknown device", "192.0.2.10"))
    assert page.count("this device") == 1
    (lost,) = [re.search(r'name="device" value="(\d+)"', row) for row in page.split("<li>") if "iPhone" in row]
    assert lost
    assert desk.post(DEVICES, {"device": lost[1]}).status_code == 302
    assert [is_in(each) for each in (phone, desk, tablet)] == [False, True, True]
    desk.post(DEVICES, {"device": lost[1]})
    desk.post(DEVICES, {"device": "all"})
    assert [is_in(each) for each in (phone, desk, tablet)] == [False, True, False]
    assert "iPhone" not in desk.get(DEVICES).content.decode()


@pytest.mark.long
def test_users_cannot_log_out_each_other() -> None:
    make_user("aoki")
    make_user("ueno")
    phone, thief = device(), device("ueno")
    assert "value=" in phone.get(DEVICES).content.decode()
    for number in range(1, 60):
        thief.post(DEVICES, {"device": str(number)})
    thief.post(DEVICES, {"device": "all"})
    assert is_in(phone)


@pytest.mark.parametrize("address", ["2001:db8::1", "::ffff:192.0.2.10", ""])
def test_log_in_is_noted_for_any_client_address(address: str) -> None:
    make_user("aoki")
    assert device(address=address).get(DEVICES).status_code == 200


def test_new_password_logs_out_other_devices() -> None:
    make_user("aoki")
    phone, desk = device(), device(agent="Mozilla/5.0 (Windows NT) Firefox/150")
    new = {"old_password": PASSWORD, "new_password1": "a longer secret 5", "new_password2": "a longer secret 5"}
    assert desk.post("/en/accounts/password_change/", new).status_code == 302
    assert [is_in(phone), is_in(desk)] == [False, True]
    assert "iPhone" not in desk.get(DEVICES).content.decode()
