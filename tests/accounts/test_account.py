import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import Preferences
from league.models import Membership
from league.services.history import SYSTEM
from league.services.people import set_role
from tests.league.factories import PASSWORD, client_of, make_league, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

FORM = {"username": "aoki", "called": "", "full_name": "", "language": "", "sign": "", "theme": ""}


@pytest.fixture
def user() -> User:
    return make_user("aoki")


def save(client: Client, **fields: str) -> str:
    answer = client.post("/en/account/", FORM | fields, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_user_changes_their_names(user: User) -> None:
    client = client_of(user)
    assert "Account saved." in save(client, username="ao-ki", called="あおちゃん", full_name="青木 一郎")
    user.refresh_from_db()
    assert (user.username, user.get_full_name()) == ("ao-ki", "青木 一郎")
    assert "あおちゃん" in client.get("/me/").content.decode()
    assert Client().login(username="ao-ki", password=PASSWORD)


def test_user_names_are_unique_in_any_case(user: User) -> None:
    make_user("Ishida")
    html = save(client_of(user), username="ishida", called="石")
    assert "This name is taken" in html
    assert 'value="石"' in html
    user.refresh_from_db()
    assert user.username == "aoki"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("username", name) for name in ("", "a b", "<b>", "x" * 151, "\u202eikoa", "\x00")),
        *((field, "nonsense") for field in ("language", "sign", "theme")),
    ],
)
def test_invalid_account_settings_are_refused(user: User, field: str, value: str) -> None:
    assert "This has not been saved yet." in save(client_of(user), **{field: value})
    user.refresh_from_db()
    assert user.username == "aoki"
    assert not Preferences.objects.exists()


@pytest.mark.long
def test_user_names_cannot_be_enumerated(user: User) -> None:
    make_user("ishida")
    client = client_of(user)
    for _ in range(20):
        save(client, username="ishida")
    assert "tried too many user names" in save(client, username="nobody-has-this")


SHARED = re.compile(r'<details class="share".*?</details>', re.DOTALL)


def board(client: Client, path: str = "/l/camarade/standings/all/") -> str:
    return client.get(path).content.decode()


@pytest.fixture
def league_of_both(user: User) -> None:
    league = make_league()
    for each in (user, make_user("ishida")):
        set_role(league=league, user=each, role=Membership.Role.PLAYER, by=SYSTEM)
    play(make_session(league, league.day_of(timezone.now())))
    settle()


@pytest.mark.usefixtures("league_of_both")
def test_cached_page_has_the_minus_sign_of_its_reader(user: User) -> None:
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


@pytest.mark.usefixtures("league_of_both")
def test_minus_sign_may_be_that_of_the_other_language(user: User) -> None:
    client = client_of(user)
    save(client, sign="triangle")
    assert "▲18.5" in board(client, "/en/l/camarade/standings/all/")
    assert "−18.5" in board(Client(), "/en/l/camarade/standings/all/")


@pytest.mark.usefixtures("league_of_both")
def test_minus_sign_follows_the_user_to_other_devices_until_log_out(user: User) -> None:
    phone, other = client_of(user), Client()
    assert "▲18.5" in board(phone)
    save(client_of(user), sign="minus")
    phone.get("/me/")
    assert "−18.5" in board(phone)
    assert other.login(username="aoki", password=PASSWORD)
    assert "−18.5" in board(other)
    phone.post("/accounts/logout/")
    assert "▲18.5" in board(phone)


def test_theme_cookie_is_set_at_log_in_and_removed_at_log_out(user: User) -> None:
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


def test_changed_language_applies_at_once(user: User) -> None:
    client = client_of(user)
    assert client.post("/account/", FORM | {"language": "en"})["Location"] == "/en/account/"
    assert "Account saved." in client.get("/en/account/").content.decode()


@pytest.mark.parametrize(
    ("prefix", "language", "wanted", "target"),
    [
        ("/en", "en", "", "/en/me/"),
        ("/en", "ja", "", "/me/"),
        ("/en", "", "", "/en/me/"),
        ("", "en", "/glossary/?q=uma", "/en/glossary/?q=uma"),
    ],
)
def test_log_in_redirects_to_users_language(user: User, prefix: str, language: str, wanted: str, target: str) -> None:
    Preferences.objects.create(user=user, language=language)
    form = {"username": "aoki", "password": PASSWORD} | ({"next": wanted} if wanted else {})
    assert Client().post(f"{prefix}/accounts/login/", form)["Location"] == target
