import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail as post
from django.test import Client

from accounts.http.invited import KEPT_AS
from accounts.services.invitations import revoke_invitation
from league.services.history import SYSTEM
from league.services.secret_links import secret_of
from tests.accounts.factories import code_in, make_invitation, way_in
from tests.league.factories import PASSWORD, make_league, make_players, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SIGN_UP = "/en/accounts/signup/"
NEW = {"username": "sakura", "password": "a longer secret 5"}


def test_sign_up_needs_an_open_invitation() -> None:
    phone, invitation = Client(), make_invitation(make_league())
    users = User.objects.count()
    assert f'href="{SIGN_UP}"' not in phone.get("/en/accounts/login/").content.decode()
    assert "You need an invitation" in phone.get(SIGN_UP).content.decode()
    assert "You need an invitation" in phone.post(SIGN_UP, NEW).content.decode()
    phone.get(way_in(invitation))
    revoke_invitation(invitation=invitation, by=SYSTEM)
    assert "You need an invitation" in phone.post(SIGN_UP, NEW).content.decode()
    assert User.objects.count() == users


def test_invitation_allows_sign_up_and_is_kept_until_it_is_accepted() -> None:
    phone, invitation = Client(), make_invitation(make_league())
    phone.get(way_in(invitation))
    assert 'name="username"' in phone.get(SIGN_UP).content.decode()
    answer = phone.post(SIGN_UP, NEW | {"next": "/en/glossary/"})
    assert (answer.status_code, answer["Location"]) == (302, "/en/glossary/")
    assert phone.session["_auth_user_id"] == str(User.objects.get(username="sakura").pk)
    assert phone.session[KEPT_AS] == secret_of(invitation)


def test_sign_up_by_invitation_joins_and_links_the_player() -> None:
    league = make_league(is_public=False)
    player = make_players(league, 1)[0]
    phone, invitation = Client(), make_invitation(league, player=player)
    assert f'href="{SIGN_UP}?next=/en/join/"' in phone.get("/en" + way_in(invitation)).content.decode()
    arrived = phone.post(SIGN_UP, NEW | {"next": "/en/join/"}, follow=True)
    assert arrived.redirect_chain[-1][0] == f"/en/l/camarade/p/{player.pk}/"
    assert User.objects.get(username="sakura").players.get() == player


def test_sign_up_with_a_passkey_joins_before_it_is_created() -> None:
    league = make_league(is_public=False)
    phone = Client()
    phone.get("/en" + way_in(make_invitation(league)))
    answer = phone.post(SIGN_UP, {"username": "sakura", "by": "passkey", "next": "/en/join/"})
    assert answer["Location"] == "/en/accounts/passkeys/new/?next=%2Fen%2Fjoin%2F"
    assert league.members.filter(user__username="sakura").exists()


@pytest.mark.usefixtures("open_site")
def test_open_site_needs_no_invitation() -> None:
    phone = Client()
    assert phone.get(phone.post(SIGN_UP, NEW)["Location"]).status_code == 200
    phone.post("/en/accounts/logout/")
    assert Client().post("/en/accounts/login/", NEW).status_code == 302
    assert User.objects.get().email == ""


@pytest.mark.usefixtures("open_site")
@pytest.mark.parametrize(
    ("told", "said"),
    [
        pytest.param({"username": "Aoki"}, "This name is taken", id="a name in other letters"),
        pytest.param({"username": "aoki@example.org"}, "A user name cannot contain @", id="an address"),
        pytest.param({"username": "sa kura"}, "Enter letters, digits, kana or kanji, without spaces.", id="a space"),
        pytest.param({"password": ""}, "Choose a password or use a passkey", id="no password"),
        pytest.param({"password": "12345"}, "too short", id="a short password"),
        pytest.param({"username": ""}, "This field is required", id="no name"),
    ],
)
def test_invalid_account_data_is_refused_in_one_sentence(told: dict[str, str], said: str) -> None:
    make_user("aoki")
    page = Client().post(SIGN_UP, NEW | told)
    assert page.status_code == 200
    assert page.content.decode().count(said) == 1
    assert User.objects.count() == 1


