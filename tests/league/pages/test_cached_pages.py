import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.http import caching as freshness
from league.models import Hanchan, League, Membership, Player
from league.models.editions import raise_edition
from tests.accounts.factories import html
from tests.league.factories import client_of, make_league, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    league = make_league()
    play(make_session(league))
    settle()
    return league


def pages_of(league: League) -> list[str]:
    hanchan, session = Hanchan.objects.filter(league=league).first(), league.sessions.first()
    player = league.players.first()
    assert hanchan
    assert session
    assert player
    names: dict[str, list[object]] = {
        "league:league_home": [],
        "league:players": [],
        "league:rules": [],
        "league:rules_version": [league.current_version_id],
        "league:sessions": [],
        "league:session": [session.pk],
        "league:hanchan": [hanchan.pk],
        "stats:player": [player.pk],
    }
    return [reverse(name, args=[league.slug, *args]) for name, args in names.items()]


@pytest.mark.merge
def test_unchanged_page_is_a_304_with_one_query_and_changed_page_is_not(league: League) -> None:
    reader, tags = Client(headers={"Accept-Encoding": "gzip"}), {}
    for address in pages_of(league):
        tags[address] = reader.get(address)["ETag"]
        assert tags[address].startswith("W/"), address
        cache.clear()
        with CaptureQueriesContext(connection) as asked:
            assert reader.get(address, headers={"If-None-Match": tags[address]}).status_code == 304, address
        assert len(asked) == 1, address
    League.objects.filter(pk=league.pk).update(name="紅葉リーグ")
    raise_edition(league.pk)
    for address, tag in tags.items():
        assert reader.get(address, headers={"If-None-Match": tag}).status_code == 200, address


