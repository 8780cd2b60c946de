"""What open pages are told, and when: after the commit, once, a number under a name that nobody can guess."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from django.db import connection, transaction
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from league import tasks
from league.models import League, Revision
from league.selectors.channels import LENGTH, ROOT, Channel, channel_name
from league.selectors.editions import edition_now
from league.services.history import SYSTEM, Change, write_revision, write_revisions
from league.services.telling import tell
from tests.conftest import ROOT as SOURCES
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = pytest.mark.django_db

Told = list[tuple[str, str]]
Committed = Callable[[], AbstractContextManager[list[Callable[[], object]]]]

told_now: Told = []


def publish(channel: str, version: str) -> None:
    """Stand in for the publisher: keep what it would tell."""
    told_now.append((channel, version))


@pytest.fixture
def told(settings: Settings) -> Iterator[Told]:
    settings.PUSH_URL, settings.PUBLISHER = "http://127.0.0.1:1/", f"{__name__}.publish"
    told_now.clear()
    yield told_now
    told_now.clear()


@pytest.fixture
def committed(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Committed:
    """Return a block that ends with a commit; what was done before it was committed before."""

    def begun() -> AbstractContextManager[list[Callable[[], object]]]:
        connection.run_on_commit.clear()
        return django_capture_on_commit_callbacks(execute=True)

    return begun


def channels(league: League) -> tuple[str, str]:
    return channel_name(Channel.LEAGUE, league.pk), channel_name(Channel.HALL, league.pk)


def test_a_commit_tells_once_whatever_it_changed(told: Told, committed: Committed) -> None:
    league, other = make_league(), make_league("other")
    change = Change(Revision.Action.CHANGED)
    with committed():
        for _ in range(3):
            write_revision(league, league, change, SYSTEM)
        write_revisions(league, [(league, change)], SYSTEM)
        with transaction.atomic():
            tell(league.pk)
        tell(other.pk, only_hall=True)
        assert not told
    version = edition_now(league.pk)
    assert told == [
        *((channel, version) for channel in channels(league)),
        (channels(other)[1], edition_now(other.pk)),
    ]


def test_what_was_not_kept_is_not_told(told: Told, committed: Committed) -> None:
    league = make_league()
    with committed():
        with transaction.atomic():
            tell(league.pk)
            transaction.set_rollback(True)
        assert not connection.run_on_commit
        tell(league.pk, only_hall=True)
    assert [channel for channel, _ in told] == [channels(league)[1]]


def test_a_result_is_told_and_so_is_the_board_that_follows(told: Told, committed: Committed) -> None:
    league = make_session(make_league()).league
    play(league.sessions.get())
    tasks.refresh_standings(league.pk)
    with committed():
        play(league.sessions.get())
    of_result = edition_now(league.pk)
    assert told == [(channel, of_result) for channel in channels(league)]
    with committed():
        tasks.refresh_standings(league.pk)
    assert told[2:] == [(channel, edition_now(league.pk)) for channel in channels(league)]
    assert told[2][1] != of_result
    with committed():
        tasks.refresh_standings(league.pk)
    assert len(told) == 4


def test_without_the_setting_nothing_is_done_and_pages_only_ask(
    client: Client, settings: Settings, committed: Committed
) -> None:
    assert not settings.PUSH_URL
    league = make_league(is_public=True)
    with committed() as callbacks:
        tell(league.pk)
    assert not callbacks
    page = client.get("/en/l/camarade/standings/2025-11/").content.decode()
    assert 'data-live-push=""' in page


def test_a_page_names_a_channel_that_nobody_can_guess_to_its_readers_alone(client: Client, told: Told) -> None:
    del told
    league = make_league(is_public=False)
    address = "/en/l/camarade/standings/2025-11/"
    assert b"push" not in client.get(address).content
    client.force_login(make_user("member", league=league, role="player"))
    (found,) = re.findall(r'data-live-push="([^"]+)"', client.get(address).content.decode())
    assert found == ROOT + channels(league)[0]
    # The edge takes such names and no others, and leaves the site alone with them.
    said = (SOURCES / "docs/edge/push.conf").read_text("utf-8")
    assert f"{ROOT}([0-9a-f]{{{LENGTH}}})$" in said
    assert re.fullmatch(rf"[0-9a-f]{{{LENGTH}}}", channels(league)[1])


def test_names_of_channels_hang_on_the_key_of_the_site(settings: Settings) -> None:
    names = {channel_name(channel, league) for channel in Channel for league in (1, 2)}
    settings.SECRET_KEY = "another one"
    assert len(names | {channel_name(channel, league) for channel in Channel for league in (1, 2)}) == 8