@pytest.mark.usefixtures("open_site")
def test_account_without_password_continues_to_its_passkey() -> None:
    phone = Client()
    answer = phone.post(SIGN_UP, {"username": "sakura", "by": "passkey", "next": "/en/glossary/"})
    assert answer["Location"] == "/en/accounts/passkeys/new/?next=%2Fen%2Fglossary%2F"
    assert not User.objects.get().has_usable_password()
    page = phone.get(answer["Location"]).content.decode()
    assert 'data-passkey="create"' in page
    assert "Choose a password instead" in page
    assert phone.get("/en/accounts/password_change/").status_code == 200


@pytest.mark.usefixtures("open_site")
def test_typed_password_counts_even_with_the_passkey_button() -> None:
    Client().post(SIGN_UP, {"username": "sakura", "password": "long enough words", "by": "passkey"})
    assert User.objects.get().check_password("long enough words")


@pytest.mark.usefixtures("open_site", "mail")
def test_email_address_is_verified_with_a_code_after_sign_up() -> None:
    phone = Client()
    answer = phone.post(SIGN_UP, NEW | {"email": "Sakura@example.org", "next": "/en/glossary/"})
    assert answer["Location"].startswith("/en/accounts/email/code/")
    assert not EmailAddress.objects.exists()
    assert User.objects.get().email == ""
    wrong = phone.post(answer["Location"], {"code": "AAAAAA"})
    assert "This code does not match the one in the e-mail" in wrong.content.decode()
    assert phone.post(answer["Location"], {"code": code_in(post.outbox[0])})["Location"] == "/en/glossary/"
    address = EmailAddress.objects.get()
    assert (address.email, address.verified, address.primary) == ("sakura@example.org", True, True)
    assert User.objects.get().email == "sakura@example.org"


@pytest.mark.usefixtures("open_site")
def test_sign_up_without_mail_asks_for_no_email_address() -> None:
    assert 'name="email"' not in Client().get(SIGN_UP).content.decode()
    Client().post(SIGN_UP, NEW | {"email": "sakura@example.org"})
    assert post.outbox == []


@pytest.mark.usefixtures("open_site", "mail")
def test_email_address_of_another_user_cannot_be_taken_over() -> None:
    owner = make_user("aoki")
    EmailAddress.objects.create(user=owner, email="aoki@example.org", verified=True, primary=True)
    thief = Client()
    answer = thief.post(SIGN_UP, NEW | {"email": "aoki@example.org"})
    said = thief.post(answer["Location"], {"code": code_in(post.outbox[0])}).content.decode()
    assert "Another account uses this address" in said
    assert EmailAddress.objects.get().user == owner


@pytest.mark.long
@pytest.mark.usefixtures("open_site")
def test_sign_up_is_rate_limited_per_client() -> None:
    statuses = [
        Client(REMOTE_ADDR="192.0.2.10").post(SIGN_UP, NEW | {"username": f"sakura{number}"}).status_code
        for number in range(32)
    ]
    assert statuses == [302] * 30 + [429] * 2
    assert Client(REMOTE_ADDR="198.51.100.4").post(SIGN_UP, NEW).status_code == 302


def test_unverified_email_address_works_with_the_password() -> None:
    make_user("aoki")
    assert Client().post("/accounts/login/", {"username": "Aoki@example.org", "password": PASSWORD}).status_code == 302


def test_email_address_of_two_users_logs_in_neither() -> None:
    make_user("aoki")
    make_user("ueno")
    User.objects.update(email="aoki@example.org")
    assert Client().post("/accounts/login/", {"username": "aoki@example.org", "password": PASSWORD}).status_code == 200
