"""Grid rows that do not add up: an organiser accepts them as they are, with a reason."""

import pytest
from django.test import Client

from league.models import Hanchan, Session
from tests.league.entry.test_grid import fields, post, row, shown, statuses, with_players, words
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

OFF = ("317", "313", "255", "38")
"""A digit of the last score is missing, so 7,700 points are lacking."""


@pytest.fixture
def evening(client: Client) -> Session:
    """A session of a league of five; an organiser is logged in."""
    league = make_league()
    make_players(league, 5)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return make_session(league)


@pytest.mark.long
def test_organiser_takes_a_row_as_it_is_with_a_note(client: Client, evening: Session) -> None:
    checked = post(client, evening, with_players(evening, shown(client, evening)) | row(0, *OFF), "check")
    assert statuses(checked) == ["wrong"]
    assert "Yes, the total is off by −7,700minus 7,700 points" in words(checked)

    unexplained = post(client, evening, fields(checked) | {"taken_0": "-7700"}, "check")
    assert statuses(unexplained) == ["wrong"]
    assert "explain why the wrong total is accepted" in words(unexplained)
    assert 'value="-7700"\n                  checked' in unexplained.content.decode()

    taken = {"taken_0": "-7700", "note_0": "the sheet says so"}
    explained = post(client, evening, fields(unexplained) | taken, "check")
    assert statuses(explained) == ["added"]
    assert 'value="the sheet says so"' in explained.content.decode()
    assert post(client, evening, fields(explained) | taken, "save").status_code == 302
    stored = Hanchan.objects.get()
    assert (stored.as_is, stored.note) == (True, "the sheet says so")

    again = fields(client.get(f"/en/l/{evening.league.slug}/sessions/{evening.pk}/grid/"))
    assert statuses(post(client, evening, again, "check")) == ["same"]
    other = post(client, evening, again | {"cell_0_3": "39"}, "check")
    assert statuses(other) == ["wrong"]
    assert "off by −7,600minus 7,600 points" in words(other)
    mended = fields(other) | {"cell_0_3": "115"}
    right = post(client, evening, mended, "check")
    assert statuses(right) == ["changed"]
    post(client, evening, fields(right) | {"reason": "a digit was lost"}, "save")
    stored.refresh_from_db()
    assert stored.as_is is False


def test_scorers_are_not_asked_and_cannot_take_it(client: Client, evening: Session) -> None:
    client.force_login(make_user("ueno", league=evening.league, role="scorer"))
    checked = post(client, evening, with_players(evening, shown(client, evening)) | row(0, *OFF), "check")
    assert "Accept the wrong total" not in words(checked)
    sent = fields(checked) | {"taken_0": "-7700", "note_0": "so"}
    refused = post(client, evening, sent, "save")
    assert "Only organisers can accept a wrong total" in words(refused)
    assert not Hanchan.objects.exists()


@pytest.mark.long
def test_points_with_uma_cannot_be_accepted_as_raw_scores(client: Client, evening: Session) -> None:
    checked = post(
        client, evening, with_players(evening, shown(client, evening)) | row(0, "45", "9", "-20", "-34"), "check"
    )
    assert statuses(checked) == ["wrong"]
    assert "Accept the wrong total" not in words(checked)


def test_a_note_that_is_too_long_together_is_refused_and_kept(client: Client, evening: Session) -> None:
    stored = play(evening, note="n" * 400)
    sent = shown(client, evening) | {"cell_0_3": "116"}
    checked = post(client, evening, sent, "check")
    explained = post(client, evening, fields(checked) | {"taken_0": "100", "note_0": "w" * 200}, "check")
    assert statuses(explained) == ["wrong"]
    assert "at most 500 characters in total" in words(explained)
    assert f'value="{"w" * 200}"' in explained.content.decode()
    post(client, evening, fields(explained) | {"taken_0": "100", "note_0": "w" * 200, "reason": "so"}, "save")
    stored.refresh_from_db()
    assert (stored.note, stored.as_is) == ("n" * 400, False)
    right = fields(explained) | {"taken_0": "100", "note_0": "the sheet says so", "reason": "so"}
    assert post(client, evening, right, "save").status_code == 302
    stored.refresh_from_db()
    assert (stored.note, stored.as_is) == (f"{'n' * 400} the sheet says so", True)
