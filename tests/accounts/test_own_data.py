import json
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User

from accounts.models import Claim, Preferences
from accounts.selectors import own_data
from league.models import Membership
from league.services.history import SYSTEM, Actor
from league.services.people import link_user
from tests.league.factories import client_of, make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db


def data_of(user: User) -> dict[str, Any]:
    answer: Any = client_of(user).get("/account/data/")
    assert answer["Cache-Control"] == "private, no-store"
    assert answer["Content-Disposition"] == 'attachment; filename="tenbo-my-data.json"'
    found: dict[str, Any] = json.loads(answer.getvalue())
    return found


@pytest.fixture
def aoki() -> User:
    league = make_league("private", is_public=False)
    user = make_user("aoki", league=league, role="scorer")
    other = make_user("ishida", league=league, role="owner")
    players = make_players(league, 4)
    link_user(player=players[0], user=user, by=SYSTEM)
    link_user(player=players[1], user=other, by=SYSTEM)
    session = make_session(league)
    play(session, players=players, by=Actor(user, "web"))
    play(session, players=players, by=Actor(other, "web"))
    play(make_session(make_league("elsewhere")))
    return user


def test_own_data_has_everything_about_the_user(aoki: User) -> None:
    Preferences.objects.create(user=aoki, sign="minus", called="あお")
    found = data_of(aoki)
    assert found["schema"] == "tenbo-own-data/1"
    assert [*found][1:] == [*own_data.SECTIONS]
    assert found["account"][0]["username"] == "aoki"
    assert found["preferences"] == [{"called": "あお", "language": "", "sign": "minus", "theme": ""}]
    assert found["memberships"] == [{"league": "private", "name": "カマラードリーグ", "role": "scorer"}]
    assert [(each["name"], each["kana"]) for each in found["players"]] == [("青木", "あおき")]
    hanchan = [(each["points"], each["raw_score"], each["placement"]) for each in found["hanchan"]]
    assert hanchan == [(21700, 31700, 1)] * 2
    assert {each["subject"] for each in found["changes"]} == {"hanchan"}
    assert [each["action"] for each in found["changes"]] == ["recorded"]


def test_own_data_has_nothing_about_other_users(aoki: User) -> None:
    text = json.dumps(data_of(aoki), ensure_ascii=False)
    for other in ("ishida", "石田", "上野", "江口", "31300", "25500", "elsewhere", 'password": "', "pbkdf2"):
        assert other not in text


def test_own_data_has_log_in_methods_without_secrets(aoki: User) -> None:
    Claim.objects.create(user=aoki, league=(player := aoki.players.get()).league, player=player, note="本人です")
    Preferences.objects.update_or_create(user=aoki, defaults={"by_mail": True, "origin": "http://testserver/"})
    EmailAddress.objects.create(user=aoki, email="aoki@example.org", verified=True, primary=True)
    Authenticator.objects.create(user=aoki, type="webauthn", data={"secret": "hidden-key"})
    others = User.objects.get(username="ishida")
    EmailAddress.objects.create(user=others, email="other@example.org", verified=True, primary=True)
    Authenticator.objects.create(user=others, type="recovery_codes", data={})
    found = data_of(aoki)
    assert [each["note"] for each in found["claims"]] == ["本人です"]
    assert [each["by_mail"] for each in found["notices"]] == [True]
    assert [each["email"] for each in found["addresses"]] == ["aoki@example.org"]
    assert [each["type"] for each in found["keys"]] == ["webauthn"]
    assert "hidden-key" not in json.dumps(found)
    assert "session_key" not in json.dumps(found)


def test_own_data_has_changes_made_in_leagues_left(aoki: User) -> None:
    Membership.objects.filter(user=aoki).delete()
    aoki.players.update(user=None)
    found = data_of(aoki)
    assert found["memberships"] == found["hanchan"] == []
    assert [each["action"] for each in found["changes"]] == ["recorded"]


def test_own_data_is_read_in_slices(aoki: User, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = data_of(aoki)
    monkeypatch.setattr(own_data, "AT_ONCE", 1)
    sliced = data_of(aoki)
    for name in ("players", "hanchan", "changes", "confirmations"):
        assert sliced[name] == whole[name]


def test_own_data_of_a_new_user_is_empty() -> None:
    found = data_of(make_user("ueno"))
    assert {name for name, rows in found.items() if rows and name != "schema"} <= {"account", "devices"}
