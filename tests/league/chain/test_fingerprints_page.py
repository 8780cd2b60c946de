"""The head of the chain stands beside the standings, and a page tells whether one that was noted is still there."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from league.core.chain import shortened
from league.models import ChainLink, League
from league.selectors.chain import heads_by_day
from league.services.chain import chain_history
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = pytest.mark.django_db

BOARD, PAGE = "/l/camarade/standings/2025-11/", "/l/camarade/fingerprints/"


@pytest.fixture
def league() -> League:
    league = make_league()
    play(make_session(league))
    chain_history(league.pk)
    return league


def newest(league: League) -> str:
    return shortened(league.chain.latest("number").hash)


def test_the_standings_show_the_head_as_it_is_now(client: Client, league: League) -> None:
    for _ in range(2):
        page = client.get(BOARD).content.decode()
        assert f"<code>{newest(league)}</code>" in page
        assert PAGE in page
        before = newest(league)
        play(make_session(league))
        chain_history(league.pk)
        assert newest(league) != before


def test_standings_without_a_chain_say_nothing_of_it(client: Client) -> None:
    make_league()
    assert PAGE not in client.get(BOARD).content.decode()
    assert "まだ何も記録されていません" in client.get(PAGE).content.decode()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_noted_fingerprint_is_found_or_not(client: Client, league: League, language: str) -> None:
    found, lost = {
        "ja": ("いまの履歴にも残っています", "いまの履歴にはありません"),
        "en": ("The history still has it", "The history does not have it"),
    }[language]
    address = PAGE if language == "ja" else f"/en{PAGE}"
    noted = newest(league)
    play(make_session(league))
    chain_history(league.pk)
    spaced = f" {noted[:6].upper()} {noted[6:]} "
    for typed, said in ((noted, found), (spaced, found), (league.chain.get(number=1).hash, found), ("f" * 12, lost)):
        assert said in client.get(address, {"noted": typed}).content.decode(), typed
    assert newest(league) in client.get(address).content.decode()


@pytest.mark.parametrize("typed", ["", "abc", "xyz123xyz123", "0" * 65, "'; --", "\0" * 12, "点" * 12, "0" * 500])
def test_what_is_no_fingerprint_is_said_to_be_none(client: Client, league: League, typed: str) -> None:
    assert league.pk
    page = client.get(PAGE, {"noted": typed})
    assert page.status_code == 200
    assert 'aria-invalid="true"' in page.content.decode()
    assert 'class="notice' not in page.content.decode()


def test_fingerprints_of_a_private_league_are_its_own(client: Client) -> None:
    league = make_league(is_public=False)
    play(make_session(league))
    chain_history(league.pk)
    assert client.get(PAGE).status_code == 302
    client.force_login(make_user())
    assert client.get(PAGE).status_code == 404
    client.force_login(make_user("ishida", league=league, role="player"))
    assert client.get(PAGE).status_code == 200


def test_each_day_has_the_fingerprint_that_stood_last(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    for days in (1, 1, 2, 3):
        monkeypatch.setattr(timezone, "now", lambda days=days: now + timedelta(days=days))
        play(make_session(league))
        chain_history(league.pk)
    assert [link.number for link in heads_by_day(league, 9)] == [5, 4, 3, 1]
    assert [link.number for link in heads_by_day(league, 2)] == [5, 4]
    assert ChainLink.objects.count() == 5
