import re
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import Preferences
from league.models import Membership
from league.services.history import SYSTEM
from league.services.people import set_role
from tests.accounts.factories import client_of
from tests.league.factories import PASSWORD, make_league, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

FORM = {"username": "aoki", "called": "", "full_name": "", "language": "", "sign": "", "theme": ""}


@pytest.fixture
def user() -> User:
    return make_user("aoki")


def save(client: Client, **fields: str) -> str:
    answer = client.post("/en/account/", FORM | fields, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("address", ["/account/", "/account/data/", "/me/"])
def test_own_pages_ask_for_a_log_in(address: str) -> None:
    way_in = f"/accounts/login/?next={quote(address, safe='')}"
    assert Client().get(address)["Location"] == way_in
    if address == "/account/":
        assert Client().post(address, FORM)["Location"] == way_in


def test_names_are_changed_and_kept(user: User) -> None:
    client = client_of(user)
    assert "Account saved." in save(client, username="ao-ki", called="あおちゃん", full_name="青木 一郎")
    user.refresh_from_db()
    assert (user.username, user.get_full_name()) == ("ao-ki", "青木 一郎")
    assert "あおちゃん" in client.get("/me/").content.decode()
    assert Client().login(username="ao-ki", password=PASSWORD)


def test_user_names_are_unique_in_any_case(user: User) -> None:
    make_user("Ishida")
    html = save(client_of(user), username="ishida", called="石")
    assert "This user name is taken" in html
    assert 'value="石"' in html
    user.refresh_from_db()
    assert user.username == "aoki"


@pytest.mark.parametrize("name", ["", "a b", "<b>", "x" * 151, "\u202eikoa", "\x00"])
def test_a_user_name_that_cannot_be_is_refused_with_a_sentence(user: User, name: str) -> None:
    assert "This has not been saved yet." in save(client_of(user), username=name)
    user.refresh_from_db()
    assert user.username == "aoki"


@pytest.mark.long
def test_user_names_cannot_be_tried_one_after_the_other(user: User) -> None:
    make_user("ishida")
    client = client_of(user)
    for _ in range(20):
        save(client, username="ishida")
    assert "tried many user names" in save(client, username="nobody-has-this")


@pytest.mark.parametrize("field", ["language", "sign", "theme"])
def test_choices_that_there_are_not_are_refused(user: User, field: str) -> None:
    assert "This has not been saved yet." in save(client_of(user), **{field: "nonsense"})
    assert not Preferences.objects.exists()


def test_a_form_cannot_change_more_than_it_asks(user: User) -> None:
    save(client_of(user), is_superuser="on", is_staff="on", email="x@example.org", user=str(make_user("other").pk))
    user.refresh_from_db()
    assert (user.is_superuser, user.is_staff, user.email) == (False, False, "aoki@example.org")
    assert Preferences.objects.get().user == user


SHARED = re.compile(r'<details class="share".*?</details>', re.DOTALL)


def board(client: Client, path: str = "/l/camarade/standings/all/") -> str:
    return client.get(path).content.decode()


@pytest.fixture
def played(user: User) -> None:
    league = make_league()
    for each in (user, make_user("ishida")):
        set_role(league=league, user=each, role=Membership.Role.PLAYER, by=SYSTEM)
    play(make_session(league, league.day_of(timezone.now())))
    settle()


@pytest.mark.usefixtures("played")
def test_the_sign_is_the_readers_on_pages_that_are_kept_for_many(user: User) -> None:
    other, mine = client_of(User.objects.get(username="ishida")), client_of(user)
    assert "▲18.5" in board(other)
    before = mine.get("/l/camarade/standings/all/")
    save(mine, sign="minus")
    # The page is cached once for all players, once for those who chose the other sign, and then again for the first.
    after = mine.get("/l/camarade/standings/all/", headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "−18.5" in after.content.decode()
    assert "▲" not in SHARED.sub("", after.content.decode())
    assert "▲18.5" in board(other)
    assert "▲18.5" in board(Client())
    assert "−18.5" in board(mine)
    assert "▲18.5" not in SHARED.sub("", board(mine))


@pytest.mark.usefixtures("played")
def test_the_sign_may_be_that_of_the_other_language(user: User) -> None:
    client = client_of(user)
    save(client, sign="triangle")
    assert "▲18.5" in board(client, "/en/l/camarade/standings/all/")
    assert "−18.5" in board(Client(), "/en/l/camarade/standings/all/")


@pytest.mark.usefixtures("played")
def test_the_sign_holds_after_logging_in_elsewhere_and_ends_with_logging_out(user: User) -> None:
    Preferences.objects.create(user=user, sign="minus")
    phone = Client()
    assert phone.login(username="aoki", password=PASSWORD)
    assert "−18.5" in board(phone)
    phone.post("/accounts/logout/")
    assert "▲18.5" in board(phone)


@pytest.mark.usefixtures("played")
def test_a_device_that_was_logged_in_before_follows_with_the_next_visit_to_my_page(user: User) -> None:
    phone = client_of(user)
    assert "▲18.5" in board(phone)
    save(client_of(user), sign="minus")
    phone.get("/me/")
    assert "−18.5" in board(phone)


def test_the_colours_go_along_as_a_cookie_that_says_nothing_else(user: User) -> None:
    client = client_of(user)
    save(client, theme="dark")
    cookie = client.cookies["tenbo-theme"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("dark", "", "Lax")
    phone = Client()
    phone.post("/accounts/login/", {"username": "aoki", "password": PASSWORD})
    assert phone.cookies["tenbo-theme"].value == "dark"
    phone.post("/accounts/logout/")
    phone.get("/")
    assert phone.cookies["tenbo-theme"].value == ""


def test_no_other_response_sets_cookies(user: User) -> None:
    for client in (Client(), client_of(user)):
        client.get("/")
        assert "tenbo-theme" not in client.cookies


@pytest.mark.parametrize(("language", "page"), [("en", "/en/me/"), ("ja", "/me/"), ("", "/en/me/")])
def test_log_in_continues_in_the_users_language(user: User, language: str, page: str) -> None:
    Preferences.objects.create(user=user, language=language)
    answer = Client().post("/en/accounts/login/", {"username": "aoki", "password": PASSWORD})
    assert answer["Location"] == page


def test_redirect_target_after_log_in_keeps_the_language(user: User) -> None:
    Preferences.objects.create(user=user, language="en")
    form = {"username": "aoki", "password": PASSWORD, "next": "/glossary/?q=uma"}
    assert Client().post("/accounts/login/", form)["Location"] == "/en/glossary/?q=uma"


def test_another_language_is_spoken_at_once(user: User) -> None:
    client = client_of(user)
    answer = client.post("/account/", FORM | {"language": "en"})
    assert answer["Location"] == "/en/account/"
    assert "Account saved." in client.get("/en/account/").content.decode()