@pytest.mark.merge
def test_pages_are_cached_only_for_visitors(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.http.caching.KEEP_PAGE", 60)
    Player.objects.filter(league=league).update(visibility=Player.Visibility.MEMBERS)
    member = client_of(make_user(league=league, role="player"))
    for address in pages_of(league):
        first = html(Client(), address)
        with CaptureQueriesContext(connection) as asked:
            assert html(Client(), address) == first, address
        assert len(asked) == 1, address
        assert "aoki" in html(member, address), address
        assert html(Client(), address) == first, address
    League.objects.filter(pk=league.pk).update(name="紅葉リーグ")
    raise_edition(league.pk)
    assert all("紅葉リーグ" in html(Client(), address) for address in pages_of(league))


def test_unchanged_glossary_is_a_304() -> None:
    for reader in (Client(), client_of(make_user("aoki"))):
        answer = reader.get(reverse("league:glossary"))
        assert reader.get(reverse("league:glossary"), headers={"If-None-Match": answer["ETag"]}).status_code == 304
        assert ("aoki" in answer.content.decode()) == bool(reader.session.get("_auth_user_id"))


@pytest.mark.long
def test_league_made_private_is_closed_at_once(league: League) -> None:
    visitor, member = Client(), client_of(make_user(league=league, role="player"))
    tags = {address: visitor.get(address)["ETag"] for address in pages_of(league)}
    assert league.name in html(visitor, reverse("league:home"))
    League.objects.filter(pk=league.pk).update(is_public=False)
    assert league.name not in html(visitor, reverse("league:home"))
    for address, tag in tags.items():
        html(member, address)
        assert visitor.get(address, headers={"If-None-Match": tag}).status_code == 302, address


def test_removed_member_sees_what_visitors_see(league: League) -> None:
    Player.objects.filter(league=league).update(visibility=Player.Visibility.MEMBERS)
    user = make_user(league=league, role="organiser")
    reader, address = client_of(user), reverse("league:players", args=[league.slug])
    seen = reader.get(address)
    Membership.objects.filter(user=user).delete()
    answer = reader.get(address, headers={"If-None-Match": seen["ETag"]})
    assert "青木" in seen.content.decode()
    assert "青木" not in answer.content.decode()
    assert "/manage/" not in answer.content.decode()


def test_each_user_gets_their_own_name_and_token(league: League) -> None:
    users = [make_user(name, league=league, role="player") for name in ("<aoki>", "ishida")]
    address = reverse("league:players", args=[league.slug])
    for user, other in (users, reversed(users)):
        reader = client_of(user, enforce_csrf_checks=True)
        answer = reader.get(address)
        text = answer.content.decode()
        assert other.username.strip("<>") not in text
        assert user.username.replace("<", "&lt;").replace(">", "&gt;") in text
        assert "mark" not in [word[:4] for word in text.split('"') if len(word) > 60]
        token = answer.content.decode().split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        assert reader.post(reverse("logout"), {"csrfmiddlewaretoken": token}).status_code in {200, 302}


@pytest.mark.long
def test_renamed_user_sees_the_new_name_at_once(league: League) -> None:
    user = make_user("aoki", league=league, role="player")
    reader, board = client_of(user), reverse("league:standings", args=[league.slug, "all"])
    tags = {address: reader.get(address)["ETag"] for address in [*pages_of(league), board]}
    User.objects.filter(pk=user.pk).update(username="aoyama")
    for address, tag in tags.items():
        answer = reader.get(address, headers={"If-None-Match": tag})
        assert answer.status_code == 200, address
        text = answer.content.decode()
        assert "aoyama" in text, address
        assert "aoki" not in text, address


def test_hidden_player_disappears_at_once(league: League) -> None:
    visitor = Client()
    boards = [reverse("league:standings", args=[league.slug, scope]) for scope in ("2025-11", "2025", "all")]
    boards += [f"{boards[0]}?sort=player", reverse("league:players", args=[league.slug])]
    assert all("青木" in html(visitor, address) for address in boards)
    Player.objects.filter(league=league, name="青木").update(visibility=Player.Visibility.MEMBERS)
    raise_edition(league.pk)
    assert not any("青木" in html(visitor, address) for address in boards)


def test_pages_are_cached_by_language_and_query(league: League) -> None:
    reader, address = Client(), reverse("league:sessions", args=[league.slug])
    assert 'lang="ja"' in html(reader, address)
    assert '<html lang="en"' in html(reader, f"/en{address}")
    assert "?year=1999" in html(reader, f"{address}?year=1999")
    assert "?year=1999" not in html(reader, address)


@pytest.mark.long
def test_cache_of_another_django_version_is_ignored(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    address = reverse("league:players", args=[league.slug])
    with override_settings(DEBUG=True):
        tags = {Client().get(address)["ETag"] for _ in range(2)}
        monkeypatch.setattr(freshness, "get_version", lambda: "9.9")
        other = Client().get(address)["ETag"]
    assert len(tags) == 1
    assert other not in tags


def test_etags_depend_on_the_code_of_every_app() -> None:
    ours = {app for app in settings.INSTALLED_APPS if Path(settings.BASE_DIR, app, "apps.py").exists()}
    assert {"league", "accounts", "stats"} <= ours <= {*freshness.ROOTS}


def test_page_with_a_message_polls_the_state_of_the_page(league: League) -> None:
    session = league.sessions.get()
    client = client_of(make_user(league=league, role="organiser"))
    address = reverse("league:session", args=[league.slug, session.pk])
    facts = {"date": session.date, "tables": 1, "title": "x", "ruleset_version": session.ruleset_version_id}
    assert client.post(reverse("league:session_edit", args=[league.slug, session.pk]), facts).status_code == 302
    told = client.get(address).content.decode()
    assert 'class="notice' in told
    found = re.search(r'data-live-etag="([^"]*)"', told)
    assert found
    known = {"If-None-Match": found[1].replace("&quot;", '"')}
    assert client.get(address, headers=known).status_code == 304
    play(session)
    assert client.get(address, headers=known).status_code == 200


def test_message_is_shown_once_and_only_to_its_user(league: League) -> None:
    session = league.sessions.get()
    address = reverse("league:session", args=[league.slug, session.pk])
    first, second = (client_of(make_user(name, league=league, role="organiser")) for name in ("aoki", "ishida"))
    first.post(reverse("league:session_state", args=[league.slug, session.pk]), {"state": "closed"})
    answer = first.get(address)
    assert "ETag" not in answer
    told = answer.content.decode()
    plain = second.get(address).content.decode()
    assert told.count('class="notice') == plain.count('class="notice') + 1
    assert first.get(address).content.decode().count('class="notice') == plain.count('class="notice')
